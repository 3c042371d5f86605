"""The files of a reader, loaded: encoders and heads."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, lru_cache, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ists_asp.model import Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding

# Word pieces at most, of both sentences or of one: nothing is predicted about longer ones.
MOST_PIECES = 512
Run: TypeAlias = "tuple[int, int]"  # first and last token
Span: TypeAlias = "tuple[Run, ...]"  # runs of tokens: one, or two with others between them
Floats: TypeAlias = "NDArray[np.float32]"


class Reading(NamedTuple):
    """A pair read: the states of its pieces, and where those of each token lie."""

    states: Floats
    pieces: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]


class Judged(NamedTuple):
    """Log-odds of an alignment, log-probabilities of labels, an expected score."""

    aligned: float
    labels: Sequence[float]
    score: float


class Model:
    """The files of a reader, loaded: encoders with common embeddings, and two-layer heads."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._folder = folder
        self._embeddings = self._session("embeddings.onnx")
        self._encoder = self._session("encoder.onnx")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        path = folder / "heads.npz"
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as heads:
            self._heads: Mapping[str, Floats] = {
                name: heads[name].astype(np.float32) for name in heads.files
            }
        for name, values in self._heads.items():
            if not np.isfinite(values).all():
                raise ValueError(f"{path.name}: not all of {name} are numbers")
        self.one_thread: Callable[[], AbstractContextManager[object]] = nullcontext
        """Lets numpy take one thread, as encoders do: matrices are small, processors busy."""
        if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
            from threadpoolctl import ThreadpoolController

            self.one_thread = partial(ThreadpoolController().limit, limits=1, user_api="blas")
        self._size = self._heads["boundary.0.weight"].shape[1] // 2
        self._encoded = lru_cache(200)(self._encode)

    def _session(self, name: str) -> Any:  # noqa: ANN401 (the package has no types)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # The file holds the optimised graph.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return onnxruntime.InferenceSession(
            str(self._folder / name), options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _sentences(self) -> Any:  # noqa: ANN401 (the package has no types)
        return self._session("sentences.onnx")

    def read(self, pair: Pair) -> Reading | None:
        """Encode a pair, once for answer and rating of a batch; None if it is too long."""
        return self._encoded(*map(tuple, _words(pair)))

    def _encode(self, *words: Sequence[str]) -> Reading | None:
        encoding = self._tokenizer.encode(words[0], words[1], is_pretokenized=True)
        if len(encoding.ids) > MOST_PIECES:
            return None
        pieces: list[list[list[int]]] = [[[] for _ in side] for side in words]
        numbers = zip(encoding.word_ids, encoding.sequence_ids, strict=True)
        for place, (word, side) in enumerate(numbers):
            if word is not None and side is not None:
                pieces[side][word].append(place)
        (states,) = self._encoder.run(["states"], self._embedded(encoding))
        first, second = (tuple(map(tuple, side)) for side in pieces)
        return Reading(states[0], (first, second))

    def _embedded(self, encoding: Encoding) -> dict[str, Floats]:
        numbers = {"ids": encoding.ids, "types": encoding.type_ids}
        inputs = {name: np.array([ids], dtype=np.int64) for name, ids in numbers.items()}
        (embedded,) = self._embeddings.run(["embedded"], inputs)
        return {"embedded": embedded}

    def vectors(self, pair: Pair) -> tuple[Floats, Floats] | None:
        """The meanings of the sentences, each by itself, as vectors; None if one is too long."""
        encodings = [self._tokenizer.encode(side, is_pretokenized=True) for side in _words(pair)]
        if max(len(encoding.ids) for encoding in encodings) > MOST_PIECES:
            return None
        inputs = map(self._embedded, encodings)
        first, second = (self._sentences.run(["mean"], given)[0][0] for given in inputs)
        return first, second

    def boundaries(self, reading: Reading, side: int) -> dict[int, float]:
        """For each token but the first the log-odds that a chunk begins there."""
        places = {
            token: (own_pieces[0], before[-1])
            for token, (before, own_pieces) in enumerate(pairwise(reading.pieces[side]), 2)
            if own_pieces and before
        }
        if not places:
            return {}
        current, before = map(list, zip(*places.values(), strict=True))
        features = np.concatenate([reading.states[current], reading.states[before]], axis=1)
        return dict(zip(places, self._two_layers("boundary", features)[:, 0].tolist(), strict=True))

    def links(self, reading: Reading, pairs: Sequence[tuple[Span, Span]]) -> Iterator[Judged]:
        """Predictions about pairs of spans."""
        size, heads = self._size, self._heads
        weight = heads["joint.weight"]
        firsts = {span: row for row, span in enumerate(dict.fromkeys(a for a, _ in pairs))}
        seconds = {span: row for row, span in enumerate(dict.fromkeys(b for _, b in pairs))}
        left, right = _means(reading, 0, firsts), _means(reading, 1, seconds)
        rows1, rows2 = [firsts[a] for a, _ in pairs], [seconds[b] for _, b in pairs]
        u, v = left[rows1], right[rows2]
        # Terms of one span are multiplied once per span, not per pair.
        context = weight[:, 4 * size : 5 * size] @ reading.states[0]
        hidden = (left @ weight[:, :size].T)[rows1] + (right @ weight[:, size : 2 * size].T)[rows2]
        hidden += np.abs(u - v) @ weight[:, 2 * size : 3 * size].T
        hidden += (u * v) @ weight[:, 3 * size : 4 * size].T
        hidden = np.maximum(hidden + (context + heads["joint.bias"]), 0)
        aligned = hidden @ heads["align.weight"].T + heads["align.bias"]
        labels = _log_softmax(hidden @ heads["label.weight"].T + heads["label.bias"])
        # EQUI scores 5 whatever the reader says.
        scores = np.exp(
            _log_softmax((hidden @ heads["score.weight"].T + heads["score.bias"])[:, :4])
        ) @ np.arange(1, 5, dtype=np.float32)
        return map(Judged, aligned[:, 0].tolist(), labels.tolist(), scores.tolist())

    def compared(self, reading: Reading, sides: Sequence[int] = (0, 1)) -> Floats:
        """The sentences as wholes, in the order of ``sides``: shape (1, 5 * dimensions)."""
        u, v = (_means(reading, side, [((1, len(reading.pieces[side])),)])[0] for side in sides)
        return np.concatenate([u, v, np.abs(u - v), u * v, reading.states[0]])[np.newaxis]

    def rating(self, reading: Reading) -> float:
        """How alike the sentences are as wholes, 0 to 1."""
        return 1 / (1 + math.exp(-self._two_layers("rating", self.compared(reading)).item()))

    def verdicts(self, compared: Floats) -> list[float]:
        """Log-probabilities of verdicts on an answer beside a model answer; none if not learned."""
        if "verdict.weight" not in self._heads:
            return []
        odds = compared @ self._heads["verdict.weight"].T + self._heads["verdict.bias"]
        logs: list[float] = _log_softmax(odds)[0].tolist()
        return logs

    def _two_layers(self, name: str, features: Floats) -> Floats:
        heads = self._heads
        hidden = features @ heads[f"{name}.0.weight"].T + heads[f"{name}.0.bias"]
        outputs: Floats = np.maximum(hidden, 0) @ heads[f"{name}.2.weight"].T
        return outputs + heads[f"{name}.2.bias"]


def _means(reading: Reading, side: int, spans: Collection[Span]) -> Floats:
    """The mean states of the pieces of spans, or the first state where a span has none."""
    shares = np.zeros((len(spans), len(reading.states)), dtype=np.float32)
    for row, span in enumerate(spans):
        pieces = chain.from_iterable(reading.pieces[side][first - 1 : last] for first, last in span)
        places = [*chain.from_iterable(pieces)] or [0]
        shares[row, places] = 1 / len(places)
    means: Floats = shares @ reading.states
    return means


def _words(pair: Pair) -> tuple[list[str], list[str]]:
    return [token.form for token in pair.sent1.tokens], [token.form for token in pair.sent2.tokens]


def _log_softmax(values: Floats) -> Floats:
    shifted = values - values.max(axis=1, keepdims=True)
    logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs
