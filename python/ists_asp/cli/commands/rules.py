"""``ists-asp rules``: read the rules, and copy them for editing."""

from __future__ import annotations

import textwrap
from collections import Counter
from difflib import get_close_matches
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from ists_asp.cli import options
from ists_asp.cli.commands.rules_ablate import ablate
from ists_asp.cli.commands.rules_check import check
from ists_asp.cli.commands.rules_test import test
from ists_asp.cli.console import note, warn, write_output
from ists_asp.cli.files import OUTPUTS, command, group
from ists_asp.cli.options import json_option, profile_options
from ists_asp.errors import UsageError, shortened
from ists_asp.run.watch import Failed, isolate
from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup, System
    from ists_asp.model import Pair
    from ists_asp.rules.catalogue import ListedRule
    from ists_asp.rules.weights import Weight
    from ists_asp.trace.effects import Effect


_WIDTH = 100
_INDENT = "    "
_TOLD = 4
"""Weights that are listed with a rule."""

_FOUND = 5
"""Lines of a kind that are shown of all that have a word."""


@group("""
  ists-asp rules list --profile headlines
  ists-asp rules show may_align
  ists-asp rules find weekday
  ists-asp rules where same_kind "a cat sleeps" "one cat naps"
  ists-asp rules copy my-rules
  ists-asp rules check my-rules
  ists-asp rules test mine.lp
""")
def rules() -> None:
    """Read the rules that decide, copy, check and test them, see what each is worth."""


@command("""
  ists-asp rules copy my-rules
  ists-asp solve --sent1 a.txt --sent2 b.txt --rules my-rules -o out.wa
""")
@click.argument("target", type=OUTPUTS, metavar="DIR")
def copy(target: Path) -> None:
    """Copy the shipped rules to a new or empty folder.

    In: the name of the folder.

    Out: the folder, with all rule files, weights and profiles. Edit them, and give the
    folder to any command with --rules.
    """
    from ists_asp.rules.catalogue import copy_rules

    files = copy_rules(target)
    note(f"{len(files)} files copied to {target}: edit them, then run with --rules {target}")


@command("""
  ists-asp rules list
  ists-asp rules list --profile headlines --rules my-rules
  ists-asp rules list --json
""")
@profile_options
@json_option
def list_command(setup: Setup, as_json: bool) -> None:
    """List the rules of a profile.

    In: a profile, with or without your own rules.

    Out: for each rule three lines: its name, its file and line, and whether it is for the
    answer, its explanation, or both; what it says when it fires; and, if it makes evidence,
    their strongest weights, in hundredths of log-odds. --json has all weights.
    """
    listed = _listed(setup)
    write_output(None, list(map(_record, listed)) if as_json else _listing(listed))


@command("""
  ists-asp rules show may_align
  ists-asp rules show may_align one_label --profile images
  ists-asp rules show adds_modifier --profile headlines
  ists-asp rules show sentences_near --profile sts-es --reader use
""")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@profile_options
@json_option
def show(names: tuple[str, ...], setup: Setup, as_json: bool) -> None:
    """Show rules as they are written, with their weights.

    In: names of rules, as ists-asp rules list gives them, or of evidence that has weights, as
    ists-asp why gives it in brackets: all rules that find it.

    Out: for each rule its file and line, its examples, what it says when it fires, and its text;
    if it makes evidence, what that weighs for which decision, in hundredths of log-odds.
    """
    chosen = list(dict.fromkeys(one for name in names for one in _called(name, setup)))
    write_output(None, list(map(_record, chosen)) if as_json else "\n".join(map(_source, chosen)))


@command("""
  ists-asp rules find weekday
  ists-asp rules find turn down --profile headlines --json
""")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@profile_options
@click.option("--all", "everything", is_flag=True, help="All lines, not only the best of a kind.")
@json_option
def find(words: tuple[str, ...], setup: Setup, everything: bool, as_json: bool) -> None:
    """Find words in rules.

    In: words, or parts of words.

    Out: the lines of rule files that have them all, with file and line: names of rules,
    documented predicates, evidence, sentences, tables of words, conditions; the best first.
    """
    from ists_asp.rules.search import search

    lines: list[str] = []
    hits = search(setup.profile, setup.rules, setup.reader, words)
    for kind, some in groupby(hits, lambda hit: hit.group):
        told = [f"  {hit.file}:{hit.line}  {hit.text}" for hit in some]
        most = len(told) if everything else _FOUND
        more = [f"  … and {len(told) - most} more, see --all"] if len(told) > most else []
        lines += [kind, *(shortened(unbroken(line), _WIDTH) for line in told[:most]), *more]
    if not hits:
        where = f"profile {setup.profile}"
        raise UsageError(f"no line of a rule has '{' '.join(words)}'", where=where)
    write_output(None, [hit._asdict() for hit in hits] if as_json else "\n".join(lines) + "\n")


