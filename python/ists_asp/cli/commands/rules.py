"""``ists-asp rules``: read the rules, and copy them for editing."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from ists_asp.cli import options
from ists_asp.cli.commands.rules_check import check, test
from ists_asp.cli.console import note, read_aligned, read_pairs, warn, write_output
from ists_asp.cli.driver import working
from ists_asp.cli.files import OUTPUTS, command, group
from ists_asp.cli.options import json_option, profile_options
from ists_asp.errors import UsageError, suggest
from ists_asp.model import Pair
from ists_asp.pipeline.source import Source
from ists_asp.terminal import table, unbroken

if TYPE_CHECKING:
    from ists_asp.engine import Setup, System
    from ists_asp.rules.catalogue import ListedRule
    from ists_asp.rules.weights import Weight
    from ists_asp.trace.effects import Effect, Looked, Worth

_WIDTH = 100
_INDENT = "    "
_BATCH = 50  # pairs that are looked at together
_LISTED = 4  # weights that are listed with a rule
_wrapped = partial(textwrap.wrap, width=_WIDTH - len(_INDENT), break_on_hyphens=False)


@group("""
  ists-asp rules list --profile headlines
  ists-asp rules show may_align
  ists-asp rules find weekday
  ists-asp rules vocabulary alike
  ists-asp rules where same_kind "a cat sleeps" "one cat naps"
  ists-asp rules copy my-rules
  ists-asp rules check my-rules
  ists-asp rules test mine.lp
""")
def rules() -> None:
    """Read the rules that decide, copy, check and test them, see what each does and is worth.

    With --rules PATH, other commands use yours: a folder that rules copy made replaces the shipped
    rules; a file replaces the shipped one of its name, or is added; other folders are added. A
    .tsv file has words, with lines such as 'power = electricity' and 'pass <> reject'.
    """


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
    chosen = list(dict.fromkeys(rule for name in names for rule in _called(name, setup)))
    write_output(None, list(map(_record, chosen)) if as_json else "\n".join(map(_source, chosen)))


@command("""
  ists-asp rules find weekday
  ists-asp rules find turn down --profile headlines --json
""")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@profile_options
@options.option("--all", "All lines, not only the best of a kind.", name="everything")
@json_option
def find(words: tuple[str, ...], setup: Setup, everything: bool, as_json: bool) -> None:
    """Find words in rules.

    In: words, or parts of words.

    Out: the lines of rule files that have them all, with file and line: names of rules,
    documented predicates, evidence, sentences, tables of words, conditions; the best first.
    """
    from ists_asp.rules.catalogue import find_words

    lines: list[str] = []
    hits = find_words(setup.profile, setup.rules, setup.reader, words)
    for kind, of_kind in groupby(hits, lambda hit: hit.group):
        rows = [f"  {hit.file}:{hit.line}  {hit.text}" for hit in of_kind]
        most = len(rows) if everything else 5
        rest = [f"  … and {len(rows) - most} more, see --all"] if len(rows) > most else []
        lines += [kind, *map(unbroken, rows[:most]), *rest]
    if not hits:
        where = f"profile {setup.profile}"
        raise UsageError(f"no line of a rule has '{' '.join(words)}'", where=where)
    write_output(None, [hit._asdict() for hit in hits] if as_json else "\n".join(lines) + "\n")


@command("""
  ists-asp rules vocabulary
  ists-asp rules vocabulary alike --profile headlines
