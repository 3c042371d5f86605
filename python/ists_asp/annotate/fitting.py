"""Which values can be what Stanza says: nothing else is kept in a cache, or taken from it."""

from __future__ import annotations

import re
from typing import TypeGuard

from ists_asp.limits import LONGEST_WORD
from ists_asp.terminal import one_line

_LONGEST_LEMMA = 2 * LONGEST_WORD
_UPOS = re.compile(r"[A-Z]{1,9}")
_XPOS = re.compile(r"[!-~]{1,99}")


def fits(value: object, given: str | list[str]) -> bool:
    """Whether a value can be what Stanza said of a text, or of the words of a sentence.

    Of a text: its tokens, which put together are the text without its blanks. Of words: for each
    its lemma and two tags.
    """
    if not isinstance(value, list):
        return False
    if isinstance(given, str):
        return all(map(_is_text, value)) and "".join(value) == given.replace(" ", "")
    return len(value) == len(given) and all(map(_is_reading, value))


def _is_reading(value: object) -> bool:
    if not (isinstance(value, list | tuple) and len(value) == 3 and all(map(_is_text, value))):
        return False
    lemma, upos, xpos = value
    return (
        len(lemma) <= _LONGEST_LEMMA
        and one_line(lemma) == lemma
        and _UPOS.fullmatch(upos) is not None
        and _XPOS.fullmatch(xpos) is not None
    )


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value)