@command("""
  ists-asp rules where adds_modifier --profile headlines "a dog sleeps" "a black dog sleeps"
  ists-asp rules where synonyms --sent1 a.txt --sent2 b.txt --by lemma
  ists-asp rules where units_differ --rules units.lp --tsv pairs.tsv --json -o where.json
""")
@click.argument("name")
@options.input_options
@options.setup_options(timeout=True)
@click.option("--by", type=click.Choice(["label", "lemma"]), help="Count the places by this.")
@json_option
@options.output_option(".txt", ".md")
def where(
    name: str,
    inputs: Inputs,
    setup: Setup,
    by: str | None,
    as_json: bool,
    output: Path | None,
) -> None:
    """Show where a rule fires, and what it changes.

    In: the name of a rule, or of evidence for all rules that find it; two sentences, or files
    as for ists-asp solve.

    Out: each place with its words in brackets and what the rule says there; what would be
    decided without it. If nothing else would, by how much a decision misses that, in hundredths.
    """
    from ists_asp.cli.driver import working
    from ists_asp.trace.effects import effect, places, verdict
    from ists_asp.trace.tree import render

    pairs, lacking = inputs.read(), list[str]()
    with working(setup) as run:
        system = run.system
        names = _names(name, system, setup)
        switched = cache(lambda: system.solver.switched(places(system.rules, names)))
        inputs.warn_untokenized(system, pairs)

        def work(some: Iterator[Pair]) -> Iterator[tuple[Pair, Effect]]:
            for trace in system.trace_annotated(system.annotate(inputs.tokenized(system, some))):
                found = effect(trace, names, switched)
                if not (found.fired or lacking):
                    nearest = trace.nearest.of_rules(names)
                    lacking.extend(line for branch in nearest for line in render(branch))
                yield trace.answer.pair, found

        seconds = setup.limits.seconds
        results = run.on_each(pairs, work, lambda pair: pair, quiet=True, seconds=seconds)
        found = [one for one in results if not isinstance(one, Failed)]
    effects = [one for _, one in found]
    said = f"{name}: {verdict(effects)}"
    if as_json:
        records = [{"pair": pair.id, **to_builtins(one)} for pair, one in found]
        write_output(output, {"verdict": said, "pairs": records})
    else:
        lines = [line for pair, one in found for line in _told(pair, one)]
        counts = Counter(getattr(one, by) for each in effects for one in each.fired if by)
        lines += [f"{count:5}  {what}" for what, count in counts.most_common()]
        lines += [said, *(lacking if not any(one.fired for one in effects) else ())]
        write_output(output, "".join(f"{unbroken(line)}\n" for line in lines))
    run.failures.end(len(pairs))


def _told(pair: Pair, effect: Effect) -> Iterator[str]:
    """The places of a pair where a rule fired, with their words in brackets."""
    for one in effect.fired:
        yield f"Pair {pair.id}: {one.sentence}"
        for side, sentence in enumerate((pair.sent1, pair.sent2)):
            inside, forms = {*one.tokens[side]}, [token.form for token in sentence.tokens]
            for token in inside:
                forms[token - 1] = "[" * (token - 1 not in inside) + forms[token - 1]
                forms[token - 1] += "]" * (token + 1 not in inside)
            yield f"  {side + 1}: {' '.join(forms)}"
    yield from (f"Pair {pair.id} without it: {text}" for text in effect.instead)


def _names(name: str, system: System, setup: Setup) -> set[str]:
    """The rules of answers that are called so, or find evidence that is."""
    from ists_asp.rules.weights import rule_weights

    rules = system.rules
    if any(rule.name == name for rule in rules.rules):
        return {name}
    weights = rule_weights(rules, system.constants.items()).items()
    if found := {rule for rule, own in weights if any(name in one.names for one in own)}:
        return found
    use = _called(name, setup)[0].use
    raise UsageError(f"the rule '{name}' decides no answers, it is for the {use}")


