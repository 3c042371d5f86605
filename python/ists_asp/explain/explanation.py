"""Explanations: an answer in words, as statements that each rest on alignments.

Atoms of the vocabulary of ``lp_rules/explanation/output.lp`` are read and checked once, or
refused; others are passed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from clingo import SymbolType

from ists_asp.errors import AnswerError, DataError, RuleError, shortened
from ists_asp.explain.templates import Templates, phrase, quoted, sentence
from ists_asp.io.wa import format_label
from ists_asp.knowledge.words import written_otherwise
from ists_asp.model import Alignment, Answer, Sentence
from ists_asp.rules import NamedRule
from ists_asp.syntax import ground
from ists_asp.syntax.ground import Ground
from ists_asp.vocabulary import line_facts

_REASON = ("name", "sentence", "file", "line")
_STOPPED = re.compile(r"(?:[A-Z]\.)+[A-Z]?\.?")
_WORD = re.compile(r"\w+")
_SLOT = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said.

    Args:
        kind: the key of its template, such as ``number``.
        text: the statement as a sentence of its own.
        sentence: its sentence of the whole text, from 1; 0 if that would be too long with it.
        alignments: the lines of the answer that it rests on, in their order.
        reason: the rule that decided it, with its name, sentence, file and line.
        atom: the atom of the rules that says it; empty in records.
    """

    kind: str
    text: str
    sentence: int
    alignments: tuple[Alignment, ...]
    reason: NamedRule
    atom: str = field(default="", compare=False)

    def tokens(self, side: int) -> tuple[int, ...]:
        """The token numbers of sentence 1 or 2 that it is about, ascending."""
        lines = (line.tokens1 if side == 1 else line.tokens2 for line in self.alignments)
        return tuple(sorted({token for line in lines for token in line}))


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """An answer in words: the whole text, and its statements in order."""

    answer: Answer
    text: str
    statements: tuple[Statement, ...]

    def to_dict(self) -> dict[str, object]:
        """The explanation by its schema; spans are given by token numbers and by words."""
        pair = self.answer.pair

        def record(line: Alignment) -> dict[str, object]:
            sides = ("1", pair.sent1, line.tokens1), ("2", pair.sent2, line.tokens2)
            spans = {f"tokens{side}": list(tokens) for side, _, tokens in sides}
            texts = {f"text{side}": sent.words(tokens) for side, sent, tokens in sides}
            return spans | texts | {"label": format_label(line), "score": line.score}

        return {
            "id": pair.id,
            "sent1": pair.sent1.text,
            "sent2": pair.sent2.text,
            "text": self.text,
            "statements": [
                {
                    "kind": statement.kind,
                    "text": statement.text,
                    "sentence": statement.sentence,
                    "tokens1": list(statement.tokens(1)),
                    "tokens2": list(statement.tokens(2)),
                    "alignments": list(map(record, statement.alignments)),
                    "rule": {name: getattr(statement.reason, name) for name in _REASON},
                }
                for statement in self.statements
            ],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], answer: Answer) -> Explanation:
        """The explanation of such a record, which must be about the answer."""
        lines = {line.sides: line for line in answer.alignments}

        def statement(data: Mapping[str, Any]) -> Statement:
            keys = [(tuple(line["tokens1"]), tuple(line["tokens2"])) for line in data["alignments"]]
            rule = NamedRule(**data["rule"], column=1, text="")
            alignments = tuple(lines[key] for key in keys)
            return Statement(data["kind"], data["text"], data["sentence"], alignments, rule)

        try:
            return cls(answer, record["text"], tuple(map(statement, record["statements"])))
        except (LookupError, TypeError):
            expected = f"what to_dict gives of the answer to pair {shortened(answer.pair.id)}"
            raise DataError("this is not an explanation of the answer", expected=expected) from None

    def __repr__(self) -> str:
        return f"<Explanation {self.answer.pair.id!r}: {shortened(self.text, 80)!r}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from ists_asp.report.picture import static_picture

        return static_picture(self.answer, self.text)


def answer_facts(answer: Answer) -> Iterator[str]:
    """The facts of an answer (``asp/lines.lp``), and of how its tokens are written."""
    yield from line_facts(answer)
    sides = answer.pair.sent1.tokens, answer.pair.sent2.tokens
    for side, tokens in enumerate(sides, 1):
        for token in tokens:
            if case := _case(token.form):
                yield f"letters({side},{token.index},{case})"
    forms = ([token.form for token in tokens] for tokens in sides)
    for side, first, last, word, part in written_otherwise(*forms):
        yield f"written({side},{first},{last},{ground.quoted(word)},{part})"


