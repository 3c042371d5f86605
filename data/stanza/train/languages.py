"""What differs between the languages: treebanks, case copies, model settings."""

from __future__ import annotations

from dataclasses import dataclass

from lexicon import Source

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
        dev: CoNLL-U file to choose checkpoints with.
        test: CoNLL-U file to report on.
        guided: whether the first treebank says how words are read, and the others are
            brought closer to it (see ``agree.py``).
        lexicon: a spelling dictionary in the same directory, for the lemmatiser.
        xpos: whether the tagger learns XPOS, too.
        whole: whether users write multi-word tokens (``del``, ``hacerlo``) as one word.
            The tokeniser then keeps them in one piece, and the tagger and the lemmatiser
            see them both whole and, as the treebanks have them, dissolved.
        copies: re-cased copies of the training files for the tagger, with the share
            of each copy that an epoch draws. Headlines are often Title Cased and
            students often write no capitals; treebanks are neither. Copies have
            ``whole`` words where the language has them.
        word_cutoff: how often a form must occur, *counting the copies*, to get an
            embedding of its own.
        batch_size: sentences of a step of the tagger.
        pos_steps: optimiser steps of the tagger (its learning rate reaches 0 at the end).
        tokenize_steps: optimiser steps of the tokeniser.
        lemma_epochs: epochs of the lemmatiser's sequence model.
    """

    code: str
    name: str
    treebank: str
    train: tuple[str, ...]
    dev: str
    test: str
    guided: bool = False
    lexicon: Source | None = None
    xpos: bool = True
    whole: bool = False
    copies: tuple[tuple[str, float], ...] = (("lower", 0.3), ("title", 0.15))
    word_cutoff: int = 4
    batch_size: int = 64
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
        test="en_ewt-ud-dev.conllu",
    ),
    "es": Language(
        code="es",
        name="Spanish",
        treebank="es_gsd",
        train=(
            "es_ancora-2021-10-29-dev.conllu",
            "es_gsd-ud-dev.conllu",
            "es_pud-ud-test.conllu",
        ),
        dev="es_gsd-ud-test.conllu",
        test="es_ancora-2021-10-29-test.conllu",
        guided=True,
        lexicon=Source(
            stem="es_ES",
            infinitive="[a-zñáéíóúü]+[aeií]r",
            verb="REIX",
            clitics="ÀÁÂÃÄÅÆÇñò",
            plural="S",
            feminine="G",
            draw=(20_000, 4_000, 6_000),
        ),
        xpos=False,
        whole=True,
        copies=(("plain", 0.4), ("lower", 0.3), ("title", 0.25)),
        word_cutoff=5,
        batch_size=32,
        pos_steps=2400,
        lemma_epochs=5,
    ),
}