""")
@click.argument("predicates", nargs=-1, metavar="[PREDICATE]...")
@profile_options
@json_option
def vocabulary(predicates: tuple[str, ...], setup: Setup, as_json: bool) -> None:
    """Print the predicates that rules may use.

    In: names of predicates; by default all that the rule files of the profile document.

    Out: each with its arguments, what it says and, if asked for by name, what each argument is
    and the file that documents it. S is a sentence, 1 or 2; I and J are tokens, C is a chunk, X
    and Y are spans of sentence 1 and 2. Words are strings, tags constants.
    """
    from ists_asp.rules.catalogue import list_predicates

    documented = [
        (doc.signature.partition("(")[0], file, doc)
        for file, doc in list_predicates(setup.profile, setup.rules, setup.reader)
    ]
    names = [name.partition("/")[0] for name in predicates]
    known = {name for name, _, _ in documented}
    for name in (name for name in names if name not in known):
        hint = suggest(name, known, "See ists-asp rules find", "'")
        where = f"profile {setup.profile}"
        raise UsageError(f"no rule file documents the predicate '{name}'", where=where, hint=hint)
    chosen = [(file, doc) for name, file, doc in documented if not names or name in names]
    lines = list[str]()
    for file, entries in groupby(chosen, lambda entry: entry[0]):
        lines.append(unbroken(file))
        for _, doc in entries:
            texts = [doc.text, *(f"{name}: {sense}" for name, sense in doc.arguments if names)]
            lines.append(f"  {doc.signature}")
            lines += [f"{_INDENT}{line}" for text in texts for line in _wrapped(text)]
    records = [{"file": file, **to_builtins(doc)} for file, doc in chosen]
    write_output(None, records if as_json else "".join(f"{line}\n" for line in lines))


@command("""
  ists-asp rules where adds_modifier --profile headlines "a dog sleeps" "a black dog sleeps"
  ists-asp rules where synonyms same_word --sent1 a.txt --sent2 b.txt --by lemma
  ists-asp rules where units_differ --rules units.lp --tsv pairs.tsv --json -o where.json
  ists-asp rules where same_word --sent1 a.txt --sent2 b.txt --gold gold.wa
  ists-asp rules where --all --top 20 --sent1 a.txt --sent2 b.txt --chunked --gold gold.wa
