"""Rules for one pair rewritten to rules for several pairs at a time.

Each predicate that depends on the pair gets the pair's number as its first argument and a
new name, ``__name``. What ``#minimize`` and ``#maximize`` count becomes ``____cost/4``:
number of the pair, priority, weight and the rest of the tuple as one term. Whoever writes
rules sees none of this, and names that begin with ``__`` are left to it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clingo.ast import (
    AST,
    ASTType,
    Function,
    Literal,
    ProjectSignature,
    Rule,
    Sign,
    SymbolicAtom,
    Transformer,
    Variable,
    parse_string,
)

from ists_asp.solver.settled import OBJECTIVE_PRIORITY, settled, settled_text
from ists_asp.syntax.signatures import Signature, predicates
from ists_asp.syntax.trees import walk

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from clingo.ast import Location

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.program import Program

__all__ = ["COST", "OWN", "PAIR", "PREFIX", "PRIORITY", "Paired", "Pairing", "pair_up", "paired"]

PREFIX = "__"
"""What the names of generated predicates and variables begin with."""

OWN = f"{PREFIX}__"
"""What the names begin with that come from no rule: no name of a rule becomes one of them."""

PAIR = f"{OWN}pair"
"""``____pair(P)``: P is the number of a pair."""

COST = f"{OWN}cost"
"""``____cost(P,Priority,Weight,Tuple)``: an element of the objective of pair P."""

PRIORITY = f"{OWN}priority"
"""``____priority(P,Priority)``: some element of the objective of pair P has this priority."""

_OBJECTIVE = f"""
#minimize{{ W@N,P,T : {COST}(P,N,W,T) }}.
{PRIORITY}(P,N) :- {COST}(P,N,_,_).
#show {COST}/4.
"""
_PRIORITIES = f"{PRIORITY}(P,N) :- {PREFIX}{OBJECTIVE_PRIORITY}(P,N)."
_VARIABLE = "__Pair"
_KINDS = frozenset(
    {
        ASTType.Defined,
        ASTType.Definition,
        ASTType.Minimize,
        ASTType.Rule,
        ASTType.ShowSignature,
    }
)


_MEMORY = 1 << 14

_rewritten: dict[int, tuple[AST, frozenset[Signature], AST]] = {}
"""Statements, those of their predicates that are tables, and what became of them, by identity.