def text_facts(templates: Templates) -> list[str]:
    """The number of words in each text of the templates, without those of its slots."""
    return [
        f"text_words({table},{key},{len(_WORD.findall(_SLOT.sub('', text)))})"
        for table in ("words", "statements", "clauses")
        for key, text in getattr(templates, table).items()
        if _NAME.fullmatch(key)
    ]


def _case(form: str) -> str | None:
    capitals = [char.isupper() for char in form if char.isalpha()]
    if not any(capitals):
        return "lower" if capitals else None
    if all(capitals):
        return "upper" if capitals[1:] else "single"
    return "title" if capitals[0] and not any(capitals[1:]) else "mixed"


# Sort key of a term: numbers as numbers, tuples part by part, all else as text.
Key: TypeAlias = "tuple[int, object]"
_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")


class Item(NamedTuple):
    """A word of a phrase: its ``kind`` is ``token``, ``dots``, ``key`` or ``text``."""

    kind: str
    name: str = ""  # what becomes of a token's letters, a key of the templates' words, or a text
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
    """Statements as the rules show them; ``best`` unless time was short to choose among them."""

    atoms: Sequence[Ground]
    best: bool = True
    kinds: dict[Ground, str] = field(default_factory=dict)
    uses: dict[Ground, set[int]] = field(default_factory=lambda: defaultdict(set))
    choices: dict[Ground, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    pieces: list[Piece] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


def read_shown(
    sizes: tuple[int, int], lines: int, atoms: Iterable[Ground], best: bool = True
) -> Shown:
    """Read what the rules show about sides of so many tokens, with so many ``lines``."""
    shown = Shown(tuple(atoms), best)
    sides = dict(zip("12", sizes, strict=True))
    # Places are those of statements, and so are read last.
    for atom in sorted(shown.atoms, key=lambda atom: atom.startswith("told_at(")):
        form = atom.partition("(")[0], len(atom.arguments)
        if form in _FORMS:
            try:
                _take(shown, form[0], atom.arguments, sides, lines)
            except ValueError:
                found = "the rules show an atom that cannot be put into words"
                raise AnswerError(found, [atom], _FORMS[form]) from None
    return shown


def read_bare(answer: Answer, _shown: object, cost: tuple[int, ...], optimal: bool) -> Answer:
    """An answer without lines, for traces of a verdict or a statement."""
    return replace(answer, chunks1=(), chunks2=(), alignments=(), cost=cost, optimal=optimal)


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
        order, position, word = at.arguments
        place, item, number = (_key(order), _key(position)), _item(word, sizes), None
        if _is_function(slot, None, 1):
            slot, number = Ground(slot.name), _key(slot.arguments[0])
        piece = Piece(identifier, _name(slot), number, place, item, _name(style))
        shown.pieces.append(piece)
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


def _item(word: Ground, sizes: Mapping[str, int]) -> Item:
    if word == "dots":
        return Item("dots")
    if _is_function(word, "text", 1):
        (text,) = word.arguments
        _ensure(text.type in (SymbolType.Number, SymbolType.String))
        return Item("text", ground.plain(text))
    if _is_function(word, "word", 3):
        side, index, case = word.arguments
        _ensure(side in sizes and 1 <= _number(index) <= sizes[side])
        return Item("token", _name(case), side.number, index.number)
    _ensure(_is_function(word, None, 1))
    (key,) = word.arguments
    names = (key,) if _NAME.fullmatch(key) else (key.name, *key.arguments)
    return Item("key", "_".join(_name(Ground(part)) for part in names))


def _is_function(term: Ground, name: str | None, arity: int) -> bool:
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


# The form that messages expect of each atom.
_FORMS = {
    ("statement", 2): "statement(Id,Kind), one for each Id, with a name for Kind",
    ("uses", 2): "uses(Id,K), with K the number of a line of the answer",
    ("choice", 3): "choice(Id,Slot,Key), with names for Slot and Key",
    ("piece", 4): "piece(Id,Slot,at(Order,P,Item),Style), with an Item such as word(S,I,as_is)",
    ("said", 2): "said(Id,Kind), one for each Id, with a name for Kind",
    ("quoted", 4): "quoted(Id,Slot,at(Order,P,Item),Style), with an Item such as word(S,I,as_is)",
    ("told_at", 5): (
        "told_at(Id,Sentence,Order,Clause,Rank), with numbers but for Clause, for an Id that has "
        "a statement"
    ),
}


class Told(NamedTuple):
    """A statement with its place and its words."""

    place: Place
    kind: str
    text: str
    side: str


def explained(
    answer: Answer, shown: Shown, templates: Templates, rules: Mapping[str, NamedRule]
) -> Explanation:
    """The explanation of an answer, by what ``rules``, by their names, show."""
    items = tell(answer.pair.sentences, shown, templates)
    sentences = sorted({0} | {item.place.sentence for item in items})
    statements = []
    for item in items:
        name = f"say_{item.kind}"
        if name not in rules:
            found = f"the rule that makes statements of the kind {item.kind} has another name"
            hint = "Name it so, for the explanation to say which rule decided"
            raise RuleError(found, expected=f'%@rule {name}: "…"', hint=hint)
        text = sentence(_clause([item], templates), templates)
        number = sentences.index(item.place.sentence)
        uses = sorted(shown.uses[item.place.statement])
        lines = tuple(answer.alignments[line - 1] for line in uses)
        atom = f"statement({item.place.statement},{item.kind})"
        statements.append(Statement(item.kind, text, number, lines, rules[name], atom))
    return Explanation(answer, text_of(items, templates), tuple(statements))


def tell(sides: Sequence[Sentence], shown: Shown, templates: Templates) -> list[Told]:
    """Each statement that has a place, filled, in the order of telling."""
    items = _filled(sides, shown, templates)
    return sorted(items, key=lambda one: (not one.place.sentence, one.place[:2], one.place.rank))


def _filled(sides: Sequence[Sentence], shown: Shown, templates: Templates) -> Iterator[Told]:
    pieces: dict[Ground, dict[tuple[str, Key | None], list[Piece]]]
    pieces = defaultdict(lambda: defaultdict(list))
    for piece in shown.pieces:
        pieces[piece.statement][piece.slot, piece.number].append(piece)
    for place in shown.places:
        choices = shown.choices[place.statement].items()
        slots = {"hedge": "", **{slot: templates.text("words", key) for slot, key in choices}}
        listed: list[tuple[Key, str]] = []
        for (slot, number), group in pieces[place.statement].items():
            items = [piece.item for piece in sorted(group, key=lambda piece: piece.at)]
            glued = [at for at, two in enumerate(pairwise(items), 1) if _touch(sides, *two)]
            words = [_said(sides, item, templates, at in glued) for at, item in enumerate(items)]
            text = phrase(words, templates, glued)
            if group[-1].style == "quoted":
                text = quoted(text, templates)
            if number is not None:
                listed.append((number, text))
            else:
                slots[slot] = text
        slots["list"] = templates.join(list(dict.fromkeys(text for _, text in sorted(listed))))
        kind = shown.kinds[place.statement]
        text = templates.fill("statements", kind, slots)
        yield Told(place, kind, text, slots.get("side", ""))


def _said(sides: Sequence[Sentence], item: Item, templates: Templates, joined: bool) -> str:
    """A word of a phrase: a token, dots, a word of the templates or a text.

    Abbreviations lose their stops (U.S., US), which would end a quotation in its midst. The end
    of a word (they're) that is not ``joined`` to what is said before it is said with the word.
    """
    if item.kind == "dots":
        return templates.marks["dots"]
    if item.kind == "key":
        return templates.text("words", item.name)
    form = item.name
    if item.kind == "token":
        tokens = sides[item.side - 1].tokens
        token, before = tokens[item.token - 1], tokens[item.token - 2].form
        form = token.form
        if token.glued and not joined and before[-1].isalnum() and any(map(str.isalpha, form)):
            form = before + form
    if _STOPPED.fullmatch(form):
        form = form.replace(".", "")
    return {"lower": form.lower(), "capital": form.capitalize()}.get(item.name, form)


def _touch(sides: Sequence[Sentence], before: Item, item: Item) -> bool:
    both = before.kind == item.kind == "token" and before.side == item.side
    next_to = both and before.token == item.token - 1
    return next_to and sides[item.side - 1].tokens[item.token - 1].glued


def text_of(items: Sequence[Told], templates: Templates) -> str:
    """Statements that have a place as a text, in sentences."""
    sentences: dict[int, dict[tuple[int, str], list[Told]]] = {}
    for item in items:
        if not item.place.sentence:
            break
        clauses = sentences.setdefault(item.place.sentence, {})
        clauses.setdefault((item.place.order, item.place.clause), []).append(item)
    texts = (
        templates.joins["clauses"].join(_clause(clause, templates) for clause in clauses.values())
        for clauses in sentences.values()
    )
    return templates.joins["sentences"].join(sentence(text, templates) for text in texts)


def _clause(items: Sequence[Told], templates: Templates) -> str:
    texts = templates.join(list(dict.fromkeys(item.text for item in items)))
    slots = {"list": texts, "side": items[0].side}
    return templates.fill("clauses", items[0].place.clause, slots)
