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

from clingo import SymbolType

from ists_asp.ablate.parts import Parts, cut, switch
from ists_asp.ablate.sums import Sums
from ists_asp.rules.messages import Messages
from ists_asp.solver import Solver
from ists_asp.solver.program import prepare
from ists_asp.solver.search import CORE_GUIDED, ground
from ists_asp.syntax.ground import symbols
from ists_asp.syntax.trees import signature
from ists_asp.vocabulary import ALIGNED, LEARNING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clingo import Control, Symbol

    from ists_asp.model import Answer, Pair
    from ists_asp.rules import RuleSet
    from ists_asp.solver import SolverOptions


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