""")
@partial(options.input_options, names=True)
@options.setup_options()
@options.templates_option
@click.option("--by", type=click.Choice(["label", "lemma"]), help="Count the places by this.")
@options.file_option("--gold", "Say what each rule is worth, by the alignments in this .wa file.")
@options.option("--all", "With --gold: all rules with a name.", name="everything")
@options.number_option("--top", "Only the N rules that are worth most, and the N that harm most.")
@json_option
@options.output_option(".txt", ".md")
def where(
    names: tuple[str, ...],
    source: Source,
    setup: Setup,
    by: str | None,
    gold: Path | None,
    everything: bool,
    top: int | None,
    as_json: bool,
    output: Path | None,
) -> None:
    """Show where rules fire, what they change, and what they are worth.

    In: names of rules, or of evidence for all rules that find it; then two sentences, or files
    as for ists-asp solve.

    Out: each place with its words in brackets and what the rule says there; what would be
    decided without it. If nothing else would, by how much a decision misses that, in
    hundredths. Of rules for explanations, the text without them. Ratings are not looked at.

    With --gold, of its pairs or others, a table: how often each fires; in how many pairs the
    official measures are others without it; how many of the decisions that would not be are right
    and wrong; what F1 it adds, below 0 if it harms; the best first. Tables, which are the same for
    all pairs, are tried by name only. Weights stay: without a rule, learn them again.
    """
    from ists_asp.engine import System
    from ists_asp.run import worker as questions
    from ists_asp.trace.effects import Effect, verdict, with_said, worth

    if everything and (names or gold is None):
        hint = "Leave the names out" if names else "Add --gold FILE"
        raise UsageError("names with --all" if names else "--all without --gold", hint=hint)
    if not (names or everything):
        raise UsageError("there is no rule to look for", expected="NAME, or --all with --gold FILE")
    pairs, tables, lines = read_pairs(source, setup), list[str](), list[str]()
    lacking = dict[str, list[str]]()
    right = {} if gold is None else read_aligned(gold, pairs, skip_bad=source.skip_bad)
    with working(setup) as run:
        rules, saying, named, tables = run.ask(partial(_named, names=names))
        for name in (name for name in names if name not in (*rules, *saying)):
            use = _called(name, setup)[0].use
            raise UsageError(f"the rule '{name}' decides no answers, it is for the {use}")
        groups = {name: [name] for name in named} if everything else rules
        annotated = run.annotated(pairs)
        question = partial(questions.where, groups=groups, gold=right, near_misses=not everything)
        ask_each = partial(run.ask_each, annotated, size=_BATCH)
        results = ask_each(question, quiet=not everything, searching=everything)
        looks = [result for _, result in results if not isinstance(result, str)]
        if saying:
            explaining = partial(System.where_said, rules=saying)
            results = ask_each(explaining, quiet=True, searching=True)
            texts = {pair.id: look.effects for pair, look in results if not isinstance(look, str)}
            for look in looks:
                look.effects.update(with_said(look.effects, texts.get(look.pair.id, {})))
        fired = {name for look in looks for name, effect in look.effects.items() if effect.fired}
        nearest = {name: look.pair for look in reversed(looks) for name in look.near}
        for name in nearest.keys() - fired:
            lack = partial(questions.lacking, rules=groups[name])
            (lacking[name],) = run.ask(lack, [nearest[name]])
    none = Effect()
    active = {
        name: [look for look in looks if look.effects.get(name, none) != none]
        for name in (*groups, *saying)
    }
    worths = {name: worth(name, looks) for name in groups if right and (names or active[name])}
    ranked = sorted(worths.values(), key=lambda w: (-w.f1["Typ+Sco"], -w.f1["Ali"]))
    for name in names:
        effects = [look.effects[name] for look in active[name]]
        for look, effect in zip(active[name], effects, strict=True):
            lines += _fired_lines(look.pair, effect)
        counts = Counter(getattr(place, by) for effect in effects for place in effect.fired if by)
        lines += [f"{count:5}  {value}" for value, count in counts.most_common()]
        lines += [f"{name}: {verdict(effects)}", *lacking.get(name, ())]
    if worths:
        lines += [""] * bool(names) + _table(ranked, looks, top)
    if everything:
        lines += ["", f"not tried: {len(tables)} tables; give their names to try some"]
    if as_json:
        listed = names or [w.rule for w in ranked]
        records = [_record_of(name, worths.get(name), active[name]) for name in listed]
        write_output(output, {"rules": records, "tables": tables})
    else:
        write_output(output, "".join(f"{unbroken(line)}\n" for line in lines))
    run.failures.end(len(pairs))


def _record_of(name: str, worth: Worth | None, looks: Sequence[Looked]) -> dict[str, object]:
    from ists_asp.trace.effects import verdict

    places = []
    for look in looks:
        effect = look.effects[name]
        scores = {"with": look.scores, "without": effect.without}
        measures = {key: value.as_dict() for key, value in scores.items() if value is not None}
        places.append({"pair": look.pair.id, **to_builtins(effect), **measures})
    text = verdict([look.effects[name] for look in looks])
    return {"name": name, "verdict": text, "worth": to_builtins(worth), "pairs": places}


def _table(worths: Sequence[Worth], looks: Sequence[Looked], top: int | None) -> list[str]:
    scores = [look.scores for look in looks if look.scores is not None]
    total = sum(scores[1:], scores[0]).named()
    if top is not None and len(worths) > 2 * top:
        worths = (*worths[:top], *worths[-top:])
    rows = [["rule", "fires", "changed", "right", "wrong", *(name for name, _ in total)]]
    for worth in worths:
        counts = map(str, (worth.fires, worth.changed, worth.right, worth.wrong))
        gains = (f"{gain:+.4f}" if gain else "0" for gain in worth.f1.values())
        rows.append([worth.rule, *counts, *gains])
    f1 = ", ".join(f"{name} {measure.f1:.4f}" for name, measure in total)
    pairs = f"{len(scores)} pair{'s' * (len(scores) != 1)}"
    return [f"F1 with all rules over {pairs}: {f1}", "", *table(rows).splitlines()]


def _fired_lines(pair: Pair, effect: Effect) -> Iterator[str]:
    """The places of a pair where a rule fired, with their words in brackets."""
    for place in effect.fired:
        yield f"Pair {pair.id}: {place.sentence}"
        for side, sentence in enumerate(pair.sentences):
            inside, tokens = {*place.tokens[side]}, list(sentence.tokens)
            for token in inside:
                form = "[" * (token - 1 not in inside) + tokens[token - 1].form
                form += "]" * (token + 1 not in inside)
                tokens[token - 1] = replace(tokens[token - 1], form=form)
            yield f"  {side + 1}: {replace(sentence, tokens=tuple(tokens)).text}"
    yield from (f"Pair {pair.id} without it: {text}" for text in effect.instead)


def _named(
    system: System, names: Collection[str]
) -> tuple[dict[str, list[str]], list[str], list[str], list[str]]:
    """The rules of answers by each of the names, the user's names of explanations; what to try."""
    from ists_asp.rules import Purpose
    from ists_asp.rules.catalogue import shipped_texts
    from ists_asp.rules.weights import rule_weights
    from ists_asp.trace.effects import triable

    called = {rule.name for rule in system.rules.rules}
    others = {*names} - called
    weights = rule_weights(system.rules, system.constants.items()).items() if others else ()
    groups = {
        name: [name]
        if name in called
        else [rule for rule, of_rule in weights if any(name in weight.names for weight in of_rule)]
        for name in names
    }
    by_name = {name: rules for name, rules in groups.items() if rules}
    saying: list[str] = []
    if system.profile.explanation is not None and (system.setup.rules or others):
        texts = system.program(Purpose.EXPLANATION).rules
        files = {file.name for file in texts.files if shipped_texts(file.path) is not None}
        fresh = {rule.name for rule in texts.rules if rule.name not in called or rule.file in files}
        saying = [name for name in names if name in fresh]
    return by_name, saying, *triable(system.rules, system.solver.program)


