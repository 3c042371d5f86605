"""The input of a command: what its options name, read, checked, counted and chosen from.

Pairs stand on the command line, in files, or come from standard input. What can be read only
once, standard input and pipes, is copied where it has to be read twice.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from ists_asp.cli.console import note, reader_warnings, warn
from ists_asp.errors import DataError, UsageError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.engine import System
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.io.pairs import Places
    from ists_asp.io.tables import Row, Table
    from ists_asp.io.text import Source, Warn
    from ists_asp.model import Pair, Sentence
    from ists_asp.rules import Profile

STDIN = "-"
"""What names standard input on the command line."""

_FLAGS = "two sentences, --table FILE, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE"

_TABLES = ("--table", "--tsv", "--jsonl")

_SHOWN_IDS = 10


@dataclass(frozen=True, slots=True)
class Inputs:
    """The values of the input options; :meth:`check` them before anything else.

    ``files`` has files, or ``-`` for standard input, by option and in the order of the options;
    ``columns`` titles or numbers of the columns of a table, by what they hold; ``identifier`` the
    id of the only pair that is wanted; ``copies`` what can be read only once; ``table`` and
    ``places`` the table, and where pairs are in it, once it is open (:meth:`ready`). Of parts of
    files so many lines are ``before`` them. The flags are those of the options that are called so.
    """

    sentences: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False
    raw: bool = False
    tokens: bool = False
    strict: bool = False
    skip_bad: bool = False
    header: bool = False
    encoding: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    identifier: str | None = None
    quiet: bool = False
    copies: Mapping[str, Path] = field(default_factory=dict)
    table: Table | None = None
    places: Places | None = None
    before: int = 0

    @property
    def tabular(self) -> str | None:
        """The option that names a table, if one does."""
        return next((flag for flag in _TABLES if flag in self.files), None)

    @property
    def text(self) -> bool:
        """Whether Stanza tokenises: text by people, and not what has tokens already."""
        aligned = self.files.get("--table", "").endswith(".wa")
        return self.raw or not (self.tokens or self.chunked or "--sent1" in self.files or aligned)

    @property
    def single(self) -> bool:
        """Whether the pair stands on the command line."""
        return bool(self.sentences)

    @property
    def given(self) -> bool:
        """Whether there are any."""
        return bool(self.sentences or self.files)

    @property
    def one(self) -> bool:
        """Whether there is one pair by intention."""
        return self.single or self.identifier is not None

    @property
    def names(self) -> list[str]:
        """The files as messages call them."""
        return list(map(_shown, self.files.values()))

    def check(self) -> None:
        """Refuse options that do not go together."""
        sentences, given = self.sentences, list(self.files)
        if sentences and given:
            raise UsageError(f"sentences on the command line do not go with {given[0]}")
        if not sentences and not given:
            piped = sys.stdin is not None and not sys.stdin.isatty()
            hint = "Pairs are read from standard input with --tsv - or --jsonl -"
            raise UsageError("there is no input", expected=_FLAGS, hint=hint if piped else None)
        if sentences == (STDIN,):
            raise UsageError(
                "- alone does not say what standard input holds",
                expected="--tsv - or --jsonl -, or two sentences of which one is -",
            )
        if sentences and len(sentences) != 2:
            count = "one sentence" if len(sentences) == 1 else f"{len(sentences)} sentences"
            raise UsageError(count, expected=_FLAGS, hint="Put each sentence in quotes")
        if flag := self.tabular:
            if len(given) > 1:
                other = next(name for name in given if name != flag)
                raise UsageError(f"{other} does not go with {flag}", expected=_FLAGS)
            if self.chunked:
                raise UsageError(
                    f"--chunked does not go with {flag}",
                    hint='JSON Lines give chunks with "chunks1" and "chunks2", without an option',
                )
            if flag == "--table" and self.files[flag] == STDIN:
                found = "--table - does not say what kind it is"
                raise UsageError(found, expected="--tsv - or --jsonl -")
        elif self.columns or self.header or self.encoding or self.skip_bad:
            raise UsageError("options about columns and rows need a table", expected="--table FILE")
        for one, other in (("--sent1", "--sent2"), ("--sent2", "--sent1")):
            if given == [one]:
                raise UsageError(f"{one} without {other}", hint=f"Add {other} FILE")
        if (*sentences, *self.files.values()) == (STDIN, STDIN):
            raise UsageError(
                "standard input (-) cannot be both sentences",
                hint="Give pairs to standard input with --tsv - or --jsonl -",
            )
        if self.raw and (self.chunked or self.tokens):
            other = "--chunked" if self.chunked else "--tokens"
            raise UsageError(f"{other} does not go with --raw", hint="One of them says what holds")

    def ready(self, warn: Warn, head: BinaryIO | None = None) -> Inputs:
        """The same with its table opened, if it has one; which columns are read is told.

        The ``head`` stands for the whole table: what it has of columns, and how it is written.
        """
        from ists_asp.io.pairs import find_places
        from ists_asp.io.tables import Table

        flag = self.tabular
        if flag is None or self.files[flag].endswith(".wa"):
            return self
        source = head or self._source(self.files[flag])
        if head is None and not isinstance(source, Path):
            # A table is read more than once.
            source = BytesIO(source.read())
        kind = None if flag == "--table" else flag.strip("-")
        named = any(not title.isdecimal() for title in self.columns.values())
        header = True if self.header or named else None
        table = Table(
            source, kind, name=self.names[0], encoding=self.encoding, header=header, warn=warn
        )
        places = find_places(table, self.columns)
        if not self.quiet:
            one, two = (table.columns[at] or at + 1 for at in (places.sent1, places.sent2))
            told = f"the columns {one} and {two} are compared"
            if not table.header:
                told += "; the first row is a pair: --header says that it names columns"
            elif places.id is not None:
                told += f", {table.columns[places.id]} is the id"
            note(f"{table.name}: {told}")
        return replace(self, table=table, places=places)

    def read(self) -> list[Pair]:
        """Read all pairs, so that a fault on the last line shows before any work is done."""
        with reader_warnings() as warn:
            return list(self.ready(warn).checked(warn))

    def checked(self, warn: Warn, *, sized: bool = True) -> Iterator[Pair]:
        """Read the pairs lazily; each is sure to be one that can be decided."""
        from ists_asp.io.text import Faults
        from ists_asp.limits import check_size

        faults, empty, ids = Faults(), True, list[str]()
        with faults:
            for _, pair in self.entries(warn, ids):
                if isinstance(pair, DataError):
                    if self.skip_bad:
                        warn(f"{pair}; the row is left out")
                    else:
                        faults.add(pair)
                    continue
                empty = False
                with faults:
                    sentences = pair.sent1, pair.sent2
                    for sentence, place in zip(sentences, self._places(pair), strict=True):
                        if sized:
                            check_size(sentence, place)
                        if self.raw and sentence.chunks is not None:
                            raise DataError(
                                "the pair has chunks, which --raw cannot keep",
                                where=f"pair {shortened(pair.id)}",
                                hint="Leave out --raw, or the chunks",
                            )
                    yield pair
        faults.check()
        if empty and self.identifier is not None:
            raise no_such_pair(self.identifier, ids)
        if empty and not self.before:
            raise DataError("the input is empty", where=self.names[0], expected="at least one pair")

    def _places(self, pair: Pair) -> tuple[str, str]:
        """Where the sentences of a pair come from."""
        if self.single:
            return "sentence 1", "sentence 2"
        first, *second = self.names
        if second:
            return f"{first}:{pair.id}", f"{second[0]}:{pair.id}"
        place = f"{first}: pair {shortened(pair.id)}"
        return f"{place}, sentence 1", f"{place}, sentence 2"

    def entries(
        self, warn: Warn, ids: list[str] | None = None
    ) -> Iterator[tuple[Row | None, Pair | DataError]]:
        """Read the pairs lazily, each with its row of a table; faulty rows with their faults.

        ``ids`` gets the first of those that are not wanted.
        """
        for row, found in self._entries(warn):
            if self.identifier in (None, getattr(found, "id", self.identifier)):
                yield row, found
            elif ids is not None and len(ids) <= _SHOWN_IDS:
                ids.append(getattr(found, "id", ""))

    def _entries(self, warn: Warn) -> Iterator[tuple[Row | None, Pair | DataError]]:
        from ists_asp.io.pairs import read_pairs, table_pairs
        from ists_asp.io.wa import read_wa
        from ists_asp.model import Pair

        if self.table is not None and self.places is not None:
            yield from table_pairs(self.table, self.places, warn, strict=self.strict)
        elif self.sentences:
            first, second = self.sentences
            yield None, Pair("1", self._sentence(first, 1, warn), self._sentence(second, 2, warn))
        elif self.tabular:
            source, name = self._source(self.files["--table"]), self.names[0]
            for number, entry in enumerate(read_wa(source, name=name, warn=warn), 1):
                yield None, entry.pair(str(number))
        else:
            one, two = map(self._source, self.files.values())
            name1, name2 = self.names
            pairs = read_pairs(
                *(one, two),
                chunked=self.chunked,
                name1=name1,
                name2=name2,
                warn=warn,
                strict=self.strict,
                before=self.before,
            )
            yield from ((None, pair) for pair in pairs)

    def _source(self, name: str) -> Source:
        return self.copies.get(name) or (_standard_input() if name == STDIN else Path(name))

    def _sentence(self, text: str, number: int, warn: Warn) -> Sentence:
        """A sentence of the command line, or the only line of standard input."""
        from ists_asp.io.chunks import read_chunks
        from ists_asp.io.text import read_sentences

        source: Source
        if text == STDIN:
            name, source = _shown(text), self._source(text)
        else:
            # As bytes, so that it is cleaned as the line of a file is.
            line = " ".join(text.splitlines()) + "\n"
            name, source = f"sentence {number}", BytesIO(line.encode("utf-8", "surrogateescape"))
        read = read_chunks if self.chunked else read_sentences
        found = list(read(source, name=name, warn=warn, strict=self.strict))
        if len(found) != 1:
            raise DataError(
                f"{len(found)} lines",
                where=name,
                expected="one sentence",
                hint="Give files of sentences with --sent1 and --sent2",
            )
        return found[0]

    def prepared(self, system: System, pairs: Sequence[Pair]) -> Iterator[Pair]:
        """The pairs with their tokens, as :meth:`tokenized`; text that lacks them is warned of."""
        self.warn_untokenized(system, pairs)
        return self.tokenized(system, pairs)

    def warn_untokenized(self, system: System, pairs: Sequence[Pair]) -> None:
        """Warn of pairs in another language, and, without ``--raw``, of punctuation attached."""
        warn_foreign(pairs, system.profile)
        if not self.text:
            attached = Attached()
            for pair in pairs:
                attached.add(pair)
            attached.tell(system.profile)

    def tokenized(self, system: System, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tokenise pairs with Stanza where they are text; lazily and in their order.

        A pair that is too long, or has chunks, stays as it is.
        """
        return system.tokenized(pair.as_text() if self.text else pair for pair in pairs)

    def sums(self) -> list[bytes] | None:
        """SHA-256 sums of the files that somebody may change meanwhile."""
        found = []
        # Their reader tells better why one cannot be read.
        with suppress(OSError, ValueError):
            for name in self.files.values():
                if name not in self.copies:
                    with Path(name).open("rb") as stream:
                        found.append(file_digest(stream, "sha256").digest())
            return found
        return None


