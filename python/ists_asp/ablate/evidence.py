"""How a pair is answered without each of the rules for evidence, by one grounding.

What can make no difference is not decided again. The objective adds up weights: if leaving
a rule out takes no weight from an alignment of the answer and adds none to any other, the
alignments stay; if the evidence about the aligned pairs stays, so do labels and scores. And as
only sums of weights count, the machine gets one piece of evidence for each sum in place of it all.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from clingo import Function, Number, SymbolType
from clingo.ast import AST, ASTType

from ists_asp.rules import RuleSet
from ists_asp.rules.messages import Messages
from ists_asp.solver import Solver
from ists_asp.solver.program import prepare
from ists_asp.solver.search import CORE_GUIDED, ground
from ists_asp.syntax.changes import declared, guarded
from ists_asp.syntax.changes import switch as switch_of
from ists_asp.syntax.ground import symbols
from ists_asp.syntax.trees import (
    Signature,
    derived,
    derives_atom,
    is_fact,
    predicates,
    signature,
    walk,
)
from ists_asp.vocabulary import ALIGNED, EVIDENCE, LEARNING, TARGETS, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from clingo import Control, Symbol

    from ists_asp.model import Answer, Pair
    from ists_asp.rules import NamedRule
    from ists_asp.solver import SolverOptions

_SWITCH = "__on"
_EVIDENCE = EVIDENCE.signature
_WEIGHT = WEIGHT.signature
_TARGETS = ("pair", "link", "side")
_MACHINE = "asp/"
_CHOICES = (ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a rule set.

    ``features`` are the statements that derive evidence, each rule for evidence about alignments
    and labels with a switch; ``switched`` has the numbers of the switches by the rules' names.
    ``decide`` are the rules that decide by evidence, without the weights; ``given`` the
    predicates that they take from the first part; ``asked`` the names of the functions whose
    weights they ask for, rather than for those of evidence.
    """

    features: tuple[AST, ...]
    switched: Mapping[str, tuple[int, ...]]
    decide: RuleSet
    given: frozenset[Signature]
    asked: frozenset[str]


def switch(number: int) -> Symbol:
    """The atom that a switch is."""
    return switch_of(_SWITCH, number)


def cut(rules: RuleSet) -> Parts:
    """Cut a rule set in two."""
    both = list(zip(rules.statements, rules.rules, strict=True))
    deciding = _deciding(both)
    decide: list[tuple[AST, NamedRule]] = []
    features: list[AST] = []
    switched: dict[str, list[int]] = defaultdict(list)
    number = 0
    for node, rule in both:
        if node.ast_type is not ASTType.Rule:
            if node.ast_type is not ASTType.Program:
                decide.append((node, rule))
            if node.ast_type in (ASTType.Definition, ASTType.Defined):
                features.append(node)
            continue
        heads, used = derived(node.head), _used(node)
        if is_fact(node) and heads == {_WEIGHT}:
            continue
        if heads & deciding or (not heads and used & deciding):
            decide.append((node, rule))
        if heads & deciding and (used & deciding or _WEIGHT in used):
            continue
        if _target(node) in _TARGETS:
            number += 1
            switched[rule.name].append(number)
            features.append(guarded(node, _SWITCH, number))
        elif node.head.ast_type not in _CHOICES and (heads or not used & deciding):
            features.append(node)
    features += declared(_SWITCH, number)
    taken = {key for node, _ in decide for key in _taken(node)}
    return Parts(
        tuple(node for node in features if node.ast_type is not ASTType.Program),
        {name: tuple(numbers) for name, numbers in switched.items()},
        RuleSet(
            rules.files,
            tuple(node for node, _ in decide),
            tuple(rule for _, rule in decide),
            (),
        ),
        frozenset(taken - deciding - {_WEIGHT}),
        frozenset(name for node, _ in decide for name in _arguments([node], _WEIGHT)),
    )


def _deciding(both: Iterable[tuple[AST, NamedRule]]) -> set[Signature]:
    """What is chosen, or weighed by evidence of alignments and labels, and what rests on it."""
    rules = [
        (derived(node.head), _used(node), rule.file.startswith(_MACHINE), node)
        for node, rule in both
        if node.ast_type is ASTType.Rule
    ]
    chosen = {key for heads, *_, node in rules if node.head.ast_type in _CHOICES for key in heads}
    weighed = {
        key
        for heads, used, machine, node in rules
        if machine and _WEIGHT in used and set(_arguments(node.body, _EVIDENCE)) & set(_TARGETS)
        for key in heads
    }
    while True:
        before = len(chosen) + len(weighed)
        for heads, used, machine, _ in rules:
            if used & chosen:
                chosen |= heads
            elif machine and used & weighed:
                weighed |= heads
        if len(chosen) + len(weighed) == before:
            return chosen | weighed


