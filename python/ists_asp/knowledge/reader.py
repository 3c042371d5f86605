"""The reader: what a small fine-tuned encoder holds about a pair of sentences.

It reads both sentences at once and says, in numbers, where chunks begin, which of the spans
that may become chunks are counterparts, what their label and their score would be. Those numbers
are opinions: rules weigh them against everything else (``lp_rules/reader``).

A model is a folder with ``encoder.onnx`` (int8), ``heads.npz`` and ``tokenizer.json``, made by
``data/reader/train``. ONNX Runtime and tokenizers are imported when the first pair is read.

Numbers are rounded to :data:`STEP`, far more coarsely than processors differ in the last bits of
a sum, and every pair is read by itself, so that what others are read with it changes nothing.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.model import Label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ists_asp.model import Pair, Sentence

__all__ = [
    "LABELS",
    "BoundaryOpinion",
    "LinkOpinion",
    "Opinion",
    "Opinions",
    "Reader",
    "Span",
    "find_reader",
    "reader_digest",
    "shipped_reader",
]

FILES = ("encoder.onnx", "heads.npz", "tokenizer.json")
LABELS = tuple(label.value.lower() for label in Label if label.aligned)
"""The labels, in the order of the reader's outputs."""

MOST_PIECES = 512
"""Word pieces of both sentences at most: about longer pairs the reader holds nothing."""

STEP = 25
"""Opinions are rounded to so many hundredths of a log-odds unit."""
BOUND = 500
"""Opinions are kept within so many hundredths: more certain than 1 in 150 is certain."""
_SCORE_STEP = 10

_LABELLED = -300
"""Labels are told of spans that are counterparts with such log-odds in hundredths."""

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

Floats: TypeAlias = "NDArray[np.float32]"
Span: TypeAlias = tuple[tuple[int, int], ...]
"""Runs of tokens, first and last: one run, or two with others between them."""
_INSTALL = "Install the packages onnxruntime and tokenizers, or leave the reader out: --reader none"


class Opinion(NamedTuple):
    """How likely something is: in percent, and in hundredths of a log-odds unit or log-probability.

    ``hundredths`` is rounded to :data:`STEP` and at most :data:`BOUND` from 0.
    """

    percent: int
    hundredths: int


class BoundaryOpinion(NamedTuple):
    """How likely a chunk begins at a token."""

    sentence: int
    token: int
    begins: Opinion


class LinkOpinion(NamedTuple):
    """What is held about a span of each sentence.

    Attributes:
        span1: the span of sentence 1.
        span2: the span of sentence 2.
        aligned: how likely they are counterparts.
        labels: for each label how likely it is if they are, by its log-probability; none where
            they hardly are.
        score: their expected score if they are and are not EQUI, in hundredths, 100 to 400; None
            where they hardly are.
    """

    span1: Span
    span2: Span
    aligned: Opinion
    labels: tuple[tuple[str, Opinion], ...]
    score: int | None


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the reader holds about a pair.

    Attributes:
        boundaries: where chunks begin; none where chunks are given.
        spans: the spans that may be chunks, with their sentences: (sentence, (first, last)).
        links: what is held about those that may be counterparts; all others are not.
    """

    boundaries: tuple[BoundaryOpinion, ...] = ()
    spans: tuple[tuple[int, tuple[int, int]], ...] = ()
    links: tuple[LinkOpinion, ...] = ()


def shipped_reader() -> Path:
    """The folder of the reader that comes along.

    Raises:
        ResourceError: the installation has no data folder.
    """
    from ists_asp.resources import data_dir

    return data_dir() / "reader"


def find_reader(reader: bool | Path) -> Reader | None:
    """Return the reader that a user asks for.

    Args:
        reader: False for none, True for the shipped one, or the folder of another.

    Raises:
        ResourceError: a package or a file is missing.
    """
    if reader is False:
        return None
    return Reader(shipped_reader() if reader is True else reader)


def reader_digest(folder: Path) -> str:
    """The first digits of the SHA-256 of a reader's files together."""
    whole = hashlib.sha256()
    for name in FILES:
        whole.update((folder / name).read_bytes())
    return whole.hexdigest()[:12]


