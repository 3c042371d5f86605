"""Words made of initial letters, and the words whose initials they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LETTERS = 6
"""Longer words in capitals are words that somebody shouts."""

_DOTTED = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?|[^\W\d_]\.[^\W\d_]")


def acronym(form: str) -> str | None:
    """The letters, in lower case, of a word that is written like an acronym, or None.

    An acronym has 2 to 6 letters, at least two of them capitals, and begins with a capital
    (``UN``, ``BoE``), or it has a full stop after each letter (``U.N.``, ``p.m.``).
    """
    if _DOTTED.fullmatch(form):
        letters = form.replace(".", "")
    elif form.isalpha() and form[0].isupper() and sum(map(str.isupper, form)) > 1:
        letters = form
    else:
        return None
    return letters.lower() if len(letters) <= MAX_LETTERS else None


def acronyms(forms: Sequence[str]) -> list[tuple[int, str]]:
    """The acronyms of a sentence: token number, from 1, and letters.

    A sentence in capitals has none: nothing tells them from its other words.
    """
    if not any(letter.islower() for form in forms for letter in form):
        return []
    found = ((number, acronym(form)) for number, form in enumerate(forms, start=1))
    return [(number, letters) for number, letters in found if letters is not None]


def initials(forms: Sequence[str], wanted: set[str]) -> Iterator[tuple[int, int, str]]:
    """Runs of words whose initials, or whose capital initials, are among the wanted ones.

    ``Bank of England`` has the initials ``boe`` and ``be``. A run begins and ends with
    a word that counts, and counts at least two.

    Returns:
        First and last token number, from 1, and the initials in lower case.
    """
    longest = max(map(len, wanted), default=0)
    for start, first in enumerate(forms):
        every = capital = ""
        for end in range(start, min(start + longest + 2, len(forms))):
            form = forms[end]
            if not form[0].isalpha():
                break
            every += form[0].lower()
            if form[0].isupper():
                capital += form[0].lower()
            if end == start:
                continue
            found = {every}
            if first[0].isupper() and form[0].isupper():
                found.add(capital)
            for letters in sorted(found & wanted):
                yield start + 1, end + 1, letters
