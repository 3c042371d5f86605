"""Which pairs an edit of rules can affect.

A statement that is new or gone affects a pair only if it can have an instance there: if each atom
that it needs could be derived for the pair by the rules before or after the edit. Negation,
arithmetic and comparisons are passed over, so that too many pairs are found rather than too few.
A pair without an instance of any such statement has the same ground program as before.

What can be derived is asked backwards from the facts of pairs, for all pairs at a time: a set of
pairs is an integer with a bit for each. Atoms are asked for by patterns, in which None stands for
anything; see :mod:`ists_asp.syntax.terms`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ists_asp.syntax.ground import split, written
from ists_asp.syntax.terms import Variable, agree, bind, bind_all, filled_atom, parsed, variables
from ists_asp.vocabulary import NORM, PRODUCT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from ists_asp.solver.program import Program
    from ists_asp.syntax.terms import Bindings, Call, Term, Variant
    from ists_asp.syntax.trees import Signature

_MEASURED = frozenset((NORM.name, PRODUCT.name))
"""Predicates of most of a pair's facts, which have nothing but numbers."""


Arguments: TypeAlias = "tuple[Term, ...]"


class Rows:
    """Atoms of a predicate, each with the pairs that have it, to be found by their arguments."""

    def __init__(self) -> None:
        self._every: list[tuple[Arguments, int]] = []
        self._places: dict[tuple[int, str | None], list[int]] = defaultdict(list)

    def add(self, arguments: Arguments, bits: int) -> None:
        """Add an atom."""
        for place, term in enumerate(arguments):
            self._places[place, term if isinstance(term, str) else None].append(len(self._every))
        self._every.append((arguments, bits))

    def matching(self, wanted: Arguments) -> Iterator[tuple[Arguments, int]]:
        """The atoms that a pattern may stand for."""
        best: Sequence[int] = range(len(self._every))
        for place, term in enumerate(wanted):
            if isinstance(term, str):
                found = self._places.get((place, term), [])
                found = found + self._places.get((place, None), [])
                if len(found) < len(best):
                    best = found
        for number in best:
            arguments, bits = self._every[number]
            if all(map(agree, arguments, wanted)):
                yield arguments, bits


