"""What the rules for explanations show, read and checked once.

The vocabulary is that of ``lp_rules/explanation/output.lp``. Atoms of other predicates are passed
over; those of its own say what can be said about the answer, or are refused.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from clingo import SymbolType

from ists_asp.errors import AnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ists_asp.model import Pair
    from ists_asp.syntax.ground import Ground

Key: TypeAlias = "tuple[int, object]"
"""What terms are sorted by: numbers as numbers, tuples part by part, all else as text."""

_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")


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
    """Read what the rules show about an answer with so many ``lines``."""
    shown = Shown()
    sizes = {"1": len(pair.sent1.tokens), "2": len(pair.sent2.tokens)}
    # Places are those of statements, and so are read last.
    for atom in sorted(atoms, key=lambda one: one.startswith("told_at(")):
        parts = atom.arguments
        form = _FORMS.get(name := atom.partition("(")[0])
        if form is None or len(form.reads) != len(parts):
            continue
        values = [
            (partial(read, sizes=sizes) if read is _at else read)(part)
            for read, part in zip(form.reads, parts, strict=True)
        ]
        if None in values or not _take(shown, name, values, lines):
            raise AnswerError(
                "what the rules show is nothing that can be said", [atom], form.expected
            )
    return shown


def _take(shown: Shown, name: str, values: list[Any], lines: int) -> bool:
    """Note what an atom says; return whether it can be said."""
    if name == "statement":
        identifier, kind = values
        return bool(shown.kinds.setdefault(identifier, kind) == kind)
    if name == "uses":
        identifier, line = values
        shown.uses[identifier].add(line)
        return bool(1 <= line <= lines)
    if name == "choice":
        identifier, slot, key = values
        shown.choices[identifier][slot] = key
    elif name == "piece":
        identifier, (slot, number), (order, position, item), style = values
        shown.pieces.append(Piece(identifier, slot, number, (order, position), item, style))
    elif name == "more_told":
        sentence, order, clause, word = values
        shown.more[sentence, order, clause] = word
    else:
        identifier, sentence, order, clause, rank = values
        shown.places.append(Place(sentence, order, clause, rank, identifier))
        return identifier in shown.kinds
    return True


def _any(term: Ground) -> Ground:
    return term


def _name(term: Ground) -> str | None:
    return str(term) if _NAME.fullmatch(term) else None


def _number(term: Ground) -> int | None:
    return term.number if term.type is SymbolType.Number else None


def _clause(term: Ground) -> str | None:
    """The key of a clause's template."""
    also = _is_function(term, "also", 1)
    name = _name(term.arguments[0] if also else term)
    return f"also_{name}" if also and name else name


def _slot(term: Ground) -> tuple[str, Key | None] | None:
    """A slot, or one of several that are told by a key."""
    if _is_function(term, None, 1):
        return term.name, _key(term.arguments[0])
    name = _name(term)
    return None if name is None else (name, None)


def _at(term: Ground, sizes: dict[str, int]) -> tuple[Key, Key, Item] | None:
    """Where an item stands, and the item."""
    if not _is_function(term, "at", 3):
        return None
    order, position, what = term.arguments
    item = _item(what, sizes)
    return None if item is None else (_key(order), _key(position), item)


def _item(what: Ground, sizes: dict[str, int]) -> Item | None:
    if what in ("article", "dots"):
        return Item(what)
    if _is_function(what, "word", 3):
        side, index, case = what.arguments
        number = _number(index)
        known = side in sizes and number is not None and 1 <= number <= sizes[side]
        return Item("token", case, side.number, number or 0) if known and _name(case) else None
    if not _is_function(what, None, 1):
        return None
    (key,) = what.arguments
    names = (key,) if _name(key) else (key.name, *key.arguments)
    return Item("key", "_".join(names)) if all(map(_NAME.fullmatch, names)) else None


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


class _Form(NamedTuple):
    """How the arguments of a predicate are read, and what messages expect of it."""

    reads: tuple[Callable[..., object | None], ...]
    expected: str


_FORMS = {
    "statement": _Form((_any, _name), "statement(Id,Kind), one for each Id, with a name for Kind"),
    "uses": _Form((_any, _number), "uses(Id,K), with K the number of a line of the answer"),
    "choice": _Form((_any, _name, _name), "choice(Id,Slot,Key), with names for Slot and Key"),
    "piece": _Form(
        (_any, _slot, _at, _name),
        "piece(Id,Slot,at(Order,P,Item),Style), with an Item such as word(S,I,as_is)",
    ),
    "told_at": _Form(
        (_any, _number, _number, _clause, _number),
        "told_at(Id,Sentence,Order,Clause,Rank), with numbers but for Clause, for an Id that has "
        "a statement",
    ),
    "more_told": _Form(
        (_number, _number, _clause, _name),
        "more_told(Sentence,Order,Clause,Key), with numbers but for names as the last",
    ),
}
