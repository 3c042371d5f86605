"""Words put together: articles, marks, quotation marks, capitals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.explain.templates import Templates

ARTICLE = "\0"
"""Stands for the indefinite article, whose form depends on the next word."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = '"“”„«»`'
_EDGES = ".,;:!?…" + _QUOTES
_NO_BLANK_BEFORE = re.compile(
    r" (?=[,.;:!?)\]}]|%(?: |$)|['’](?:s|re|ve|ll|d|m|t)?(?: |$)|n['’]t(?: |$))"
)
_NO_BLANK_AFTER = re.compile(r"(?<=[(\[{$£€#]) ")
# Marks between letters belong to a word that was written oddly: A""s.
_DOUBLE = re.compile(r"``|''|(?<![\w\"])[\"“”„«»]|[\"“”„«»](?![\w\"])")
_OPENING = frozenset(("`", "``", "“", "„", "«", "‘"))
_CLOSING = frozenset(("'", "''", "”", "»", "’"))
_ENDS = (".", "!", "?")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]\.){2}")


def phrase(words: Sequence[str], templates: Templates) -> str:
    """Words as they are read in a running text, without marks at either end."""
    said: list[str] = []
    words = _paired(words, templates)
    for number, word in enumerate(words):
        if word == ARTICLE:
            following = words[number + 1].lstrip(_EDGES) if number + 1 < len(words) else ""
            vowel = re.match(templates.article["vowel"], following)
            said.append(templates.article["before_vowel" if vowel else "plain"])
        else:
            said.append(word)
    text = " ".join(word for word in said if word)
    text = _NO_BLANK_AFTER.sub("", _NO_BLANK_BEFORE.sub("", text))
    opening, closing = templates.inner_quote
    text = text.replace(f"{opening} ", opening).replace(f" {closing}", closing)
    return _trimmed(_balanced(text))


def quoted(text: str, templates: Templates) -> str:
    """A phrase in quotation marks; those within become inner ones."""
    opening, closing = templates.quote
    inner = iter(templates.inner_quote * (1 + len(_DOUBLE.findall(text)) // 2))
    # An odd mark has no partner: it is left out rather than left open.
    if len(_DOUBLE.findall(text)) % 2:
        text = " ".join(_DOUBLE.sub("", text).split())
    first, *parts = _DOUBLE.split(text)
    said = [first]
    for number, part in enumerate(parts):
        opens = number % 2 == 0
        if not opens:
            said[-1] = said[-1].rstrip()
        said += [next(inner), part.lstrip() if opens else part]
    return f"{opening}{''.join(said)}{closing}"


def sentence(text: str, templates: Templates) -> str:
    """A text with a capital in front and a full stop."""
    # What begins with a quotation is left as it was written.
    text = text[:1].upper() + text[1:]
    return text if text.endswith(_ENDS) else text + templates.marks["end"]


def _paired(words: Sequence[str], templates: Templates) -> list[str]:
    """Words with quotation marks that stand alone made inner ones; those without a partner go.

    An apostrophe behind a plural is none: it says whose something is.
    """
    said, waiting = list(words), []
    for place, word in enumerate(words):
        if word in _OPENING:
            waiting.append(place)
        elif word in _CLOSING:
            if waiting:
                said[waiting.pop()], said[place] = templates.inner_quote
            elif not (word in ("'", "’") and place and words[place - 1][-1:] in ("s", "S")):
                said[place] = ""
    for place in waiting:
        said[place] = ""
    return said


def _balanced(text: str) -> str:
    """Without brackets that have no partner."""
    waiting: list[int] = []
    alone: set[int] = set()
    for place, mark in enumerate(text):
        if mark in _BRACKETS:
            waiting.append(place)
        elif mark in _BRACKETS.values():
            if waiting and _BRACKETS[text[waiting[-1]]] == mark:
                waiting.pop()
            else:
                alone.add(place)
    alone.update(waiting)
    return "".join(mark for place, mark in enumerate(text) if place not in alone)


def _trimmed(text: str) -> str:
    """Without marks at the ends; quotation marks stay where both of a pair are there."""
    stripped = text.strip(" ")
    end = len(stripped)
    while end and stripped[end - 1] in ".,;:!?" and not _abbreviates(stripped, end):
        end -= 1
        while end and stripped[end - 1].isspace():
            end -= 1
    stripped = stripped[:end]
    if len(_DOUBLE.findall(stripped)) % 2:
        return text.strip(" " + _EDGES).removeprefix("''").removesuffix("''")
    stripped = stripped.lstrip(",;:!? ").rstrip(" ")
    # A full stop that stands alone in front ended the sentence before; that of ".5" does not.
    return stripped.removeprefix(". ") or text


def _abbreviates(text: str, end: int) -> bool:
    """Whether an abbreviation such as ``U.S.`` ends there, whose full stop belongs to it."""
    return end >= 4 and _ABBREVIATION.fullmatch(text, end - 4, end) is not None
