"""``ists-asp sts``: pairs in, one rating for each pair out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ists_asp.cli.input_options import input_options
from ists_asp.cli.options import output_option, quiet_option
from ists_asp.cli.run_options import Effort, run_options
from ists_asp.cli.system_options import system_options
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.cli.choice import Choice
    from ists_asp.cli.inputs import Inputs

__all__ = ["sts"]

BASELINES = ("tokencos",)


@click.command(
    epilog="""\b
Examples:
  ists-asp sts "12 killed in bus accident" "10 killed in road accident"
  ists-asp sts --sent1 a.txt --sent2 b.txt -o ratings.txt
  ists-asp sts --tsv pairs.tsv --format jsonl -o ratings.jsonl
  ists-asp sts --sent1 a.txt --sent2 b.txt --baseline tokencos -o baseline.txt
  ists-asp evaluate --task sts gold.tsv ratings.txt --versus baseline.txt
"""
)
@input_options
@partial(system_options, profile="sts-en")
@click.option(
    "--format",
    "form",
    type=click.Choice(["ratings", "jsonl"]),
    help="ratings: one a line, the format of SemEval; jsonl: an object a pair, with what "
    "contributes to the rating, and the alignment. Default: by the suffix of -o (.jsonl), or "
    "ratings.",
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
    nothing in common. It is the sum of what named evidence contributes; ists-asp trace and
    ists-asp why say where each contribution comes from. A pair without an answer is rated 0,
    and named at the end, with exit code 3.
    """
    from ists_asp.cli.rendering import Format
    from ists_asp.cli.running import Job, rate_by_tokens, solve_once

    by_suffix = "jsonl" if output is not None and output.suffix == ".jsonl" else "ratings"
    shape = Format(form or by_suffix)
    effort.check(output, inputs)
    if baseline is not None:
        if shape is not Format.RATINGS:
            raise UsageError("--baseline gives ratings only", hint="Add --format ratings")
        rate_by_tokens(inputs, output)
        return
    choice.check_rates()
    code = solve_once(Job(inputs, choice, shape, output, 1, effort, quiet))
    if code:
        raise click.exceptions.Exit(code)
