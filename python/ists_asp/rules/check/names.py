"""Names of predicates, rules, tables and evidence that miss one another, or stand twice.

A predicate that nothing derives, that nothing uses, or of another file; rules that never fire.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap
from pathlib import Path

from clingo import Control
from clingo.ast import ASTType, ProgramBuilder, Sign

from ists_asp import vocabulary as v
from ists_asp.errors import UNSAFE, alike, suggest, unsafe
from ists_asp.resources import asp_dir
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
from ists_asp.syntax.terms import Call, Term, bind_all, parsed, read, written
from ists_asp.syntax.trees import Signature

_SIMILAR = 0.75  # the least similarity of a name that may have been meant
_POOLED = re.compile(r"(not|:-) .*;(?! )")
_INSTEAD = {
    **dict.fromkeys(("upos/3", "xpos/3", "tagged/4"), "retag(S,I,Upos,Xpos)"),
    **dict.fromkeys(("token/3", "part/7", "word/3", "lemma/3"), "alike(I,J,Kind,V)"),
    **{"boundary/2": "must_split or must_join", "label/3": "licensed or forbidden_label"},
    **{"aligned/2": "proposed(X,Y)", "score/3": "forbidden_score(X,Y,N)"},
}  # what rules derive instead of what is input or decided


def check_statements(checked: Checked) -> Iterator[Finding]:
    """Look for what clingo refuses, such as unsafe variables, and for pools in bodies."""
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
    paths = {str(path): path for path in checked.paths}
    for match in map(PLACED.fullmatch, messages.errors or [refusal]):
        if match is None or (path := paths.get(match["file"])) is None:
            continue
        line = int(match["line"])
        place = path, line, checked.text(path).character(line, int(match["column"]))
        if "unsafe variables" in (text := " ".join(match["text"].split())):
            names = UNSAFE.findall(match["text"])
            nodes = [rule.node for rule in checked.all_by_file[path] if rule.rule.line == line]
            inside = [(name, unsafe_inside(node, name[2])) for node in nodes for name in names]
            for (row, byte, _), found in (pair for pair in inside if pair[1]):
                at = path, int(row), checked.text(path).character(int(row), int(byte))
                hint = "Repeat the atom outside, or derive a predicate for both and ask for that"
                yield checked.finding("unsafe", at, found, hint)
            if not all(found for _, found in inside):
                yield checked.finding("unsafe", place, *unsafe(match["text"]))
        else:
            yield checked.finding("clingo", place, text, "Correct the rule")
    # To look into a syntax tree takes long.
    for node in (rule.node for rule in checked.statements if _POOLED.search(str(rule.node))):
        body = [*chain.from_iterable(map(trees.walk, getattr(node, "body", ())))]
        for literal in (part for part in trees.walk(node) if part.ast_type is ASTType.Literal):
            pools = [part for part in trees.walk(literal) if part.ast_type is ASTType.Pool]
            varied = any(len(trees.variable_names(part)) > 1 for part in pools)
            if pools and literal.sign != Sign.NoSign:
                found = f'"{literal}" means that one of these does not hold, not that none does'
                hint = "Write one negation each, or derive a predicate for them all and negate that"
                yield checked.finding("pooled-negation", literal, found, hint)
            elif varied and literal in body and literal.atom.ast_type is ASTType.SymbolicAtom:
                found = f'"{literal}" asks that one of these holds, not that all do'
                hint = "For all, write an atom each; for one, a variable Z with Z = (X;Y)"
                yield checked.finding("pooled-variables", literal, found, hint)


class _Uses:
    """The places where the predicates of a file are derived and used, or only which these are."""

    def __init__(
        self,
        statements: Iterable[tuple[Statement, Read]],
        names: Sequence[Sequence[tuple[str, int]]] = ((), (), ()),
    ) -> None:
        self.derived: dict[Signature, list[Place]] = defaultdict(list)
        self.used: dict[Signature, list[Place]] = defaultdict(list)
        self.declared = {*starmap(Signature, names[2])}
        for keys, places in zip(names, (self.derived, self.used), strict=False):
            places.update((Signature(*key), []) for key in keys)
        for statement, reads in statements:
            node, kind = statement.node, statement.node.ast_type
            if kind is ASTType.Defined:
                self.declared.add(Signature(node.name, node.arity))
            elif kind is ASTType.ShowSignature and node.name:
                self.used[Signature(node.name, node.arity)].append(node)
            for mentioned, places in ((reads.derived, self.derived), (reads.used, self.used)):
                for atom in mentioned:
                    places[atom.key].append((statement, atom))


def check_predicates(checked: Checked) -> Iterator[Finding]:
    """Look for predicates that are undefined, unused, private to another file, or reserved."""

    def of_others(paths: Iterable[Path]) -> dict[str, list[list[Signature]]]:
        uses = {str(path): _Uses(checked.atoms_of(path)) for path in paths}
        return {
            path: [*map(list, (its.derived, its.used, its.declared))] for path, its in uses.items()
        }

    others = checked.of_others("uses", of_others)
    uses = {
        path: _Uses((), others[str(path)]) if str(path) in others else _Uses(checked.atoms_of(path))
        for path in checked.by_file
    }
    for path, weights in checked.weights.items():
        for subject, (first, *_) in weights.items():
            key = Signature(subject.predicate, v.WEIGHT.arity)
            uses[path].derived.setdefault(key, [first.node])
    yield from _undefined(checked, uses)
    yield from _unused(checked, uses)
    yield from _private(checked, uses)
    for path in checked.paths:
        for key, places in uses[path].derived.items():
            hint = _INSTEAD.get(str(key))
            for place in places if hint and not path.is_relative_to(asp_dir()) else ():
                found = f"{key} is input or decided, and not for rules to derive"
                yield checked.finding("reserved", place, found, f"Derive {hint}", str(key))
        for key, (place, *_) in (*uses[path].derived.items(), *uses[path].used.items()):
            if key.name.startswith(trees.PREFIX):
                found = f"names that begin with {trees.PREFIX} are reserved: {key}"
                hint = "Begin the names of private predicates with a single _"
                yield checked.finding("reserved", place, found, hint, str(key))


def _undefined(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    derivable = _derivable(uses, uses)
    derivable_in = {program: _derivable_in(checked, program, uses) for program in checked.programs}
    lacking: dict[tuple[Path, Signature], list[Program]] = defaultdict(list)
    places: dict[tuple[Path, Signature], list[Place]] = defaultdict(list)
    for path in checked.paths:
        programs = checked.programs_of[path]
        for program in () if path in checked.fitting else programs:
            for key in uses[path].used.keys() - derivable_in[program]:
                lacking[path, key].append(program)
                places[path, key] = uses[path].used[key]
        for statement, reads in checked.atoms_of(path) if path in checked.fitting else ():
            # It is for the program that has most of what it asks for.
            unknown = {
                program: [atom for atom in reads.used if atom.key not in derivable_in[program]]
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
        holds = {program.purpose for program in derivable_in if key in derivable_in[program]}
        hint = "Derive it, or declare it with #defined if it may be absent"
        if everywhere and holds and not holds & {program.purpose for program in programs}:
            purposes = " and ".join(f"{purpose}s" for purpose in Purpose if purpose in holds)
            asks = " and ".join(sorted({f"{program.purpose}s" for program in programs}))
            among, hint = f": it holds in {purposes} only", f"No rule of {asks} can ask for it"
        candidates = derivable_in[programs[0]] if path in checked.fitting else derivable
        for place in places[path, key]:
            if checked.runs and not isinstance(place, tuple):
                # To show what there is none of does no harm.
                continue
            meant = _meant(checked, key, place, candidates) if key not in derivable else ""
            found = f"no rule and no fact derives {key}{among}"
            yield checked.finding("undefined", place, found, meant or hint, str(key))


def _derivable_in(checked: Checked, program: Program, uses: Mapping[Path, _Uses]) -> set[Signature]:
    """The predicates of a program; of the user's rules only those that fit in derive any."""
    files = checked.loaded[program]
    if program.decides:
        return _derivable(files, uses)
    derivable = _derivable((path for path in files if path not in checked.fitting), uses)
    rules = [
        ({atom.key for atom in reads.used}, {atom.key for atom in reads.derived})
        for path in files
        if path in checked.fitting
        for _, reads in checked.atoms_of(path)
    ]
    fits(derivable, dict(enumerate(rules)))
    return derivable