def _used(rule: AST) -> set[Signature]:
    """The predicates in the conditions of a rule, those in its head included."""
    used = {key for part in rule.body for key in predicates(part)}
    if rule.head.ast_type in _CHOICES:
        used |= predicates(rule.head) - derived(rule.head)
    return used


def _taken(node: AST) -> Set[Signature]:
    """The predicates whose atoms a statement needs."""
    if node.ast_type is ASTType.ShowSignature:
        return {Signature(node.name, node.arity)}
    return _used(node) if node.ast_type is ASTType.Rule else predicates(node)


def _target(rule: AST) -> str:
    """What the evidence is about that a rule derives; empty if it derives none."""
    return next(_arguments([rule.head], _EVIDENCE), "") if derives_atom(rule) else ""


def _arguments(nodes: Iterable[AST], predicate: Signature) -> Iterator[str]:
    """The names of the functions that are the first arguments of a predicate's atoms."""
    for part in (part for node in nodes for part in walk(node)):
        if part.ast_type is ASTType.Function and (part.name, len(part.arguments)) == predicate:
            first = part.arguments[0]
            if first.ast_type is ASTType.Function:
                yield first.name


_ALIGN = Function("align")
_SIDE = TARGETS["side"].name
_ABOUT_SPANS = frozenset({TARGETS["pair"].name, TARGETS["link"].name, _SIDE})
_SUM = "sum"

_Spans = tuple["Symbol", ...]
_Found = set[tuple["Symbol", int]]


class Sums:
    """The summed weights of the evidence about a pair of sentences.

    Args:
        atoms: the evidence, and whatever else holds.
        weights: the weights of evidence, by name and decision.
    """

    def __init__(
        self, atoms: Iterable[Symbol], weights: Mapping[Symbol, Mapping[Symbol, int]]
    ) -> None:
        self._weights = weights
        self._others: list[Symbol] = []
        self._known: dict[Symbol, _Found] = defaultdict(set)
        for atom in atoms:
            if is_evidence(atom):
                target, name, value = atom.arguments
                self._known[target].add((name, value.number))
            else:
                self._others.append(atom)
        self._facts = {
            target: list(self._added(target, found)) for target, found in self._known.items()
        }

    def facts(self, gone: Iterable[Symbol] = (), come: Iterable[Symbol] = ()) -> Sequence[Symbol]:
        """What holds, but for atoms that have gone and with those that have come."""
        changed: dict[Symbol, _Found] = {}
        others = dict.fromkeys(self._others)
        for atom in gone:
            if is_evidence(atom):
                target, name, value = atom.arguments
                self._changed(changed, target).discard((name, value.number))
            else:
                others.pop(atom, None)
        for atom in come:
            if is_evidence(atom):
                target, name, value = atom.arguments
                self._changed(changed, target).add((name, value.number))
            else:
                others[atom] = None
        found = list(others)
        for target in dict.fromkeys((*self._facts, *changed)):
            known = changed.get(target)
            found += self._facts[target] if known is None else self._added(target, known)
        return found

    def matters(
        self, gone: Iterable[Symbol], come: Iterable[Symbol], aligned: frozenset[_Spans]
    ) -> bool:
        """Whether another answer may be the best where atoms have gone and come.

        Args:
            gone: the atoms that have gone.
            come: the atoms that have come.
            aligned: the spans that the best answer aligns.
        """
        moved: dict[_Spans, int] = defaultdict(int)
        for sign, atoms in ((-1, gone), (1, come)):
            for atom in atoms:
                if not is_evidence(atom):
                    return True
                target, name, value = atom.arguments
                weights = self._weights.get(name, {})
                spans = tuple(target.arguments[-2:])
                if spans in aligned and weights.keys() - {_ALIGN}:
                    return True
                if target.name == TARGETS["pair"].name:
                    moved[spans] += sign * weights.get(_ALIGN, 0) * value.number
        return any(by < 0 if spans in aligned else by > 0 for spans, by in moved.items())

    def _changed(self, changed: dict[Symbol, _Found], target: Symbol) -> _Found:
        """The evidence about a target, to be changed."""
        if target not in changed:
            changed[target] = set(self._known.get(target, ()))
        return changed[target]

    def _added(self, target: Symbol, found: _Found) -> Iterator[Symbol]:
        """The sums of the weights of the evidence about a target, as evidence of their own."""
        sums: dict[Symbol, int] = defaultdict(int)
        for name, value in found:
            for decision, weight in self._weights.get(name, {}).items():
                sums[decision] += weight * value
        for decision, weight in sums.items():
            name = Function(_SUM, [decision, Number(weight)])
            yield EVIDENCE(target, name, Number(1))
            yield WEIGHT(name, decision, Number(weight))


