"""Which pairs an edit of rules can touch.

A statement that is new or gone touches a pair only if it can have an instance there: if each atom
that it needs could be derived for the pair by the rules before or after the edit. Negation,
arithmetic and comparisons are passed over, so that too many pairs are found rather than too few.
A pair without an instance of any such statement has the same ground program as before.

What can be derived is asked backwards from the facts of pairs, for all pairs at a time: a set of
pairs is an integer with a bit for each. Atoms are asked for by patterns, in which None stands for
anything; see :mod:`ists_asp.syntax.parts`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ists_asp.syntax.ground import split, written
from ists_asp.syntax.parts import VARIABLE
from ists_asp.syntax.signatures import Signature
from ists_asp.vocabulary import IN_CONTEXT, STATIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from ists_asp.solver.program import Program

__all__ = [
    "Decided",
    "Indexed",
    "Reach",
    "Rows",
    "Tables",
    "TooMuchError",
    "Variant",
    "bind",
    "filled",
    "ground",
    "signature",
    "variables",
]

Pattern: TypeAlias = "str | tuple[Pattern, ...] | None"
"""A term: None for anything, text, or a function with its name in front."""

Arguments: TypeAlias = "tuple[Pattern, ...]"

Atom: TypeAlias = "tuple[Any, ...]"
"""The name of a predicate and its arguments, with variables or as a pattern."""

Bindings: TypeAlias = "dict[str, Pattern]"

_STEPS = 20_000
"""Patterns that are asked for at most: then every pair counts as touched."""

_ROWS = 300
"""Entries of a table that are looked at one by one for a statement that has changed."""

_DEEP_ROWS = 30
"""The same for rules that are followed backwards."""

_DEEP = 150
"""Rules that are followed backwards from an atom."""


_MEASURED = frozenset(
    one.name for vectors in (STATIC, IN_CONTEXT) for one in (vectors.norm, vectors.product)
)
"""Predicates of most of a pair's facts, which have nothing but numbers."""


class TooMuchError(Exception):
    """To find out takes longer than to decide the pairs again."""


class _Variable(str):
    __slots__ = ()


class Rows:
    """Atoms of a predicate, each with the pairs that have it, to be found by their arguments."""

    def __init__(self) -> None:
        self._every: list[tuple[Arguments, int]] = []
        self._places: dict[tuple[int, Pattern], list[int]] = defaultdict(list)

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
            if all(map(_agree, arguments, wanted)):
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
                parsed = tuple(map(ground, split(arguments)))
                if len(parsed) == name.arity:
                    found.add(parsed, bits)
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
                found.add(tuple(map(ground, split(fact.partition("(")[2][:-1]))), 1)
        return found


