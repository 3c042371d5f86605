"""Text that is not tokenised: ``guitar.`` is one token then, and in no lexicon."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.cli.console import warn
from ists_asp.errors import shortened

if TYPE_CHECKING:
    from ists_asp.model import Pair, Sentence
    from ists_asp.rules import Profile

_MARKS = ",;:!?"
_MARKED = re.compile(r".*[^\W_]{2}[,;:!?.]")
"""Letters or digits and a mark behind them; two, as ``U.`` and ``J.`` are written so."""


@dataclass(slots=True)
class Attached:
    """Sentences with punctuation attached to a word, as they are before tokenisation.

    A full stop counts at the end of a sentence only, where few abbreviations stand. Whether a
    kind of text is meant to be like that is said by its profile. ``chunked`` is whether it has
    chunks, so that Stanza cannot tokenise it.
    """

    sentences: int = 0
    example: str = ""
    chunked: bool = False

    def add(self, pair: Pair) -> None:
        """Look at a pair."""
        for sentence in (pair.sent1, pair.sent2):
            word = _attached(sentence)
            if word:
                self.sentences += 1
                self.example = self.example or f"'{shortened(word)}' in pair {shortened(pair.id)}"
                self.chunked = self.chunked or sentence.chunks is not None

    def tell(self, profile: Profile) -> None:
        """Warn of them, in one line, unless the profile is one of such texts."""
        if not self.sentences or profile.attached_punctuation:
            return
        count = "1 sentence has" if self.sentences == 1 else f"{self.sentences} sentences have"
        raw = "" if self.chunked else ", or add --raw"
        warn(
            f"{count} punctuation that is part of a word, such as {self.example}; the profile "
            f"{profile.name} expects it to be a token of its own: put a blank before it{raw}"
        )


def _attached(sentence: Sentence) -> str:
    """The first word with punctuation attached; an empty text if there is none."""
    last = len(sentence.tokens)
    for token in sentence.tokens:
        form = token.form
        mark = form[-1]
        if (mark in _MARKS or (mark == "." and token.index == last)) and _MARKED.fullmatch(form):
            return form
    return ""
