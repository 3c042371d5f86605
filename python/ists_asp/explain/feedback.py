"""Feedback: what a student's answer is to model answers, in a verdict and in words.

It is an explanation by other rules (``asp/feedback.lp``, ``lp_rules/feedback``): the first sentence
is an answer, the second a point of a model answer. Where a model answer has several points, each
is judged by itself; then the rules judge the whole by facts about its points.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from ists_asp import vocabulary as v
from ists_asp.errors import AnswerError
from ists_asp.explain.explanation import Shown, read_shown, tell, text_of
from ists_asp.model import Answer, Pair, Sentence
from ists_asp.syntax.ground import Atoms, Ground, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.explain.templates import Templates

# The columns of what is quoted, and below the kinds of statement that are not called like them.
QUOTED = ("right", "missing", "contradicts", "extra")
_COLUMNS = {"reworded": "right", "point_contradicts": "contradicts"}

# The columns of feedback, in the order of a table.
COLUMNS = ("best_reference", "rating", "verdict", *QUOTED, "feedback", "sure", "points")
BATCH = 50  # answers judged at a time, each by all points of its model answers
_POINTS = re.compile(r"[;\n]+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an answer beside a model answer, or beside one point of it.

    ``rule`` is the rule that decided by itself, empty where evidence was weighed. ``sure`` is how
    often in 100 such cases the verdict is right, None where nobody has counted. ``found`` is how
    many points of the model answer it has. ``columns`` has what is quoted, by column.
    """

    text: str
    columns: Mapping[str, tuple[str, ...]]
    verdict: str
    rule: str
    sure: int | None
    found: int


@dataclass(frozen=True, slots=True)
class Submission:
    """A student's answer to a question; ``references`` are model answers, one or more.

    A reference is cut into points where it has ``;`` or begins a new line.
    """

    id: str
    question: str
    answer: str
    references: tuple[str, ...]

    @property
    def pair(self) -> Pair:
        """A pair of its id, for messages."""
        return Pair(self.id, Sentence(()), Sentence(()))


@dataclass(frozen=True, slots=True)
class Feedback(Verdict):
    """Feedback to an answer: the verdict on all points of the best reference.

    ``answers`` are the alignments with each point, ``parts`` the verdicts on each.
    """

    submission: Submission
    reference: str
    answers: tuple[Answer, ...]
    parts: tuple[Verdict, ...]

    @classmethod
    def of(cls, attempt: Attempt, whole: Verdict) -> Feedback:
        """The feedback to an attempt that has been judged."""
        verdict: dict[str, Any] = {part.name: getattr(whole, part.name) for part in fields(Verdict)}
        answers, parts = zip(*attempt.judged, strict=True)
        submission, reference = attempt.submission, attempt.reference
        return cls(
            **verdict, submission=submission, reference=reference, answers=answers, parts=parts
        )

    @property
    def rating(self) -> float:
        """The mean of the ratings of the points."""
        ratings = [answer.rating.value for answer in self.answers if answer.rating]
        return round(sum(ratings) / len(self.parts), 3)

    @property
    def rank(self) -> tuple[bool, float]:
        """The best reference has the highest."""
        return self.verdict == v.VERDICTS[0], self.rating

    @property
    def links(self) -> frozenset[object]:
        """Answers with the same ones say the same of the same parts of the reference."""
        aligned = (
            (at, line.tokens2, line.label)
            for at, answer in enumerate(self.answers)
            for line in answer.alignments
            if line.label.aligned
        )
        return frozenset((*aligned, self.reference, self.submission.question))

    def cell(self, column: str) -> object:
        """The value of one of :data:`COLUMNS`."""
        if column in QUOTED:
            return "; ".join(self.columns[column])
        if column == "points":
            points = len(self.parts)
            return f"{self.found} of {points} points" if points > 1 else None
        names = {"best_reference": "reference", "feedback": "text"}
        return getattr(self, names.get(column, column))

    @property
    def features(self) -> list[float]:
        """The numbers that marks are learned from."""
        verdicts = [float(self.verdict == name) for name in v.VERDICTS]
        return [self.rating / 5, self.found / len(self.parts), *verdicts]


