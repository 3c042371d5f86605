"""Predicates that nothing derives, that nothing uses, or of another file; rules that never fire."""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clingo import Control
from clingo.ast import AST, ASTType, ProgramBuilder, Sign

from ists_asp.errors import unsafe
from ists_asp.rules.arguments import Atom, Read
from ists_asp.rules.check.meanings import meanings_of
from ists_asp.rules.check.names import suggestion
from ists_asp.rules.loader import fits
from ists_asp.rules.parsing import PLACED, Messages
from ists_asp.rules.profiles import Purpose
from ists_asp.syntax.trees import Signature, derives_atom, is_atom, predicates, walk
from ists_asp.vocabulary import ARGUES, CONFIDENCE, WEIGHT, all_predicates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.rules.check.checked import Checked, Place, Program, Statement
    from ists_asp.rules.check.finding import Finding

_MESSAGES = 10_000
_RESERVED = "__"
_NEAR = 0.75
"""How like a name is that may have been meant."""

_POOLED = re.compile(r"not .*;(?! )")


def check_statements(checked: Checked) -> Iterator[Finding]:
    """Look for unsafe variables and pooled negation."""
    yield from _refused(checked)
    # To look into a syntax tree takes long.
    pooled = (one.node for one in checked.statements if _POOLED.search(str(one.node)))
    for part in (part for node in pooled for part in walk(node)):
        if (
            part.ast_type is ASTType.Literal
            and part.sign != Sign.NoSign
            and any(below.ast_type is ASTType.Pool for below in walk(part))
        ):
            yield checked.finding(
                "pooled-negation",
                part,
                f'"{part}" means that one of these does not hold, not that none does',
                "Write one negation for each, or derive a predicate for them all and negate that",
            )


def _refused(checked: Checked) -> Iterator[Finding]:
    """What clingo refuses when it is given the statements, without grounding any."""
    messages, told = Messages(), ""
    control = Control(logger=messages, message_limit=_MESSAGES)
    with ProgramBuilder(control) as builder:
        for statement in checked.statements:
            if statement.node.ast_type is not ASTType.Definition:
                builder.add(statement.node)
    try:
        control.ground([("nothing", [])])
    except RuntimeError as error:
        told = str(error)
    names = {str(path): path for path in checked.own}
    for match in map(PLACED.fullmatch, messages.errors or [told]):
        path = names.get(match["file"]) if match is not None else None
        if match is None or path is None:
            continue
        line = int(match["line"])
        place = path, line, checked.text(path).character(line, int(match["column"]))
        if "unsafe variables" in match["text"]:
            yield checked.finding("unsafe", place, *unsafe(match["text"]))
        else:
            yield checked.finding("clingo", place, " ".join(match["text"].split()), "Mend the rule")


class _Uses:
    """Where predicates are derived and used in a file."""

    def __init__(self, statements: Iterable[tuple[Statement, Read]]) -> None:
        self.derived: dict[Signature, list[Place]] = defaultdict(list)
        self.used: dict[Signature, list[Place]] = defaultdict(list)
        self.declared: set[Signature] = set()
        for statement, read in statements:
            node = statement.node
            if node.ast_type is ASTType.Defined:
                self.declared.add(Signature(node.name, node.arity))
            elif node.ast_type is ASTType.ShowSignature and node.name:
                self.used[Signature(node.name, node.arity)].append(node)
            for atom in read.derived:
                self.derived[atom.key].append((statement, atom))
            for atom in read.used:
                self.used[atom.key].append((statement, atom))

    @property
    def known(self) -> Iterator[Signature]:
        """What is derived, or declared as absent."""
        yield from self.derived
        yield from self.declared


def check_predicates(checked: Checked) -> Iterator[Finding]:
    """Look for predicates that are undefined, unused, private to another file, or reserved."""
    uses = {path: _Uses(statements) for path, statements in checked.atoms.items()}
    for path, weights in checked.weights.items():
        for one, (first, *_) in weights.items():
            uses[path].derived.setdefault(Signature(one.predicate, WEIGHT.arity), [first.node])
    known = {key for of in uses.values() for key in of.known}
    yield from _undefined(checked, uses, known)
    yield from _unused(checked, uses)
    yield from _private(checked, uses)
    for path in checked.own:
        for key, places in (*uses[path].derived.items(), *uses[path].used.items()):
            if key.name.startswith(_RESERVED):
                yield checked.finding(
                    "reserved",
                    places[0],
                    f"names that begin with {_RESERVED} are reserved: {key}",
                    "Begin the names of private predicates with one _",
                    str(key),
                )


