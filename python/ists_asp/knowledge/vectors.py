"""Static word vectors: similarity in meaning without context.

The vectors are distilled from a sentence encoder (see ``data/vectors/README.md``). A word's
vector is the mean of its word pieces' vectors, the pooling that they were made for (model2vec,
Tulkens and van Dongen 2024); rare words have long vectors and function words short ones.

Rules choose the chunks, so they get inner products and norms of tokens. As a chunk's vector is the
sum of its tokens' vectors, these give the cosine of any two runs of tokens::

    cosine(A, B) = sum of product(i, j) over i in A, j in B / (norm(A) * norm(B))

The cosine of the whole sentences is a fact of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.model import Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

VERSION = 1  # the layout of the file, as ``data/vectors/build.py`` writes it
CACHED = 50_000  # words whose vectors are kept: 25 MB at 128 dimensions
UNIT = 100  # a vector of length 1 has the norm UNIT, two equal ones the product UNIT * UNIT
MIN_PERCENT = 25  # pairs of tokens with a smaller cosine, in percent, are not near
MAX_RUN = 12  # norms are given for runs of so many tokens at most
# Longer vectors are cut to this length. A run of MAX_RUN tokens then has a norm of at most 2400, so
# that neither the product of two norms nor a hundred times the inner product of two runs, which
# rules work out, leaves 32 bits.
MAX_LENGTH = 2.0
_UNKNOWN = "[UNK]"


class _Table(NamedTuple):
    """A tokenizer, the codes of pieces (pieces, dimensions) and their scales (pieces,)."""

    tokenizer: Tokenizer
    codes: NDArray[np.int8]
    scales: NDArray[np.float16]


class Vectors:
    """A vocabulary of word pieces with a vector each; its ``.npz`` file is read when first used."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise _unusable(path, "no word vectors")
        self._path = path
        self._pooled = lru_cache(CACHED)(self._pool)

    @cached_property
    def _table(self) -> _Table:
        path = self._path
        try:
            with path.open("rb") as file, np.load(file) as arrays:
                version = int(arrays["version"])
                names = bytes(arrays["pieces"]).decode().split("\n")
                codes, scales = arrays["codes"], arrays["scales"]
        # A damaged file fails in as many ways as there are bytes to damage.
        except Exception as error:
            no_fault_of_files(error)
            raise _unusable(path, f"damaged word vectors ({brief(error)})") from None
        if version != VERSION:
            raise _unusable(path, f"word vectors of layout {version}", f"layout {VERSION}")
        if codes.ndim != 2 or not len(names) == len(codes) == len(scales):
            counts = f"{len(names)} word pieces, vectors of shape {codes.shape}"
            raise _unusable(path, f"{counts}, {len(scales)} scales", "as many of each")
        numbers = {name: number for number, name in enumerate(names)}
        # The unknown piece has the last number.
        return _Table(_tokenizer(numbers | {_UNKNOWN: len(codes)}), codes, scales)

    def vector(self, word: str) -> NDArray[np.float32]:
        """The vector of a word, shape (dimensions,), read-only, and 0 for an unknown word."""
        return self._pooled(word.lower())

    def matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of words, shape (words, dimensions)."""
        if not words:
            return np.zeros((0, self._table.codes.shape[1]), dtype=np.float32)
        return np.stack([self.vector(word) for word in words])

    def facts(self, words1: Sequence[str], words2: Sequence[str], pair: Pair) -> Iterator[str]:
        """Compare the words of the tokens of a pair; see :func:`nearness`."""
        return nearness(self.matrix(words1), self.matrix(words2), pair)

    def _pool(self, word: str) -> NDArray[np.float32]:
        table = self._table
        ids = table.tokenizer.encode(word, add_special_tokens=False).ids
        numbers = [number for number in ids if number < len(table.codes)]
        pooled = np.zeros(table.codes.shape[1], dtype=np.float32)
        if numbers:
            scales = table.scales[numbers].astype(np.float32)
            pooled += scales @ table.codes[numbers].astype(np.float32) / len(numbers)
        pooled.setflags(write=False)
        return pooled


def _unusable(path: Path, found: str, expected: str | None = None) -> ResourceError:
    hint = "Reinstall ists-asp, or build the vectors as data/vectors/README.md tells"
    return ResourceError(found, where=str(path), expected=expected, hint=hint)


def _tokenizer(numbers: dict[str, int]) -> Tokenizer:
    """Cuts words into pieces as BERT's uncased models do (Devlin et al. 2019)."""
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers

    tokenizer = tokenizers.Tokenizer(models.WordPiece(numbers, unk_token=_UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def nearness(
    vectors1: NDArray[np.float32], vectors2: NDArray[np.float32], pair: Pair
) -> Iterator[str]:
    """Compare the tokens of two sentences: atoms of ``asp/input.lp`` as text.

    The vectors have the shape (tokens, dimensions), and are zero for marks. Of a pair with chunks,
    only tokens and runs of chunks are compared.
    """
    sides = _cut(vectors1), _cut(vectors2)
    inner = sides[0] @ sides[1].T
    lengths = np.outer(*(np.linalg.norm(side, axis=1) for side in sides))
    percents = np.clip(np.rint(100 * inner / np.where(lengths > 0, lengths, 1)), 0, 100).astype(int)
    percents[percents < MIN_PERCENT] = 0
    for row, column, percent in _cells(percents):
        yield f"near({row + 1},{column + 1},{percent})"
    # Where runs begin and where they end that rules may ask about, for each sentence.
    begins: list[Sequence[int]] = [range(1, len(side) + 1) for side in sides]
    ends = begins
    products = np.rint(UNIT * UNIT * inner).astype(int)
    if pair.sent1.chunks is not None and pair.sent2.chunks is not None:
        chunked = pair.sent1.chunks, pair.sent2.chunks
        begins = [[chunk.first for chunk in chunks] for chunks in chunked]
        ends = [[chunk.last for chunk in chunks] for chunks in chunked]
        for axis, starts in enumerate(begins):
            products = np.add.reduceat(products, np.array(starts, dtype=int) - 1, axis=axis)
    for row, column, value in _cells(products):
        yield f"product({begins[0][row]},{begins[1][column]},{value})"
    for number, side in enumerate(sides):
        for first, last, value in _norms(side):
            if first == last or (first in begins[number] and last in ends[number]):
                yield f"norm({number + 1},{first},{last},{value})"
    yield f"nearness({cosine(*(side.sum(axis=0) for side in sides))})"


def cosine(first: NDArray[np.floating], second: NDArray[np.floating]) -> int:
    """The cosine of two vectors in thousandths, 0 where it is negative."""
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return round(1000 * min(1.0, max(0.0, float(first @ second) / lengths))) if lengths else 0


def _cut(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Shorten vectors that are longer than MAX_LENGTH; doubles, so that sums are exact."""
    doubles: NDArray[np.float64] = vectors.astype(np.float64)
    doubles /= np.maximum(1, np.linalg.norm(doubles, axis=1, keepdims=True) / MAX_LENGTH)
    return doubles


def _cells(matrix: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Row, column and value of what is not 0."""
    rows, columns = np.nonzero(matrix)
    return zip(rows.tolist(), columns.tolist(), matrix[rows, columns].tolist(), strict=True)


def _norms(vectors: NDArray[np.float64]) -> Iterator[tuple[int, int, int]]:
    """The norms of all runs, from sums of the first tokens: a run is a difference of two."""
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    inner = sums @ sums.T
    squares = inner.diagonal()
    lengths = np.sqrt(np.maximum(squares[:, np.newaxis] + squares - 2 * inner, 0))
    norms = np.rint(UNIT * lengths).astype(int)
    for before, last, value in _cells(np.triu(norms, 1) - np.triu(norms, MAX_RUN + 1)):
        yield before + 1, last, value
