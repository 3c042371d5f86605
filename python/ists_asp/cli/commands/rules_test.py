"""``ists-asp rules test``: whether the examples of rules hold, both ways round."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli.console import counted, progress, rule_warnings, write_output
from ists_asp.cli.files import RULES, command
from ists_asp.cli.options import json_option, profile_options, quiet_option
from ists_asp.errors import IstsError, UsageError
from ists_asp.io.chunks import format_chunks
from ists_asp.io.formats import format_answer
from ists_asp.resources import rules_dir
from ists_asp.run.watch import isolate
from ists_asp.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ists_asp.engine import Setup, SolvedAnswer
    from ists_asp.rules.examples import Claim, Example

_WHY = 8
"""Lines of the reply to why-not that are printed; JSON has all."""


@command("""
  ists-asp rules test
  ists-asp rules test mine.lp words.tsv --profile headlines
  ists-asp rules test my-rules --json
  ists-asp rules test --rules mine.lp
""")
@click.argument("given", nargs=-1, type=RULES, metavar="[RULES]...")
@profile_options
@json_option
@quiet_option
@click.pass_context
def test(
    context: click.Context, given: tuple[Path, ...], setup: Setup, as_json: bool, quiet: bool
) -> None:
    """Test whether the examples of rules hold, both ways round.

    In: rule files, word tables, folders of rules, or files tests.tsv; by default the shipped
    rules. Their examples, %@example "A" | "B": claim, are run with these rules, and those of
    --rules, over the shipped ones, by the profile that an example names, or --profile.

    Out: of each example that fails its file and line, the claim, what came out, and why; then
    how many hold and how many fail. The exit code is 1 if one fails. JSON has all examples.
    """
    from ists_asp.rules.catalogue import find_examples
    from ists_asp.rules.source import TESTS

    isolate()
    shipped = rules_dir()
    found: dict[str, list[Example]] = {}
    for example in find_examples(given or (shipped,), setup.store):
        found.setdefault(example.profile or setup.profile, []).append(example)
    if not found:
        expected = '%@example "sentence" | "sentence": claim, above a rule'
        raise UsageError("there are no examples", where=str(given[0]), expected=expected)
    own = (one for one in given if one.name != TESTS)
    own = (one for one in own if not one.resolve().is_relative_to(shipped))
    setup = replace(setup, rules=(*setup.rules, *own))
    records: list[dict[str, Any]] = []
    with progress(sum(map(len, found.values())), shown=not quiet) as step:
        for profile, examples in found.items():
            records += counted(_tested(replace(setup, profile=profile), examples), step)
    failing = [one for one in records if one["failures"]]
    told = "".join(f"{line}\n" for one in failing for line in _told(one))
    if not quiet:
        told += f"{len(records) - len(failing)} examples hold, {len(failing)} fail\n"
    write_output(None, records if as_json else visible(told))
    context.exit(bool(failing))


def _tested(setup: Setup, examples: Sequence[Example]) -> Iterator[dict[str, Any]]:
    """The examples of a profile as JSON values, each with the ways round in which it fails."""
    from ists_asp.engine import System
    from ists_asp.engine.preparation import read_pair
    from ists_asp.explain import load_templates

    with System(setup) as system, rule_warnings(system):
        words = load_templates(system.profile.language).words
        names = [words[key].split()[-1] for key in ("first", "second")]
        runs = [
            (one, way, one.sentences[::way], one.claim.mirrored(*names) if way < 0 else one.claim)
            for one in examples
            for way in (1, -1)
        ]
        pairs = {pair: read_pair(pair[0], pair[1], one.where) for one, _, pair, _ in runs}
        answers = dict(zip(pairs, system.solve_many(pairs.values(), rated=False), strict=True))
        said, rated = (
            {pair: answers[pair] for _, _, pair, claim in runs if claim.what == what}
            for what in ("says", "rating")
        )
        texts = dict(zip(said, system.explain_many(said.values()) if said else (), strict=True))
        ratings = dict(zip(rated, system.rate_many(rated.values()) if rated else (), strict=True))
        failures: dict[Example, list[dict[str, Any]]] = {one: [] for one in examples}
        for one, way, pair, claim in runs:
            answer, text = answers[pair], texts[pair].text if pair in texts else ""
            rating = ratings[pair].value if pair in ratings else 0.0
            if not claim.holds(answer, text, rating):
                told = {"says": text, "rating": f"{rating:.3f}"}.get(claim.what)
                why = [] if told else [_why(answer, claim, ask) for ask in claim.doubts(answer)]
                failure = {"swapped": way < 0, "found": told or _found(answer, claim), "why": why}
                failures[one].append(failure)
    for one in examples:
        yield {
            "where": one.where,
            "rule": one.rule,
            "profile": setup.profile,
            "example": one.text,
            "failures": failures[one],
        }


def _found(answer: SolvedAnswer, claim: Claim) -> str:
    """The chunks that there are, or the alignments."""
    if claim.what != "chunk":
        return format_answer(answer).partition("\n")[2]
    sides = (answer.pair.sent1, answer.chunks1), (answer.pair.sent2, answer.chunks2)
    return "\n".join(format_chunks(replace(one, chunks=chunks)) for one, chunks in sides)


def _why(answer: SolvedAnswer, claim: Claim, question: str) -> str:
    try:
        return (answer.why(question) if claim.denied else answer.why_not(question)).text()
    except IstsError as fault:
        return str(fault)


def _told(record: dict[str, Any]) -> Iterator[str]:
    """An example that fails, in lines."""
    yield f"{record['where']}: {record['example']}"
    for number, one in enumerate(record["failures"]):
        yield "  fails with the sentences swapped:" if one["swapped"] else "  fails:"
        shown = one["found"].splitlines()
        for why in [] if number else one["why"]:
            lines = why.splitlines()
            shown += lines[:_WHY] + ["…"] * (len(lines) > _WHY)
        yield from (f"    {line}" for line in shown)
