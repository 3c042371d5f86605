"""``ists-asp profiles``: which kinds of text there are rules for."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import show_json, table, write_output
from ists_asp.cli.files import RULES, Command
from ists_asp.cli.options import json_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  ists-asp profiles
  ists-asp profiles --rules my-rules --json
""",
)
@click.option(
    "--rules",
    type=RULES,
    metavar="DIR",
    help="A folder made by ists-asp rules copy, to look there.",
)
@json_option
def profiles(rules: Path | None, as_json: bool) -> None:
    """List the profiles.

    In: the shipped rules, or a copy of them.

    Out: the name of each profile, which --profile takes, its language and what it is for.
    """
    from ists_asp.rules import Purpose, list_profiles, load_profile, read_overlay

    base = read_overlay([] if rules is None else [rules]).base
    found = [load_profile(name, base) for name in list_profiles(base)]
    if as_json:
        show_json(
            [
                {
                    "name": profile.name,
                    "language": profile.language,
                    "description": profile.description,
                    **{
                        purpose: asdict(files)
                        for purpose in Purpose
                        if (files := profile.files(purpose)) is not None
                    },
                    "constants": profile.constants,
                    "scheme": str(profile.scheme),
                    "attached_punctuation": profile.attached_punctuation,
                }
                for profile in found
            ]
        )
    else:
        rows = [(profile.name, profile.language, profile.description) for profile in found]
        write_output(None, table(rows))