@dataclass(frozen=True, slots=True)
class PairSource:
    """Pairs that were counted and checked and can be read again.

    ``count`` is how many there are, ``long`` whether one is known to be long; ``attached`` is
    where punctuation is attached to words; ``sums`` are the files' as they were. ``rows`` are
    those of a table that were read and not yet taken, with what is wrong with faulty ones.
    """

    inputs: Inputs
    count: int
    long: bool
    attached: Attached
    sums: list[bytes] | None
    rows: deque[tuple[Row, DataError | None]] = field(default_factory=deque)

    def pairs(self) -> Iterator[Pair]:
        """Read the pairs, lazily; faults that were repaired are not told again."""
        for row, found in self.inputs.entries(lambda _message: None):
            if row is not None:
                self.rows.append((row, found if isinstance(found, DataError) else None))
            if not isinstance(found, DataError):
                yield found

    def faulty(self) -> Iterator[tuple[Row, DataError]]:
        """Take the faulty rows that come next."""
        while self.rows and (fault := self.rows[0][1]) is not None:
            yield self.rows.popleft()[0], fault

    def check_same(self) -> None:
        """Make sure that all pairs were those that were counted and checked."""
        if self.inputs.sums() != self.sums:
            raise DataError(
                "the input has changed while it was read",
                where=self.inputs.names[0],
                hint="Repeat the command",
            )

    def others(self, row: Row | None) -> dict[str, object]:
        """What a row holds besides its pair."""
        table, places = self.inputs.table, self.inputs.places
        if row is None or table is None or places is None:
            return {}
        from ists_asp.io.tables import ABSENT

        pair = {places.sent1, places.sent2, places.id}
        cells = zip(table.titles, row.cells, strict=True)
        return {
            title: cell
            for at, (title, cell) in enumerate(cells)
            if at not in pair and cell is not ABSENT
        }


