"""Names of predicates, rules, tables and evidence that miss one another, or stand twice.

A predicate that nothing derives, that nothing uses, or of another file; rules that never fire.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from clingo import Control
from clingo.ast import ASTType, ProgramBuilder, Sign

from ists_asp import vocabulary as v
from ists_asp.errors import UNSAFE, alike, suggest, unsafe
from ists_asp.rules.arguments import Atom, Read
from ists_asp.rules.check.meanings import likeness, types_of, unsafe_inside
from ists_asp.rules.check.model import Checked, Finding, Place, Program, Statement
from ists_asp.rules.examples import read_example
from ists_asp.rules.loader import fits
from ists_asp.rules.parsing import PLACED, WEIGHED, Messages, Weighed, weighed
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.source import SUFFIX
from ists_asp.rules.tables import TABLES, entries, faults
from ists_asp.rules.weights import Weight, rule_weights
from ists_asp.syntax import trees
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, bind_all, parsed, read
from ists_asp.syntax.trees import Signature

_SIMILAR = 0.75  # the least similarity of a name that may have been meant
_POOLED = re.compile(r"not .*;(?! )")


def check_statements(checked: Checked) -> Iterator[Finding]:
    """Look for what clingo refuses, such as unsafe variables, and for pooled negation."""
    messages, refusal = Messages(), ""
    control = Control(logger=messages, message_limit=10_000)
    with ProgramBuilder(control) as builder:
        for statement in checked.statements:
            if statement.node.ast_type is not ASTType.Definition:
                builder.add(statement.node)
    try:
        # Nothing is grounded, but clingo looks at all statements.
        control.ground([("nothing", [])])
    except RuntimeError as error:
        refusal = str(error)
    paths = {str(path): path for path in checked.own}
    for match in map(PLACED.fullmatch, messages.errors or [refusal]):
        if match is None or (path := paths.get(match["file"])) is None:
            continue
        line = int(match["line"])
        place = path, line, checked.text(path).character(line, int(match["column"]))
        if "unsafe variables" in (text := " ".join(match["text"].split())):
            names = UNSAFE.findall(match["text"])
            rules = (one.node for one in checked.every[path] if one.rule.line == line)
            inside = [(one, unsafe_inside(node, one[2])) for node in rules for one in names]
            for (row, byte, _), told in (pair for pair in inside if pair[1]):
                at = path, int(row), checked.text(path).character(int(row), int(byte))
                hint = "Repeat the atom outside, or derive a predicate for both and ask for that"
                yield checked.finding("unsafe", at, told, hint)
            if not all(told for _, told in inside):
                yield checked.finding("unsafe", place, *unsafe(match["text"]))
        else:
            yield checked.finding("clingo", place, text, "Correct the rule")
    # To look into a syntax tree takes long.
    nodes = (one.node for one in checked.statements if _POOLED.search(str(one.node)))
    for part in chain.from_iterable(map(trees.walk, nodes)):
        if (
            part.ast_type is ASTType.Literal
            and part.sign != Sign.NoSign
            and any(below.ast_type is ASTType.Pool for below in trees.walk(part))
        ):
            told = f'"{part}" means that one of these does not hold, not that none does'
            hint = "Write one negation each, or derive a predicate for them all and negate that"
            yield checked.finding("pooled-negation", part, told, hint)


class _Uses:
    """The places where the predicates of a file are derived and used."""

    def __init__(self, statements: Iterable[tuple[Statement, Read]]) -> None:
        self.derived: dict[Signature, list[Place]] = defaultdict(list)
        self.used: dict[Signature, list[Place]] = defaultdict(list)
        self.declared: set[Signature] = set()
        for statement, reads in statements:
            node = statement.node
            if node.ast_type is ASTType.Defined:
                self.declared.add(Signature(node.name, node.arity))
            elif node.ast_type is ASTType.ShowSignature and node.name:
                self.used[Signature(node.name, node.arity)].append(node)
            for mentioned, places in ((reads.derived, self.derived), (reads.used, self.used)):
                for atom in mentioned:
                    places[atom.key].append((statement, atom))


def check_predicates(checked: Checked) -> Iterator[Finding]:
    """Look for predicates that are undefined, unused, private to another file, or reserved."""
    uses = {path: _Uses(statements) for path, statements in checked.atoms.items()}
    for path, weights in checked.weights.items():
        for subject, (first, *_) in weights.items():
            key = Signature(subject.predicate, v.WEIGHT.arity)
            uses[path].derived.setdefault(key, [first.node])
    yield from _undefined(checked, uses)
    yield from _unused(checked, uses)
    yield from _private(checked, uses)
    for path in checked.own:
        for key, (place, *_) in (*uses[path].derived.items(), *uses[path].used.items()):
            if key.name.startswith(trees.PREFIX):
                told = f"names that begin with {trees.PREFIX} are reserved: {key}"
                hint = "Begin the names of private predicates with a single _"
                yield checked.finding("reserved", place, told, hint, str(key))


def _undefined(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    known = _known(uses, uses)
    there = {program: _there(checked, program, uses) for program in checked.programs}
    lacking: dict[tuple[Path, Signature], list[Program]] = defaultdict(list)
    places: dict[tuple[Path, Signature], list[Place]] = defaultdict(list)
    for path in checked.own:
        programs = checked.programs_of[path]
        for program in () if path in checked.fitting else programs:
            for key in uses[path].used.keys() - there[program]:
                lacking[path, key].append(program)
                places[path, key] = uses[path].used[key]
        for statement, reads in checked.atoms[path] if path in checked.fitting else ():
            # It is for the program that has most of what it asks for.
            unknown = {
                program: [atom for atom in reads.used if atom.key not in there[program]]
                for program in programs
            }
            program = min(unknown, key=lambda program: len(unknown[program]))
            for atom in unknown[program]:
                lacking[path, atom.key] = [program]
                places[path, atom.key].append((statement, atom))
    for (path, key), programs in lacking.items():
        if key.name in checked.unread:
            continue
        everywhere = path in checked.fitting or len(programs) == len(checked.programs_of[path])
        among = "" if everywhere else f" in {', '.join(program.name for program in programs)}"
        holds = {program.purpose for program in there if key in there[program]}
        hint = "Derive it, or declare it with #defined if it may be absent"
        if everywhere and holds and not holds & {program.purpose for program in programs}:
            where = " and ".join(f"{purpose}s" for purpose in Purpose if purpose in holds)
            asks = " and ".join(sorted({f"{program.purpose}s" for program in programs}))
            among, hint = f": it holds in {where} only", f"No rule of {asks} can ask for it"
        there_too = there[programs[0]] if path in checked.fitting else known
        for place in places[path, key]:
            if checked.runs and not isinstance(place, tuple):
                # To show what there is none of does no harm.
                continue
            meant = _meant(checked, key, place, there_too) if key not in known else ""
            told = f"no rule and no fact derives {key}{among}"
            yield checked.finding("undefined", place, told, meant or hint, str(key))


def _there(checked: Checked, program: Program, uses: Mapping[Path, _Uses]) -> set[Signature]:
    """The predicates of a program; of the user's rules only those that fit in derive any."""
    files = checked.loaded[program]
    if program.decides:
        return _known(files, uses)
    known = _known((path for path in files if path not in checked.fitting), uses)
    own = [reads for path in files if path in checked.fitting for _, reads in checked.atoms[path]]
    rules = [({atom.key for atom in one.used}, {atom.key for atom in one.derived}) for one in own]
    fits(known, dict(enumerate(rules)))
    return known


