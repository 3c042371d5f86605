"""Answers that were not solved here: those of a ``.wa`` file, made by people or programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, of_pair
from ists_asp.model import Answer, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ists_asp.model import Alignment, Pair, Sentence


def given_answer(pair: Pair, alignments: Sequence[Alignment]) -> Answer:
    """An answer made of a pair and alignments.

    Where a sentence has no chunks, they are the runs of neighbouring tokens on a line.

    Raises:
        DataError: an alignment names a token that the sentence lacks.
    """
    sides = []
    for number, sentence in ((1, pair.sent1), (2, pair.sent2)):
        lines = [line.tokens1 if number == 1 else line.tokens2 for line in alignments]
        size = len(sentence.tokens)
        for line in lines:
            if line and not 1 <= line[0] <= line[-1] <= size:
                raise DataError(
                    f"token {line[-1]} of sentence {number}, which has {size} tokens",
                    where=of_pair(pair.id),
                    hint="Give the sentences that the alignments are about",
                )
        sides.append(sentence.chunks or _chunks(sentence, lines))
    sent1, sent2 = (
        replace(sentence, chunks=chunks)
        for sentence, chunks in zip((pair.sent1, pair.sent2), sides, strict=True)
    )
    known = replace(pair, sent1=sent1, sent2=sent2)
    return Answer(known, sides[0], sides[1], tuple(alignments), (), optimal=True)


def _chunks(sentence: Sentence, lines: Iterable[Sequence[int]]) -> tuple[Chunk, ...]:
    line_of = {token: number for number, line in enumerate(lines) for token in line}
    starts = [
        token.index
        for token in sentence.tokens
        if token.index == 1
        or token.index not in line_of
        or line_of[token.index] != line_of.get(token.index - 1)
    ]
    ends = [*(start - 1 for start in starts[1:]), len(sentence.tokens)]
    return tuple(Chunk(start, end) for start, end in zip(starts, ends, strict=True))