def _undefined(
    checked: Checked, uses: Mapping[Path, _Uses], known: Collection[Signature]
) -> Iterator[Finding]:
    lacking: dict[tuple[Path, Signature], list[Program]] = defaultdict(list)
    places: dict[tuple[Path, Signature], list[Place]] = defaultdict(list)
    there = {program: _there(checked, program, uses) for program in checked.programs}
    for path in checked.own:
        for program in () if path in checked.fitting else checked.programs_of[path]:
            for key in uses[path].used.keys() - there[program]:
                lacking[path, key].append(program)
                places[path, key] = uses[path].used[key]
    for path in (path for path in checked.own if path in checked.fitting):
        for statement, read in checked.atoms[path]:
            # It is for the program that has most of what it asks for.
            asked = {
                one: [atom for atom in read.used if atom.key not in there[one]]
                for one in checked.programs_of[path]
            }
            program = min(asked, key=lambda one: len(asked[one]))
            for atom in asked[program]:
                lacking[path, atom.key] = [program]
                places[path, atom.key].append((statement, atom))
    for (path, key), programs in lacking.items():
        if key.name in checked.unread:
            continue
        everywhere = path in checked.fitting or len(programs) == len(checked.programs_of[path])
        among = "" if everywhere else f" in {', '.join(program.name for program in programs)}"
        holds = {one.purpose for one, known_there in there.items() if key in known_there}
        hint = "Derive it, or declare it with #defined if it may be absent"
        if everywhere and holds and not holds & {one.purpose for one in programs}:
            where = " and ".join(f"{one}s" for one in Purpose if one in holds)
            asks = " and ".join(sorted({f"{one.purpose}s" for one in programs}))
            among, hint = f": it holds in {where} only", f"No rule of {asks} can ask for it"
        there_too = there[programs[0]] if path in checked.fitting else known
        for place in places[path, key]:
            if checked.runs and not isinstance(place, tuple):
                # To show what there is none of does no harm.
                continue
            yield checked.finding(
                "undefined",
                place,
                f"no rule and no fact derives {key}{among}",
                (_meant(checked, key, place, there_too) if key not in known else "") or hint,
                str(key),
            )


def _there(checked: Checked, program: Program, uses: Mapping[Path, _Uses]) -> set[Signature]:
    """What a program knows; of one's own rules only those that fit in derive something."""
    files = checked.loaded[program]
    if program.decides:
        return _known(files, uses)
    known = _known((path for path in files if path not in checked.fitting), uses)
    own = [read for path in files if path in checked.fitting for _, read in checked.atoms[path]]
    rules = [({atom.key for atom in one.used}, {atom.key for atom in one.derived}) for one in own]
    fits(known, dict(enumerate(rules)))
    return known


def _known(files: Iterable[Path], uses: Mapping[Path, _Uses]) -> set[Signature]:
    return {key for path in files for key in uses[path].known}


def _meant(checked: Checked, key: Signature, place: Place, known: Collection[Signature]) -> str:
    """What was meant by an unknown predicate: what fits there best, or is called most like it."""
    best = None
    documented = {one.signature for one in all_predicates()}
    if isinstance(place, tuple) and isinstance(place[1], Atom):
        statement, atom = place
        read = next(read for one, read in checked.atoms[statement.path] if one is statement)
        every = {one for one in {*known, *documented} - {key} if not one[0].startswith("_")}
        best = meanings_of(checked).best(atom, read, every)
    if best is None:
        return suggestion(key, known)
    counted = f" It has {key.arity} arguments here" if best.arity != key.arity else ""
    return f"Did you mean {best}?{counted.replace('1 arguments', '1 argument')}"