def _known(files: Iterable[Path], uses: Mapping[Path, _Uses]) -> set[Signature]:
    """The predicates that files derive, or declare as absent."""
    every = (uses[path] for path in files)
    return set[Signature]().union(*(one.derived.keys() | one.declared for one in every))


def _meant(checked: Checked, key: Signature, place: Place, known: Collection[Signature]) -> str:
    """The predicate that fits best in the place of an unknown one, or has the most similar name."""
    best, namesakes = None, {one[0] for one in (*known, *documented())}
    if key.name not in namesakes and isinstance(place, tuple) and isinstance(place[1], Atom):
        statement, atom = place
        reads = next(reads for one, reads in checked.atoms[statement.path] if one is statement)
        public = {one for one in {*known, *documented()} - {key} if not one[0].startswith("_")}
        best = types_of(checked).best(atom, reads, public)
    if best is None:
        return suggestion(key, known)
    return f"Did you mean {best}?{'' if best.arity == key.arity else f' {_counted(key.arity)}'}"


def documented() -> set[Signature]:
    """The predicates of the vocabulary."""
    return {predicate.signature for predicate in v.all_predicates()}


def suggestion(key: tuple[str, int], known: Iterable[tuple[str, int]]) -> str:
    """The predicate of a name like that of an unknown one, as a question; empty if none is near."""
    name, arity = key
    arities: dict[str, set[int]] = {}
    for other, size in {*known, *documented()} - {key}:
        # A private name of another file is not meant.
        if name.startswith("_") or not other.startswith("_"):
            arities.setdefault(other, set()).add(size)
    if name in arities:
        sizes = " or ".join(f"{name}/{size}" for size in sorted(arities[name]))
        return f"Did you mean {sizes}? {_counted(arity)}"
    near = _near(name, sorted(arities))
    if not near:
        return ""
    # Of names that are as near, one of the same arity was meant.
    meant = min(near, key=lambda other: arity not in arities[other])
    return f"Did you mean {meant}/{arity if arity in arities[meant] else min(arities[meant])}?"


