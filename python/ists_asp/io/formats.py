"""The formats that answers and ratings are written in: one registry.

The command line takes its choices, endings and help from it. Tables share one writer, which puts
columns of ours behind those of the table that pairs came from.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field
from functools import lru_cache
from itertools import accumulate, chain, pairwise, starmap
from typing import TYPE_CHECKING, Any

from ists_asp.errors import DataError, SolveError
from ists_asp.io.text import Repairs, clean, given_tokens, make_sentence
from ists_asp.io.wa import FAILED, format_label, format_score, write_answer, write_pair
from ists_asp.model import Alignment, Answer, Chunk, Contribution, Label, Pair, Rating, Scheme, Tag
from ists_asp.terminal import display_width, padded, unbroken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ists_asp.io.delimited import Row, Text
    from ists_asp.io.tables import Table
    from ists_asp.model import Sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pair with its answers, or its failure."""

    pair: Pair
    answers: Sequence[Answer] = ()  # best first
    failure: SolveError | None = None  # an error that does not name the pair
    trace: str = ""  # the line of JSON that traces it
    knowledge: Sequence[str] = ()  # by which words were compared
    explanation: Mapping[str, Any] | None = None  # as Explanation.to_dict has it
    # The writer adds these to a worker's outcome.
    system: Mapping[str, object] | None = None  # what made the answer, for answer_record
    ranked: bool = False  # more answers than one were asked for
    alone: bool = False  # the pair is the only one
    others: Mapping[str, object] = field(default_factory=dict)  # what else its row holds

    @property
    def error(self) -> str | None:
        """The failure in a line."""
        return None if self.failure is None else self.failure.found


@dataclass(frozen=True, slots=True)
class Format:
    """A format of outputs, with its ending and what the help says about it."""

    name: str
    ending: str
    about: str
    write: Callable[[Outcome], str] = lambda _outcome: ""  # what is written of a pair
    answers: bool = False
    ratings: bool = False
    several: bool = False  # several answers to a pair
    between: str = ""  # what stands between two pairs
    table: str = ""  # the kind of a table, which writing_rows writes
    alone: bool = False  # one answer to the only pair


