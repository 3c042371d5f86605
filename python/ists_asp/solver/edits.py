"""What is new and what is gone between two versions of a rule set, and which pairs it can touch."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from clingo.ast import AST, ASTType

from ists_asp.resources import asp_dir
from ists_asp.solver.affected import Reach, Tables, TooMuchError
from ists_asp.solver.statements import EVERYTHING
from ists_asp.syntax.terms import Variant, bind, bind_all, filled_atom, is_ground, read_variants
from ists_asp.syntax.trees import Signature, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.affected import Decided, Indexed
    from ists_asp.solver.program import Program
    from ists_asp.solver.statements import Shapes, Version
    from ists_asp.syntax.terms import Bindings, Call

_MOST = 500
"""Statements that differ, or facts that follow: with more of them every pair counts as touched."""

_NEGATED = re.compile(r"""\"(?:[^"\\]|\\.)*+"|-([_']*[a-z][A-Za-z0-9_']*)""")
"""The names behind the sign of classical negation in a statement; some that are none as well."""

_BASE = "#program base."
_IGNORED = (ASTType.Defined, ASTType.Program)
_UNDERSTOOD = frozenset(
    {
        ASTType.Defined,
        ASTType.Definition,
        ASTType.Minimize,
        ASTType.Rule,
        ASTType.ShowSignature,
    }
)


class _Change(NamedTuple):
    """A statement that is new or gone; ``fresh`` if it is new."""

    node: AST
    place: str
    fresh: bool


class _Duty(NamedTuple):
    """Atoms that must hold for something at a place to touch a pair.

    ``restrains`` if it is a constraint that is new: an answer that satisfies it stays the best.
    """

    atoms: Sequence[Call]
    bound: Bindings
    place: str
    restrains: bool


