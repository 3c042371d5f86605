"""``ists-asp rules test``: whether the examples of rules hold, both ways round."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import counted, progress, rule_warnings, write_output
from ists_asp.cli.files import RULES, command
from ists_asp.cli.options import json_option, profile_options, quiet_option
from ists_asp.errors import IstsError, UsageError
from ists_asp.resources import rules_dir
from ists_asp.io.chunks import format_chunks
from ists_asp.io.formats import format_answer
from ists_asp.run.watch import isolate
from ists_asp.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from ists_asp.engine import Setup, SolvedAnswer
    from ists_asp.model import Answer
    from ists_asp.rules.examples import Claim, Example


@command("""
  ists-asp rules test
  ists-asp rules test mine.lp words.tsv --profile headlines
  ists-asp rules test my-rules tests.tsv --json
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

    In: rule files, word tables, folders of rules, or files tests.tsv, by default the shipped
    rules. Their examples, %@example "A" | "B": claim, are run with these rules, and those of
    --rules, over the shipped ones, with the profile that an example names or --profile.

    Out: for each example that fails its file and line, the claim, what came out, and why; then
    how many hold and how many fail, in which case the exit code is 1. JSON has all of them.
    """
    from ists_asp.rules.catalogue import find_examples
    from ists_asp.rules.source import TESTS

    isolate()
    found = defaultdict[str, list[Example]](list)
    for example in find_examples(given or (rules_dir(),), setup.store):
        found[example.profile or setup.profile].append(example)
    if not found:
        expected = '%@example "sentence" | "sentence": claim, above a rule'
        raise UsageError(
            "there are no examples", where=", ".join(map(str, given)), expected=expected
        )
    own = [
        one for one in given if one.name != TESTS and not one.resolve().is_relative_to(rules_dir())
    ]
    setup = replace(setup, rules=(*setup.rules, *own))
    records = []
    with progress(sum(map(len, found.values())), shown=not quiet) as step:
        for profile, examples in found.items():
            records += counted(_tested(replace(setup, profile=profile), examples), step)
    failing = [one for one in records if one["failures"]]
    told = "".join(map(_told, failing))
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
        runs = [(one, one.sentences, one.claim) for one in examples]
        runs += [(one, one.sentences[::-1], one.claim.mirrored(*names)) for one in examples]
        pairs = {pair: read_pair(*pair, one.where) for one, pair, _ in runs}
        answers = dict(zip(pairs, system.solve_many(pairs.values()), strict=True))
        said = {pair: answers[pair] for _, pair, claim in runs if claim.says}
        rated = {pair: answers[pair] for _, pair, claim in runs if claim.sign}
        texts = dict(zip(said, system.explain_many(said.values()), strict=True))
        ratings = dict(zip(rated, system.rate_many(rated.values()), strict=True))
        failures: dict[Example, list[dict[str, Any]]] = {one: [] for one in examples}
        for one, pair, claim in runs:
            answer, text = answers[pair], texts[pair].text if claim.says else ""
            rating = ratings[pair].value if claim.sign else 0.0
            if not claim.holds(answer, text, rating):
                found = text or (f"rating {rating:.3f}" if claim.sign else _found(answer, claim))
                why = [_why(answer, claim, question) for question in claim.doubts(answer)]
                failure = {"swapped": pair != one.sentences, "found": found, "why": why}
                failures[one].append(failure)
    for one in examples:
        yield {
            "where": one.where,
            "rule": one.rule,
            "profile": setup.profile,
            "example": one.text,
            "failures": failures[one],
        }


def _found(answer: Answer, claim: Claim) -> str:
    """What came out in place of chunks or alignments."""
    if not claim.chunk:
        return format_answer(answer).partition("\n")[2]
    sides = (answer.pair.sent1, answer.chunks1), (answer.pair.sent2, answer.chunks2)
    return "\n".join(format_chunks(replace(one, chunks=chunks)) for one, chunks in sides)


def _why(answer: SolvedAnswer, claim: Claim, question: str) -> str:
    try:
        return (answer.why(question) if claim.denied else answer.why_not(question)).text()
    except IstsError as fault:
        return str(fault)


def _told(record: dict[str, Any]) -> str:
    """An example that fails, in lines."""
    lines = [f"{record['where']}: {record['rule']}: {record['example']}"]
    for failure in record["failures"]:
        lines.append("  fails with the sentences swapped" if failure["swapped"] else "  fails")
        lines += [
            f"    {line}"
            for text in (failure["found"], *failure["why"])
            for line in text.splitlines()
        ]
    return "".join(f"{line}\n" for line in lines)
