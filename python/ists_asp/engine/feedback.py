"""Feedback to many answers: each by the best of its references, point by point, and in groups."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice, tee
from typing import TYPE_CHECKING

from ists_asp.explain.feedback import CONTRADICTORY, CORRECT, INCOMPLETE
from ists_asp.explain.templates import quoted, sentence
from ists_asp.model import Pair, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.engine.system import System
    from ists_asp.explain.feedback import Verdict
    from ists_asp.explain.templates import Templates

_POINTS = re.compile(r"[;\n]+")
_BATCH = 50


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody answered to a question; ``references`` are model answers, one or more.

    A reference is cut into points where it has ``;`` or begins a new line.
    """

    id: str
    question: str
    answer: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is to be said of an answer.

    ``found`` of so many ``points`` of the reference are found. ``sure`` is how often in 100 such
    cases the verdict is right, if that is known, ``rule`` what decided it by itself. ``columns``
    has the quotations: ``right``, ``missing``, ``contradicts``, ``extra``. Answers with the same
    ``links`` say the same of the same parts of the reference.
    """

    submission: Submission
    reference: str
    rating: float
    verdict: str
    sure: int | None
    rule: str
    found: int
    points: int
    columns: dict[str, tuple[str, ...]]
    text: str
    links: frozenset[object]


def points_of(reference: str) -> list[str]:
    """The points of a reference, in order."""
    return [point for part in _POINTS.split(reference) if (point := part.strip())] or [reference]


def give_feedback(
    system: System, submissions: Iterable[Submission], templates: Templates
) -> Iterator[Feedback]:
    """Judge answers, lazily and in their order.

    Raises:
        RuleError: the profile has no rules for feedback, or they are faulty.
        DataError: a text is too long.
    """
    waiting = iter(submissions)
    while some := list(islice(waiting, _BATCH)):
        judged = system.judge_all(_asked(system, some), templates)
        for one in some:
            tried = [
                (reference, list(islice(judged, len(points_of(reference)))))
                for reference in one.references
            ]
            yield max(
                (_put_together(one, each, found, templates) for each, found in tried),
                key=lambda each: (each.verdict == CORRECT, each.rating),
            )


def _asked(system: System, some: Sequence[Submission]) -> Iterator[tuple[Pair, Sequence[str]]]:
    """Each answer with each point of each reference, and the words of its question."""
    texts = {one.answer for one in some} | {one.question for one in some}
    texts |= {point for one in some for each in one.references for point in points_of(each)}
    listed = sorted(text for text in texts if text.strip())
    sentences = dict(zip(listed, system.tokenize(listed), strict=True))
    questions = sorted({one.question for one in some if one.question.strip()})
    words = dict(
        zip(questions, system.words_of([sentences[each] for each in questions]), strict=True)
    )
    (nothing,) = system.tokenize(["."])
    for one in some:
        answer = sentences.get(one.answer, nothing)
        for reference in one.references:
            for point in points_of(reference):
                yield (
                    Pair(one.id, answer, sentences.get(point, nothing)),
                    words.get(one.question, ()),
                )


def pair_of(one: Submission) -> Pair:
    """The pair of an answer and its first reference, for messages."""
    return Pair(one.id, Sentence(()), Sentence(()))


def _put_together(
    one: Submission, reference: str, judged: Sequence[Verdict], templates: Templates
) -> Feedback:
    """What the verdicts on all points of a reference come to."""
    verdicts = Counter(each.verdict for each in judged)
    points = len(judged)
    found = sum(each.found for each in judged) if points > 1 else verdicts[CORRECT]
    columns = {
        name: tuple(dict.fromkeys(text for each in judged for text in each.columns.get(name, ())))
        for name in ("right", "missing", "contradicts", "extra")
    }
    verdict = verdicts.most_common(1)[0][0]
    if points > 1 and (found or verdict == CORRECT or verdicts[INCOMPLETE]):
        verdict = CORRECT if found == points else INCOMPLETE
    if points > found and points > 1 and columns["contradicts"]:
        # What one point lacks may stand in another: only words show a contradiction.
        verdict = CONTRADICTORY
    text = judged[0].text
    if points > 1:
        parts = list(zip(points_of(reference), judged, strict=True))
        said, left = (
            tuple(quoted(part, templates) for part, each in parts if each.found is met)
            for met in (True, False)
        )
        everywhere = (set(each.columns.get("extra", ())) for each in judged)
        common = set.intersection(*everywhere)
        extra = tuple(text for text in columns["extra"] if text in common)
        columns |= {"right": said, "missing": left, "extra": extra}
        slots = {"found": str(found), "all": str(points), "list": templates.join(list(left))}
        kinds = ["points", *(["points_left"] if left else [])]
        text = templates.joins["sentences"].join(
            sentence(templates.statement(kind, slots), templates) for kind in kinds
        )
    return Feedback(
        one,
        reference,
        sum(each.answer.rating.value for each in judged if each.answer.rating) / points,
        verdict,
        min((each.sure for each in judged if each.sure is not None), default=None),
        next((each.rule for each in judged if each.verdict == verdict), ""),
        found,
        points,
        columns,
        text,
        frozenset((at, each.links) for at, each in enumerate(judged)) | {reference, one.question},
    )


def groups(given: Sequence[Feedback | None]) -> list[int | None]:
    """A number for each answer: the same for the same links, 1 for the biggest group."""
    sizes = Counter(one.links for one in given if one is not None)
    ranks = {links: rank for rank, (links, _) in enumerate(sizes.most_common(), 1)}
    return [None if one is None else ranks[one.links] for one in given]


def why(system: System, one: Submission, templates: Templates, depth: int = 3) -> str:
    """Which rules decided the verdict on the best of the references, as trees, a point each."""
    best = next(give_feedback(system, [one], templates))
    asked, again = tee(
        _asked(system, [Submission(one.id, one.question, one.answer, (best.reference,))])
    )
    known = list(system.judged(asked))
    posed = system.judge.facts(known, (words for _, words in again), templates)
    return "\n".join(
        system.judge.trace(pair, facts).why("verdict(_)").text(depth=depth) for pair, facts in posed
    )
