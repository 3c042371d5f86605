"""Lines of text from bytes that may be dirty: repairs, faults, sentences."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from itertools import starmap
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, TypeVar
from unicodedata import category, normalize

from ists_asp.errors import DataError, FaultyLinesError, FormatError, shortened
from ists_asp.io.columns import is_numbered
from ists_asp.model import Sentence, Token

Parsed = TypeVar("Parsed")

Source: TypeAlias = Path | BinaryIO
Warn: TypeAlias = Callable[[str], None]

LONGEST = 1 << 20  # bytes of a line at most: what has no line ends at all must not fill the memory
END = "\x1a\0"  # signs that old programs write at the end of a file
HELD = 1000  # rows of a table, and pairs, that are held: an input of so many is read once
_LONE_BLANK = re.compile("(?<![^ \t])\u00a0+(?![^ \t])")

_MOST = 20  # faults that are told one by one; of a million only the number is of use
SKIP = "Add --skip-bad to leave faulty rows out"  # a hint


class Faults:
    """The faults of the lines of an input.

    A block ``with faults:`` collects what it raises about a line; :meth:`check` raises it. With
    ``skip`` a fault is a warning and the line is left out; otherwise the first has the ``hint``. A
    :class:`~ists_asp.errors.FormatError` is about the whole input and passes through.
    """

    def __init__(self, skip: Warn | None = None, *, hint: str | None = None) -> None:
        self._skip, self._hint = skip, hint
        self._first: list[DataError] = []
        self._count = 0

    def __enter__(self) -> None:
        """Nothing is needed."""

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> bool:
        if not isinstance(fault, DataError) or isinstance(fault, FormatError):
            return False
        self.add(fault)
        return True

    def add(self, fault: DataError) -> None:
        """Take up a fault, or several that were collected elsewhere."""
        several = fault if isinstance(fault, FaultyLinesError) else FaultyLinesError([fault], 1)
        if self._skip is not None:
            for message in several.messages:
                self._skip(f"{message}; left out")
            return
        if self._hint and not self._count:
            several.faults[0].hint = several.faults[0].hint or self._hint
        self._first += several.faults[: _MOST - len(self._first)]
        self._count += several.count

    def check(self) -> None:
        """Raise what was taken up."""
        if self._count == 1:
            raise self._first[0]
        if self._first:
            raise FaultyLinesError(self._first, self._count)


def ignore(_message: str) -> None:
    """Drop a warning: the default sink of the readers."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """Where a reader reports what it repaired; if it is strict, each repair is an error."""

    warn: Warn = ignore
    strict: bool = False
    _reported: set[str] = field(default_factory=set)

    def report_once(self, where: str, found: str, done: str) -> None:
        """Tell of the first of such findings only."""
        if found not in self._reported:
            self._reported.add(found)
            self.report(where, found, f"{done}, here and elsewhere")

    def report(self, where: str, found: str, done: str) -> None:
        """Tell that ``found`` at ``where`` was dealt with as ``done`` says."""
        if self.strict:
            raise DataError(found, where=where, hint="Correct it, or read without strict checking.")
        self.warn(f"{where}: {found}; {done}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, its number, its place ``file:line``, and its bytes unrepaired."""

    number: int
    text: str
    where: str
    raw: bytes


def source_name(source: Source, name: str | None = None) -> str:
    """The name of a source for messages: ``name``, its path, or its own."""
    if name is not None:
        return name
    return str(source) if isinstance(source, Path) else str(getattr(source, "name", "<stdin>"))


def split_words(text: str) -> list[str]:
    """The tokens of a line: what runs of blanks and tabs separate.

    Other Unicode blanks (such as a no-break space) stay inside their token, as in the
    official files. A token of nothing else is one: later token numbers must not shift.
    """
    return [word for word in text.replace("\t", " ").split(" ") if word]


def given_tokens(words: Sequence[str], where: str | None = None) -> Sequence[str]:
    """The given tokens; a DataError if files cannot have one of them."""
    for word in words:
        if split_words(clean(word, "", Repairs())) != [word]:
            expected = "no blank and no control character in it"
            raise DataError(f"the token {literal(word)}", where=where, expected=expected)
    return words


def make_sentence(words: Sequence[str], written: str = "") -> Sentence:
    """A sentence of these tokens, without chunks, glued as in the text that was ``written``."""
    if not written:
        return Sentence(tuple(starmap(Token, enumerate(words, 1))))
    tokens, end = [], 0
    for index, word in enumerate(words, 1):
        place = written.find(word, end)
        tokens.append(Token(index, word, glued=0 < end == place))
        end = len(written) + 1 if place < 0 else place + len(word)
    return Sentence(tuple(tokens))


