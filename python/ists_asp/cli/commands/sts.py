"""``ists-asp sts``: pairs in, one rating for each pair out."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli import options
from ists_asp.cli.console import opened, write_output
from ists_asp.cli.files import choose_format, command
from ists_asp.errors import UsageError
from ists_asp.io.formats import RATED, RATINGS

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.engine import Setup
    from ists_asp.pipeline.source import Source


@command("""
  ists-asp sts "12 killed in bus accident" "10 killed in road accident"
  ists-asp sts --sent1 a.txt --sent2 b.txt -o ratings.txt
  ists-asp sts --table pairs.csv -o ratings.csv
  ists-asp sts --engine dask --table pairs.parquet -o ratings --format parquet
  ists-asp sts --table pairs.csv --format jsonl -o ratings.jsonl
  ists-asp sts --sent1 a.txt --sent2 b.txt --baseline tokencos -o baseline.txt
  ists-asp evaluate --task sts gold.tsv ratings.txt --versus baseline.txt
""")
@options.input_options
@options.setup_options("sts-en", run=True)
@options.format_option(RATINGS, ", or ratings.")
@click.option(
    "--baseline",
    type=click.Choice(["tokencos"]),
    help="Rate by the baseline of SemEval-2015 instead: 5 times the cosine of the token sets. It "
    "uses no rules.",
)
@options.json_flag
@options.output_option()
def sts(
    source: Source,
    setup: Setup,
    form: str | None,
    as_json: bool,
    baseline: str | None,
    output: Path | None,
    **run: Any,  # noqa: ANN401 (how to run any number of pairs)
) -> None:
    """Rate the similarity of two sentences from 0 to 5.

    In: two sentences, or files as for ists-asp solve.

    Out: a rating per pair with three decimals: 5 (in Spanish 4) for the same meaning, 0 for
    nothing in common; in a table, it follows the input columns. It is the sum of the
    contributions of named evidence; ists-asp trace and ists-asp why show where each comes from.
    A pair without an answer is rated 0 and listed at the end, with exit code 3.
    """
    from ists_asp.cli.driver import solve_pairs
    from ists_asp.rules import Purpose

    shape = choose_format(RATINGS, "jsonl" if as_json else form, output, "ratings")
    if baseline is not None:
        if shape is not RATINGS["ratings"]:
            raise UsageError("--baseline gives ratings only", hint="Add --format ratings")
        from ists_asp.evaluate.ratings import tokencos
        from ists_asp.model import Pair

        with opened(source) as pairs:
            entries = chain.from_iterable(pairs.batches())
            rated = [5 * tokencos(pair) for _, pair in entries if isinstance(pair, Pair)]
        # By six decimals rounding is free.
        write_output(output, "".join(f"{rating:.6f}\n" for rating in rated))
        return
    setup.check_has(Purpose.RATING)
    solve_pairs(source, setup, shape, output, RATED, **run)
