"""Values that somebody gives to ``#const`` definitions, and whether there are such definitions."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import AST, ASTType

from ists_asp.errors import UsageError, shortened
from ists_asp.rules.messages import RuleWarning
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.programs import load_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.profiles import Profile

LARGEST = 1_000_000
"""The largest number that a constant may be; sums with it stay within 32 bits."""


def constants_in(statements: Iterable[AST]) -> Iterator[str]:
    """The names that ``#const`` defines."""
    for node in statements:
        if node.ast_type is ASTType.Definition:
            yield node.name


def unknown_constants(
    values: Mapping[str, str],
    profile: Profile,
    rules: RuleSet,
    given: Sequence[Path] = (),
) -> Iterator[RuleWarning]:
    """Warn of constants that no rule of a profile has, whatever the rule is for.

    Args:
        values: those that somebody gives to constants.
        profile: the profile.
        rules: its rules for answers.
        given: what the user gave with ``--rules``, in order.

    Raises:
        UsageError: a value is of another kind than the rules reckon with.
        RuleError: a file with rules for explanations or for ratings is faulty.
    """
    known = check_kinds(values, rules)
    if known.issuperset(values):
        return
    for purpose in (Purpose.EXPLANATION, Purpose.RATING):
        if profile.files(purpose) is not None:
            _, others = load_program(profile.name, given, purpose)
            known |= check_kinds(values, others)
    for name in values:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            yield RuleWarning(
                f"-c {name}",
                f"the rules of profile {profile.name} have no #const of this name, "
                + (f"but {', '.join(sorted(known))}" if known else "nor any other")
                + (f". Did you mean {near[0]}?" if near else ""),
            )


def check_kinds(values: Mapping[str, str], rules: RuleSet) -> set[str]:
    """Refuse values that are no numbers where the rules have one; return the constants they have.

    Raises:
        UsageError: there is such a value, or a number beyond :data:`LARGEST`.
    """
    kinds: dict[str, bool] = rules.remembered.recall("constants", [], lambda: _kinds(rules))
    for name, value in values.items():
        if kinds.get(name):
            try:
                fits = abs(int(value)) <= LARGEST
            except ValueError:
                fits = False
            if not fits:
                raise UsageError(
                    f"found '{shortened(value)}'",
                    where=f"the constant {name}",
                    expected=f"an integer from -{LARGEST} to {LARGEST}",
                )
    return set(kinds)


def _kinds(rules: RuleSet) -> dict[str, bool]:
    """The constants that ``#const`` defines, and whether each is a number."""
    return {
        node.name: node.value.ast_type is ASTType.SymbolicTerm
        and node.value.symbol.type is SymbolType.Number
        for node in rules.statements
        if node.ast_type is ASTType.Definition
    }
