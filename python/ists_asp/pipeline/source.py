"""Where pairs come from: sentences, files or standard input, checked and cut into batches.

All pairs are checked first, so that a fault on the last line is reported at once. A thousand are
cached, so that most inputs are read once; longer ones are read again in batches.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, cast

from ists_asp.errors import DataError, UsageError, of_pair, shortened

if TYPE_CHECKING:
    from ists_asp.io.delimited import Row
    from ists_asp.io.pairs import Places
    from ists_asp.io.tables import Table
    from ists_asp.io.text import Source as Readable
    from ists_asp.io.text import Warn
    from ists_asp.model import Pair, Sentence
    from ists_asp.rules import Profile

Entry: TypeAlias = "tuple[Row | None, Pair | DataError]"
"""A pair, or the fault of a row that has none; with its row, if it comes from a table."""

Batch: TypeAlias = Sequence[Entry]  # entries that pass the stages together

STDIN = "-"  # the name of standard input on the command line
_IN_MEMORY = 1 << 20  # bytes of a pipe that are held; more go to a file without a name

_FLAGS = "two sentences, --table FILE, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE"
_TABLES = ("--table", "--tsv", "--jsonl", "--aligned")
_SHOWN_IDS = 10
_MARKS = ",;:!?"
_MARKED = re.compile(r".*[^\W_]{2}[,;:!?.]")  # two letters: ``U.`` and ``J.`` are written so


@dataclass(slots=True)
class Attached:
    """Sentences with punctuation attached to a word (``guitar.``), which no lexicon has.

    A full stop counts at the end of a sentence only. A profile can say that its texts are so.
    """

    sentences: int = 0
    example: str = ""
    chunked: bool = False  # whether it has chunks, so that Stanza cannot tokenise it

    def add(self, pair: Pair) -> None:
        """Look at a pair."""
        for sentence in pair.sentences:
            marks = [_MARKS] * (len(sentence.tokens) - 1) + [_MARKS + "."]
            for token, mark in zip(sentence.tokens, marks, strict=True):
                if token.form[-1] in mark and _MARKED.fullmatch(token.form):
                    example = f"'{shortened(token.form)}' in pair {shortened(pair.id)}"
                    self.sentences, self.example = self.sentences + 1, self.example or example
                    self.chunked |= sentence.chunks is not None
                    break

    def warn(self, profile: Profile, warn: Warn) -> None:
        """Warn of them, in one line, unless the profile is one of such texts."""
        if not self.sentences or profile.attached_punctuation:
            return
        count = "1 sentence has" if self.sentences == 1 else f"{self.sentences} sentences have"
        raw = "" if self.chunked else ", or add --raw"
        warn(
            f"{count} punctuation that is part of a word, such as {self.example}; the profile "
            f"{profile.name} expects it to be a token of its own: put a space before it{raw}"
        )


@dataclass(slots=True)
class Source:
    """Pairs by the names of options; :meth:`check` these before anything else."""

    sentences: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)  # by option, in their order
    links: str | None = None  # a file of links i-j between their tokens, a line a pair
    chunked: bool = False
    raw: bool = False
    tokens: bool = False
    strict: bool = False
    skip_bad: bool = False
    header: bool = False
    encoding: str | None = None
    sheet: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)  # titles or numbers, by what they hold
    identifier: str | None = None  # of the only pair that is wanted
    quiet: bool = False
    language_check: str | None = None  # error, warn (once) or off
    # Known of an open source.
    streams: Mapping[str, Readable] = field(default_factory=dict)  # of what is not read by name
    table: Table | None = None
    places: Places | None = None  # of pairs in the table
    before: int = 0  # lines before it, of a part of a file
    count: int = field(default=0, init=False, repr=False)
    long: bool = field(default=False, init=False, repr=False)  # whether a pair is known to be long
    attached: Attached = field(default_factory=Attached, init=False, repr=False)
    profile: Profile | None = field(default=None, init=False, repr=False)
    _cached: Sequence[Entry] | None = field(default=None, init=False, repr=False)
    _states: Sequence[object] = field(default=(), init=False, repr=False)

    @property
    def tabular(self) -> str | None:
        """The option that names a table, if one does."""
        return next((flag for flag in _TABLES if flag in self.files), None)

    @property
    def text(self) -> bool:
        """Whether Stanza tokenises: text by people, and not what has tokens already."""
        cut = self.tokens or self.chunked or self.links or "--sent1" in self.files or self._in_wa
        return self.raw or not cut

    @property
    def _in_wa(self) -> bool:
        """Whether pairs are read from a file of alignments, which has tokens."""
        return "--aligned" in self.files or self.files.get("--table", "").endswith(".wa")

    @property
    def _lenient(self) -> bool:
        """Whether another language than the profile's is warned of only."""
        return (self.language_check or ("warn" if self.single else "error")) != "error"

    @property
    def single(self) -> bool:
        """Whether the pair stands on the command line."""
        return bool(self.sentences)

    @property
    def has_input(self) -> bool:
        """Whether there are any."""
        return bool(self.sentences or self.files)

    @property
    def names(self) -> list[str]:
        """The files as messages call them."""
        return ["<stdin>" if name == STDIN else name for name in self.files.values()]

    def check(self) -> None:
        """Refuse options that do not go together."""
        sentences, flags = self.sentences, list(self.files)
        if sentences and flags:
            raise UsageError(f"sentences on the command line do not go with {flags[0]}")
        if not sentences and not flags:
            piped = sys.stdin is not None and not sys.stdin.isatty()
            hint = "Pairs are read from standard input with --tsv - or --jsonl -"
            raise UsageError("there is no input", expected=_FLAGS, hint=hint if piped else None)
        if sentences == (STDIN,):
            expected = "--tsv - or --jsonl -, or two sentences of which one is -"
            raise UsageError("- alone does not say what standard input holds", expected=expected)
        if sentences and all(map(os.path.isfile, sentences)):
            found = "a file, not a sentence" if len(sentences) == 1 else "files, not sentences"
            option = "--table FILE" if len(sentences) == 1 else "--sent1 FILE --sent2 FILE"
            named = shortened(" and ".join(sentences))
            raise UsageError(found, where=named, hint=f"Read pairs with {option}")
        if sentences and len(sentences) != 2:
            count = "one sentence" if len(sentences) == 1 else f"{len(sentences)} sentences"
            raise UsageError(count, expected=_FLAGS, hint="Put each sentence in quotes")
        if flag := self.tabular:
            if len(flags) > 1:
                other = next(name for name in flags if name != flag)
                raise UsageError(f"{other} does not go with {flag}", expected=_FLAGS)
            if self.chunked:
                hint = 'JSON Lines give chunks with "chunks1" and "chunks2", without an option'
                raise UsageError(f"--chunked does not go with {flag}", hint=hint)
            if flag == "--table" and self.files[flag] == STDIN:
                found = "--table - does not say what kind it is"
                raise UsageError(found, expected="--tsv - or --jsonl -")
        elif self.columns or self.header or self.encoding or self.skip_bad or self.sheet:
            raise UsageError("options about columns and rows need a table", expected="--table FILE")
        for option, other in (("--sent1", "--sent2"), ("--sent2", "--sent1")):
            if flags == [option]:
                raise UsageError(f"{option} without {other}", hint=f"Add {other} FILE")
        if (*sentences, *self.files.values()) == (STDIN, STDIN):
            hint = "Give pairs to standard input with --tsv - or --jsonl -"
            raise UsageError("standard input (-) cannot be both sentences", hint=hint)
        if self.links and self.chunked:
            raise UsageError("--chunked does not go with --aligned, which makes chunks")
        if self.raw and (self.chunked or self.tokens or self.links):
            other = "--aligned" if self.links else "--chunked" if self.chunked else "--tokens"
            raise UsageError(f"{other} does not go with --raw", hint="Use one of them")

    @contextmanager
    def opened(
        self,
        warn: Warn,
        note: Warn = lambda _text: None,
        *,
        profile: Profile | None = None,
        whole: bool = False,
    ) -> Iterator[Source]:
        """Read, check and count all pairs; yield an open source, which has batches.

        As a ``whole`` all pairs are cached, and one that is too long is an error; otherwise only
        that pair fails. A row in another language than the ``profile``'s is a fault. ``warn`` gets
        the repairs, ``note`` the columns that are compared.
        """
        with ExitStack() as stack:
            source = replace(self, streams={**self._spooled(stack), **self.streams})
            source.profile = profile
            source.open_table(warn, note)
            source._look_through(warn, whole=whole)
            yield source

    def read(
        self, warn: Warn, note: Warn = lambda _text: None, profile: Profile | None = None
    ) -> list[Pair]:
        """Read all pairs; see :meth:`opened`."""
        with self.opened(warn, note, profile=profile, whole=True) as source:
            entries = chain.from_iterable(source.batches())
            return [item for _, item in entries if not isinstance(item, DataError)]

    def open_table(self, warn: Warn, note: Warn, head: BinaryIO | None = None) -> None:
        """Open the table, if there is one, or its ``head``, and find the columns of pairs."""
        from ists_asp.io.pairs import find_places
        from ists_asp.io.tables import Table

        flag = self.tabular
        if self.table is not None or flag is None or self._in_wa:
            return
        source = head or self._stream(self.files[flag])
        kind = None if flag == "--table" else flag.strip("-")
        named = any(not title.isdecimal() for title in self.columns.values())
        header = True if self.header or named else None
        opened = partial(Table, source, kind, name=self.names[0], encoding=self.encoding)
        titles = self.columns.values()
        self.table = table = opened(header=header, sheet=self.sheet, titles=titles, warn=warn)
        self.places = places = find_places(table, self.columns)
        if not self.quiet:
            title1, title2 = (table.columns[at] or at + 1 for at in (places.sent1, places.sent2))
            text = f"the columns {title1} and {title2} are compared"
            if not table.header:
                text += "; the first row is a pair: use --header if it has column titles"
            elif places.id is not None:
                text += f", {table.columns[places.id]} is the id"
            note(f"{table.name}: {text}")

    def _look_through(self, warn: Warn, *, whole: bool) -> None:
        """Check and count all pairs, and hold them unless there are many."""
        from ists_asp.io.pairs import EmptyCellError
        from ists_asp.io.text import HELD, SKIP, Faults
        from ists_asp.limits import fits, is_long

        self.count, self.long, self.attached, self._states = 0, False, Attached(), self._stated()
        faults, others = Faults(), list[str]()
        entries: list[Entry] = []
        warned, faulty = bool(self.before), False
        with faults:
            for row, item in self._entries(warn, others):
                if (whole or self.single) and not isinstance(item, DataError):
                    item = self._sized(row, item)
                if whole or len(entries) <= HELD:
                    entries.append((row, item))
                if isinstance(item, DataError):
                    if self.skip_bad or isinstance(item, EmptyCellError):
                        warn(f"{item}; left out")
                    else:
                        if self.table and not faulty and not item.hint:
                            item.hint, faulty = SKIP, True
                        faults.add(item)
                    continue
                self.count += 1
                if self._lenient and not warned and (fault := self._foreign(row, item)):
                    warn(str(fault))
                    warned = True
                if self.raw and any(sentence.chunks is not None for sentence in item.sentences):
                    found, where = "the pair has chunks, which --raw cannot keep", of_pair(item.id)
                    hint = "Leave out --raw, or the chunks"
                    faults.add(DataError(found, where=where, hint=hint))
                if not self.text:
                    self.attached.add(item)
                self.long = self.long or (is_long(item) and fits(item))
        faults.check()
        if self.profile is not None and not self.before:
            self.attached.warn(self.profile, warn)
        self._cached = entries if whole or len(entries) <= HELD else None
        if not self.count and self.identifier is not None:
            raise no_such_pair(self.identifier, others)
        if not self.count and not self.before:
            raise DataError("the input is empty", where=self.names[0], expected="at least one pair")

    def batches(self) -> Iterator[Batch]:
        """The pairs of an open source, lazily, with the faulty rows among them."""
        from ists_asp.solver.batch import batches

        cached = self._cached
        yield from batches(self._entries(lambda _text: None) if cached is None else cached)
        if self._stated() != self._states:
            found, hint = "the input has changed while it was read", "Repeat the command"
            raise DataError(found, where=self.names[0], hint=hint)

    def _sized(self, row: Row | None, pair: Pair) -> Pair | DataError:
        """The pair, or why it is too long."""
        from ists_asp.limits import check_size

        if len(self.names) == 2:
            places = [f"{name}:{pair.id}" for name in self.names]
        else:
            place = "" if self.single else f"{self.names[0]}: pair {shortened(pair.id)}, "
            place = f"{row.where}, " if row else place
            places = [f"{place}sentence {side}" for side in (1, 2)]
        try:
            for sentence, place in zip(pair.sentences, places, strict=True):
                check_size(sentence, place)
        except DataError as fault:
            return fault
        return pair

    def _entries(self, warn: Warn, others: list[str] | None = None) -> Iterator[Entry]:
        """Read the wanted entries, lazily; ``others`` gets some ids of those that are not."""
        for row, item in self._linked(self._all_entries(warn), warn):
            if isinstance(item, DataError):
                yield row, item
            elif self.identifier in (None, item.id):
                fault = None if self._lenient else self._foreign(row, item)
                yield row, fault or (item.as_text() if self.text else item)
            elif others is not None and len(others) <= _SHOWN_IDS:
                others.append(item.id)

    def _linked(self, entries: Iterator[Entry], warn: Warn) -> Iterator[Entry]:
        """Entries whose pairs have the alignments of their lines of the file of links, if any."""
        if self.links is None:
            yield from entries
            return
        from ists_asp.io.text import read_lines
        from ists_asp.io.wa import linked_pair, parse_links

        lines = read_lines(Path(self.links), warn=warn)
        for entry, line in zip_longest(entries, lines):
            if entry is None or line is None:
                found = f"{'more' if entry is None else 'fewer'} lines than pairs"
                raise DataError(found, where=self.links, expected="one per pair")
            row, item = entry
            try:
                if not isinstance(item, DataError):
                    item = linked_pair(item, parse_links(line), line.where, warn)
            except DataError as fault:
                if not str(fault.where).startswith(line.where):
                    fault.where = f"{line.where}: {fault.where}"
                item = fault
            yield row, item

    def _foreign(self, row: Row | None, pair: Pair) -> DataError | None:
        from ists_asp.lang import foreign

        if self.profile is None or self.language_check == "off":
            return None
        where = None if self.single else f"{self.names[0]}: {of_pair(pair.id)}"
        about = self.profile.language, self.profile.name, row.where if row else where
        return foreign(pair.sentences, *about)

    def _all_entries(self, warn: Warn) -> Iterator[Entry]:
        from ists_asp.io.pairs import Ids, read_pairs, table_pairs
        from ists_asp.model import Pair

        if self.table is not None and self.places is not None:
            yield from table_pairs(self.table, self.places, warn, strict=self.strict)
        elif self.sentences:
            first, second = self.sentences
            yield None, Pair("1", self._sentence(first, 1, warn), self._sentence(second, 2, warn))
        elif self.tabular:
            from ists_asp.evaluate.wa_check import read_checked
            from ists_asp.io.wa import linked_pair

            source, name = self._stream(self.files[self.tabular]), self.names[0]
            linked = self.tabular == "--aligned"
            with Ids() as ids:
                checked = read_checked(source, name=name, warn=warn)
                for at, (entry, _, wrong) in enumerate(checked, 1):
                    try:
                        pair = entry.pair(str(at))
                        ids.add(pair.id, int(entry.where.rpartition(":")[2]), entry.where)
                        if linked:
                            lines = entry.to_alignments(wrong, warn)
                            pair = linked_pair(pair, lines, entry.where, warn)
                    except DataError as fault:
                        yield None, fault
                    else:
                        yield None, pair
        else:
            stream1, stream2 = map(self._stream, self.files.values())
            name1, name2 = self.names
            pairs_of = partial(read_pairs, chunked=self.chunked, warn=warn, strict=self.strict)
            for pair in pairs_of(stream1, stream2, name1=name1, name2=name2, before=self.before):
                yield None, pair

    def _sentence(self, text: str, number: int, warn: Warn) -> Sentence:
        """A sentence of the command line, or the only line of standard input."""
        from ists_asp.io.pairs import chunk_parser
        from ists_asp.io.text import Repairs, parse_lines, parse_sentence, plain

        name, source = "<stdin>", self._stream(text) if text == STDIN else None
        if source is None:
            # As bytes, so that it is cleaned as the line of a file is.
            line = " ".join(plain(text).splitlines()) + "\n"
            name, source = f"sentence {number}", BytesIO(line.encode("utf-8", "surrogateescape"))
        parse = chunk_parser(Repairs(warn, self.strict)) if self.chunked else parse_sentence
        lines = list(parse_lines(source, parse, name=name, warn=warn, strict=self.strict))
        if len(lines) != 1:
            hint = "Give files of sentences with --sent1 and --sent2"
            raise DataError(f"{len(lines)} lines", where=name, expected="one sentence", hint=hint)
        return lines[0]

    def _stream(self, name: str) -> Readable:
        stream = self.streams.get(name, Path(name))
        if not isinstance(stream, Path):
            stream.seek(0)
        return stream

    def _spooled(self, stack: ExitStack) -> dict[str, Readable]:
        """Copies of pipes and standard input, by name, which go when the stack is closed."""
        spools: dict[str, Readable] = {}
        for name in sorted({*self.files.values(), *({STDIN} & {*self.sentences})}):
            if name in self.streams or not (name == STDIN or _only_once(Path(name))):
                continue
            if name == STDIN and sys.stdin is None:
                raise UsageError("standard input is closed", hint="Name files instead of -")
            spool = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed with the stack)
            stack.callback(spool.close)
            try:
                if name == STDIN:
                    shutil.copyfileobj(sys.stdin.buffer, spool)
                else:
                    with Path(name).open("rb") as pipe:
                        shutil.copyfileobj(pipe, spool)
            except OSError as error:
                found = f"cannot be stored: {error.strerror or error}"
                hint = "Make room in the folder for temporary files (TMPDIR)"
                where = "<stdin>" if name == STDIN else name
                raise DataError(found, where=where, hint=hint) from None
            spools[name] = cast("BinaryIO", spool)
        return spools

    def _stated(self) -> list[object]:
        """Sizes and times of the files, which may change meanwhile."""
        # Their reader says better why one cannot be read.
        with suppress(OSError, ValueError):
            files = (Path(name).stat() for name in self.files.values() if name not in self.streams)
            return [(file.st_ino, file.st_size, file.st_mtime_ns) for file in files]
        return []

    def others(self, row: Row | None) -> dict[str, object]:
        """The cells of a row but those of its pair, by title."""
        if row is None or self.table is None or self.places is None:
            return {}
        from ists_asp.io.columns import ABSENT

        pair = {self.places.sent1, self.places.sent2, self.places.id}
        cells = enumerate(zip(self.table.titles, row.cells, strict=True))
        others = (cell for at, cell in cells if at not in pair)
        return {title: cell for title, cell in others if cell is not ABSENT}


def no_such_pair(identifier: str, ids: Sequence[str]) -> DataError:
    """The error where no pair has an id; ``ids`` are some that there are."""
    listed = shortened(", ".join(ids[:_SHOWN_IDS])) + (", …" if len(ids) > _SHOWN_IDS else "")
    return DataError(f"there is no pair with the id '{shortened(identifier)}'", expected=listed)


def _only_once(path: Path) -> bool:
    """Whether a path can be read only once: a pipe or a terminal."""
    if not path.is_char_device():
        return path.is_fifo()
    with path.open("rb") as stream:
        if not stream.isatty():
            raise DataError("this is a device", where=str(path), expected="a file or a pipe")
    return True
