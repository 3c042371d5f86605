"""Feedback: an answer, with its alignment to a model answer, in; a verdict and words out.

It is an explanation by other rules (``asp/feedback.lp``, ``lp_rules/feedback``): the first sentence
is an answer, the second a model answer. What is told is said to whoever wrote the answer.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import count, tee
from typing import TYPE_CHECKING, NamedTuple

from clingo import String, Symbol

from ists_asp.errors import AnswerError
from ists_asp.explain.explainer import Answered, posed, tell, text_of
from ists_asp.explain.shown import Shown, read_shown
from ists_asp.model import Answer, Pair, Sentence, Token
from ists_asp.solver import Solver, SolverOptions
from ists_asp.syntax.ground import Atoms, Ground
from ists_asp.vocabulary import ASKED, PLAIN, POINT, POINTS_FOUND, RIGHT_IN, SUPPORT, VERDICT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ists_asp.explain.templates import Templates
    from ists_asp.rules import RuleSet, RuleWarning
    from ists_asp.solver.batch import Item
    from ists_asp.trace import Tracer

QUOTED = ("right", "missing", "contradicts", "extra")
"""The columns of what is quoted, and below the kinds of statement that are not called like them."""
_COLUMNS = {"reworded": "right", "point_contradicts": "contradicts"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one answer is to one model answer, or to one point of it.

    ``rule`` is the rule that decided by itself, empty where evidence was weighed. ``sure`` is how
    often in 100 such cases the verdict is right, None where nobody has counted. ``found`` is how
    many points of the model answer it has. ``columns`` has what is told, by column.
    """

    answer: Answer
    text: str
    columns: Mapping[str, tuple[str, ...]]
    verdict: str
    rule: str
    sure: int | None
    found: int

    @property
    def links(self) -> frozenset[object]:
        """What of the model answer is aligned, and how."""
        lines = self.answer.alignments
        return frozenset((one.tokens2, one.label) for one in lines if one.label.aligned)


class _Judged(NamedTuple):
    """What is shown, and the last fields of a verdict."""

    shown: Shown
    judged: tuple[str, str, int | None, int]


class Judge:
    """The rules that decide what an answer is to a model answer, and what is said of it.

    ``wholes`` gives what a reader says of a pair as a whole, as facts with commas between them.
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

        Each has the facts of its pair, in its chunks, and the words and lemmas of its question.
        """
        given, again = tee(known)
        answers = (answer for answer, _ in again)
        return self._told(self.facts(given, questions, templates), answers, templates)

    def judge_points(
        self, tried: Sequence[tuple[Sequence[str], Sequence[Verdict]]], templates: Templates
    ) -> Iterator[Verdict]:
        """What the verdicts on the points of model answers come to; of one, what it is."""
        items = [point_facts(*each) for each in tried if len(each[1]) > 1]
        answers = (Answer(pair, (), (), (), (), True) for pair, _ in items)
        wholes = self._told(items, answers, templates)
        for _, judged in tried:
            yield next(wholes) if len(judged) > 1 else judged[0]

    def _told(
        self, items: Iterable[Item], answers: Iterator[Answer], templates: Templates
    ) -> Iterator[Verdict]:
        for solution in self.solver.solve_all(items):
            answer = next(answers)
            ((shown, judged),) = solution.answers
            told = tell(answer, shown, templates)
            columns = {
                name: tuple(one.text for one in told if _COLUMNS.get(one.kind, one.kind) == name)
                for name in QUOTED
            }
            yield Verdict(answer, text_of(told, templates), columns, *judged)

    def facts(
        self,
        known: Iterable[tuple[Answer, Sequence[Symbol]]],
        questions: Iterable[Iterable[str]],
        templates: Templates,
    ) -> Iterator[Item]:
        """Pairs with all that the rules see: facts of words, of lines and of the question."""
        for (pair, facts), asked in zip(posed(known, templates), questions, strict=False):
            words = [ASKED.text(str(String(word))) for word in sorted(set(asked))]
            more = filter(None, (*words, self._wholes(pair)))
            yield pair, Atoms.of(facts).with_text(",".join(more))

    @cached_property
    def tracer(self) -> Tracer:
        """What traces can be asked of about any atom, such as ``verdict(_)``."""
        from ists_asp.trace import Tracer

        return Tracer(self._rules, Solver(self._rules, self._options, _read_bare))


def point_facts(points: Sequence[str], judged: Sequence[Verdict]) -> Item:
    """The verdicts on points, as ``asp/judge.lp`` has them; each point and each text is a token."""
    told = [(at, *some) for at, one in enumerate(judged, 1) for some in one.columns.items()]
    numbers = map(str, range(len(points) + 1))
    texts = list(dict.fromkeys([*numbers, *(text for *_, some in told for text in some)]))
    facts = [
        POINT.text(at, kind, texts.index(text) + 1) for at, kind, some in told for text in some
    ]
    for at, each in enumerate(judged, 1):
        facts += [POINT.text(at, "verdict", each.verdict), POINT.text(at, "found", each.found)]
        facts += [] if each.sure is None else [POINT.text(at, "right_in", each.sure)]
    one, two = (Sentence(tuple(map(Token, count(1), side))) for side in (texts, points))
    pair = Answered(judged[0].answer.pair.id, one, two, 0)
    return pair, Atoms.of(()).with_text(",".join(facts))


def _read(pair: Pair, atoms: Iterable[Ground], _cost: tuple[int, ...], _optimal: bool) -> _Judged:
    every = list(atoms)
    found: dict[str, list[tuple[Ground, ...]]] = defaultdict(list)
    for atom in every:
        found[atom.partition("(")[0]].append(atom.arguments)
    if len(found[VERDICT.name]) != 1:
        raise AnswerError(f"there are {len(found[VERDICT.name])} verdicts", [], "one")
    ((verdict,),) = found[VERDICT.name]
    plain = [str(name) for name, told in found[PLAIN.name] if told == verdict]
    right = {str(name): share.number for name, share in found[RIGHT_IN.name]}
    rule = min(plain, key=lambda name: (-right.get(name, 0), name), default="")
    weighed = {str(name): sum_.number for name, sum_ in found[SUPPORT.name]}
    odds = [math.exp((each - weighed.get(verdict, 0)) / 100) for each in weighed.values()]
    sure = right.get(rule) if rule else round(100 / sum(odds))
    assert isinstance(pair, Answered)
    shown = read_shown(pair, pair.lines, every)
    (points,) = found.get(POINTS_FOUND.name, [(Ground("0"),)])
    return _Judged(shown, (str(verdict), rule, sure, points[0].number))


def _read_bare(pair: Pair, _atoms: object, cost: tuple[int, ...], optimal: bool) -> Answer:
    return Answer(pair, (), (), (), cost, optimal)
