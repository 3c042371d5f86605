"""``ists-asp solve``: pairs in, answers out."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ists_asp.cli import options
from ists_asp.cli.console import fail, note
from ists_asp.cli.files import choose_format, command
from ists_asp.errors import DataError, IstsError, UsageError, of_pair
from ists_asp.io.formats import ALIGNMENTS, ANSWERS, PAIRS, Format, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ists_asp.engine import Setup
    from ists_asp.pipeline.source import Source


def _write_svg(outcome: Outcome) -> str:
    from ists_asp.report.picture import svg_file

    if outcome.error is not None:
        raise DataError(outcome.error, where=of_pair(outcome.pair.id))
    return svg_file(outcome.answers[0])


SVG = Format("svg", ".svg", "a picture of the only pair", _write_svg, answers=True, alone=True)
FORMS = {**ANSWERS, SVG.name: SVG}


@command("""
  ists-asp solve "12 killed in bus accident" "10 killed in road accident"
  ists-asp solve --chunked "[ a cat ] [ sits ]" "[ one cat ] [ is sitting ]" --format jsonl
  ists-asp solve --sent1 a.txt --sent2 b.txt --profile headlines -o out.wa
  ists-asp solve --sent1 a.chunk.txt --sent2 b.chunk.txt --chunked --profile images -o out.wa
  ists-asp solve --table pairs.csv -o answers.xlsx
  ists-asp solve --table pairs.xlsx --sent1-col Answer --sent2-col Key --rows alignments -o a.csv
  cut -f2,3 pairs.tsv | ists-asp solve --tsv - --format text
  ists-asp solve --table pairs.jsonl -n 3 -o best.jsonl
  ists-asp solve --format atoms "a cat sits" "one cat is sitting"
  ists-asp solve --table pairs.csv --id 17 -o pair17.svg
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa
  ists-asp solve --sent1 a.txt --sent2 b.txt -o out.wa --trace traces.jsonl
  ists-asp solve --table million.parquet -o out.wa --jobs 4
  ists-asp solve --engine dask --table "corpus/*.parquet" -o answers --jobs 4
  ists-asp solve --engine dask --scheduler tcp://node1:8786 --table s3://b/in.jsonl -o s3://b/out
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa --watch
""")
@options.input_options
@options.setup_options(run=True)
@options.format_option(
    FORMS,
    "; without -o, text for a pair given on the command line if output is a terminal, else wa.",
)
@options.json_flag
@options.output_option()
@options.choice_option(*("--rows", "pairs", "alignments"), text="What each row of a table holds.")
@options.number_option(
    *("-n", "models"),
    text="Answers per pair, best first (not with --format wa).",
    default=1,
)
@click.option(
    "--watch", is_flag=True, help="Run again whenever a rule file is saved; Ctrl-C stops."
)
def solve(
    source: Source,
    setup: Setup,
    form: str | None,
    as_json: bool,
    output: Path | None,
    rows: str,
    models: int,
    watch: bool,
    **run: Any,  # noqa: ANN401 (how to run any number of pairs)
) -> None:
    """Chunk, align, label and score pairs of sentences.

    In: two sentences; a table (CSV, Excel and others) with one pair per row; or two files with
    one sentence per line, tokens separated by spaces, where the n-th lines form a pair. After --
    a sentence may begin with a dash.

    Out: for each pair its aligned chunks, each with a label and a score, and the chunks without
    a counterpart. JSON Lines also have the rating of the pair (see ists-asp sts), if the profile
    has rules for it. A table has the columns of the input table, followed by the rating, the
    number of times each label was given, and the explanation; or, with --rows alignments, one
    row per alignment.
    """
    from ists_asp.cli.driver import solve_pairs

    # Two sentences from the command line are for somebody to look at.
    if watch and run["engine"] is not None:
        raise UsageError("--watch does not go with --engine dask")
    terminal = source.single and output is None and sys.stdout is not None and sys.stdout.isatty()
    usual = "jsonl" if run["engine"] is not None else "text" if terminal else "wa"
    shape = choose_format(FORMS, "jsonl" if as_json else form, output, usual)
    if run["traces"] is not None and models > 1:
        raise UsageError(f"-n {models} does not go with --trace, which is about the best answer")
    if models > 1 and not shape.several:
        others = " or ".join(f"--format {one.name}" for one in ANSWERS.values() if one.several)
        raise UsageError(
            f"-n {models} does not go with the format {shape.name}, which holds one answer a pair",
            hint=f"Add {others}",
        )
    setup = replace(setup, models=models, shown=shape is ANSWERS["atoms"])
    columns = PAIRS if rows == "pairs" else ALIGNMENTS
    work = partial(solve_pairs, source, setup, shape, output, columns, **run)
    if watch:
        _watch(setup.rules, work)
    work()


def _watch(rules: Sequence[Path], work: Callable[[], None]) -> NoReturn:
    """Do some work, and again after each change of its rules, until somebody ends it."""
    if not rules:
        raise UsageError("--watch without --rules", hint="Name the rules that you change")

    seen = _states(rules)
    while True:
        try:
            with suppress(click.exceptions.Exit):
                work()
        except UsageError:
            raise
        except IstsError as fault:
            # The next save may mend it.
            fail(fault)
        note("watching the rules; Ctrl-C ends")
        while (now := _states(rules)) == seen:
            time.sleep(0.3)
        changed = sorted(str(path) for path in {*now, *seen} if now.get(path) != seen.get(path))
        seen = now
        note(f"changed: {', '.join(changed)}")


def _states(rules: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """When each rule file was changed, and its size."""
    states = {}
    for rule in rules:
        for path in [rule] if rule.is_file() else rule.rglob("*"):
            # An editor may replace the file just now.
            with suppress(OSError):
                if path.suffix in {".lp", ".toml", ".tsv"}:
                    state = path.stat()
                    states[path] = state.st_mtime_ns, state.st_size
    return states
