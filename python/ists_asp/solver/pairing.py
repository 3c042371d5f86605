"""Rules for one pair rewritten to rules for several pairs at a time.

Each predicate that depends on the pair gets the pair's number as its first argument and a
new name, ``__name``. What ``#minimize`` and ``#maximize`` count becomes ``____cost/4``:
number of the pair, priority, weight and the rest of the tuple as one term. Whoever writes
rules sees none of this, and names that begin with ``__`` are left to it.
"""

from __future__ import annotations

from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

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

from ists_asp.solver.program import OBJECTIVE_PRIORITY, settle, settled_text
from ists_asp.syntax.trees import Signature, predicates, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from clingo.ast import Location

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.program import Program
    from ists_asp.solver.statements import Shapes

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
_NAMING = _KINDS - {ASTType.Defined}


_MEMORY = 1 << 14

_rewritten: dict[int, tuple[AST, frozenset[Signature], AST]] = {}
"""Statements, those of their predicates that are tables, and what became of them, by identity.

Most statements are those that were shipped, whose syntax trees live as long as the process.
"""


class Paired:
    """A program for several pairs.

    Args:
        statements: its statements, as trees or as text.
        settled: those where only answers are wanted; see :mod:`ists_asp.solver.program`.
        names: the names of its predicates.
        weighed: whether it has an objective.
    """

    def __init__(
        self,
        statements: Sequence[AST] | str,
        settled: Sequence[AST] | str,
        names: Iterable[str],
        *,
        weighed: bool,
    ) -> None:
        self._given = statements, settled
        self.names = frozenset(names)
        self.weighed = weighed

    @property
    def kept(self) -> dict[str, object] | None:
        """The arguments that make the same, as whatever JSON can write; None if they are trees."""
        statements, settled = self._given
        if not (isinstance(statements, str) and isinstance(settled, str)):
            return None
        return {
            "statements": statements,
            "settled": settled,
            "names": sorted(self.names),
            "weighed": self.weighed,
        }

    @cached_property
    def statements(self) -> tuple[AST, ...]:
        """Its statements, with choices of labels and scores."""
        return _parsed(self._given[0])

    @cached_property
    def settled(self) -> tuple[AST, ...]:
        """Its statements, without choices where they can do without."""
        given, settled = self._given
        return self.statements if settled == given else _parsed(settled)


def paired(
    rules: RuleSet, program: Program, arguments: Sequence[str], shapes: Shapes
) -> Paired | None:
    """Rewrite the rules for a pair to rules for numbered pairs.

    Args:
        rules: the rule set, which may remember what became of its statements.
        program: what was made of it for one pair; its tables stay as they are.
        arguments: clingo's command line arguments, which were taken into account.
        shapes: what is known of the statements.

    Returns:
        None if the rules hold anything that cannot be rewritten with certainty, use a reserved
        name, or show nothing. Where several answer sets are the best, another one might be
        found than for a pair alone: whoever solves the statements must see to that.
    """
    remembered = rules.remembered
    key = remembered.key("pairs", [list(arguments), settled_text()])
    kept = remembered.get(key)
    if kept is not None:
        return Paired(**kept)
    found = _paired(rules, program, shapes)
    if found is not None and remembered.store is not None and found.kept is not None:
        remembered.put(key, found.kept)
    return found


def _paired(rules: RuleSet, program: Program, shapes: Shapes) -> Paired | None:
    if program.calls or any(name.name.startswith(PREFIX) for name in program.by_predicate):
        return None
    every = pair_up(program.statements, program.tables, shapes)
    if every is None:
        return None
    without = settle(rules, program, shapes)
    fewer = pair_up(without, program.tables, shapes, settled=True) if without else None
    shapes.keep()
    known = [shapes.of(node) for node in program.statements]
    named = {name for shape in known if shape.kind in _NAMING for name in shape.predicates}
    return Paired(
        every,
        fewer or every,
        {f"{'' if name in program.tables else PREFIX}{name.name}" for name in named},
        weighed=any(shape.kind is ASTType.Minimize for shape in known),
    )


def pair_up(
    statements: Sequence[AST],
    tables: Set[Signature],
    shapes: Shapes,
    *,
    settled: bool = False,
) -> Sequence[AST] | str | None:
    """Rewrite statements, to trees, or to text where that can be kept; see :func:`paired`.

    Args:
        statements: the statements.
        tables: the predicates that do not depend on the pair.
        shapes: what is known of the statements.
        settled: whether those of ``asp/settled.lp`` are among them.
    """
    known = [shapes.of(node) for node in statements]
    kinds = {shape.kind for shape in known}
    if ASTType.ShowSignature not in kinds or not kinds <= _KINDS:
        return None
    if any(shapes.recall(node, "obstacle", partial(_has_obstacle, node)) for node in statements):
        return None
    pairing = Pairing(tables)
    more = [_OBJECTIVE] if ASTType.Minimize in kinds else []
    if settled:
        more.append(_PRIORITIES)
    if shapes.remembers:
        texts = []
        for node, shape in zip(statements, known, strict=True):
            its = sorted(map(list, shape.predicates & tables))
            text = shapes.recall(node, "paired", partial(_text, pairing, node), its)
            if not text:
                break
            texts.append(text)
        else:
            return "\n".join([*texts, *more])
    rewritten = [part for node in statements for part in pairing.both(node)]
    return (*rewritten, *_parsed("\n".join(more)))


def _text(pairing: Pairing, node: AST) -> str:
    """A rewritten statement as text; empty if clingo would read it otherwise."""
    rewritten = pairing.both(node)
    text = "\n".join(map(str, rewritten))
    return text if _parsed(text) == rewritten else ""


def _parsed(given: Sequence[AST] | str) -> tuple[AST, ...]:
    """Statements given as trees or as text."""
    nodes: list[AST] = []
    if isinstance(given, str):
        parse_string(given, nodes.append)
    else:
        nodes.extend(given)
    return tuple(node for node in nodes if node.ast_type is not ASTType.Program)


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

    def both(self, node: AST) -> tuple[AST, ...]:
        """A statement rewritten; if it shows a predicate, with one that projects to it.

        Only what is shown makes answer sets different.
        """
        found = self.statement(node)
        if found.ast_type is not ASTType.ShowSignature or not found.name:
            return (found,)
        projected = ProjectSignature(found.location, found.name, found.arity, found.positive)
        return found, projected

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
