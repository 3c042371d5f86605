"""The text of one rule file: positions, excerpts, includes, and what must not reach clingo."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ists_asp.errors import RuleError, shortened
from ists_asp.model import straight
from ists_asp.rules.examples import read_example
from ists_asp.syntax.ground import quoted
from ists_asp.terminal import visible
from ists_asp.vocabulary import OPPOSITE, SAME_MEANING

LARGEST = 1 << 24  # bytes of a rule file at most
SUFFIX = ".tsv"  # the suffix of word tables
TESTS = "tests.tsv"  # examples: in columns two sentences, a claim, and a profile if you like
_BEGINNING = 1 << 12  # bytes of a table that tell what is in it
_LONGEST_ENTRY = 60  # characters of a word or phrase at most
_SIGN = re.compile(r"(=|<>)")
_PREDICATES = {"=": SAME_MEANING, "<>": OPPOSITE}
_WHOLE = re.compile(r"[^#]*?(?:=|<>)\s*[^\s#]")

_SHOWN = 80  # characters of a line that an excerpt shows
_STRING = r'"(?:[^"\\\n]|\\["\\n])*"'
_ESCAPE = re.compile(r"\\.")
_WORD_ENDS = r"(?![A-Za-z0-9_'])"
_PLAIN = re.compile(
    rf'(?:[^"%#\x80-\U0010ffff]++|{_STRING}|%(?!\*)[^\n]*+|#(?!(?:script|include){_WORD_ENDS}))*+'
)
"""Text without anything to look at: code, whole strings, comments to the end of their line."""
_LEXEMES = re.compile(
    r'(?P<quote>"(?:[^"\\\n]|\\.?)*"?)'
    r"|(?P<block>%\*)"
    rf"|(?P<script>#script{_WORD_ENDS})"
    rf"|(?P<include>#include{_WORD_ENDS})"
    r"|(?P<foreign>[^\x00-\x7f]+)"
)
_BLOCK = re.compile(r"(?P<open>%\*)|(?P<close>\*%)|%[^\n]*")
_INCLUDE = re.compile(rf"#include\s*(?:(?P<target>{_STRING})|<(?P<library>[^<>\s]*)>)\s*\.")
_ESCAPES = {r"\"": '"', r"\\": "\\", r"\n": "\n"}

Report: TypeAlias = Callable[[str, RuleError], None]
"""Gets a fault with its kind: ``file``, ``syntax``, ``include`` or ``directive``."""


def refuse(_kind: str, error: RuleError) -> None:
    """Raise a fault."""
    raise error


@dataclass(frozen=True, slots=True)
class Include:
    """An ``#include "target".`` at the text offsets ``start`` to ``end``."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A rule file's text, and ``name``, the file's name in messages.

    clingo counts columns in UTF-8 bytes; people count characters. Both start at 1.
    """

    name: str
    text: str
    _lines: tuple[bytes, ...] = field(init=False, repr=False, compare=False)
    _last_place: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lines", tuple(self.text.encode().split(b"\n")))
        object.__setattr__(self, "_last_place", [0, 0, 0])

    def line(self, number: int) -> str:
        """Return a line without its end; empty behind the last one."""
        return self._lines[number - 1].decode().rstrip("\r") if number <= len(self._lines) else ""

    def character(self, line: int, byte: int) -> int:
        """Return the character column of a byte column."""
        # A file may be one line of a million rules: counting goes on from the last place.
        last_line, before, count = self._last_place
        if last_line != line or before > byte - 1:
            before, count = 0, 0
        row = self._lines[line - 1] if line <= len(self._lines) else b""
        count += len(row[before : byte - 1].decode(errors="replace"))
        self._last_place[:] = line, byte - 1, count
        return count + 1

    def span(self, begin: tuple[int, int], end: tuple[int, int]) -> str:
        """Return the text between two positions (line, byte column), end excluded."""
        (line1, byte1), (line2, byte2) = begin, end
        rows = list(self._lines[line1 - 1 : line2])
        if len(rows) < 2:
            return b"".join(rows)[byte1 - 1 : byte2 - 1].decode(errors="replace")
        rows[-1] = rows[-1][: byte2 - 1]
        rows[0] = rows[0][byte1 - 1 :]
        return b"\n".join(rows).decode(errors="replace")

    def excerpt(self, line: int, column: int) -> str:
        """Return the line, or the part around ``column`` of a long one, with a caret below it."""
        text = self.line(line)
        begin = max(0, min(column - 1 - _SHOWN // 2, len(text) - _SHOWN))
        dots = "…" if begin else ""
        piece = text[begin : begin + _SHOWN]
        # Tabs stay tabs, so that the caret stands right whatever their width.
        before = dots + visible(piece[: column - 1 - begin])
        blanks = "".join("\t" if char == "\t" else " " for char in before)
        ending = "…" if begin + _SHOWN < len(text) else ""
        return f"    {dots}{visible(piece)}{ending}\n    {blanks}^"

    def error(self, found: str, line: int, column: int, **details: str | None) -> RuleError:
        """Return an error about the character ``column`` of a line, with what it has ``more``."""
        where, excerpt = f"{self.name}:{line}:{column}", self.excerpt(line, column)
        return RuleError(found, where=where, excerpt=excerpt, **details)

    def error_at(self, offset: int, found: str, **details: str | None) -> RuleError:
        """Return an error about the character at a text offset."""
        line = self.text.count("\n", 0, offset) + 1
        return self.error(found, line, offset - self.text.rfind("\n", 0, offset), **details)

    def includes(self) -> tuple[Include, ...]:
        """The file's includes in order; a RuleError for what clingo must not see.

        That is a script, an include of one of clingo's own libraries, a string or comment without
        an end, and characters beyond ASCII outside strings and comments (clingo's Python module
        ends the process when it reports those).
        """
        includes: list[Include] = []
        strings: list[RuleError] = []
        position = 0
        while plain := _PLAIN.match(self.text, position):
            match = _LEXEMES.match(self.text, plain.end())
            if match is None:
                break
            if match.lastgroup == "block":
                position = self._block_end(match)
            elif match.lastgroup == "include":
                include = self._include(match.start())
                includes.append(include)
                position = include.end
            elif match.lastgroup == "quote":
                strings.append(self._forbidden(match))
                position = match.end()
            else:
                raise self._forbidden(match)
        if strings:
            strings[0].others = strings[1:]
            raise strings[0]
        return tuple(includes)

    def without(self, includes: tuple[Include, ...]) -> str:
        """Return the text with blanks for the includes, all else at its old position."""
        parts, position = [], 0
        for include in includes:
            text = self.text[include.start : include.end]
            blanks = re.sub(r"[^\n]", lambda match: " " * len(match[0].encode()), text)
            parts += [self.text[position : include.start], blanks]
            position = include.end
        return "".join([*parts, self.text[position:]])

    def _block_end(self, start: re.Match[str]) -> int:
        # As in clingo: blocks nest, and a % within a block hides the rest of its line.
        depth, position = 1, start.end()
        while depth:
            match = _BLOCK.search(self.text, position)
            if match is None:
                found = "this block comment has no end"
                hint = 'Close it with "*%"; a "%" within it hides the rest of its line'
                raise self.error_at(start.start(), found, expected='"*%"', hint=hint)
            depth += (match.lastgroup == "open") - (match.lastgroup == "close")
            position = match.end()
        return position

    def _include(self, offset: int) -> Include:
        match = _INCLUDE.match(self.text, offset)
        if match is None or match["library"] is not None:
            found, expected = "this #include names no rule file", '#include "file.lp"'
            hint = "Include files of the rule folder only, clingo's libraries hold scripts"
            raise self.error_at(offset, found, expected=expected, hint=hint)
        target = re.sub(r"\\.", lambda escape: _ESCAPES[escape[0]], match["target"][1:-1])
        return Include(match.start(), match.end(), target)

    def _forbidden(self, match: re.Match[str]) -> RuleError:
        expected = hint = None
        if match.lastgroup == "script":
            found = "#script is refused: a script could do anything on this computer"
            hint = "Express it as rules, or give the output of ists-asp facts to plain clingo"
        elif match.lastgroup == "quote":
            found, expected = "this string has no end on its line", 'a closing "'
            if bad := [one for one in _ESCAPE.findall(match[0]) if one not in _ESCAPES]:
                found = f"clingo does not know the escape {' or '.join(bad)} in this string"
                expected = r"\" \\ or \n; \\ is a backslash"
        elif match[0].startswith("\ufeff"):
            found, hint = "the file has a byte order mark", "Save it as UTF-8 without one"
        else:
            found = f'"{shortened(match[0])}" stands outside strings and comments'
            expected = "letters a-z, digits and ASCII signs"
            hint = 'Put words between double quotes: "…"'
        return self.error_at(match.start(), found, expected=expected, hint=hint)


def read_plain(path: Path, name: str, most: int, kind: str = "rule file") -> bytes:
    """Read a file of the rules, which is not to be a pipe, a device or without an end."""
    try:
        # Opening a pipe would wait for a writer.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            plain = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            data = stream.read(most + 1) if plain else b""
    except FileNotFoundError:
        raise RuleError(f"there is no such {kind}", where=name) from None
    except OSError as error:
        found = f"the {kind} cannot be read ({error.strerror})"
        raise RuleError(found, where=name, expected="a text file") from None
    if not plain:
        raise RuleError("this is not a plain file", where=name, expected="a text file")
    if len(data) > most:
        raise RuleError(f"the file has more than {most >> 10} kB", where=name, expected="less")
    return data


def read_source(path: Path, name: str, report: Report = refuse) -> tuple[SourceText, bytes]:
    """Read a rule file; return its text and its bytes. ``report`` is as for a word table."""
    data = read_plain(path, name, LARGEST)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found, hint = f"byte 0x{data[error.start]:02x} is not UTF-8", "Save the file as UTF-8"
        raise RuleError(found, where=f"{name}:{line}", hint=hint) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        found = "the file has a null character, clingo would stop reading there"
        raise RuleError(found, where=f"{name}:{line}", hint="Remove it")
    if path.suffix == SUFFIX and path.name != TESTS:
        text = table_rules(text, name, report)
    return SourceText(name, text), data


def table_rules(text: str, name: str, report: Report = refuse) -> str:
    """A word table as the text of a rule file with as many lines, so that places are the same.

    Lines are ``A = B`` or ``A <> B``, also in two columns of which the first ends in the sign;
    blank lines, letter case and what follows ``#`` do not count. An example may stand in a column
    behind them. ``report`` gets each faulty line, which is empty then.
    """
    facts, faults = list[str](), list[RuleError]()
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            facts.append(_fact(line, f"{name}:{number}"))
        except RuleError as error:
            faults.append(error)
            facts.append("")
    for fault in faults:
        fault.others = faults[1:] if report is refuse else ()
        report("file", fault)
    return "\n".join([*facts, ""])


class TableEntry(NamedTuple):
    """An entry of a word table; ``behind`` is all that follows it, an ``example`` included."""

    left: str
    sign: str
    right: str
    behind: str
    example: str


def read_entry(line: str, where: str = "") -> TableEntry | None:
    """Read a line of a word table; None where it has no entry, a RuleError if it is malformed."""
    before, _, example = line.rpartition("\t")
    if not ('"' in example and _WHOLE.match(before)):
        before, example = line, ""
    entry = before.partition("#")[0].strip().removeprefix("\ufeff")
    if not entry:
        return None
    # Nothing here takes more time than the line is long.
    parts = [" ".join(straight(part.lower()).split()) for part in _SIGN.split(entry)]
    sides = parts[::2]
    fits = all(side and len(side) <= _LONGEST_ENTRY and not set(side) & set("<>") for side in sides)
    if not fits or len(sides) != 2 or sides[0] == sides[1]:
        found = f"'{shortened(entry)}' is not an entry of a word table"
        expected = "two different words or short phrases, A = B or A <> B"
        raise RuleError(found, where=where, expected=expected)
    example = example and read_example(example, where).text
    return TableEntry(sides[0], parts[1], sides[1], line.partition(entry)[2], example)


def _fact(line: str, where: str) -> str:
    entry = read_entry(line, where)
    if entry is None:
        return ""
    behind = f" %@example {entry.example}" if entry.example else ""
    words = f"{quoted(entry.left)},{quoted(entry.right)}"
    return f"{_PREDICATES[entry.sign].name}({words}).{behind}"


_SUFFIXES = (".lp", ".toml")
_MENTIONED = re.compile(rb'#include[^"]{0,200}"((?:[^"\\\n\0]|\\.)*)"')


def files_of_rules(path: Path) -> Iterator[Path]:
    """Find the files that may be read where a path is given as rules, with what they include.

    Of a folder all rule files and profiles. None is parsed: an ``#include`` in a comment counts.
    """
    start = Path(os.path.realpath(path))
    root, queue = start.parent, [start]
    if start.is_dir():
        root, queue = start, [file for file in start.rglob("*") if file.suffix in _SUFFIXES]
    visited: set[Path] = set()
    while queue:
        file = queue.pop()
        real = Path(os.path.realpath(file))
        if real in visited or not real.is_relative_to(root):
            continue
        visited.add(real)
        # A name may be one that no file can have.
        with suppress(OSError):
            if real.is_file():
                with real.open("rb") as stream:
                    targets = _MENTIONED.findall(stream.read(LARGEST))
                names = (os.fsdecode(re.sub(rb"\\(.)", rb"\1", name)) for name in targets)
                queue += [file.parent / name for name in names]
                yield file


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A rule file to load."""

    path: Path
    name: str  # what messages and traces call it
    root: Path  # the folder that its includes must not leave
    root_name: str  # what messages call that
    weighs: bool = False  # a profile names it among its weights
    fitting: bool = False  # only those of its statements are loaded whose predicates are there


