"""``ists-asp chunk``: sentences in, chunks out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import RuleWarnings, progress, write_output
from ists_asp.cli.files import Command, check_ending
from ists_asp.cli.options.common import output_option, quiet_option
from ists_asp.cli.options.input_options import input_options
from ists_asp.cli.options.system_options import system_options

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.cli.options.choice import Choice


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  ists-asp chunk "the bulb is on" "the bulb is lit because the switch is closed"
  ists-asp chunk --sent1 a.txt --sent2 b.txt --side 1 -o a.chunk.txt
  ists-asp chunk --tsv pairs.tsv --profile images
""",
)
@input_options
@system_options
@click.option(
    "--side",
    type=click.Choice(["1", "2"]),
    help="Only the first or the second sentence of each pair.",
)
@output_option()
@quiet_option
def chunk(
    inputs: Inputs,
    choice: Choice,
    side: str | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Find the chunks of sentences.

    In: pairs of sentences, as for ists-asp solve.

    Out: [ a chunk ] [ another one ], one sentence a line: the first and the second sentence
    of each pair in turn, or only those of one --side. Read the lines back with --chunked.
    """
    from ists_asp.io.chunks import format_chunks

    check_ending(output, ".txt")
    pairs = inputs.read()
    lines: list[str] = []
    with (
        choice.load() as system,
        RuleWarnings(system) as odd,
        progress(len(pairs), shown=not quiet) as step,
    ):
        for answer in system.solve_many(inputs.prepared(system, pairs)):
            first = replace(answer.pair.sent1, chunks=answer.chunks1)
            second = replace(answer.pair.sent2, chunks=answer.chunks2)
            both = {"1": [first], "2": [second], None: [first, second]}
            lines += [f"{format_chunks(sentence)}\n" for sentence in both[side]]
            odd.show()
            step()
    write_output(output, "".join(lines))
