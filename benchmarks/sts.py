"""Ratings of whole pairs, held out by data set, on the train sets of the STS tasks.

``python -m benchmarks.sts`` takes the profiles that rate pairs, each with the data sets of its
language. A data set that the profile's weights were learned from is rated by weights that were
learned from the others: what to expect of a kind of text that nobody has rated. A data set
that they were not learned from is rated by the weights as shipped.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import ROOT
from benchmarks.options import add_write, make_parser, rewrite
from ists_asp.engine import Setup
from ists_asp.errors import DataError, IstsError
from ists_asp.evaluate.ratings import correlation, tokencos, weighted_mean
from ists_asp.io.pairs import read_sts
from ists_asp.learn.ratings import (
    RatingExampleBuilder,
    cross_validate_ratings,
    learn_ratings,
    mismatched,
    predict,
)
from ists_asp.resources import rules_dir
from ists_asp.rules import NO_READER, list_profiles, load_profile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from ists_asp.evaluate.ratings import Correlation
    from ists_asp.io.pairs import ScoredPair

FOLDERS = {"sts-en": "sts-en-train", "sts-es": "sts-es-train"}
"""The folder of the data sets for each profile."""

_GOLD = re.compile(r"--gold DATA/(\S+)")
_HEADER = "| Set | Pairs | tokencos | {0} | 95 % |\n| --- | ---: | ---: | ---: | ---: |\n"
_COLUMNS = ("Rules", "Rules, `--reader use`")


@dataclass(frozen=True, slots=True)
class Row:
    """A data set, or the mean of several: how well the baseline and the rules rate it."""

    name: str
    baseline: Correlation
    rules: Correlation


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = _parser().parse_args(arguments)
    try:
        text = _table(list(_rows(options)), reader=options.reader)
        print(text, end="")
        if options.write:
            name = "sts-reader" if options.reader else "sts"
            rewrite({name: text})
    except IstsError as error:
        print(f"benchmarks.sts: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = make_parser("sts", __doc__)
    parser.add_argument(
        "--data",
        type=Path,
        default=ROOT.parent / "shared" / "data",
        metavar="DIR",
        help="folder with sts-en-train/ and sts-es-train/ in it (default: shared/data beside the "
        "checkout)",
    )
    parser.add_argument(
        "--reader",
        choices=["use"],
        help="rate Spanish by what this reader holds as well, by weights learned for that",
    )
    parser.add_argument("--cache", type=Path, metavar="DIR", help="annotation cache")
    add_write(parser)
    return parser


def _rows(options: argparse.Namespace) -> Iterator[Row]:
    for profile, folder in FOLDERS.items():
        if profile not in list_profiles():
            continue
        rating = load_profile(profile).rating
        if rating is None or (options.reader and profile != "sts-es"):
            continue
        files = sorted((options.data / folder).glob("*.tsv"))
        if not files:
            raise DataError("no data sets", where=str(options.data / folder), expected="*.tsv")
        golds = {file.name: list(read_sts(file)) for file in files}
        rows = list(_measured(profile, golds, options))
        yield from rows
        yield Row(
            f"**{profile}**",
            weighted_mean([row.baseline for row in rows]),
            weighted_mean([row.rules for row in rows]),
        )


def _measured(
    profile: str, golds: dict[str, list[ScoredPair]], options: argparse.Namespace
) -> Iterator[Row]:
    learned = _learned_from(profile, reader=options.reader) & golds.keys()
    setup = Setup(profile, reader=options.reader or NO_READER, cache=options.cache)
    with RatingExampleBuilder(setup) as teacher:
        highest = teacher.highest
        examples = {name: list(teacher.examples(name, found)) for name, found in golds.items()}
        known = [golds[name] for name in golds if name in learned]
        unrelated = list(teacher.examples("", mismatched(known)))
    train = [example for name in golds if name in learned for example in examples[name]]
    held_out = cross_validate_ratings(train, unrelated, highest=highest, folds=None)
    weights = learn_ratings(train, unrelated, highest)
    for name, pairs in golds.items():
        right = [pair.score for pair in pairs]
        if name in held_out:
            rated = correlation(right, held_out[name][0].predicted, name)
        else:
            rated = correlation(right, predict(examples[name], weights, highest), name)
        baseline = correlation(right, [tokencos(pair.pair) for pair in pairs], name)
        mark = "" if name in learned else " ¹"
        yield Row(f"{name.removesuffix('.tsv')}{mark}", baseline, rated)


def _learned_from(profile: str, *, reader: str | None) -> set[str]:
    """The files that a profile's weights were learned from, as they say themselves."""
    rating = load_profile(profile).rating
    assert rating is not None
    names = rating.reader_weights if reader else rating.weights
    texts = ((rules_dir() / f"{name}.lp").read_text("utf-8") for name in names)
    return {gold for text in texts for gold in _GOLD.findall(text)}


def _table(rows: Sequence[Row], *, reader: str | None) -> str:
    lines = [
        f"| {row.name} | {row.rules.pairs} | {row.baseline.r:.3f} | {row.rules.r:.3f} "
        f"| {row.rules.low:.3f} to {row.rules.high:.3f} |\n"
        for row in rows
    ]
    return _HEADER.format(_COLUMNS[reader is not None]) + "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