def read_lines(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[Line]:
    r"""Yield the lines of a file or binary stream; only ``\n`` (or ``\r\n``) ends a line.

    A byte order mark is dropped. A line that is not UTF-8 is read as Windows-1252, in which no byte
    between blanks is lost; control characters but tab become blanks; each with one warning.
    """
    return parse_lines(source, lambda line: line, name=name, warn=warn, strict=strict)


def parse_lines(
    source: Source,
    parse: Callable[[Line], Parsed],
    *,
    name: str | None = None,
    warn: Warn = ignore,
    strict: bool = False,
) -> Iterator[Parsed]:
    """Yield what lines say; the faults of all lines are raised after the last one."""
    faults = Faults()
    for item in parse_each(source, parse, faults, name=name, warn=warn, strict=strict):
        if not isinstance(item, DataError):
            yield item
    faults.check()


def parse_each(
    source: Source,
    parse: Callable[[Line], Parsed],
    faults: Faults,
    *,
    name: str | None = None,
    warn: Warn = ignore,
    strict: bool = False,
    before: int = 0,
) -> Iterator[Parsed | DataError]:
    """Yield what each line says, or its fault; of a part, so many lines come ``before`` it."""
    label = source_name(source, name)
    repairs = Repairs(warn, strict)
    try:
        with _opened(source, label) as stream:
            for number, raw in enumerate(_raw_lines(stream, label), 1 + before):
                try:
                    item: Parsed | DataError
                    item = parse(_line(number, raw, f"{label}:{number}", repairs))
                except FormatError:
                    raise
                except DataError as fault:
                    faults.add(fault)
                    item = fault
                yield item
    except FormatError:
        raise
    except DataError as fault:
        faults.add(fault)
        faults.check()


def _line(number: int, raw: bytes, where: str, repairs: Repairs) -> Line:
    if number == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    raw = raw.removesuffix(b"\n")
    line = raw.removesuffix(b"\r")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02X} at column {error.start + 1} is not UTF-8"
        repairs.report(where, byte, "the line is read as Windows-1252")
        # Five bytes have no meaning in Windows-1252: they become U+FFFD. So does a no-break space
        # by itself, for a stray byte between blanks is a token, and token numbers must not shift.
        text = _LONE_BLANK.sub("\ufffd", line.decode("cp1252", "replace"))
    return Line(number, clean(text, where, repairs), where, raw)


def clean(text: str, where: str, repairs: Repairs) -> str:
    """Replace control characters (tab excepted), line separators and surrogates by blanks."""
    if text.isascii() and text.isprintable():
        return text
    odd = sorted({c for c in text if c != "\t" and category(c) in ("Cc", "Cs", "Zl", "Zp")})
    if not odd:
        return text
    names = ", ".join(f"U+{ord(char):04X}" for char in odd)
    repairs.report(where, f"control character {names}", "read as a space")
    return text.translate({ord(char): " " for char in odd})


_BLOCK = re.compile(r"</?(?:p|br|div|li|ul|ol)\b[^<>]*>", re.IGNORECASE)
_INLINE = re.compile(r"</?(?:span|b|i|u|em|strong|sub|sup|font|a)\b[^<>]*>", re.IGNORECASE)
# A tag that ends, or an entity: a text with others is about markup, and has none.
_TAG = re.compile(r"</\w+>|<br ?/?>|&(?:#\d+|#x[\da-f]+|[a-z]+\d?);", re.IGNORECASE)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]"
    "|(?<=\\w)[\u200c\u200d\ufe00-\ufe0f]+|[\u200c\u200d]+(?=\\w)"
)
_BYTES = re.compile(r"""b(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")""")
HALF = re.compile("[\ud800-\udfff]")
_SIGNS = str.maketrans("\u2011ʹʻꞌ", "-'''")  # a hyphen that breaks no line, apostrophes
_LIGATURE = re.compile("[\ufb00-\ufb06\uff01-\uff5e]")  # and letters as wide as Chinese ones
_LOST = re.compile(  # an apostrophe, doubled, between blanks, or as what a program made of it
    r"""(?i)(?<=[^\W\d_])(?:\\'|[?"`´\ufffd‚׳]|['’]{2}|(?<=n)(?: ?['’] | ['’])(?=t))"""
    r"(?=(?:[smtd]|re|ve|ll)\b(?!=))"
)
_READ_AS = "[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"  # bytes from 80 to BF, as Windows-1252
_MISREAD = re.compile(f"[ÃÂ]{_READ_AS}|â{_READ_AS}{{2}}|[\x80\x82-\x84\x86-\x8b\x91-\x9c]")


