"""Names, and the evidence and weights that they stand for."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.resources import asp_dir
from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.entries import entries, faults
from ists_asp.rules.tables import SUFFIX
from ists_asp.rules.weights import Weight, rule_weights
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, atoms, bind, parsed, read
from ists_asp.syntax.trees import is_fact, predicates
from ists_asp.vocabulary import CONFIDENCE, EVIDENCE, RENAMED, TARGETS, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ists_asp.rules.check.source import Checked, Statement, Weighed
    from ists_asp.syntax.terms import Bindings, Term


def check_tables(checked: Checked) -> Iterator[Finding]:
    """Look through the word tables."""
    for fault in faults(entries(checked.rules), {str(path) for path in checked.own}):
        entry = fault.entry
        path = Path(entry.file)
        place = entry.line, checked.text(path).character(entry.line, entry.column)
        yield checked.finding(Severity.WARNING, "entry", path, place, fault.found, fault.hint)


_DOCUMENTED = re.compile(
    r"^%\*!\s+(?P<name>[a-z_][A-Za-z0-9_']*)(?:\((?P<arguments>[^)]*)\))?", re.M
)

_Predicate = tuple[str, int]


@cache
def documented() -> frozenset[_Predicate]:
    """The predicates, name and number of arguments, that comments ``%*! p(X)`` in ``asp/`` tell."""
    return frozenset(
        (match["name"], match["arguments"].count(",") + 1 if match["arguments"] else 0)
        for file in sorted(asp_dir().glob("*.lp"))
        for match in _DOCUMENTED.finditer(file.read_text("utf-8"))
    )


def suggestion(predicate: _Predicate, known: Iterable[_Predicate]) -> str:
    """What was probably meant by an unknown predicate, as a question; empty if nothing is near."""
    name, arity = predicate
    if predicate in RENAMED:
        return f"It is called {RENAMED[predicate]}/{arity} now"
    arities: dict[str, set[int]] = {}
    for other, size in {*known, *documented()} - {predicate}:
        arities.setdefault(other, set()).add(size)
    if name in arities:
        sizes = " or ".join(f"{name}/{size}" for size in sorted(arities[name]))
        return f"Did you mean {sizes}? It has {arity} argument{'' if arity == 1 else 's'} here"
    near = get_close_matches(name, sorted(arities), n=3, cutoff=0.75)
    # Of names that are as near, one with as many arguments was meant.
    near.sort(key=lambda other: arity not in arities[other])
    if not near:
        return ""
    known_sizes = arities[near[0]]
    return f"Did you mean {near[0]}/{arity if arity in known_sizes else min(known_sizes)}?"


_NAMED = (ASTType.Rule, ASTType.Minimize)


def check_names(checked: Checked) -> Iterator[Finding]:
    """Look for rules without a name, names used twice, and odd files."""
    yield from _twice(checked)
    yield from _replacing(checked)
    yield from _nameless(checked)
    yield from _weights_files(checked)
    yield from _files(checked)


def _twice(checked: Checked) -> Iterator[Finding]:
    first: dict[str, Statement] = {}
    for path in checked.shipped_first(checked.by_file):
        for statement in checked.by_file[path]:
            rule = statement.rule
            if rule.sentence is None:
                continue
            taken = first.setdefault(rule.name, statement)
            if (taken.path, taken.rule.line, taken.rule.column) == (path, rule.line, rule.column):
                # The elements of one #maximize share its place and name.
                continue
            if path not in checked.plan.own:
                continue
            together = set(checked.programs_of[path]) & set(checked.programs_of[taken.path])
            yield checked.finding(
                Severity.ERROR if together or path == taken.path else Severity.WARNING,
                "name-twice",
                path,
                (rule.line, rule.column),
                f"the rule name {rule.name} is taken by {taken.rule.file}:{taken.rule.line}",
                "Give each rule a name of its own",
                rule.name,
            )


def _replacing(checked: Checked) -> Iterator[Finding]:
    for path, name in checked.plan.replaced.items():
        yield checked.finding(
            Severity.WARNING,
            "replaces",
            path,
            (0, 0),
            f"this file takes the place of {name}, as it has its name",
            "Give it another name if its rules are to be added",
        )


def _nameless(checked: Checked) -> Iterator[Finding]:
    for statement in checked.statements:
        rule = statement.rule
        if statement.path in checked.faulty or rule.sentence is not None or _is_table(statement):
            continue
        if statement.path.suffix == SUFFIX:
            # A line of a word table speaks for itself, and has no place for a name.
            continue
        if statement.node.ast_type in _NAMED:
            yield checked.finding(
                Severity.WARNING,
                "nameless",
                statement.path,
                (rule.line, rule.column),
                "this rule has no name: traces can only tell its place",
                'Put %@rule name: "what it means, with {Variables}" on the line above',
            )


def _is_table(statement: Statement) -> bool:
    """Whether a statement says how sure decisions are: such tables stand beside weights."""
    return is_fact(statement.node) and predicates(statement.node.head) == {CONFIDENCE.signature}


def _weights_files(checked: Checked) -> Iterator[Finding]:
    for path in checked.own:
        for statement in checked.by_file[path] if path in checked.weights_files else ():
            if statement.node.ast_type is not ASTType.Program and not _is_table(statement):
                yield checked.finding(
                    Severity.WARNING,
                    "weights-file",
                    path,
                    (statement.rule.line, statement.rule.column),
                    "a weights file has something else than weights",
                    "Move it to another file: ists-asp learn writes weights files anew",
                )


def _files(checked: Checked) -> Iterator[Finding]:
    for path in checked.own:
        if checked.plan.programs and not checked.programs_of[path]:
            yield checked.finding(
                Severity.WARNING,
                "unloaded",
                path,
                (1, 1),
                "no profile loads this file",
                "Name it, or its folder, in profiles/NAME.toml",
            )


_EVIDENCE = EVIDENCE.signature
_WEIGHT = WEIGHT.signature


def check_evidence(checked: Checked) -> Iterator[Finding]:
    """Look for evidence about unknown targets or without weights, and weights without evidence."""
    yield from _targets(checked)
    if checked.weights_files:
        yield from _weights(checked)


def _targets(checked: Checked) -> Iterator[Finding]:
    for statement in checked.statements:
        if statement.node.ast_type is not ASTType.Rule:
            continue
        for atom in atoms(statement.node.head):
            if (atom.name, len(atom.arguments)) != _EVIDENCE:
                continue
            target = read(atom.arguments[0])
            if not isinstance(target, Call):
                continue
            known = TARGETS.get(target.name)
            if known is None or known.arity != len(target.arguments):
                near = get_close_matches(target.name, TARGETS, n=1)
                yield checked.finding(
                    Severity.ERROR,
                    "target",
                    statement.path,
                    atom.arguments[0],
                    f"no evidence is about {target.name}/{len(target.arguments)}",
                    (f"Did you mean {TARGETS[near[0]]}? " if near else "")
                    + "Evidence is about boundary(S,I), pair(X,Y), link(X,Y) or side(S,X,Y)",
                )


def _weights(checked: Checked) -> Iterator[Finding]:
    """Both ways: who weighs what a rule derives, and who derives what is weighed."""
    statements = [one for found in checked.by_file.values() for one in found]
    # What a weight weighs plays no part, so that one file's is as good as another's.
    each = {key: one for found in checked.weights.values() for key, one in found.items()}
    constants = {
        pair for program in checked.plan.programs for pair in program.profile.constants.items()
    }
    every = [*statements, *each.values()]
    makers = rule_weights(
        replace(
            checked.rules,
            statements=tuple(one.node for one in every),
            rules=tuple(one.rule for one in every),
        ),
        constants,
    )
    yield from _unweighed(checked, statements, makers)
    yield from _unmade(checked, statements, makers)


def _unweighed(
    checked: Checked,
    statements: list[Statement],
    makers: Mapping[str, tuple[Weight, ...]],
) -> Iterator[Finding]:
    for statement in statements:
        if statement.path not in checked.plan.own or statement.rule.name not in makers:
            continue
        programs = [one for one in checked.programs_of[statement.path] if one.decides]
        keys = {(one.evidence, one.decision) for one in makers[statement.rule.name]}
        files = {path for one in programs for path in checked.loaded[one]} & checked.weights.keys()
        if programs and not any(keys & checked.weights[path].keys() for path in files):
            yield checked.finding(
                Severity.NOTE,
                "unweighed",
                statement.path,
                (statement.rule.line, statement.rule.column),
                "the evidence that this rule derives has no weight, and counts for nothing",
                "Say what it argues for by argues/3 and weigh it by weight/3, or by ists-asp learn",
                statement.rule.name,
            )


def _unmade(
    checked: Checked,
    statements: list[Statement],
    makers: Mapping[str, tuple[Weight, ...]],
) -> Iterator[Finding]:
    named = _named(statements)
    made: dict[Path, set[Weighed]] = defaultdict(set)
    for statement in statements:
        found = makers.get(statement.rule.name, ())
        made[statement.path].update((one.evidence, one.decision) for one in found)
    for path in checked.plan.own & checked.weights.keys():
        files = {file for one in checked.programs_of[path] for file in checked.loaded[one]}
        there: set[Weighed] = set().union(*(made[file] for file in files))
        for (feature, decision), statement in checked.weights[path].items():
            if (feature, decision) not in there and not _asked((feature, decision), named):
                told = checked.finding(
                    Severity.WARNING,
                    "unmade",
                    path,
                    (statement.rule.line, statement.rule.column),
                    f"no rule derives the evidence {feature} for {decision}",
                    "Check its spelling, or remove the weight",
                    feature,
                )
                if not checked.is_others(told):
                    yield told


def _named(statements: Iterable[Statement]) -> list[tuple[Term, Term]]:
    """The weights that rules ask for by name, rather than for whatever evidence there is."""
    found: list[tuple[Term, Term]] = []
    for statement in statements:
        if WEIGHT.name not in statement.rule.text:
            continue
        node = statement.node
        bodies = [*node.body] if node.ast_type in (ASTType.Rule, ASTType.Minimize) else []
        for atom in (atom for part in bodies for atom in atoms(part)):
            if (atom.name, len(atom.arguments)) == _WEIGHT:
                name, decision = (read(part) for part in atom.arguments[:2])
                if isinstance(name, Call | Ground):
                    found.append((name, decision))
    return found


def _asked(key: Weighed, named: Iterable[tuple[Term, Term]]) -> bool:
    feature, decision = map(parsed, key)
    for one, two in named:
        bound: Bindings = {}
        if bind(one, feature, bound) and bind(two, decision, bound):
            return True
    return False
