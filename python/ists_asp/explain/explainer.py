"""The second, small step: facts of a pair and of its answer in, an explanation out."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from clingo import Function, Number, SymbolType

from ists_asp.errors import RuleError
from ists_asp.explain.explanation import Explanation, Reason, Statement
from ists_asp.explain.wording import ARTICLE, phrase, quoted, sentence
from ists_asp.facts import line_facts
from ists_asp.rules import explanation_rule_sources, load_rules
from ists_asp.rules.messages import Messages
from ists_asp.solver.options import constant_arguments
from ists_asp.solver.program import prepare
from ists_asp.solver.search import CORE_GUIDED, ground, search
from ists_asp.solver.texts import symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from clingo import Symbol

    from ists_asp.explain.templates import Templates
    from ists_asp.model import Answer, Sentence
    from ists_asp.rules import RuleSet, RuleWarning

__all__ = ["Explainer", "answer_facts", "load_explainer"]

_TIME_LIMIT = 10.0
_PREFIX = "say_"
"""The rule that decides statements of a kind is called so, followed by the kind."""

_ALSO = "also"
_QUOTED = "quoted"


class _Place(NamedTuple):
    """Where a statement is told; see ``place/5`` in ``lp_rules/explanation/order.lp``."""

    sentence: int
    order: int
    clause: str
    rank: int
    statement: Symbol


class _Told(NamedTuple):
    """A statement with its place and its words."""

    place: _Place
    kind: str
    text: str
    side: str


def load_explainer(
    profile: str,
    rules: Sequence[Path] = (),
    constants: Mapping[str, str] | None = None,
    *,
    scripts: bool = False,
) -> Explainer:
    """Load what a profile explains its answers by.

    Raises:
        UsageError: there is no such profile, or a constant is not an ASP term.
        RuleError: a rule file or the profile is faulty, or it names no rules for explanations.
        ResourceError: the installation lacks the shipped rules.
    """
    sources = explanation_rule_sources(profile, rules)
    return Explainer(load_rules(sources, scripts=scripts), constants)


class Explainer:
    """The rules that decide what is said about an answer.

    Args:
        rules: the parsed rules.
        constants: values of ``#const`` definitions.

    Raises:
        UsageError: a constant is not an ASP term.
        RuleError: clingo cannot ground the facts and tables among the rules.
    """

    def __init__(self, rules: RuleSet, constants: Mapping[str, str] | None = None) -> None:
        self._messages = Messages(rules.names)
        self._arguments = constant_arguments(constants or {})
        self._program = prepare(rules.statements, self._arguments, self._messages)
        if self._program.derived:
            self._program = prepare(rules.statements, self._arguments, self._messages, tables=False)
        self._reasons = {
            rule.name: Reason(rule.name, rule.sentence, rule.file, rule.line)
            for rule in rules.rules
            if rule.sentence is not None
        }
        self._loaded = rules.warnings

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far."""
        return tuple(dict.fromkeys((*self._loaded, *self._messages.warnings)))

    def explain(self, answer: Answer, facts: Iterable[Symbol], templates: Templates) -> Explanation:
        """Say an answer in words.

        Args:
            answer: the answer.
            facts: those of its pair, with the answer's chunks as given chunks.
            templates: the wording.

        Raises:
            RuleError: clingo cannot ground the rules, they are contradictory, or a
                statement has no rule of its name.
            DataError: the templates lack a text.
        """
        shown = self._shown(chain(facts, answer_facts(answer)), answer)
        told = sorted(
            _tell(answer, shown, templates), key=lambda item: (item.place[:2], item.place.rank)
        )
        uses = defaultdict(set)
        for statement, line in shown["uses"]:
            uses[statement].add(line.number)
        statements = []
        for item in told:
            alone = item.place.clause.removeprefix(f"{_ALSO}_")
            single = _clause([item._replace(place=item.place._replace(clause=alone))], templates)
            lines = sorted(uses[item.place.statement])
            statements.append(
                Statement(
                    item.kind,
                    sentence(single, templates),
                    _rank(item.place.sentence, told),
                    tuple(answer.alignments[line - 1] for line in lines),
                    self._reason(item.kind),
                )
            )
        return Explanation(answer, _text(told, templates), tuple(statements))

    def _shown(
        self, facts: Iterable[Symbol], answer: Answer
    ) -> Mapping[str, Sequence[Sequence[Symbol]]]:
        program = self._program
        arguments = (CORE_GUIDED, *self._arguments)
        control = ground(program.statements, chain(program.facts, facts), arguments, self._messages)
        found, _ = search(control, _TIME_LIMIT, atoms=False)
        if found is None:
            raise RuleError(
                "the rules for explanations admit no answer set",
                where=f"pair {answer.pair.id}",
                hint="Look for a constraint (a rule without a head) that cannot hold",
            )
        shown: dict[str, list[Sequence[Symbol]]] = defaultdict(list)
        for symbol in symbols(found.shown):
            shown[symbol.name].append(symbol.arguments)
        return shown

    def _reason(self, kind: str) -> Reason:
        name = _PREFIX + kind
        if name not in self._reasons:
            raise RuleError(
                f"the rule that makes statements of the kind {kind} has another name",
                expected=f'%@rule {name}: "…"',
                hint="Name it so, for the explanation to say which rule decided",
            )
        return self._reasons[name]


