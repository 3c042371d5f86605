"""``ists-asp rules check``: what is wrong, or odd, about rules."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import progress, rule_warnings, write_output
from ists_asp.cli.files import READ, RULES, command
from ists_asp.cli.inputs import Inputs
from ists_asp.cli.options import cache_option, choice_option, json_flag, quiet_option
from ists_asp.errors import DataError, RuleError, SolveError, TraceError
from ists_asp.io.store import Store
from ists_asp.run.watch import isolate
from ists_asp.terminal import table, unbroken, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.model import Pair
    from ists_asp.rules.check import Checked, Finding
    from ists_asp.rules.check.checked import Program

_MOST_NOTES = 10
_STEP = 4
"""Of the shipped sample pairs each fourth is enough to see most rules fire."""

_SENTENCES = ("sent1.txt", "sent2.txt")


@command("""
  ists-asp rules check my-rules
  ists-asp rules check my-rules --profile headlines --sample my-pairs
  ists-asp rules check extra.lp --profile images --no-sample
  ists-asp rules check my-rules --format github
""")
@click.argument("given", nargs=-1, required=True, type=RULES, metavar="DIR...")
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="NAME",
    help="The profile that loads the rules. Repeatable. Default: all profiles of a folder with "
    "profiles/ in it, otherwise the profile default.",
)
@click.option(
    "--sample",
    "samples",
    multiple=True,
    type=READ,
    metavar="DIR",
    help="Pairs to see which rules fire: a folder with sent1.txt and sent2.txt. Repeatable. "
    "Default: some of the shipped samples.",
)
@click.option("--no-sample", is_flag=True, help="Decide no pairs, which is faster.")
@click.option(
    "--all-notes",
    is_flag=True,
    help=f"All notes; otherwise only the first {_MOST_NOTES} of each kind, and none about rules "
    "that are as they were shipped.",
)
@cache_option
@choice_option(
    *("--format", "text", "json", "github"),
    text="How findings are printed; --json is short for json.",
)
@json_flag
@quiet_option
@click.pass_context
def check(
    context: click.Context,
    given: tuple[Path, ...],
    profiles: tuple[str, ...],
    samples: tuple[Path, ...],
    no_sample: bool,
    all_notes: bool,
    cache: Path | None,
    format: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check rules: everything that is wrong with them at once.

    In: rule folders or files, as for --rules.

    Out: for each finding its file, line and column, what was found, what to do, and the line
    itself, and its code in brackets. Errors keep rules from being loaded or make them say what
    was not meant: faults of syntax and of directives, unsafe variables, names that exist nowhere,
    mixed up arguments. Warnings are about what has no effect, or holds in one order of the
    sentences only. Notes may be as they should be: evidence without a weight, rules that never
    fire for the sample pairs (not asked where there are errors). Last come how many there are of
    each. The exit code is 1 if there are errors. Where you mean it, write %@allow CODE above the
    rule. JSON has everything; github prints annotations for its workflows.
    """
    from ists_asp.rules.check import check_rules

    isolate()
    pairs = [] if no_sample else _pairs(samples)[:: 1 if samples else _STEP]

    def sample(checked: Checked) -> list[Finding]:
        return _sampled(checked, given, pairs, cache, quiet=quiet, every=all_notes)

    store = None if cache is None else Store(cache)
    checked, findings = check_rules(given, profiles, store=store, sample=sample if pairs else None)
    if not all_notes:
        findings = tuple(
            one for one in findings if one.severity != "note" or not checked.is_shipped(one)
        )
    if as_json or format == "json":
        write_output(None, [one.as_dict() for one in findings])
    elif format == "github":
        write_output(None, visible("".join(f"{one.annotation}\n" for one in findings)))
    else:
        lines = _render(findings, None if all_notes else _MOST_NOTES)
        if not quiet:
            counts = Counter(str(one.severity) for one in findings)
            names = ("error", "warning", "note")
            told = (f"{counts[name]} {name}{'s' * (counts[name] != 1)}" for name in names)
            lines.append(unbroken(f"{', '.join(map(str, given))}: {', '.join(told)}"))
        # Excerpts of rule files may hold anything.
        write_output(None, visible("".join(f"{line}\n" for line in lines)))
    if any(one.severity == "error" for one in findings):
        context.exit(1)