def find_rules(path: Path, name: str | None = None) -> tuple[RuleSource, ...]:
    """Return the files that a path stands for: itself, or the rules and word tables below it."""
    title = str(path) if name is None else name
    target = resolved(path)
    if target is None:
        found = "not a valid file name, or links lead in a circle"
        raise RuleError(found, where=shortened(title), hint="Check the path")
    if target.is_dir():
        try:
            files = sorted(file for file in target.rglob("*") if _has_rules(file))
        except RecursionError:
            raise RuleError("the folders are nested too deeply", where=title) from None
        if not files:
            expected = "*.lp files or word tables"
            raise RuleError("the folder has no rule files", where=title, expected=expected)
        return tuple(
            RuleSource(file, join(title, file.relative_to(target).as_posix()), target, title)
            for file in files
        )
    if not target.is_file():
        found = "there is no such rule file or folder"
        raise RuleError(found, where=title, hint="Check the path's spelling")
    root_name = str(path.parent) if name is None else name.rpartition("/")[0]
    return (RuleSource(target, title, target.parent, root_name),)


def _has_rules(file: Path) -> bool:
    """Whether a file in a folder has rules, or words: a table of these begins with an entry."""
    if not file.is_file() or file.suffix != SUFFIX or file.name == TESTS:
        return file.is_file() and file.suffix == ".lp"
    with file.open("rb") as stream:
        lines = stream.read(_BEGINNING).decode(errors="replace").splitlines()
    first = next((line for line in lines if line.partition("#")[0].strip()), "")
    return _WHOLE.match(first.partition("\t")[0]) is not None


def resolved(path: Path) -> Path | None:
    """Where a path leads; None for what no file can be called, and for links in a circle."""
    try:
        path.exists()
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def join(folder: str, relative: str) -> str:
    """The name in messages of a file in a folder that they call ``folder``."""
    return relative if folder in ("", ".") else f"{folder.rstrip('/')}/{relative}"


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A loaded file: absolute path, name in messages, SHA-256 in hexadecimal, included paths."""

    path: Path
    name: str
    sha256: str
    includes: tuple[Path, ...] = ()
