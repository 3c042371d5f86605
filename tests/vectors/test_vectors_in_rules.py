"""What rules make of vectors in context; a made-up encoder stands in, so that none is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from clingo import Function

from ists_asp.engine import load, loading
from ists_asp.io.sentences import make_sentence
from ists_asp.learn import ExampleBuilder, examples
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
    for module in (loading, examples):
        monkeypatch.setattr(
            module, "find_encoder", lambda semantic, _language="en": found if semantic else None
        )
    return found


@pytest.fixture
def pair():
    first, second = make_sentence(FIRST), make_sentence(SECOND)
    chunks1 = (Chunk(1, 2), Chunk(3, 5), Chunk(6, 6), Chunk(7, 9), Chunk(10, 10))
    chunks2 = (Chunk(1, 2), Chunk(3, 3), Chunk(4, 6), Chunk(7, 7))
    return Pair("1", replace(first, chunks=chunks1), replace(second, chunks=chunks2))


def ground(pair, *, profile="answers-students", semantic=True):
    """All atoms of a pair, by name and arity."""
    with ExampleBuilder(profile, semantic=semantic) as teacher:
        ((_, facts),) = teacher._system.facts([pair])
        atoms = list(teacher._solver.ground_atoms((*facts, Function("learning"))))
    return {
        key: [atom.arguments for atom in atoms if (atom.name, len(atom.arguments)) == key]
        for key in {(atom.name, len(atom.arguments)) for atom in atoms}
    }


def features(atoms, name):
    """The targets and first arguments of a feature."""
    return {
        (str(target), *map(str, feature.arguments))
        for target, feature in atoms["feature", 2]
        if feature.name == name
    }


def single(span):
    return span in {f"run({chunk},{chunk})" for chunk in range(1, 6)}


@pytest.mark.slow
def test_the_cosine_of_spans(encoder, pair):
    atoms = ground(pair)
    tokens = {1: {}, 2: {}}
    for side, span, index in atoms["span_token", 3]:
        tokens[side.number].setdefault(str(span), []).append(index.number - 1)
    matrices = {1: encoder.matrix(pair.sent1), 2: encoder.matrix(pair.sent2)}
    spans = set()
    for one, two, cosine in atoms["meaning_in_context", 3]:
        spans |= {str(one), str(two)}
        first = matrices[1][tokens[1][str(one)]].sum(axis=0)
        second = matrices[2][tokens[2][str(two)]].sum(axis=0)
        expected = 100 * first @ second / np.linalg.norm(first) / np.linalg.norm(second)
        assert cosine.number == pytest.approx(expected, abs=2)
    assert {"run(1,1)", "run(4,4)", "run(3,3)"} <= spans


@pytest.mark.slow
def test_steps_and_rivals(encoder, pair):
    atoms = ground(pair)
    cosines = {(str(x), str(y)): v.number for x, y, v in atoms["meaning_in_context", 3]}
    proposed = {(str(x), str(y)) for x, y in atoms["proposed", 2]}
    steps = features(atoms, "meaning_in_context")
    nearest = features(atoms, "nearest_in_context")
    ahead = features(atoms, "ahead_in_context")
    compared = proposed & cosines.keys()
    assert compared
    assert any(single(x) and single(y) for x, y in compared)
    for x, y in compared:
        value, target = cosines[x, y], f"pair({x},{y})"
        found = {int(step) for where, step in steps if where == target}
        assert found == {n for n in (10, 20, 30, 40, 50, 60, 70, 80, 90, 97) if value >= n}
        if not (single(x) and single(y)):
            continue
        rivals = (v for (u, w), v in cosines.items() if u == x and w != y and single(w))
        rival = max(rivals, default=0)
        assert ((target, "1") in nearest) == (value >= rival)
        assert ((target, "1", "10") in ahead) == (value - rival >= 10)


@pytest.mark.slow
def test_coverage_of_words(encoder, pair):
    atoms = ground(pair)
    near = {(i.number, j.number): v.number for i, j, v in atoms["near_in_context", 3]}
    content = {(s.number, i.number) for s, i in atoms["content", 2]}
    least = features(atoms, "all_covered_in_context")
    mean = features(atoms, "covered_in_context")
    # "a brown horse" against "on his horse"
    sides = {1: [7, 8, 9], 2: [4, 5, 6]}
    best = [
        max([near.get((i, j), 0) for j in sides[2]] + [0]) for i in sides[1] if (1, i) in content
    ]
    target = "link(run(4,4),run(3,3))"
    wanted = {n for n in (30, 40, 50, 60, 70, 80, 90, 97) if min(best) >= n}
    assert {int(n) for where, side, n in least if (where, side) == (target, "1")} == wanted
    wanted = {n for n in (30, 40, 50, 60, 70, 80, 90, 97) if sum(best) // len(best) >= n}
    assert wanted
    assert {int(n) for where, side, n in mean if (where, side) == (target, "1")} == wanted


@pytest.mark.slow
def test_nothing_is_derived_without_an_encoder(encoder, pair):
    names = {name for name, _ in ground(pair, semantic=False)}
    tables = {"_context_step", "_context_lead", "_context_delay", "_context_coverage_step"}
    tables |= {"_context_rival", "_context_partner"}
    assert {name for name in names if "context" in name} <= tables


def test_weights_go_with_the_encoder(encoder, pair):
    for semantic, suffix in ((False, ""), (True, "-semantic")):
        with load("headlines", semantic=semantic) as loaded:
            files = {file.path.name for file in loaded.rules.files}
            assert loaded.knowledge == ("lexicon", "vectors", *(["context"] if semantic else []))
            assert loaded.solve(pair.sent1, pair.sent2).optimal
        assert {name for name in files if name.startswith("headlines")} == {f"headlines{suffix}.lp"}