for _command in (copy, list_command, show, find, where, check, test, ablate):
    rules.add_command(_command)


def _called(name: str, setup: Setup) -> Sequence[ListedRule]:
    """The rules that are called so, or that find such evidence."""
    found = _by_name(_listed(setup))
    if name in found:
        return found[name]
    close = get_close_matches(name, found, n=1)
    hint = f"Did you mean '{close[0]}'?" if close else "See ists-asp rules list"
    raise UsageError(f"there is no rule '{name}'", where=f"profile {setup.profile}", hint=hint)


def _by_name(listed: Sequence[ListedRule]) -> dict[str, list[ListedRule]]:
    """The rules by their names; by other names those that find evidence of it, with weights."""
    found: dict[str, list[ListedRule]] = {}
    for one in listed:
        found.setdefault(one.rule.name, []).append(one)
    finding: dict[str, dict[ListedRule, None]] = {}
    for one in listed:
        for weight in one.weights or ():
            for name in weight.names:
                finding.setdefault(name, {})[one] = None
    return {name: list(rules) for name, rules in finding.items()} | found


def _listed(setup: Setup) -> Sequence[ListedRule]:
    from ists_asp.rules.catalogue import list_rules

    if setup.rules:
        isolate()
    rules, warnings = list_rules(setup.profile, setup.rules, reader=setup.reader, store=setup.store)
    for warning in warnings:
        warn(str(warning))
    return rules


def _listing(rules: Sequence[ListedRule]) -> str:
    """Rules in a few lines each, no wider than 100 columns unless a name or path is."""
    names = max((len(one.rule.name) for one in rules), default=0)
    places = max((len(_place(one)) for one in rules), default=0)
    lines = []
    for one in rules:
        lines.append(f"{one.rule.name:<{names}}  {_place(one):<{places}}  {one.use}")
        lines += textwrap.wrap(
            one.rule.sentence or "",
            _WIDTH,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_on_hyphens=False,
        )
        if one.weights is not None:
            lines.append(_INDENT + _strongest(one.weights, _WIDTH - len(_INDENT)))
    return "".join(f"{line}\n" for line in lines)


def _source(one: ListedRule) -> str:
    """A rule as it is written, and its weights as comments."""
    rule = one.rule
    use = "answer and explanation" if one.use == "both" else one.use
    lines = [f"% {_place(one)} ({use})"]
    lines += [f"%@example {text}" for _, text in rule.examples]
    lines += [f'%@rule {rule.name}: "{rule.sentence}"', rule.text]
    if one.weights is not None:
        count = len(one.weights)
        lines.append(f"% {count} weight{'s' * (count != 1)}{':' * (count > 0)}")
        width = max((len(weight.decision) for weight in one.weights), default=0)
        lines += [
            f"% {weight.value:+5}  {weight.decision:<{width}}  {weight.evidence}"
            for weight in one.weights
        ]
    return "".join(f"{line}\n" for line in lines)


def _record(one: ListedRule) -> dict[str, object]:
    """A rule as JSON."""
    fields = ("name", "sentence", "file", "line")
    return {
        **{field: getattr(one.rule, field) for field in fields},
        "use": one.use,
        "text": one.rule.text,
        "examples": [text for _, text in one.rule.examples],
        "weights": one.weights
        and [
            {"evidence": weight.evidence, "decision": weight.decision, "weight": weight.value}
            for weight in one.weights
        ],
    }


def _place(one: ListedRule) -> str:
    return unbroken(f"{one.rule.file}:{one.rule.line}")


def _strongest(weights: Sequence[Weight], width: int) -> str:
    """The strongest weights, as many as fit, and how many there are besides."""
    if not weights:
        return "no weights"
    several = len({weight.evidence for weight in weights}) > 1
    told = [
        f"{weight.decision} {weight.value:+}" + (f" {weight.evidence}" if several else "")
        for weight in weights
    ]
    for number in range(min(len(told), _TOLD), 0, -1):
        more = len(told) - number
        text = ", ".join(told[:number]) + (f" … ({more} more)" if more else "")
        if len(text) <= width:
            break
    return text