Most statements are those that were shipped, whose syntax trees live as long as the process.
"""


class Paired(NamedTuple):
    """A program for several pairs: its statements, and the names of their predicates.

    ``settled`` are the statements where only answers are wanted; see
    :mod:`ists_asp.solver.settled`.
    """

    statements: tuple[AST, ...]
    settled: tuple[AST, ...]
    names: frozenset[str]


def paired(rules: RuleSet, program: Program, arguments: Sequence[str]) -> Paired | None:
    """As :func:`pair_up`, of a rule set that may remember what came of it.

    Args:
        rules: the rule set.
        program: what was made of it for one pair.
        arguments: clingo's command line arguments, which were taken into account.
    """
    remembered = rules.remembered
    if remembered.store is None:
        return _both(rules, program)
    options = [list(arguments), settled_text()]
    kept = remembered.recall("pairs", options, lambda: _kept(_both(rules, program)))
    if kept is None:
        return _both(rules, program)
    statements = _parsed(kept["statements"])
    same = kept["settled"] is None
    return Paired(
        statements, statements if same else _parsed(kept["settled"]), frozenset(kept["names"])
    )


def _both(rules: RuleSet, program: Program) -> Paired | None:
    statements = pair_up(program)
    if statements is None:
        return None
    names = {name.name for node in statements for name in predicates(node)}
    names |= {node.name for node in statements if node.ast_type is ASTType.ShowSignature}
    without = settled(rules, program)
    return Paired(
        statements, (pair_up(without) if without else None) or statements, frozenset(names)
    )


def _kept(found: Paired | None) -> dict[str, object] | None:
    """What was found as whatever JSON can write; None if clingo would read it otherwise."""
    if found is None:
        return None
    text = "\n".join(map(str, found.statements))
    other = "\n".join(map(str, found.settled))
    if _parsed(text) != found.statements or _parsed(other) != found.settled:
        return None
    same = found.settled == found.statements
    return {
        "statements": text,
        "settled": None if same else other,
        "names": sorted(found.names),
    }


def _parsed(text: str) -> tuple[AST, ...]:
    nodes: list[AST] = []
    parse_string(text, nodes.append)
    return tuple(node for node in nodes if node.ast_type is not ASTType.Program)


def pair_up(program: Program) -> tuple[AST, ...] | None:
    """Rewrite the rules for a pair to rules for numbered pairs.

    Args:
        program: the rules for a pair; its tables stay as they are.

    Returns:
        The rewritten statements; None if they hold anything that cannot be rewritten with
        certainty, use a reserved name, or show nothing. Where several answer sets are the
        best, another one might be found than for a pair alone: whoever solves the statements
        must see to that.
    """
    statements = program.statements
    kinds = {node.ast_type for node in statements}
    if ASTType.ShowSignature not in kinds or not kinds <= _KINDS:
        return None
    if any(map(_has_obstacle, statements)):
        return None
    if any(fact.name.startswith(PREFIX) for fact in program.facts):
        return None
    pairing = Pairing(program.tables)
    rewritten = [pairing.statement(node) for node in statements]
    # Only what is shown makes answer sets different.
    rewritten += [
        ProjectSignature(node.location, node.name, node.arity, node.positive)
        for node in rewritten
        if node.ast_type is ASTType.ShowSignature and node.name
    ]
    if ASTType.Minimize in kinds:
        parse_string(_OBJECTIVE, rewritten.append)
    if any(OBJECTIVE_PRIORITY in {name.name for name in predicates(node)} for node in statements):
        parse_string(_PRIORITIES, rewritten.append)
    return tuple(node for node in rewritten if node.ast_type is not ASTType.Program)


class Pairing(Transformer):
    """Adds the number of the pair to all atoms that depend on it.

    Args:
        tables: the predicates that do not depend on the pair.
    """

    def __init__(self, tables: Set[Signature]) -> None:
        self._tables = tables

    def statement(self, node: AST) -> AST:
        """Rewrite a statement of one of the known kinds."""
        if node.ast_type in (ASTType.Minimize, ASTType.Rule):
            tables = predicates(node) & self._tables
            known = _rewritten.get(id(node))
            if known is None or known[0] is not node or known[1] != tables:
                if len(_rewritten) >= _MEMORY:
                    _rewritten.clear()
                known = _rewritten[id(node)] = node, tables, self._rewrite(node)
            return known[2]
        if node.ast_type is ASTType.Definition or not node.name:
            return node
        if Signature(node.name, node.arity) in self._tables:
            return node
        return node.update(name=PREFIX + node.name, arity=node.arity + 1)

    def _rewrite(self, node: AST) -> AST:
        if node.ast_type is ASTType.Minimize:
            return self._cost(node)
        if predicates(node) <= self._tables:
            return node
        return node.update(head=self.visit(node.head), body=self._body(node))

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802 (the name that clingo calls)
        """Rewrite an atom."""
        return node.update(symbol=self._symbol(node.symbol))

    def _symbol(self, symbol: AST) -> AST:
        if symbol.ast_type is ASTType.UnaryOperation:
            return symbol.update(argument=self._symbol(symbol.argument))
        if symbol.ast_type is ASTType.Pool:
            return symbol.update(arguments=[self._symbol(part) for part in symbol.arguments])
        if Signature(symbol.name, len(symbol.arguments)) in self._tables:
            return symbol
        arguments = [Variable(symbol.location, _VARIABLE), *symbol.arguments]
        return symbol.update(name=PREFIX + symbol.name, arguments=arguments)

    def _body(self, node: AST) -> list[AST]:
        """The body of a statement, with an atom in it that says which pair it is about."""
        body = [self.visit(part) for part in node.body]
        if not any(self._names_pair(part) for part in node.body):
            body.append(_literal(node.location, PAIR, [Variable(node.location, _VARIABLE)]))
        return body

    def _names_pair(self, part: AST) -> bool:
        if part.ast_type is not ASTType.Literal or part.sign != Sign.NoSign:
            return False
        return part.atom.ast_type is ASTType.SymbolicAtom and self._tables.isdisjoint(
            predicates(part.atom)
        )

    def _cost(self, node: AST) -> AST:
        """An element of the objective as a rule."""
        place = node.location
        rest = Function(place, "", node.terms, 0)
        arguments = [Variable(place, _VARIABLE), node.priority, node.weight, rest]
        return Rule(place, _literal(place, COST, arguments), self._body(node))


def _literal(place: Location, name: str, arguments: Sequence[AST]) -> AST:
    return Literal(place, Sign.NoSign, SymbolicAtom(Function(place, name, arguments, 0)))


@lru_cache(_MEMORY)
def _has_obstacle(node: AST) -> bool:
    """Whether a statement has a theory atom or a reserved name."""
    return any(
        part.name.startswith(PREFIX)
        if part.ast_type in {ASTType.Function, ASTType.Variable}
        else part.ast_type is ASTType.TheoryAtom
        for part in walk(node)
    )