@dataclass(slots=True)
class Attempt:
    """An answer beside one of its references: ``judged`` is its alignment with each point.

    Where there are several points, the whole is judged by :attr:`facts` about them.
    """

    submission: Submission
    reference: str
    judged: Sequence[tuple[Answer, Verdict]] = ()

    @property
    def points(self) -> list[str]:
        """The points of the reference, in order."""
        parts = _POINTS.split(self.reference)
        return [part.strip() for part in parts if has_words(part)] or [self.reference]

    @property
    def several(self) -> bool:
        """Whether the reference has several points."""
        return len(self.points) > 1

    @property
    def id(self) -> str:
        """That of the answer."""
        return self.submission.id

    @property
    def sizes(self) -> tuple[int, int]:
        """No tokens: there are none among its facts."""
        return 0, 0

    @property
    def facts(self) -> Atoms:
        """The facts of the points and of the verdicts on them, as ``asp/judge.lp`` has them."""
        atoms = []
        for at, (point, (_, verdict)) in enumerate(zip(self.points, self.judged, strict=True), 1):
            texts = [("text", point)]
            texts += [(kind, text) for kind, some in verdict.columns.items() for text in some]
            atoms += [v.POINT.text(at, kind, quoted(text)) for kind, text in texts]
            atoms.append(v.POINT.text(at, "verdict", verdict.verdict))
            atoms.append(v.POINT.text(at, "found", verdict.found))
            if verdict.sure is not None:
                atoms.append(v.POINT.text(at, "right_in", verdict.sure))
        return Atoms(f"({','.join(atoms)},)")


class Judged(NamedTuple):
    """Statements of the rules about an answer, and the last fields of a verdict."""

    shown: Shown
    verdict: str
    rule: str
    sure: int | None
    found: int

    def verdict_on(self, subject: Answer | Attempt, templates: Templates) -> Verdict:
        """The verdict in words."""
        pair = subject.pair if isinstance(subject, Answer) else subject.submission.pair
        told = tell((pair.sent1, pair.sent2), self.shown, templates)
        columns = {
            name: tuple(item.text for item in told if _COLUMNS.get(item.kind, item.kind) == name)
            for name in QUOTED
        }
        return Verdict(text_of(told, templates), columns, *self[1:])


def read_judged(
    subject: Answer | Attempt, shown: Iterable[Ground], _cost: tuple[int, ...], best: bool
) -> Judged:
    """Read what the rules show about an answer, or about the points of a reference.

    Raises:
        AnswerError: there is no verdict, or several.
    """
    lines = subject.alignments if isinstance(subject, Answer) else ()
    said = read_shown(subject.sizes, len(lines), shown, best)
    atoms: dict[str, list[tuple[Ground, ...]]] = defaultdict(list)
    for atom in said.atoms:
        atoms[atom.partition("(")[0]].append(atom.arguments)
    verdicts = atoms[v.VERDICT.name]
    if len(verdicts) != 1:
        raise AnswerError(f"there are {len(verdicts)} verdicts", [], "one")
    ((verdict,),) = verdicts
    plain = [str(name) for name, decided in atoms[v.PLAIN.name] if decided == verdict]
    right = {str(name): share.number for name, share in atoms[v.RIGHT_IN.name]}
    rule = min(plain, key=lambda name: (-right.get(name, 0), name), default="")
    weighed = {str(name): weight.number for name, weight in atoms[v.SUPPORT.name]}
    odds = [math.exp((weight - weighed.get(verdict, 0)) / 100) for weight in weighed.values()]
    sure = right.get(rule) if rule else round(100 / sum(odds))
    (points,) = atoms.get(v.POINTS_FOUND.name, [(Ground("0"),)])
    return Judged(said, str(verdict), rule, sure, points[0].number)


def read_bare(
    subject: Answer | Attempt, _shown: object, cost: tuple[int, ...], optimal: bool
) -> Answer:
    """An answer without lines, for whoever traces a verdict."""
    pair = subject.pair if isinstance(subject, Answer) else subject.submission.pair
    return Answer(pair, (), (), (), cost, optimal)


def asked_facts(question: Sentence) -> list[str]:
    """The facts of an annotated question: its words and lemmas, in lower case."""
    words = [word for token in question.tokens for word in token.words]
    forms = {form.lower() for word in words for form in (word.form, word.lemma)}
    forms |= {token.form.lower() for token in question.tokens}
    return [v.ASKED.text(quoted(form)) for form in sorted(forms) if has_words(form)]


def has_words(text: str) -> bool:
    """Whether a model answer, or a point of one, says anything."""
    return any(map(str.isalnum, text))


def groups(feedback: Sequence[Feedback | None]) -> list[int | None]:
    """A number for each answer: the same for the same links, 1 for the biggest group."""
    sizes = Counter(answer.links for answer in feedback if answer is not None)
    ranks = {links: rank for rank, (links, _) in enumerate(sizes.most_common(), 1)}
    return [None if answer is None else ranks[answer.links] for answer in feedback]
