"""TOML that anybody may have written: what no parser should be given is refused in one pass.

The time and the memory that :mod:`tomllib` takes grow with the square of the parts of a key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from ists_asp.errors import shortened

MOST_PARTS = 4  # parts that dots cut a key into at most

# What has no end runs to where it would have to end, so that each character is read once.
_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|'
    r"'''(?:[^']|'(?!''))*+(?:''')?|"
    r'"(?:[^"\\\n]|\\[^\n])*+"?|'
    r"'[^'\n]*+'?|"
    r"\#[^\n]*+",
    re.DOTALL,
)
_LONG_KEY = re.compile(rf'(?<![\w"-])(?:[\w"-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}[\w"-]')
_HEADER = re.compile(r"[ \t]*\[[ \t]*([A-Za-z0-9_-]+)[ \t]*\]")
_KEY = re.compile(r"""[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*=""")
_PLACED = re.compile(r"(?P<found>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)")


class TomlError(Exception):
    """A fault of a text, with its line."""

    def __init__(self, found: str, line: int) -> None:
        super().__init__(found)
        self.found, self.line = found, line


def parse_toml(data: bytes) -> tuple[str, dict[str, Any]]:
    """Decode and parse TOML, and return the text and its table."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TomlError(f"byte 0x{data[error.start]:02x} is not UTF-8", line) from None
    plain = _TEXT.sub(lambda match: '"' + "\n" * match[0].count("\n"), text)
    if long := _LONG_KEY.search(plain):
        line = plain.count("\n", 0, long.start()) + 1
        raise TomlError(f"a key of more than {MOST_PARTS} parts", line)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _PLACED.fullmatch(str(error))
        found = match["found"] if match else str(error)
        line = int(match["line"]) if match and match["line"] else text.rstrip().count("\n") + 1
        raise TomlError(f"no TOML: {found}", line) from None
    except RecursionError:
        line = plain.count("\n", 0, max(plain.rfind("["), plain.rfind("{"))) + 1
        raise TomlError("too many brackets within brackets", line) from None
    except ValueError:
        # Python refuses to read numbers of thousands of digits.
        line = text.count("\n", 0, text.find(max(re.findall(r"\d+", text), key=len))) + 1
        raise TomlError("a number has too many digits", line) from None


def key_lines(text: str) -> Mapping[tuple[str, str], int]:
    """The lines of keys, by the names of their tables; a table as such has an empty key."""
    plain = _TEXT.sub(
        lambda match: "\n" * match[0].count("\n") if "\n" in match[0] else match[0], text
    )
    lines: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(plain.split("\n"), 1):
        if header := _HEADER.match(line):
            table = header[1]
            lines.setdefault((table, ""), number)
        elif key := _KEY.match(line):
            lines.setdefault((table, key[1] or key[2] or key[3] or ""), number)
    return lines


def shown(value: object) -> str:
    """A value as messages quote it."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return shortened(text)
