"""Lemmas that are words: what Stanza's sequence model makes up for unknown words is not told.

It writes *schoolteacherr* for *schoolteacher* and *palabrar* for *palabras*. A lemma counts if a
dictionary has it, Stanza's or the lexicon, or if the word is one of its regular forms.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress

from ists_asp.lang import Language
from ists_asp.resources import data_dir


class Lemmas:
    """The lemmas of a language; Stanza's ``dictionaries`` have those of forms, by tags."""

    def __init__(self, dictionaries: Mapping[str, Mapping[str, str]], language: Language) -> None:
        self._dictionaries = list(dictionaries.values())
        self._known = {lemma.lower() for each in self._dictionaries for lemma in each.values()}
        self._regular = re.compile(language.words.lemmas, re.VERBOSE)
        lexicon = (data_dir() / "lexicon" / language.lexicon).as_uri()
        self._lexicon = f"{lexicon}?mode=ro&immutable=1"

    def of(self, form: str, lemma: str, upos: str) -> str:
        """The lemma that Stanza gave a word; if it is none, another tag's, or the word itself."""
        form, small = form.lower(), lemma.lower()
        if small == form or self._regular.fullmatch(f"{upos} {form} {small}"):
            return lemma
        if any(map(str.isdigit, form)):
            return form
        if small in self._known or self._in_lexicon(small):
            return lemma
        if form in self._known:
            return form
        return next((each[form] for each in self._dictionaries if form in each), form)

    def _in_lexicon(self, lemma: str) -> bool:
        # Whoever compares words by a damaged lexicon says what is wrong with it.
        with suppress(sqlite3.Error), closing(sqlite3.connect(self._lexicon, uri=True)) as database:
            found = database.execute("SELECT 1 FROM word WHERE lemma = ?", (lemma,))
            return found.fetchone() is not None
        return False
