"""Examples, ``"A" | "B": claim``: what a rule does to a pair of sentences.

They stand in ``%@example`` above rules, in the third column of word tables, and in ``tests.tsv``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING

from ists_asp.errors import RuleError, shortened
from ists_asp.model import Label

if TYPE_CHECKING:
    from ists_asp.model import Answer

_TEXT = r'"(?:[^"\\]|\\["\\])++"'
_EXAMPLE = re.compile(rf"(?:([A-Za-z][\w-]*)\s+)?({_TEXT})\s*\|\s*({_TEXT})\s*:\s*(\S.*)")
_LABEL = rf"(?:{'|'.join(label for label in Label if label.aligned)})(?:_FACT|_POL)*"
_CLAIM = re.compile(
    rf"(?P<x>{_TEXT})\s*~\s*(?P<y>{_TEXT})\s*(?P<no>not\b)?\s*"
    rf"(?:aligned|(?=\S)(?P<types>{_LABEL})?\s*(?P<score>[0-5])?)"
    rf"|(?P<lone>{_TEXT})\s*(?P<none>not)\s+aligned"
    rf"|(?:chunk|(?P<side>[12])\s*:)\s*(?P<chunk>{_TEXT})"
    rf"|(?P<unsaid>not\b)?\s*says\s*(?P<says>{_TEXT})"
    r"|rating\s*(?P<sign>[<>]=?)\s*(?P<bound>[0-5](?:\.\d+)?)"
)
_CLAIMS = (
    '"x" ~ "y" EQUI, "x" ~ "y" SIMI 3, "x" ~ "y" not EQUI, "x" ~ "y" aligned, "x" not aligned, '
    'chunk "x", 1: "x", says "…", not says "…" or rating > 4'
)
_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge}
_MIRROR = {"SPE1": "SPE2", "SPE2": "SPE1"}


@dataclass(frozen=True, slots=True)
class Claim:
    """What an example says of its pair.

    ``words`` are of the first and the second sentence, empty where it names none: the sides of an
    alignment with these ``types`` (label and tags) and ``score``, or chunks. ``says`` is of the
    explanation, ``sign`` and ``bound`` are of the rating.
    """

    words: tuple[str, str]
    denied: bool
    chunk: bool
    types: frozenset[str]
    score: str
    says: str
    sign: str
    bound: float

    def mirrored(self, first: str, second: str) -> Claim:
        """The same of the sentences swapped, which explanations call ``first`` and ``second``."""
        other = {first: second, second: first}
        says = re.sub("|".join(other), lambda one: other[one[0]], self.says.lower())
        types = frozenset(_MIRROR.get(one, one) for one in self.types)
        return replace(self, words=self.words[::-1], types=types, says=says)

    def holds(self, answer: Answer, text: str, rating: float) -> bool:
        """Whether it is so of an answer, its explanation and its rating."""
        if self.says:
            return (self.says.lower() in text.lower()) != self.denied
        return _COMPARE[self.sign](rating, self.bound) if self.sign else not self.doubts(answer)

    def doubts(self, answer: Answer) -> list[str]:
        """What to ask where it is not so: why there is what it denies, or else why-not."""
        one, two = (
            _place(answer.pair.sent1.text, self.words[0]),
            _place(answer.pair.sent2.text, self.words[1]),
        )
        if self.chunk:
            sides = (1, one, answer.chunks1), (2, two, answer.chunks2)
            missing = [
                (n, at) for n, at, chunks in sides if at and at not in [c.tokens for c in chunks]
            ]
            return [f"{number}: {_numbers(at)}" for number, at in missing]
        lines = [
            f"{_numbers(line.tokens1)} <==> {_numbers(line.tokens2)}"
            for line in answer.alignments
            if line.label.aligned and self.types <= {line.label, *line.tags}
            if not self.score or float(self.score) == line.score
            if (
                _meet(one, line.tokens1) and _meet(two, line.tokens2)
                if self.denied
                else (one, two) == (line.tokens1, line.tokens2)
            )
        ]
        label = f"{'_'.join(sorted(self.types))} // {self.score}"
        wanted = f"{_numbers(one)} <==> {_numbers(two)} // {label}"
        return lines if self.denied else [] if lines else [wanted]


@dataclass(frozen=True, slots=True)
class Example:
    """Two sentences, and what a rule or a file of tests claims of them; ``text`` as written."""

    sentences: tuple[str, str]
    claim: Claim
    text: str
    profile: str | None
    where: str
    rule: str


def read_example(text: str, where: str = "", rule: str = "") -> Example:
    """Read an example of a rule, which stands at ``where``; a RuleError if it is malformed."""
    whole = _EXAMPLE.fullmatch(text.strip())
    if whole is None:
        raise RuleError("malformed example", where=where, expected='"sentence" | "sentence": claim')
    match = _CLAIM.fullmatch(whole[4])
    if match is None:
        raise RuleError(f"{shortened(whole[4])} is no claim", where=where, expected=_CLAIMS)
    found = {key: _plain(part or "") for key, part in match.groupdict().items()}
    sentences = _plain(whole[2]), _plain(whole[3])
    lone = found["lone"] or found["chunk"]
    named = found["x"] or lone, found["y"] or lone
    there = [
        words if _place(sentence, words) and found["side"] in ("", side) else ""
        for sentence, words, side in zip(sentences, named, "12", strict=True)
    ]
    if (lone not in there or all(there) > bool(found["chunk"])) if lone else there != [*named]:
        expected = "words as they stand in their sentence, and not in both"
        raise RuleError(f"found {shortened(whole[4])}", where=where, expected=expected)
    claim = Claim(
        (there[0], there[1]),
        bool(found["no"] or found["none"] or found["unsaid"]),
        bool(found["chunk"]),
        frozenset(found["types"].split("_")) - {""},
        found["score"],
        found["says"],
        found["sign"],
        float(found["bound"] or 0),
    )
    return Example(sentences, claim, text.strip(), whole[1], where, rule)


def tested(row: str, where: str) -> Example:
    """Read a row of a file of tests: two sentences, a claim, and a profile if you like."""
    cells = [cell.strip() for cell in row.split("\t")]
    if len(cells) not in (3, 4):
        expected = "sentence TAB sentence TAB claim, and TAB profile if you like"
        raise RuleError(f"{len(cells)} columns", where=where, expected=expected)
    one, two = (re.sub(r'(["\\])', r"\\\1", sentence) for sentence in cells[:2])
    return read_example(f'{"".join(cells[3:])} "{one}" | "{two}": {cells[2]}', where)


def _plain(text: str) -> str:
    """A string without its quotes and escapes, or what is none; one blank between words."""
    text = re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text
    return " ".join(text.split())


def _place(sentence: str, words: str) -> tuple[int, ...]:
    """The numbers of the tokens of some words where they first stand; none if they do not."""
    before, there, _ = f" {sentence} ".partition(f" {words} ")
    start = before.count(" ") + 1
    return tuple(range(start, start + words.count(" ") + 1)) if there else ()


def _meet(words: tuple[int, ...], side: tuple[int, ...]) -> bool:
    return not (words and set(words).isdisjoint(side))


def _numbers(tokens: tuple[int, ...]) -> str:
    return " ".join(map(str, tokens)) or "0"
