"""``ists-asp solve``: pairs in, answers out."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import (
    RuleWarnings,
    check_output,
    note,
    progress,
    summary,
    warn,
    write_output,
)
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
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import System
    from ists_asp.model import Answer, Pair

__all__ = ["solve"]


class _Format(StrEnum):
    WA = "wa"
    JSONL = "jsonl"
    TEXT = "text"


_SUFFIXES = {".wa": _Format.WA, ".jsonl": _Format.JSONL, ".txt": _Format.TEXT}


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
"""
)
@input_options
@system_options
@click.option(
    "--format",
    "form",
    type=click.Choice([str(form) for form in _Format]),
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
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Limit of the search for an answer.",
)
@click.option(
    "--trace",
    "traces",
    type=PATH,
    metavar="FILE",
    help="File for the traces of all pairs, a JSON object a line; takes a few times as long.",
)
@quiet_option
def solve(
    inputs: Inputs,
    choice: Choice,
    form: str | None,
    output: Path | None,
    models: int,
    time_limit: float,
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
    shape = _format(form, output, inputs)
    if traces is not None and models > 1:
        raise UsageError(f"-n {models} does not go with --trace, which is about the best answer")
    if models > 1 and shape is _Format.WA:
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
    pairs = inputs.read(warn)
    began = time.perf_counter()
    parts: list[str] = []
    with (
        choice.load(models=models, time_limit=time_limit) as system,
        RuleWarnings(system) as odd,
        progress(len(pairs), shown=not quiet) as step,
    ):
        for answers in _answers(system, inputs.tokenized(system, pairs), traces):
            if not answers[0].optimal:
                warn(
                    f"pair {answers[0].pair.id}: within {time_limit:g} s the answer was not "
                    "proved the best; allow more with --time-limit"
                )
            parts += _rendered(answers, shape, models, system.knowledge)
            odd.show()
            step()
        stages = system.stages
    separator = "\n" if shape is _Format.TEXT else ""
    write_output(output, separator.join(parts))
    if not (quiet or inputs.single):
        note(summary(len(pairs), time.perf_counter() - began, stages))


def _answers(
    system: System, pairs: Iterable[Pair], traces: Path | None
) -> Iterator[tuple[Answer, ...]]:
    """The answers, while their traces are written if a file is given."""
    if traces is None:
        yield from system.solve_all(pairs)
        return
    from ists_asp.io.atomic import atomic_writer
    from ists_asp.trace.document import trace_line

    with atomic_writer(traces) as stream:
        for trace in system.trace_many(pairs):
            stream.write(trace_line(trace))
            yield (trace.answer,)


def _format(form: str | None, output: Path | None, inputs: Inputs) -> _Format:
    if form is not None:
        return _Format(form)
    if output is not None and output.suffix in _SUFFIXES:
        return _SUFFIXES[output.suffix]
    terminal = output is None and sys.stdout.isatty()
    return _Format.TEXT if inputs.single and terminal else _Format.WA


def _rendered(
    answers: tuple[Answer, ...], shape: _Format, models: int, knowledge: tuple[str, ...]
) -> list[str]:
    from ists_asp.io.jsonl import write_jsonl
    from ists_asp.io.readable import format_answer
    from ists_asp.io.wa_writer import write_answer

    if shape is _Format.WA:
        return [write_answer(answers[0])]
    if shape is _Format.JSONL:
        return [write_jsonl(answer, rank, knowledge) for rank, answer in enumerate(answers, 1)]
    return [
        format_answer(answer) if models == 1 else f"Answer {rank}\n{format_answer(answer)}"
        for rank, answer in enumerate(answers, 1)
    ]
