"""``ists-asp why`` and ``ists-asp why-not``: questions about one decision."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli import options
from ists_asp.cli.files import command

if TYPE_CHECKING:
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
    question: tuple[str, ...],
    depth: int,
    everything: bool,
    as_json: bool,
    **about: Any,  # noqa: ANN401 (the pair, and where the reply goes)
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
    from ists_asp.cli.driver import show_trace

    def reply(trace: AskedTrace) -> str | dict[str, object]:
        found = trace.why(*question)
        return found.to_dict() if as_json else found.text(depth=depth, everything=everything)

    show_trace(reply, question[0].strip() == "rating", **about)


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
    question: tuple[str, ...],
    as_json: bool,
    **about: Any,  # noqa: ANN401 (the pair, and where the reply goes)
) -> None:
    """Say why a decision was not taken.

    In: as for ists-asp why, but a decision, or an atom, that the answer does not have.

    Out: all that stands in the way: what forbids it, what it needs, what its evidence lacks, the
    constraints that forbid it; or by how much the answer is better, and what would change.
    """
    from ists_asp.cli.driver import show_trace

    def reply(trace: AskedTrace) -> str | dict[str, object]:
        found = trace.why_not(*question)
        return found.to_dict() if as_json else found.text()

    show_trace(reply, question[0].strip() == "rating", **about)