@contextmanager
def opened(inputs: Inputs) -> Iterator[PairSource]:
    """Read all pairs once, to count and check them; they can then be read again.

    Only what tells them apart is held in memory. Standard input is kept in a file meanwhile.
    """
    from ists_asp.limits import fits, is_long

    with ExitStack() as stack:
        kept = replace(inputs, copies=_copied(inputs, stack))
        sums = kept.sums()
        count, long, attached = 0, False, Attached()
        with reader_warnings() as warn:
            kept = kept.ready(warn)
            # Of several pairs one that is too long fails like any other, and costs none an answer.
            for pair in kept.checked(warn, sized=inputs.single):
                count += 1
                attached.add(pair)
                long = long or (is_long(pair) and fits(pair))
        source = PairSource(kept, count, long, attached, sums)
        source.check_same()
        yield source


def no_such_pair(identifier: str, ids: Sequence[str]) -> DataError:
    """What to raise where no pair has an id; ``ids`` are some that there are."""
    shown = shortened(", ".join(ids[:_SHOWN_IDS])) + (", …" if len(ids) > _SHOWN_IDS else "")
    found = f"there is no pair with the id '{shortened(identifier)}'"
    return DataError(found, expected=shown)


def read_aligned(path: Path, pairs: Sequence[Pair]) -> Mapping[str, Reference]:
    """The alignments of a .wa file by id, of which pairs are among ``pairs``."""
    from ists_asp.evaluate.files import read_references

    with reader_warnings() as repaired:
        found = read_references(path, warn=repaired)
    lacking = [pair.id for pair in pairs if pair.id not in found]
    if len(lacking) == len(pairs):
        raise DataError(
            "none of the pairs is in it",
            where=str(path),
            expected=f"ids such as '{shortened(pairs[0].id)}'",
        )
    if lacking:
        example = shortened(lacking[0])
        warn(f"{path}: {len(lacking)} of {len(pairs)} pairs are not in it, such as {example}")
    return found