class Edits:
    """What differs between two versions of a rule set."""

    def __init__(
        self, old: Version, new: Version, rules: RuleSet, program: Program, shapes: Shapes
    ) -> None:
        self._rules = rules
        self._tables = program.tables
        self._shapes = shapes
        self._facts = Tables(program)
        self._variants: dict[int, list[Variant]] = {}
        self._constants = frozenset(
            node.name for node in rules.statements if shapes.of(node).kind is ASTType.Definition
        )
        try:
            self._duties: list[_Duty] | None = list(self._found(old, new))
        except (TooMuchError, ValueError, RuntimeError):
            self._duties = None
        shapes.keep()

    def touched(self, given: Indexed, decided: Decided) -> list[tuple[str, int]]:
        """The pairs that each change can touch, as bits; those that an earlier one can included."""
        every = [(EVERYTHING, given.whole)]
        named = {name.name for name in self._tables}
        if self._duties is None or not given.names.isdisjoint(named):
            return every
        could = Reach(self._deriving, self._tables, self._facts, given)
        did = Reach(self._deriving, self._tables, self._facts, given, decided)
        found = []
        try:
            for duty in self._duties:
                reach = did if duty.restrains else could
                bits = reach.holding(duty.atoms, duty.bound)
                if bits:
                    found.append((duty.place, bits))
        except (TooMuchError, RecursionError, ValueError):
            return every
        finally:
            self._shapes.keep()
        return found

    def _found(self, old: Version, new: Version) -> Iterator[_Duty]:
        """What must hold in a pair for it to be touched."""
        changes = list(self._changes(old, new))
        kinds = {self._shapes.of(node).kind for node in self._rules.statements}
        kinds |= {self._shapes.of(change.node).kind for change in changes}
        both = (*old.statements, *new.statements)
        programs = {text for text in both if text.startswith("#program")}
        if not kinds - {ASTType.Program} <= _UNDERSTOOD or not programs <= {_BASE}:
            raise TooMuchError
        if len(changes) > _MOST:
            raise TooMuchError
        self._index([change.node for change in changes if not change.fresh])
        # What no rule derives any more was a table before.
        derived = {
            name for node in self._rules.statements for name in self._shapes.of(node).derived
        }
        before = {Signature(*name) for name in old.tables}
        self._tables |= before - derived
        given = {text.partition("=")[0] for text in (*old.constants, *new.constants)}
        self._negated = {name for text in {*both} for name in _NEGATED.findall(text)}
        self._constants |= given | {
            change.node.name
            for change in changes
            if self._shapes.of(change.node).kind is ASTType.Definition
        }
        facts = [change for change in changes if self._shapes.of(change.node).fact]
        places = self._changed_facts(facts)
        for change in changes:
            shape = self._shapes.of(change.node)
            if shape.fact or shape.kind in (*_IGNORED, ASTType.Definition):
                continue
            if shape.kind is ASTType.ShowSignature:
                raise TooMuchError
            restrains = change.fresh and shape.kind is ASTType.Rule and not shape.head
            restrains = restrains and str(change.node.head) == "#false"
            for variant in self._read(change.node):
                if self._is_table(change.node):
                    for head in self._entries(variant, variant.needed, {}):
                        places.setdefault(head, change.place)
                else:
                    yield _Duty(variant.needed, {}, change.place, restrains)
        yield from self._consequences(places)

    def _changes(self, old: Version, new: Version) -> Iterator[_Change]:
        before, after = Counter(old.statements), Counter(new.statements)
        fresh = after - before
        gone = [text for text in before - after if text != _BASE]
        places = dict(zip(old.statements, old.places, strict=True))
        changed = [
            _Change(node, places[text], fresh=False)
            for text, node in zip(gone, parse("\n".join(gone)), strict=True)
        ]
        now = list(zip(new.statements, new.places, self._rules.statements, strict=True))
        changed += [_Change(node, place, fresh=True) for text, place, node in now if text in fresh]
        yield from changed
        values = self._changed_values(old, new, changed)
        if values:
            spoken = _speaks_of(values)
            known = {id(change.node) for change in changed}
            for text, _, node in now:
                name = spoken.search(text)
                if name and id(node) not in known:
                    yield _Change(node, values[name[0]], fresh=False)

    def _changed_values(
        self, old: Version, new: Version, changed: Sequence[_Change]
    ) -> dict[str, str]:
        """The constants that may have another value, each with the place that says so."""
        found = {
            change.node.name: change.place
            for change in changed
            if self._shapes.of(change.node).kind is ASTType.Definition
        }
        for text in set(old.constants) ^ set(new.constants):
            if "=" in text:
                found.setdefault(text.partition("=")[0], f"-c {text.partition('=')[0]}")
        definitions = [
            (node.name, str(node))
            for node in self._rules.statements
            if self._shapes.of(node).kind is ASTType.Definition
        ]
        # The value of a constant may be the name of another one.
        given = (text.partition("=") for text in (*old.constants, *new.constants))
        definitions += [(name, value) for name, _, value in given]
        while found:
            spoken = _speaks_of(found)
            more = {
                name: found[other[0]]
                for name, text in definitions
                if name not in found and (other := spoken.search(text))
            }
            if not more:
                break
            found.update(more)
        return found

    def _index(self, gone: Sequence[AST]) -> None:
        """Note which rules derive a predicate, and which statements speak of it."""
        self._by_head: dict[Signature, list[AST]] = defaultdict(list)
        self._by_atom: dict[Signature, list[AST]] = defaultdict(list)
        for node in chain(self._rules.statements, gone):
            shape = self._shapes.of(node)
            if shape.fact or shape.kind in _IGNORED:
                continue
            for name in shape.derived:
                self._by_head[name].append(node)
            for name in shape.predicates:
                self._by_atom[name].append(node)

    def _changed_facts(self, facts: Sequence[_Change]) -> dict[Call, str]:
        """The atoms that facts add or take away, each with the place of the fact."""
        found: tuple[dict[Call, str], dict[Call, str]] = {}, {}
        for change in facts:
            for variant in self._read(change.node):
                for head, _ in variant.heads:
                    found[change.fresh].setdefault(filled_atom(head, {}), change.place)
        gone, fresh = found
        # What is the same, and not only may be, has only moved.
        moved = {atom for atom in gone.keys() & fresh.keys() if is_ground(atom)}
        return {atom: place for atom, place in {**gone, **fresh}.items() if atom not in moved}

    def _consequences(self, places: dict[Call, str]) -> Iterator[_Duty]:
        """Follow changed facts through tables to what they matter for."""
        waiting = dict(places)
        seen = set(waiting)
        while waiting:
            atom = next(iter(waiting))
            place = waiting.pop(atom)
            name = atom.signature
            if name.name in self._negated:
                # It may contradict what a rule derives.
                raise TooMuchError
            self._facts.rows(name).add(atom.arguments, 1)
            for node in self._by_atom[name]:
                shape = self._shapes.of(node)
                if shape.kind is ASTType.ShowSignature:
                    raise TooMuchError
                for variant in self._read(node):
                    for spoken, beside in variant.asked:
                        bound: Bindings = {}
                        if spoken.signature != name or not bind(spoken, atom, bound):
                            continue
                        if not self._is_table(node):
                            yield _Duty(beside, bound, place, restrains=False)
                            continue
                        for head in self._entries(variant, beside, bound):
                            if head not in seen:
                                seen.add(head)
                                waiting[head] = place
                                if len(seen) > _MOST:
                                    raise TooMuchError

    def _entries(self, variant: Variant, atoms: Sequence[Call], bound: Bindings) -> Iterator[Call]:
        """What a rule of a table derives where some atoms hold."""
        if atoms:
            first, *rest = atoms
            rows = self._facts.rows(first.signature).matching(filled_atom(first, bound).arguments)
            for row, _ in list(rows):
                again = dict(bound)
                if bind_all(first.arguments, row, again):
                    yield from self._entries(variant, rest, again)
            return
        for head, _ in variant.heads:
            yield filled_atom(head, bound)

    def _is_table(self, node: AST) -> bool:
        shape = self._shapes.of(node)
        return shape.derives and shape.predicates <= self._tables

    def _read(self, node: AST) -> list[Variant]:
        found = self._variants.get(id(node))
        if found is None:
            kept = self._shapes.recall(
                node, "parts", lambda: [one.kept for one in read_variants(node)]
            )
            found = [Variant.recalled(one, self._constants) for one in kept]
            self._variants[id(node)] = found
        return found

    def _deriving(self, name: Signature) -> Iterator[Variant]:
        for node in self._by_head[name]:
            yield from self._read(node)


def _speaks_of(names: Iterable[str]) -> re.Pattern[str]:
    """Finds the first of some names in a text."""
    return re.compile(rf"(?<![A-Za-z0-9_'])(?:{'|'.join(names)})(?![A-Za-z0-9_'])")


def shown_by_core(rules: RuleSet, shapes: Shapes) -> bool:
    """Whether nothing but the core encoding says what is shown of an answer."""
    core = asp_dir().resolve()
    machine = {file.name for file in rules.files if file.path.is_relative_to(core)}
    return all(
        rule.file in machine
        for node, rule in zip(rules.statements, rules.rules, strict=True)
        if shapes.of(node).kind is ASTType.ShowSignature
    )
