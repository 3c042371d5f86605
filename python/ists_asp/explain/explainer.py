"""The second, small step: facts of a pair and of its answer in, an explanation out.

An explanation is a text and its statements, each with the alignments that it rests on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, tee
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from clingo import Function, Number, String, Symbol
from msgspec import convert, to_builtins

from ists_asp.errors import DataError, RuleError, inside, shortened
from ists_asp.explain.shown import Item, Key, Piece, Place, Shown, read_shown
from ists_asp.explain.templates import Templates, phrase, quoted, sentence
from ists_asp.facts import line_facts
from ists_asp.io.store import Memo
from ists_asp.io.wa import format_label
from ists_asp.knowledge.words import written_otherwise
from ists_asp.model import Alignment, Answer, Pair, Sentence
from ists_asp.rules import NamedRule, RuleSet, RuleWarning
from ists_asp.solver import Solver, SolverOptions
from ists_asp.solver.batch import in_batches
from ists_asp.syntax.ground import Atoms, Ground, symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Asked: TypeAlias = "tuple[Answer, tuple[Pair, Sequence[Symbol]]]"
"""An answer, and its pair with all facts as the solver takes it."""

_STOPPED = re.compile(r"(?:[A-Z]\.)+[A-Z]?\.?")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said.

    Args:
        kind: the key of its template, such as ``number``.
        text: the statement as a sentence of its own.
        sentence: number of the sentence of the whole text that it is part of, from 1; 0 if it is
            left out of the text, which would be too long.
        alignments: the lines of the answer that it rests on, in their order.
        reason: the rule that decided it, with its name, sentence, file and line.
    """

    kind: str
    text: str
    sentence: int
    alignments: tuple[Alignment, ...]
    reason: NamedRule

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
        return {
            "id": pair.id,
            "sent1": pair.sent1.text,
            "sent2": pair.sent2.text,
            "text": self.text,
            "statements": [
                {
                    "kind": one.kind,
                    "text": one.text,
                    "sentence": one.sentence,
                    "tokens1": list(one.tokens(1)),
                    "tokens2": list(one.tokens(2)),
                    "alignments": [
                        {
                            "tokens1": list(line.tokens1),
                            "tokens2": list(line.tokens2),
                            "text1": pair.sent1.words(line.tokens1),
                            "text2": pair.sent2.words(line.tokens2),
                            "label": format_label(line),
                            "score": line.score,
                        }
                        for line in one.alignments
                    ],
                    "rule": {
                        name: getattr(one.reason, name)
                        for name in ("name", "sentence", "file", "line")
                    },
                }
                for one in self.statements
            ],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], answer: Answer) -> Explanation:
        """The explanation of such a record, which must be about the answer."""
        lines = {(line.tokens1, line.tokens2): line for line in answer.alignments}

        def statement(one: Mapping[str, Any]) -> Statement:
            keys = [(tuple(line["tokens1"]), tuple(line["tokens2"])) for line in one["alignments"]]
            rule = NamedRule(**one["rule"], column=1, text="")
            found = tuple(lines[key] for key in keys)
            return Statement(one["kind"], one["text"], one["sentence"], found, rule)

        try:
            return cls(answer, record["text"], tuple(map(statement, record["statements"])))
        except (LookupError, TypeError):
            expected = f"what to_dict gives of the answer to pair {shortened(answer.pair.id)}"
            raise DataError("this is no explanation of the answer", expected=expected) from None

    def __repr__(self) -> str:
        return f"<Explanation {self.answer.pair.id!r}: {shortened(self.text, 80)!r}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """The answer as a picture, and the text: how notebooks show it."""
        from ists_asp.report.picture import static_picture

        return static_picture(self.answer, self.text)


@dataclass(frozen=True, slots=True)
class Answered(Pair):
    """A pair whose answer has so many lines."""

    lines: int


class Told(NamedTuple):
    """A statement with its place and its words."""

    place: Place
    kind: str
    text: str
    side: str


class Explainer:
    """The rules that decide what is said about an answer."""

    def __init__(
        self,
        rules: RuleSet,
        constants: Mapping[str, str] | None = None,
        time_limit: float = 10.0,
        *,
        incremental: bool = True,
    ) -> None:
        self._options = SolverOptions(time_limit=time_limit, constants=dict(constants or {}))
        self._rules = rules
        self._kept = rules.remembered if incremental else Memo()

    @cached_property
    def _solver(self) -> Solver[Shown]:
        return Solver(self._rules, self._options, _read)

    @cached_property
    def _named(self) -> dict[str, NamedRule]:
        rules = self._rules

        def work() -> list[Any]:
            return [to_builtins(rule) for rule in rules.rules if rule.sentence is not None]

        found = convert(rules.remembered.recall("named", [], work), list[NamedRule])
        return {rule.name: rule for rule in found}

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far."""
        solver = self.__dict__.get("_solver")
        return tuple(dict.fromkeys((*self._rules.warnings, *(solver.warnings if solver else ()))))

    def explain_all(
        self, known: Iterable[tuple[Answer, Sequence[Symbol]]], templates: Templates
    ) -> Iterator[Explanation]:
        """Say answers in words, lazily and in their order, several at a time.

        The facts of an answer's pair have its chunks as given chunks. What was found for the
        answers of a batch is kept with the rules.
        """
        given, again = tee(known)

        def some(items: Sequence[Asked]) -> Iterator[Explanation]:
            texts = [Atoms.of(facts).text for _, (_, facts) in items]
            key = self._kept.key("explanations", [dict(self._options.constants), texts])
            kept = self._kept.get(key)
            solved = self._solver.solve_all(item for _, item in items) if kept is None else None
            found: list[Sequence[str]] = []
            for place, (answer, (pair, facts)) in enumerate(items):
                with inside(pair):
                    if solved is None:
                        shown = _read(pair, map(Ground, kept[place]), (), True)
                    else:
                        (shown,) = next(solved).answers
                        if shown.best:
                            found.append(shown.atoms)
                        else:
                            facts = (*facts, Function("in_haste"))
                            (shown,) = self._solver.solve(pair, facts).answers
                    if len(found) == len(items) and not self.warnings:
                        self._kept.put(key, found)
                    yield self._explained(answer, shown, templates)

        answers = (answer for answer, _ in again)
        return in_batches(zip(answers, posed(given, templates), strict=True), some)

    def _explained(self, answer: Answer, shown: Shown, templates: Templates) -> Explanation:
        told = tell(answer, shown, templates)
        ranks = {
            number: rank
            for rank, number in enumerate(sorted({0} | {item.place.sentence for item in told}))
        }
        statements = tuple(
            Statement(
                item.kind,
                sentence(_clause([item], templates), templates),
                ranks[item.place.sentence],
                tuple(
                    answer.alignments[line - 1] for line in sorted(shown.uses[item.place.statement])
                ),
                self._reason(item.kind),
            )
            for item in told
        )
        return Explanation(answer, text_of(told, templates), statements)

    def _reason(self, kind: str) -> NamedRule:
        name = f"say_{kind}"
        if name not in self._named:
            raise RuleError(
                f"the rule that makes statements of the kind {kind} has another name",
                expected=f'%@rule {name}: "…"',
                hint="Name it so, for the explanation to say which rule decided",
            )
        return self._named[name]


