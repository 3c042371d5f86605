"""Feedback: an answer, with its alignment to a model answer, in; a verdict and words out.

It is an explanation by other rules (``asp/feedback.lp``, ``lp_rules/feedback``): the first sentence
is an answer, the second a model answer. What is told is said to whoever wrote the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import tee
from typing import TYPE_CHECKING

from clingo import Function, String

from ists_asp.explain.explainer import posed, tell, text_of
from ists_asp.explain.shown import Shown, read_shown
from ists_asp.model import Answer
from ists_asp.solver import Solver, SolverOptions
from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.explain.templates import Templates
    from ists_asp.model import Pair
    from ists_asp.rules import RuleSet, RuleWarning
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace import AskedTrace, Tracer

CORRECT, INCOMPLETE, CONTRADICTORY = "correct", "incomplete", "contradictory"
_COLUMNS = {"reworded": "right", "agreed": "", "all_words": "", "unanswered": "", "compare": ""}
"""The columns of kinds of statement that are not called like them; none for those of the text."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one answer is to one model answer.

    ``rule`` is the rule that decided by itself, empty where evidence was weighed. ``sure`` is how
    often in 100 such cases the verdict is right, None where nobody has counted. ``found`` says
    whether the answer has this point of a model answer. ``columns`` has what is told, by column.
    """

    answer: Answer
    verdict: str
    rule: str
    sure: int | None
    found: bool
    text: str
    columns: Mapping[str, tuple[str, ...]]

    @property
    def links(self) -> frozenset[tuple[tuple[int, ...], str]]:
        """What of the model answer is aligned, and how."""
        lines = self.answer.alignments
        return frozenset((one.tokens2, one.label) for one in lines if one.label.aligned)


@dataclass(frozen=True, slots=True)
class _Judged:
    shown: Shown
    verdict: str
    rule: str
    sure: int | None
    found: bool


class Judge:
    """The rules that decide what an answer is to a model answer, and what is said of it.

    Args:
        rules: the parsed rules.
        constants: values of ``#const`` definitions.
        wholes: what a reader says of a pair as a whole, as facts with commas between them.

    Raises:
        RuleError: clingo cannot ground the facts and tables among the rules.
    """

    def __init__(
        self, rules: RuleSet, constants: Mapping[str, str], wholes: Callable[[Pair], str]
    ) -> None:
        self._rules, self._wholes = rules, wholes
        self._options = SolverOptions(constants=dict(constants))
        self.solver: Solver[_Judged] = Solver(rules, self._options, _read)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far."""
        return tuple(dict.fromkeys((*self._rules.warnings, *self.solver.warnings)))

    def judge_all(
        self,
        known: Iterable[tuple[Answer, Sequence[Symbol]]],
        questions: Iterable[Iterable[str]],
        templates: Templates,
    ) -> Iterator[Verdict]:
        """Judge answers, lazily and in their order.

        Args:
            known: answers, each with the facts of its pair, in the answer's chunks.
            questions: for each the words and lemmas of its question.
            templates: the wording.
        """
        given, again = tee(known)
        for solution in self.solver.solve_all(self.facts(given, questions, templates)):
            answer, _ = next(again)
            (found,) = solution.answers
            told = sorted(
                tell(answer, found.shown, templates),
                key=lambda one: (not one.place.sentence, one.place[:2], one.place.rank),
            )
            columns: dict[str, list[str]] = {}
            for one in told:
                columns.setdefault(_COLUMNS.get(one.kind, one.kind), []).append(one.text)
            listed = {name: tuple(texts) for name, texts in columns.items() if name}
            text = text_of(told, templates)
            yield Verdict(answer, found.verdict, found.rule, found.sure, found.found, text, listed)

    def facts(
        self,
        known: Iterable[tuple[Answer, Sequence[Symbol]]],
        questions: Iterable[Iterable[str]],
        templates: Templates,
    ) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """Pairs with all that the rules see: facts of words, of lines and of the question."""
        for (pair, facts), asked in zip(posed(known, templates), questions, strict=False):
            words = [str(Function("asked", [String(word)])) for word in sorted(set(asked))]
            more = filter(None, (*words, self._wholes(pair)))
            yield pair, Atoms.of(facts).with_text(",".join(more))

    def trace(self, pair: Pair, facts: Sequence[Symbol]) -> AskedTrace:
        """Say why: a trace that can be asked about any atom, such as ``verdict(_)``."""
        return self._tracer.trace(pair, facts)

    @cached_property
    def _tracer(self) -> Tracer:
        from ists_asp.trace import Tracer

        return Tracer(self._rules, Solver(self._rules, self._options, _read_bare))


def _read(pair: Pair, atoms: Iterable[Ground], _cost: tuple[int, ...], _optimal: bool) -> _Judged:
    every = list(atoms)
    by_name: dict[str, list[Ground]] = {}
    for atom in every:
        by_name.setdefault(atom.partition("(")[0], []).append(atom)
    (verdict,) = (str(atom.arguments[0]) for atom in by_name["verdict"])
    plain = {
        str(atom.arguments[0]) for atom in by_name.get("plain", ()) if atom.arguments[1] == verdict
    }
    right = {str(a.arguments[0]): a.arguments[1].number for a in by_name.get("right_in", ())}
    rule = min(plain, key=lambda name: (-right.get(name, 0), name), default="")
    point = "point_found" in by_name
    shown = read_shown(pair, pair.lines, every)  # type: ignore[attr-defined]
    if rule:
        return _Judged(shown, verdict, rule, right.get(rule), point)
    weighed = {str(a.arguments[0]): a.arguments[1].number for a in by_name["support"]}
    odds = [math.exp((each - weighed[verdict]) / 100) for each in weighed.values()]
    return _Judged(shown, verdict, rule, round(100 / sum(odds)), point)


def _read_bare(pair: Pair, _atoms: object, cost: tuple[int, ...], optimal: bool) -> Answer:
    return Answer(pair, (), (), (), cost, optimal)
