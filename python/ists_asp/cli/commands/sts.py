"""``ists-asp sts``: pairs in, one rating for each pair out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ists_asp.cli.files import Command
from ists_asp.cli.options.common import output_option, quiet_option
from ists_asp.cli.options.input_options import input_options
from ists_asp.cli.options.run_options import Effort, run_options
from ists_asp.cli.options.system_options import system_options
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.cli.options.choice import Choice

BASELINES = ("tokencos",)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  ists-asp sts "12 killed in bus accident" "10 killed in road accident"
  ists-asp sts --sent1 a.txt --sent2 b.txt -o ratings.txt
  ists-asp sts --tsv pairs.tsv -o ratings.tsv
  ists-asp sts --tsv pairs.tsv --format jsonl -o ratings.jsonl
  ists-asp sts --sent1 a.txt --sent2 b.txt --baseline tokencos -o baseline.txt
  ists-asp evaluate --task sts gold.tsv ratings.txt --versus baseline.txt
""",
)
@input_options
@partial(system_options, profile="sts-en")
@click.option(
    "--format",
    "form",
    type=click.Choice(["ratings", "tsv", "jsonl"]),
    help="ratings: one a line, the format of SemEval; tsv: rating TAB id; jsonl: an object a "
    "pair, with what contributes to the rating, and the alignment. Default: by the ending of -o "
    "(.txt, .tsv, .jsonl), or ratings.",
)
@click.option(
    "--baseline",
    type=click.Choice(BASELINES),
    help="Rate by the baseline of SemEval-2015 instead: the cosine of the sets of tokens, "
    "times 5. It knows no rules.",
)
@output_option()
@run_options
@quiet_option
def sts(
    inputs: Inputs,
    choice: Choice,
    form: str | None,
    baseline: str | None,
    output: Path | None,
    effort: Effort,
    quiet: bool,
) -> None:
    """Rate how similar two sentences are as wholes, from 0 to 5.

    In: two sentences, or files as for ists-asp solve.

    Out: a rating for each pair, with three decimals: 5 (in Spanish 4) means the same, 0 has
    nothing in common; with --format tsv the id of the pair stands behind it. It is the sum of
    what named evidence contributes; ists-asp trace and ists-asp why say where each contribution
    comes from. A pair without an answer is rated 0, and named at the end, with exit code 3.
    """
    from ists_asp.cli.jobs.rendering import RATED, choose_rating_format
    from ists_asp.cli.jobs.running import Job, rate_by_tokens, solve_once

    shape = choose_rating_format(form, output)
    if baseline is not None:
        if shape not in RATED:
            raise UsageError(
                "--baseline gives ratings only", hint="Add --format ratings or --format tsv"
            )
        rate_by_tokens(inputs, output, shape)
        return
    choice.check_rates()
    code = solve_once(Job(inputs, choice, shape, output, 1, effort, quiet))
    if code:
        raise click.exceptions.Exit(code)
