"""Tables that people have: CSV, TSV, JSON Lines, sheets, Parquet; rows in and rows out.

A table is known by the ending of its name, also when it is compressed. What a row holds comes
back unchanged, in front of what is added to it.
"""

import copy
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from ists_asp import limits
from ists_asp.errors import LONGEST_NAME, DataError, UsageError, alike, shortened
from ists_asp.io import columns as c
from ists_asp.io import sheets
from ists_asp.io import workbooks as w
from ists_asp.io.columns import ABSENT, Cells, folded, texts
from ists_asp.io.delimited import Dialect, Put, Row, Text, TextRows, writing_objects, writing_text
from ists_asp.io.text import HELD, Source, Warn, ignore, source_name

_FORMULA = re.compile(r"[=+\-@\t\r]")


class Table:
    """A table that can be read more than once; a small one is cached after the first time.

    A stream must be seekable. The kind defaults to that of the name's ending; the first row names
    the columns if the names are common. ``columns`` has ``""`` for those without a name, ``schema``
    is that of Parquet.
    """

    columns: tuple[str, ...]

    def __init__(
        self,
        source: Source,
        kind: str | None = None,
        *,
        name: str | None = None,
        encoding: str | None = None,
        header: bool | None = None,
        sheet: str | None = None,
        titles: Iterable[str] = (),
        long: bool = False,
        warn: Warn = ignore,
    ) -> None:
        self.name = source_name(source, name)
        self.kind = kind or w.READ.get(w.ending(Path(self.name))) or w.kind_of(Path(self.name))
        titles = [*titles]
        self.sheet, self._wanted = sheet, [name for name in titles if not name.isdecimal()]
        # Where columns have numbers, others may be lacking, as in some rows of STS-B.
        self._ragged = titles != self._wanted
        self._source, self._sink, self._warned = source, warn, set[str]()
        self.schema: Any = None
        self._titles = self._head = 0
        # Of a part of a file: the rows before it, those of files before that, its rows.
        self._before = self._files_before = 0
        self._group: int | None = None
        self._within = slice(None)
        self._cached: list[Row] | None = None
        self._notes, self._used = list[w.Note](), set[int]()
        self._groups = list[c.Group]()
        self._limits = limits.table_limits
        with self._bytes() as stream:
            content = w.content_kind(stream.read(4096), self.kind, self.name)
        self.text = TextRows(self.name, content, encoding, self._limits)
        if content in ("csv", "tsv"):
            with self._bytes() as stream:
                self.text.sniff(stream)
            content = self.text.kind
        if content != self.kind:
            self._warn(f"this is {w.ABOUT[content][1]}, whatever its name, and is read as one")
            self.kind = content
        self.header = self.kind in ("jsonl", "parquet") or bool(header)
        if sheet is not None and self.kind not in w.SHEETS:
            raise UsageError(f"{self.name} has no sheets", where="--sheet", expected="a workbook")
        rows = self._rows()
        ahead = list(islice(rows, HELD + 1))
        if not ahead:
            raise DataError("the input is empty", where=self.name, expected="at least one pair")
        first = ahead[0]
        if self.kind == "jsonl":
            # Not a set: the order of columns is that of their first use.
            keys = dict[str, None]()
            for row in chain(ahead, rows):
                keys.update(dict.fromkeys(cast("Iterable[str]", row.cells)))
                self._limits.check("columns", len(keys), f"{len(keys)} keys", row.where)
            self.columns = tuple(keys)
        elif self.kind == "parquet":
            self.columns = tuple(cast("Any", self.schema).names)
        else:
            head = [row.cells for row in ahead[: w.HEAD]]
            at = c.find_header(head, self._wanted)
            if header is None:
                self.header = at is not None and ahead[at].fault is None
            if self.header:
                # By default it is the first row that is more than a title.
                if at is None:
                    at = next((n for n, cells in enumerate(head) if len(texts(cells)) > 1), 0)
                self._take_titles(ahead, at)
                first = ahead[at]
            names = ("" if cell is None else str(cell).strip() for cell in first.cells)
            self.columns = tuple(names) if self.header else ("",) * len(first.cells)
        self._width = self._wide = len(self.columns)
        self._titled = texts(self.columns)
        self._groups = c.groups(self.columns) if long and self.header else []
        if self._groups:
            self._lengthen()
        twice = [name for name, count in Counter(texts(self.columns)).items() if count > 1]
        if self.header and twice:
            more = "where it is named, the first is read"
            self._warn(f"several columns are called {twice[0]}; {more}")
        if first.fault is not None and not self.columns:
            raise first.fault
        rows.close()
        self._cached = ahead if len(ahead) <= HELD else None

    def _lengthen(self) -> None:
        """Take each answer of a wide report for a row of its own."""
        parts = [(part, getattr(group, part)) for group in self._groups for part in c.PARTS]
        used = {at for _, at in parts}
        self._others = [at for at in range(self._width) if at not in used]
        others = (self.columns[at] for at in self._others)
        reserved = (*c.USUAL["id"], *c.PARTS)
        names = [f"student {name}" if folded(name) in reserved else name for name in others]
        self._parts = list(dict.fromkeys(part for part, at in parts if at is not None))
        self.columns = ("id", *names, *self._parts)
        count = len(self._groups)
        are_read = "answers a row are read, each" if count > 1 else "answer a row is read,"
        self._warn(f"{count} {are_read} as a row of its own")

    def rows(self) -> Iterator[Row]:
        """Read the rows but for averages, lazily; of a wide report one for each answer."""
        for row in self._rows_below():
            cells = row.cells
            titled = self.header and not row.fault and self.kind not in ("jsonl", "parquet")
            if titled and c.is_total(cells):
                self._warn(f"row {row.number} has averages ({cells[0]}); left out")
            elif titled and texts(cells) == self._titled:
                self._warn(f"row {row.number} has the titles again; left out")
            elif not self._groups or row.fault is not None:
                yield row
            else:
                for number, group in enumerate(self._groups, 1):
                    front = [f"{row.number}.{number}", *(cells[at] for at in self._others)]
                    places = (getattr(group, part) for part in self._parts)
                    answer = [cells[at] if isinstance(at, int) else at for at in places]
                    yield replace(row, cells=[*front, *answer])

    def _rows_below(self) -> Iterator[Row]:
        """Read the rows below the titles and units, lazily, without empty rows at the end.

        Empty rows between others are faults, unless the columns have titles.
        """
        blank, blanks, limits, left_out = list[Row](), 0, self._limits, list[int]()
        for count, row in enumerate(self._rows() if self._cached is None else self._cached, 1):
            if count > limits.rows:
                raise limits.error("rows", "more rows than that, blank ones included", row.where)
            if row.number <= self._titles:
                continue
            if row.fault is None and not texts(row.cells):
                blanks += 1
                if blanks <= limits.blank:
                    blank.append(row)
                continue
            limits.check("blank", blanks, f"{blanks} blank rows before it", row.where)
            if blank and self.header and self.kind != "jsonl":
                left_out += [empty.number for empty in blank]
                blank = []
            for empty in blank:
                fault = DataError("an empty row", where=empty.where)
                yield replace(self._aligned(empty), fault=fault)
            blank, blanks = [], 0
            yield self._aligned(row)
        if count := len(left_out):
            found = "a blank row is" if count == 1 else f"{count} blank rows are"
            self._warn(f"{found} left out, first row {left_out[0]}")

    def cuts(self, size: int, *, by_rows: bool = False) -> Iterator[tuple[int, int]]:
        """The bytes, or ``by_rows`` the rows, and lines up to each end of so many rows."""
        # Empty lines at the end are no rows, and those before rows are faults.
        count = at = 0
        for at, row in enumerate(self._rows(), 1):
            count += row.number > self._titles
            if count >= size and texts(row.cells):
                yield at if by_rows else self.text.size, max(at, self.text.lines)
                count = 0
        yield at if by_rows else self.text.size, max(at, self.text.lines)

    def part(
        self,
        source: Source,
        name: str,
        before: int = 0,
        files_before: int = 0,
        group: int | None = None,
        within: slice = slice(None),
        *,
        warn: Warn = ignore,
    ) -> Self:
        """Some of its rows, from a source of their own: lines, or rows ``within`` all or a group.

        So many lines of the file are ``before`` them, so many rows in ``files_before`` that one.
        """
        part = copy.copy(self)
        part.name, part._source, part._cached = name, source, None
        part._sink, part._before, part._files_before = warn, before, files_before
        part._group, part._within = group, within
        part.text = replace(self.text, name=name, before=before)
        return part

    @property
    def titles(self) -> list[str]:
        """A name for each column, also for those without one."""
        if not self.header and len(self.columns) in (2, 3):
            return ["id", "sentence1", "sentence2"][-len(self.columns) :]
        return [name or f"column {number}" for number, name in enumerate(self.columns, 1)]

    def place(self, row: Row, column: int) -> str:
        """The place of a cell for messages."""
        of_sheet = self.kind in w.SHEETS and not self._groups
        name = w.letters(column) if of_sheet else self.columns[column] or str(column + 1)
        return f"{row.where}, column {shortened(name)}"

    def column(self, wanted: str, flag: str) -> int:
        """The column that an option names, by its title or its number from 1."""
        if wanted in self.columns:
            return self.columns.index(wanted)
        if wanted.isdecimal() and 1 <= int(wanted) <= len(self.columns):
            return int(wanted) - 1
        found = f"there is no column '{shortened(wanted)}' in {self.name}"
        expected = f"a number from 1 to {len(self.columns)}, as the first row names no columns"
        if self.header:
            expected = shortened(", ".join(filter(None, self.columns)), 200)
        raise UsageError(found, where=flag, expected=expected, hint=self.likely([wanted], flag))

    def likely(self, names: Iterable[str], flag: str, other: Iterable[str] = ()) -> str | None:
        """A hint at the column whose title is most like one of some names, and no ``other``."""
        titles = {folded(title)[:LONGEST_NAME]: title for title in self.columns}
        titles = {name: title for name, title in titles.items() if name not in other}
        matches = (alike(folded(name), titles, 1, 0.7) for name in names)
        title = next((titles[match] for (match,) in filter(None, matches)), None)
        return None if title is None else f"Did you mean {flag} '{shortened(title)}'?"

    def tell_of(self, *columns: int | None) -> None:
        """Warn of odd cells in these columns, by number from 0; no others are told of."""
        # Of a wide report any column may have an answer.
        used = range(self._width) if self._groups else columns
        self._used |= {column for column in used if column is not None}
        odd = [note for note in self._notes if note.column in self._used]
        self._notes = [note for note in self._notes if note.column not in self._used]
        for text in w.Note.texts(note for note in odd if not 0 < note.row <= self._titles):
            self._warn(text)

    def _take_notes(self, notes: list[w.Note]) -> None:
        self._notes = notes
        self.tell_of()

    def _aligned(self, row: Row) -> Row:
        if self._files_before:
            row = replace(row, number=row.number + self._files_before)
        if self.kind == "jsonl":
            record = cast("dict[str, object]", row.cells)
            return replace(row, cells=[record.get(name, ABSENT) for name in self.columns])
        count, due = len(row.cells), self._width
        if row.fault is not None or count == due:
            return row
        if self.kind in w.SHEETS or self._ragged or not texts(row.cells):
            # Rows of sheets end with their last value.
            padded = [*row.cells, *[None] * (due - count)]
            beside = texts(padded[due:])
            if beside and (self.header or self._ragged):
                if self._wide == due:
                    found = f"goes on behind the columns ({beside[0]})"
                    self._warn(f"row {row.number} {found}; left out")
                self._wide = max(self._wide, count)
            if self.header or self._ragged or not beside:
                return replace(row, cells=padded[:due])
        found = "1 cell" if count == 1 else f"{count} cells"
        names = f": {shortened(', '.join(self.columns))}" if self.header else ", as before"
        return replace(row, fault=DataError(found, where=row.where, expected=f"{due}{names}"))

    def edit(
        self,
        output: BinaryIO,
        names: Sequence[str],
        added: int,
        rows: Sequence[tuple[int, Cells, Cells]],
    ) -> None:
        """Write a copy of its workbook, with columns that are ``added``, or with a new sheet.

        Rows have their number, the cells of these columns, and all cells.
        """
        numbers = {number for number, _, _ in rows}
        change: dict[str, object]
        if self.header and len(numbers) == len(rows):
            change = {"sheet": self.sheet, "head": self._head, "column": self._wide}
            change |= {"titles": names[-added:], "rows": [(n, cells) for n, cells, _ in rows]}
        else:
            change = {"titles": names, "rows": [(n, row) for n, (_, _, row) in enumerate(rows, 2)]}
        with self._bytes() as stream:
            sheets.edit(self.kind, stream, self.name, self._limits, change, output)

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._sink(f"{self.name}: {text}")

    def _take_titles(self, rows: Sequence[Row], at: int) -> None:
        self._titles = self._head = rows[at].number
        if any(texts(row.cells) for row in rows[:at]):
            self._warn(f"row {self._titles} has the titles; what is above it is left out")
        units = texts(rows[at + 1].cells) if len(rows) > at + 2 else []
        if units and all(map(c.UNIT.fullmatch, units)):
            self._titles = rows[at + 1].number
            self._warn(f"row {self._titles} has units ({shortened(', '.join(units))}); left out")

    def _rows(self) -> Generator[Row, None, None]:
        """All rows, the first one included; objects of JSON as mappings."""
        within = self._within
        with self._bytes() as stream:
            text = self.kind in ("csv", "tsv", "jsonl")
            rows = self.text.rows(stream) if text else self._library_rows(stream)
            rows = islice(rows, within.start, within.stop)
            yield from rows if self.kind == "jsonl" else map(self._checked, rows)

    def _library_rows(self, stream: BinaryIO) -> Iterator[Row]:
        place, about = "", (stream, self.name, self._limits)
        if self._group is None:
            how = {"sheet": self.sheet, "titles": self._wanted}
            rows = sheets.read_rows(self.kind, *about, how, self._take_notes)
        else:
            rows = sheets.read_groups(*about, [self._group])
        with closing(rows):
            sheet, others, self.schema = next(rows)
            if sheet:
                place, self.sheet = f"sheet '{shortened(sheet)}', ", sheet
            if others:
                names = shortened(", ".join(others))
                self._warn(f"the sheet '{sheet}' is read, and not {names}")
            for number, row in enumerate(rows, 1 + self._before):
                yield Row(number, f"{self.name}: {place}row {number}", row)

    def _checked(self, row: Row) -> Row:
        """A row, with a fault if it is too long or has a cell that cannot be read."""
        cells = row.cells
        if len(cells) > self._limits.columns:
            fault = self._limits.error("columns", "a longer row", row.where, DataError)
            return replace(row, cells=(), fault=fault)
        if self.kind in w.SHEETS and w.Unread in (kinds := [*map(type, cells)]):
            found = f"column {w.letters(kinds.index(w.Unread))} cannot be read"
            return replace(row, fault=DataError(found, where=row.where))
        return row

    def _bytes(self) -> AbstractContextManager[BinaryIO]:
        return w.opened(self._source, self.name, self._limits)


