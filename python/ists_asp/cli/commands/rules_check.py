"""``ists-asp rules check`` and ``ists-asp rules test``: what is wrong with rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli import options
from ists_asp.cli.console import progress, read_pairs, warn, write_output
from ists_asp.cli.files import READ, RULES, command
from ists_asp.errors import DataError, RuleError, SolveError, TraceError, UsageError
from ists_asp.io.store import Store
from ists_asp.model import Pair
from ists_asp.pipeline.source import Source
from ists_asp.resources import data_dir, rules_dir
from ists_asp.terminal import table, unbroken, visible

if TYPE_CHECKING:
    from ists_asp.engine import Setup
    from ists_asp.rules.check import Checked, Finding
    from ists_asp.rules.check.model import Program
    from ists_asp.rules.examples import Example

_MOST_NOTES = 10
_STEP = 4  # of the shipped sample pairs each fourth is enough to see most rules fire
_SENTENCES = ("sent1.txt", "sent2.txt")


@command("""
  ists-asp rules check my-rules
  ists-asp rules check my-rules --profile headlines --sample my-pairs
  ists-asp rules check extra.lp --profile images --no-sample
  ists-asp rules check my-rules --format github
""")
@click.argument("paths", nargs=-1, required=True, type=RULES, metavar="DIR...")
@options.option(
    "--profile NAME",
    "The profile that loads the rules. Repeatable. Default: all profiles of a folder with "
    "profiles/ in it, otherwise the profile default.",
    name="profiles",
    multiple=True,
)
@options.option(
    "--sample DIR",
    "Pairs to see which rules fire: a folder with sent1.txt and sent2.txt. Repeatable. "
    "Default: some of the shipped samples.",
    name="samples",
    multiple=True,
    type=READ,
)
@options.option("--no-sample", "Do not try sample pairs, which is faster.")
@options.option(
    "--all-notes",
    f"Print all notes, not only the first {_MOST_NOTES} of each kind about rules that differ "
    "from the shipped ones.",
)
@options.cache_option
@options.choice_option(
    *("--format", "text", "json", "github"),
    text="How findings are printed; --json is short for json.",
)
@options.json_flag
@options.quiet_option
@click.pass_context
def check(
    context: click.Context,
    paths: tuple[Path, ...],
    profiles: tuple[str, ...],
    samples: tuple[Path, ...],
    no_sample: bool,
    all_notes: bool,
    cache: Path | None,
    format: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check rules, and report everything that is wrong at once.

    In: rule folders or files, as for --rules.

    Out: each finding with its file, line and column, the fault, what to do, its code in brackets,
    and the line itself. Errors prevent rules from loading or change what they mean: faults of
    syntax and of directives, unsafe variables, undefined names, swapped arguments. Warnings are
    about rules without effect and one-directional ones. Notes may be intentional: evidence without
    a weight, rules that never fire for the sample pairs (not checked where there are errors). The
    last line counts them. The exit code is 1 if there are errors. To accept a finding, write
    %@allow CODE above the rule. JSON has everything; github prints annotations for its workflows.
    """
    from ists_asp.run.pool import apart

    pairs = [] if no_sample else _pairs(samples)[:: 1 if samples else _STEP]
    task = partial(_findings, paths, profiles, pairs, cache, complete=all_notes)
    with progress(None, shown=not quiet) as step:
        findings = apart(task, step=step, warn=warn)
    if as_json or format == "json":
        write_output(None, [finding.as_dict() for finding in findings])
    elif format == "github":
        write_output(None, visible("".join(f"{finding.annotation}\n" for finding in findings)))
    else:
        lines = _render(findings, None if all_notes else _MOST_NOTES)
        if not quiet:
            counts = Counter(str(finding.severity) for finding in findings)
            names = ("error", "warning", "note")
            totals = (f"{counts[name]} {name}{'s' * (counts[name] != 1)}" for name in names)
            lines.append(unbroken(f"{', '.join(map(str, paths))}: {', '.join(totals)}"))
        # Excerpts of rule files may hold anything.
        write_output(None, visible("".join(f"{line}\n" for line in lines)))
    if any(finding.severity == "error" for finding in findings):
        context.exit(1)


