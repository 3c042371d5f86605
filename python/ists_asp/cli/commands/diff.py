"""``ists-asp diff``: two sets of rules, or two outputs, side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ists_asp.cli import options
from ists_asp.cli.console import Failures, read_gold, read_pairs, reader_warnings, write_output
from ists_asp.cli.driver import working
from ists_asp.cli.files import RULES, command
from ists_asp.errors import UsageError
from ists_asp.pipeline.source import Source, no_such_pair

if TYPE_CHECKING:
    from ists_asp.compare import Answered, Edit, WeightEdits
    from ists_asp.compare.causes import Both
    from ists_asp.engine import Setup, System
    from ists_asp.model import Pair


@command("""
  ists-asp diff shipped my-rules --profile headlines --sent1 a.txt --sent2 b.txt
  ists-asp diff old-rules new-rules --sent1 a.txt --sent2 b.txt --gold gold.wa
  ists-asp diff shipped my-rules "a cat sleeps" "one cat naps"
  ists-asp diff old.wa new.wa --gold gold.wa --top 5
  ists-asp diff old.jsonl new.jsonl --json -o diff.json
""")
@click.argument("old", type=RULES, metavar="OLD")
@click.argument("new", type=RULES, metavar="NEW")
@partial(options.input_options, optional=True)
@options.setup_options()
@options.templates_option
@options.file_option(
    "--gold", "Show the gain in each official measure, by the alignments in this .wa file."
)
@options.number_option(
    "--top", "Number of pairs to show; with --gold, of the best and of the worst.", default=10
)
@options.option("--all", "Show every pair that changed.", name="everything")
@options.option("--wholes", "Compare ratings and explanations, too, which takes longer.")
@options.json_option
@options.output_option(".txt", ".md")
def diff(
    old: Path,
    new: Path,
    source: Source,
    setup: Setup,
    gold: Path | None,
    top: int,
    everything: bool,
    wholes: bool,
    as_json: bool,
    output: Path | None,
) -> None:
    """Show what changes between two sets of rules, or two outputs.

    In: two rule folders (or files, as for --rules; "shipped" names the shipped rules) and pairs
    as for ists-asp solve; or two outputs of ists-asp solve, .wa or .jsonl.

    Out: the pairs that change, decision by decision: chunks, alignments, labels, scores; two
    outputs, or rules with --wholes, by their ratings and explanations, too. For
    rules, also the edits, and the edits behind each change: rules that fire in one set only, and
    changed weights with their effect in hundredths of log-odds. For a new rule without effect,
    whether it fired and what it lacks. With --gold, the gain or loss in the four official
    measures, overall and per pair, best and worst pairs first. JSON has everything.
    """
    from ists_asp.compare import compare
    from ists_asp.compare.rendering import as_json as record
    from ists_asp.compare.rendering import as_text

    _check(old, new, source, setup)
    right = None if gold is None else read_gold(gold, skip_bad=source.skip_bad)
    failures, count = Failures(), 0
    causes = edits = None
    if not source.has_input:
        before, after = _outputs(old, new, source)
    else:
        pairs = read_pairs(source, replace(setup, rules=_overlay(old)))
        results, edits, failures = _rules(old, new, source, setup, pairs, wholes)
        count = len(pairs)
        if failures.count == count:
            failures.end(count)
        before = {both.old.pair.id: both.old for both in results}
        after = {both.new.pair.id: both.new for both in results}
        causes = {both.new.pair.id: both.causes for both in results if both.causes}
    comparison = compare(before, after, right, causes)
    most = None if everything else top
    write_output(output, record(comparison, edits) if as_json else as_text(comparison, edits, most))
    failures.end(count)


def _check(old: Path, new: Path, source: Source, setup: Setup) -> None:
    """Refuse what is neither two sets of rules and pairs, nor two outputs alone."""
    written = [path for path in (old, new) if path.suffix in (".wa", ".jsonl")]
    if len(written) == 1:
        expected = "two rule folders, or two outputs (.wa or .jsonl)"
        raise UsageError(f"{written[0]} is an output, the other is not", expected=expected)
    if written and source.has_input:
        raise UsageError("two outputs need no sentences", hint="Leave them out")
    if not written and not source.has_input:
        expected = "two sentences, --table FILE, or --sent1 F1 --sent2 F2"
        raise UsageError("there are no pairs to decide by these rules", expected=expected)
    if setup.rules:
        raise UsageError("--rules does not go with OLD and NEW, which are the rules")


def _outputs(old: Path, new: Path, source: Source) -> Sequence[Mapping[str, Answered]]:
    from ists_asp.compare import read_answered

    with reader_warnings() as repaired:
        read = partial(read_answered, warn=repaired, skip_bad=source.skip_bad)
        runs = [read(path) for path in (old, new)]
    if (identifier := source.identifier) is None:
        return runs
    for run in runs:
        if identifier not in run:
            raise no_such_pair(identifier, list(run))
    return [{identifier: run[identifier]} for run in runs]


def _overlay(path: Path) -> tuple[Path, ...]:
    return () if str(path) == "shipped" else (path,)


def _rules(
    old: Path, new: Path, source: Source, setup: Setup, pairs: Sequence[Pair], wholes: bool
) -> tuple[list[Both], tuple[Sequence[Edit], WeightEdits], Failures]:
    from ists_asp.compare.causes import LOOKED, with_effects
    from ists_asp.solver.batch import BATCH

    before, after = map(_overlay, (old, new))
    with working(replace(setup, rules=before)) as run:
        edits, weights = run.ask(partial(_edits, rules=after))
        annotated = run.annotated(pairs)
        looked = frozenset(pair.id for pair in annotated[:LOOKED])
        question = partial(_both, rules=after, looked=looked, wholes=wholes)
        results = run.ask_each(annotated, question, size=BATCH, quiet=source.quiet, searching=True)
        done = [both for _, both in results if not isinstance(both, str)]
        return done, (with_effects(edits, done), weights), run.failures


def _edits(system: System, rules: tuple[Path, ...]) -> tuple[Sequence[Edit], WeightEdits]:
    from ists_asp.compare import find_edits
    from ists_asp.run.worker import telling, with_rules

    other = with_rules(system, rules)
    with telling(other):
        return find_edits(system.rules, other.load().rules)


def _both(
    system: System,
    pairs: Sequence[Pair],
    rules: tuple[Path, ...],
    looked: Collection[str],
    wholes: bool,
) -> Iterator[Both]:
    from ists_asp.compare import run_both
    from ists_asp.run.worker import counted, telling, with_rules

    other = with_rules(system, rules)
    with telling(other):
        yield from counted(run_both(system, other, pairs, looked, wholes=wholes))
