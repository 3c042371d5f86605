"""``ists-asp rules``: read the rules, and copy them for editing."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ists_asp.cli.commands.rules_ablate import ablate
from ists_asp.cli.commands.rules_check import check
from ists_asp.cli.console import note, show_json, warn, write_output
from ists_asp.cli.files import OUTPUTS, READ, Group
from ists_asp.cli.jobs.rule_texts import listing, record, source
from ists_asp.cli.options.common import json_option
from ists_asp.cli.options.completion import complete_rule
from ists_asp.cli.options.system_options import cache_option, profile_options, reader_option
from ists_asp.errors import UsageError
from ists_asp.sandbox.guard import isolate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.rules import ListedRule


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  ists-asp rules list --profile headlines
  ists-asp rules show may_align
  ists-asp rules copy my-rules
  ists-asp rules check my-rules
""",
)
def rules() -> None:
    """Read the rules that decide, copy and check them, see what each is worth."""


rules.add_command(check)
rules.add_command(ablate)


@rules.command(
    epilog="""\b
Examples:
  ists-asp rules copy my-rules
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa
"""
)
@click.argument("target", type=OUTPUTS, metavar="DIR")
def copy(target: Path) -> None:
    """Copy the shipped rules to a new or empty folder.

    In: the name of the folder.

    Out: the folder, with all rule files, weights and profiles. Edit them, and give the
    folder to any command with --rules.
    """
    from ists_asp.rules import copy_rules

    files = copy_rules(target)
    note(f"{len(files)} files copied to {target}: edit them, then run with --rules {target}")


@rules.command(
    "list",
    epilog="""\b
Examples:
  ists-asp rules list
  ists-asp rules list --profile headlines --rules my-rules
  ists-asp rules list --json
  ists-asp rules list --profile headlines --stats traces.jsonl
""",
)
@profile_options
@reader_option
@click.option(
    "--stats",
    type=READ,
    metavar="FILE",
    help="Traces of ists-asp solve --trace: says how often each rule fired for their answers.",
)
@cache_option
@json_option
def list_(
    profile: str,
    rules: tuple[Path, ...],
    reader: str | None,
    cache: Path | None,
    stats: Path | None,
    as_json: bool,
) -> None:
    """List the rules of a profile.

    In: a profile, with or without your own rules; traces of answers, if you like.

    Out: for each rule three lines: its name, its file and line, and whether it is for the
    answer, its explanation, or both; what it says when it fires; and, if it makes evidence,
    their strongest weights, in hundredths of log-odds. With --stats first how often it fired
    for the decisions of the answers (- for rules of the explanation, which are not counted); of
    hard rules, constraints and preferences, how many answers would be others without them.
    --json has all weights.
    """
    listed = _listed(profile, rules, reader, cache)
    counts = None
    if stats is not None:
        from ists_asp.trace.counts import count_firings

        counts = count_firings(stats)
    if as_json:
        show_json([record(one, counts) for one in listed])
    else:
        write_output(None, listing(listed, counts))


@rules.command(
    epilog="""\b
Examples:
  ists-asp rules show may_align
  ists-asp rules show may_align one_label --profile images
  ists-asp rules show adds_modifier --profile headlines
  ists-asp rules show sentences_near --profile sts-es --reader use
"""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_rule)
@profile_options
@reader_option
@cache_option
@json_option
def show(
    names: tuple[str, ...],
    profile: str,
    rules: tuple[Path, ...],
    reader: str | None,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Show rules as they are written, with their weights.

    In: names of rules, as ists-asp rules list gives them, or of evidence that has weights, as
    ists-asp why gives it in brackets: all rules that find it.

    Out: for each rule its file and line, what it says when it fires, and its text; if it makes
    what that weighs for which decision, strongest first, in hundredths of log-odds.
    """
    listed = _listed(profile, rules, reader, cache)
    found: dict[str, list[ListedRule]] = {}
    for one in listed:
        found.setdefault(one.rule.name, []).append(one)
    for name, finding in _by_evidence(listed).items():
        found.setdefault(name, finding)
    known = list(found)
    for name in names:
        if name not in found:
            close = get_close_matches(name, known, n=1)
            hint = f"Did you mean '{close[0]}'?" if close else "See ists-asp rules list"
            raise UsageError(f"there is no rule '{name}'", where=f"profile {profile}", hint=hint)
    chosen = list(dict.fromkeys(one for name in names for one in found[name]))
    if as_json:
        show_json([record(one) for one in chosen])
    else:
        write_output(None, "\n".join(map(source, chosen)))


def _by_evidence(listed: Sequence[ListedRule]) -> dict[str, list[ListedRule]]:
    """The rules that find evidence of a name, among those whose evidence has weights."""
    found: dict[str, dict[ListedRule, None]] = {}
    for one in listed:
        for weight in one.weights or ():
            for name in (weight.evidence, weight.evidence.partition("(")[0]):
                found.setdefault(name, {})[one] = None
    return {name: list(rules) for name, rules in found.items()}


def _listed(
    profile: str, rules: Sequence[Path], reader: str | None, cache: Path | None
) -> Sequence[ListedRule]:
    from ists_asp.io.store import Store
    from ists_asp.rules import list_rules

    if rules:
        isolate()
    store = None if cache is None else Store(cache)
    found = list_rules(profile, rules, reader=reader is not None, store=store)
    for warning in found.warnings:
        warn(str(warning))
    return found.rules
