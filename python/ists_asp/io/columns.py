"""Columns by their titles, which ``data/columns.toml`` has in five languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeAlias
from unicodedata import normalize

from ists_asp.resources import data_dir

# The values of a row, in the order of the columns; None where a cell is empty.
Cells: TypeAlias = Sequence[object]
ABSENT = Ellipsis  # a cell that a JSON object does not have; there is one in each process

with (data_dir() / "columns.toml").open("rb") as _stream:
    _TABLES = {
        table: {role: names.split() for role, names in roles.items()}
        for table, roles in tomllib.load(_stream).items()
    }
USUAL = _TABLES["names"]  # names by what a column holds, as folded gives them, the likeliest first

_NUMBERED = [(f"{key}{a}", f"{key}{b}") for key in USUAL["numbered"] for a, b in ("12", "ab", "01")]
_COUPLES = (
    *_NUMBERED,
    *((first, second) for first, others in _TABLES["couples"].items() for second in others),
    *((first, second) for first in USUAL["answer"] for second in USUAL["reference"]),
)
_USUAL = {*chain(*_COUPLES), *chain(*USUAL.values())} - {"s", "t", *USUAL["totals"]}
UNIT = re.compile(  # such as (max. 5)
    r"\(.*\)|\[.*\]|%|/ ?\d+|\d+ ?[-–] ?\d+|m[aá]x\.? ?\d+|"
    + "|".join(map(re.escape, _TABLES["units"]["words"])),
    re.IGNORECASE,
)
_CANVAS = re.compile(r"\d+: (.+)", re.DOTALL)


def texts(cells: Cells) -> list[str]:
    """The texts of the cells that hold something; of an object those of its values."""
    values = cells.values() if isinstance(cells, dict) else cells
    filled = (str(cell).strip() for cell in values if cell is not None and cell is not ABSENT)
    return [text for text in filled if text]


def folded(title: object) -> str:
    """A title without capitals, accents, blanks and signs: ``Oración 1`` is ``oracion1``."""
    return "".join(char for char in normalize("NFD", str(title).casefold()) if char.isalnum())


def is_numbered(title: str) -> bool:
    """Whether a title names one of two sentences, as ``sentence1`` and ``text_a`` do."""
    return folded(title) in chain(*_NUMBERED)


def names_columns(cells: Cells) -> bool:
    """Whether a first row names columns: some names are known, or it is an id and two more."""
    titles = [folded(cell) for cell in cells]
    usual_titles = sum(title in _USUAL for title in titles)
    return usual_titles > 1 or (len(titles) == 3 and titles[0] in USUAL["id"])


def find_header(rows: Sequence[Cells], titles: Iterable[str]) -> int | None:
    """The place of the row that names columns, wanted or usual ones; fewer cells are above it."""
    for fits in (lambda cells: {*titles} <= {*map(str, cells)}, names_columns):
        widest = 0
        for at, cells in enumerate(rows if fits is names_columns or titles else ()):
            filled = len(texts(cells))
            if filled > widest and fits(cells):
                return at
            widest = max(widest, filled)
    return None


def is_total(cells: Cells) -> bool:
    """Whether a row is one of averages: its name, numbers, and cells without anything."""
    name, *numbers = texts(cells) or [""]
    return (
        len(numbers) + 1 < len(cells)
        and folded(name) in USUAL["totals"]
        and all(re.fullmatch(r"[-\d.,/% ()]+", number) for number in numbers)
    )


def couple(columns: Sequence[str]) -> tuple[int, int] | None:
    """The two columns that hold sentences by their names, by number from 0."""
    titles = [folded(title) for title in columns] if not groups(columns) else []
    places = ((titles.index(a), titles.index(b)) for a, b in _COUPLES if {a, b} <= {*titles})
    return next(places, None)


def usual(columns: Sequence[str], names: Iterable[str]) -> int | None:
    """The first column that has one of these names, the first name that there is."""
    titles = [folded(title) for title in columns]
    return next((titles.index(name) for name in names if name in titles), None)


@dataclass(frozen=True, slots=True)
class Group:
    """Columns about one question, by number from 0: a text or column, its answers, the others."""

    question: str | int
    answer: int
    reference: int | None = None
    points: int | None = None


PARTS = ("question", "answer", "points", "reference")


def groups(columns: Sequence[str]) -> list[Group]:
    """The groups of columns of a learning platform's report, in which a row has many answers.

    Moodle calls them *Response 1*, with *Question 1* and *Right answer 1* if asked to; Canvas
    gives the question, behind a number, and in the next column its points.
    """
    places = {folded(title): at for at, title in enumerate(columns)}
    answer_groups = list[Group]()
    for number in map(str, range(1, len(columns) + 1)):
        at = {
            part: next((places[n + number] for n in names if n + number in places), None)
            for part, names in _TABLES["report"].items()
        }
        if at["answer"] is not None:
            question = number if at["question"] is None else at["question"]
            answer_groups.append(Group(question, at["answer"], at["reference"]))
    for place, (title, behind) in enumerate(pairwise(columns)):
        if (match := _CANVAS.match(title)) and re.fullmatch(r"\d+(?:[.,]\d+)?", behind):
            answer_groups.append(Group(match[1], place, None, place + 1))
    return answer_groups
