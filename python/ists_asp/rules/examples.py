"""Examples, ``"A" | "B": claim``: what a rule does to a pair of sentences.

They stand in ``%@example`` above rules, in the third column of word tables, and in ``tests.tsv``.
A verdict or a point is claimed of an answer and its model answer, which a question may follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt

from ists_asp.errors import RuleError, shortened
from ists_asp.model import Answer, Label, Pair
from ists_asp.syntax.ground import quoted
from ists_asp.vocabulary import POINT_STATES, VERDICTS

_TEXT = r'"(?:[^"\\]|\\["\\])++"'
_PROFILE = r"[A-Za-z][\w-]*"
_EXAMPLE = re.compile(
    rf"(?:({_PROFILE})\s+)?({_TEXT})\s*\|\s*({_TEXT})"
    rf"(?:\s*\|\s*({_TEXT}))?\s*:\s*(\S.*)"
)
_LABEL = rf"(?:{'|'.join(label for label in Label if label.aligned)})(?:_FACT|_POL)*"
_CLAIM = re.compile(
    rf"(?P<link>{_TEXT})\s*~\s*(?P<y>{_TEXT})\s*(?:not\b)?\s*"
    rf"(?:aligned|(?=\S)(?P<label>{_LABEL})?\s*(?P<score>[0-5])?)"
    rf"|(?P<free>{_TEXT})\s*not\s+aligned|(?:chunk|(?P<side>[12])\s*:)\s*(?P<chunk>{_TEXT})"
    rf"|(?:not\b)?\s*says\s*(?P<says>{_TEXT})"
    r"|rating\s*(?P<rating>[<>]=?\s*[0-5](?:\.\d+)?)"
    rf"|verdict\s+(?P<verdict>{'|'.join(VERDICTS)})"
    rf"|point\s*(?P<point>{_TEXT})\s*(?P<state>{'|'.join(POINT_STATES)})"
)
_CLAIMS = (
    '"x" ~ "y" EQUI, "x" ~ "y" SIMI 3, "x" ~ "y" not EQUI, "x" ~ "y" aligned, "x" not aligned, '
    'chunk "x", 1: "x", says "…", not says "…", rating > 4, verdict correct or '
    'point "x" found'
)
_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of an example about its pair."""

    words: tuple[str, str]  # of both sentences; empty where it names none
    denied: bool
    kind: str  # link, free, chunk, says, rating, verdict or point
    label: str
    score: str
    value: str  # what is said, the sign and bound of a rating, a verdict, or the state of a point

    def mirrored(self, first: str, second: str) -> Claim:
        """The same of the sentences swapped, which explanations call ``first`` and ``second``."""
        other = {first: second, second: first, "SPE1": "SPE2", "SPE2": "SPE1"}
        label, value = (
            re.sub("|".join(other), lambda match: other[match[0]], text)
            for text in (self.label, self.value.lower())
        )
        return replace(self, words=self.words[::-1], label=label, value=value)

    def holds(self, answer: Answer, text: str, rating: float) -> bool:
        """Whether it is true of an answer, its explanation and its rating."""
        if self.kind == "says":
            return (self.value.lower() in text.lower()) != self.denied
        if self.kind == "rating":
            sign = self.value.rstrip(" .0123456789")
            return bool(_COMPARE[sign](rating, float(self.value.removeprefix(sign))))
        return not self.doubts(answer)

    def places(self, pair: Pair) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the tokens that it names in both sentences; none where it names none."""
        return _place(pair.sent1.text, self.words[0]), _place(pair.sent2.text, self.words[1])

    def sides(self, answer: Answer) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The tokens of both sides of the alignments that it is about."""
        tokens1, tokens2 = self.places(answer.pair)
        met = any if self.kind == "free" else all
        return [
            line.sides
            for line in answer.alignments
            if line.label.aligned and {*self.label.split("_")} <= {"", line.label, *line.tags}
            if not self.score or float(self.score) == line.score
            if met(({*tokens1} & {*line.tokens1}, {*tokens2} & {*line.tokens2}))
            if self.denied or (tokens1, tokens2) == line.sides
        ]

    def doubts(self, answer: Answer) -> list[str]:
        """The questions where it fails: why, of what it denies, and otherwise why-not."""
        tokens1, tokens2 = self.places(answer.pair)
        if self.kind == "chunk":
            sides = (1, tokens1, answer.chunks1), (2, tokens2, answer.chunks2)
            return [
                f"{side}: {_numbers(tokens)}"
                for side, tokens, chunks in sides
                if tokens and tokens not in [chunk.tokens for chunk in chunks]
            ]
        lines = [" <==> ".join(map(_numbers, sides)) for sides in self.sides(answer)]
        wanted = f"{_numbers(tokens1)} <==> {_numbers(tokens2)} // {self.label} // {self.score}"
        return lines if self.denied else [wanted] * (not lines)