def is_evidence(atom: Symbol) -> bool:
    """Whether an atom is evidence for a decision about spans."""
    return (atom.name, len(atom.arguments)) == EVIDENCE.signature and (
        atom.arguments[0].name in _ABOUT_SPANS
    )


@dataclass(frozen=True, slots=True)
class _Grounded:
    """A pair ground once: what holds whatever is switched off, and what depends on it."""

    control: Control
    fixed: tuple[Symbol, ...]
    open: Mapping[Symbol, int]

    def holding(self) -> frozenset[Symbol]:
        """The atoms that hold with the switches as they are."""
        found: frozenset[Symbol] = frozenset()
        with self.control.solve(yield_=True) as search:
            for model in search:
                found = frozenset(
                    symbol for symbol, literal in self.open.items() if model.is_true(literal)
                )
        return found


class EvidenceAblation:
    """A rule set whose rules for evidence can be left out one by one.

    Args:
        rules: the rules.
        options: how to solve.
        arguments: clingo's command line arguments.
        weights: the facts ``weight(Name,Decision,Integer)`` among the rules.
    """

    def __init__(
        self,
        rules: RuleSet,
        options: SolverOptions,
        arguments: Sequence[str],
        weights: Iterable[Symbol],
    ) -> None:
        self.parts: Parts = cut(rules)
        self._arguments = (CORE_GUIDED, *arguments)
        self._messages = Messages(rules.names)
        external = self.parts.features[-1:]
        statements = self.parts.features[:-1]
        self._external = external
        self._program = prepare(statements, arguments, self._messages)
        self._plain = prepare(statements, arguments, self._messages, tables=False)
        self._solver: Solver[Answer] = Solver(self.parts.decide, options)
        self._weights: dict[Symbol, dict[Symbol, int]] = defaultdict(dict)
        self._asked: list[Symbol] = []
        for fact in weights:
            name, decision, value = fact.arguments
            if name.type is SymbolType.Function and name.name in self.parts.asked:
                self._asked.append(fact)
            if value.type is SymbolType.Number:
                self._weights[name][decision] = value.number

    @property
    def names(self) -> tuple[str, ...]:
        """The rules that can be left out."""
        return tuple(self.parts.switched)

    def answers(
        self, pair: Pair, facts: Sequence[Symbol], answer: Answer, wanted: Iterable[str]
    ) -> Iterator[tuple[str, Answer]] | None:
        """Answer a pair without each of some rules.

        Args:
            pair: the pair, its chunks given.
            facts: its facts.
            answer: the answer with all rules.
            wanted: the names of the rules.

        Returns:
            The rules without which the answer may be another one, with that; None if the parts
            do not give the pair's answer, so that nothing can be said by them.
        """
        grounded = self._ground(facts)
        full = grounded.holding()
        sums = Sums(chain(self._asked, grounded.fixed, full), self._weights)
        mine = self._solver.best(pair, sums.facts())
        if mine.answer.alignments != answer.alignments:
            return None
        aligned = frozenset(
            tuple(atom.arguments) for atom in symbols(mine.shown) if atom.name == ALIGNED.name
        )
        return self._answers(pair, grounded, full, sums, aligned, wanted)

    def _answers(
        self,
        pair: Pair,
        grounded: _Grounded,
        full: frozenset[Symbol],
        sums: Sums,
        aligned: frozenset[tuple[Symbol, ...]],
        wanted: Iterable[str],
    ) -> Iterator[tuple[str, Answer]]:
        control = grounded.control
        found: list[tuple[str, frozenset[Symbol]]] = []
        for name in wanted:
            switches = [switch(number) for number in self.parts.switched[name]]
            for one in switches:
                control.assign_external(one, False)
            left = grounded.holding()
            for one in switches:
                control.assign_external(one, True)
            if left != full and sums.matters(full - left, left - full, aligned):
                found.append((name, left))
        items = [(pair, sums.facts(full - left, left - full)) for _, left in found]
        for (name, _), solution in zip(found, self._solver.solve_all(items), strict=True):
            yield name, solution.answers[0]

    def _ground(self, facts: Sequence[Symbol]) -> _Grounded:
        program = self._program
        if program.derived and any(signature(fact) in program.tables for fact in facts):
            program = self._plain
        control = ground(
            (*program.statements, *self._external),
            (*facts, LEARNING()),
            self._arguments,
            self._messages,
            given=program.given,
        )
        fixed: list[Symbol] = []
        open_: dict[Symbol, int] = {}
        given = self.parts.given
        for atom in control.symbolic_atoms:
            if atom.is_external:
                control.assign_external(atom.symbol, True)
            elif signature(atom.symbol) in given:
                if atom.is_fact:
                    fixed.append(atom.symbol)
                else:
                    open_[atom.symbol] = atom.literal
        return _Grounded(control, tuple(fixed), open_)
