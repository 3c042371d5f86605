"""``ists-asp chunk``: sentences in, chunks out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ists_asp.cli.files import command
from ists_asp.cli.options import input_options, output_option, setup_options

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup


@command("""
  ists-asp chunk "the bulb is on" "the bulb is lit because the switch is closed"
  ists-asp chunk --sent1 a.txt --sent2 b.txt --side 1 -o a.chunk.txt
  ists-asp chunk --tsv pairs.tsv --profile images
""")
@input_options
@setup_options()
@click.option(
    "--side",
    type=click.Choice(["1", "2"]),
    help="Only the first or the second sentence of each pair.",
)
@output_option(".txt")
def chunk(inputs: Inputs, setup: Setup, side: str | None, output: Path | None) -> None:
    """Find the chunks of sentences.

    In: pairs of sentences, as for ists-asp solve.

    Out: [ a chunk ] [ another one ], one sentence a line: the first and the second sentence
    of each pair in turn, or only those of one --side. Read the lines back with --chunked.
    """
    from ists_asp.cli.console import counted, progress, write_output
    from ists_asp.cli.driver import working
    from ists_asp.io.chunks import format_chunks

    pairs = inputs.read()
    lines: list[str] = []
    with working(setup) as run, progress(len(pairs), shown=not inputs.quiet) as step:
        known = run.system.answered(inputs.prepared(run.system, pairs))
        for answer, _ in counted(known, step):
            first = replace(answer.pair.sent1, chunks=answer.chunks1)
            second = replace(answer.pair.sent2, chunks=answer.chunks2)
            both = {"1": [first], "2": [second], None: [first, second]}
            lines += [f"{format_chunks(sentence)}\n" for sentence in both[side]]
    write_output(output, "".join(lines))
