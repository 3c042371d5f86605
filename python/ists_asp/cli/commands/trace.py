"""``ists-asp trace``, ``why`` and ``why-not``: which rules decided, and from which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ists_asp.cli import options
from ists_asp.cli.driver import ask_of_pair
from ists_asp.cli.files import command
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from ists_asp.trace import AskedTrace

    Layout = Mapping[str, Any]

_RATING = "rating"


@command("""
  ists-asp trace "12 killed in bus accident" "10 killed in road accident"
  ists-asp trace "a cat" "one cat" --only label:1-2:1-2 --depth 4
  ists-asp trace --sent1 a.txt --sent2 b.txt --id 12 --only align --only boundary:1:4
  ists-asp trace "a cat" "one cat" --json -o trace.json
""")
@options.input_options
@options.setup_options()
@options.option(
    "--only WHAT",
    "Decisions to show: by the tokens of both sentences, label:3-5:3-5 (also align, score, "
    "tag); by sentence and tokens, boundary:1:4 or noali:2:6; all of a kind, label; or rating. "
    "Repeatable.",
    multiple=True,
)
@options.number_option("--depth", "Depth of the tree, in rules.", default=2, least=0)
@options.option(
    "--all",
    "Show all evidence and all rules that derive an atom; by default the weightiest and the first.",
    name="everything",
)
@options.json_option
@options.output_option(".txt", ".md")
def trace(
    only: tuple[str, ...],
    depth: int,
    everything: bool,
    as_json: bool,
    **about: Any,  # noqa: ANN401 (the pair, and where the trace goes)
) -> None:
    """Show which rules decided a pair, and on which words.

    In: two sentences, or files as for ists-asp solve and --id.

    Out: for each decision a tree: its worth, the runner-up, the rules that fired for it with
    their names and places, and below them their premises. With --json, the whole graph; its
    schema is data/schema/trace.schema.json.
    """
    show = partial(_shown, only=only, depth=depth, everything=everything, as_json=as_json)
    _ask(show, only, about)


def _shown(
    trace: AskedTrace, only: Sequence[str], depth: int, *, everything: bool, as_json: bool
) -> str | dict[str, Any]:
    from ists_asp.trace import decisions, select
    from ists_asp.trace.rendering import document

    selectors = [selector for selector in only if selector != _RATING]
    taken = decisions(trace)
    wanted = [decision for selector in selectors for decision in select(taken, selector)]
    chosen = list(dict.fromkeys(wanted)) if only else taken
    if len(selectors) < len(only) and (trace.rating is None or not decisions(trace.rating)):
        hint = "Choose a profile with rules for ratings, such as sts-en"
        raise UsageError("the answer has no rating", where="--only", hint=hint)
    if not as_json:
        return trace.text(chosen, depth=depth, everything=everything)
    if only and not selectors and trace.rating is not None:
        return document(trace.rating, None, everything=everything)
    return document(trace, chosen if only else None, everything=everything)


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
@options.number_option("--depth", "Depth of the trees, in rules.", default=2, least=0)
@options.option("--all", "Show all evidence, ties and bookkeeping.", name="everything")
@options.json_option
@options.output_option(".txt", ".md")
def why(
    question: tuple[str, ...],
    depth: int,
    everything: bool,
    as_json: bool,
    **about: Any,  # noqa: ANN401 (the pair, and where the reply goes)
) -> None:
    """Show why a decision was made.

    In: two sentences, or files as for ists-asp solve and --id; and a decision of the answer
    in the form of a .wa line, by token numbers: "4 5 <==> 3 4", optionally with "// LABEL" and
    "// SCORE"; "6 <==> 0" for a chunk without a counterpart; "1: 3 4 5" for a chunk of
    sentence 1; or rating, for the rating of the pair. Words stand for their chunks: one of each
    sentence, optionally with a label, or one alone; also as the claim of an example, '"bus" ~
    "road" SIMI'. An atom of the rules works, too:
    "alike(2,2,_,_)", where _ matches anything.

    Out: the decision in a sentence, its lead over the runner-up, the evidence for and against,
    and the hard rules and constraints that forced it; for an atom, the rules that derive it and
    their premises. --json has the same as lists.
    """
    layout = None if as_json else {"depth": depth, "everything": everything}
    _ask(partial(_reply, question=question, layout=layout), question, about)


def _ask(show: Callable[[AskedTrace], object], named: Sequence[str], about: dict[str, Any]) -> None:
    """Write what is shown of a trace, which has the rating where that, or nothing, is named."""
    from ists_asp.run.worker import shown_trace

    rated = not named or _RATING in map(str.strip, named)
    ask_of_pair(partial(shown_trace, show=show, rated=rated), **about)


def _reply(
    trace: AskedTrace, question: Sequence[str], layout: Layout | None, *, negative: bool = False
) -> str | dict[str, object]:
    reasons = trace.why_not(*question) if negative else trace.why(*question)
    return reasons.to_dict() if layout is None else reasons.text(**layout)


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
    """Show why a decision was not made.

    In: as for ists-asp why, but a decision, or an atom, that the answer does not have.

    Out: everything that stands in the way: rules and constraints that forbid it, missing
    requirements, the shortfall of its evidence; or the margin by which the answer is better, and
    what would change.
    """
    show = partial(_reply, question=question, layout=None if as_json else {}, negative=True)
    _ask(show, question, about)