def plain(text: str, where: str = "", repairs: Repairs | None = None) -> str:
    """Strip tags, entities and invisible characters from a text.

    UTF-8 that was read as Windows-1252 is repaired, a no-break space is a blank. Each kind of
    repair is reported once.
    """
    if text.isascii() and not (re.search("[<&]", text) or _LOST.search(text) or _BYTES.match(text)):
        return text
    for kind, done, repair in _REPAIRS:
        repaired = repair(text)
        if repaired != text and repairs is not None:
            repairs.report_once(where, kind, done)
        text = repaired
    return text


def _reread(match: re.Match[str]) -> str:
    # Windows-1252 lacks five bytes, which programs read as the characters of their numbers.
    data = b"".join(c.encode("latin-1" if c < "\xa0" else "cp1252", "replace") for c in match[0])
    try:
        return data.decode("cp1252" if len(data) == 1 else "utf-8")
    except UnicodeDecodeError:
        return match[0]


def _from_bytes(text: str) -> str:
    with suppress(UnicodeError):
        if _BYTES.fullmatch(text):
            data = text[2:-1].encode("ascii").decode("unicode_escape").encode("latin-1")
            return data.decode()
    return text


def _normalized(text: str) -> str:
    text = normalize("NFC", text).translate(_SIGNS)
    return _LOST.sub("'", _LIGATURE.sub(lambda match: normalize("NFKC", match[0]), text))


_REPAIRS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("Python's bytes, such as b'…'", "read as the text in them", _from_bytes),
    ("text in a wrong encoding, such as â€™", "repaired", partial(_MISREAD.sub, _reread)),
    (
        "tags or entities, as of a learning platform",
        "read as the text that they show",
        lambda text: (
            unescape(_INLINE.sub("", _BLOCK.sub("\n", text))) if _TAG.search(text) else text
        ),
    ),
    ("invisible characters", "left out", partial(_INVISIBLE.sub, "")),
    ("no-break spaces", "read as spaces", lambda text: re.sub("[\xa0\u202f]", " ", text)),
    ("letters in parts, ligatures or odd signs", "read as usual ones", _normalized),
)


def _raw_lines(stream: BinaryIO, label: str) -> Iterator[bytes]:
    number = 0
    try:
        while raw := stream.readline(LONGEST + 1):
            number += 1
            if number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                found, hint = "the file is UTF-16", "Convert it, for instance with iconv."
                raise FormatError(found, where=label, expected="UTF-8", hint=hint)
            if len(raw) > LONGEST:
                found, where = f"a line of more than {LONGEST >> 20} MB", f"{label}:{number}"
                raise DataError(found, where=where, expected="one sentence or pair a line")
            if raw.endswith(b"\n") or raw.strip(END.encode()):
                yield raw
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=label) from error


def unreadable(error: Exception, where: str) -> DataError:
    """The error for a file that cannot be opened."""
    reason = getattr(error, "strerror", None) or error
    return DataError(f"cannot be read: {reason}", where=where, hint="Check the name of the file.")


def _opened(source: Source, label: str) -> AbstractContextManager[BinaryIO]:
    try:
        return source.open("rb") if isinstance(source, Path) else nullcontext(source)
    except (OSError, ValueError) as error:
        raise unreadable(error, label) from error


def parse_sentence(line: Line) -> Sentence:
    """The sentence on a line."""
    words = split_words(line.text)
    if not words:
        raise DataError("an empty sentence", where=line.where, expected="at least one token")
    if line.number == 1 and len(words) == 1 and is_numbered(words[0]):
        found, expected = f"the line names columns ({words[0]})", "sentences from line 1 on"
        hint = "Take this line out, for instance with tail -n +2"
        raise FormatError(found, where=line.where, expected=expected, hint=hint)
    return make_sentence(words)


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
    """Decode and parse TOML that anybody may have written; return the text and its table.

    What no parser should be given is refused first: the time and the memory that :mod:`tomllib`
    takes grow with the square of the parts of a key.
    """
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
    plain = _TEXT.sub(lambda match: "\n" * match[0].count("\n") or match[0], text)
    lines: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(plain.split("\n"), 1):
        if header := _HEADER.match(line):
            table = header[1]
            lines.setdefault((table, ""), number)
        elif key := _KEY.match(line):
            lines.setdefault((table, key[1] or key[2] or key[3] or ""), number)
    return lines


def literal(value: object) -> str:
    """A value as messages quote it."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return shortened(text)
