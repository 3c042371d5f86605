"""``ists-asp check``: whether a file of word alignments is well formed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import write_output
from ists_asp.cli.files import READ, command
from ists_asp.cli.options import choice_option, json_option

if TYPE_CHECKING:
    from pathlib import Path

_MOST_NOTES = 10


@command("""
  ists-asp check out.wa
  ists-asp check gold.wa --stats --all-notes
  ists-asp check pilot.wa --scheme 2015
  ists-asp check out.wa --json > report.json
""")
@click.argument("file", type=READ, metavar="FILE.wa")
@choice_option(
    "--scheme", "2016", "2015", text="Whose format; that of 2015 is one chunk to one chunk."
)
@click.option("--stats", is_flag=True, help="Also count labels, scores, chunks and tokens.")
@click.option(
    "--all-notes", is_flag=True, help=f"All notes; otherwise only the first {_MOST_NOTES}."
)
@json_option
@click.pass_context
def check(
    context: click.Context, file: Path, scheme: str, stats: bool, all_notes: bool, as_json: bool
) -> None:
    """Check that a file of word alignments is well formed.

    In: a .wa file.

    Out: a line for each fault, with file and line; notes on what is odd but accepted; the
    verdict. It is that of the official check, but that we refuse a little more: empty files,
    missing ids, scores such as +3. Faults of that kind say that the rule is ours. With --scheme
    2015, the pilot's, it is also a fault that a side has tokens that are no neighbours, and that
    a token is on two lines. The exit code is 0 for a correct file, 1 for an incorrect one. JSON
    has everything: faults, notes and statistics. docs/reference/formats.md has all rules.
    """
    from ists_asp.evaluate.wa_check import check_file, render_check
    from ists_asp.model import Scheme

    report = check_file(file, Scheme(scheme))
    text = render_check(report, stats, None if all_notes else _MOST_NOTES)
    write_output(None, report.as_dict() if as_json else text)
    if not report.correct:
        context.exit(1)
