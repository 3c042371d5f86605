"""Names, and the evidence and weights that they stand for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp import vocabulary as v
from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.parsing import WEIGHED, Weighed, weighed
from ists_asp.rules.source import SUFFIX
from ists_asp.rules.tables import TABLES, entries, faults
from ists_asp.rules.weights import Weight, rule_weights
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, bind_all, parsed, read
from ists_asp.syntax.trees import atoms, is_fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ists_asp.rules.check.checked import Checked, Statement
    from ists_asp.rules.directives import NamedRule

_Predicate = tuple[str, int]

_EVIDENCE = v.EVIDENCE.signature
_WEIGHED = {one.signature for one in (*v.WEIGHTS, v.WORTH)}
_TABLES = (f"{v.CONFIDENCE.name}(", f"{v.RATING_MARGIN.name}(")


def suggestion(predicate: _Predicate, known: Iterable[_Predicate]) -> str:
    """What was probably meant by an unknown predicate, as a question; empty if nothing is near."""
    name, arity = predicate
    arities: dict[str, set[int]] = {}
    for other, size in {*known, *(one.signature for one in v.all_predicates())} - {predicate}:
        arities.setdefault(other, set()).add(size)
    if name in arities:
        sizes = " or ".join(f"{name}/{size}" for size in sorted(arities[name]))
        return f"Did you mean {sizes}? It has {arity} argument{'' if arity == 1 else 's'} here"
    near = get_close_matches(name, sorted(arities), n=3, cutoff=0.75)
    if not near:
        return ""
    # Of names that are as near, one with as many arguments was meant.
    meant = min(near, key=lambda other: arity not in arities[other])
    return f"Did you mean {meant}/{arity if arity in arities[meant] else min(arities[meant])}?"


def check_tables(checked: Checked) -> Iterator[Finding]:
    """Look through the word tables."""
    if not any(name in one.rule.text for one in checked.statements for name, _ in TABLES):
        return
    for entry, found, hint in faults(entries(checked.rules), {str(path) for path in checked.own}):
        path, line = Path(entry.place.filename), entry.place.line
        place = path, line, checked.text(path).character(line, entry.place.column)
        yield checked.finding("entry", place, found, hint)


def _weighed_twice(checked: Checked) -> Iterator[Finding]:
    for files in checked.loaded.values():
        first: dict[Weighed, Statement] = {}
        for path in checked.shipped_first(files):
            derived = {
                key: [one]
                for one in checked.by_file[path]
                if WEIGHED.search(one.rule.text)
                for key in weighed(one.node, facts=False)
            }
            for key, found in (*checked.weights.get(path, {}).items(), *derived.items()):
                known, *again = (first[key], *found) if key in first else found
                first[key] = known
                for one in again if path in checked.own else ():
                    yield checked.finding("weight-twice", one, *key.twice(known.rule), key.evidence)


def check_names(checked: Checked) -> Iterator[Finding]:
    """Look for rules without a name, names used twice, and odd files."""
    yield from _twice(checked)
    yield from dict.fromkeys(_weighed_twice(checked))
    for path, found in checked.replaced.items():
        hint = "Give it another name if its rules are to be added"
        yield checked.finding("replaces", (path, 0, 0), found, hint)
    for statement in checked.statements:
        kind, rule, path = statement.node.ast_type, statement.rule, statement.path
        # Facts that say how sure decisions are stand beside weights.
        if rule.text.startswith(_TABLES) and is_fact(statement.node):
            continue
        unnamed = kind in (ASTType.Rule, ASTType.Minimize) and rule.sentence is None
        # A line of a word table speaks for itself, and has no place for a name.
        if unnamed and path not in checked.faulty and path.suffix != SUFFIX:
            yield checked.finding(
                "nameless",
                statement,
                "this rule has no name: traces can only tell its place",
                'Put %@rule name: "what it means, with {Variables}" on the line above',
            )
        if path in checked.weights_files and kind is not ASTType.Program:
            yield checked.finding(
                "weights-file",
                statement,
                "a weights file has something else than weights",
                "Move it to another file: ists-asp learn writes weights files anew",
            )
    for path in checked.own:
        if checked.programs and not checked.programs_of[path]:
            hint = "Name it, or its folder, in profiles/NAME.toml"
            yield checked.finding("unloaded", (path, 1, 1), "no profile loads this file", hint)


def _twice(checked: Checked) -> Iterator[Finding]:
    first: dict[str, Statement] = {}
    for path in checked.shipped_first(checked.by_file):
        for statement in checked.by_file[path]:
            rule = statement.rule
            if rule.sentence is None:
                continue
            taken = first.setdefault(rule.name, statement)
            # The elements of one #maximize share its place and name.
            there, here = taken.rule, (path, rule.line, rule.column)
            if (taken.path, there.line, there.column) == here or path not in checked.own:
                continue
            both = [one for one in checked.programs_of[path] if taken.path in checked.loaded[one]]
            yield checked.finding(
                "name-twice",
                statement,
                f"the rule name {rule.name} is taken by {there.file}:{there.line}",
                "Give each rule a name of its own",
                rule.name,
                Severity.ERROR if both or path == taken.path else Severity.WARNING,
            )


def check_targets(checked: Checked) -> Iterator[Finding]:
    """Look for evidence about unknown targets."""
    targets = v.targets()
    for statement in checked.statements:
        node = statement.node
        found = node.ast_type is ASTType.Rule and v.EVIDENCE.name in statement.rule.text
        for atom in atoms(node.head) if found else ():
            if (atom.name, len(atom.arguments)) != _EVIDENCE:
                continue
            target = read(atom.arguments[0])
            if not isinstance(target, Call):
                continue
            known = targets.get(target.name)
            if known is None or known.arity != len(target.arguments):
                near = get_close_matches(target.name, targets, n=1)
                yield checked.finding(
                    "target",
                    atom.arguments[0],
                    f"no evidence is about {target.name}/{len(target.arguments)}",
                    (f"Did you mean {targets[near[0]]}? " if near else "")
                    + "Evidence is about boundary(S,I), pair(X,Y), link(X,Y) or side(S,X,Y)",
                )


def check_evidence(checked: Checked) -> Iterator[Finding]:
    """Look both ways: who weighs what a rule derives, and who derives what is weighed."""
    own = {checked.name(path) for path in checked.own}
    names = {
        one.evidence.partition("(")[0]
        for path in checked.own
        for one in checked.weights.get(path, ())
    }

    def asked(rule: NamedRule) -> bool:
        return rule.file in own or any(name in rule.text for name in names)

    if not checked.weights_files or _plainly_weighed(checked):
        return
    statements = [*chain.from_iterable(checked.by_file.values())]
    # What a weight weighs plays no part, so that one file's is as good as another's.
    each = {key: one for found in checked.weights.values() for key, (one, *_) in found.items()}
    constants = {pair for program in checked.programs for pair in program.profile.constants.items()}
    every = [*statements, *each.values()]
    rules = replace(
        checked.rules,
        statements=tuple(one.node for one in every),
        rules=tuple(one.rule for one in every),
    )
    makers = rule_weights(rules, constants, asked)
    yield from _unweighed(checked, makers)
    yield from _unmade(checked, statements, makers)


def _plainly_weighed(checked: Checked) -> bool:
    """Whether each name of evidence that files find or weigh stands in a head and in a weight."""
    weighed = {one.evidence for weights in checked.weights.values() for one in weights}
    made: dict[Path, set[Term]] = {
        path: {atom.arguments[1] for _, one in of for atom in one.derived if atom.key == _EVIDENCE}
        for path, of in checked.atoms.items()
    }
    every, found = set().union(*made.values()), set().union(*(made[path] for path in checked.own))
    asked = {one.evidence for path in checked.own for one in checked.weights.get(path, ())}
    plain = not any("(" in str(one) for one in found | asked)
    return plain and found <= weighed and asked <= every


def _unweighed(checked: Checked, makers: Mapping[str, tuple[Weight, ...]]) -> Iterator[Finding]:
    for statement in checked.statements:
        if statement.rule.name not in makers:
            continue
        programs = [one for one in checked.programs_of[statement.path] if one.decides]
        files = {path for one in programs for path in checked.loaded[one]} & checked.weights.keys()
        there = {one[1:] for path in files for one in checked.weights[path]}
        own = {(one.evidence, one.decision) for one in makers[statement.rule.name]}
        if programs and there.isdisjoint(own):
            yield checked.finding(
                "unweighed",
                statement,
                "the evidence that this rule derives has no weight, and counts for nothing",
                "Say what it argues for by argues/3 and weigh it by weight/3, or by ists-asp learn",
                statement.rule.name,
            )


def _unmade(
    checked: Checked, statements: list[Statement], makers: Mapping[str, tuple[Weight, ...]]
) -> Iterator[Finding]:
    # The weights that rules ask for by name, rather than for whatever evidence there is.
    asked = [
        atom.arguments[:2]
        for found in checked.atoms.values()
        for _, read in found
        for atom in read.used
        if atom.key in _WEIGHED and isinstance(atom.arguments[0], Call | Ground)
    ]
    made: dict[Path, set[tuple[str, str]]] = defaultdict(set)
    for statement in statements:
        found = makers.get(statement.rule.name, ())
        made[statement.path].update((one.evidence, one.decision) for one in found)
    for path in checked.own.keys() & checked.weights.keys():
        files = {file for one in checked.programs_of[path] for file in checked.loaded[one]}
        there: set[tuple[str, str]] = set().union(*(made[file] for file in files))
        for (_, feature, decision), (statement, *_) in checked.weights[path].items():
            pair = parsed(feature), parsed(decision)
            if (feature, decision) in there or any(bind_all(one, pair, {}) for one in asked):
                continue
            told = f"no rule derives the evidence {feature} for {decision}"
            hint = "Check its spelling, or remove the weight"
            one = checked.finding("unmade", statement, told, hint, feature)
            if not checked.is_others(one):
                yield one
