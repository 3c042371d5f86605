"""Reading ``.wa`` files, sentence by sentence, however they were edited."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING

from ists_asp.errors import shortened
from ists_asp.io.text import Line, Repairs, Source, Warn, ignore, read_lines
from ists_asp.io.wa import WaAlignment, WaSentence, WaToken, restore, token_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OPEN = re.compile(r"<sentence\b(.*)")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TOKEN = re.compile(r"(\d+)[ \t]+(.*)", re.ASCII)
_NUMBERED_ARROW = re.compile(r"[\d\s]*<==>", re.ASCII)
_NO_TOKEN_ARROW = re.compile(r"[\d\s]*<==>(?!\S*\s*:?$)", re.ASCII)
"""The same, where it is not a token line: ``3 <==> :`` is one, of a word that has an arrow."""

_BLANKS = " \t"
"""What surrounds tokens; other Unicode blanks may be part of them."""

_SECTIONS = ("source", "translation", "alignment")


@dataclass(slots=True)
class _Draft:
    """The sentence being read; ``section`` is the tag that the reader is in."""

    id: str | None
    where: str
    section: str = ""
    texts: list[str] = field(default_factory=list)
    tokens: dict[str, list[WaToken]] = field(
        default_factory=lambda: {"source": [], "translation": []}
    )
    alignments: list[WaAlignment] = field(default_factory=list)

    def build(self, repairs: Repairs) -> WaSentence:
        if len(self.texts) != 2:
            repairs.report(
                self.where, f"{len(self.texts)} text lines (//) instead of 2", "left as they are"
            )
        text1, text2 = (*self.texts, "", "")[:2]
        return WaSentence(
            self.id,
            self.where,
            text1,
            text2,
            tuple(self.tokens["source"]),
            tuple(self.tokens["translation"]),
            tuple(self.alignments),
        )


def read_wa(
    source: Source,
    *,
    name: str | None = None,
    warn: Warn = ignore,
    strict: bool = False,
    watch: Callable[[Line], object] | None = None,
) -> Iterator[WaSentence]:
    """Yield the sentences of a ``.wa`` file.

    Odd lines are repaired with one warning each. Alignment lines are kept as written, and
    a sentence without an id gets None, so that a check can judge them. ``watch`` gets every
    line before it is read.

    Raises:
        DataError: an unreadable file, or (strict) something to repair.
    """
    repairs = Repairs(warn, strict)
    draft: _Draft | None = None
    for line in read_lines(source, name=name, warn=warn, strict=strict):
        if watch is not None:
            watch(line)
        text = line.text.strip(_BLANKS)
        if not text:
            continue
        opening = _OPEN.fullmatch(text)
        if opening:
            if not text.endswith(">"):
                repairs.report(
                    line.where, "no > at the end of <sentence", "read as if it were there"
                )
            if draft is not None:
                repairs.report(line.where, "<sentence> before </sentence>", "read as a new one")
                yield draft.build(repairs)
            draft = _Draft(_identifier(opening[1]), line.where)
            continue
        if text == "</sentence>":
            if draft is None:
                repairs.report(line.where, "</sentence> without <sentence>", "skipped")
            else:
                yield draft.build(repairs)
            draft = None
            continue
        current = draft or _Draft(None, line.where)
        if _take(current, line, text, repairs):
            draft = current
    if draft is not None:
        repairs.report(draft.where, "a sentence without </sentence>", "ends with the file")
        yield draft.build(repairs)


def _identifier(attributes: str) -> str | None:
    match = _ID.search(attributes)
    if match is None:
        return None
    return unescape(match[1] if match[1] is not None else match[2]) or None


def _take(draft: _Draft, line: Line, text: str, repairs: Repairs) -> bool:
    """Add a line to a sentence; whether it belongs to one."""
    for section in _SECTIONS:
        if text == f"<{section}>":
            draft.section = section
            return True
        if text == f"</{section}>":
            draft.section = ""
            return True
    if draft.section in draft.tokens and not _NO_TOKEN_ARROW.match(text):
        token = _token(text, line.where, repairs)
        if token is not None:
            tokens = draft.tokens[draft.section]
            if token.number != len(tokens) + 1:
                repairs.report(
                    line.where,
                    f"token number {token.number} where {len(tokens) + 1} is due",
                    "kept",
                )
            tokens.append(token)
    elif draft.section == "alignment":
        draft.alignments.append(WaAlignment.parse(line.number, line.where, line.text))
    elif text.startswith("//"):
        draft.texts.append(restore(text[2:].strip()))
    elif _NUMBERED_ARROW.match(text):
        repairs.report(line.where, "an alignment outside <alignment>", "read as one")
        draft.alignments.append(WaAlignment.parse(line.number, line.where, line.text))
    else:
        repairs.report(line.where, f"'{shortened(text)}' belongs to no section", "skipped")
        return False
    return True


def _token(text: str, where: str, repairs: Repairs) -> WaToken | None:
    match = _TOKEN.fullmatch(text)
    if match is None:
        repairs.report(where, f"'{shortened(text)}' is no token line", "skipped")
        return None
    number, form = token_number(match[1]) or 0, restore(match[2])
    if form.endswith(" :"):
        return WaToken(number, form[:-2].strip(_BLANKS))
    if form.endswith(":") and len(form) > 1:
        repairs.report(
            where,
            f"no blank before the colon of '{shortened(text)}'",
            f"read as '{shortened(form[:-1])}'",
        )
        return WaToken(number, form[:-1])
    repairs.report(
        where, f"no word and colon in '{shortened(text)}'", f"read as '{shortened(form)}'"
    )
    return WaToken(number, form)