for _command in (copy, list_command, show, find, vocabulary, where, check, test):
    rules.add_command(_command)


def _called(name: str, setup: Setup) -> Sequence[ListedRule]:
    """The rules that are called so, or else those that find evidence of that name."""
    rules = _listed(setup)
    evidence = [{name for weight in rule.weights or () for name in weight.names} for rule in rules]
    if called := [rule for rule in rules if rule.rule.name == name]:
        return called
    if finding := [rule for rule, names in zip(rules, evidence, strict=True) if name in names]:
        return finding
    names = {rule.rule.name for rule in rules}.union(*evidence)
    hint = suggest(name, names, "See ists-asp rules list", "'")
    raise UsageError(f"there is no rule '{name}'", where=f"profile {setup.profile}", hint=hint)


def _listed(setup: Setup) -> Sequence[ListedRule]:
    from ists_asp.rules.catalogue import list_rules
    from ists_asp.run.pool import apart

    task = partial(list_rules, setup.profile, setup.rules, reader=setup.reader, store=setup.store)
    rules, warnings = apart(task, foreign=bool(setup.rules))
    for warning in warnings:
        warn(warning)
    return rules


def _listing(rules: Sequence[ListedRule]) -> str:
    """Rules in a few lines each, no wider than 100 columns unless a name or path is."""
    names = max((len(listed.rule.name) for listed in rules), default=0)
    places = max((len(_location(listed)) for listed in rules), default=0)
    lines = []
    for listed in rules:
        lines.append(f"{listed.rule.name:<{names}}  {_location(listed):<{places}}  {listed.use}")
        details = _wrapped(listed.rule.sentence or "")
        if listed.weights is not None:
            details.append(_strongest(listed.weights, _WIDTH - len(_INDENT)))
        lines += [_INDENT + line for line in details]
    return "".join(f"{line}\n" for line in lines)


def _source(listed: ListedRule) -> str:
    rule = listed.rule
    use = "answer and explanation" if listed.use == "both" else listed.use
    lines = [f"% {_location(listed)} ({use})"]
    lines += [f"%@example {text}" for _, text in rule.examples]
    lines += [f'%@rule {rule.name}: "{rule.sentence}"', rule.text]
    if (weights := listed.weights) is not None:
        count = len(weights)
        lines.append(f"% {count} weight{'s' * (count != 1)}{':' * (count > 0)}")
        width = max((len(weight.decision) for weight in weights), default=0)
        lines += [f"% {value:+5}  {decision:<{width}}  {name}" for name, decision, value in weights]
    return "".join(f"{line}\n" for line in lines)


def _record(listed: ListedRule) -> dict[str, object]:
    rule, weights = listed.rule, listed.weights
    keys = ("evidence", "decision", "weight")
    return {
        **{field: getattr(rule, field) for field in ("name", "sentence", "file", "line")},
        "use": listed.use,
        "text": rule.text,
        "examples": [text for _, text in rule.examples],
        "weights": weights and [dict(zip(keys, weight, strict=True)) for weight in weights],
    }


def _location(listed: ListedRule) -> str:
    return unbroken(f"{listed.rule.file}:{listed.rule.line}")


def _strongest(weights: Sequence[Weight], width: int) -> str:
    """The strongest weights, as many as fit, and how many there are besides."""
    if not weights:
        return "no weights"
    several = len({weight.evidence for weight in weights}) > 1
    texts = [
        f"{weight.decision} {weight.value:+}" + (f" {weight.evidence}" if several else "")
        for weight in weights
    ]
    for number in range(min(len(texts), _LISTED), 0, -1):
        rest = len(texts) - number
        text = ", ".join(texts[:number]) + (f" … ({rest} more)" if rest else "")
        if len(text) <= width:
            break
    return text
