"""What rules make of vectors in context; a made-up encoder stands in, so that none is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ists_asp.engine import load
from ists_asp.io.sentences import make_sentence
from ists_asp.knowledge import semantic
from ists_asp.model import Chunk, Pair

FIRST = ["A", "man", "with", "a", "hat", "rides", "a", "brown", "horse", "."]
SECOND = ["A", "horseman", "sits", "on", "his", "horse", "."]


class Encoder:
    """Gives each token a vector by its form and its place; punctuation has none."""

    def prepare(self, sentences):
        pass

    def matrix(self, sentence):
        rows = []
        for token in sentence.tokens:
            random = np.random.default_rng([ord(char) for char in token.form.lower()])
            row = random.normal(size=8) + 0.05 * token.index + 0.4
            rows.append(row / np.linalg.norm(row) if token.form.isalnum() else 0 * row)
        return np.array(rows, dtype=np.float32)

    def whole(self, sentence):
        return self.matrix(sentence).sum(axis=0)


@pytest.fixture
def encoder(monkeypatch):
    found = Encoder()
    monkeypatch.setattr(semantic, "find_encoder", lambda *_: found)
    return found


@pytest.fixture
def pair():
    first, second = make_sentence(FIRST), make_sentence(SECOND)
    chunks1 = (Chunk(1, 2), Chunk(3, 5), Chunk(6, 6), Chunk(7, 9), Chunk(10, 10))
    chunks2 = (Chunk(1, 2), Chunk(3, 3), Chunk(4, 6), Chunk(7, 7))
    return Pair("1", replace(first, chunks=chunks1), replace(second, chunks=chunks2))


@pytest.mark.slow
def test_weights_of_ratings_go_with_the_encoder(encoder, pair):
    for wanted, suffix in ((False, ""), (True, "-semantic")):
        with load("sts-en", semantic=wanted) as loaded:
            assert loaded.knowledge == ("lexicon", "vectors", *(["context"] if wanted else []))
            assert loaded.solve(pair.sent1, pair.sent2).optimal
            files = {file.path.stem for file in loaded._rating_files()}
        assert {name for name in files if name.startswith("sts-en")} == {f"sts-en{suffix}"}
