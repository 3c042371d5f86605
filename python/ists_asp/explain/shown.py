"""What the rules for explanations show, read and checked once.

The vocabulary is that of ``lp_rules/explanation/output.lp``. Atoms of other predicates are passed
over; those of its own say what can be said about the answer, or are refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clingo import SymbolType

from ists_asp.errors import AnswerError
from ists_asp.syntax.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.model import Pair

Key: TypeAlias = "tuple[int, object]"
"""What terms are sorted by: numbers as numbers, tuples part by part, all else as text."""

_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")


class Item(NamedTuple):
    """A word of a phrase.

    ``kind`` is ``token``, ``dots`` or ``key``. Of a token, number ``token`` of
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

    ``best`` unless there was no time to choose what is told. It was read of ``atoms``.
    """

    kinds: dict[Ground, str] = field(default_factory=dict)
    uses: dict[Ground, set[int]] = field(default_factory=lambda: defaultdict(set))
    choices: dict[Ground, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    pieces: list[Piece] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    best: bool = True
    atoms: Sequence[Ground] = ()


def read_shown(pair: Pair, lines: int, atoms: Iterable[Ground]) -> Shown:
    """Read what the rules show about an answer with so many ``lines``."""
    shown = Shown()
    sizes = {"1": len(pair.sent1.tokens), "2": len(pair.sent2.tokens)}
    # Places are those of statements, and so are read last.
    for atom in sorted(atoms, key=lambda one: one.startswith("told_at(")):
        form = atom.partition("(")[0], len(atom.arguments)
        if form in _FORMS:
            try:
                _take(shown, form[0], atom.arguments, sizes, lines)
            except ValueError:
                raise AnswerError(
                    "what the rules show is nothing that can be said", [atom], _FORMS[form]
                ) from None
    return shown


def _take(
    shown: Shown, name: str, parts: Sequence[Ground], sizes: Mapping[str, int], lines: int
) -> None:
    identifier, *rest = parts
    if name in ("statement", "said"):
        _ensure(shown.kinds.setdefault(identifier, _name(rest[0])) == rest[0])
    elif name == "uses":
        line = _number(rest[0])
        _ensure(1 <= line <= lines)
        shown.uses[identifier].add(line)
    elif name == "choice":
        shown.choices[identifier][_name(rest[0])] = _name(rest[1])
    elif name in ("piece", "quoted"):
        slot, at, style = rest
        _ensure(_is_function(at, "at", 3))
        order, position, item = at.arguments
        place = _key(order), _key(position)
        shown.pieces.append(
            Piece(identifier, *_slot(slot), place, _item(item, sizes), _name(style))
        )
    else:
        sentence, order, clause, rank = rest
        numbers = _number(sentence), _number(order)
        shown.places.append(Place(*numbers, _name(clause), _number(rank), identifier))
        _ensure(identifier in shown.kinds)


def _ensure(condition: bool) -> None:
    if not condition:
        raise ValueError


def _name(term: Ground) -> str:
    _ensure(_NAME.fullmatch(term) is not None)
    return str(term)


def _number(term: Ground) -> int:
    _ensure(term.type is SymbolType.Number)
    return term.number


def _slot(term: Ground) -> tuple[str, Key | None]:
    """A slot, or one of several that are told by a key."""
    if _is_function(term, None, 1):
        return term.name, _key(term.arguments[0])
    return _name(term), None


def _item(what: Ground, sizes: Mapping[str, int]) -> Item:
    if what == "dots":
        return Item("dots")
    if _is_function(what, "word", 3):
        side, index, case = what.arguments
        _ensure(side in sizes and 1 <= _number(index) <= sizes[side])
        return Item("token", _name(case), side.number, index.number)
    _ensure(_is_function(what, None, 1))
    (key,) = what.arguments
    names = (key,) if _NAME.fullmatch(key) else (key.name, *key.arguments)
    return Item("key", "_".join(_name(Ground(part)) for part in names))


def _is_function(term: Ground, name: str | None, arity: int) -> bool:
    """Whether a term is a function of a name, or of any, with so many arguments."""
    return (
        term.type is SymbolType.Function
        and term.positive
        and len(term.arguments) == arity
        and (term.name == name if name else _NAME.fullmatch(term.name) is not None)
    )


def _key(term: Ground) -> Key:
    if term.type is SymbolType.Number:
        return 0, term.number
    if term.type is SymbolType.Function and not term.name:
        return 2, tuple(map(_key, term.arguments))
    return 1, str(term)


_FORMS = {
    ("statement", 2): "statement(Id,Kind), one for each Id, with a name for Kind",
    ("uses", 2): "uses(Id,K), with K the number of a line of the answer",
    ("choice", 3): "choice(Id,Slot,Key), with names for Slot and Key",
    ("piece", 4): ("piece(Id,Slot,at(Order,P,Item),Style), with an Item such as word(S,I,as_is)"),
    ("said", 2): "said(Id,Kind), one for each Id, with a name for Kind",
    ("quoted", 4): "quoted(Id,Slot,at(Order,P,Item),Style), with an Item such as word(S,I,as_is)",
    ("told_at", 5): (
        "told_at(Id,Sentence,Order,Clause,Rank), with numbers but for Clause, for an Id that has "
        "a statement"
    ),
}
"""What messages expect of the atoms that are read."""