class Variant:
    """A statement without pools: what it derives, needs and speaks of otherwise.

    Args:
        kept: what :func:`ists_asp.syntax.parts.parts` gives for it.
        constants: the names that ``#const`` gives values to, which may stand for anything.
    """

    def __init__(self, kept: Sequence[Any], constants: Set[str]) -> None:
        def term(given: Any) -> Any:  # noqa: ANN401 (JSON)
            if isinstance(given, list):
                name, *arguments = given
                if name == VARIABLE:
                    return _Variable(arguments[0])
                return (name, *map(term, arguments))
            return None if given in constants else given

        def atom(given: Any) -> Atom:  # noqa: ANN401 (JSON)
            return (given[0], *map(term, given[1:]))

        heads, needed, others = kept
        self.heads = [(atom(one), [*map(atom, beside)]) for one, beside in heads]
        self.needed = [*map(atom, needed)]
        self._others = [(atom(one), [*map(atom, beside)]) for one, beside in others]

    @property
    def asked(self) -> Iterator[tuple[Atom, list[Atom]]]:
        """The atoms that it speaks of, each with those that must hold for it to matter."""
        for place, atom in enumerate(self.needed):
            yield atom, self.needed[:place] + self.needed[place + 1 :]
        for atom, beside in self._others:
            yield atom, self.needed + beside


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
        self._known: dict[Atom, int] = {}
        self._values: dict[Atom, int] = {}
        self._seen: set[Atom] = set()
        self._grown = False
        self._steps = 0

    def holding(self, atoms: Sequence[Atom], bound: Bindings) -> int:
        """The pairs for which all of some atoms could be derived.

        Raises:
            TooMuchError: that takes too long.
        """
        while True:
            # What depends on itself is asked for again until nothing is added.
            self._seen, self._grown = set(), False
            found = self._all(atoms, bound, 0)
            if not self._grown:
                self._known.update((key, self._values.get(key, 0)) for key in self._seen)
                return found

    def _all(self, atoms: Sequence[Atom], bound: Bindings, depth: int) -> int:
        bits = self._given.whole
        entries: list[Atom] = []
        groups: dict[Any, list[Atom]] = defaultdict(list)
        others: list[Atom] = []
        for atom in atoms:
            if signature(atom) in self._tables:
                entries.append(atom)
                continue
            others.append(atom)
            # Lines of an answer are told apart by variables for their sides.
            known = signature(atom) in self._decided
            sides = known and all(isinstance(side, _Variable) for side in atom[1:3])
            groups[atom[1:3] if sides else len(others)].append(atom)
        if entries:
            return self._joined(entries, others, bound, depth)
        for same in groups.values():
            if not bits:
                return 0
            if signature(same[0]) in self._decided:
                bits &= self._lines([filled(atom, bound) for atom in same])
            else:
                for atom in same:
                    bits &= self._one(filled(atom, bound), depth)
        return bits

    def _joined(
        self, entries: Sequence[Atom], others: list[Atom], bound: Bindings, depth: int
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
            if bind(entries[place][1:], row, again):
                bits |= self._all(rest, again, depth)
                if bits == self._given.whole:
                    break
        return bits

    def _entries(self, atom: Atom, bound: Bindings) -> Iterator[tuple[Arguments, int]]:
        self._step()
        return self._facts.rows(signature(atom)).matching(filled(atom, bound)[1:])

    def _lines(self, atoms: Sequence[Atom]) -> int:
        """The pairs whose answers have a line of which all atoms say something."""
        found: list[Mapping[int, int]] = []
        for atom in atoms:
            lines: dict[int, int] = defaultdict(int)
            for arguments, its in self._decided[signature(atom)].items():
                if all(map(_agree, arguments, atom[1:])):
                    for line, bits in its.items():
                        lines[line] |= bits
            found.append(lines)
        whole = 0
        for line, bits in found[0].items():
            for other in found[1:]:
                bits &= other.get(line, 0)
            whole |= bits
        return whole

    def _one(self, pattern: Atom, depth: int) -> int:
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

    def _found(self, pattern: Atom, depth: int) -> int:
        name, whole = signature(pattern), self._given.whole
        for _ in self._entries(pattern, {}):
            return whole
        bits = 0
        for _, its in self._given.rows(name).matching(pattern[1:]):
            bits |= its
        for variant in self._rules(name):
            for head, beside in variant.heads:
                bound: Bindings = {}
                if bits == whole:
                    return whole
                if signature(head) == name and bind(head[1:], pattern[1:], bound):
                    bits |= self._all([*variant.needed, *beside], bound, depth + 1)
        return bits

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise TooMuchError


def signature(atom: Atom) -> Signature:
    """The predicate of an atom."""
    return Signature(atom[0], len(atom) - 1)


def variables(term: Any) -> Iterator[str]:  # noqa: ANN401 (a term)
    """The variables in a term or an atom."""
    if isinstance(term, _Variable):
        yield term
    elif isinstance(term, tuple):
        for part in term[1:]:
            yield from variables(part)


def filled(term: Any, bound: Bindings) -> Any:  # noqa: ANN401 (a term)
    """A term or an atom with the values of its variables; those without one may be anything."""
    if isinstance(term, _Variable):
        return bound.get(term)
    if isinstance(term, tuple):
        return (term[0], *(filled(part, bound) for part in term[1:]))
    return term


def bind(terms: Sequence[Any], values: Arguments, bound: Bindings) -> bool:
    """Whether terms can have values; gives their variables values in ``bound``."""
    for term, value in zip(terms, values, strict=True):
        if isinstance(term, _Variable):
            known = bound.get(term)
            if known is None:
                if value is not None:
                    bound[term] = value
            elif not _agree(known, value):
                return False
        elif isinstance(term, tuple) and isinstance(value, tuple):
            if term[0] != value[0] or len(term) != len(value):
                return False
            if not bind(term[1:], value[1:], bound):
                return False
        elif term is not None and value is not None and term != value:
            return False
    return True


def _agree(one: Pattern, other: Pattern) -> bool:
    """Whether two patterns can stand for the same term."""
    if one is None or other is None or one == other:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return False
    return one[0] == other[0] and len(one) == len(other) and all(map(_agree, one[1:], other[1:]))


def ground(text: str) -> Pattern:
    """The pattern of a ground term."""
    if text[:1] == '"' or not text.endswith(")"):
        return text
    name, _, rest = text.partition("(")
    return (name, *map(ground, split(rest[:-1].removesuffix(","))))
