"""TOML that anybody may have written: what no parser should be given is refused in one pass.

The time and the memory that :mod:`tomllib` takes grow with the square of the parts of a key, and
Python's stack ends at some depth of brackets. Profiles and templates need neither.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from ists_asp.errors import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_KEYS = 1000
"""Keys of a file at most."""

MOST_PARTS = 4
"""Parts that dots cut a key into at most."""

DEEPEST = 8
"""Brackets within brackets at most."""

# What has no end runs to where it would have to end, so that each character is read once.
_LEXEME = re.compile(
    r'(?P<text>"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|'
    r"'''(?:[^']|'(?!''))*+(?:''')?|"
    r'"(?:[^"\\\n]|\\[^\n])*+"?|'
    r"'[^'\n]*+'?)"
    r"|(?P<comment>\#[^\n]*+)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<dot>\.)|(?P<equals>=)|(?P<comma>,)|(?P<end>\n)",
    re.DOTALL,
)
_HEADER = re.compile(r"[ \t]*\[[ \t]*([A-Za-z0-9_-]+)[ \t]*\]")
_KEY = re.compile(r"""[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*=""")
_PLACED = re.compile(r"(?P<found>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)")


class TomlError(Exception):
    """What is wrong with a text, and in which of its lines."""

    def __init__(self, found: str, line: int) -> None:
        super().__init__(found)
        self.found = found
        self.line = line


def parse_toml(data: bytes) -> tuple[str, dict[str, Any]]:
    """Decode and parse TOML.

    Returns:
        The text, and its table.

    Raises:
        TomlError: it is not UTF-8, or no TOML, or has more keys, longer keys or more brackets
            within brackets than people write.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TomlError(f"byte 0x{data[error.start]:02x} is not UTF-8", line) from None
    _check(text)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _PLACED.fullmatch(str(error))
        found = match["found"] if match else str(error)
        line = int(match["line"]) if match and match["line"] else text.rstrip().count("\n") + 1
        raise TomlError(f"no TOML: {found}", line) from None
    except ValueError:
        # Python refuses to read numbers of thousands of digits.
        line = text.count("\n", 0, text.find(max(re.findall(r"\d+", text), key=len))) + 1
        raise TomlError("a number has too many digits", line) from None


def key_lines(text: str) -> Mapping[tuple[str, str], int]:
    """The lines of keys, by the names of their tables; a table as such has an empty key."""
    found: dict[tuple[str, str], int] = {}
    table, depth, begin, line = "", 0, 0, 1
    for match in _LEXEME.finditer(text + "\n"):
        if match.lastgroup == "open":
            depth += 1
        elif match.lastgroup == "close":
            depth -= 1
        elif match.lastgroup == "end" and depth <= 0:
            header, key = _HEADER.match(text, begin), _KEY.match(text, begin)
            if header:
                table = header[1]
                found.setdefault((table, ""), line)
            elif key:
                found.setdefault((table, key[1] or key[2] or key[3] or ""), line)
            line += text.count("\n", begin, match.end())
            begin, depth = match.end(), 0
    return found


def shown(value: object) -> str:
    """A value as messages quote it."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return shortened(text)


def _check(text: str) -> None:
    """Refuse what would take the parser long; one look at each character."""
    depth = keys = parts = 0
    for match in _LEXEME.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        elif kind == "equals":
            keys += 1
        parts = parts + 1 if kind == "dot" else 1 if kind not in ("text", None) else parts
        if depth > DEEPEST or keys > MOST_KEYS or parts > MOST_PARTS:
            found = (
                f"brackets within brackets, more than {DEEPEST} deep"
                if depth > DEEPEST
                else f"more than {MOST_KEYS} keys"
                if keys > MOST_KEYS
                else f"a key of more than {MOST_PARTS} parts"
            )
            raise TomlError(found, text.count("\n", 0, match.start()) + 1)