def posed(
    known: Iterable[tuple[Answer, Sequence[Symbol]]], templates: Templates
) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
    """Answers as the solver takes them, with the facts of their pairs and of the templates."""
    lengths = tuple(_text_words(templates))
    for answer, facts in known:
        pair = answer.pair
        sized = Answered(pair.id, pair.sent1, pair.sent2, len(answer.alignments))
        yield sized, (*facts, *lengths, *answer_facts(answer))


def _read(pair: Pair, atoms: Iterable[Ground], _cost: tuple[int, ...], optimal: bool) -> Shown:
    assert isinstance(pair, Answered)
    kept = tuple(atoms)
    return replace(read_shown(pair, pair.lines, kept), best=optimal, atoms=kept)


def answer_facts(answer: Answer) -> Iterator[Symbol]:
    """The facts of an answer, and how its tokens are written.

    The vocabulary is documented in ``asp/lines.lp`` and ``lp_rules/explanation/answer.lp``.
    """
    yield from symbols(line_facts(answer))
    sents = answer.pair.sent1, answer.pair.sent2
    for side, sent in enumerate(sents, 1):
        for item in sent.tokens:
            if case := _case(item.form):
                yield Function("letters", [Number(side), Number(item.index), Function(case)])
    sides = ([token.form for token in sent.tokens] for sent in sents)
    for number, first, last, word, part in written_otherwise(*sides):
        place = map(Number, (number, first, last))
        yield Function("written", [*place, String(word), Number(part)])