class Reader:
    """A model that reads pairs.

    Args:
        folder: where its files lie.

    Raises:
        ResourceError: a package or a file is missing; or, when the first pair is read, a file
            is damaged.
    """

    def __init__(self, folder: Path) -> None:
        for package in ("onnxruntime", "tokenizers"):
            if find_spec(package) is None:
                raise ResourceError(f"the package {package} is missing", hint=_INSTALL)
        for name in FILES:
            if not (folder / name).is_file():
                raise ResourceError(
                    f"there is no {name}",
                    where=str(folder),
                    expected=f"a reader: a folder with {', '.join(FILES)}",
                    hint="Name such a folder with --reader, or none",
                )
        self._folder = folder

    @cached_property
    def digest(self) -> str:
        """Its hash; see :func:`reader_digest`."""
        return reader_digest(self._folder)

    def read(self, pair: Pair) -> Opinions:
        """Return what the reader holds about a pair; nothing where it is too long for it.

        Raises:
            ResourceError: a file of the reader is damaged.
        """
        model = self._model
        reading = model.read(pair)
        if reading is None:
            return Opinions()
        sentences = (pair.sent1, pair.sent2)
        given = all(sentence.chunks is not None for sentence in sentences)
        boundaries: list[BoundaryOpinion] = []
        spans: list[list[tuple[int, int]]] = []
        for number, sentence in enumerate(sentences, 1):
            if given:
                spans.append([(chunk.first, chunk.last) for chunk in sentence.chunks or ()])
                continue
            begins = model.boundaries(reading, number - 1)
            boundaries += [
                BoundaryOpinion(number, token, _log_odds(value)) for token, value in begins.items()
            ]
            spans.append(_possible(sentence, begins))
        spans = [
            [span for span in found if _is_wordy(sentence, span)]
            for found, sentence in zip(spans, sentences, strict=True)
        ]
        return Opinions(
            tuple(boundaries),
            tuple((number, span) for number, found in enumerate(spans, 1) for span in found),
            tuple(self._links(reading, spans)),
        )

    def _links(
        self, reading: _Reading, spans: Sequence[Sequence[tuple[int, int]]]
    ) -> Iterator[LinkOpinion]:
        """The opinions about spans that may be counterparts, in the order of their tokens."""
        singles: list[tuple[Span, Span]] = [((a,), (b,)) for a in spans[0] for b in spans[1]]
        if not singles:
            return
        model = self._model
        judged = dict(zip(singles, model.links(reading, singles), strict=True))
        merged = list(dict.fromkeys(_merged(spans, judged)))
        if merged:
            judged.update(zip(merged, model.links(reading, merged), strict=True))
        for (span1, span2), found in sorted(judged.items()):
            aligned = _log_odds(found.aligned)
            if aligned.hundredths > -BOUND:
                labels: tuple[tuple[str, Opinion], ...] = ()
                score = None
                if aligned.hundredths >= _LABELLED:
                    values = map(_log_probability, found.labels)
                    labels = tuple(zip(LABELS, values, strict=True))
                    score = _SCORE_STEP * round(100 * found.score / _SCORE_STEP)
                yield LinkOpinion(span1, span2, aligned, labels, score)

    @cached_property
    def _model(self) -> _Model:
        try:
            return _Model(self._folder)
        # A damaged file fails in as many ways as there are bytes to damage.
        except Exception as error:
            no_fault_of_files(error)
            raise ResourceError(
                f"the reader cannot be loaded: {brief(error)}",
                where=str(self._folder),
                hint="Reinstall ists-asp, or leave the reader out: --reader none",
            ) from None


class _Reading(NamedTuple):
    """A pair read: the states of its pieces, and where those of each token lie."""

    states: Floats
    pieces: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    known: dict[tuple[int, Span], Floats]


class _Judged(NamedTuple):
    """Log-odds of an alignment, log-probabilities of labels, an expected score."""

    aligned: float
    labels: Sequence[float]
    score: float