def _pairs(folders: Sequence[Path]) -> list[Pair]:
    pairs: list[Pair] = []
    for folder in folders or sorted((data_dir() / "samples").glob("*/")):
        sent1, sent2 = (folder / name for name in _SENTENCES)
        if not (sent1.is_file() and sent2.is_file()):
            found, expected = "this is not a folder of sample pairs", " and ".join(_SENTENCES)
            raise DataError(found, where=f"--sample {folder}", expected=expected)
        pairs += read_pairs(Source(files={"--sent1": str(sent1), "--sent2": str(sent2)}))
    return pairs


def _findings(
    paths: Sequence[Path],
    profiles: Sequence[str],
    pairs: Sequence[Pair],
    cache: Path | None,
    *,
    complete: bool,
) -> Sequence[Finding]:
    """All findings, or those but for notes about rules that are as they were shipped."""
    from ists_asp.rules.check import check_rules

    sample = partial(_sampled, paths=paths, pairs=pairs, cache=cache, complete=complete)
    store = None if cache is None else Store(cache)
    checked, findings = check_rules(paths, profiles, store=store, sample=sample if pairs else None)
    return [
        finding
        for finding in findings
        if complete or finding.severity != "note" or not checked.is_shipped(finding)
    ]


def _sampled(
    checked: Checked,
    paths: Sequence[Path],
    pairs: Sequence[Pair],
    cache: Path | None,
    complete: bool,
) -> list[Finding]:
    """Which rules never fire in the sample pairs; shipped ones only if it is to be ``complete``."""
    from ists_asp.engine import Setup, System
    from ists_asp.rules.check.names import check_sample
    from ists_asp.run.worker import counted
    from ists_asp.trace.tracer import Coverage, Tracer

    statements = list(checked.statements) if complete else checked.edited
    programs = _enough(checked, {statement.path for statement in statements})
    coverage = Coverage()
    for program in programs:
        parsed = (program.profile, checked.rules_of(program))
        setup = Setup(program.profile.name, tuple(paths), cache=cache)
        with System(setup, parsed) as system:
            try:
                rules = checked.rules_about(program, statements)
                inputs = system.facts_of(system.annotate(pairs))
                names = (rule.name for rule in rules.rules)
                for trace in counted(Tracer(rules, system.solver).fired(inputs, names)):
                    coverage.add(trace)
            except (RuleError, SolveError, TraceError) as error:
                # An error that names no rule is reported for the first.
                named = (place for place in statements if place.rule.name in str(error))
                first = next(named, statements[0])
                text = f"{program.name}, sample {error.where or 'pairs'}: {error.found}"
                hint = error.hint or "Loosen or remove it"
                return [checked.finding("no-answer", first, text, hint, first.rule.name)]
    fired, seen, clashes = coverage.fired, coverage.predicates, coverage.clashes
    return list(check_sample(checked, statements, fired, seen, clashes, len(pairs)))


def _enough(checked: Checked, paths: set[Path]) -> list[Program]:
    """Programs that load all files between them, as few as possible: weights do not matter."""
    files = {
        program: (paths & {*checked.loaded[program]}) - program.weights
        for program in checked.programs
        if program.decides
    }
    chosen: list[Program] = []
    covered: set[Path] = set()
    for program in sorted(files, key=lambda program: -len(files[program])):
        if not files[program] <= covered:
            chosen.append(program)
            covered |= files[program]
    return chosen


def _render(findings: Sequence[Finding], most: int | None) -> list[str]:
    lines = [str(finding) for finding in findings if finding.severity != "note"]
    notes = [finding for finding in findings if finding.severity == "note"]
    notes.sort(key=lambda finding: finding.kind, reverse=True)
    for kind, group in groupby(notes, key=lambda finding: finding.kind):
        alike = list(group)
        hints = {finding.hint for finding in alike}
        hint = f". {alike[0].hint}" if len(hints) == 1 else ""
        lines.append(unbroken(f"note: {alike[0].found}{hint} [{kind}]"))
        rows = [(f"{n.file}:{n.line}", n.subject, "" if hint else n.hint) for n in alike[:most]]
        lines += [f"    {line}" for line in table(rows, left=True).rstrip("\n").split("\n")]
        if most is not None and len(alike) > most:
            lines.append(f"    and {len(alike) - most} more, see --all-notes")
    return lines


