"""Feedback: what a student's answer is to model answers, in a verdict and in words.

It is an explanation by other rules (``asp/feedback.lp``, ``lp_rules/feedback``): the first sentence
is the answer, the second the model answer, which the rules cut into points.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ists_asp import vocabulary as v
from ists_asp.errors import AnswerError
from ists_asp.explain.explanation import Shown, read_shown, tell, text_of
from ists_asp.explain.templates import Templates
from ists_asp.io.text import plain
from ists_asp.model import Answer, Sentence
from ists_asp.syntax.ground import Ground, quoted

# The columns of what is quoted, and below the kinds of statement that are not called like them.
QUOTED = ("right", "missing", "contradicts", "extra")

# The columns of feedback, in the order of a table.
COLUMNS = ("best_reference", "rating", "verdict", *QUOTED, "feedback", "sure", "check", "points")
BATCH = 50  # answers judged at a time, each by all of its model answers
CHECKED = 80  # a verdict that is right in fewer of 100 cases is to be checked
_LINES = re.compile(r"[;\s]*\n\s*")
_FORMULA = re.compile(r"=[A-Z.]+\(.*\)", re.DOTALL)
_FIGURES = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")


@dataclass(frozen=True, slots=True)
class Submission:
    """A student's answer to a question; ``references`` are model answers, one or more."""

    id: str
    question: str
    answer: str
    references: tuple[str, ...]  # model answers; each line, or what ; parts, is a point

    def beside(self, reference: str) -> tuple[str, str]:
        """The two texts that are compared."""
        # A formula of a spreadsheet is an answer only where the model answer is one.
        formulas = [_FORMULA.fullmatch(text.strip()) for text in (self.answer, reference)]
        answer = "" if formulas[0] and not formulas[1] else plain_text(self.answer)
        return answer, _LINES.sub("; ", plain_text(reference))


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on an answer, and the points it rests on, as the rules give them."""

    shown: Shown
    verdict: str
    rule: str  # the rule that decided by itself; empty where evidence was weighed
    sure: int  # how often in 100 such cases the verdict is right
    credit: float  # the share of a full mark to expect
    found: frozenset[str]  # points of the model answer that the answer has
    denied: frozenset[str]  # those that it contradicts
    points: int  # all of them


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback to an answer beside the best of its references: a text, and what it quotes."""

    submission: Submission
    reference: str
    answer: Answer
    judged: Judged
    text: str
    columns: Mapping[str, str]

    @classmethod
    def of(
        cls,
        submission: Submission,
        reference: str,
        answer: Answer,
        judged: Judged,
        templates: Templates,
    ) -> Feedback:
        """The feedback in words."""
        items = tell(answer.pair.sentences, judged.shown, templates)
        columns = {kind: "; ".join(i.text for i in items if i.kind == kind) for kind in QUOTED}
        return cls(submission, reference, answer, judged, text_of(items, templates), columns)

    @property
    def verdict(self) -> str:
        """One of :data:`~ists_asp.vocabulary.VERDICTS`."""
        return self.judged.verdict

    def point(self, words: str) -> str:
        """The state of the point of the reference with some words, as they stand in it.

        Returns:
            One of :data:`~ists_asp.vocabulary.POINT_STATES`; empty where no point has the words.
        """
        before, match, _ = f" {plain_text(self.reference)} ".partition(f" {plain_text(words)} ")
        start = len("".join(before.split()))
        ends = accumulate(len(token.form) for token in self.answer.pair.sent2.tokens)
        at = next((at for at, end in enumerate(ends, 1) if match and end > start), 0)
        atoms = {*self.judged.shown.atoms}
        parts = (atom.arguments for atom in atoms if atom.startswith(f"{v.PART_TOKEN.name}(2,"))
        part = next((str(part) for _, part, token in parts if token.number == at), "")
        if v.ANSWER_POINT.text(part) not in atoms:
            return ""
        contradicted, found, missing = v.POINT_STATES
        denied = contradicted if part in self.judged.denied else missing
        return found if part in self.judged.found else denied

    @property
    def sure(self) -> int:
        """In how many of 100 such cases the verdict is right."""
        return self.judged.sure

    @property
    def rating(self) -> float:
        """How much of the reference the answer says, from 0 to 5: half likeness, half verdict."""
        likeness = self.answer.rating.value if self.answer.rating else 0.0
        return round((likeness + 5 * self.judged.credit) / 2, 3)

    @property
    def rank(self) -> tuple[bool, float]:
        """The best reference has the highest."""
        return self.verdict == v.VERDICTS[0], self.rating

    @property
    def links(self) -> tuple[object, ...]:
        """Answers with the same ones have and contradict the same points of the reference."""
        judged = self.judged
        return self.submission.question, self.reference, judged.verdict, judged.found, judged.denied

    def cell(self, column: str) -> object:
        """The value of one of :data:`COLUMNS`."""
        if column in QUOTED:
            return self.columns[column]
        if column == "points":
            judged = self.judged
            return f"{len(judged.found)} of {judged.points}" if judged.points > 1 else None
        if column == "check":
            return "yes" if self.sure < CHECKED else ""
        names = {"best_reference": "reference", "feedback": "text"}
        return getattr(self, names.get(column, column))

    @property
    def features(self) -> list[float]:
        """The numbers that marks are learned from."""
        verdicts = [float(self.verdict == name) for name in v.VERDICTS]
        return [self.rating / 5, len(self.judged.found) / max(1, self.judged.points), *verdicts]