class _Model:
    """The files of a reader, loaded: an encoder and its heads, which are two layers each."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # The file holds the optimised graph.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self._encoder: Any = onnxruntime.InferenceSession(
            str(folder / "encoder.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        path = folder / "heads.npz"
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as heads:
            self._heads: Mapping[str, Floats] = {
                name: heads[name].astype(np.float32) for name in heads.files
            }
        self._size = self._heads["boundary.0.weight"].shape[1] // 2

    def read(self, pair: Pair) -> _Reading | None:
        """Encode a pair; None if it is too long."""
        words = [[token.form for token in side.tokens] for side in (pair.sent1, pair.sent2)]
        found = self._tokenizer.encode(words[0], words[1], is_pretokenized=True)
        if len(found.ids) > MOST_PIECES:
            return None
        pieces: list[list[list[int]]] = [[[] for _ in side] for side in words]
        for place, (word, side) in enumerate(zip(found.word_ids, found.sequence_ids, strict=True)):
            if word is not None and side is not None:
                pieces[side][word].append(place)
        inputs = {
            "ids": np.array([found.ids], dtype=np.int64),
            "types": np.array([found.type_ids], dtype=np.int64),
        }
        (states,) = self._encoder.run(["states"], inputs)
        first, second = (tuple(map(tuple, side)) for side in pieces)
        return _Reading(states[0], (first, second), {})

    def boundaries(self, reading: _Reading, side: int) -> dict[int, float]:
        """For each token but the first the log-odds that a chunk begins there."""
        places = {
            token: (mine[0], before[-1])
            for token, (before, mine) in enumerate(
                zip(reading.pieces[side], reading.pieces[side][1:], strict=False), 2
            )
            if mine and before
        }
        if not places:
            return {}
        here, before = map(list, zip(*places.values(), strict=True))
        features = np.concatenate([reading.states[here], reading.states[before]], axis=1)
        found = self._two("boundary", features)[:, 0]
        return dict(zip(places, found.tolist(), strict=True))

    def links(self, reading: _Reading, pairs: Sequence[tuple[Span, Span]]) -> Iterator[_Judged]:
        """What is held about pairs of spans."""
        size, heads = self._size, self._heads
        weight = heads["joint.weight"]
        firsts = {span: row for row, span in enumerate(dict.fromkeys(a for a, _ in pairs))}
        seconds = {span: row for row, span in enumerate(dict.fromkeys(b for _, b in pairs))}
        one = np.stack([self._mean(reading, 0, span) for span in firsts])
        two = np.stack([self._mean(reading, 1, span) for span in seconds])
        rows1 = [firsts[a] for a, _ in pairs]
        rows2 = [seconds[b] for _, b in pairs]
        u, v = one[rows1], two[rows2]
        # What depends on one span only is multiplied once a span, not once a pair.
        same = weight[:, 4 * size : 5 * size] @ reading.states[0]
        hidden = (one @ weight[:, :size].T)[rows1] + (two @ weight[:, size : 2 * size].T)[rows2]
        hidden += np.abs(u - v) @ weight[:, 2 * size : 3 * size].T
        hidden += (u * v) @ weight[:, 3 * size : 4 * size].T
        hidden = np.maximum(hidden + (same + heads["joint.bias"]), 0)
        aligned = hidden @ heads["align.weight"].T + heads["align.bias"]
        labels = _log_softmax(hidden @ heads["label.weight"].T + heads["label.bias"])
        # EQUI scores 5 whatever the reader says.
        scores = np.exp(
            _log_softmax((hidden @ heads["score.weight"].T + heads["score.bias"])[:, :4])
        ) @ np.arange(1, 5, dtype=np.float32)
        return map(_Judged, aligned[:, 0].tolist(), labels.tolist(), scores.tolist())

    def _two(self, name: str, features: Floats) -> Floats:
        heads = self._heads
        hidden = features @ heads[f"{name}.0.weight"].T + heads[f"{name}.0.bias"]
        found: Floats = np.maximum(hidden, 0) @ heads[f"{name}.2.weight"].T
        return found + heads[f"{name}.2.bias"]

    def _mean(self, reading: _Reading, side: int, span: Span) -> Floats:
        key = side, span
        if key not in reading.known:
            tokens = [token - 1 for first, last in span for token in range(first, last + 1)]
            places = [place for token in tokens for place in reading.pieces[side][token]]
            reading.known[key] = reading.states[places or [0]].mean(axis=0)
        return reading.known[key]


def _possible(sentence: Sentence, begins: Mapping[int, float]) -> list[tuple[int, int]]:
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


def _merged(
    spans: Sequence[Sequence[tuple[int, int]]], judged: Mapping[tuple[Span, Span], _Judged]
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


def _is_wordy(sentence: Sentence, span: tuple[int, int]) -> bool:
    """Whether a span has a letter or digit."""
    first, last = span
    return any(map(str.isalnum, "".join(t.form for t in sentence.tokens[first - 1 : last])))


def _log_odds(value: float) -> Opinion:
    hundredths = _rounded(value)
    return Opinion(round(100 / (1 + math.exp(-hundredths / 100))), hundredths)


def _log_probability(value: float) -> Opinion:
    hundredths = _rounded(value)
    return Opinion(round(100 * math.exp(hundredths / 100)), hundredths)


def _rounded(value: float) -> int:
    return min(max(STEP * round(100 * value / STEP), -BOUND), BOUND)


def _log_softmax(values: Floats) -> Floats:
    shifted = values - values.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
