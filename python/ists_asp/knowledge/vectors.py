"""Static word vectors: how near two words are in meaning, without reading the sentence.

The vectors are distilled from a sentence encoder (see ``data/vectors/README.md``). A word's
vector is the mean of its word pieces' vectors, the pooling that they were made for (model2vec,
Tulkens and van Dongen 2024); rare words have long vectors and function words short ones.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.knowledge.wordpiece import pieces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

VERSION = 1
"""The layout of the file, as ``data/vectors/build.py`` writes it."""

CACHED = 50_000
"""Words whose vectors are kept: 25 MB at 128 dimensions."""

_HINT = "Reinstall ists-asp, or build the vectors as data/vectors/README.md tells"
_UNKNOWN = "[UNK]"


class _Table(NamedTuple):
    """Numbers of the pieces, codes (pieces, dimensions) and their scales (pieces,)."""

    numbers: dict[str, int]
    codes: NDArray[np.int8]
    scales: NDArray[np.float16]


class Vectors:
    """A vocabulary of word pieces with a vector each; the file is read at the first use.

    Args:
        path: the ``.npz`` file.

    Raises:
        ResourceError: if the file is missing or, at the first use, found to be damaged.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ResourceError("no word vectors", where=str(path), hint=_HINT)
        self._path = path
        self._pooled = lru_cache(CACHED)(self._pool)

    @cached_property
    def _table(self) -> _Table:
        return _load(self._path)

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return int(self._table.codes.shape[1])

    def vector(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word, shape (dimensions,), read-only.

        Its length is about 1 for a word of average frequency, much less for a function word,
        and 0 if no piece of the word is known.
        """
        return self._pooled(word.lower())

    def matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of words, shape (words, dimensions)."""
        if not words:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self.vector(word) for word in words])

    def _pool(self, word: str) -> NDArray[np.float32]:
        numbers = pieces(word, self._table.numbers)
        pooled = np.zeros(self.dimensions, dtype=np.float32)
        if numbers:
            scales = self._table.scales[numbers].astype(np.float32)
            pooled += scales @ self._table.codes[numbers].astype(np.float32) / len(numbers)
        pooled.setflags(write=False)
        return pooled


def _load(path: Path) -> _Table:
    try:
        with path.open("rb") as file, np.load(file) as arrays:
            version = int(arrays["version"])
            names = bytes(arrays["pieces"]).decode().split("\n")
            codes, scales = arrays["codes"], arrays["scales"]
    # A damaged file fails in as many ways as there are bytes to damage.
    except Exception as error:
        no_fault_of_files(error)
        raise ResourceError(
            f"damaged word vectors ({brief(error)})", where=str(path), hint=_HINT
        ) from None
    if version != VERSION:
        raise ResourceError(
            f"word vectors of layout {version}",
            where=str(path),
            expected=f"layout {VERSION}",
            hint=_HINT,
        )
    if codes.ndim != 2 or not len(names) == len(codes) == len(scales):
        raise ResourceError(
            f"{len(names)} word pieces, vectors of shape {codes.shape}, {len(scales)} scales",
            where=str(path),
            expected="as many of each",
            hint=_HINT,
        )
    numbers = {name: number for number, name in enumerate(names) if name != _UNKNOWN}
    return _Table(numbers, codes, scales)
