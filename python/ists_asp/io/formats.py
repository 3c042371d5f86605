"""The formats that answers and ratings are written in: one registry.

A new format is an entry of :data:`FORMATS` and its writer; the command line takes its choices,
endings and help from there.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ists_asp.io.wa import FAILED, format_label, format_score, write_answer, write_pair
from ists_asp.model import Alignment, Confidence, Label, Tag
from ists_asp.terminal import display_width, padded, unbroken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ists_asp.model import Answer, Pair, Sentence

_WIDEST = 48
_DOUBTFUL = 0.5
"""What is less probable is more likely wrong than right."""


@dataclass(frozen=True, slots=True)
class Written:
    """What is to be written of a pair: its answers, best first, or why it has none.

    ``knowledge`` and ``system`` are as for :func:`write_jsonl`. ``ranked`` says that more answers
    than one were asked for, ``rating`` is that of no answer, as text.
    """

    pair: Pair
    answers: Sequence[Answer] = ()
    failure: str | None = None
    knowledge: Sequence[str] = ()
    system: Mapping[str, object] | None = None
    ranked: bool = False
    rating: str | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A format of outputs.

    Args:
        name: what the command line calls it.
        ending: the ending of names of files in it, with its dot.
        about: what it is, for the help.
        write: what is written of a pair, line ends included.
        answers: whether it holds alignments.
        ratings: whether it holds ratings.
        several: whether it holds more than one answer to a pair.
        between: what stands between two pairs.
    """

    name: str
    ending: str
    about: str
    write: Callable[[Written], str]
    answers: bool = False
    ratings: bool = False
    several: bool = False
    between: str = ""


def write_jsonl(
    answer: Answer,
    rank: int = 1,
    knowledge: Sequence[str] = (),
    system: Mapping[str, object] | None = None,
) -> str:
    """One line (with its end) for an answer: pair, chunks, alignments, cost, optimality.

    If the answer is rated, ``rating`` has its ``value`` and the ``contributions`` that sum to it.

    Args:
        answer: the answer.
        rank: 1 for the best answer of a pair, 2 for the next one and so on.
        knowledge: what words were compared by, as
            :attr:`ists_asp.engine.System.knowledge` has it.
        system: what made the answer, as :attr:`ists_asp.engine.System.provenance` has it.
    """
    pair = answer.pair
    sides = ((1, pair.sent1, answer.chunks1), (2, pair.sent2, answer.chunks2))
    record: dict[str, object] = {
        "id": pair.id,
        "rank": rank,
        **{f"sent{side}": sentence.text for side, sentence, _ in sides},
        **{f"tokens{side}": [one.form for one in sentence.tokens] for side, sentence, _ in sides},
        **{f"chunks{side}": [[one.first, one.last] for one in chunks] for side, _, chunks in sides},
        "alignments": [_alignment(pair, alignment) for alignment in answer.alignments],
        "cost": list(answer.cost),
        "optimal": answer.optimal,
        "knowledge": list(knowledge),
        "system": dict(system or {}),
    }
    if answer.boundaries1 or answer.boundaries2:
        record["boundaries1"] = list(answer.boundaries1)
        record["boundaries2"] = list(answer.boundaries2)
    if answer.rating is not None:
        contributions = [
            {"name": part.name, "value": part.value} for part in answer.rating.contributions
        ]
        record["rating"] = {"value": answer.rating.value, "contributions": contributions}
    return json.dumps(record, ensure_ascii=False) + "\n"


def failure_record(pair: Pair, reason: str) -> dict[str, object]:
    """A pair without an answer as JSON values: the pair, and the ``error``."""
    return {"id": pair.id, "sent1": pair.sent1.text, "sent2": pair.sent2.text, "error": reason}


def _alignment(pair: Pair, alignment: Alignment) -> dict[str, object]:
    record: dict[str, object] = {
        "tokens1": list(alignment.tokens1),
        "tokens2": list(alignment.tokens2),
        "text1": pair.sent1.words(alignment.tokens1),
        "text2": pair.sent2.words(alignment.tokens2),
        "label": str(alignment.label),
        "tags": [str(tag) for tag in Tag if tag in alignment.tags],
        "score": alignment.score,
    }
    if alignment.confidence is not None:
        record["confidence"] = asdict(alignment.confidence)
    return record


def format_answer(answer: Answer) -> str:
    r"""A few lines (ending with ``\n``): the sentences, a table of alignments, what is left.

    Columns are padded to the width on the terminal of their widest cell, at most 48. A question
    mark stands in front of an alignment, and behind a label or a lone chunk, that is more likely
    wrong than right.
    """
    pair = answer.pair
    lines = sorted(answer.alignments, key=lambda line: (line.tokens1, line.tokens2))
    rows = [
        (_words(pair.sent1, line.tokens1), _decided(line), _words(pair.sent2, line.tokens2))
        for line in lines
        if line.tokens1 and line.tokens2
    ]
    left = min(_WIDEST, max((display_width(row[0]) for row in rows), default=0))
    middle = max((display_width(row[1]) for row in rows), default=0)
    told = [f"Pair {pair.id}", f"  1: {pair.sent1.text}", f"  2: {pair.sent2.text}"]
    told += [f"  {padded(one, left)}  {padded(label, middle)}  {two}" for one, label, two in rows]
    lone1 = [line for line in lines if line.tokens1 and not line.tokens2]
    lone2 = [line for line in lines if line.tokens2 and not line.tokens1]
    for number, rest in (
        (1, [_lone(pair.sent1, line.tokens1, line) for line in lone1]),
        (2, [_lone(pair.sent2, line.tokens2, line) for line in lone2]),
    ):
        if rest:
            told.append(f"  Not aligned in {number}: {'; '.join(rest)}")
    if not answer.optimal:
        told.append("  The solver stopped before it proved this answer the best.")
    return "\n".join(told) + "\n"


