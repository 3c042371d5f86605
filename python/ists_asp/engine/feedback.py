"""Feedback to many answers: each by the best of its references, point by point, and in groups."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.explain.feedback import QUOTED, Verdict, point_facts
from ists_asp.model import Pair, Sentence
from ists_asp.vocabulary import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.engine.system import System
    from ists_asp.explain.templates import Templates

COLUMNS = ("best_reference", "rating", "verdict", *QUOTED, "feedback", "sure", "points")
"""What is told of an answer, in the order of a table."""

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
class Feedback(Verdict):
    """What is to be said of an answer: the verdict on all ``points`` of the best reference.

    ``parts`` are those on each point; ``rating`` is the mean of theirs.
    """

    submission: Submission
    reference: str
    rating: float
    parts: tuple[Verdict, ...]

    @property
    def points(self) -> int:
        """How many points the reference has."""
        return len(self.parts)

    @property
    def links(self) -> frozenset[object]:
        """Answers with the same ones say the same of the same parts of the reference."""
        links = ((at, each.links) for at, each in enumerate(self.parts))
        return frozenset((*links, self.reference, self.submission.question))

    def cell(self, column: str) -> object:
        """What stands in one of :data:`COLUMNS`."""
        if column in QUOTED:
            return "; ".join(self.columns[column])
        if column == "points":
            return f"{self.found} of {self.points} points" if self.points > 1 else None
        names = {"best_reference": "reference", "feedback": "text"}
        return getattr(self, names.get(column, column))

    @property
    def features(self) -> list[float]:
        """What marks are learned from."""
        verdicts = [float(self.verdict == name) for name in VERDICTS]
        return [self.rating / 5, self.found / self.points, *verdicts]


def points_of(reference: str) -> list[str]:
    """The points of a reference, in order."""
    return [part.strip() for part in _POINTS.split(reference) if has_words(part)] or [reference]


def has_words(text: str) -> bool:
    """Whether a model answer, or a point of one, says anything."""
    return any(map(str.isalnum, text))


def judge_alone(system: System, submission: Submission, templates: Templates) -> Feedback:
    """Judge an answer, as a worker is asked to."""
    return next(give_feedback(system, [submission], templates))


def give_feedback(
    system: System, submissions: Iterable[Submission], templates: Templates
) -> Iterator[Feedback]:
    """Judge answers, lazily and in their order."""
    waiting = iter(submissions)
    while some := list(islice(waiting, _BATCH)):
        asked = _asked(system, some)
        known = system.rated(pair for pair, _ in asked)
        judged = system.judge.judge_all(known, (words for _, words in asked), templates)
        tried = [
            (one, each, tuple(islice(judged, len(points_of(each)))))
            for one in some
            for each in one.references
        ]
        points = [(points_of(each), parts) for _, each, parts in tried]
        wholes = system.judge.judge_points(points, templates)
        found = (_feedback(*each, whole) for each, whole in zip(tried, wholes, strict=True))
        for one in some:
            every = islice(found, len(one.references))
            yield max(every, key=lambda each: (each.verdict == VERDICTS[0], each.rating))


def _asked(system: System, some: Sequence[Submission]) -> list[tuple[Pair, Sequence[str]]]:
    """Each answer with each point of each reference, and the words of its question."""
    points = [point for one in some for each in one.references for point in points_of(each)]
    texts = sorted({".", *points, *(text for one in some for text in (one.answer, one.question))})
    listed = [text for text in texts if text.strip()]
    sentences = dict(zip(listed, system.tokenize(listed), strict=True))
    words = words_of(system, {one.question: sentences.get(one.question) for one in some})
    found: list[tuple[Pair, Sequence[str]]] = []
    for one in some:
        answer = sentences.get(one.answer, sentences["."])
        for point in (point for each in one.references for point in points_of(each)):
            pair = Pair(one.id, answer, sentences.get(point, sentences["."]))
            found.append((pair, words[one.question]))
    return found


def words_of(
    system: System, questions: Mapping[str, Sentence | None]
) -> dict[str, tuple[str, ...]]:
    """The words and lemmas of questions, in lower case."""
    asked = {text: sentence for text, sentence in questions.items() if sentence is not None}
    pairs = system.annotate(Pair("", one, one) for one in asked.values())
    found: dict[str, tuple[str, ...]] = dict.fromkeys(questions, ())
    for text, pair in zip(asked, pairs, strict=True):
        words = [word for token in pair.sent1.tokens for word in token.words]
        forms = {form.lower() for word in words for form in (word.form, word.lemma)}
        forms |= {token.form.lower() for token in pair.sent1.tokens}
        found[text] = tuple(sorted(form for form in forms if any(map(str.isalnum, form))))
    return found


def pair_of(one: Submission) -> Pair:
    """The pair of an answer and its first reference, for messages."""
    return Pair(one.id, Sentence(()), Sentence(()))


def _feedback(
    one: Submission, reference: str, parts: tuple[Verdict, ...], whole: Verdict
) -> Feedback:
    ratings = [part.answer.rating.value for part in parts if part.answer.rating]
    told = {field.name: getattr(whole, field.name) for field in fields(whole)}
    rating = round(sum(ratings) / len(parts), 3)
    return Feedback(**told, submission=one, reference=reference, rating=rating, parts=parts)


def groups(given: Sequence[Feedback | None]) -> list[int | None]:
    """A number for each answer: the same for the same links, 1 for the biggest group."""
    sizes = Counter(one.links for one in given if one is not None)
    ranks = {links: rank for rank, (links, _) in enumerate(sizes.most_common(), 1)}
    return [None if one is None else ranks[one.links] for one in given]


def why(system: System, one: Submission, templates: Templates, depth: int = 3) -> str:
    """Which rules decided the verdict on the best of the references, then that on each point."""
    best = next(give_feedback(system, [one], templates))
    asked = _asked(system, [replace(one, references=(best.reference,))])
    known = system.rated(pair for pair, _ in asked)
    posed = [*system.judge.facts(known, (words for _, words in asked), templates)]
    if best.points > 1:
        posed.insert(0, point_facts(points_of(best.reference), best.parts))
    traces = (system.judge.tracer.trace(*one) for one in posed)
    return "\n".join(trace.why("verdict(_)").text(depth=depth) for trace in traces)