class Indexed:
    """The facts of pairs, to be found by their arguments.

    Args:
        texts: those of each pair, as clingo writes a tuple of them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._rows: dict[Signature, Rows] = {}
        self.whole = (1 << len(texts)) - 1

    def rows(self, name: Signature) -> Rows:
        """The facts of a predicate."""
        found = self._rows.get(name)
        if found is None:
            found = self._rows[name] = Rows()
            for arguments, bits in self._by_name.get(name.name, {}).items():
                if name.name in _MEASURED:
                    found.add((None,) * name.arity, bits)
                    continue
                terms = tuple(map(parsed, split(arguments)))
                if len(terms) == name.arity:
                    found.add(terms, bits)
        return found

    @property
    def names(self) -> Set[str]:
        """The names of the predicates that have facts."""
        return self._by_name.keys()

    @cached_property
    def _by_name(self) -> Mapping[str, Mapping[str, int]]:
        found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for place, text in enumerate(self._texts):
            bit = 1 << place
            for atom in split(text[1:-1].removesuffix(",")):
                name, _, rest = atom.partition("(")
                # No statement has a constant there: their arguments may be anything.
                found[name.removeprefix("-")]["" if name in _MEASURED else rest[:-1]] |= bit
        return found


class Tables:
    """The facts of a program, and what an edit adds to them or takes from them."""

    def __init__(self, program: Program) -> None:
        self._facts = program.by_predicate
        self._rows: dict[Signature, Rows] = {}

    def rows(self, name: Signature) -> Rows:
        """The facts of a predicate."""
        found = self._rows.get(name)
        if found is None:
            found = self._rows[name] = Rows()
            for fact in written(self._facts.get(name, ())):
                found.add(tuple(map(parsed, split(fact.partition("(")[2][:-1]))), 1)
        return found


_STEPS = 20_000
"""Patterns that are asked for at most: then every pair counts as touched."""

_ROWS = 300
"""Entries of a table that are looked at one by one for a statement that has changed."""

_DEEP_ROWS = 30
"""The same for rules that are followed backwards."""

_DEEP = 150
"""Rules that are followed backwards from an atom."""


class TooMuchError(Exception):
    """To find out takes longer than to decide the pairs again."""


Decided: TypeAlias = "Mapping[Signature, Mapping[Arguments, Mapping[int, int]]]"
"""What was decided, by predicate: the arguments of its atoms, each with the pairs that have it by
the number of a line of their answers."""


class Reach:
    """Finds the pairs for which atoms could be derived.

    Args:
        rules: gives the variants of the rules that derive a predicate, before or after the edit.
        tables: the predicates that are tables.
        facts: the facts of the program.
        given: the facts of the pairs.
        decided: what was decided, instead of all that could be.
    """

    def __init__(
        self,
        rules: Callable[[Signature], Iterable[Variant]],
        tables: Set[Signature],
        facts: Tables,
        given: Indexed,
        decided: Decided | None = None,
    ) -> None:
        self._rules = rules
        self._tables = tables
        self._facts = facts
        self._given = given
        self._decided = decided or {}
        self._known: dict[Call, int] = {}
        self._values: dict[Call, int] = {}
        self._seen: set[Call] = set()
        self._grown = False
        self._steps = 0

    def holding(self, atoms: Sequence[Call], bound: Bindings) -> int:
        """The pairs for which all of some atoms could be derived."""
        while True:
            # What depends on itself is asked for again until nothing is added.
            self._seen, self._grown = set(), False
            found = self._all(atoms, bound, 0)
            if not self._grown:
                self._known.update((key, self._values.get(key, 0)) for key in self._seen)
                return found

    def _all(self, atoms: Sequence[Call], bound: Bindings, depth: int) -> int:
        bits = self._given.whole
        entries: list[Call] = []
        groups: dict[Any, list[Call]] = defaultdict(list)
        others: list[Call] = []
        for atom in atoms:
            if atom.signature in self._tables:
                entries.append(atom)
                continue
            others.append(atom)
            # Lines of an answer are told apart by variables for their sides.
            known = atom.signature in self._decided
            sides = known and all(isinstance(side, Variable) for side in atom.arguments[:2])
            groups[atom.arguments[:2] if sides else len(others)].append(atom)
        if entries:
            return self._joined(entries, others, bound, depth)
        for same in groups.values():
            if not bits:
                return 0
            if same[0].signature in self._decided:
                bits &= self._lines([filled_atom(atom, bound) for atom in same])
            else:
                for atom in same:
                    bits &= self._one(filled_atom(atom, bound), depth)
        return bits

    def _joined(
        self, entries: Sequence[Call], others: list[Call], bound: Bindings, depth: int
    ) -> int:
        """The pairs for which entries of tables go together with other atoms."""
        sized = []
        for place, atom in enumerate(entries):
            rows = [row for row, _ in self._entries(atom, bound)]
            if not rows:
                return 0
            sized.append((len(rows), place, rows))
        free = {name for atom in others for name in variables(atom)}
        free.update(name for atom in entries for name in variables(atom) if len(entries) > 1)
        useful = [one for one in sized if free.intersection(variables(entries[one[1]])) - {*bound}]
        rest = [*entries, *others]
        if not useful or min(useful)[0] > (_DEEP_ROWS if depth else _ROWS):
            return self._all(others, bound, depth)
        _, place, rows = min(useful)
        del rest[place]
        bits = 0
        for row in rows:
            again = dict(bound)
            if bind_all(entries[place].arguments, row, again):
                bits |= self._all(rest, again, depth)
                if bits == self._given.whole:
                    break
        return bits

    def _entries(self, atom: Call, bound: Bindings) -> Iterator[tuple[Arguments, int]]:
        self._step()
        return self._facts.rows(atom.signature).matching(filled_atom(atom, bound).arguments)

    def _lines(self, atoms: Sequence[Call]) -> int:
        """The pairs whose answers have a line of which all atoms say something."""
        found: list[Mapping[int, int]] = []
        for atom in atoms:
            lines: dict[int, int] = defaultdict(int)
            for arguments, its in self._decided[atom.signature].items():
                if all(map(agree, arguments, atom.arguments)):
                    for line, bits in its.items():
                        lines[line] |= bits
            found.append(lines)
        whole = 0
        for line, bits in found[0].items():
            for other in found[1:]:
                bits &= other.get(line, 0)
            whole |= bits
        return whole

    def _one(self, pattern: Call, depth: int) -> int:
        """The pairs for which an atom of a pattern could be derived."""
        known = self._known.get(pattern)
        if known is not None:
            return known
        if pattern in self._seen:
            return self._values.get(pattern, 0)
        self._step()
        if depth > _DEEP:
            raise TooMuchError
        self._seen.add(pattern)
        bits = self._found(pattern, depth)
        if bits != self._values.get(pattern, 0):
            self._values[pattern] = bits
            self._grown = True
        return bits

    def _found(self, pattern: Call, depth: int) -> int:
        name, whole = pattern.signature, self._given.whole
        for _ in self._entries(pattern, {}):
            return whole
        bits = 0
        for _, its in self._given.rows(name).matching(pattern.arguments):
            bits |= its
        for variant in self._rules(name):
            for head, beside in variant.heads:
                bound: Bindings = {}
                if bits == whole:
                    return whole
                if head.signature == name and bind(head, pattern, bound):
                    bits |= self._all([*variant.needed, *beside], bound, depth + 1)
        return bits

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise TooMuchError
