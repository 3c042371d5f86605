"""``ists-asp rules``: read the rules, and copy them for editing."""

from __future__ import annotations

import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ists_asp.cli.commands.rules_ablate import ablate
from ists_asp.cli.commands.rules_check import check
from ists_asp.cli.commands.rules_test import test
from ists_asp.cli.console import note, warn, write_output
from ists_asp.cli.files import OUTPUTS, command, group
from ists_asp.cli.options import json_option, profile_options
from ists_asp.errors import UsageError
from ists_asp.run.watch import isolate
from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.engine import Setup
    from ists_asp.rules.catalogue import ListedRule
    from ists_asp.rules.weights import Weight


_WIDTH = 100
_INDENT = "    "
_TOLD = 4
"""Weights that are listed with a rule."""


@group("""
  ists-asp rules list --profile headlines
  ists-asp rules show may_align
  ists-asp rules copy my-rules
  ists-asp rules check my-rules
  ists-asp rules test mine.lp
""")
def rules() -> None:
    """Read the rules that decide, copy, check and test them, see what each is worth."""


@command("""
  ists-asp rules copy my-rules
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa
""")
@click.argument("target", type=OUTPUTS, metavar="DIR")
def copy(target: Path) -> None:
    """Copy the shipped rules to a new or empty folder.

    In: the name of the folder.

    Out: the folder, with all rule files, weights and profiles. Edit them, and give the
    folder to any command with --rules.
    """
    from ists_asp.rules.catalogue import copy_rules

    files = copy_rules(target)
    note(f"{len(files)} files copied to {target}: edit them, then run with --rules {target}")


@command("""
  ists-asp rules list
  ists-asp rules list --profile headlines --rules my-rules
  ists-asp rules list --json
""")
@profile_options
@json_option
def list_command(setup: Setup, as_json: bool) -> None:
    """List the rules of a profile.

    In: a profile, with or without your own rules.

    Out: for each rule three lines: its name, its file and line, and whether it is for the
    answer, its explanation, or both; what it says when it fires; and, if it makes evidence,
    their strongest weights, in hundredths of log-odds. --json has all weights.
    """
    listed = _listed(setup)
    write_output(None, list(map(_record, listed)) if as_json else _listing(listed))


@command("""
  ists-asp rules show may_align
  ists-asp rules show may_align one_label --profile images
  ists-asp rules show adds_modifier --profile headlines
  ists-asp rules show sentences_near --profile sts-es --reader use
""")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@profile_options
@json_option
def show(names: tuple[str, ...], setup: Setup, as_json: bool) -> None:
    """Show rules as they are written, with their weights.

    In: names of rules, as ists-asp rules list gives them, or of evidence that has weights, as
    ists-asp why gives it in brackets: all rules that find it.

    Out: for each rule its file and line, its examples, what it says when it fires, and its text;
    if it makes evidence, what that weighs for which decision, in hundredths of log-odds.
    """
    listed = _listed(setup)
    found = _by_name(listed)
    for name in names:
        if name not in found:
            close = get_close_matches(name, found, n=1)
            hint = f"Did you mean '{close[0]}'?" if close else "See ists-asp rules list"
            raise UsageError(
                f"there is no rule '{name}'", where=f"profile {setup.profile}", hint=hint
            )
    chosen = list(dict.fromkeys(one for name in names for one in found[name]))
    write_output(None, list(map(_record, chosen)) if as_json else "\n".join(map(_source, chosen)))


for _command in (copy, list_command, show, check, test, ablate):
    rules.add_command(_command)


def _by_name(listed: Sequence[ListedRule]) -> dict[str, list[ListedRule]]:
    """The rules by their names; by other names those that find evidence of it, with weights."""
    found: dict[str, list[ListedRule]] = {}
    for one in listed:
        found.setdefault(one.rule.name, []).append(one)
    finding: dict[str, dict[ListedRule, None]] = {}
    for one in listed:
        for weight in one.weights or ():
            for name in (weight.evidence, weight.evidence.partition("(")[0]):
                finding.setdefault(name, {})[one] = None
    return {name: list(rules) for name, rules in finding.items()} | found


def _listed(setup: Setup) -> Sequence[ListedRule]:
    from ists_asp.rules.catalogue import list_rules

    if setup.rules:
        isolate()
    rules, warnings = list_rules(setup.profile, setup.rules, reader=setup.reader, store=setup.store)
    for warning in warnings:
        warn(str(warning))
    return rules


def _listing(rules: Sequence[ListedRule]) -> str:
    """Rules in a few lines each, no wider than 100 columns unless a name or path is."""
    names = max((len(one.rule.name) for one in rules), default=0)
    places = max((len(_place(one)) for one in rules), default=0)
    lines = []
    for one in rules:
        lines.append(f"{one.rule.name:<{names}}  {_place(one):<{places}}  {one.use}")
        lines += textwrap.wrap(
            one.rule.sentence or "",
            _WIDTH,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_on_hyphens=False,
        )
        if one.weights is not None:
            lines.append(_INDENT + _strongest(one.weights, _WIDTH - len(_INDENT)))
    return "".join(f"{line}\n" for line in lines)


def _source(one: ListedRule) -> str:
    """A rule as it is written, and its weights as comments."""
    rule = one.rule
    use = "answer and explanation" if one.use == "both" else one.use
    lines = [f"% {_place(one)} ({use})"]
    lines += [f"%@example {text}" for _, text in rule.examples]
    lines += [f'%@rule {rule.name}: "{rule.sentence}"', rule.text]
    if one.weights is not None:
        count = len(one.weights)
        lines.append(f"% {count} weight{'s' * (count != 1)}{':' * (count > 0)}")
        width = max((len(weight.decision) for weight in one.weights), default=0)
        lines += [
            f"% {weight.value:+5}  {weight.decision:<{width}}  {weight.evidence}"
            for weight in one.weights
        ]
    return "".join(f"{line}\n" for line in lines)


def _record(one: ListedRule) -> dict[str, object]:
    """A rule as JSON."""
    fields = ("name", "sentence", "file", "line")
    return {
        **{field: getattr(one.rule, field) for field in fields},
        "use": one.use,
        "text": one.rule.text,
        "examples": [text for _, text in one.rule.examples],
        "weights": one.weights
        and [
            {"evidence": weight.evidence, "decision": weight.decision, "weight": weight.value}
            for weight in one.weights
        ],
    }


def _place(one: ListedRule) -> str:
    return unbroken(f"{one.rule.file}:{one.rule.line}")


def _strongest(weights: Sequence[Weight], width: int) -> str:
    """The strongest weights, as many as fit, and how many there are besides."""
    if not weights:
        return "no weights"
    several = len({weight.evidence for weight in weights}) > 1
    told = [
        f"{weight.decision} {weight.value:+}" + (f" {weight.evidence}" if several else "")
        for weight in weights
    ]
    for number in range(min(len(told), _TOLD), 0, -1):
        more = len(told) - number
        text = ", ".join(told[:number]) + (f" … ({more} more)" if more else "")
        if len(text) <= width:
            break
    return text
