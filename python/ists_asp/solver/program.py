"""A rule set cut into tables, which are the same for all pairs, and the rules for a pair.

A predicate is a table if it has definitions and all of them are facts, or rules over
tables only: word lists, weights, what follows from them. Tables are evaluated once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType

from ists_asp.solver.search import ground
from ists_asp.syntax.ground import symbols, written
from ists_asp.syntax.signatures import (
    Signature,
    derived,
    derives_atom,
    is_fact,
    predicates,
    signature,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clingo import Symbol

    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.messages import Messages

__all__ = ["Program", "prepare", "prepared"]

_PLAIN = frozenset(
    {
        ASTType.Defined,
        ASTType.Definition,
        ASTType.Minimize,
        ASTType.Rule,
        ASTType.ShowSignature,
        ASTType.ShowTerm,
    }
)


_EVERYWHERE = frozenset({ASTType.Definition, ASTType.Script})
"""What all statements may refer to."""


@dataclass(frozen=True, slots=True)
class Program:
    """A rule set made ready to be grounded with the facts of one pair.

    Args:
        statements: what is grounded for each pair; no facts.
        facts: atoms that hold for each pair, tables and others.
        tables: the predicates that are tables.
        derived: whether some table has rules, so that more facts of a table could have
            consequences that ``facts`` lacks.
    """

    statements: tuple[AST, ...]
    facts: tuple[Symbol, ...]
    tables: frozenset[Signature]
    derived: bool

    @property
    def table_facts(self) -> tuple[Symbol, ...]:
        """The facts that are entries of tables."""
        return tuple(fact for fact in self.facts if signature(fact) in self.tables)

    @property
    def other_facts(self) -> tuple[Symbol, ...]:
        """The facts of predicates that depend on the pair as well."""
        return tuple(fact for fact in self.facts if signature(fact) not in self.tables)


def prepared(
    rules: RuleSet, arguments: Sequence[str], messages: Messages, *, tables: bool = True
) -> Program:
    """As :func:`prepare`, of a rule set that may remember what came of it.

    Where clingo has warned of something, nothing is kept.
    """
    remembered = rules.remembered

    def work() -> Program:
        return prepare(rules.statements, arguments, messages, tables=tables)

    if remembered.store is None:
        return work()

    def kept() -> dict[str, object]:
        program = work()
        open_ = {id(node) for node in program.statements}
        return {
            "statements": [
                place for place, node in enumerate(rules.statements) if id(node) in open_
            ],
            "facts": written(program.facts),
            "tables": sorted(map(list, program.tables)),
            "derived": program.derived,
        }

    known = messages.warnings
    found = remembered.recall(
        "program", [list(arguments), tables], kept, lambda: messages.warnings == known
    )
    return Program(
        tuple(rules.statements[place] for place in found["statements"]),
        tuple(symbols(found["facts"])),
        frozenset(Signature(*name) for name in found["tables"]),
        found["derived"],
    )


def prepare(
    statements: Sequence[AST], arguments: Sequence[str], messages: Messages, *, tables: bool = True
) -> Program:
    """Find the tables of a rule set and evaluate them.

    Args:
        statements: the syntax trees of the rule set.
        arguments: clingo's command line arguments.
        messages: gets what clingo warns about.
        tables: whether to look for tables; otherwise only facts are evaluated. Statements
            that make a predicate known in other ways, such as ``#external``, prevent it, too.

    Raises:
        RuleError: clingo cannot ground the tables.
    """
    kept = [node for node in statements if not _is_base(node)]
    found: set[Signature] = set()
    if tables and all(node.ast_type in _PLAIN for node in kept):
        found = _tables(kept)
    while True:
        once = [node for node in kept if is_fact(node) or _defines_table(node, found)]
        definitions = [node for node in kept if node.ast_type in _EVERYWHERE]
        control = ground([*definitions, *once], (), arguments, messages)
        atoms = list(control.symbolic_atoms)
        open_ = {signature(atom.symbol) for atom in atoms if not atom.is_fact} & found
        if not open_:
            break
        # Tables that call one another through negation are for the solver to decide.
        found = _closed(kept, found - open_)
    evaluated = {id(node) for node in once}
    return Program(
        tuple(node for node in kept if id(node) not in evaluated),
        tuple(atom.symbol for atom in atoms),
        frozenset(found),
        any(not is_fact(node) for node in once),
    )


def _tables(statements: Iterable[AST]) -> set[Signature]:
    """All predicates that facts, or rules over other such predicates, define."""
    rules = [node for node in statements if node.ast_type is ASTType.Rule]
    defined: set[Signature] = set()
    chosen: set[Signature] = set()
    for node in rules:
        # What a choice derives is among the atoms of its head, as are the conditions for it.
        (defined if derives_atom(node) else chosen).update(derived(node.head))
    return _closed(rules, defined - chosen)


def _closed(statements: Iterable[AST], found: set[Signature]) -> set[Signature]:
    """The largest subset whose rules use no predicates outside it."""
    rules = [
        (predicates(node.head), {name for part in node.body for name in predicates(part)})
        for node in statements
        if derives_atom(node) and not is_fact(node)
    ]
    found = set(found)
    while True:
        lost = {name for heads, body in rules if not body <= found for name in heads} & found
        if not lost:
            return found
        found -= lost


def _defines_table(node: AST, tables: set[Signature]) -> bool:
    return derives_atom(node) and predicates(node.head) <= tables


def _is_base(node: AST) -> bool:
    return node.ast_type is ASTType.Program and node.name == "base" and not node.parameters