def _text_words(templates: Templates) -> Iterator[Symbol]:
    """How many words each text of the templates has besides what fills it."""
    for table in ("words", "statements", "clauses"):
        for key, text in getattr(templates, table).items():
            number = len(re.findall(r"\w+", re.sub(r"\{\w+\}", "", text)))
            yield Function("text_words", [Function(table), Function(key), Number(number)])


def _case(form: str) -> str | None:
    capitals = [char.isupper() for char in form if char.isalpha()]
    if not any(capitals):
        return "lower" if capitals else None
    if all(capitals):
        return "upper" if capitals[1:] else "single"
    return "title" if capitals[0] and not any(capitals[1:]) else "mixed"


def tell(answer: Answer, shown: Shown, templates: Templates) -> list[Told]:
    """Each statement that has a place, filled, in the order of telling."""
    told = _told(answer, shown, templates)
    return sorted(told, key=lambda one: (not one.place.sentence, one.place[:2], one.place.rank))


def _told(answer: Answer, shown: Shown, templates: Templates) -> Iterator[Told]:
    pieces: dict[Ground, dict[tuple[str, Key | None], list[Piece]]]
    pieces = defaultdict(lambda: defaultdict(list))
    for piece in shown.pieces:
        pieces[piece.statement][piece.slot, piece.number].append(piece)
    for place in shown.places:
        identifier = place.statement
        slots = {"hedge": ""}
        slots |= {slot: templates.word(key) for slot, key in shown.choices[identifier].items()}
        listed: list[tuple[Key, str]] = []
        for (slot, number), some in pieces[identifier].items():
            ordered = sorted(some, key=lambda piece: piece.at)
            items = [piece.item for piece in ordered]
            glued = [at for at, two in enumerate(pairwise(items), 1) if _touch(answer, *two)]
            words = [_said(answer, item, templates, at in glued) for at, item in enumerate(items)]
            text = phrase(words, templates, glued)
            if some[-1].style == "quoted":
                text = quoted(text, templates)
            if number is not None:
                listed.append((number, text))
            else:
                slots[slot] = text
        slots["list"] = templates.join(list(dict.fromkeys(text for _, text in sorted(listed))))
        kind = shown.kinds[identifier]
        yield Told(place, kind, templates.statement(kind, slots), slots.get("side", ""))


def _said(answer: Answer, item: Item, templates: Templates, joined: bool) -> str:
    """A word of a phrase: a token, dots or a word of the templates.

    Abbreviations lose their stops (U.S., US), which would end a quotation in its midst. The end
    of a word (they're) that is not ``joined`` to what is said before it is said with the word.
    """
    if item.kind == "dots":
        return templates.marks["dots"]
    if item.kind == "key":
        return templates.word(item.name)
    sent: Sentence = answer.pair.sent1 if item.side == 1 else answer.pair.sent2
    token, before = sent.tokens[item.token - 1], sent.tokens[item.token - 2].form
    form = token.form
    if token.glued and not joined and before[-1].isalnum() and any(map(str.isalpha, form)):
        form = before + form
    if _STOPPED.fullmatch(form):
        form = form.replace(".", "")
    return {"lower": form.lower(), "capital": form.capitalize()}.get(item.name, form)


def _touch(answer: Answer, before: Item, item: Item) -> bool:
    """Whether two items are tokens between which no blank is written."""
    both = before.kind == item.kind == "token" and before.side == item.side
    sent = answer.pair.sent1 if item.side == 1 else answer.pair.sent2
    return both and before.token == item.token - 1 and sent.tokens[item.token - 1].glued


def text_of(told: Sequence[Told], templates: Templates) -> str:
    """Statements that have a place as a text, in sentences."""
    sentences: dict[int, dict[tuple[int, str], list[Told]]] = {}
    for item in told:
        if not item.place.sentence:
            break
        clauses = sentences.setdefault(item.place.sentence, {})
        clauses.setdefault((item.place.order, item.place.clause), []).append(item)
    return templates.joins["sentences"].join(
        sentence(
            templates.joins["clauses"].join(
                _clause(items, templates) for items in clauses.values()
            ),
            templates,
        )
        for clauses in sentences.values()
    )


def _clause(items: Sequence[Told], templates: Templates) -> str:
    texts = list(dict.fromkeys(item.text for item in items))
    return templates.clause(
        items[0].place.clause, {"list": templates.join(texts), "side": items[0].side}
    )
