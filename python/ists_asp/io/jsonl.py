"""JSON Lines: pairs in, answers out, one object a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, FormatError, shortened
from ists_asp.io.ids import Ids
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import (
    Line,
    Repairs,
    Source,
    Warn,
    clean,
    ignore,
    parse_lines,
    source_name,
    split_words,
)
from ists_asp.model import Alignment, Answer, Chunk, Pair, Rating, Sentence, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_KEYS = "'sent1' and 'sent2', with or without 'id', 'chunks1' and 'chunks2'"


def read_jsonl(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[Pair]:
    """Yield pairs from objects with ``sent1`` and ``sent2`` (strings of tokens).

    Optional: ``id`` (string or integer, else the line number) and ``chunks1``, ``chunks2``
    (lists of ``[first, last]`` token numbers; both or none). Other keys are ignored.

    Raises:
        DataError: no JSON object, a missing or faulty value, an empty line, a repeated id.
        FormatError: the first line begins a list, or an object with other keys.
    """
    repairs = Repairs(warn, strict)
    label = source_name(source, name)
    with Ids() as ids:

        def pair(line: Line) -> Pair:
            where = line.where
            record = read_object(line)
            _check_keys(record, line)
            identifier = _identifier(record, line.number, where)
            ids.add(identifier, line.number, label)
            sent1, sent2 = (_sentence(record, number, where, repairs) for number in "12")
            if (sent1.chunks is None) != (sent2.chunks is None):
                given, absent = "12" if sent2.chunks is None else "21"
                raise DataError(
                    f"'chunks{given}' without 'chunks{absent}'",
                    where=where,
                    expected="both or none",
                )
            return Pair(identifier, sent1, sent2)

        yield from parse_lines(source, pair, name=name, warn=warn, strict=strict)


def read_object(line: Line) -> dict[str, object]:
    """The JSON object on a line.

    Raises:
        DataError: there is none.
        FormatError: the first line begins a list.
    """
    fault, expected, hint = DataError, "one object a line", None
    if not line.text.strip():
        raise DataError("an empty line", where=line.where, expected=expected)
    if line.number == 1 and line.text.lstrip().startswith("["):
        fault, hint = FormatError, "Write each object on a line of its own, with no list round them"
    try:
        record = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        # Python refuses to read numbers of thousands of digits, and stacks of brackets.
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too much for a value"
        column = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise fault(
            f"no valid JSON{column} ({reason})", where=line.where, expected=expected, hint=hint
        ) from error
    if not isinstance(record, dict):
        raise fault("JSON that is no object", where=line.where, expected=expected, hint=hint)
    return record


def _check_keys(record: dict[str, object], line: Line) -> None:
    """Refuse an object without sentences; on the first line, those of other programs.

    Raises:
        DataError: a sentence is missing.
        FormatError: on the first line both are.
    """
    missing = [f"'{key}'" for key in ("sent1", "sent2") if key not in record]
    if not missing:
        return
    fault = FormatError if line.number == 1 and len(missing) == 2 else DataError
    keys = shortened(", ".join(f"'{key}'" for key in record))
    raise fault(
        f"no {' and no '.join(missing)}" + (f" among the keys {keys}" if keys else ""),
        where=line.where,
        expected=_KEYS,
    )


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
    record: dict[str, object] = {
        "id": pair.id,
        "rank": rank,
        "sent1": pair.sent1.text,
        "sent2": pair.sent2.text,
        "tokens1": [token.form for token in pair.sent1.tokens],
        "tokens2": [token.form for token in pair.sent2.tokens],
        "chunks1": [[chunk.first, chunk.last] for chunk in answer.chunks1],
        "chunks2": [[chunk.first, chunk.last] for chunk in answer.chunks2],
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
        record["rating"] = _rating(answer.rating)
    return json.dumps(record, ensure_ascii=False) + "\n"


def write_failure(pair: Pair, reason: str) -> str:
    """One line (with its end) for a pair without an answer."""
    return json.dumps(failure_record(pair, reason), ensure_ascii=False) + "\n"


def failure_record(pair: Pair, reason: str) -> dict[str, object]:
    """A pair without an answer as JSON values: the pair, and the ``error``."""
    return {
        "id": pair.id,
        "sent1": pair.sent1.text,
        "sent2": pair.sent2.text,
        "error": reason,
    }


def _rating(rating: Rating) -> dict[str, object]:
    return {
        "value": rating.value,
        "contributions": [
            {"name": part.name, "value": part.value} for part in rating.contributions
        ],
    }


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
        sure = alignment.confidence
        record["confidence"] = {
            "alignment": sure.alignment,
            "label": sure.label,
            "score": sure.score,
        }
    return record


def _identifier(record: dict[str, object], number: int, where: str) -> str:
    value = record.get("id", number)
    text = ""
    if isinstance(value, str | int) and not isinstance(value, bool):
        # As a .wa file has it, so that what is told apart here is told apart there.
        text = " ".join(clean(str(value), where, Repairs()).split())
    if not text:
        raise DataError(
            f"the id {shortened(json.dumps(value))}",
            where=where,
            expected="a string or a whole number",
        )
    return text


def _sentence(record: dict[str, object], number: str, where: str, repairs: Repairs) -> Sentence:
    key = f"sent{number}"
    text = record.get(key)
    if not isinstance(text, str):
        raise DataError(f"'{key}' is no string", where=where, expected="a sentence as a string")
    words = split_words(clean(text, where, repairs))
    if not words:
        raise DataError(f"'{key}' is empty", where=where, expected="at least one token")
    tokens = make_sentence(words).tokens
    return Sentence(tokens, _chunks(record.get(f"chunks{number}"), len(tokens), number, where))


def _chunks(value: object, size: int, number: str, where: str) -> tuple[Chunk, ...] | None:
    if value is None:
        return None
    chunks: list[Chunk] = []
    for item in value if isinstance(value, list) else [value]:
        bounds = item if isinstance(item, list) else []
        if len(bounds) != 2 or not all(type(bound) is int for bound in bounds):
            raise DataError(
                f"{shortened(json.dumps(item))} in 'chunks{number}'",
                where=where,
                expected="[first token, last token]",
            )
        first, last = bounds
        due = chunks[-1].last + 1 if chunks else 1
        if first != due or not first <= last <= size:
            raise DataError(
                f"{shortened(json.dumps(item))} in 'chunks{number}' of a sentence of {size} tokens",
                where=where,
                expected=f"a chunk that begins at {due} and ends by {size}",
            )
        chunks.append(Chunk(first, last))
    if not chunks or chunks[-1].last != size:
        raise DataError(
            f"'chunks{number}' does not reach the last token", where=where, expected=f"{size}"
        )
    return tuple(chunks)
