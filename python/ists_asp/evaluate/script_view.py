"""A ``.wa`` file as the official scripts read it: line by line, whatever its brackets say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING

from ists_asp.io.wa import ARROW, WaAlignment

if TYPE_CHECKING:
    from ists_asp.io.text import Line

_ARROW, _OPENING = ARROW.encode(), b'sentence id="'
_ID = re.compile(r'sentence id="([^"]*)" ')


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A line with an arrow, and the id that was seen last: None if there was none so far."""

    id: str | None
    alignment: WaAlignment


@dataclass(slots=True)
class ScriptView:
    """What the scripts see of a file whose lines are given to :meth:`take`, in their order.

    Every line with ``<==>`` is an alignment of the pair whose id stands above it, wherever it
    stands. An id is what a line has between ``sentence id="`` and a quotation mark with a blank
    behind it. In a ``gold`` file, the two lines below that one are the sentences, whatever is in
    them; ``words`` has what single blanks separate there, by the id, and ``misplaced`` the places
    of those that do not look like sentences.
    """

    gold: bool = False
    lines: list[ScriptLine] = field(default_factory=list)
    words: dict[str, list[list[str]]] = field(default_factory=dict)
    misplaced: list[str] = field(default_factory=list)
    _id: str | None = None
    _due: int = 0

    def take(self, line: Line) -> None:
        """Read one more line, as it was before any repair."""
        if not self._due and _ARROW not in line.raw and _OPENING not in line.raw:
            return
        text = line.raw.decode("utf-8", "backslashreplace")
        if self._due and self._id is not None:
            self._due -= 1
            self.words[self._id].append(text.removeprefix("// ").rstrip(" ").split(" "))
            if not text.startswith("//"):
                self.misplaced.append(line.where)
            return
        opening = _ID.search(text)
        if opening:
            self._id = unescape(opening[1])
            if self.gold:
                self._due, self.words[self._id] = 2, []
        if ARROW in text:
            alignment = WaAlignment.parse(line.number, line.where, text)
            self.lines.append(ScriptLine(self._id, alignment))
