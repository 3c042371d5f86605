"""Measuring runs of sentence ratings: one data set, or a folder of them."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, shortened
from ists_asp.evaluate.pearson import correlation, significance, weighted_mean
from ists_asp.io.header import check_no_header
from ists_asp.io.jsonl import read_object
from ists_asp.io.text import Line, parse_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.evaluate.pearson import Correlation

_SUFFIXES = (".tsv", ".txt", ".jsonl", ".gs")
_OFFICIAL = re.compile(r"STS\.(gs|input|output)\.")
"""How the organisers begin the names of their files."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Another run on the same pairs; ``p`` is one-tailed: that it is as good, or better."""

    r: float
    p: float


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set, how well a run rates it, and how another run does."""

    name: str
    correlation: Correlation
    other: Comparison | None = None


@dataclass(frozen=True, slots=True)
class RatingEvaluation:
    """All data sets, and their mean weighted by pairs."""

    data_sets: tuple[DataSet, ...]
    mean: DataSet

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return asdict(self)


def evaluate_ratings(gold: Path, system: Path, other: Path | None = None) -> RatingEvaluation:
    """Measure the ratings of a run against gold ratings.

    Args:
        gold: a file with a pair a line, ``score TAB sentence TAB sentence``, or just with its
            score; pairs whose line is empty are not counted. Or a folder of such files.
        system: a file with a rating a line (what follows a tab is ignored) or with a JSON
            object a line, as ``ists-asp sts`` writes them; or a folder that has a file of the
            same name, but for its ending, for each file of ``gold``.
        other: another run to compare with, as ``system``.

    Raises:
        DataError: a file or folder is missing, faulty, or has another number of ratings.
    """
    runs = [run for run in (system, other) if run is not None]
    found = []
    for name, file, *answers in _matched(gold, runs):
        golden = _ratings(file)
        kept = [number for number, score in enumerate(golden) if score is not None]
        right = [score for score in golden if score is not None]
        correlations = []
        for answer in answers:
            ratings = _ratings(answer)
            if len(ratings) != len(golden):
                raise DataError(
                    f"{len(ratings)} ratings", where=str(answer), expected=f"{len(golden)}"
                )
            given = [ratings[number] for number in kept]
            if None in given:
                line = kept[given.index(None)] + 1
                raise DataError("no rating", where=f"{answer}:{line}", expected="a number")
            numbers = [rating for rating in given if rating is not None]
            correlations.append(correlation(right, numbers, str(file)))
        found.append(_data_set(name, correlations))
    means = [weighted_mean([one.correlation for one in found])]
    if other is not None:
        theirs = [one.other.r for one in found if one.other]
        total = means[0].pairs
        shares = [one.correlation.pairs / total for one in found]
        mean = math.fsum(share * r for share, r in zip(shares, theirs, strict=True))
        compared = Comparison(mean, significance(means[0].r, mean, total))
        return RatingEvaluation(tuple(found), DataSet("mean", means[0], compared))
    return RatingEvaluation(tuple(found), DataSet("mean", means[0]))


def _data_set(name: str, correlations: Sequence[Correlation]) -> DataSet:
    own, *others = correlations
    if not others:
        return DataSet(name, own)
    return DataSet(name, own, Comparison(others[0].r, significance(own.r, others[0].r, own.pairs)))


def _matched(gold: Path, runs: Sequence[Path]) -> list[tuple[str, Path, *tuple[Path, ...]]]:
    """Each data set: its name, its gold file and the file of each run."""
    if not gold.is_dir():
        for run in runs:
            if run.is_dir():
                raise DataError("a folder", where=str(run), expected=f"a file, as {gold} is one")
        return [(_name(gold), gold, *runs)]
    known = _folder(gold)
    if not known:
        raise DataError("no gold ratings", where=str(gold), expected="files .tsv, .txt or .gs")
    found = []
    for run in runs:
        if not run.is_dir():
            raise DataError("no folder", where=str(run), expected=f"a folder, as {gold} is one")
        files = _folder(run)
        missing = [name for name in known if name not in files]
        if missing:
            raise DataError(
                f"no ratings of {missing[0]}",
                where=str(run),
                expected=f"a file such as {missing[0]}.txt",
            )
        found.append(files)
    return [(name, file, *(files[name] for files in found)) for name, file in known.items()]


def _folder(folder: Path) -> dict[str, Path]:
    """The files of a folder by the name of their data set."""
    files = (path for path in sorted(folder.iterdir()) if path.suffix in _SUFFIXES)
    found: dict[str, Path] = {}
    for file in files:
        first = found.setdefault(_name(file), file)
        if first is not file:
            raise DataError(
                f"{first.name} and {file.name} are of one name",
                where=str(folder),
                expected="one file a data set",
            )
    return found


def _name(file: Path) -> str:
    stem = file.stem if file.suffix in _SUFFIXES else file.name
    return _OFFICIAL.sub("", stem)


def _ratings(file: Path) -> list[float | None]:
    return list(parse_lines(file, _rating))


def _rating(line: Line) -> float | None:
    """The rating on a line; None if it is empty.

    Raises:
        DataError: there is none.
        FormatError: the first line names columns.
    """
    text = line.text.strip()
    if not text:
        return None
    columns = text.split("\t")
    if line.number == 1:
        check_no_header(columns, line.where)
    value: object = columns[0]
    if text.startswith("{"):
        rating = read_object(line).get("rating")
        value = rating.get("value") if isinstance(rating, dict) else None
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(
            f"'{shortened(text)}'",
            where=line.where,
            expected="a rating, or an object with a rating",
        )
    return number
