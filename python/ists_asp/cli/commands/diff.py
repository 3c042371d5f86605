"""``ists-asp diff``: two sets of rules, or two outputs, side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ists_asp.cli import options
from ists_asp.cli.console import RuleWarnings, reader_warnings, write_output
from ists_asp.cli.files import READ, RULES, command
from ists_asp.cli.inputs import chosen
from ists_asp.errors import UsageError
from ists_asp.run.watch import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.compare import Comparison, Edit, WeightEdits
    from ists_asp.compare.comparison import Both
    from ists_asp.engine import Setup
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Pair

_OUTPUTS = (".wa", ".jsonl")
_SHIPPED = "shipped"


@command("""
  ists-asp diff shipped my-rules --profile headlines --sent1 a.txt --sent2 b.txt
  ists-asp diff old-rules new-rules --sent1 a.txt --sent2 b.txt --gold gold.wa
  ists-asp diff shipped my-rules "a cat sleeps" "one cat naps"
  ists-asp diff old.wa new.wa --gold gold.wa --top 5
  ists-asp diff old.jsonl new.jsonl --json -o diff.json
""")
@click.argument("old", type=RULES, metavar="OLD")
@click.argument("new", type=RULES, metavar="NEW")
@options.optional_input_options
@options.setup_options()
@options.id_option
@click.option(
    "--gold",
    type=READ,
    metavar="FILE",
    help="Say what each of the official measures gains, by the alignments in this .wa file.",
)
@options.number_option(
    "--top", "Tell so many pairs: with --gold so many of the best and of the worst.", default=10
)
@click.option("--all", "everything", is_flag=True, help="Tell all pairs that have changed.")
@options.json_option
@options.output_option(".txt", ".md")
@options.quiet_option
def diff(
    old: Path,
    new: Path,
    inputs: Inputs | None,
    setup: Setup,
    identifier: str | None,
    gold: Path | None,
    top: int,
    everything: bool,
    as_json: bool,
    output: Path | None,
    quiet: bool,
) -> None:
    """Show what changes between two sets of rules, or two outputs.

    In: two rule folders (or files, as for --rules; "shipped" for those that come along) and
    pairs as for ists-asp solve; or two outputs of ists-asp solve, .wa or .jsonl.

    Out: the pairs that change, decision by decision: chunks, alignments, labels, scores. Of
    rules also how they differ, and for each change which of them are responsible: those that
    fire by one set only, and weights that differ, with what they move, in hundredths of
    log-odds. With --gold what the four official measures gain or lose, over all pairs and for
    each, best and worst pairs first. JSON has everything.
    """
    from ists_asp.cli.console import end_with_failed
    from ists_asp.compare import compare
    from ists_asp.compare.rendering import as_json as record
    from ists_asp.compare.rendering import as_text

    of_rules = _of_rules(old, new, inputs, setup)
    right = _gold(gold)
    edits = None
    failed: list[Failed] = []
    if of_rules:
        assert inputs is not None
        pairs = inputs.read(identifier)
        results, edits = _rules(old, new, inputs, setup, pairs, quiet)
        failed = [one for one in results if isinstance(one, Failed)]
        done = {one.new.pair.id: one for one in results if not isinstance(one, Failed)}
        if not done:
            end_with_failed(failed, len(pairs))
        comparison = compare(
            {identifier: one.old for identifier, one in done.items()},
            {identifier: one.new for identifier, one in done.items()},
            right,
            {identifier: one.causes for identifier, one in done.items() if one.causes},
        )
    else:
        comparison = _outputs(old, new, identifier, right)
    if as_json:
        write_output(output, record(comparison, edits))
    else:
        write_output(output, as_text(comparison, edits, None if everything else top))
    end_with_failed(failed, len(failed) + comparison.count)


def _of_rules(old: Path, new: Path, inputs: Inputs | None, setup: Setup) -> bool:
    """Whether rules are compared, rather than outputs."""
    written = [path for path in (old, new) if path.suffix in _OUTPUTS]
    if len(written) == 1:
        raise UsageError(
            f"{written[0]} is an output, the other is not",
            expected="two rule folders, or two outputs (.wa or .jsonl)",
        )
    if written and inputs is not None:
        raise UsageError("two outputs need no sentences", hint="Leave them out")
    if not written and inputs is None:
        raise UsageError(
            "there are no pairs to decide by these rules",
            expected="two sentences, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE",
        )
    if setup.rules:
        raise UsageError("--rules does not go with OLD and NEW, which are the rules")
    return not written


def _gold(path: Path | None) -> Mapping[str, Reference] | None:
    if path is None:
        return None
    from ists_asp.evaluate.files import read_references

    with reader_warnings() as warn:
        return read_references(path, warn=warn)


def _outputs(
    old: Path, new: Path, identifier: str | None, gold: Mapping[str, Reference] | None
) -> Comparison:
    from ists_asp.compare import compare, read_answered

    with reader_warnings() as warn:
        before, after = (read_answered(path, warn=warn) for path in (old, new))
    if identifier is not None:
        for run in (before, after):
            chosen([one.pair for one in run.values()], identifier)
        before, after = ({identifier: run[identifier]} for run in (before, after))
    return compare(before, after, gold)


def _rules(
    old: Path, new: Path, inputs: Inputs, setup: Setup, pairs: Sequence[Pair], quiet: bool
) -> tuple[list[Both | Failed], tuple[Sequence[Edit], WeightEdits]]:
    from ists_asp.cli.driver import working
    from ists_asp.compare import find_edits
    from ists_asp.compare.comparison import run_both
    from ists_asp.engine import System

    first, second = (
        replace(setup, rules=() if str(path) == _SHIPPED else (path,)) for path in (old, new)
    )
    with working(first) as run, System(second).load() as after, RuleWarnings(after):
        before = run.system
        inputs.warn_untokenized(before, pairs)
        results = run.on_each(
            pairs,
            lambda some: run_both(before, after, inputs.tokenized(before, some)),
            lambda pair: pair,
            quiet=quiet,
        )
        return list(results), find_edits(before.rules, after.rules)
