"""Measures of sentence ratings: correlations with gold ratings, and their uncertainty.

As the organisers of SemEval-2015 Task 2 measure: a correlation for each data set, their mean
weighted by pairs, and a one-tailed test of two runs by Fisher's z transformation (Press et
al., Numerical Recipes, equation 14.5.10).

Their baseline (tokencos): "We tokenized the input sentences splitting on white spaces, and then
each sentence was represented as a vector in the multidimensional token space. Each dimension had 1
if the token was present in the sentence, 0 otherwise. Vector similarity was computed using cosine
similarity." It is no rule: clingo has neither roots nor fractions.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import NormalDist, fmean
from typing import NamedTuple

import numpy as np

from ists_asp._version import __version__
from ists_asp.errors import DataError, FormatError, shortened
from ists_asp.io.columns import USUAL, names_columns, usual
from ists_asp.io.delimited import GoldScale, number, read_mark
from ists_asp.io.pairs import Ids, check_scale, identifier, is_gap
from ists_asp.io.tables import Table
from ists_asp.io.text import LONGEST, SKIP, Faults, Line, Warn, ignore, parse_each
from ists_asp.io.workbooks import KINDS, READ, ending
from ists_asp.model import Pair
from ists_asp.terminal import table

_QUANTILE = NormalDist().inv_cdf(0.975)  # standard errors on both sides, for 95 percent
_ALPHA = 0.05
_HIGHEST = 5  # gold rating, by default
_MOST = 1 - 1e-12  # what is nearer to 1 counts as this: Fisher's z of 1 is infinite
_SUFFIXES = (".txt", ".gs", *KINDS)
_OFFICIAL = re.compile(r"STS\.(gs|input|output)\.")  # begins the names of the organisers' files


def tokencos(pair: Pair) -> float:
    """The cosine of two sentences as sets of tokens, from 0 to 1; case is kept."""
    first, second = ({token.form for token in sent.tokens} for sent in pair.sentences)
    return len(first & second) / math.sqrt(len(first) * len(second))


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over so many pairs, or a mean of several, with its interval of 95 percent."""

    pairs: int
    r: float
    low: float
    high: float


_MEASURES: dict[str, tuple[str, Callable[[float, int], float]]] = {
    "pearson": ("pearsonr", lambda _, pairs: 1 / math.sqrt(pairs - 3)),
    "spearman": ("spearmanr", lambda r, pairs: math.sqrt((1 + r * r / 2) / (pairs - 3))),
    "kendall": ("kendalltau", lambda _, pairs: math.sqrt(0.437 / max(0.5, pairs - 4))),
}
"""Correlations as ``scipy.stats`` calls them, with the standard error of their Fisher's z, by
themselves and the pairs.

For Spearman by Bonett and Wright (2000), for Kendall by Fieller, Hartley and Pearson (1957).
"""


def correlation(
    gold: Sequence[float], system: Sequence[float], where: str = "", measure: str = "pearson"
) -> Correlation:
    """Correlate the ratings of four pairs or more; ``where`` names their origin.

    ``r`` is 0 for a constant list. The interval is that of Fisher's z, whose standard error is
    ``1 / sqrt(pairs - 3)`` for Pearson's.
    """
    if len(gold) < 4:
        found, expected = f"{len(gold)} rated pairs", "at least 4, for an interval"
        raise DataError(found, where=where, expected=expected)
    from scipy import stats

    with warnings.catch_warnings():
        # All but equal ratings give a correlation, if an uncertain one.
        warnings.simplefilter("ignore")
        name, error = _MEASURES[measure]
        r = float(getattr(stats, name)(gold, system).statistic)
    if math.isnan(r):
        r = 0.0
    z, margin = _fisher(r), _QUANTILE * error(r, len(gold))
    return Correlation(len(gold), r, math.tanh(z - margin), math.tanh(z + margin))


def weighted_mean(parts: Sequence[Correlation], measure: str = "pearson") -> Correlation:
    """The mean of the correlations of several data sets, each weighted by its pairs."""
    # The variance of a part is that of Fisher's z, brought back to r by the delta method.
    pairs = sum(part.pairs for part in parts)
    mean = fmean([part.r for part in parts], [part.pairs for part in parts])
    error = _MEASURES[measure][1]
    variance = math.fsum(
        (part.pairs / pairs * (1 - part.r**2) * error(part.r, part.pairs)) ** 2 for part in parts
    )
    margin = _QUANTILE * math.sqrt(variance)
    return Correlation(pairs, mean, max(-1.0, mean - margin), min(1.0, mean + margin))


