"""Rules with a switch: an external atom in the body, without which a rule does not fire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo import Function as FunctionSymbol
from clingo import Number
from clingo.ast import AST, Function, Literal, Sign, SymbolicAtom, SymbolicTerm, parse_string

if TYPE_CHECKING:
    from clingo import Symbol


def switch(name: str, number: int) -> Symbol:
    """The atom that a switch is."""
    return FunctionSymbol(name, [Number(number)])


def guarded(rule: AST, name: str, number: int) -> AST:
    """A rule that only fires if its switch is on."""
    place = rule.location
    atom = Function(place, name, [SymbolicTerm(place, Number(number))], 0)
    return rule.update(body=[*rule.body, Literal(place, Sign.NoSign, SymbolicAtom(atom))])


def declared(name: str, count: int) -> list[AST]:
    """The statements that declare the switches 1 to ``count``."""
    found: list[AST] = []
    parse_string(f"#external {name}(1..{count}).", found.append)
    return found
