"""What the rules for explanations show, read and checked once.

The vocabulary is that of ``lp_rules/explanation/output.lp``. Atoms of other predicates are passed
over; those of its own say what can be said about the answer, or are refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias

from clingo import SymbolType

from ists_asp.answers import AnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ists_asp.model import Pair
    from ists_asp.syntax.ground import Ground

Key: TypeAlias = "tuple[int, object]"
"""What terms are sorted by: numbers as numbers, tuples part by part, all else as text."""

_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")
_FORMS = {
    ("statement", 2): "statement(Id,Kind), one for each Id, with a name for Kind",
    ("uses", 2): "uses(Id,K), with K the number of a line of the answer",
    ("choice", 3): "choice(Id,Slot,Key), with names for Slot and Key",
    ("piece", 4): "piece(Id,Slot,at(Order,P,Item),Style), with an Item such as word(S,I,as_is)",
    (
        "told_at",
        5,
    ): "told_at(Id,Sentence,Order,Clause,Rank), with numbers but for Clause, for an Id "
    "that has a statement",
    (
        "more_told",
        4,
    ): "more_told(Sentence,Order,Clause,Key), with numbers but for names as the last",
}


class Item(NamedTuple):
    """A word of a phrase.

    ``kind`` is ``token``, ``article``, ``dots`` or ``key``. Of a token, number ``token`` of
    sentence ``side``, ``name`` says what becomes of its letters; otherwise it is a key of the
    templates' words.
    """

    kind: str
    name: str = ""
    side: int = 0
    token: int = 0


class Piece(NamedTuple):
    """An item of a slot, and where it stands there; ``number`` is that of one of several slots."""

    statement: Ground
    slot: str
    number: Key | None
    at: tuple[Key, Key]
    item: Item
    style: str


class Place(NamedTuple):
    """Where a statement is told; see ``told_at/5`` in ``lp_rules/explanation/order.lp``."""

    sentence: int
    order: int
    clause: str
    rank: int
    statement: Ground


@dataclass(slots=True)
class Shown:
    """What there is to say about an answer; all but pieces and places by statement.

    ``more`` says of a clause how many statements are not told one by one, by a word's key.
    """

    kinds: dict[Ground, str] = field(default_factory=dict)
    uses: dict[Ground, set[int]] = field(default_factory=lambda: defaultdict(set))
    choices: dict[Ground, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    pieces: list[Piece] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    more: dict[tuple[int, int, str], str] = field(default_factory=dict)


def read_shown(pair: Pair, lines: int, atoms: Iterable[Ground]) -> Shown:
    """Read what the rules show about an answer with so many ``lines``.

    Raises:
        AnswerError: an atom says nothing that can be said about it.
    """
    return _Reader(pair, lines).read(atoms)


class _Reader:
    def __init__(self, pair: Pair, lines: int) -> None:
        self._sizes = {"1": len(pair.sent1.tokens), "2": len(pair.sent2.tokens)}
        self._lines = lines
        self._found = Shown()
        self._take: dict[str, Callable[..., bool]] = {
            "statement": self._statement,
            "uses": self._uses,
            "choice": self._choice,
            "piece": self._piece,
            "more_told": self._more,
        }

    def read(self, atoms: Iterable[Ground]) -> Shown:
        placed = []
        for atom in atoms:
            name, parts = atom.partition("(")[0], atom.arguments
            if (name, len(parts)) not in _FORMS:
                continue
            if name == "told_at":
                placed.append((atom, parts))
            elif not self._take[name](*parts):
                _refuse(atom)
        for atom, parts in placed:
            if not self._place(*parts):
                _refuse(atom)
        return self._found

    def _statement(self, identifier: Ground, kind: Ground) -> bool:
        known = self._found.kinds.setdefault(identifier, kind)
        return known == kind and _is_name(kind)

    def _uses(self, identifier: Ground, line: Ground) -> bool:
        if not _is_number(line) or not 1 <= line.number <= self._lines:
            return False
        self._found.uses[identifier].add(line.number)
        return True

    def _choice(self, identifier: Ground, slot: Ground, key: Ground) -> bool:
        self._found.choices[identifier][slot] = key
        return _is_name(slot) and _is_name(key)

    def _piece(self, identifier: Ground, slot: Ground, at: Ground, style: Ground) -> bool:
        if not (_is_function(at, "at", 3) and _is_name(style)):
            return False
        order, position, what = at.arguments
        item = self._item(what)
        if item is None:
            return False
        several = _is_function(slot, None, 1)
        if not several and not _is_name(slot):
            return False
        name = slot.name if several else str(slot)
        number = _key(slot.arguments[0]) if several else None
        places = _key(order), _key(position)
        self._found.pieces.append(Piece(identifier, name, number, places, item, style))
        return True

    def _place(
        self, identifier: Ground, sentence: Ground, order: Ground, clause: Ground, rank: Ground
    ) -> bool:
        if identifier not in self._found.kinds:
            return False
        if not all(map(_is_number, (sentence, order, rank))):
            return False
        key = _clause_key(clause)
        if key is None:
            return False
        self._found.places.append(
            Place(sentence.number, order.number, key, rank.number, identifier)
        )
        return True

    def _more(self, sentence: Ground, order: Ground, clause: Ground, word: Ground) -> bool:
        key = _clause_key(clause)
        if key is None or not (_is_number(sentence) and _is_number(order) and _is_name(word)):
            return False
        self._found.more[sentence.number, order.number, key] = word
        return True

    def _item(self, what: Ground) -> Item | None:
        if what in ("article", "dots"):
            return Item(what)
        if _is_function(what, "word", 3):
            side, index, case = what.arguments
            if side in self._sizes and _is_number(index) and _is_name(case):
                number = index.number
                if 1 <= number <= self._sizes[side]:
                    return Item("token", case, side.number, number)
            return None
        if not _is_function(what, None, 1):
            return None
        (key,) = what.arguments
        names = (key,) if _is_name(key) else (key.name, *key.arguments)
        return Item("key", "_".join(names)) if all(map(_NAME.fullmatch, names)) else None


def _clause_key(clause: Ground) -> str | None:
    """The key of a clause's template, or None if the term is none."""
    also = _is_function(clause, "also", 1)
    name = clause.arguments[0] if also else clause
    if not _is_name(name):
        return None
    return f"also_{name}" if also else str(name)


def _is_name(term: Ground) -> bool:
    return _NAME.fullmatch(term) is not None


def _is_number(term: Ground) -> bool:
    return term.type is SymbolType.Number


def _is_function(term: Ground, name: str | None, arity: int) -> bool:
    """Whether a term is a function of a name, or of any, with so many arguments."""
    return (
        term.type is SymbolType.Function
        and term.positive
        and len(term.arguments) == arity
        and (term.name == name if name else _NAME.fullmatch(term.name) is not None)
    )


def _key(term: Ground) -> Key:
    if _is_number(term):
        return 0, term.number
    if term.type is SymbolType.Function and not term.name:
        return 2, tuple(map(_key, term.arguments))
    return 1, str(term)


def _refuse(atom: Ground) -> NoReturn:
    name, arity = atom.partition("(")[0], len(atom.arguments)
    raise AnswerError(
        "what the rules show is nothing that can be said", [atom], _FORMS[name, arity]
    )