def _decided(line: Alignment) -> str:
    sure = line.confidence or Confidence(None)
    front = "? " if _doubtful(sure.alignment) else ""
    label = format_label(line) + "?" * _doubtful(sure.label)
    return f"{front}{label} {format_score(line.score)}"


def _doubtful(share: float | None) -> bool:
    return share is not None and share < _DOUBTFUL


def _lone(sentence: Sentence, numbers: tuple[int, ...], line: Alignment) -> str:
    """What is not aligned, with its label if that says more."""
    text = _words(sentence, numbers)
    if line.confidence is not None:
        text += "?" * _doubtful(line.confidence.alignment)
    return text if line.label is Label.NOALI and not line.tags else f"{text} ({format_label(line)})"


def _words(sentence: Sentence, numbers: tuple[int, ...]) -> str:
    """The words, with ``…`` where the tokens are not neighbours."""
    parts = []
    for position, number in enumerate(numbers):
        if position and number != numbers[position - 1] + 1:
            parts.append("…")
        parts.append(sentence.tokens[number - 1].form)
    return " ".join(parts)


def _write_wa(written: Written) -> str:
    """The best answer; a pair that failed has each token by itself.

    So nothing is claimed about it, and nothing lost.
    """
    if written.failure is None:
        return write_answer(written.answers[0])
    pair = written.pair
    one = [Alignment((token.index,), (), Label.NOALI, None) for token in pair.sent1.tokens]
    two = [Alignment((), (token.index,), Label.NOALI, None) for token in pair.sent2.tokens]
    return write_pair(pair, [*one, *two], FAILED)


def _write_jsonl(written: Written) -> str:
    if written.failure is not None:
        record = failure_record(written.pair, written.failure)
        return json.dumps(record, ensure_ascii=False) + "\n"
    return "".join(
        write_jsonl(answer, rank, written.knowledge, written.system)
        for rank, answer in enumerate(written.answers, 1)
    )


def _write_text(written: Written) -> str:
    if written.failure is not None:
        return f"Pair {written.pair.id}\n  no answer: {written.failure}\n"
    return "\n".join(
        (f"Answer {rank}\n" if written.ranked else "") + format_answer(answer)
        for rank, answer in enumerate(written.answers, 1)
    )


def _write_rating(written: Written) -> str:
    """The rating; 0 for a pair that failed, since a line is due for every pair."""
    if written.rating is not None:
        return f"{written.rating}\n"
    rating = written.answers[0].rating if written.answers else None
    return f"{rating.value if rating else 0:.3f}\n"


def _write_tsv(written: Written) -> str:
    """The rating stands first, as in files of gold ratings, and so for :mod:`ists_asp.evaluate`."""
    return f"{_write_rating(written).rstrip()}\t{written.pair.id}\n"


def _write_atoms(written: Written) -> str:
    """The atoms of each answer, below comments: the pair, and the cost or why there is none."""
    from ists_asp.syntax.ground import symbols

    pair, failure = written.pair, written.failure
    parts = [f"pair {pair.id}", f"1: {pair.sent1.text}", f"2: {pair.sent2.text}"]
    text = "".join(f"% {unbroken(one)}\n" for one in [*parts, *filter(None, [failure])])
    for rank, one in enumerate(written.answers, 1):
        text += f"% answer {rank}, cost {' '.join(map(str, one.cost))}\n"
        text += "".join(f"{atom}.\n" for atom in sorted(symbols(one.atoms)))
    return text


FORMATS = (
    Format("wa", ".wa", "SemEval word alignments", _write_wa, answers=True),
    Format(
        "ratings", ".txt", "a rating a line, the format of SemEval", _write_rating, ratings=True
    ),
    Format("tsv", ".tsv", "rating TAB id", _write_tsv, ratings=True),
    Format(
        "jsonl",
        ".jsonl",
        "an object an answer, with its rating and what contributes",
        _write_jsonl,
        answers=True,
        ratings=True,
        several=True,
    ),
    Format("atoms", ".lp", "shown by clingo", _write_atoms, True, several=True, between="\n"),
    Format("text", ".txt", "for people", _write_text, answers=True, several=True, between="\n"),
)
"""All of them, in the order in which the help names them."""

ANSWERS = {one.name: one for one in FORMATS if one.answers}
RATINGS = {one.name: one for one in FORMATS if one.ratings}


def describe(forms: Mapping[str, Format]) -> str:
    """What the help says of formats: what each is, and which ending chooses it."""
    abouts = "; ".join(f"{one.name}: {one.about}" for one in forms.values())
    endings = ", ".join(one.ending for one in forms.values())
    return f"{abouts}. Default: by the ending of -o ({endings})"
