"""``ists-asp why`` and ``ists-asp why-not``: questions about one decision."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ists_asp.cli import options
from ists_asp.cli.console import warn_unproven, write_output
from ists_asp.cli.files import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup, System
    from ists_asp.model import Pair
    from ists_asp.trace import AskedTrace


@command("""
  ists-asp why "12 killed in bus accident" "10 killed in road accident" "2 <==> 2"
  ists-asp why --chunked "[ a cat ] [ sleeps ]" "[ one cat ] [ naps ]" "3 <==> 3" --depth 3
  ists-asp why "12 killed in bus accident" "10 killed in road accident" bus road
  ists-asp why --sent1 a.txt --sent2 b.txt --id 12 "1: 3 4 5"
  ists-asp why --profile sts-en "a cat sleeps" "one cat sleeps" rating
  ists-asp why "a cat sleeps" "one kitten naps" "alike(2,2,_,_)"
  ists-asp why "a cat sleeps" "one cat naps" "3 <==> 3" --json -o why.json
""")
@partial(options.input_options, question=True)
@options.setup_options()
@options.number_option("--depth", text="How many rules deep the trees go.", default=2, least=0)
@click.option("--all", "everything", is_flag=True, help="Show all evidence, ties and bookkeeping.")
@options.json_option
@options.output_option(".txt", ".md")
def why(
    inputs: Inputs,
    question: tuple[str, ...],
    setup: Setup,
    depth: int,
    everything: bool,
    as_json: bool,
    output: Path | None,
) -> None:
    """Say why a decision was taken.

    In: two sentences, or files as for ists-asp solve and --id; and a decision of the answer
    as a .wa file has it, by token numbers: "4 5 <==> 3 4", with "// LABEL" and "// SCORE" or
    without; "6 <==> 0" for a chunk without a counterpart; "1: 3 4 5" for a chunk of
    sentence 1; or rating, for how similar the sentences are as wholes. An atom of the rules
    may be asked about as well, "alike(2,2,_,_)", where _ stands for anything. Words stand for
    their chunks: one of each sentence, with a label or without, or one alone.

    Out: the decision in a sentence, what it has over the runner-up, evidence for and against
    apart, and the hard rules and constraints without which it would be another one; for an
    atom the rules that derive it, and from what. --json has the same as lists.
    """

    def answer(trace: AskedTrace) -> str | dict[str, object]:
        found = trace.why(*question)
        return found.to_dict() if as_json else found.text(depth=depth, everything=everything)

    _ask(inputs, setup, question, answer, output)


@command("""
  ists-asp why-not "12 killed in bus accident" "10 killed in road accident" "1 <==> 1 // EQUI"
  ists-asp why-not --chunked "[ a cat ] [ sleeps ]" "[ one cat ] [ sleeps ]" "3 <==> 1 2"
  ists-asp why-not "12 killed in bus accident" "10 killed in road accident" bus road EQUI
  ists-asp why-not --sent1 a.txt --sent2 b.txt --id 12 "2: 3 4 5"
  ists-asp why-not "a cat sleeps" "one kitten naps" "alike(3,3,synonym,_)"
""")
@partial(options.input_options, question=True)
@options.setup_options()
@options.json_option
@options.output_option(".txt", ".md")
def why_not(
    inputs: Inputs, question: tuple[str, ...], setup: Setup, as_json: bool, output: Path | None
) -> None:
    """Say why a decision was not taken.

    In: as for ists-asp why, but a decision, or an atom, that the answer does not have.

    Out: all that stands in the way: what forbids it, what it needs, what its evidence lacks, the
    constraints that forbid it; or by how much the answer is better, and what would change.
    """

    def answer(trace: AskedTrace) -> str | dict[str, object]:
        found = trace.why_not(*question)
        return found.to_dict() if as_json else found.text()

    _ask(inputs, setup, question, answer, output)


def _ask(
    inputs: Inputs,
    setup: Setup,
    question: tuple[str, ...],
    answer: Callable[[AskedTrace], str | dict[str, object]],
    output: Path | None,
) -> None:
    from ists_asp.cli.driver import on_one

    def asked(system: System, pair: Pair) -> str | dict[str, object]:
        rated = system.rates and question[0].strip() == "rating"
        trace = next(system.trace_annotated([pair], rated=rated))
        warn_unproven(trace.answer, setup.limits.seconds)
        return answer(trace)

    write_output(output, on_one(inputs, setup, asked))
