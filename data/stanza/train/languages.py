"""What differs between the languages: treebanks, case copies, model settings."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LANGUAGES", "PACKAGE", "Language"]

PACKAGE = "ists"
"""The package name in ``resources.json`` and the stem of every model file."""


@dataclass(frozen=True, slots=True)
class Language:
    """The recipe for one language.

    Attributes:
        code: ISO 639-1 code, as Stanza names the language.
        name: English name, for ``resources.json``.
        treebank: Stanza's shorthand; it selects the kind of XPOS vocabulary.
        train: CoNLL-U files to train on, relative to the treebank directory.
        dev: CoNLL-U file to choose checkpoints with and to report on.
        copies: re-cased copies of the training files for the tagger, with the share
            of each copy that an epoch draws. Headlines are often Title Cased and
            students often write no capitals; treebanks are neither.
        word_cutoff: how often a form must occur, *counting the copies*, to get an
            embedding of its own.
        pos_steps: optimiser steps of the tagger (its learning rate reaches 0 at the end).
        tokenize_steps: optimiser steps of the tokeniser.
        lemma_epochs: epochs of the lemmatiser's sequence model.
    """

    code: str
    name: str
    treebank: str
    train: tuple[str, ...]
    dev: str
    copies: tuple[tuple[str, float], ...] = (("lower", 0.3), ("title", 0.15))
    word_cutoff: int = 4
    pos_steps: int = 3300
    tokenize_steps: int = 2400
    lemma_epochs: int = 12


LANGUAGES = {
    "en": Language(
        code="en",
        name="English",
        treebank="en_ewt",
        train=("en_ewt-ud-train.conllu", "en_gum-free-train.conllu"),
        dev="en_ewt-ud-dev.conllu",
    ),
}