def read_golds(paths: Sequence[Path]) -> list[Reference]:
    """Gold pairs; the ids of those of several folders, which all count from 1, tell them apart."""
    from ists_asp.learn.examples import read_gold

    found = []
    with reader_warnings() as warn:
        for number, path in enumerate(paths, 1):
            for gold in read_gold(path, warn):
                identifier = f"{number}.{gold.pair.id}" if len(paths) > 1 else gold.pair.id
                found.append(replace(gold, pair=replace(gold.pair, id=identifier)))
    return found


def _shown(name: str) -> str:
    """A file as messages call it."""
    return "<stdin>" if name == STDIN else name


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed", hint="Name files instead of -")
    return sys.stdin.buffer


def _copied(inputs: Inputs, stack: ExitStack) -> dict[str, Path]:
    """Copies of what can be read only once, by name; they are gone when the stack is closed."""
    names = {*inputs.files.values(), *({STDIN} & {*inputs.sentences})}
    once = sorted(name for name in names if name == STDIN or _only_once(Path(name)))
    if not once:
        return {}
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="ists-asp-")))
    copies = {name: folder / str(number) for number, name in enumerate(once)}
    for name, copy in copies.items():
        try:
            with ExitStack() as streams:
                stream = _standard_input()
                if name != STDIN:
                    stream = streams.enter_context(Path(name).open("rb"))
                shutil.copyfileobj(stream, streams.enter_context(copy.open("wb")))
        except OSError as error:
            raise DataError(
                f"cannot be kept: {error.strerror or error}",
                where=_shown(name),
                hint="Make room in the folder for temporary files (TMPDIR)",
            ) from None
    return copies


