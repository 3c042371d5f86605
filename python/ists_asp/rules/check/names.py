"""Names of rules, odd files and word tables; evidence and weights that miss one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from clingo.ast import ASTType

from ists_asp import vocabulary as v
from ists_asp.rules.check.model import Checked, Finding, Severity, Statement
from ists_asp.rules.parsing import WEIGHED, Weighed, weighed
from ists_asp.rules.source import SUFFIX
from ists_asp.rules.tables import TABLES, entries, faults
from ists_asp.rules.weights import Weight, rule_weights
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, bind_all, parsed, read
from ists_asp.syntax.trees import atoms, is_fact

_EVIDENCE = v.EVIDENCE.signature
_WORTHS = {one.signature for one in (*v.WEIGHTS, v.WORTH)}
_TABLES = (f"{v.CONFIDENCE.name}(", f"{v.RATING_MARGIN.name}(")  # facts that need no names


def check_tables(checked: Checked) -> Iterator[Finding]:
    """Look through the word tables."""
    if any(name in one.rule.text for one in checked.statements for name, _ in TABLES):
        own = {str(path) for path in checked.own}
        for entry, found, hint in faults(entries(checked.rules), own):
            path, line = Path(entry.place.filename), entry.place.line
            column = checked.text(path).character(line, entry.place.column)
            yield checked.finding("entry", (path, line, column), found, hint)


def check_names(checked: Checked) -> Iterator[Finding]:
    """Look for rules without a name, names and weights that are given twice, and odd files."""
    yield from _names_twice(checked)
    yield from dict.fromkeys(_weights_twice(checked))
    for path, found in checked.replaced.items():
        hint = "Give it another name to add its rules instead"
        yield checked.finding("replaces", (path, 0, 0), found, hint)
    for statement in checked.statements:
        kind, rule, path = statement.node.ast_type, statement.rule, statement.path
        if rule.text.startswith(_TABLES) and is_fact(statement.node):
            continue
        unnamed = kind in (ASTType.Rule, ASTType.Minimize) and rule.sentence is None
        # A line of a word table speaks for itself, and has no place for a name.
        if unnamed and path not in checked.faulty and path.suffix != SUFFIX:
            told = "this rule has no name: traces can only give its place"
            hint = 'Put %@rule name: "what it means, with {Variables}" on the line above'
            yield checked.finding("nameless", statement, told, hint)
        if path in checked.weights_files and kind is not ASTType.Program:
            told = "a weights file contains something other than weights"
            hint = "Move it to another file: ists-asp learn overwrites weights files"
            yield checked.finding("weights-file", statement, told, hint)
    for path in checked.own:
        if checked.programs and not checked.programs_of[path]:
            hint = "Name it, or its folder, in profiles/NAME.toml"
            yield checked.finding("unloaded", (path, 1, 1), "no profile loads this file", hint)


def _names_twice(checked: Checked) -> Iterator[Finding]:
    first: dict[str, Statement] = {}
    for path in checked.shipped_first(checked.by_file):
        for statement in (one for one in checked.by_file[path] if one.rule.sentence is not None):
            rule = statement.rule
            earlier = first.setdefault(rule.name, statement)
            there = earlier.rule
            # The elements of one #maximize share its place and name.
            same = (earlier.path, there.line, there.column) == (path, rule.line, rule.column)
            if same or path not in checked.own:
                continue
            both = any(earlier.path in checked.loaded[one] for one in checked.programs_of[path])
            told = f"the rule name {rule.name} is taken by {there.file}:{there.line}"
            hint = "Give each rule a name of its own"
            grave = Severity.ERROR if both or path == earlier.path else Severity.WARNING
            yield checked.finding("name-twice", statement, told, hint, rule.name, grave)


def _weights_twice(checked: Checked) -> Iterator[Finding]:
    for files in checked.loaded.values():
        first: dict[Weighed, Statement] = {}
        for path in checked.shipped_first(files):
            derived = (
                (key, [one])
                for one in checked.by_file[path]
                if WEIGHED.search(one.rule.text)
                for key in weighed(one.node, facts=False)
            )
            for key, statements in (*checked.weights.get(path, {}).items(), *dict(derived).items()):
                known, *again = (first[key], *statements) if key in first else statements
                first[key] = known
                for one in again if path in checked.own else ():
                    yield checked.finding("weight-twice", one, *key.twice(known.rule), key.evidence)


def check_targets(checked: Checked) -> Iterator[Finding]:
    """Look for evidence about unknown targets."""
    targets = v.targets()
    for statement in checked.statements:
        rule = statement.node.ast_type is ASTType.Rule and v.EVIDENCE.name in statement.rule.text
        for atom in atoms(statement.node.head) if rule else ():
            evidence = (atom.name, len(atom.arguments)) == _EVIDENCE
            if not (evidence and isinstance(about := read(atom.arguments[0]), Call)):
                continue
            known = targets.get(about.name)
            if known is None or known.arity != len(about.arguments):
                near = get_close_matches(about.name, targets, n=1)
                hint = f"Did you mean {targets[near[0]]}? " if near else ""
                hint += "Evidence is about boundary(S,I), pair(X,Y), link(X,Y) or side(S,X,Y)"
                told = f"no evidence is about {about.name}/{len(about.arguments)}"
                yield checked.finding("target", atom.arguments[0], told, hint)


def check_evidence(checked: Checked) -> Iterator[Finding]:
    """Look both ways: evidence without a weight, and weights of evidence that no rule derives."""
    own = {checked.name(path) for path in checked.own}
    weights = [one for path in checked.own for one in checked.weights.get(path, ())]
    names = {one.evidence.partition("(")[0] for one in weights}
    if not checked.weights_files or _plainly_weighed(checked):
        return
    statements = [*chain.from_iterable(checked.by_file.values())]
    # The value of a weight plays no part, so that one file's is as good as another's.
    first = {key: one for found in checked.weights.values() for key, (one, *_) in found.items()}
    constants = {pair for program in checked.programs for pair in program.profile.constants.items()}
    every = [*statements, *first.values()]
    nodes, rules = tuple(one.node for one in every), tuple(one.rule for one in every)
    together = replace(checked.rules, statements=nodes, rules=rules)
    makers = rule_weights(
        together,
        constants,
        lambda rule: rule.file in own or any(key in rule.text for key in names),
    )
    yield from _unweighed(checked, makers)
    yield from _unmade(checked, statements, makers)


def _plainly_weighed(checked: Checked) -> bool:
    """Whether each name of evidence that files derive or weigh stands in a head and in a weight."""
    weights = {one.evidence for of_file in checked.weights.values() for one in of_file}
    derived: dict[Path, set[Term]] = {
        path: {atom.arguments[1] for _, one in of for atom in one.derived if atom.key == _EVIDENCE}
        for path, of in checked.atoms.items()
    }
    own = set[Term]().union(*(derived[path] for path in checked.own))
    asked = {one.evidence for path in checked.own for one in checked.weights.get(path, ())}
    plain = not any("(" in str(name) for name in own | asked)
    return plain and own <= weights and asked <= set[Term]().union(*derived.values())


def _unweighed(checked: Checked, makers: Mapping[str, tuple[Weight, ...]]) -> Iterator[Finding]:
    for statement in (one for one in checked.statements if one.rule.name in makers):
        name = statement.rule.name
        programs = [one for one in checked.programs_of[statement.path] if one.decides]
        files = {path for one in programs for path in checked.loaded[one]} & checked.weights.keys()
        there = {one[1:] for path in files for one in checked.weights[path]}
        if programs and there.isdisjoint((one.evidence, one.decision) for one in makers[name]):
            told = "the evidence that this rule derives has no weight and does not count"
            hint = "Say what it argues for by argues/3 and weigh it by weight/3, or by "
            hint += "ists-asp learn"
            yield checked.finding("unweighed", statement, told, hint, name)


def _unmade(
    checked: Checked, statements: list[Statement], makers: Mapping[str, tuple[Weight, ...]]
) -> Iterator[Finding]:
    # The weights that rules ask for by name, rather than for whatever evidence there is.
    asked = [
        atom.arguments[:2]
        for _, rule in chain.from_iterable(checked.atoms.values())
        for atom in rule.used
        if atom.key in _WORTHS and isinstance(atom.arguments[0], Call | Ground)
    ]
    derived: dict[Path, set[tuple[str, str]]] = defaultdict(set)
    for one in statements:
        weights = makers.get(one.rule.name, ())
        derived[one.path].update((weight.evidence, weight.decision) for weight in weights)
    for path in checked.own.keys() & checked.weights.keys():
        files = {file for program in checked.programs_of[path] for file in checked.loaded[program]}
        there = set[tuple[str, str]]().union(*(derived[file] for file in files))
        for (_, evidence, decision), (statement, *_) in checked.weights[path].items():
            pair = parsed(evidence), parsed(decision)
            if (evidence, decision) in there or any(bind_all(one, pair, {}) for one in asked):
                continue
            told = f"no rule derives the evidence {evidence} for {decision}"
            hint = "Check its spelling, or remove the weight"
            finding = checked.finding("unmade", statement, told, hint, evidence)
            if not checked.is_others(finding):
                yield finding