def _pairs(folders: Sequence[Path]) -> list[Pair]:
    """The sample pairs."""
    from ists_asp.resources import data_dir

    found: list[Pair] = []
    for folder in folders or sorted((data_dir() / "samples").glob("*/")):
        sent1, sent2 = (folder / name for name in _SENTENCES)
        if not (sent1.is_file() and sent2.is_file()):
            raise DataError(
                "this is no folder of sample pairs",
                where=f"--sample {folder}",
                expected=" and ".join(_SENTENCES),
            )
        found += Inputs(files={"--sent1": str(sent1), "--sent2": str(sent2)}).read()
    return found


def _sampled(
    checked: Checked,
    given: Sequence[Path],
    pairs: Sequence[Pair],
    cache: Path | None,
    *,
    quiet: bool,
    every: bool,
) -> list[Finding]:
    """What the sample pairs tell: which rules never fire; clingo's warnings are printed.

    Of rules that are as they were shipped only if ``every`` one is asked about.
    """
    from ists_asp.engine import Setup, System
    from ists_asp.rules.check.predicates import check_sample
    from ists_asp.trace.reified import ReifiedRules
    from ists_asp.trace.tracer import Coverage, coverage

    asked = list(checked.statements) if every else checked.edited
    programs = _enough(checked, {one.path for one in asked})
    found = Coverage()
    with progress(len(programs) * len(pairs), shown=not quiet) as step:
        for program in programs:
            parsed = (program.profile, checked.rules_of(program))
            with (
                System(Setup(program.profile.name, tuple(given), cache=cache), parsed) as system,
                rule_warnings(system),
            ):
                try:
                    rules = checked.asked_in(program, asked)
                    known = system.known(system.annotate(pairs))
                    for one in coverage(ReifiedRules(rules, system.solver), known):
                        found |= one
                        step()
                except (RuleError, SolveError, TraceError) as error:
                    error.where = f"{program.name}, sample {error.where or 'pairs'}"
                    raise
    return list(check_sample(checked, asked, found.fired, found.seen, found.clashes, len(pairs)))


def _enough(checked: Checked, own: set[Path]) -> list[Program]:
    """Programs that load all files between them, as few as possible: weights do not matter."""
    files = {
        program: (own & {*checked.loaded[program]}) - program.weights
        for program in checked.programs
        if program.decides
    }
    chosen: list[Program] = []
    covered: set[Path] = set()
    for program in sorted(files, key=lambda one: -len(files[one])):
        if not files[program] <= covered:
            chosen.append(program)
            covered |= files[program]
    return chosen


def _render(findings: Sequence[Finding], most: int | None) -> list[str]:
    """The findings as lines, notes of a kind together."""
    lines = [str(one) for one in findings if one.severity != "note"]
    notes = [one for one in findings if one.severity == "note"]
    notes.sort(key=lambda one: one.kind, reverse=True)
    for _, group in groupby(notes, key=lambda one: one.kind):
        same = list(group)
        hints = {one.hint for one in same}
        told = f"note: {same[0].found}" + (f". {same[0].hint}" if len(hints) == 1 else "")
        told += f" [{same[0].kind}]"
        lines.append(unbroken(told))
        rows = [
            (f"{one.file}:{one.line}", one.subject, "" if len(hints) == 1 else one.hint)
            for one in same[:most]
        ]
        lines += [f"    {line}" for line in table(rows, left=True).rstrip("\n").split("\n")]
        if most is not None and len(same) > most:
            lines.append(f"    and {len(same) - most} more, see --all-notes")
    return lines
