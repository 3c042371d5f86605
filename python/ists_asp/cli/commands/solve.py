"""``ists-asp solve``, ``sts`` and ``explain``: pairs in, answers, ratings or explanations out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ists_asp.cli import options
from ists_asp.cli.console import fail, note, opened, write_output
from ists_asp.cli.driver import ask_of_pair, solve_pairs
from ists_asp.cli.files import choose_format, command
from ists_asp.errors import DataError, IstsError, UsageError, of_pair
from ists_asp.io import formats
from ists_asp.model import Pair
from ists_asp.pipeline.source import Source

if TYPE_CHECKING:
    from ists_asp.engine import Setup


def _write_svg(outcome: formats.Outcome) -> str:
    from ists_asp.report.picture import svg_file

    if outcome.error is not None:
        raise DataError(outcome.error, where=of_pair(outcome.pair.id))
    return svg_file(outcome.answers[0])


SVG = formats.Format(
    "svg", ".svg", "a picture of the only pair", _write_svg, answers=True, alone=True
)
FORMS = {**formats.ANSWERS, SVG.name: SVG}


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
    "-n", "Answers per pair, best first (not with --format wa).", name="models", default=1
)
@options.option("--watch", "Run again whenever a rule file is saved; Ctrl-C stops.")
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
    # Two sentences from the command line are for reading.
    if watch and run["engine"] is not None:
        raise UsageError("--watch does not go with --engine dask")
    terminal = source.single and output is None and sys.stdout is not None and sys.stdout.isatty()
    usual = "jsonl" if run["engine"] is not None else "text" if terminal else "wa"
    shape = choose_format(FORMS, "jsonl" if as_json else form, output, usual)
    if run["traces"] is not None and models > 1:
        raise UsageError(f"-n {models} does not go with --trace, which is about the best answer")
    if models > 1 and not shape.several:
        several = (form.name for form in formats.ANSWERS.values() if form.several)
        others = " or ".join(f"--format {name}" for name in several)
        found = f"-n {models} does not go with the format {shape.name}"
        raise UsageError(f"{found}, which holds one answer per pair", hint=f"Add {others}")
    setup = replace(setup, models=models, with_atoms=shape is formats.ANSWERS["atoms"])
    columns = formats.PAIRS if rows == "pairs" else formats.ALIGNMENTS
    task = partial(solve_pairs, source, setup, shape, output, columns, **run)
    if watch:
        _watch(setup.rules, task)
    task()


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
@options.format_option(formats.RATINGS, ", or ratings.")
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
    from ists_asp.rules import Purpose

    shape = choose_format(formats.RATINGS, "jsonl" if as_json else form, output, "ratings")
    if baseline is not None:
        if shape is not formats.RATINGS["ratings"]:
            raise UsageError("--baseline gives ratings only", hint="Add --format ratings")
        from ists_asp.evaluate.ratings import tokencos

        with opened(source, setup) as pairs:
            entries = chain.from_iterable(pairs.batches())
            rated = [5 * tokencos(pair) for _, pair in entries if isinstance(pair, Pair)]
        # By six decimals rounding is free.
        write_output(output, "".join(f"{rating:.6f}\n" for rating in rated))
        return
    setup.check_has(Purpose.RATING)
    solve_pairs(source, setup, shape, output, formats.RATED, **run)


@command("""
  ists-asp explain "12 killed in bus accident" "10 killed in road accident"
  ists-asp explain --table pairs.csv -o explained.csv
  ists-asp explain --engine dask --table pairs.jsonl -o explained --format jsonl
  ists-asp explain --sent1 a.txt --sent2 b.txt --profile headlines --id 3
  ists-asp explain --sent1 a.txt --sent2 b.txt --answers gold.wa -o words.txt
  ists-asp explain --json "a cat sits" "two cats sit"
  ists-asp explain "a cat sits" "two cats sit" --why 1
  ists-asp explain --language es "12 killed in bus accident" "10 killed in road accident"
""")
@options.input_options
@options.setup_options(run=True)
@options.file_option(
    "--answers", "Explain the alignments in this .wa file, from any system, instead of solving."
)
@options.option(
    "--language CODE",
    "Language of the explanation, en or es; quoted words stay as they are. Default: the profile's.",
)
@options.templates_option
@options.option(
    "--why N",
    "Show the rules behind the Nth statement about the only pair, the words it rests on, and "
    "what is said without its rule.",
    type=click.IntRange(1),
)
@options.format_option(formats.EXPLANATIONS, ", or text.")
@options.json_flag
@options.output_option()
def explain(
    source: Source,
    setup: Setup,
    answers: Path | None,
    language: str | None,
    why: int | None,
    form: str | None,
    as_json: bool,
    output: Path | None,
    **run: Any,  # noqa: ANN401 (how to run any number of pairs)
) -> None:
    """Say in words what two sentences share and how they differ.

    In: pairs of sentences, as for ists-asp solve. With --answers, alignments are read from a
    file instead of decided.

    Out: for each pair a text of a few sentences, after its id if there are several pairs. With
    --json, one object per line, which also lists the statements: each with its kind, alignments,
    tokens, and the rule behind it.
    """
    from ists_asp.engine import System
    from ists_asp.explain.templates import load_templates
    from ists_asp.rules import Purpose

    if answers is not None and run["traces"] is not None:
        raise UsageError("--trace does not go with --answers", hint="Given answers have no trace")
    if language is not None and setup.templates is not None:
        hint = "A file of templates is in one language"
        raise UsageError("--language does not go with --templates", hint=hint)
    wording = load_templates(language or setup.load_profile().language, setup.templates)
    setup.check_has(Purpose.EXPLANATION)
    if why is not None:
        if answers is not None or as_json or run["engine"] is not None:
            raise UsageError("--why goes without --answers, --json and --engine")
        question = partial(System.why_said, number=why, templates=wording)
        ask_of_pair(question, source=source, setup=setup, output=output, limited=False)
        return
    shape = choose_format(formats.EXPLANATIONS, "jsonl" if as_json else form, output, "text")
    setup = replace(setup, explained=True, language=language, answers=answers)
    solve_pairs(source, setup, shape, output, formats.EXPLAINED, **run)


def _watch(rules: Sequence[Path], task: Callable[[], None]) -> NoReturn:
    """Do some work, and again after each change of its rules, until somebody ends it."""
    if not rules:
        raise UsageError("--watch without --rules", hint="Name the rules that you change")
    before = _states(rules)
    while True:
        try:
            with suppress(click.exceptions.Exit):
                task()
        except UsageError:
            raise
        except IstsError as fault:
            # The next save may correct it.
            fail(fault)
        note("watching the rules; Ctrl-C ends")
        while (now := _states(rules)) == before:
            time.sleep(0.3)
        changed = sorted(str(path) for path in {*now, *before} if now.get(path) != before.get(path))
        before = now
        note(f"changed: {', '.join(changed)}")


def _states(rules: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    states = {}
    for rule in rules:
        for path in [rule] if rule.is_file() else rule.rglob("*"):
            # An editor may replace the file just now.
            with suppress(OSError):
                if path.suffix in {".lp", ".toml", ".tsv"}:
                    states[path] = path.stat().st_mtime_ns, path.stat().st_size
    return states