def _derivable(files: Iterable[Path], uses: Mapping[Path, _Uses]) -> set[Signature]:
    """The predicates that files derive, or declare as absent."""
    keys = (uses[path].derived.keys() | uses[path].declared for path in files)
    return set[Signature]().union(*keys)


def _meant(checked: Checked, key: Signature, place: Place, known: Collection[Signature]) -> str:
    """The predicate that fits best in the place of an unknown one, or has the most similar name."""
    best, namesakes = None, {signature[0] for signature in (*known, *documented())}
    if key.name not in namesakes and isinstance(place, tuple) and isinstance(place[1], Atom):
        statement, atom = place
        reads = next(reads for one, reads in checked.atoms_of(statement.path) if one is statement)
        others = {*known, *documented()} - {key}
        public = {other for other in others if not other.name.startswith("_")}
        best = types_of(checked).best(atom, reads, public)
    if best is None:
        return suggestion(key, known)
    return f"Did you mean {best}?{'' if best.arity == key.arity else f' {_counted(key.arity)}'}"


def documented() -> set[Signature]:
    """The predicates of the vocabulary."""
    return {predicate.signature for predicate in v.all_predicates()}


def suggestion(key: tuple[str, int], candidates: Iterable[tuple[str, int]]) -> str:
    """The predicate of a name like that of an unknown one, as a question; empty if none is near."""
    name, arity = key
    arities: dict[str, set[int]] = {}
    for other, size in {*candidates, *documented()} - {key}:
        # A private name of another file is not meant.
        if name.startswith("_") or not other.startswith("_"):
            arities.setdefault(other, set()).add(size)
    if name in arities:
        sizes = " or ".join(f"{name}/{size}" for size in sorted(arities[name]))
        return f"Did you mean {sizes}? {_counted(arity)}"
    similar = _similar_names(name, sorted(arities))
    if not similar:
        return ""
    # Of names that are as near, one of the same arity was meant.
    meant = min(similar, key=lambda other: arity not in arities[other])
    return f"Did you mean {meant}/{arity if arity in arities[meant] else min(arities[meant])}?"