def added(columns: Sequence[str], ours: Sequence[str]) -> list[str]:
    """The names of columns of ours; ``ists_`` before those that the table has already."""
    names: list[str] = []
    for name in ours:
        while name in columns or name in names:
            name = f"ists_{name}"
        names.append(name)
    return names


def harmless(value: object) -> object:
    """A value of ours that no program for sheets takes for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


@contextmanager
def writing_behind(
    kind: str, stream: Text, ours: Sequence[str], like: Table | None
) -> Iterator[Callable[[Row | Cells, Cells], None]]:
    """Write the rows of a table, or of pairs that come from none, with our values behind.

    A workbook is copied with the new columns, or with a new sheet if rows are not one to one.
    """
    # Only an object of JSON lacks what its row does; elsewhere the cell is empty.
    titles = ["id", "sentence1", "sentence2"] if like is None else like.titles
    guard = harmless if kind in ("csv", "tsv") else lambda value: value
    names, rows = [*titles, *added(titles, ours)], list[tuple[int, Cells, list[object]]]()
    edited = like if like is not None and like.kind == kind and kind in ("xlsx", "ods") else None
    new = writing(kind, stream, names, like=like) if edited is None else nullcontext(None)
    with new as put:

        def put_behind(row: Row | Cells, values: Cells) -> None:
            front = row.cells if isinstance(row, Row) else row
            if kind != "jsonl":
                front = [None if cell is ABSENT else cell for cell in front]
            # A row may be faulty by its length.
            front = [*front, *[None] * (len(titles) - len(front))][: len(titles)]
            cells = [*front, *map(guard, values)]
            if put is not None:
                put(cells)
            else:
                rows.append((row.number if isinstance(row, Row) else 0, values, cells))

        yield put_behind
    if edited is not None:
        edited.edit(cast("Any", stream).buffer, names, len(ours), rows)


def writing(
    kind: str, stream: Text, columns: Sequence[str], *, like: Table | None = None
) -> AbstractContextManager[Put]:
    """Write rows of these columns, the names first, as a table of some kind."""
    # How ``like``, the table that rows come from, writes them is kept where the kind is.
    if kind in ("csv", "tsv"):
        usual = Dialect("\t" if kind == "tsv" else ",")
        same = like is not None and like.kind == kind and len(like.columns) > 1
        dialect = like.text.dialect if like is not None and same else usual
        return writing_text(stream, columns, dialect)
    if kind == "jsonl":
        return writing_objects(stream, columns)
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        raise UsageError(f"{kind} cannot go to standard output", hint="Name a file with -o")
    if kind == "xlsx":
        return sheets.writing_excel(buffer, columns)
    if kind == "ods":
        return sheets.writing_libre(buffer, columns)
    return sheets.writing_parquet(buffer, columns, None if like is None else like.schema)
