"""Kinds of files that hold tables: by their names, by their first bytes; packed ones; quizzes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree import ElementTree

from ists_asp.errors import FormatError, UsageError
from ists_asp.io.text import Source, plain, unreadable
from ists_asp.limits import TableLimits

KINDS = {
    **{".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"},
    **{".xlsx": "xlsx", ".ods": "ods", ".parquet": "parquet"},
}
"""Kinds of tables by the ending of their names."""

READ = {**KINDS, ".xlsm": "xlsx", ".html": "html", ".htm": "html", ".xls": "csv", ".txt": "csv"}
SHEETS = ("xlsx", "ods", "html")
_ARCHIVED = (b"[Content_Types].xml", b"docProps/", b"_rels/", b"xl/")  # begins a workbook
KNOWN = {
    **{"xlsx": "an Excel workbook", "ods": "a LibreOffice sheet", "parquet": "a Parquet file"},
    **{"html": "a page of HTML", "csv": "text"},
}
_OTHER = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the years before 2007, or one with a password",
    b"PK\x03\x04": "an archive without a sheet",
    b"%PDF": "a PDF",
}
_PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

QUIZZES = (".gift", ".xml")  # of learning platforms, GIFT and Moodle XML
_GIFT = re.compile(
    r"(?:::(?P<name>.*?)::)?(?P<before>[^{]*)\{(?P<answers>[^}]*)\}?(?P<after>.*)", re.DOTALL
)
_FORMAT = re.compile(r"^\s*\[(?:html|moodle|plain|markdown)\]")
_RIGHT = re.compile(r"=\s*(?!%)(?:\[\w+\])?([^~=#]*)")  # with a weight it is right in part
_WHOLE = re.compile(r"\s*100(\.0*)?\s*")
_HIDE, _SHOW = ({"\\" + c: chr(0xE000 + n) for n, c in enumerate("~=#{}:")}, "~=#{}:")


def kind_of(path: Path, where: str | None = None) -> str:
    """The kind of a table by the ending of its name."""
    kind = KINDS.get(ending(path))
    if kind is None:
        found, expected = "no kind of table is known by this ending", ", ".join(KINDS)
        hint = "Say what it is with --tsv FILE or --jsonl FILE, or give it another name"
        raise UsageError(found, where=where or str(path), expected=expected, hint=hint)
    return kind


def ending(path: Path) -> str:
    """The ending of a name, in small letters, before that of a packed file."""
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def content_kind(head: bytes, kind: str, where: str) -> str:
    """The kind of a table by its first bytes, whatever it is called."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        if b"opendocument.spreadsheet" in head[:200]:
            return "ods"
        if any(name in head for name in _ARCHIVED):
            return "xlsx"
    elif b"\0" not in head and kind not in ("jsonl", "parquet"):
        start = head.removeprefix(BOM_UTF8).lstrip()[:1000].lower()
        if start.startswith((b"<html", b"<!doctype html", b"<table", b"<meta")):
            return "html"
        if kind in SHEETS and re.search(rb"[,;\t].*\n", head):
            return "csv"
    if kind in ("csv", "tsv", "jsonl"):
        for magic, what in _OTHER.items():
            if head.startswith(magic):
                hint = "Save it as .xlsx or .csv in the program that made it"
                raise FormatError(f"this is {what}", where=where, expected="a table", hint=hint)
    return kind


@contextmanager
def opened(source: Source, where: str, limits: TableLimits) -> Iterator[BinaryIO]:
    """A source as a stream of bytes, which are unpacked if its name says that they are packed."""
    try:
        if isinstance(source, Path):
            pack = _PACKED.get(source.suffix.lower())
            with (pack or Path.open)(source, "rb") as stream:
                if pack is not None:
                    size = source.stat().st_size
                    bounded = _Unpacked(stream, size, where, limits)
                    stream = io.BufferedReader(bounded, 1 << 16)
                yield stream
        else:
            source.seek(0)
            yield source
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise FormatError(f"cannot be unpacked: {error}", where=where) from None
    except (OSError, ValueError) as error:
        raise unreadable(error, where) from error


class _Unpacked(io.RawIOBase):
    """A packed file as it is read: its bytes unpacked, which are counted."""

    def __init__(self, stream: BinaryIO, packed: int, where: str, limits: TableLimits) -> None:
        self._stream, self._about, self._limits = stream, (packed, where), limits
        self.readable, self.seekable = stream.readable, stream.seekable  # type: ignore[method-assign]
        self.seek, self.tell = stream.seek, stream.tell  # type: ignore[method-assign]

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (as in the standard library)
        data = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(data)] = data
        self._limits.check_unpacked(self._stream.tell(), *self._about)
        return len(data)


def quiz_table(path: Path) -> bytes:
    """JSON Lines with each ``question`` and ``reference``, also by its name and its number.

    Raises:
        DataError: the file cannot be read, or has no question with a model answer.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(error, str(path)) from None
    lines = list[str]()
    read = _read_xml if path.suffix.lower() == ".xml" else _read_gift
    for number, (name, question, answers) in enumerate(read(text, str(path)), 1):
        for title in dict.fromkeys((plain(question).strip(), name.strip(), str(number))):
            lines += (json.dumps({"question": title, "reference": one}) for one in answers if title)
    if not lines:
        expected = "questions with right answers, as GIFT or Moodle XML"
        raise FormatError("no model answer", where=str(path), expected=expected)
    return "\n".join(lines).encode()


def _read_gift(text: str, _where: str) -> Iterator[tuple[str, str, list[str]]]:
    for escaped, sign in _HIDE.items():
        text = text.replace(escaped, sign)
    text = re.sub(r"^\s*(?://|\$CATEGORY).*$", "", text, flags=re.M)
    for block in re.split(r"\n\s*\n", text):
        if (match := _GIFT.match(block.strip())) is None:
            continue
        before, after, answers = match["before"], match["after"], match["answers"].strip()
        gap = " … " if after.strip() else ""
        question = " ".join(f"{_FORMAT.sub('', before)}{gap}{after}".split())
        if answers.startswith("#"):
            # A number, with its tolerance or range.
            answers = "=" + re.sub(r":[\d.]+|\.\.[\d.]+", "", answers[1:].lstrip("="))
        elif (truth := answers.split("#")[0].strip().upper()) in ("T", "TRUE", "F", "FALSE"):
            answers = f"={'True' if truth[0] == 'T' else 'False'}"
        right = [_shown(one) for one in _RIGHT.findall(answers) if "->" not in one]
        yield _shown(match["name"] or ""), _shown(question), right


def _shown(text: str) -> str:
    for number, char in enumerate(_SHOW):
        text = text.replace(chr(0xE000 + number), char)
    return plain(text.replace("\\n", "\n")).strip()


def _read_xml(text: str, where: str) -> Iterator[tuple[str, str, list[str]]]:
    try:
        if "<!ENTITY" in text:
            raise FormatError("entities of its own", where=where, expected="Moodle XML")
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise FormatError(f"no XML: {error}", where=where, expected="Moodle XML") from None
    for item in root.iter("question"):
        if item.get("type") == "category":
            continue
        # Nothing says that the share of a file somebody made is a number.
        right = [one for one in item.findall("answer") if _WHOLE.fullmatch(one.get("fraction", ""))]
        answers = [one.findtext("text", "") for one in (*right, *item.findall("graderinfo"))]
        name, question = (item.findtext(f"{part}/text", "") for part in ("name", "questiontext"))
        yield name, question, [text for answer in answers if (text := plain(answer).strip())]