def _similar_names(name: str, candidates: Iterable[str]) -> list[str]:
    """At most three names like another one, the most similar first."""
    rated = sorted(((likeness(name, other), other) for other in candidates), reverse=True)
    return [other for like, other in rated[:3] if like >= _SIMILAR]


def _counted(arity: int) -> str:
    return f"It has {arity} argument{'' if arity == 1 else 's'} here"


def _unused(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    used = {
        program: {key for path in files for key in uses[path].used}
        for program, files in checked.loaded.items()
    }
    tables = {entry.signature for entry in _READ}
    for path in checked.paths:
        used_here = set[Signature]().union(*map(used.__getitem__, checked.programs_of[path]))
        public = {key for key in used_here if not key.name.startswith("_")}
        for key, places in uses[path].derived.items() if checked.programs_of[path] else ():
            if key.name in checked.unread or key in tables or key in used_here:
                continue
            intended = key in documented() or key.name.startswith("_")
            misspelt = not intended and _similar_names(key.name, {other.name for other in public})
            meant = _meant(checked, key, places[0], public) if misspelt else ""
            code, hint = ("misspelt", meant) if meant else ("unused", "Use it, or remove the rule")
            finding = checked.finding(code, places[0], f"nothing uses {key}", hint, str(key))
            if not checked.is_others(finding):
                yield finding


def _private(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    homes = {key: path for path, file_uses in uses.items() for key in file_uses.derived}
    for path in checked.paths:
        for key in uses[path].used.keys() - uses[path].derived.keys():
            if key.name.startswith("_") and key in homes:
                place, *_ = uses[path].used[key]
                found = f"the private predicate {key} belongs to {checked.name(homes[key])}"
                hint = "Rename it there without its leading _, or derive one of your own"
                yield checked.finding("private", place, found, hint, str(key))


def check_sample(
    checked: Checked,
    rules: Sequence[Statement],
    fired: Collection[str],
    predicates: Collection[str],
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
            needed = (literal for literal in node.body if trees.is_atom(literal, Sign.NoSign))
            names = (key.name for literal in needed for key in trees.predicates(literal))
            absent = next((name for name in names if name not in predicates), None)
            found = f"this rule never fires for the {pairs} sample pairs"
            hint = f"They have no {absent}" if absent else "None of them meets all its conditions"
            yield checked.finding("unfired", statement, found, hint, name)


def _clashing(checked: Checked, clashes: Mapping[tuple[str, str], str]) -> Iterator[Finding]:
    """Rules that disagree: the finding is at the later one, at the user's if there is one."""
    statements = chain.from_iterable(checked.by_file.values())
    rules = {statement.rule.name: statement for statement in statements}
    examined = {statement.rule.name: statement for statement in checked.statements}
    for names, example in clashes.items():
        candidates = [examined[name] for name in names if name in examined]
        if not candidates or not all(name in rules for name in names):
            continue
        last = checked.shipped_first(statement.path for statement in candidates)[-1]
        clashing = next(statement for statement in reversed(candidates) if statement.path == last)
        other = next(rules[name].rule for name in names if rules[name] is not clashing)
        found = f"at {example} this rule and {other.name} ({other.file}:{other.line}) disagree on "
        found += "whether a chunk begins; must_split wins"
        hint = "Make one of them an exception of the other"
        yield checked.finding("split-and-join", clashing, found, hint, clashing.rule.name)


_EVIDENCE = v.EVIDENCE.signature
_WORTHS = {entry.signature for entry in (*v.WEIGHTS, v.WORTH)}
_READ = (v.ARGUES, v.CALLED, v.CONFIDENCE, v.FOR_EDITS, v.MARKS)  # by Python, and by no rule
_TABLES = {entry.name for entry in (*_READ, v.RATING_MARGIN)}


def check_tables(checked: Checked) -> Iterator[Finding]:
    """Look through the word tables."""
    if any(name in statement.rule.text for statement in checked.statements for name, _ in TABLES):
        filenames = {str(path) for path in checked.paths}
        for entry, found, hint in faults(entries(checked.rules), filenames):
            path, line = Path(entry.place.filename), entry.place.line
            column = checked.text(path).character(line, entry.place.column)
            yield checked.finding("entry", (path, line, column), found, hint)


def check_names(checked: Checked) -> Iterator[Finding]:
    """Look for rules without a name, names and weights that are given twice, and odd files."""
    yield from _names_twice(checked)
    yield from dict.fromkeys(_weights_twice(checked))
    for path, found in checked.replaced.items():
        yield checked.finding("replaces", (path, 0, 0), found, "")
    names = {rule.name.rstrip("'") for rule in checked.rules.rules if rule.sentence is not None}
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
            found = "this rule has no name: traces can only give its place"
            hint = 'Put %@rule name: "what it means, with {Variables}" on the line above'
            yield checked.finding("nameless", statement, found, hint)
        if path in checked.weights_files and kind is not ASTType.Program:
            found = "a weights file contains something other than weights"
            hint = "Move it to another file: ists-asp learn overwrites weights files"
            yield checked.finding("weights-file", statement, found, hint)
    for path in checked.paths:
        if checked.programs and not checked.programs_of[path]:
            hint = "Name it, or its folder, in profiles/NAME.toml"
            yield checked.finding("unloaded", (path, 1, 1), "no profile loads this file", hint)


def _names_twice(checked: Checked) -> Iterator[Finding]:
    for path in checked.paths:
        first: dict[str, Statement] = {}
        for statement in checked.by_file[path]:
            rule = statement.rule
            if rule.sentence is None:
                continue
            namesake = first.setdefault(rule.name, statement).rule
            # The elements of one #maximize share its place and name.
            if (namesake.line, namesake.column) != (rule.line, rule.column):
                found = f"the rule name {rule.name} is taken by {namesake.file}:{namesake.line}"
                hint = "Give each rule a name of its own"
                yield checked.finding("name-twice", statement, found, hint, rule.name)


def _weights_twice(checked: Checked) -> Iterator[Finding]:
    for files in checked.loaded.values():
        first: dict[Weighed, Statement] = {}
        for path in checked.shipped_first(files):
            derived = (
                (key, [statement])
                for statement in checked.by_file[path]
                if WEIGHED.search(statement.rule.text)
                for key in weighed(statement.node, facts=False)
            )
            for key, statements in (*checked.weights.get(path, {}).items(), *dict(derived).items()):
                earlier, *again = (first[key], *statements) if key in first else statements
                first[key] = earlier
                for statement in again if path in checked.paths else ():
                    if fault := key.twice(earlier.rule, statement.rule):
                        yield checked.finding("weight-twice", statement, *fault, key.evidence)


def check_targets(checked: Checked) -> Iterator[Finding]:
    """Look for evidence about unknown targets."""
    targets = v.targets()
    for statement in checked.statements:
        rule = statement.node.ast_type is ASTType.Rule and v.EVIDENCE.name in statement.rule.text
        for atom in trees.atoms(statement.node.head) if rule else ():
            evidence = (atom.name, len(atom.arguments)) == _EVIDENCE
            name, about = map(read, atom.arguments[1::-1]) if evidence else (None, None)
            if isinstance(name, Call) and name.name in targets:
                hint = f"Write evidence({written(name)},{written(about)},Value)"
                yield checked.finding("target", atom, f"{written(name)} is no name", hint)
            if not isinstance(about, Call):
                continue
            target = targets.get(about.name)
            if target is None or target.arity != len(about.arguments):
                similar = alike(about.name, targets)
                hint = f"Did you mean {targets[similar[0]]}? " if similar else ""
                hint += "Evidence is about boundary(S,I), pair(X,Y), link(X,Y) or side(S,X,Y)"
                found = f"no evidence is about {about.name}/{len(about.arguments)}"
                yield checked.finding("target", atom.arguments[0], found, hint)


def check_evidence(checked: Checked) -> Iterator[Finding]:
    """Look both ways: evidence without a weight, and weights of evidence that no rule derives."""
    filenames = {checked.name(path) for path in checked.paths}
    weights = [subject for path in checked.paths for subject in checked.weights.get(path, ())]
    names = {subject.evidence.partition("(")[0] for subject in weights}
    if not checked.weights_files or _plainly_weighed(checked):
        return
    statements = [*chain.from_iterable(checked.by_file.values())]
    # The value of a weight plays no part, so that one file's is as good as another's.
    first = {key: same[0] for weights in checked.weights.values() for key, same in weights.items()}
    constants = {pair for program in checked.programs for pair in program.profile.constants.items()}
    pairs = [(statement.node, statement.rule) for statement in (*statements, *first.values())]
    nodes, rules = zip(*pairs, strict=True) if pairs else ((), ())
    makers = rule_weights(
        replace(checked.rules, statements=nodes, rules=rules),
        constants,
        lambda rule: rule.file in filenames or any(key in rule.text for key in names),
    )
    yield from _unweighed(checked, makers)
    yield from _unmade(checked, statements, makers)


def _plainly_weighed(checked: Checked) -> bool:
    """Whether each name of evidence that files derive or weigh stands in a head and in a weight."""
    weights = {subject.evidence for subjects in checked.weights.values() for subject in subjects}
    derived: dict[Path, set[Term]] = {path: set() for path in checked.files}
    for statement, reads in checked.reads:
        heads = (head for head in reads.derived if head.key == _EVIDENCE)
        derived[statement.path].update(head.arguments[1] for head in heads)
    names = set[Term]().union(*(derived[path] for path in checked.paths))
    subjects = (subject for path in checked.paths for subject in checked.weights.get(path, ()))
    weighed = {subject.evidence for subject in subjects}
    plain = not any("(" in str(name) for name in names | weighed)
    return plain and names <= weights and weighed <= set[Term]().union(*derived.values())


def _unweighed(checked: Checked, makers: Mapping[str, tuple[Weight, ...]]) -> Iterator[Finding]:
    for statement in checked.statements:
        name = statement.rule.name
        programs = [program for program in checked.programs_of[statement.path] if program.decides]
        files = {path for program in programs for path in checked.loaded[program]}
        subjects = {subject[1:] for path in files for subject in checked.weights.get(path, ())}
        weights = None if statement.path in checked.faulty else makers.get(name)
        if weights is not None and programs and subjects.isdisjoint(key[:2] for key in weights):
            found = "the evidence that this rule derives has no weight and does not count"
            hint = "Weigh it by weight/3, or by argues/3 and ists-asp learn"
            yield checked.finding("unweighed", statement, found, hint, name)


def _unmade(
    checked: Checked, statements: list[Statement], makers: Mapping[str, tuple[Weight, ...]]
) -> Iterator[Finding]:
    # The weights that rules ask for by name, rather than for whatever evidence there is.
    queried = [
        atom.arguments[:2]
        for _, rule in checked.reads
        for atom in rule.used
        if atom.key in _WORTHS and isinstance(atom.arguments[0], Call | Ground)
    ]
    derived: dict[Path, set[tuple[str, str]]] = defaultdict(set)
    for statement in statements:
        weights = makers.get(statement.rule.name, ())
        derived[statement.path].update((weight.evidence, weight.decision) for weight in weights)
    for path in checked.paths.keys() & checked.weights.keys():
        files = {file for program in checked.programs_of[path] for file in checked.loaded[program]}
        derivable = set[tuple[str, str]]().union(*(derived[file] for file in files))
        for (_, evidence, decision), (statement, *_) in checked.weights[path].items():
            pair = parsed(evidence), parsed(decision)
            required = any(bind_all(pattern, pair, {}) for pattern in queried)
            if required or (evidence, decision) in derivable:
                continue
            found = f"no rule derives the evidence {evidence} for {decision}"
            hint = "Check its spelling, or remove the weight"
            finding = checked.finding("unmade", statement, found, hint, evidence)
            if not checked.is_others(finding):
                yield finding
