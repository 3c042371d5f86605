"""The edits that make one rule set of another, and the pairs that they can affect.

A statement that is new or gone affects a pair only if it can have an instance there: if each atom
that it needs could be derived for the pair by the rules before or after the edit. Negation,
arithmetic and comparisons are passed over, so that too many pairs are found rather than too few.
A pair without an instance of any such statement has the same ground program as before.

What can be derived is asked backwards from the facts of pairs, for all pairs at a time: a set of
pairs is an integer with a bit for each. Atoms are asked for by patterns, in which None stands for
anything; see :mod:`ists_asp.syntax.terms`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from clingo import Symbol
from clingo.ast import AST, ASTType

from ists_asp.rules.arguments import Read, read_statement
from ists_asp.solver.statements import Shape, Shapes, Version, of_core
from ists_asp.syntax import terms
from ists_asp.syntax.ground import Atoms, Ground, split
from ists_asp.syntax.terms import agree, bind, bind_all, filled_atom, is_ground, shape, variables
from ists_asp.syntax.trees import Signature, parse
from ists_asp.vocabulary import ALIGNED, LABEL, NORM, PRODUCT, SCORE, TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.grounder import PreparedRules
    from ists_asp.syntax.terms import Bindings, Call, Term

_MEASURED = frozenset((NORM.name, PRODUCT.name))
"""Predicates of most of a pair's facts, which have nothing but numbers.

No statement has a constant there: their arguments may be anything.
"""

# Statements that differ, or facts that follow: with more of them every pair counts as affected.
_MOST = 500
_STEPS = 20_000  # patterns that are asked for at most: then every pair counts as affected
_ROWS = 300  # entries of a table that are looked at one by one for a statement that has changed
_DEEP_ROWS = 30  # the same for rules that are followed backwards
_NEGATED = re.compile(r"""\"(?:[^"\\]|\\.)*+"|-([_']*[a-z][A-Za-z0-9_']*)""")
"""The names behind the sign of classical negation in a statement; some that are none as well."""

_BASE = "#program base."
_IGNORED = {ASTType.Defined, ASTType.Program}
_UNDERSTOOD = {*_IGNORED, ASTType.Definition, ASTType.Minimize, ASTType.Rule, ASTType.ShowSignature}

Arguments: TypeAlias = "tuple[Term, ...]"

# Decisions, by predicate: the arguments of atoms, each with the pairs that have it, by lines.
Decided: TypeAlias = "Mapping[Signature, Mapping[Arguments, Mapping[int, int]]]"


class TooMuchError(Exception):
    """To find out takes longer than to decide the pairs again, or nothing is certain."""


class _Rows:
    """Atoms of a predicate, each with the pairs that have it, to be found by their arguments."""

    def __init__(self) -> None:
        self._every: list[tuple[Arguments, int]] = []
        self._places: dict[tuple[int, object], list[int]] = defaultdict(list)

    def add(self, arguments: Arguments, bits: int) -> None:
        for place, term in enumerate(arguments):
            self._places[place, shape(term)].append(len(self._every))
        self._every.append((arguments, bits))

    def matching(self, wanted: Arguments) -> list[tuple[Arguments, int]]:
        """The atoms whose arguments agree with some, of which sums count as anything."""
        best: Sequence[int] = range(len(self._every))
        rows_of, telling = self._places.get, []
        for place, term in enumerate(wanted):
            if (sought := shape(term)) is not None:
                telling.append((place, term))
                places = [*rows_of((place, sought), ()), *rows_of((place, None), ())]
                best = min(best, places, key=len)
        if not telling:
            return self._every
        rows = map(self._every.__getitem__, best)
        return [row for row in rows if all(agree(row[0][place], term) for place, term in telling)]


class _Facts:
    """Facts as text, each with the pairs that have it, as rows of their predicates."""

    def __init__(self, sets: Iterable[tuple[Sequence[str], int]]) -> None:
        self._rows: dict[Signature, _Rows] = {}
        self.by_name: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for atoms, bits in sets:
            for atom in atoms:
                name, _, rest = atom.removeprefix("-").partition("(")
                self.by_name[name]["" if name in _MEASURED else rest[:-1]] |= bits

    def __getitem__(self, key: Signature) -> _Rows:
        rows = self._rows.get(key)
        if rows is None:
            rows, measured = self._rows.setdefault(key, _Rows()), key.name in _MEASURED
            for text, bits in self.by_name.get(key.name, {}).items():
                parts = (None,) * key.arity if measured else tuple(map(terms.parsed, split(text)))
                if len(parts) == key.arity:
                    rows.add(parts, bits)
        return rows