def answer_facts(answer: Answer) -> Iterator[Symbol]:
    """The facts of an answer, and how its tokens are written.

    The vocabulary is documented in ``asp/lines.lp`` and ``lp_rules/explanation/answer.lp``.
    """
    yield from line_facts(answer)
    for side, sent in ((1, answer.pair.sent1), (2, answer.pair.sent2)):
        for item in sent.tokens:
            case = _case(item.form)
            if case:
                yield Function("letters", [Number(side), Number(item.index), Function(case)])


def _case(form: str) -> str | None:
    letters = [char for char in form if char.isalpha()]
    if not letters:
        return None
    capitals = [char.isupper() for char in letters]
    if not any(capitals):
        return "lower"
    if len(letters) == 1:
        return "single"
    if all(capitals):
        return "upper"
    return "title" if capitals[0] and not any(capitals[1:]) else "mixed"


def _tell(
    answer: Answer, shown: Mapping[str, Sequence[Sequence[Symbol]]], templates: Templates
) -> Iterator[_Told]:
    """Each statement that has a place, filled."""
    kinds = {identifier: kind.name for identifier, kind in shown["statement"]}
    chosen: dict[Symbol, dict[str, str]] = defaultdict(dict)
    for identifier, slot, key in shown["choice"]:
        chosen[identifier][slot.name] = templates.word(key.name)
    words: dict[Symbol, dict[Symbol, list[tuple[object, str]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    styles: dict[tuple[Symbol, Symbol], str] = {}
    for identifier, slot, at, style in shown["piece"]:
        order, position, item = at.arguments
        place = (_value(order), _value(position))
        literal = style.name == _QUOTED
        words[identifier][slot].append((place, _said(answer, item, templates, literal=literal)))
        styles[identifier, slot] = style.name
    for identifier, number, order, group, rank in shown["place"]:
        slots = dict(chosen[identifier])
        listed: list[tuple[Any, str]] = []
        for slot, items in words[identifier].items():
            ordered = [word for _, word in sorted(items, key=lambda item: item[0])]  # type: ignore[arg-type, return-value]
            text = phrase(ordered, templates)
            if styles[identifier, slot] == _QUOTED:
                text = quoted(text, templates)
            if slot.arguments:
                listed.append((_value(slot.arguments[0]), text))
            else:
                slots[slot.name] = text
        slots["list"] = templates.join(list(dict.fromkeys(text for _, text in sorted(listed))))
        kind = kinds[identifier]
        clause = f"{_ALSO}_{group.arguments[0].name}" if group.arguments else group.name
        yield _Told(
            _Place(number.number, order.number, clause, rank.number, identifier),
            kind,
            templates.statement(kind, slots),
            slots.get("side", ""),
        )


def _value(symbol: Symbol) -> object:
    if symbol.type is SymbolType.Number:
        return symbol.number
    return tuple(_value(part) for part in symbol.arguments)


def _said(answer: Answer, item: Symbol, templates: Templates, *, literal: bool) -> str:
    """A word of a phrase: a token, the article, dots or a word of the templates.

    What is quoted (``literal``) keeps its letters as they are written.
    """
    if item.name == "word":
        side, index, case = item.arguments
        sent: Sentence = answer.pair.sent1 if side.number == 1 else answer.pair.sent2
        form = sent.tokens[index.number - 1].form
        if literal:
            return form
        if case.name == "lower":
            return form.lower()
        return form.capitalize() if case.name == "capital" else form
    if item.name == "article":
        return ARTICLE
    if item.name == "dots":
        return templates.marks["dots"]
    (key,) = item.arguments
    name = "_".join((key.name, *(part.name for part in key.arguments)))
    return templates.word(name)


def _text(told: Sequence[_Told], templates: Templates) -> str:
    sentences: dict[int, dict[tuple[int, str], list[_Told]]] = {}
    for item in told:
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


def _clause(items: Sequence[_Told], templates: Templates) -> str:
    texts = list(dict.fromkeys(item.text for item in items))
    return templates.clause(
        items[0].place.clause, {"list": templates.join(texts), "side": items[0].side}
    )


def _rank(number: int, told: Sequence[_Told]) -> int:
    return 1 + len({item.place.sentence for item in told if item.place.sentence < number})