def _unused(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    documented = {one.signature for one in all_predicates()}
    used = {
        program: {key for path in files for key in uses[path].used}
        for program, files in checked.loaded.items()
    }
    for path in checked.own:
        programs = checked.programs_of[path]
        for key, places in uses[path].derived.items() if programs else ():
            if key.name in checked.unread or key in (ARGUES.signature, CONFIDENCE.signature):
                continue
            if any(key in used[program] for program in programs):
                continue
            every = set[Signature]().union(*(used[program] for program in programs))
            # A private name of another file is not meant.
            used_there = {one for one in every if not one.name.startswith("_")}
            names = {one.name for one in used_there}
            known = key in documented or key.name.startswith("_")
            known = known or not get_close_matches(key.name, names, 1, _NEAR)
            meant = "" if known else _meant(checked, key, places[0], used_there)
            kind, hint = ("misspelt", meant) if meant else ("unused", "Use it, or remove the rule")
            text = str(key)
            found = checked.finding(kind, places[0], f"nothing uses {text}", hint, text)
            if not checked.is_others(found):
                yield found


def _private(checked: Checked, uses: Mapping[Path, _Uses]) -> Iterator[Finding]:
    homes: dict[Signature, dict[Path, None]] = defaultdict(dict)
    for path in checked.shipped_first(uses):
        for key in uses[path].derived:
            if key.name.startswith("_"):
                homes[key][path] = None
    for path in checked.own:
        for key in {**uses[path].derived, **uses[path].used}:
            others = [home for home in homes.get(key, ()) if home != path]
            # Where several derive it, that is told where it is derived for the second time.
            derived = uses[path].derived.get(key)
            if others and not (derived and path == next(iter(homes[key]))):
                yield checked.finding(
                    "private",
                    (derived or uses[path].used[key])[0],
                    f"the private predicate {key} belongs to {checked.name(others[0])}",
                    "Rename it here, or take its leading _ away everywhere",
                    str(key),
                )


def check_sample(
    checked: Checked,
    asked: Sequence[Statement],
    fired: Collection[str],
    seen: Collection[str],
    clashes: Mapping[tuple[str, str], str],
    pairs: int,
) -> Iterator[Finding]:
    """Look for rules that decide answers and have never fired, or that have disagreed.

    Of the rules that are ``asked`` about: constraints are left out, which never fire in an
    answer, and so are the rules of explanations. ``seen`` are names of predicates that had atoms;
    ``clashes`` are pairs of rules of which one split chunks where the other joined them, with an
    example.
    """
    yield from _clashing(checked, clashes)
    for statement in asked:
        if statement.rule.name in fired or not _may_fire(statement.node):
            continue
        if any(program.decides for program in checked.programs_of[statement.path]):
            needed = (part for part in statement.node.body if is_atom(part, Sign.NoSign))
            absent = [
                one.name for part in needed for one in predicates(part) if one.name not in seen
            ]
            yield checked.finding(
                "unfired",
                statement,
                f"this rule never fires for the {pairs} sample pairs",
                f"They have no {absent[0]}"
                if absent
                else "Its conditions never hold together there",
                statement.rule.name,
            )


def _clashing(checked: Checked, clashes: Mapping[tuple[str, str], str]) -> Iterator[Finding]:
    """Rules that disagree, told of those about which findings are told, the user's first."""
    own = {one.rule.name: one for one in checked.statements}
    every = {one.rule.name: one for found in checked.by_file.values() for one in found}
    for names, example in clashes.items():
        mine = [own[name] for name in names if name in own]
        if not mine or not all(name in every for name in names):
            continue
        last = checked.shipped_first(one.path for one in mine)[-1]
        blamed = next(one for one in reversed(mine) if one.path == last)
        other = next(every[name].rule for name in names if every[name] is not blamed)
        yield checked.finding(
            "split-and-join",
            blamed,
            f"at {example} this rule and {other.name} ({other.file}:{other.line}) say whether a "
            "chunk begins, and disagree; must_split wins",
            "Make one of them an exception of the other",
            blamed.rule.name,
        )


def _may_fire(node: AST) -> bool:
    if node.ast_type is not ASTType.Rule:
        return node.ast_type is ASTType.Minimize
    return derives_atom(node) or node.head.ast_type is not ASTType.Literal