def answer_record(
    answer: Answer,
    rank: int = 1,
    knowledge: Sequence[str] = (),
    system: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """An answer as JSON values: pair, chunks, alignments, cost, optimality.

    ``data/schema/answer.schema.json`` describes them. A rated answer has a ``rating`` with its
    ``value`` and ``contributions``. The best answer has the ``rank`` 1; ``knowledge`` is
    :attr:`ists_asp.engine.System.knowledge`, ``system`` the provenance.
    """
    pair = answer.pair
    record: dict[str, object] = {
        "id": pair.id,
        "rank": rank,
        "sent1": pair.sent1.text,
        "sent2": pair.sent2.text,
        "tokens1": [token.form for token in pair.sent1.tokens],
        "tokens2": [token.form for token in pair.sent2.tokens],
        "chunks1": [[chunk.first, chunk.last] for chunk in answer.chunks1],
        "chunks2": [[chunk.first, chunk.last] for chunk in answer.chunks2],
        "alignments": [alignment_record(pair, alignment) for alignment in answer.alignments],
        "cost": list(answer.cost),
        "optimal": answer.optimal,
        "knowledge": list(knowledge),
        "system": dict(system or {}),
    }
    if answer.boundaries1 or answer.boundaries2:
        record |= {"boundaries1": [*answer.boundaries1], "boundaries2": [*answer.boundaries2]}
    if answer.rating is not None:
        record["rating"] = rating_record(answer.rating)
    return record


def rating_record(rating: Rating | None) -> dict[str, object] | None:
    """A rating as JSON values: value, contributions, and margin if there is one."""
    if rating is None:
        return None
    parts = [{"name": part.name, "value": part.value} for part in rating.contributions]
    margin = {} if rating.margin is None else {"margin": rating.margin / 1000}
    return {"value": rating.value, "contributions": parts, **margin}


def read_record(record: Mapping[str, Any], scheme: Scheme = Scheme.Y2016) -> Answer:
    """The answer of an :func:`answer_record`, not annotated; a DataError if it is none.

    A record with an ``error`` is a pair without an answer.
    """
    from msgspec import convert

    try:
        sent1, sent2 = (
            _sentence(convert(record.get(f"tokens{side}") or (), tuple[str, ...]), text or "")
            for side, text in (("1", record.get("sent1")), ("2", record.get("sent2")))
        )
        pair = Pair(clean(str(convert(record["id"], str | int)), "", Repairs()), sent1, sent2)
        if not pair.id.strip():
            raise ValueError
        if "error" in record and "alignments" not in record:
            return Answer(pair, (), (), (), (), optimal=False)
        chunks1, chunks2 = (
            tuple(Chunk(*bounds) for bounds in convert(record[name], list[tuple[int, int]]))
            for name in ("chunks1", "chunks2")
        )
        lines = convert(record["alignments"], tuple[Alignment, ...])
        rating = None
        if data := record.get("rating"):
            # Thousandths are whole, whatever JSON makes of their points.
            named = ((part["name"], round(1000 * part["value"])) for part in data["contributions"])
            parts = tuple(starmap(Contribution, named))
            margin = round(1000 * data["margin"]) if "margin" in data else None
            rating = Rating(round(1000 * data["value"]), parts, margin)
        cost = convert(record.get("cost", ()), tuple[int, ...])
        optimal = convert(record.get("optimal", True), bool)
        boundaries = [tuple(record.get(f"boundaries{side}", ())) for side in "12"]
        shares = (astuple(line.confidence) for line in lines if line.confidence is not None)
        if not all(share is None or 0 <= share <= 1 for share in chain(*boundaries, *shares)):
            raise ValueError
        answer = Answer(pair, chunks1, chunks2, lines, cost, optimal, rating, *boundaries)
    except (ValueError, OverflowError, LookupError, TypeError, AttributeError):
        expected = "what to_dict gives, or solve --format jsonl writes"
        raise DataError("this is not an answer", expected=expected) from None
    from ists_asp.answers import check_answer

    return check_answer(answer, scheme)


@lru_cache(maxsize=4096)
def _sentence(tokens: tuple[str, ...], text: str) -> Sentence:
    """A sentence of a record; a log has the same ones again and again."""
    text = clean(text, "", Repairs())
    return make_sentence(given_tokens(tokens) if tokens else text.split(), text)


def _line(record: Mapping[str, object], others: Mapping[str, object]) -> str:
    from ists_asp.io.tables import added

    if {"alignments", "optimal", "system"} <= others.keys():
        # An answer that is decided again.
        others = {name: value for name, value in others.items() if name not in _OURS}
    named = dict(zip(added(list(others), list(record)), record.values(), strict=True))
    return json.dumps({**others, **named}, ensure_ascii=False, default=str) + "\n"


# Keys of an answer's object that are not read as a pair.
_OURS = (
    *("rank", "tokens1", "tokens2", "chunks1", "chunks2", "alignments", "cost", "optimal"),
    *("knowledge", "system", "boundaries1", "boundaries2", "rating", "error"),
)


def failure_record(pair: Pair, reason: str) -> dict[str, object]:
    """A pair without an answer as JSON values: the pair, and the ``error``."""
    return {"id": pair.id, "sent1": pair.sent1.text, "sent2": pair.sent2.text, "error": reason}


def alignment_record(pair: Pair, alignment: Alignment) -> dict[str, object]:
    """An alignment as JSON values, with its words and how sure it is."""
    confidence = alignment.confidence
    return {
        "tokens1": list(alignment.tokens1),
        "tokens2": list(alignment.tokens2),
        "text1": pair.sent1.words(alignment.tokens1),
        "text2": pair.sent2.words(alignment.tokens2),
        "label": str(alignment.label),
        "tags": [str(tag) for tag in Tag if tag in alignment.tags],
        "score": alignment.score,
        **({} if confidence is None else {"confidence": asdict(confidence)}),
    }


def format_answer(answer: Answer) -> str:
    r"""A few lines (ending with ``\n``): the sentences, a table of alignments, what is left.

    Columns are padded to the width on the terminal of their widest cell, at most 48. An alignment
    that is more likely wrong has a question mark before it, a label or a lone chunk one behind it.
    """
    pair = answer.pair
    lines = sorted(answer.alignments, key=lambda line: line.sides)
    rows = [
        (pair.sent1.words(line.tokens1, "…"), caption(line), pair.sent2.words(line.tokens2, "…"))
        for line in lines
        if line.tokens1 and line.tokens2
    ]
    left = min(48, max((display_width(row[0]) for row in rows), default=0))
    middle = max((display_width(row[1]) for row in rows), default=0)
    text = [f"Pair {pair.id}", f"  1: {pair.sent1.text}", f"  2: {pair.sent2.text}"]
    text += [f"  {padded(a, left)}  {padded(label, middle)}  {b}" for a, label, b in rows]
    lone1 = [_lone(pair.sent1, line) for line in lines if line.tokens1 and not line.tokens2]
    lone2 = [_lone(pair.sent2, line) for line in lines if line.tokens2 and not line.tokens1]
    lone = ((number, "; ".join(chunks)) for number, chunks in ((1, lone1), (2, lone2)) if chunks)
    text += [f"  Not aligned in {number}: {chunks}" for number, chunks in lone]
    if not answer.optimal:
        text.append("  The solver stopped before it proved this answer the best.")
    return "\n".join(text) + "\n"


def caption(line: Alignment) -> str:
    """Label and score; a question mark in front of, or behind, what is more likely wrong."""
    alignment, label = line.doubts
    return f"{'? ' * alignment}{format_label(line)}{'?' * label} {format_score(line.score)}"


def _lone(sentence: Sentence, line: Alignment) -> str:
    """A chunk that is not aligned, with its label if that says more."""
    text = sentence.words(line.tokens1 or line.tokens2, "…") + "?" * line.doubts[0]
    return text if line.label is Label.NOALI and not line.tags else f"{text} ({format_label(line)})"


def _write_wa(outcome: Outcome) -> str:
    """The best answer; a pair that failed has each token by itself."""
    if outcome.failure is None:
        return write_answer(outcome.answers[0])
    pair = outcome.pair
    lines = [Alignment((token.index,), (), Label.NOALI, None) for token in pair.sent1.tokens]
    lines += [Alignment((), (token.index,), Label.NOALI, None) for token in pair.sent2.tokens]
    return write_pair(pair, lines, FAILED)


def _write_jsonl(outcome: Outcome) -> str:
    if outcome.failure is not None:
        return _line(failure_record(outcome.pair, outcome.error or ""), outcome.others)
    return "".join(
        _line(answer_record(answer, rank, outcome.knowledge, outcome.system), outcome.others)
        for rank, answer in enumerate(outcome.answers, 1)
    )


def _write_text(outcome: Outcome) -> str:
    if outcome.failure is not None:
        return f"Pair {outcome.pair.id}\n  no answer: {outcome.error}\n"
    return "\n".join(
        (f"Answer {rank}\n" if outcome.ranked else "") + format_answer(answer)
        for rank, answer in enumerate(outcome.answers, 1)
    )


def _write_rating(outcome: Outcome) -> str:
    """The rating; 0 for a pair that failed, since a line is due for every pair."""
    rating = outcome.answers[0].rating if outcome.answers else None
    return f"{rating.value if rating else 0:.3f}\n"


_COUNTED = tuple(label for label in Label if label is not Label.ALIC)

# Columns of ours where a row is a pair: its rating, how often each label, and in words.
PAIRS = ("rating", "margin", *map(str, _COUNTED), "explanation", "error")
ALIGNMENTS = ("chunk1", "chunk2", "label", "score", "probability", "tokens1", "tokens2", "error")
"""Columns of ours where a row is an alignment."""

EXPLAINED, RATED = ("explanation", "error"), ("rating", "margin", "error")
"""Columns of ours where pairs are explained only, or rated only."""


def pair_row(outcome: Outcome) -> Iterator[dict[str, object]]:
    """The values of :data:`PAIRS` for a pair, as far as there are any."""
    record: dict[str, object] = {"error": outcome.error}
    for answer in outcome.answers[:1]:
        labels = Counter(line.label for line in answer.alignments)
        record |= {str(label): labels[label] for label in _COUNTED}
        record |= {"explanation": outcome.explanation and outcome.explanation["text"]}
        if (rating := answer.rating) is not None:
            record |= {"rating": rating.value, "margin": rating.margin and rating.margin / 1000}
    yield record


def _alignment_rows(outcome: Outcome) -> Iterator[dict[str, object]]:
    if outcome.failure is not None:
        yield {"error": outcome.error}
    for answer in outcome.answers[:1]:
        pair = answer.pair
        for line in answer.alignments:
            yield {
                "chunk1": pair.sent1.words(line.tokens1, "…"),
                "chunk2": pair.sent2.words(line.tokens2, "…"),
                "label": format_label(line),
                "score": line.score,
                "probability": line.confidence and line.confidence.line,
                "tokens1": " ".join(map(str, line.tokens1)),
                "tokens2": " ".join(map(str, line.tokens2)),
            }


_ROWS: dict[tuple[str, ...], Callable[[Outcome], Iterable[Mapping[str, object]]]]
_ROWS = {PAIRS: pair_row, RATED: pair_row, EXPLAINED: pair_row, ALIGNMENTS: _alignment_rows}


@contextmanager
def writing_rows(
    shape: Format, stream: Text, columns: tuple[str, ...], like: Table | None
) -> Iterator[Callable[[Outcome | DataError, Row | None], None]]:
    """Write the rows of pairs, or their faults, behind the columns of ``like`` or id and texts."""
    from ists_asp.io.tables import writing_behind

    with writing_behind(shape.table, stream, columns, like) as put:

        def put_rows(outcome: Outcome | DataError, row: Row | None) -> None:
            front: Row | Sequence[object] = () if row is None else row
            records: Iterable[Mapping[str, object]] = [{"error": str(outcome)}]
            if isinstance(outcome, Outcome):
                pair, records = outcome.pair, _ROWS[columns](outcome)
                front = (pair.id, pair.sent1.text, pair.sent2.text) if row is None else front
            for record in records:
                put(front, [record.get(name) for name in columns])

        yield put_rows


def _write_words(outcome: Outcome) -> str:
    """The explanation, behind the pair's id unless it is alone; nothing of a pair that failed."""
    if outcome.explanation is None:
        return ""
    return f"{outcome.pair.id}: " * (not outcome.alone) + f"{outcome.explanation['text']}\n"


def _write_statements(outcome: Outcome) -> str:
    record = outcome.explanation or failure_record(outcome.pair, outcome.error or "")
    return _line(record, outcome.others)


def _write_atoms(outcome: Outcome) -> str:
    """The atoms of each answer, below comments: the pair, and the cost or why there is none."""
    from ists_asp.syntax.ground import symbols

    pair = outcome.pair
    head = [f"pair {pair.id}", f"1: {pair.sent1.text}", f"2: {pair.sent2.text}", outcome.error]
    text = "".join(f"% {unbroken(line)}\n" for line in head if line)
    for rank, answer in enumerate(outcome.answers, 1):
        text += f"% answer {rank}, cost {' '.join(map(str, answer.cost))}\n"
        text += "".join(f"{atom}.\n" for atom in sorted(symbols(answer.atoms)))
    return text


def _write_pharaoh(outcome: Outcome) -> str:
    """The links of the best answer between tokens, counted from 0, in a line."""
    lines = [line for answer in outcome.answers[:1] for line in answer.alignments]
    links = sorted((a - 1, b - 1) for line in lines for a in line.tokens1 for b in line.tokens2)
    return " ".join(f"{a}-{b}" for a, b in links) + "\n"


def _write_conllu(outcome: Outcome) -> str:
    """Both sentences, with tags, and in the last column what each word is aligned with."""
    pair, text = outcome.pair, ""
    lines = [line for answer in outcome.answers[:1] for line in answer.alignments]
    sentences = pair.sentences
    sizes = [[len(token.words) or 1 for token in sentence.tokens] for sentence in sentences]
    ends = [[0, *accumulate(widths)] for widths in sizes]  # words up to the end of each token
    for side, sentence in enumerate(sentences):
        text += f"# sent_id = {pair.id}.{side + 1}\n# text = {unbroken(sentence.text)}\n"
        for token, (before, end) in zip(sentence.tokens, pairwise(ends[side]), strict=True):
            misc = ["SpaceAfter=No" for after in sentence.tokens[token.index :][:1] if after.glued]
            for line in lines:
                tokens, other = line.sides[:: 1 - 2 * side]
                if token.index in tokens:
                    theirs, to = ends[1 - side], [f"Label={format_label(line)}"]
                    numbers = [n for at in other for n in range(theirs[at - 1] + 1, theirs[at] + 1)]
                    to += [f"Aligned={','.join(map(str, numbers))}"] if numbers else []
                    misc = [*to, f"Score={format_score(line.score)}", *misc]
            last, open_ = "|".join(sorted(misc)) or "_", "\t_" * 4
            if end - before > 1:
                text += f"{before + 1}-{end}\t{token.form}\t_\t_\t_{open_}\t{last}\n"
                last = "_"
            words = [astuple(word) for word in token.words] or [(token.form, "_", "_", "_")]
            for number, word in enumerate(words, before + 1):
                text += "\t".join([str(number), *word]) + f"{open_}\t{last}\n"
        text += "\n"
    return text


_OBJECTS = "one object per answer, with its rating and contributions"
FORMATS = (
    Format("wa", ".wa", "SemEval word alignments", _write_wa, answers=True),
    Format("ratings", ".txt", "one rating per line, as in SemEval", _write_rating, ratings=True),
    *(
        Format(kind, f".{kind}", about, answers=True, ratings=True, table=kind)
        for kind, about in (
            *(("csv", "a table"), ("tsv", "a table with tabs"), ("xlsx", "an Excel sheet")),
            *(("ods", "a LibreOffice sheet"), ("parquet", "a Parquet file")),
        )
    ),
    Format("jsonl", ".jsonl", _OBJECTS, _write_jsonl, answers=True, ratings=True, several=True),
    Format("atoms", ".lp", "shown by clingo", _write_atoms, True, several=True, between="\n"),
    Format("pharaoh", ".links", "links i-j from 0, a line per pair", _write_pharaoh, answers=True),
    Format("conllu", ".conllu", "both sentences in CoNLL-U", _write_conllu, answers=True),
    Format("text", ".txt", "for people", _write_text, answers=True, several=True, between="\n"),
)
"""All of them, in the order in which the help names them."""

EXPLANATIONS = {
    "text": Format("text", ".txt", "for people", _write_words),
    "jsonl": Format("jsonl", ".jsonl", "an object per pair, with statements", _write_statements),
    **{form.name: form for form in FORMATS if form.table},
}
"""Those of answers in words."""

ANSWERS = {form.name: form for form in FORMATS if form.answers}
RATINGS = {form.name: form for form in FORMATS if form.ratings}


def describe(forms: Mapping[str, Format]) -> str:
    """The help about formats: what each is, and which ending chooses it."""
    abouts = "; ".join(f"{form.name}: {form.about}" for form in forms.values())
    endings = ", ".join(form.ending for form in forms.values())
    return f"{abouts}. Default: by the ending of -o ({endings})"