_WHY = 8  # lines of the reply to why-not that are printed; JSON has all


@command("""
  ists-asp rules test
  ists-asp rules test mine.lp words.tsv --profile headlines
  ists-asp rules test my-rules --json
  ists-asp rules test --rules mine.lp
""")
@click.argument("paths", nargs=-1, type=RULES, metavar="[RULES]...")
@options.profile_options
@options.templates_option
@options.json_option
@options.quiet_option
@click.pass_context
def test(
    context: click.Context, paths: tuple[Path, ...], setup: Setup, as_json: bool, quiet: bool
) -> None:
    """Test whether the examples of rules hold, in both directions except for verdicts and points.

    In: rule files, word tables, folders of rules, or files tests.tsv; by default the shipped
    rules. Their examples, %@example "A" | "B": claim, are run with these rules, and those of
    --rules, over the shipped ones, by the profile that an example names, or --profile. A verdict,
    or a point "x" found, missing or contradicted, is claimed of an answer and a model answer:
    "A" | "B" | "question": verdict correct.

    Out: of each example that fails its file and line, the claim, what came out, and why; then
    how many hold and how many fail. The exit code is 1 if one fails. JSON has all examples.
    """
    from ists_asp.rules.source import TESTS
    from ists_asp.run.pool import apart

    shipped = rules_dir()
    user_files = (path for path in paths if path.name != TESTS)
    user_files = (path for path in user_files if not path.resolve().is_relative_to(shipped))
    task = partial(_records, paths or (shipped,), replace(setup, rules=(*setup.rules, *user_files)))
    with progress(None, shown=not quiet) as step:
        records = apart(task, step=step, warn=warn)
    failing = [record for record in records if record["failures"]]
    text = "".join(f"{line}\n" for record in failing for line in _failure_lines(record))
    if not quiet:
        passing = len(records) - len(failing)
        text += f"{passing} example{'s hold' if passing != 1 else ' holds'}, {len(failing)} fail\n"
    write_output(None, records if as_json else visible(text))
    context.exit(bool(failing))


def _records(paths: Sequence[Path], setup: Setup) -> list[dict[str, Any]]:
    from ists_asp.rules.catalogue import find_examples
    from ists_asp.run.worker import counted

    by_profile: dict[str, list[Example]] = {}
    for example in find_examples(paths, setup.store):
        by_profile.setdefault(example.profile or setup.profile, []).append(example)
    if not by_profile:
        expected = '%@example "sentence" | "sentence": claim, above a rule'
        raise UsageError("there are no examples", where=str(paths[0]), expected=expected)
    return list(counted(chain.from_iterable(starmap(partial(_tested, setup), by_profile.items()))))


def _tested(setup: Setup, profile: str, examples: Sequence[Example]) -> Iterator[dict[str, Any]]:
    from ists_asp.engine import System
    from ists_asp.run.claims import judged
    from ists_asp.run.worker import telling
    from ists_asp.solver.batch import batches

    with System(replace(setup, profile=profile)) as system, telling(system):
        for batch in batches(examples):
            yield from judged(system, batch)


def _failure_lines(record: dict[str, Any]) -> Iterator[str]:
    yield f"{record['where']}: {record['example']}"
    for number, failure in enumerate(record["failures"]):
        yield "  fails with the sentences swapped:" if failure["swapped"] else "  fails:"
        output = failure["found"].splitlines()
        for why in [] if number else failure["why"]:
            lines = why.splitlines()
            output += lines[:_WHY] + ["…"] * (len(lines) > _WHY)
        yield from (f"    {line}" for line in output)
