"""A rule set cut into tables, which are the same for all pairs, and the rules for a pair.

A predicate is a table if it has definitions and all of them are facts, or rules over
tables only: word lists, weights, what follows from them. Tables are evaluated once.

An aligned pair has the label that weighs most, and the score nearest to what it is worth with
that label. ``asp/label.lp`` and ``asp/score.lp`` say so by choices and an objective, which is
what a trace explains and what rules of a user may restrain. Where no such rule speaks of labels
or scores, ``asp/settled.lp`` finds the same while grounding, and takes the place of the choices.

For several pairs at a time the rules for a pair are rewritten: each predicate that depends on the
pair gets the pair's number as its first argument and a new name, ``__name``. What ``#minimize`` and
``#maximize`` count becomes ``____cost/4``: number of the pair, priority, weight and the rest of the
tuple as one term. Whoever writes rules sees none of this, and names that begin with ``__`` are left
to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType, Function, ProjectSignature, Rule, Sign, Transformer, Variable
from msgspec import convert, to_builtins

from ists_asp import vocabulary as v
from ists_asp.errors import RuleError
from ists_asp.resources import Later, asp_dir
from ists_asp.solver.search import ground
from ists_asp.solver.statements import Given, Shape, Shapes, of_core
from ists_asp.syntax import trees
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.trees import PREFIX, Signature, atom, is_atom, parse, predicates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set

    from clingo import Symbol

    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.parsing import Messages

_NAMING = {ASTType.Definition, ASTType.Minimize, ASTType.Rule, ASTType.ShowSignature}
_KINDS = {*_NAMING, ASTType.Defined}
_PLAIN = {*_KINDS, ASTType.ShowTerm}


_EVERYWHERE = frozenset({ASTType.Defined, ASTType.Definition, ASTType.Script})
"""What all statements may refer to, or clingo is to take for known."""


@dataclass(frozen=True)
class Program:
    """A rule set made ready: what is grounded for each pair, no facts, and what holds for each.

    ``by_predicate`` has the atoms that hold, of tables and others. Some table has rules where
    ``derived``, so that more facts of a table could have consequences that ``facts`` lacks. Some
    statement ``calls`` a function, such as ``@f(X)``: none is there, and clingo must not look for
    it among the methods of :class:`Given`.
    """

    statements: Sequence[AST]
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
        Later(lambda: (rules.statements[place] for place in found["places"])),
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
        by_predicate: dict[Signature, list[Symbol]] = {}
        open_ = set()
        for name, arity, positive in control.symbolic_atoms.signatures:
            key = Signature(name, arity)
            for one in control.symbolic_atoms.by_signature(name, arity, positive):
                by_predicate.setdefault(key, []).append(one.symbol)
                if key in found and not one.is_fact:
                    open_.add(key)
        if not open_:
            break
        # Tables that call one another through negation are for the solver to decide.
        found = _closed((shape for _, shape in kept), found - open_)
    evaluated = {id(node) for node, _ in once}
    return Program(
        tuple(node for node, _ in kept if id(node) not in evaluated),
        by_predicate,
        frozenset(found),
        any(not shape.fact for _, shape in once),
        any(shape.calls for _, shape in every),
    )


def _tables(statements: Iterable[Shape]) -> set[Signature]:
    """All predicates that facts, or rules over other such predicates, define.

    Where there are weights, corrections are a table as well, even an empty one: no facts of a pair
    give any.
    """
    rules = [shape for shape in statements if shape.kind is ASTType.Rule]
    defined: set[Signature] = set()
    chosen: set[Signature] = set()
    for shape in rules:
        # What a choice derives is among the atoms of its head, as are the conditions for it.
        (defined if shape.derives else chosen).update(shape.derived)
    if v.WEIGHT.signature in defined:
        defined.add(v.CORRECTION.signature)
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
    heads = (trees.derived(node.head) for node in own if node.ast_type is ASTType.Rule)
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


@dataclass(frozen=True)
class Paired:
    """A program for several pairs, and the names of its predicates.

    ``settled_text`` is for where only answers are wanted; see :func:`settle`.
    """

    text: str
    settled_text: str
    names: frozenset[str]

    @cached_property
    def statements(self) -> list[AST]:
        """Its statements, with choices of labels and scores."""
        return parse(self.text)

    @cached_property
    def settled(self) -> list[AST]:
        """Its statements, without choices where they can do without."""
        return self.statements if self.settled_text == self.text else parse(self.settled_text)


def paired(
    rules: RuleSet, program: Program, arguments: Sequence[str], shapes: Shapes
) -> Paired | None:
    """Rewrite the rules for a pair to rules for numbered pairs; tables stay as they are.

    None if the rules hold anything that cannot be rewritten with certainty, use a reserved
    name, or show nothing. Where several answer sets are the best, another one might be
    found than for a pair alone: whoever solves the statements must see to that.
    """
    about = [list(arguments), settled_text()]
    kept = rules.remembered.recall(
        "pairs", about, lambda: to_builtins(_paired(rules, program, shapes))
    )
    return convert(kept, Paired | None)


def _paired(rules: RuleSet, program: Program, shapes: Shapes) -> Paired | None:
    if program.calls or any(name.name.startswith(PREFIX) for name in program.by_predicate):
        return None
    text = _pair_up(program.statements, program.tables, shapes)
    if text is None:
        return None
    without = settle(rules, program, shapes)
    fewer = without and _pair_up(without, program.tables, shapes)
    shapes.keep()
    known = [shapes.of(node) for node in program.statements]
    named = {name for shape in known if shape.kind in _NAMING for name in shape.predicates}
    return Paired(
        text,
        f"{fewer}\n{_PRIORITIES}" if fewer else text,
        frozenset(f"{'' if name in program.tables else PREFIX}{name.name}" for name in named),
    )


def _pair_up(statements: Sequence[AST], tables: frozenset[Signature], shapes: Shapes) -> str | None:
    known = [shapes.of(node) for node in statements]
    kinds = {shape.kind for shape in known}
    if ASTType.ShowSignature not in kinds or not kinds <= _KINDS:
        return None
    found = []
    for node, shape in zip(statements, known, strict=True):
        its = shape.predicates & tables
        text = shapes.recall(node, "paired", partial(_text, node, its), sorted(map(list, its)))
        if not text:
            return None
        found.append(text)
    return "\n".join([*found, _OBJECTIVE] if ASTType.Minimize in kinds else found)


@trees.remembered_by_identity
def _text(node: AST, tables: frozenset[Signature]) -> str:
    """A rewritten statement; empty if it has a theory atom or a reserved name.

    Nor is it certain what it says where clingo reads another one than it has written.
    """
    if any(
        part.name.startswith(PREFIX)
        if part.ast_type in {ASTType.Function, ASTType.Variable}
        else part.ast_type is ASTType.TheoryAtom
        for part in trees.walk(node)
    ):
        return ""
    rewritten = Pairing(tables).both(node)
    text = "\n".join(map(str, rewritten))
    return text if parse(text) == rewritten else ""


class Pairing(Transformer):
    """Adds the number of the pair to all atoms but those of tables, which do not depend on it."""

    def __init__(self, tables: Set[Signature]) -> None:
        self._tables = tables

    def statement(self, node: AST) -> AST:
        """Rewrite a statement of one of the known kinds."""
        if node.ast_type is ASTType.Minimize:
            return self._cost(node)
        if node.ast_type is ASTType.Rule:
            if predicates(node) <= self._tables:
                return node
            return node.update(head=self.visit(node.head), body=self._body(node))
        if node.ast_type is ASTType.Definition or not node.name:
            return node
        if Signature(node.name, node.arity) in self._tables:
            return node
        return node.update(name=PREFIX + node.name, arity=node.arity + 1)

    def both(self, node: AST) -> list[AST]:
        """A statement rewritten; if it shows a predicate, with one that projects to it.

        Only what is shown makes answer sets different.
        """
        found = self.statement(node)
        if found.ast_type is not ASTType.ShowSignature or not found.name:
            return [found]
        projected = ProjectSignature(found.location, found.name, found.arity, found.positive)
        return [found, projected]

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
        if not any(
            is_atom(part, Sign.NoSign) and self._tables.isdisjoint(predicates(part.atom))
            for part in node.body
        ):
            body.append(atom(node.location, PAIR, [Variable(node.location, _VARIABLE)]))
        return body

    def _cost(self, node: AST) -> AST:
        """An element of the objective as a rule."""
        place = node.location
        rest = Function(place, "", node.terms, 0)
        arguments = [Variable(place, _VARIABLE), node.priority, node.weight, rest]
        return Rule(place, atom(place, COST, arguments), self._body(node))
