r"""The only way to the terminal: foreign text is cleaned here before anybody sees it.

Sentences, file names, rules and messages of libraries may hold characters that move the cursor,
change colours, reverse the order of reading or begin a line. They are displayed as in JSON, Python
and shells: ``\u001b``, ``\u202e``.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import Any, TextIO, cast

_FORBIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and line feed
    "\u2028\u2029"  # separators of lines and paragraphs
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # what changes the direction of reading
    "\ud800-\udfff"  # halves of characters: bytes of file names that are not UTF-8
    "]"
)
_BREAKS = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})

# Tells our own colours from those in texts, whose authors cannot know it.
_SECRET = str(int.from_bytes(os.urandom(8)))
_STYLED = re.compile(rf"\x1b\[(\d+);{_SECRET}m")
_STYLES = {"bold": 1, "red": 31, "green": 32}


def visible(text: str) -> str:
    """Text of several lines without characters that a terminal would obey; tabs stay."""
    # Most texts: no character of any other text is printable in Python's sense.
    if text.isprintable():
        return text
    return _FORBIDDEN.sub(lambda at: _BREAKS.get(ord(at[0])) or f"\\u{ord(at[0]):04x}", text)


def one_line(text: str) -> str:
    r"""Text of a message, which is a line: the same, with ``\n`` and ``\t`` for its breaks."""
    return visible(text).translate(_BREAKS)


def unbroken(text: str) -> str:
    """Text for a line of a layout: a line feed, with the blanks around it, is one blank."""
    first, *rest = text.split("\n")
    return " ".join([first.rstrip(), *map(str.strip, rest)]) if rest else text


def display_width(text: str) -> int:
    """Columns that a terminal uses: wide characters take two, combining ones none."""
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Me", "Mn")
        else 1 + (unicodedata.east_asian_width(char) in ("W", "F"))
        for char in text
    )


def padded(text: str, width: int, right: bool = False) -> str:
    """Text with blanks behind it, or before it, so that it fills so many columns."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def table(rows: Sequence[Sequence[str]], *, left: bool = False) -> str:
    """Rows as lines with padded cells, all but the first at the right, unless ``left``."""
    rows = [[unbroken(cell) for cell in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    rights = [False, *[not left] * len(widths)]
    lines = ("  ".join(map(padded, row, widths, rights)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def styled(text: str, style: str) -> str:
    """Text in ``bold``, ``red`` or ``green``, on terminals only."""
    return f"\x1b[{_STYLES[style]};{_SECRET}m{text}\x1b[0;{_SECRET}m"


def plain(text: str) -> str:
    """Text without what :func:`styled` put there."""
    return _STYLED.sub("", text)


class Door:
    """A text stream through which only visible characters, line ends, tabs and our colours go."""

    colours: bool | None = None  # whether colours go through, if that is set

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text, cleaned."""
        parts = _STYLED.split(text)
        colours = self.colours
        if colours is None:
            colours = self.stream.isatty() and not os.environ.get("NO_COLOR")
        parts[::2] = map(visible, parts[::2])
        parts[1::2] = (f"\x1b[{code}m" if colours else "" for code in parts[1::2])
        self.stream.write("".join(parts))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write lines, cleaned."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the stream has)
        return getattr(self.stream, name)


def door(stream: TextIO) -> TextIO:
    """A stream with a door before it."""
    return stream if isinstance(stream, Door) else cast("TextIO", Door(stream))


def behind(stream: TextIO) -> TextIO:
    """The stream behind a door, for what draws on the terminal by itself."""
    return stream.stream if isinstance(stream, Door) else stream


def open_doors() -> None:
    """Put a door before standard error, and before standard output if that is a terminal.

    Data in files and pipes stays as it is. Both streams are UTF-8 whatever the locale.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdout is not None and (Door.colours or sys.stdout.isatty()):
        sys.stdout = door(sys.stdout)
    if sys.stderr is not None:
        sys.stderr = door(sys.stderr)
