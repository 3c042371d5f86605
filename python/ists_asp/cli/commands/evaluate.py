"""``ists-asp evaluate`` and ``ists-asp check``: answers against gold, or by themselves."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ists_asp.cli import options
from ists_asp.cli.console import reader_warnings, write_output
from ists_asp.cli.files import READ, command
from ists_asp.errors import UsageError
from ists_asp.evaluate.files import evaluate_files, read_references, render_evaluation
from ists_asp.evaluate.wa_check import check_file, render_check
from ists_asp.model import Scheme

if TYPE_CHECKING:
    from ists_asp.io.delimited import GoldScale

_MOST_NOTES = 10


@command("""
  ists-asp evaluate gold.wa out.wa
  ists-asp evaluate gold.wa out.wa --by-pair
  ists-asp evaluate gold.wa new.wa --versus old.wa --top 5
  ists-asp evaluate gold.wa out.wa --scheme 2015 --json > scores.json
  ists-asp evaluate --agreement ann/corrections ben/corrections
  ists-asp evaluate --task sts gold.tsv ratings.txt
  ists-asp evaluate --task sts marked.csv ratings.csv --gold-col Points
  ists-asp evaluate --task sts gold/ run1/ --versus run2/
""")
@click.argument("gold", type=READ, metavar="GOLD")
@click.argument("system", type=READ, metavar="SYS")
@options.choice_option(
    *("--task", "ists", "sts"),
    text="ists: chunks aligned, labelled and scored; sts: sentences rated as wholes.",
)
@options.choice_option(
    *("--scheme", "2016", "2015"),
    text="Year of the official scorer; 2015 is more lenient about wrong types.",
)
@options.option("--by-pair", "Also show the F1 of each pair (always in JSON).")
@options.option(
    "--versus SYS2",
    "Another run on the same pairs to compare with, with significance.",
    name="other",
    type=READ,
)
@options.option(
    "--agreement",
    "Compare two annotators: GOLD and SYS are .wa or .jsonl files, or folders of such.",
)
@options.gold_column
@options.gold_scale
@options.encoding_option
@options.sheet_option
@options.number_option(
    *("--top", "With --versus: best and worst pairs to show; with --agreement: worst pairs."),
    default=10,
)
@options.skip_option
@options.json_option
def evaluate(
    gold: Path,
    system: Path,
    task: str,
    scheme: str,
    by_pair: bool,
    other: Path | None,
    agreement: bool,
    column: str | None,
    scale: GoldScale | None,
    encoding: str | None,
    sheet: str | None,
    top: int,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Measure answers against a gold standard.

    In: two .wa files; pairs are matched by id; or gold and the links i-j of a word aligner, one
    line per pair, for which only the alignment is measured. With --task sts: a file with one gold
    rating per line, optionally followed by the sentences, or a table with a column of them; and
    the ratings of a run as ists-asp sts writes them. Or two folders of such files.

    Out: F1, precision and recall of alignment (Ali), type, score, and type with score
    (Typ+Sco) over all pairs, a confusion matrix of labels, and a signature that names everything
    the figures depend on. The figures equal those of the official scorers. Files that these
    refuse, and a few others, are errors; see docs/reference/formats.md. With --versus: gains over
    another run, 95 % intervals and one-tailed p of a paired bootstrap, and the pairs that gain
    and lose most. With --task sts: Pearson's, Spearman's and Kendall's correlations for each data
    set and the means weighted by pairs, with 95 % intervals; with --versus the one-tailed p of
    Fisher's z transformation. Pairs are matched by id if both files have ids. With --agreement:
    the four F1 of two annotators on the pairs of both, Cohen's kappa of the labels of common
    alignments, the agreement of chunk boundaries, and all disagreements, worst pairs first.
    """
    if agreement:
        if task == "sts" or other or by_pair:
            wrong = "--task sts, --versus and --by-pair do not go with --agreement"
            raise UsageError(wrong, hint="Leave them out")
        from ists_asp.compare import agreement as annotators

        with reader_warnings() as warn:
            both = annotators.agreement(gold, system, Scheme(scheme), warn=warn, skip_bad=skip_bad)
        write_output(None, both.as_dict() if as_json else both.text(top))
        return
    if task == "sts":
        if scheme != "2016" or by_pair:
            raise UsageError("--scheme and --by-pair do not go with --task sts")
        from ists_asp.evaluate.ratings import evaluate_ratings, render_ratings

        with reader_warnings() as warn:
            measured = partial(evaluate_ratings, encoding=encoding, sheet=sheet, scale=scale)
            ratings = measured(gold, system, other, column, warn=warn, skip_bad=skip_bad)
        write_output(None, asdict(ratings) if as_json else render_ratings(ratings))
        return
    if column or encoding or sheet or scale:
        raise UsageError("--gold-col, --gold-scale, --encoding and --sheet go with --task sts")
    with reader_warnings() as warn:
        evaluation, *others = (
            evaluate_files(gold, run, Scheme(scheme), warn=warn, skip_bad=skip_bad)
            for run in (system, other)
            if run
        )
    record, text = evaluation.as_dict(), render_evaluation(evaluation, by_pair)
    for run in others:
        from ists_asp.compare import comparison, rendering

        references = read_references(gold, skip_bad=skip_bad)
        compared = comparison.compare_runs(run, evaluation, references)
        text += f"\nSYS2 -> SYS\n{rendering.as_text(compared, None, top)}\nSYS2: {run.signature}\n"
        record["versus"] = {"signature": run.signature, **rendering.as_json(compared, None)}
        record["signature"] = f"{evaluation.signature}|{comparison.RESAMPLED}"
    write_output(None, record if as_json else f"{text}\nSignature: {record['signature']}\n")


@command("""
  ists-asp check out.wa
  ists-asp check gold.wa --stats --all-notes
  ists-asp check pilot.wa --scheme 2015
  ists-asp check out.wa --json > report.json
""")
@click.argument("file", type=READ, metavar="FILE.wa")
@options.choice_option(
    "--scheme", "2016", "2015", text="Year of the format; 2015 aligns one chunk to one chunk."
)
@options.option("--stats", "Also count labels, scores, chunks and tokens.")
@options.option("--all-notes", f"Show all notes, not only the first {_MOST_NOTES}.")
@options.json_option
@click.pass_context
def check(
    context: click.Context, file: Path, scheme: str, stats: bool, all_notes: bool, as_json: bool
) -> None:
    """Check that a file of word alignments is well formed.

    In: a .wa file.

    Out: one line per fault, with file and line; notes on oddities that are accepted; the
    verdict. The verdict is that of the official check, except that a few more faults count:
    empty files, missing ids, scores such as +3. Such faults are marked as ours. With --scheme
    2015 (the pilot), tokens of a side that are not adjacent and tokens on two lines are faults,
    too. The exit code is 0 for a correct file, 1 for an incorrect one. JSON has everything:
    faults, notes and statistics. See docs/reference/formats.md for all rules.
    """
    report = check_file(file, Scheme(scheme))
    text = render_check(report, stats, None if all_notes else _MOST_NOTES)
    write_output(None, report.as_dict() if as_json else text)
    if not report.correct:
        context.exit(1)