def read_judged(answer: Answer, shown: Iterable[Ground], _cost: object, best: bool) -> Judged:
    """Read what the rules show about an answer."""
    shown_ = read_shown(answer.sizes, len(answer.alignments), shown, best)
    atoms: dict[str, list[tuple[Ground, ...]]] = defaultdict(list)
    for atom in shown_.atoms:
        atoms[atom.partition("(")[0]].append(atom.arguments)
    verdicts = atoms[v.VERDICT.name]
    if len(verdicts) != 1:
        raise AnswerError(f"there are {len(verdicts)} verdicts", [], "one")
    ((verdict,),) = verdicts
    plain = [str(name) for name, decided in atoms[v.PLAIN.name] if decided == verdict]
    right = {str(name): share.number for name, share in atoms[v.RIGHT_IN.name]}
    rule = min(plain, key=lambda name: (-right.get(name, 0), name), default="")
    weighed = {str(name): weight.number for name, weight in atoms[v.SUPPORT.name]}
    counted = rule or "only_open" * (len(weighed) == 1)
    weighed = {str(verdict): 0} if rule else weighed
    odds = {name: math.exp((n - weighed[verdict]) / 100) for name, n in weighed.items()}
    sure = right.get(counted, 50) if counted else round(100 / sum(odds.values()))
    marks = {str(name): share.number / 100 for name, share in atoms[v.CREDIT.name]}
    credit = sum(odds.get(name, 0) * mark for name, mark in marks.items()) / sum(odds.values())
    names = (v.FOUND_POINT.name, v.DENIED_POINT.name, v.ANSWER_POINT.name)
    matched, denied, points = (frozenset(str(p) for (p,) in atoms[name]) for name in names)
    return Judged(shown_, str(verdict), rule, sure, credit, matched, denied, len(points))


def asked_facts(question: Sentence) -> list[str]:
    """The facts of an annotated question: its words and lemmas, in lower case."""
    words = [word for token in question.tokens for word in token.words]
    forms = {form.lower() for word in words for form in (word.form, word.lemma)}
    forms |= {token.form.lower() for token in question.tokens}
    return [v.ASKED.text(quoted(form)) for form in sorted(forms) if has_words(form)]


def plain_text(text: str) -> str:
    """A text of a learning platform as people see it; figures stand on the line."""
    return plain(text).translate(_FIGURES).strip()


def has_words(text: str) -> bool:
    """Whether a model answer says anything."""
    return any(map(str.isalnum, text))


def groups(feedback: Sequence[Feedback | None]) -> list[int | None]:
    """A number for each answer: the same for the same links, 1 for the biggest group."""
    sizes = Counter(answer.links for answer in feedback if answer is not None)
    ranks = {links: rank for rank, (links, _) in enumerate(sizes.most_common(), 1)}
    return [None if answer is None else ranks[answer.links] for answer in feedback]
