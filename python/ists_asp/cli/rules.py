"""``ists-asp rules``: read the rules, and copy them for editing."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import note, show_json, table, warn, write_output
from ists_asp.cli.options import PATH, json_option, profile_options
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.rules import NamedRule

__all__ = ["rules"]


@click.group(
    epilog="""\b
Examples:
  ists-asp rules list --profile headlines
  ists-asp rules show may_align
  ists-asp rules copy my-rules
"""
)
def rules() -> None:
    """Read the rules that decide, and copy them for editing."""


@rules.command(
    epilog="""\b
Examples:
  ists-asp rules copy my-rules
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa
"""
)
@click.argument("target", type=PATH, metavar="DIR")
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
@click.option(
    "--stats",
    type=PATH,
    metavar="FILE",
    help="Traces of ists-asp solve --trace: says how often each rule fired for their answers.",
)
@json_option
def list_(profile: str, rules: tuple[Path, ...], stats: Path | None, as_json: bool) -> None:
    """List the rules of a profile.

    In: a profile, with or without your own rules; traces of answers, if you like.

    Out: the name of each rule, its file and line, and what it says when it fires; with
    --stats first how often it fired for the decisions of the answers.
    """
    named = _named(profile, rules)
    if stats is not None:
        from ists_asp.trace.counts import count_firings

        fired = count_firings(stats)
    if as_json:
        show_json(
            [
                _record(rule) | ({"fired": fired[rule.name]} if stats is not None else {})
                for rule in named
            ]
        )
    else:
        rows = [
            (
                *((str(fired[rule.name]),) if stats is not None else ()),
                rule.name,
                f"{rule.file}:{rule.line}",
                rule.sentence or "",
            )
            for rule in named
        ]
        write_output(None, table(rows))


@rules.command(
    epilog="""\b
Examples:
  ists-asp rules show may_align
  ists-asp rules show may_align one_label --profile images
"""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@profile_options
@json_option
def show(names: tuple[str, ...], profile: str, rules: tuple[Path, ...], as_json: bool) -> None:
    """Show rules as they are written.

    In: names of rules, as ists-asp rules list gives them.

    Out: for each its file and line, what it says when it fires, and its text.
    """
    named = {rule.name: rule for rule in _named(profile, rules)}
    for name in names:
        if name not in named:
            close = get_close_matches(name, named, n=1)
            hint = f"Did you mean '{close[0]}'?" if close else "See ists-asp rules list"
            raise UsageError(f"there is no rule '{name}'", where=f"profile {profile}", hint=hint)
    chosen = [named[name] for name in names]
    if as_json:
        show_json([_record(rule) for rule in chosen])
    else:
        write_output(None, "\n".join(map(_text, chosen)))


def _named(profile: str, rules: Sequence[Path]) -> list[NamedRule]:
    """The rules with a name, each once: the elements of one objective share theirs."""
    from ists_asp.rules import load_profile_rules

    _, loaded = load_profile_rules(profile, rules)
    for warning in loaded.warnings:
        warn(str(warning))
    found: dict[str, NamedRule] = {}
    for rule in loaded.rules:
        if rule.sentence is not None:
            found.setdefault(rule.name, rule)
    return list(found.values())


def _record(rule: NamedRule) -> dict[str, object]:
    return {
        "name": rule.name,
        "sentence": rule.sentence,
        "file": rule.file,
        "line": rule.line,
        "text": rule.text,
    }


def _text(rule: NamedRule) -> str:
    return f'% {rule.file}:{rule.line}\n%@rule {rule.name}: "{rule.sentence}"\n{rule.text}\n'
