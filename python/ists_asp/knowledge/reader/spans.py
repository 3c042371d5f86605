"""Which spans may become chunks, and which of them the reader is asked about together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ists_asp.knowledge.reader.model import Judged
    from ists_asp.knowledge.reader.opinions import Span
    from ists_asp.model import Sentence

_OPEN = (3.0, 1.5, 0.0)
"""Log-odds within which a boundary is left open, tighter where too many spans would be possible."""
_SPANS = 40
"""Possible chunks of a sentence at most."""
_LONGEST = 12
"""Tokens of a possible chunk at most, where chunks are to be found."""
_PART = -4.0
"""Chunks are read merged where a part of them has at least such log-odds to be a counterpart."""
_GAP = -2.0
"""The same for both of two chunks that are read together across others, near to each other."""


def possible(sentence: Sentence, begins: Mapping[int, float]) -> list[tuple[int, int]]:
    """The spans of tokens that may be chunks, by the log-odds that chunks begin at tokens."""
    size = len(sentence.tokens)
    found: list[tuple[int, int]] = []
    for bound in _OPEN:
        starts = [1, *(token for token in range(2, size + 1) if begins.get(token, 0.0) > -bound)]
        found = []
        for first in starts:
            for last in range(first, min(first + _LONGEST - 1, size) + 1):
                after = last + 1
                if after > size or begins.get(after, 0.0) > -bound:
                    found.append((first, last))
                if after <= size and begins.get(after, 0.0) > bound:
                    break
        if len(found) <= _SPANS:
            break
    return found[:_SPANS]


def merged_spans(
    spans: Sequence[Sequence[tuple[int, int]]], judged: Mapping[tuple[Span, Span], Judged]
) -> Iterator[tuple[Span, Span]]:
    """Neighbours, and chunks round others, against a single chunk that a part may belong to."""
    for swapped, (own, others) in enumerate((spans, spans[::-1])):
        starting: dict[int, list[tuple[int, int]]] = {}
        for span in own:
            starting.setdefault(span[0], []).append(span)
        neighbours = [(a, b) for a in own for b in starting.get(a[1] + 1, ())]
        for other in others:
            worth = {
                span: judged[((other,), (span,)) if swapped else ((span,), (other,))].aligned
                for span in own
            }
            likely = [span for span in own if worth[span] > _GAP]
            found: list[Span] = [
                ((a[0], b[1]),) for a, b in neighbours if max(worth[a], worth[b]) > _PART
            ]
            found += [(a, b) for a in likely for b in likely if 1 < b[0] - a[1] <= _LONGEST]
            for merged in found:
                pair = ((other,), merged) if swapped else (merged, (other,))
                if pair not in judged:
                    yield pair


def is_wordy(sentence: Sentence, span: tuple[int, int]) -> bool:
    """Whether a span has a letter or digit."""
    first, last = span
    return any(map(str.isalnum, "".join(t.form for t in sentence.tokens[first - 1 : last])))
