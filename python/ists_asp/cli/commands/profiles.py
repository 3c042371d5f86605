"""``ists-asp profiles``: which kinds of text there are rules for."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import write_output
from ists_asp.cli.files import RULES, command
from ists_asp.cli.options import json_option
from ists_asp.terminal import table

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.rules import Profile


@command("""
  ists-asp profiles
  ists-asp profiles --rules my-rules --json
""")
@click.option(
    "--rules",
    type=RULES,
    metavar="DIR",
    help="A folder made by ists-asp rules copy to list instead.",
)
@json_option
def profiles(rules: Path | None, as_json: bool) -> None:
    """List the profiles.

    In: the shipped rules, or a copy of them.

    Out: the name of each profile (for --profile), its language and its purpose.
    """
    from ists_asp.rules import list_profiles, load_profile, read_overlay

    base = read_overlay([] if rules is None else [rules]).base
    found = [load_profile(name, base) for name in list_profiles(base)]
    rows = [(profile.name, profile.language, profile.description) for profile in found]
    write_output(None, list(map(_record, found)) if as_json else table(rows, left=True))


def _record(profile: Profile) -> dict[str, object]:
    from ists_asp.rules import Purpose

    files = {purpose: profile.files(purpose) for purpose in Purpose}
    return {
        "name": profile.name,
        "language": profile.language,
        "description": profile.description,
        **{str(purpose): asdict(some) for purpose, some in files.items() if some is not None},
        "constants": profile.constants,
        "scheme": str(profile.scheme),
        "attached_punctuation": profile.attached_punctuation,
    }