def _only_once(path: Path) -> bool:
    """Whether what is read from a path is gone afterwards: from a pipe, or what somebody types."""
    if not path.is_char_device():
        return path.is_fifo()
    with path.open("rb") as stream:
        if not stream.isatty():
            raise DataError("this is a device", where=str(path), expected="a file or a pipe")
    return True


_MARKS = ",;:!?"
_MARKED = re.compile(r".*[^\W_]{2}[,;:!?.]")
"""Letters or digits and a mark behind them; two, as ``U.`` and ``J.`` are written so."""


@dataclass(slots=True)
class Attached:
    """Sentences with punctuation attached to a word (``guitar.``), which is in no lexicon then.

    A full stop counts at the end of a sentence only, where few abbreviations stand. Whether a
    kind of text is meant to be like that is said by its profile. ``chunked`` is whether it has
    chunks, so that Stanza cannot tokenise it.
    """

    sentences: int = 0
    example: str = ""
    chunked: bool = False

    def add(self, pair: Pair) -> None:
        """Look at a pair."""
        for sentence in (pair.sent1, pair.sent2):
            marks = [_MARKS] * (len(sentence.tokens) - 1) + [_MARKS + "."]
            for token, mark in zip(sentence.tokens, marks, strict=True):
                if token.form[-1] in mark and _MARKED.fullmatch(token.form):
                    self.sentences += 1
                    self.example = (
                        self.example or f"'{shortened(token.form)}' in pair {shortened(pair.id)}"
                    )
                    self.chunked = self.chunked or sentence.chunks is not None
                    break

    def tell(self, profile: Profile) -> None:
        """Warn of them, in one line, unless the profile is one of such texts."""
        if not self.sentences or profile.attached_punctuation:
            return
        count = "1 sentence has" if self.sentences == 1 else f"{self.sentences} sentences have"
        raw = "" if self.chunked else ", or add --raw"
        warn(
            f"{count} punctuation that is part of a word, such as {self.example}; the profile "
            f"{profile.name} expects it to be a token of its own: put a blank before it{raw}"
        )


def warn_foreign(pairs: Iterable[Pair], profile: Profile) -> None:
    """Warn, in one line a language, of pairs in another than that of the profile.

    What is said about them rests on nothing.
    """
    from ists_asp.lang import guess, tables

    found: dict[str, list[str]] = {}
    for pair in pairs:
        language = guess((pair.sent1, pair.sent2), profile.language)
        if language != profile.language:
            found.setdefault(language, []).append(shortened(pair.id))
    for language, ids in sorted(found.items(), key=lambda item: -len(item[1])):
        name, known = (tables()[code].name for code in (language, profile.language))
        what, such = f"pair {ids[0]} looks", ""
        if len(ids) > 1:
            what, such = f"{len(ids)} pairs look", f", such as pair {ids[0]}"
        warn(
            f"{what} like {name}{such}; the profile {profile.name} knows {known} only: choose "
            "another with --profile"
        )
