"""A rule set cut into tables, which are the same for all pairs, and the rules for a pair.

A predicate is a table if it has definitions and all of them are facts, or rules over
tables only: word lists, weights, what follows from them. Tables are evaluated once.

An aligned pair has the label that weighs most, and the score nearest to what it is worth with
that label. ``asp/label.lp`` and ``asp/score.lp`` say so by choices and an objective, which is
what a trace explains and what rules of a user may restrain. Where no such rule speaks of labels
or scores, ``asp/settled.lp`` finds the same while grounding, and takes the place of the choices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType

from ists_asp import vocabulary as v
from ists_asp.errors import RuleError
from ists_asp.resources import asp_dir
from ists_asp.solver.search import ground
from ists_asp.solver.statements import Given, Shape, Shapes, of_core
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.trees import Signature, derived, parse, signature

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.parsing import Messages

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


@dataclass(frozen=True)
class Program:
    """A rule set made ready: what is grounded for each pair, no facts, and what holds for each.

    ``by_predicate`` has the atoms that hold, of tables and others. Some table has rules where
    ``derived``, so that more facts of a table could have consequences that ``facts`` lacks. Some
    statement ``calls`` a function, such as ``@f(X)``: none is there, and clingo must not look for
    it among the methods of :class:`Given`.
    """

    statements: tuple[AST, ...]
    by_predicate: Mapping[Signature, Sequence[Symbol]]
    tables: frozenset[Signature]
    derived: bool
    calls: bool

    @cached_property
    def facts(self) -> tuple[Symbol, ...]:
        """Atoms that hold for each pair, predicate by predicate."""
        return tuple(chain.from_iterable(self.by_predicate.values()))

    @cached_property
    def given(self) -> Given:
        """The same, on their way to a control object."""
        return Given({} if self.calls else self.by_predicate, self.facts if self.calls else ())


def prepared(
    rules: RuleSet,
    arguments: Sequence[str],
    messages: Messages,
    shapes: Shapes,
    *,
    tables: bool = True,
) -> Program:
    """As :func:`prepare`, of a rule set that may remember what came of it.

    Where clingo has warned of something, nothing is kept.
    """

    def work() -> dict[str, object]:
        program = prepare(rules.statements, arguments, messages, shapes, tables=tables)
        _refuse_two_weights(program, rules)
        shapes.keep()
        open_ = {id(node) for node in program.statements}
        return {
            "places": [place for place, node in enumerate(rules.statements) if id(node) in open_],
            "facts": [
                [*name, Atoms.of(atoms).text] for name, atoms in program.by_predicate.items()
            ],
            "tables": sorted(map(list, program.tables)),
            "derived": program.derived,
            "calls": program.calls,
        }

    known = messages.warnings
    found = rules.remembered.recall(
        "program", [list(arguments), tables], work, lambda: messages.warnings == known
    )
    return Program(
        tuple(rules.statements[place] for place in found["places"]),
        {Signature(*name): Atoms(text) for *name, text in found["facts"]},
        frozenset(Signature(*name) for name in found["tables"]),
        found["derived"],
        found["calls"],
    )


def _refuse_two_weights(program: Program, rules: RuleSet) -> None:
    """Refuse two weights for one name and class, however rules come by them: both would count."""
    for predicate in v.WEIGHTS:
        seen: dict[str, Symbol] = {}
        for symbol in program.by_predicate.get(predicate.signature, ()):
            name, decision, value = symbol.arguments
            about = f"{predicate.name}({name},{decision},"
            if seen.setdefault(about, value) != value:
                # Those of the user come last.
                one = [one for one in rules.rules if one.text.startswith(f"{predicate.name}(")][-1]
                raise RuleError(
                    f"{about}…) is given as {seen[about]} and as {value}",
                    where=f"{one.file}:{one.line}",
                    hint=f"Give one; {v.CORRECTION.name}({name},{decision},N) adds N to a weight",
                )


def prepare(
    statements: Sequence[AST],
    arguments: Sequence[str],
    messages: Messages,
    shapes: Shapes,
    *,
    tables: bool = True,
) -> Program:
    """Find the tables of a rule set and evaluate them; without ``tables`` only its facts.

    Statements that make a predicate known in other ways, such as ``#external``, prevent it, too.
    """
    every = [(node, shapes.of(node)) for node in statements]
    base = "#program base."
    kept = [one for one in every if one[1].kind is not ASTType.Program or str(one[0]) != base]
    found: set[Signature] = set()
    if tables and all(shape.kind in _PLAIN for _, shape in kept):
        found = _tables(shape for _, shape in kept)
    definitions = [node for node, shape in kept if shape.kind in _EVERYWHERE]
    while True:
        once = [
            (node, one) for node, one in kept if one.fact or (one.derives and one.head <= found)
        ]
        control = ground([*definitions, *(node for node, _ in once)], (), arguments, messages)
        symbols = ((atom.symbol, atom.is_fact) for atom in control.symbolic_atoms)
        atoms = [(signature(symbol), symbol, fact) for symbol, fact in symbols]
        open_ = {name for name, _, fact in atoms if not fact} & found
        if not open_:
            break
        # Tables that call one another through negation are for the solver to decide.
        found = _closed((shape for _, shape in kept), found - open_)
    evaluated = {id(node) for node, _ in once}
    by_predicate: dict[Signature, list[Symbol]] = {}
    for name, symbol, _ in atoms:
        by_predicate.setdefault(name, []).append(symbol)
    return Program(
        tuple(node for node, _ in kept if id(node) not in evaluated),
        by_predicate,
        frozenset(found),
        any(not shape.fact for _, shape in once),
        any(shape.calls for _, shape in every),
    )


def _tables(statements: Iterable[Shape]) -> set[Signature]:
    """All predicates that facts, or rules over other such predicates, define."""
    rules = [shape for shape in statements if shape.kind is ASTType.Rule]
    defined: set[Signature] = set()
    chosen: set[Signature] = set()
    for shape in rules:
        # What a choice derives is among the atoms of its head, as are the conditions for it.
        (defined if shape.derives else chosen).update(shape.derived)
    return _closed(rules, defined - chosen)


def _closed(statements: Iterable[Shape], found: set[Signature]) -> set[Signature]:
    """The largest subset whose rules use no predicates outside it."""
    rules = [(one.head, one.body) for one in statements if one.derives and not one.fact]
    found = set(found)
    while True:
        lost = {name for heads, body in rules if not body <= found for name in heads} & found
        if not lost:
            return found
        found -= lost


OBJECTIVE_PRIORITY = "_objective_priority"
"""``_objective_priority(N)``: the objective has a value for this priority."""

_FILE = "settled.lp"
_REPLACED = {
    *("one_label", "one_label_unproposed", "closeness", "one_score"),
    *("distance_of_score", "score_weight", "nearest_score"),
}
"""The rules of the core encoding that say the same by choices."""

_RESTRAINED = frozenset(
    one.signature for one in (v.LABEL, v.SCORE, v.CLOSENESS, v.SCORE_WEIGHT, v.FORBIDDEN_SCORE)
)
"""What no other rule may speak of."""


def settled_text() -> str:
    """The rules that take the place of the choices."""
    return (asp_dir() / _FILE).read_text("utf-8")


def settle(rules: RuleSet, program: Program, shapes: Shapes) -> tuple[AST, ...] | None:
    """The statements with settled labels and scores; None if some rule may restrain them."""
    own = parse(settled_text())
    # Somebody may have given a predicate of their own the name of a private one of this file.
    heads = (derived(node.head) for node in own if node.ast_type is ASTType.Rule)
    restrained = _RESTRAINED.union(key for keys in heads for key in keys if key.name[0] == "_")
    core = of_core(rules)
    named = {
        id(node): (rule.name, ours)
        for node, rule, ours in zip(rules.statements, rules.rules, core, strict=True)
    }
    kept: list[AST] = []
    gone: set[str] = set()
    for node in program.statements:
        name, ours = named[id(node)]
        if ours and name in _REPLACED:
            gone.add(name)
        elif ours or not _restrains(shapes.of(node), restrained):
            kept.append(node)
        else:
            return None
    given = program.by_predicate.keys()
    if gone != _REPLACED or not given.isdisjoint({*restrained, v.ALIGNED.signature}):
        return None
    skipped = (ASTType.Comment, ASTType.Program)
    return tuple(node for node in (*kept, *own) if node.ast_type not in skipped)


def _restrains(shape: Shape, restrained: Collection[Signature]) -> bool:
    """Whether a statement speaks of labels or scores, or derives alignments."""
    if shape.kind in (ASTType.Defined, ASTType.Definition, ASTType.ShowSignature):
        return False
    return not shape.predicates.isdisjoint(restrained) or v.ALIGNED.signature in shape.derived