def _near(name: str, known: Iterable[str]) -> list[str]:
    """At most three names like another one, the most similar first."""
    rated = sorted(((likeness(name, other), other) for other in known), reverse=True)
    return [other for like, other in rated[:3] if like >= _SIMILAR]


def _counted(arity: int) -> str:
    return f"It has {arity} argument{'' if arity == 1 else 's'} here"


def _unused(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    used = {
        program: {key for path in files for key in uses[path].used}
        for program, files in checked.loaded.items()
    }
    tables = {one.signature for one in (v.ARGUES, v.CALLED, v.CONFIDENCE, v.MARKS)}
    for path in checked.own:
        here = set[Signature]().union(*(used[program] for program in checked.programs_of[path]))
        public = {key for key in here if not key.name.startswith("_")}
        for key, places in uses[path].derived.items() if checked.programs_of[path] else ():
            if key.name in checked.unread or key in tables or key in here:
                continue
            known = key in documented() or key.name.startswith("_")
            known = known or not _near(key.name, {one.name for one in public})
            meant = "" if known else _meant(checked, key, places[0], public)
            code, hint = ("misspelt", meant) if meant else ("unused", "Use it, or remove the rule")
            finding = checked.finding(code, places[0], f"nothing uses {key}", hint, str(key))
            if not checked.is_others(finding):
                yield finding


def _private(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    homes = {key: path for path, one in uses.items() for key in one.derived}
    for path in checked.own:
        for key in uses[path].used.keys() - uses[path].derived.keys():
            if key.name.startswith("_") and key in homes:
                place, *_ = uses[path].used[key]
                told = f"the private predicate {key} belongs to {checked.name(homes[key])}"
                hint = "Rename it there without its leading _, or derive one of your own"
                yield checked.finding("private", place, told, hint, str(key))


def check_sample(
    checked: Checked,
    rules: Sequence[Statement],
    fired: Collection[str],
    seen: Collection[str],
    clashes: Mapping[tuple[str, str], str],
    pairs: int,
) -> Iterator[Finding]:
    """Look for rules that decide answers and never fired for sample pairs, or that disagreed.

    Of ``rules`` constraints are left out, which never fire in an answer, and so are rules of
    explanations. ``seen`` are the names of predicates that had atoms; ``clashes`` are pairs of
    rules of which one split chunks where the other joined them, with an example.
    """
    yield from _clashing(checked, clashes)
    for statement in rules:
        node, name = statement.node, statement.rule.name
        fires = trees.derives_atom(node) or node.ast_type is ASTType.Minimize
        choice = node.ast_type is ASTType.Rule and node.head.ast_type is not ASTType.Literal
        decides = any(program.decides for program in checked.programs_of[statement.path])
        if decides and name not in fired and (fires or choice):
            needed = (part for part in node.body if trees.is_atom(part, Sign.NoSign))
            names = (predicate.name for part in needed for predicate in trees.predicates(part))
            absent = next((one for one in names if one not in seen), None)
            told = f"this rule never fires for the {pairs} sample pairs"
            hint = f"They have no {absent}" if absent else "Its conditions never hold together"
            yield checked.finding("unfired", statement, told, hint, name)


def _clashing(checked: Checked, clashes: Mapping[tuple[str, str], str]) -> Iterator[Finding]:
    """Rules that disagree: the finding is at the later one, at the user's if there is one."""
    own = {one.rule.name: one for one in checked.statements}
    rules = {one.rule.name: one for one in chain.from_iterable(checked.by_file.values())}
    for names, example in clashes.items():
        candidates = [own[name] for name in names if name in own]
        if not candidates or not all(name in rules for name in names):
            continue
        last = checked.shipped_first(one.path for one in candidates)[-1]
        clashing = next(one for one in reversed(candidates) if one.path == last)
        other = next(rules[name].rule for name in names if rules[name] is not clashing)
        told = f"at {example} this rule and {other.name} ({other.file}:{other.line}) disagree on "
        told += "whether a chunk begins; must_split wins"
        hint = "Make one of them an exception of the other"
        yield checked.finding("split-and-join", clashing, told, hint, clashing.rule.name)


_EVIDENCE = v.EVIDENCE.signature
_WORTHS = {one.signature for one in (*v.WEIGHTS, v.WORTH)}
_TABLES = {one.name for one in (v.CONFIDENCE, v.RATING_MARGIN, v.ARGUES, v.CALLED, v.MARKS)}


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
    names = {one.name.rstrip("'") for one in checked.rules.rules if one.sentence is not None}
    for statement in checked.statements:
        kind, rule, path = statement.node.ast_type, statement.rule, statement.path
        for line, text in rule.examples:
            name = read_example(text).profile or checked.profiles[0]
            if name not in checked.profiles:
                hint = suggest(name, checked.profiles, "See ists-asp profiles")
                yield checked.finding("directive", (path, line, 1), f"no profile {name}", hint)
        if rule.excepts and kind is ASTType.Defined and rule.excepts not in names:
            hint = suggest(rule.excepts, names, "ists-asp rules list shows all names")
            yield checked.finding("directive", statement, f"no rule is called {rule.excepts}", hint)
        if rule.text.partition("(")[0] in _TABLES and trees.is_fact(statement.node):
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
    for path in checked.own:
        first: dict[str, Statement] = {}
        for statement in (one for one in checked.by_file[path] if one.rule.sentence is not None):
            rule = statement.rule
            there = first.setdefault(rule.name, statement).rule
            # The elements of one #maximize share its place and name.
            if (there.line, there.column) != (rule.line, rule.column):
                told = f"the rule name {rule.name} is taken by {there.file}:{there.line}"
                hint = "Give each rule a name of its own"
                yield checked.finding("name-twice", statement, told, hint, rule.name)


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
        for atom in trees.atoms(statement.node.head) if rule else ():
            evidence = (atom.name, len(atom.arguments)) == _EVIDENCE
            if not (evidence and isinstance(about := read(atom.arguments[0]), Call)):
                continue
            known = targets.get(about.name)
            if known is None or known.arity != len(about.arguments):
                near = alike(about.name, targets)
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
        together, constants, lambda rule: rule.file in own or any(key in rule.text for key in names)
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
