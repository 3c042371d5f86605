"""``ists-asp solve``: pairs in, answers out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import check_output
from ists_asp.cli.options import (
    PATH,
    Choice,
    input_options,
    output_option,
    quiet_option,
    system_options,
)
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs

__all__ = ["solve"]

FORMATS = ("wa", "jsonl", "text")

MEMORY = 4096
"""Megabytes of address space of a worker."""

SEMANTIC_MEMORY = 16384
"""The same where words are compared in context, which takes torch."""


@click.command(
    epilog="""\b
Examples:
  ists-asp solve "12 killed in bus accident" "10 killed in road accident"
  ists-asp solve --chunked "[ a cat ] [ sits ]" "[ one cat ] [ is sitting ]" --format jsonl
  ists-asp solve --sent1 a.txt --sent2 b.txt --profile headlines -o out.wa
  ists-asp solve --sent1 a.chunk.txt --sent2 b.chunk.txt --chunked --profile images -o out.wa
  cut -f2,3 pairs.tsv | ists-asp solve --tsv - --format text
  ists-asp solve --jsonl pairs.jsonl -n 3 -o best.jsonl
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -c limit=2 -o out.wa
  ists-asp solve --sent1 a.txt --sent2 b.txt -o out.wa --trace traces.jsonl
  ists-asp solve --tsv million.tsv -o out.wa --jobs 4 --resume
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa --watch
"""
)
@input_options
@system_options
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="wa: SemEval word alignments; jsonl: an object an answer; text: for people. Default: by "
    "the suffix of -o (.wa, .jsonl, .txt); without one, text for a pair from the command line "
    "that goes to a terminal, and wa otherwise.",
)
@output_option("File to write; it appears whole or not at all. Default: standard output.")
@click.option(
    "-n",
    "models",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Answers to find for each pair, best first (not with --format wa).",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Workers that decide pairs at the same time.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Limit for a pair: the best answer so far is taken then, if there is one.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=256),
    metavar="MB",
    help=f"Limit for a worker.  [default: {MEMORY}; with --semantic {SEMANTIC_MEMORY}]",
)
@click.option(
    "--fail-fast/--keep-going",
    default=False,
    help="End with the first pair that gets no answer, or go on (the default) and name the "
    "pairs at the end, with exit code 3.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where the same command was interrupted; the output is as if it never was.",
)
@click.option(
    "--watch", is_flag=True, help="Stay, and run again whenever a rule file is saved; Ctrl-C ends."
)
@click.option(
    "--trace",
    "traces",
    type=PATH,
    metavar="FILE",
    help="File for the traces of all pairs, a JSON object a line; takes a few times as long. "
    "What came second to a decision is told by ists-asp trace only.",
)
@quiet_option
def solve(
    inputs: Inputs,
    choice: Choice,
    form: str | None,
    output: Path | None,
    models: int,
    jobs: int,
    timeout: float,
    memory: int | None,
    fail_fast: bool,
    resume: bool,
    watch: bool,
    traces: Path | None,
    quiet: bool,
) -> None:
    """Chunk, align, label and score pairs of sentences.

    In: two sentences, two files with one sentence a line (the n-th lines are a pair), a TSV
    file or a JSON Lines file. Blanks separate tokens, unless --raw is given. After -- a
    sentence may begin with a dash.

    Out: for each pair its aligned chunks, each with a label and a score, and the chunks that
    have no counterpart.
    """
    from ists_asp.cli.rendering import Format, choose_format
    from ists_asp.cli.running import Job, solve_once
    from ists_asp.cli.watching import watch_rules
    from ists_asp.run import Limits

    shape = choose_format(form, output, single=inputs.single)
    if traces is not None and models > 1:
        raise UsageError(f"-n {models} does not go with --trace, which is about the best answer")
    if models > 1 and shape is Format.WA:
        raise UsageError(
            f"-n {models} does not go with the format wa, which holds one answer a pair",
            hint="Add --format jsonl or --format text",
        )
    check_output(output, inputs.files)
    if traces is not None:
        check_output(traces, inputs.files)
        if output is not None and output.resolve() == traces.resolve():
            raise UsageError(
                "-o and --trace name the same file", where=str(output), hint="Choose two names"
            )
    if resume and output is None:
        raise UsageError("--resume without -o", hint="Name the file that the run was to write")
    if memory is None:
        memory = SEMANTIC_MEMORY if choice.words.semantic else MEMORY
    limits = Limits(timeout, memory * 1024 * 1024)
    job = Job(
        *(inputs, choice, shape, output, traces, models, limits, jobs, resume, fail_fast, quiet)
    )
    code = watch_rules(job) if watch else solve_once(job)
    if code:
        raise click.exceptions.Exit(code)