@dataclass(frozen=True, slots=True)
class Example:
    """Two sentences, and what a rule or a file of tests claims of them; ``text`` as written."""

    sentences: tuple[str, str]
    question: str
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
    match = _CLAIM.fullmatch(whole[5])
    if match is None:
        raise RuleError(f"{shortened(whole[5])} is not a claim", where=where, expected=_CLAIMS)
    groups = {key: _plain(group or "") for key, group in match.groupdict().items()}
    sentences = _plain(whole[2]), _plain(whole[3])
    lone = groups["free"] or groups["chunk"] or groups["point"]
    only = groups["side"] or "2" * bool(groups["point"])
    named = groups["link"] or lone, groups["y"] or lone
    sides = zip("12", sentences, named, strict=True)
    words1, words2 = (
        words if only in ("", side) and _place(sentence, words) else ""
        for side, sentence, words in sides
    )
    if (words1, words2) != named if groups["link"] else lone not in (words1, words2):
        expected = "words as they stand in their sentence"
        raise RuleError(f"found {shortened(whole[5])}", where=where, expected=expected)
    kinds = ("link", "free", "chunk", "says", "rating", "verdict", "point")
    kind = next(key for key in kinds if groups[key])
    denied = "not" in re.sub(_TEXT, "", whole[5])
    value = groups["says"] or groups["rating"] or groups["verdict"] or groups["state"]
    claim = Claim((words1, words2), denied, kind, groups["label"], groups["score"], value)
    return Example(sentences, _plain(whole[4] or ""), claim, text.strip(), whole[1], where, rule)


def claimed(texts: Iterable[str], claim: str, profile: str) -> Example:
    """The example of a claim about two sentences, behind which a question may stand."""
    named = f"{profile} " if re.fullmatch(_PROFILE, profile) else ""
    return read_example(f"{named}{' | '.join(map(quoted, texts))}: {claim}", "claim")


def row_example(row: str, where: str) -> Example:
    """Read a row of a file of tests: two sentences, a claim, and a profile if you like."""
    cells = [cell.strip() for cell in row.split("\t")]
    if len(cells) not in (3, 4):
        expected = "sentence TAB sentence TAB claim, and TAB profile if you like"
        raise RuleError(f"{len(cells)} columns", where=where, expected=expected)
    *sentences, claim = cells[:3]
    profile = "".join(cells[3:])
    return read_example(f"{profile} {' | '.join(map(quoted, sentences))}: {claim}", where)


def _plain(text: str) -> str:
    """A string without its quotes and escapes, or another text; one blank between words."""
    text = re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text
    return " ".join(text.split())


def _place(sentence: str, words: str) -> tuple[int, ...]:
    """The numbers of the tokens of some words where they first stand; none if they do not."""
    before, match, _ = f" {sentence} ".partition(f" {words} ")
    start = before.count(" ") + 1
    return tuple(range(start, start + words.count(" ") + 1)) if match else ()


def _numbers(tokens: tuple[int, ...]) -> str:
    return " ".join(map(str, tokens)) or "0"