class _Entries(dict[Signature, _Rows]):
    """Facts of a program as rows of their predicates, made of the ``atoms`` when asked for."""

    atoms: Mapping[Signature, Sequence[Symbol]]

    def __missing__(self, key: Signature) -> _Rows:
        atoms = split(Atoms.of(self.atoms.get(key, ())).inside)
        return self.setdefault(key, _Facts([(atoms, 1)])[key])


@dataclass
class _Reach:
    """Finds the pairs for which atoms could be derived, by the rules before or after the edit."""

    edits: Edits
    pair_facts: _Facts  # of the pairs
    whole: int  # all pairs
    decided: Decided  # what was decided, instead of all that could be
    _known: dict[Call, int] = field(default_factory=dict)
    _values: dict[Call, int] = field(default_factory=dict)
    _seen: set[Call] = field(default_factory=set)
    _grown: bool = False
    _steps: int = 0

    def holding(self, atoms: Sequence[Call], bound: Bindings) -> int:
        """The pairs for which all of some atoms could be derived."""
        while True:
            # What depends on itself is asked for again until nothing is added.
            self._seen, self._grown = set(), False
            bits = self._all(atoms, bound, deep=False)
            if not self._grown:
                self._known.update((key, self._values.get(key, 0)) for key in self._seen)
                return bits

    def _all(self, atoms: Sequence[Call], bound: Bindings, *, deep: bool) -> int:
        entries = [atom for atom in atoms if atom.signature in self.edits.tables]
        others = [atom for atom in atoms if atom.signature not in self.edits.tables]
        if entries:
            return self._joined(entries, others, bound, deep=deep)
        bits = self.whole
        lines: dict[Any, list[Call]] = defaultdict(list)
        for atom in others:
            if not bits:
                return 0
            if atom.signature in self.decided:
                # Lines of an answer are told apart by variables for their sides.
                sides = atom.arguments[:2]
                vague = all(isinstance(side, terms.Variable) for side in sides)
                lines[sides if vague else len(lines)].append(filled_atom(atom, bound))
            else:
                bits &= self._derivable(filled_atom(atom, bound))
        for same in lines.values():
            bits &= self._lines(same)
        return bits

    def _joined(
        self, entries: Sequence[Call], others: list[Call], bound: Bindings, *, deep: bool
    ) -> int:
        """The pairs for which entries of tables go together with other atoms."""
        sized = []
        for place, atom in enumerate(entries):
            rows = self._entries(filled_atom(atom, bound))
            if not rows:
                return 0
            sized.append((len(rows), place, rows))
        sharing = (*others, *(entries if len(entries) > 1 else ()))
        free = {name for atom in sharing for name in variables(atom)} - {*bound}
        useful = [entry for entry in sized if free.intersection(variables(entries[entry[1]]))]
        if not useful or min(useful)[0] > (_DEEP_ROWS if deep else _ROWS):
            return self._all(others, bound, deep=deep)
        _, place, rows = min(useful)
        rest = [*entries[:place], *entries[place + 1 :], *others]
        bits = 0
        for row, _ in rows:
            again = dict(bound)
            if bind_all(entries[place].arguments, row, again):
                bits |= self._all(rest, again, deep=deep)
                if bits == self.whole:
                    break
        return bits

    def _entries(self, pattern: Call) -> list[tuple[Arguments, int]]:
        self._step()
        return self.edits.facts[pattern.signature].matching(pattern.arguments)

    def _lines(self, atoms: Sequence[Call]) -> int:
        """The pairs whose answers have a line of which all atoms say something."""
        by_atom: list[Mapping[int, int]] = []
        for atom in atoms:
            lines: dict[int, int] = defaultdict(int)
            for arguments, its in self.decided[atom.signature].items():
                if all(map(agree, arguments, atom.arguments)):
                    for line, bits in its.items():
                        lines[line] |= bits
            by_atom.append(lines)
        whole = 0
        for line, bits in by_atom[0].items():
            for other in by_atom[1:]:
                bits &= other.get(line, 0)
            whole |= bits
        return whole

    def _derivable(self, pattern: Call) -> int:
        """The pairs for which an atom of a pattern could be derived."""
        if (reached := self._known.get(pattern)) is not None:
            return reached
        if pattern in self._seen:
            return self._values.get(pattern, 0)
        self._step()
        self._seen.add(pattern)
        bits = self._reached(pattern)
        if bits != self._values.get(pattern, 0):
            self._values[pattern] = bits
            self._grown = True
        return bits

    def _reached(self, pattern: Call) -> int:
        if self._entries(pattern):
            return self.whole
        bits = 0
        for _, its in self.pair_facts[pattern.signature].matching(pattern.arguments):
            bits |= its
        for variant in self.edits.deriving(pattern.signature):
            for head in variant.derived:
                bound: Bindings = {}
                if bits == self.whole:
                    return bits
                same = head.positive and head.key == pattern.signature
                if same and bind(head.call, pattern, bound):
                    bits |= self._all(variant.beside(head), bound, deep=True)
        return bits

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise TooMuchError


