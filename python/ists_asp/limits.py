"""How much a pair may ask for, in tokens and in characters, and how much a table may hold.

Whatever grows faster than the text must have a bound, or a word can take all the time there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import BinaryIO

from ists_asp.errors import DataError, FormatError, UsageError, of_pair, shortened
from ists_asp.model import Answer, Pair, Sentence

MAX_TOKENS = 500
"""Tokens of a sentence at most.

Two sentences of 500 tokens take about 1 GB and half a minute, two of 1000 tokens four times
as much, and clingo cannot be interrupted while it grounds.
"""

MAX_CHARACTERS = 10_000
"""Characters of a sentence at most, blanks included.

500 tokens of English have 3 000. The tagger takes 30 microseconds for each character of an unknown
word, so that a pair of such sentences takes it less than a second.
"""

LONGEST_WORD = 100
"""Characters of a word that the tagger is shown, and of one that anything is known about.

The longest entry of WordNet has 71, the longest token of the train sets 26. Two longer words are
equal or not, and nothing else is asked about them.
"""

GRACE = 5.0
"""Seconds beyond a pair's time limit after which the process that works on it is killed.

The search ends at the limit. But clingo cannot be stopped while it grounds, and what is known about
the words, facts and traces takes time as well.
"""

LOADING = 10.0  # seconds to load rules, however short the time limit: the largest take a third
_TOGETHER = 0.2  # seconds that each pair of several decided together adds; most take a tenth of it
SMALL = 256 << 10  # bytes that a file of any size may unpack to
_LONG_TOKENS = 100
_LONG_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class TableLimits:
    """How much a table may hold, whatever it says of itself."""

    rows: int = 1 << 20  # blank ones included
    columns: int = 1000
    cell: int = 1 << 20  # characters
    blank: int = 10_000  # rows between two others
    unpacked: int = 256  # megabytes
    ratio: int = 200  # times the size of the file
    seconds: int = 5  # of processor time for a sheet, more if it is large
    memory: int = 320  # megabytes for a sheet, more if it is large

    def check(self, name: str, size: float, found: str, where: str) -> None:
        """Refuse a table in which a ``size`` is beyond the limit of that name."""
        if size > getattr(self, name):
            raise self.error(name, found, where)

    def check_unpacked(self, size: int, packed: int, where: str) -> None:
        """Refuse a file of so many ``packed`` bytes that unpacks to too many."""
        found = f"{size >> 10} kB when it is unpacked"
        self.check("unpacked", size / (1 << 20), found, where)
        if size > SMALL:
            found = f"{found}, of a file of {packed} bytes"
            self.check("ratio", size / max(1, packed), found, where)

    def read_all(self, stream: BinaryIO, where: str) -> bytes:
        """All bytes of a file that is read at once, if it has no more than may be unpacked."""
        data = stream.read((self.unpacked << 20) + 1)
        self.check("unpacked", len(data) / (1 << 20), "a larger file", where)
        return data

    def error(
        self, name: str, found: str, where: str, kind: type[DataError] = FormatError
    ) -> DataError:
        """The error for a table that is beyond the limit of that name."""
        limit = getattr(self, name)
        units = {"cell": " characters", "unpacked": " MB", "ratio": " times the file's size"}
        units |= {"blank": " blank rows", "seconds": " s", "memory": " MB of memory"}
        expected = f"at most {limit}{units.get(name, f' {name}')}"
        hint = f"If it is right, put --table-limits {name}=N before the command"
        return kind(found, where=where, expected=expected, hint=hint)

    @classmethod
    def parse(cls, text: str) -> TableLimits:
        """The limits with those that a text raises, such as ``rows=2000000,columns=3000``."""
        pairs = [part.partition("=")[::2] for part in text.split(",") if part]
        names = [field.name for field in fields(cls)]
        for name, number in pairs:
            if name not in names or not (number.isascii() and number.isdecimal()):
                expected = f"NAME=N, with commas between several; names are {', '.join(names)}"
                found, where = f"'{shortened(f'{name}={number}')}'", "--table-limits"
                raise UsageError(found, where=where, expected=expected)
        return replace(cls(), **{name: int(number) for name, number in pairs})


table_limits = TableLimits()  # the limits of this process; the option --table-limits sets them


def is_long(pair: Pair) -> bool:
    """Whether a pair is decided alone, as it may take more than a second."""
    characters = _size(pair.sent1) + _size(pair.sent2)
    return characters >= _LONG_CHARACTERS or sum(pair.sizes) >= _LONG_TOKENS


def lifetime(seconds: float, pairs: int = 1, grace: float = GRACE) -> float:
    """Seconds of processor time after which a process that works on pairs is killed."""
    return seconds + grace + _TOGETHER * (pairs - 1)


def warnings_of(answer: Answer, seconds: float) -> Iterator[str]:
    """Warnings of an answer that may not be the best, or of pairs that no label is left for."""
    pair = answer.pair
    if not answer.optimal:
        text = f"within {seconds:g} s the answer was not proved the best; allow more with --timeout"
        yield f"{of_pair(pair.id)}: {text}"
    for tokens1, tokens2 in answer.unlabelled:
        sides = f'"{pair.sent1.words(tokens1)}" and "{pair.sent2.words(tokens2)}"'
        text = f"rules forbid all labels of {sides}, which are not aligned; see ists-asp why-not"
        yield f"{of_pair(pair.id)}: {text}"


def check_pair(pair: Pair) -> None:
    """Refuse a pair with a sentence that is too long to be decided."""
    for number, sentence in enumerate(pair.sentences, 1):
        check_size(sentence, f"{of_pair(pair.id)}, sentence {number}")


def fits(pair: Pair) -> bool:
    """Whether no sentence of a pair is too long."""
    try:
        check_pair(pair)
    except DataError:
        return False
    return True


def check_size(sentence: Sentence, where: str) -> None:
    """Refuse a sentence that is too long to be decided: it is a DataError."""
    _refuse_beyond(MAX_TOKENS, len(sentence.tokens), "tokens", where)
    _refuse_beyond(MAX_CHARACTERS, _size(sentence), "characters", where)


def check_text(text: str, where: str) -> None:
    """Refuse a sentence that is too long to be tokenised."""
    _refuse_beyond(MAX_CHARACTERS, len(text), "characters", where)


def _refuse_beyond(most: int, size: int, unit: str, where: str) -> None:
    if size > most:
        hint = "Split the text into sentences, one a line"
        expected = f"at most {most} {unit}"
        raise DataError(f"a sentence of {size} {unit}", where=where, expected=expected, hint=hint)


def _size(sentence: Sentence) -> int:
    return sum(len(token.form) for token in sentence.tokens) + len(sentence.tokens) - 1
