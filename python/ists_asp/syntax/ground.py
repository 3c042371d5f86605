"""Ground terms as text: to look into a symbol takes a call of clingo's, to write a thousand one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

from clingo import Function, Symbol, SymbolType, parse_term

T = TypeVar("T")

MEMORY = 1 << 16  # terms that are remembered at a time: some megabytes, more than 20 pairs have
_STRING = r'"(?:[^"\\]|\\.)*+"'
_NESTED = 5  # brackets within brackets that a regular expression reads; more take longer


def _argument() -> re.Pattern[str]:
    inside = rf'(?:[^()"]++|{_STRING})*+'
    for _ in range(_NESTED):
        inside = rf'(?:[^()"]++|{_STRING}|\({inside}\))*+'
    return re.compile(rf'(?:[^(),"]++|{_STRING}|\({inside}\))++')


_ARGUMENT = _argument()
_MARK = re.compile(rf"{_STRING}|[(),;]")


class Ground(str):
    """A ground term as clingo writes it, with the parts that a symbol of clingo has."""

    __slots__ = ()

    @property
    def type(self) -> SymbolType:
        """The type of the term."""
        return _parts(self).type

    @property
    def name(self) -> str:
        """The name of a function, empty for tuples and for all that is none."""
        return _parts(self).name

    @property
    def positive(self) -> bool:
        """Whether a function is without a sign for classical negation."""
        return not self.startswith("-")

    @property
    def arguments(self) -> tuple[Ground, ...]:
        """The arguments of a function."""
        return _parts(self).arguments

    @property
    def number(self) -> int:
        """The value of a number."""
        return int(self)


class _Parts(NamedTuple):
    type: SymbolType
    name: str
    arguments: tuple[Ground, ...]


@lru_cache(MEMORY)
def _parts(text: str) -> _Parts:
    first = text[1:2] if text.startswith("-") else text[:1]
    if first == '"':
        return _Parts(SymbolType.String, "", ())
    if first.isdecimal():
        return _Parts(SymbolType.Number, "", ())
    if first == "#":
        return _Parts(SymbolType.Infimum if text == "#inf" else SymbolType.Supremum, "", ())
    name, bracket, rest = text.removeprefix("-").partition("(")
    # A comma may stand behind the only part of a tuple.
    parts = split(rest[:-1].removesuffix(",")) if bracket else ()
    return _Parts(SymbolType.Function, name, tuple(map(Ground, parts)))


def split(text: str, separator: str = ",") -> Sequence[str]:
    """Cut terms apart between which there are commas, or semicolons, as in a pool."""
    if ("(" not in text and '"' not in text) or separator not in text:
        return text.split(separator) if text else ()
    terms = _ARGUMENT.findall(text) if separator == "," else []
    if sum(map(len, terms)) + len(terms) - 1 == len(text):
        return terms
    # Pools, and what is nested more deeply: bracket by bracket.
    depth = begin = 0
    terms = []
    for mark in _MARK.finditer(text):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if mark[0] == separator and not depth:
            terms.append(text[begin : mark.start()])
            begin = mark.end()
    return [*terms, text[begin:]]


def texts(symbols: Iterable[Symbol]) -> list[Ground]:
    """Symbols of clingo as text with parts."""
    return list(map(Ground, written(symbols)))


def written(symbols: Iterable[Symbol]) -> Sequence[str]:
    """Symbols of clingo as mere text."""
    listed = tuple(symbols)
    whole = str(Function("", listed))[1:-1]
    return split(whole.removesuffix(",") if len(listed) == 1 else whole)


def symbols(terms: Iterable[str]) -> list[Symbol]:
    """Text as symbols of clingo."""
    joined = ",".join(terms)
    # Parsing one tuple of all takes a fraction of the time of making them one by one.
    return list(parse_term(f"({joined},)").arguments) if joined else []


def quoted(text: str) -> str:
    """Text as a string of clingo."""
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


@lru_cache(MEMORY)
def plain(term: Ground) -> str:
    """A value as people write it: text without quotes, ``_`` for what may be anything."""
    if term.type is SymbolType.String:
        return str(parse_term(term).string)
    return term.replace("__any", "_")


class Later(Sequence[T]):
    """A tuple that is computed on first access."""

    def __init__(self, compute: Callable[[], Iterable[T]]) -> None:
        self._compute = compute

    @cached_property
    def _items(self) -> tuple[T, ...]:
        return tuple(self._compute())

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 (an item, or a slice of them)
        return self._items[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._items == tuple(other)

    def __hash__(self) -> int:
        return hash(self._items)


class Atoms(Later[Symbol]):
    """Ground atoms as text, parsed to symbols of clingo on first access.

    The text is what clingo writes of a tuple of them.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, symbols: Iterable[Symbol]) -> Atoms:
        """Symbols, written."""
        if isinstance(symbols, Atoms):
            return symbols
        items = tuple(symbols)
        atoms = cls(str(Function("", items)))
        atoms.__dict__["_items"] = items
        return atoms

    @property
    def inside(self) -> str:
        """The atoms with commas between them."""
        return self.text[1:-1].removesuffix(",")

    def with_more(self, symbols: Iterable[Symbol]) -> Atoms:
        """These atoms and others."""
        return self.with_text(",".join(map(str, symbols)))

    def with_text(self, added: str) -> Atoms:
        """These atoms and others, given with commas between them."""
        parts = [*filter(None, (self.inside, added))]
        return Atoms(f"({','.join(parts)},)" if parts else "()")

    @cached_property
    def _items(self) -> tuple[Symbol, ...]:
        return tuple(parse_term(self.text).arguments)


def by_name(atoms: Iterable[Ground]) -> dict[str, list[Ground]]:
    """Atoms by the name of their predicate."""
    by_predicate: dict[str, list[Ground]] = {}
    for atom in atoms:
        by_predicate.setdefault(atom.name, []).append(atom)
    return by_predicate