class _Change(NamedTuple):
    """A statement that is new or gone; ``fresh`` if it is new."""

    node: AST
    place: str
    fresh: bool


class _Duty(NamedTuple):
    """Atoms that must hold at a place to affect a pair; ``restrains`` if it is a new constraint."""

    atoms: Sequence[Call]
    bound: Bindings
    place: str
    restrains: bool = False


class Edits:
    """The differences between two versions of a rule set, of which ``rules`` are the new one.

    ``facts`` are those of the program, and what an edit adds to them or takes from them;
    ``tables`` the predicates that are tables.
    """

    def __init__(
        self, old: Version, new: Version, rules: RuleSet, program: PreparedRules, shapes: Shapes
    ) -> None:
        self._rules, self._shapes = rules, shapes
        self.facts = _Entries()
        self.facts.atoms = program.by_predicate
        self._variants: dict[int, list[Read]] = {}
        derived = {name for node in rules.statements for name in shapes.of(node).derived}
        # What no rule derives any more was a table before.
        self.tables = program.tables | ({Signature(*name) for name in old.tables} - derived)
        try:
            self._duties: list[_Duty] | None = list(self._required(old, new))
        except (TooMuchError, ValueError, RuntimeError):
            self._duties = None
        shapes.keep()

    def affected(
        self, facts: Sequence[str], answers: Sequence[Mapping[str, Any] | None]
    ) -> list[tuple[str, int]] | None:
        """The pairs that each change can affect, as bits; None if it may be any pair.

        ``facts`` are those of each pair, as clingo writes a tuple of them, ``answers`` what the
        old rules decided for it, if that is known.
        """
        atoms = (split(text[1:-1].removesuffix(",")) for text in facts)
        pair_facts = _Facts((pair_atoms, 1 << place) for place, pair_atoms in enumerate(atoms))
        if self._duties is None or any(name.name in pair_facts.by_name for name in self.tables):
            return None
        whole = (1 << len(facts)) - 1
        # Unless something else than the core encoding says what is shown of an answer.
        both = zip(self._rules.statements, of_core(self._rules), strict=True)
        kind = ASTType.ShowSignature
        core_shows = (ours for node, ours in both if self._shapes.of(node).kind is kind)
        decided = _decided(answers) if all(core_shows) else {}
        possible, actual = (_Reach(self, pair_facts, whole, lines) for lines in ({}, decided))
        try:
            return [
                (duty.place, bits)
                for duty in self._duties
                for reach in [actual if duty.restrains else possible]
                if (bits := reach.holding(duty.atoms, duty.bound))
            ]
        except (TooMuchError, RecursionError, ValueError):
            return None
        finally:
            self._shapes.keep()

    def _required(self, old: Version, new: Version) -> Iterator[_Duty]:
        changes = list(self._changes(old, new))
        nodes = [*self._rules.statements, *(change.node for change in changes if not change.fresh)]
        both = {*old.statements, *new.statements}
        programs = {text for text in both if text.startswith("#program")}
        kinds = {self._shapes.of(node).kind for node in nodes}
        if not kinds <= _UNDERSTOOD or not programs <= {_BASE} or len(changes) > _MOST:
            raise TooMuchError
        self._index(nodes)
        self._negated = {name for text in both for name in _NEGATED.findall(text)}
        places = self._changed_facts(changes)
        for change in changes:
            shape = self._shapes.of(change.node)
            if shape.fact or shape.kind in (*_IGNORED, ASTType.Definition):
                continue
            if shape.kind is ASTType.ShowSignature:
                raise TooMuchError
            rule = change.fresh and shape.kind is ASTType.Rule
            restrains = rule and str(change.node.head) == "#false"
            for variant in self._variants_of(change.node):
                if self._is_table(shape):
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
            for text, _, node in now:
                name = spoken.search(text)
                if name and text not in fresh:
                    yield _Change(node, values[name[0]], fresh=False)

    def _changed_values(
        self, old: Version, new: Version, changed: Sequence[_Change]
    ) -> dict[str, str]:
        """The constants that may have another value, each with the place that says so."""
        nodes = (*self._rules.statements, *(change.node for change in changed))
        kind, shape = ASTType.Definition, self._shapes.of
        named = [(node.name, str(node)) for node in nodes if shape(node).kind is kind]
        # The value of a constant may be the name of another one.
        options = [text.partition("=") for text in (*old.constants, *new.constants) if "=" in text]
        named += [(name, value) for name, _, value in options]
        self._constants = frozenset(name for name, _ in named)
        values = {
            change.node.name: change.place
            for change in changed
            if change.node.ast_type is ASTType.Definition
        }
        for name, equal, _ in (text.partition("=") for text in {*old.constants} ^ {*new.constants}):
            if equal:
                values.setdefault(name, f"-c {name}")
        while values:
            spoken = _speaks_of(values)
            added = {
                name: values[other[0]]
                for name, text in named
                if name not in values and (other := spoken.search(text))
            }
            if not added:
                break
            values |= added
        return values

    def _index(self, nodes: Iterable[AST]) -> None:
        """Note which rules derive a predicate, and which statements speak of it."""
        self._by_head: dict[Signature, list[AST]] = defaultdict(list)
        self._by_atom: dict[Signature, list[AST]] = defaultdict(list)
        for node in nodes:
            shape = self._shapes.of(node)
            if not shape.fact and shape.kind not in _IGNORED:
                for name in shape.derived:
                    self._by_head[name].append(node)
                for name in shape.predicates:
                    self._by_atom[name].append(node)

    def _changed_facts(self, changes: Iterable[_Change]) -> dict[Call, str]:
        """The atoms that facts add or take away, each with the place of the fact."""
        gone: dict[Call, str] = {}
        fresh: dict[Call, str] = {}
        for change in changes:
            atoms = fresh if change.fresh else gone
            if self._shapes.of(change.node).fact:
                for variant in self._variants_of(change.node):
                    for head in variant.derived:
                        atoms.setdefault(filled_atom(head.call, {}), change.place)
        # What is the same, and not only may be, has only moved.
        moved = {atom for atom in gone.keys() & fresh.keys() if is_ground(atom)}
        return {atom: place for atom, place in {**gone, **fresh}.items() if atom not in moved}

    def _consequences(self, places: dict[Call, str]) -> Iterator[_Duty]:
        """Follow changed facts through tables to what they matter for."""
        waiting = dict(places)
        visited = set(waiting)
        while waiting:
            atom = next(iter(waiting))
            place = waiting.pop(atom)
            name = atom.signature
            if name.name in self._negated:
                # It may contradict what a rule derives.
                raise TooMuchError
            self.facts[name].add(atom.arguments, 1)
            for node in self._by_atom[name]:
                shape = self._shapes.of(node)
                if shape.kind is ASTType.ShowSignature:
                    raise TooMuchError
                for variant in self._variants_of(node):
                    chosen = () if shape.derives else variant.derived
                    for spoken in (*chosen, *variant.used):
                        bound: Bindings = {}
                        if spoken.key != name or not bind(spoken.call, atom, bound):
                            continue
                        beside = variant.beside(spoken)
                        if not self._is_table(shape):
                            yield _Duty(beside, bound, place)
                            continue
                        for head in self._entries(variant, beside, bound):
                            if head not in visited:
                                visited.add(head)
                                waiting[head] = place
                        if len(visited) > _MOST:
                            raise TooMuchError

    def _entries(self, variant: Read, atoms: Sequence[Call], bound: Bindings) -> Iterator[Call]:
        if not atoms:
            yield from (filled_atom(head.call, bound) for head in variant.derived)
            return
        first, *rest = atoms
        for row, _ in self.facts[first.signature].matching(filled_atom(first, bound).arguments):
            again = dict(bound)
            if bind_all(first.arguments, row, again):
                yield from self._entries(variant, rest, again)

    def _is_table(self, shape: Shape) -> bool:
        return shape.derives and shape.predicates <= self.tables

    def _variants_of(self, node: AST) -> list[Read]:
        if id(node) not in self._variants:
            stored = self._shapes.recall(node, "parts", lambda: read_statement(node))
            if not stored:
                raise TooMuchError
            self._variants[id(node)] = [Read.from_stored(data, self._constants) for data in stored]
        return self._variants[id(node)]

    def deriving(self, name: Signature) -> Iterator[Read]:
        """The variants of the rules that derive a predicate, before or after the edit."""
        return chain.from_iterable(map(self._variants_of, self._by_head[name]))


def _speaks_of(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_'])(?:{'|'.join(names)})(?![A-Za-z0-9_'])")


def _decided(answers: Sequence[Mapping[str, Any] | None]) -> Decided:
    decided: dict[Signature, dict[Arguments, dict[int, int]]] = {
        predicate.signature: defaultdict(lambda: defaultdict(int))
        for predicate in (ALIGNED, LABEL, SCORE, TAG)
    }
    for place, answer in enumerate(answers):
        for number, line in enumerate(answer["alignments"] if answer else ()):
            if line["spans"]:
                link = tuple(map(terms.parsed, line["spans"]))
                decided[ALIGNED.signature][link][number] |= 1 << place
                values = [(LABEL, line["label"].lower()), (SCORE, int(line["score"]))]
                for name, value in (*values, *((TAG, tag.lower()) for tag in line["tags"])):
                    decided[name.signature][*link, Ground(value)][number] |= 1 << place
    return decided