def significance(better: float, worse: float, pairs: int) -> float:
    """The one-tailed p value of one run's correlation being higher than another's.

    ``p = Phi(-(z1 - z2) / sqrt(2 / (pairs - 3)))``, half of the two-tailed equation 14.5.10. Like
    the organisers, it cautiously takes the runs for independent, although they rate the same
    pairs. Means over data sets are compared as correlations over all pairs.
    """
    z = (_fisher(better) - _fisher(worse)) / math.sqrt(2 / (pairs - 3))
    return math.erfc(z / math.sqrt(2)) / 2


def _fisher(r: float) -> float:
    return math.atanh(max(-_MOST, min(_MOST, r)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Another run on the same pairs; ``p`` is one-tailed: that it is as good, or better."""

    r: float
    p: float


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set, how well a run rates it, and how another run does."""

    name: str
    correlation: Correlation  # Pearson's
    ranks: Mapping[str, Correlation]  # Spearman's and Kendall's
    other: Comparison | None = None


@dataclass(frozen=True, slots=True)
class RatingEvaluation:
    """All data sets, and their mean weighted by pairs."""

    data_sets: tuple[DataSet, ...]
    mean: DataSet
    signature: str


def evaluate_ratings(
    gold: Path,
    system: Path,
    other: Path | None = None,
    column: str | None = None,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
    scale: GoldScale | None = None,
    warn: Warn = ignore,
    skip_bad: bool = False,
) -> RatingEvaluation:
    """Measure the ratings of a run against gold ratings.

    Pairs are matched by id where both files have ids, otherwise by order. Pairs that a run left
    out, with an error in their row, do not count; with ``skip_bad``, nor do unrated ones.

    Gold is a file with ``score TAB sentence TAB sentence``, a score or nothing per line; a table
    with a ``column`` of scores, in a ``sheet`` or an ``encoding``; or a folder of such files. A
    scale other than 0 to 5 is a warning, unless it is given; ratings off a given ``scale`` are
    errors. A run is a file with a rating per line, a table with a column ``rating``, or a folder
    with a file of the same stem for each file of ``gold``.
    """
    runs = [run for run in (system, other) if run is not None]
    hashes = [sha256() for _ in (gold, *runs)]
    names, sets, ranks = [], [], list[dict[str, Correlation]]()
    ranking = [*_MEASURES][1:]
    for name, file, *answers in _matched(gold, runs):
        about = file, "gold", column, sheet, encoding, scale
        golden, ids, _ = _ratings(*about, warn=warn, skip_bad=skip_bad)
        scores = [score for score in golden if score is not None]
        if 0 < len(scores) < len(golden) and not skip_bad:
            warn(f"{file}: rows without a score, which do not count: {len(golden) - len(scores)}")
        if scale is None:
            try:
                check_scale(scores, scale, _HIGHEST, str(file))
            except DataError as fault:
                warn(str(fault))  # correlations do not depend on it
        hashes[0].update(repr(golden).encode())
        columns = [golden]
        for answer, digest in zip(answers, hashes[1:], strict=True):
            ratings, run_ids, left_out = _ratings(answer, "rating", warn=warn, skip_bad=skip_bad)
            if ids and run_ids:
                by_id = dict(zip(run_ids, ratings, strict=True))
                if not skip_bad:
                    _check_ids(by_id, ids, answer, file)
                failed = {run_ids[at] for at in left_out}
                left_out = {at for at, name in enumerate(ids) if name in failed}
                ratings = [by_id.get(name) for name in ids]
            digest.update(repr(ratings).encode())
            size = len(golden)
            if len(ratings) != size:
                raise DataError(f"{len(ratings)} ratings", where=str(answer), expected=f"{size}")
            for at, (score, rating) in enumerate(zip(golden, ratings, strict=True)):
                if rating is None and score is not None and not skip_bad and at not in left_out:
                    raise DataError("no rating", where=f"{answer}:{at + 1}", expected="a number")
            if left_out:
                warn(f"{answer}: pairs left out, as their rows have errors: {len(left_out)}")
            columns.append(ratings)
        rated = [row for row in zip(*columns, strict=True) if None not in row]
        if not rated:
            raise DataError("no pair is rated in all files", where=str(file), expected="4 or more")
        right, *runs_of = zip(*rated, strict=True)
        names.append(name)
        sets.append([correlation(right, numbers, str(file)) for numbers in runs_of])
        ranks.append({name: correlation(right, runs_of[0], str(file), name) for name in ranking})
    means = [weighted_mean(column) for column in zip(*sets, strict=True)]
    ranked = {name: weighted_mean([r[name] for r in ranks], name) for name in ranking}
    signature = f"sts|{'+'.join(_MEASURES)}|sets:{len(names)}|pairs:{means[0].pairs}"
    for name, digest in zip(("gold", "answers", "other"), hashes, strict=False):
        signature += f"|{name}:{digest.hexdigest()[:10]}"
    signature += f"|version:{__version__}"
    rated_sets = tuple(map(_data_set, names, sets, ranks))
    return RatingEvaluation(rated_sets, _data_set("mean", means, ranked), signature)


def _data_set(
    name: str, correlations: Sequence[Correlation], ranks: Mapping[str, Correlation]
) -> DataSet:
    first, *others = correlations
    compared = (Comparison(run.r, significance(first.r, run.r, first.pairs)) for run in others)
    return DataSet(name, first, ranks, next(compared, None))


def _matched(gold: Path, runs: Sequence[Path]) -> list[tuple[str, Path, *tuple[Path, ...]]]:
    if not gold.is_dir():
        for run in runs:
            if run.is_dir():
                raise DataError("a folder", where=str(run), expected=f"a file, as {gold} is one")
        return [(_name(gold), gold, *runs)]
    golds = _folder(gold)
    if not golds:
        expected = "files .txt or .gs, or tables"
        raise DataError("no gold ratings", where=str(gold), expected=expected)
    folders = []
    for run in runs:
        if not run.is_dir():
            raise DataError("no folder", where=str(run), expected=f"a folder, as {gold} is one")
        folders.append(_folder(run))
        for name in golds:
            if name not in folders[-1]:
                expected = f"a file such as {name}.txt"
                raise DataError(f"no ratings of {name}", where=str(run), expected=expected)
    return [(name, file, *(files[name] for files in folders)) for name, file in golds.items()]


def _folder(folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix in _SUFFIXES and (first := files.setdefault(_name(file), file)) is not file:
            found = f"{first.name} and {file.name} are of one name"
            raise DataError(found, where=str(folder), expected="one file a data set")
    return files


def _name(file: Path) -> str:
    return _OFFICIAL.sub("", file.stem if file.suffix in _SUFFIXES else file.name)


def _check_ids(
    ratings: Mapping[str, float | None], ids: Sequence[str], answer: Path, gold: Path
) -> None:
    unique = set(ids)
    for lacking, where, file in (
        ([name for name in ids if name not in ratings], answer, gold),
        ([name for name in ratings if name not in unique], gold, answer),
    ):
        if lacking:
            sample = f"such as '{shortened(lacking[0])}'"
            found = f"{len(lacking)} of the pairs of {file} are not in it, {sample}"
            raise DataError(found, where=str(where), expected="the same ids in both files")


def _ratings(
    file: Path,
    role: str,
    wanted: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    scale: GoldScale | None = None,
    *,
    warn: Warn,
    skip_bad: bool,
) -> tuple[list[float | None], list[str], set[int]]:
    """The ratings of a file, the ids of their pairs if it is a table with ids, and errors' rows."""
    faults, suffix = Faults(warn if skip_bad else None, hint=SKIP), ending(file)
    kind = None if suffix == ".txt" else READ.get(suffix)
    if kind is None and file.is_file():
        with file.open("rb") as stream:
            first = stream.readline(LONGEST).decode("utf-8", "replace")
        kind = "tsv" if wanted is not None or names_columns(first.split("\t")) else None
    opened = partial(Table, file, kind, encoding=encoding, sheet=sheet, warn=warn)
    titles = [wanted] if wanted else [role] if role == "rating" else []
    table = opened(titles=titles) if kind or sheet else None
    if table is None or not (table.header or wanted):

        def score_of(line: Line) -> float | None:
            text, *others = map(str.strip, line.text.split("\t"))
            if role == "gold" and is_gap(text, scale):
                return None
            if role == "gold" and line.number == 1 and others and math.isnan(number(text)):
                found, hint = f"found '{shortened(text)}'", "Name the column with --gold-col"
                raise FormatError(found, where=line.where, expected="a rating", hint=hint)
            return _rating(text, line.where, scale)

        items = list(parse_each(file, score_of, faults))
        faults.check()
        return [None if isinstance(item, DataError) else item for item in items], [], set()
    # A table that had such a column before has ours behind it.
    names = [*["istsrating"] * (role == "rating"), role, *USUAL["gold"]]
    place = usual(table.columns, names) if wanted is None else table.column(wanted, "--gold-col")
    if place is None:
        expected, hint = f"one that is called '{role}'", "Name that of gold with --gold-col"
        columns = shortened(", ".join(table.columns))
        found = f"none of the columns {columns} is known to hold ratings"
        raise DataError(found, where=str(file), expected=expected, hint=hint)
    rows, at = list[tuple[float | None, str]](), usual(table.columns, USUAL["id"])
    error, errors = usual(table.columns, ["error", "istserror"]), set[int]()
    table.tell_of(place, at, error)
    with Ids() as unique:
        for row in table.rows():
            rows.append((None, ""))
            with faults:
                if row.fault is not None:
                    raise row.fault
                gap = role == "gold" and is_gap(row.text(place), scale)
                rating = None if gap else _rating(row.cells[place], table.place(row, place), scale)
                name = identifier(row, at)
                unique.add(name, row.number, row.where)
                if rating is None and row.text(error):
                    errors.add(len(rows) - 1)
                rows[-1] = rating, name
    faults.check()
    ids = [] if at is None else [name for _, name in rows]
    return [rating for rating, _ in rows], ids, errors


def _rating(value: object, where: str, scale: GoldScale | None) -> float | None:
    if isinstance(value, dict):
        value = value.get("value")
    text = "" if value is None else str(value).strip()
    return read_mark(text, where, scale) if text else None


def render_ratings(evaluation: RatingEvaluation) -> str:
    r"""A table with a line for each data set and one for their mean; ends with ``\n``."""
    compared = evaluation.mean.other is not None
    heads = [head for name in _MEASURES for head in (name.capitalize(), "95 %")]
    rows = [["", "Pairs", *heads, *(["Other", "p"] if compared else [])]]
    several = len(evaluation.data_sets) > 1
    for data_set in (*evaluation.data_sets, *([evaluation.mean] if several else [])):
        pearson, other = data_set.correlation, data_set.other
        rows.append([data_set.name, str(pearson.pairs)])
        for measured in (pearson, *data_set.ranks.values()):
            rows[-1] += [f"{measured.r:.4f}", f"{measured.low:.4f} to {measured.high:.4f}"]
        if other is not None:
            star = " *" if other.p < _ALPHA else "  "
            rows[-1] += [f"{other.r:.4f}", f"{other.p:.4f}{star}"]
    note = f"* better than the other run, p < {_ALPHA}, one-tailed\n" if compared else ""
    return f"{table(rows)}{note}\nSignature: {evaluation.signature}\n"


LEAST = 10  # marks from which a scale can be learned
KAPPA = 0.3  # marks that agree less with those given are not suggested
_RIDGE = 1.0


class Scale(NamedTuple):
    """Suggested marks; of answers that have one, what the others alone would suggest."""

    suggested: tuple[float | None, ...]
    kappa: float  # agreement with the marks given, weighted by squares (Cohen 1968)
    error: float  # their mean distance
    marked: int  # marks that were given


def suggest_marks(
    features: Sequence[Sequence[float] | None],
    marks: Sequence[float | None],
    where: str | None = None,
) -> Scale:
    """Learn a scale by ridge regression; suggestions are marks that were given."""
    pairs = list(zip(features, marks, strict=True))
    marked = [at for at, (row, mark) in enumerate(pairs) if None not in (row, mark)]
    if len(marked) < LEAST:
        found = f"{len(marked)} answers have a mark"
        raise DataError(found, where=where, expected=f"{LEAST} or more, to learn your scale from")
    values = {at: np.array([1.0, *row]) for at, row in enumerate(features) if row is not None}
    gold = {at: mark for at in marked if (mark := marks[at]) is not None}
    steps = np.unique(list(gold.values()))

    def suggested(at: int) -> float | None:
        if at not in values:
            return None
        rows = [row for row in marked if row != at]
        inputs, targets = np.array([values[row] for row in rows]), [gold[row] for row in rows]
        penalty = np.diag([1e-9, *[_RIDGE] * (inputs.shape[1] - 1)])
        weights = np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ np.array(targets))
        return float(steps[np.abs(steps - values[at] @ weights).argmin()])

    scale = tuple(map(suggested, range(len(pairs))))
    theirs = np.array(list(gold.values()))
    ours = np.array([scale[at] for at in marked], dtype=float)
    chance = float(np.mean((theirs[:, None] - ours) ** 2))
    kappa = 1 - float(np.mean((theirs - ours) ** 2)) / chance if chance else 1.0
    return Scale(scale, kappa, float(np.abs(theirs - ours).mean()), len(marked))
