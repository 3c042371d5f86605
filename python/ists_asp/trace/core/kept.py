"""Probes as data, to be kept between runs: trees as text, which clingo parses in no time."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from clingo.ast import AST, ASTType, Function, Literal, Rule, Sign, SymbolicAtom, parse_string

from ists_asp.trace.core.reified_rule import Companion, ElementRule, Kind, ReifiedRule
from ists_asp.trace.core.rewriting import probe_of_fact
from ists_asp.trace.core.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.rules import RuleSet

_NO_HEAD = "__none"
"""The head of a rule that stands for a body without one."""


def as_data(each: Sequence[Sequence[ReifiedRule]]) -> dict[str, object] | None:
    """The probes of each statement of a rule set, as whatever JSON can write.

    Returns:
        None if clingo would read one of their trees as another one.
    """
    probes = [[_probe(probe) for probe in found] for found in each]
    trees = list(_trees(chain.from_iterable(each)))
    text = "\n".join(map(str, trees))
    if parsed(text) != trees:
        return None
    return {"probes": probes, "trees": text}


def from_data(data: Any, rules: RuleSet) -> list[tuple[ReifiedRule, ...]]:  # noqa: ANN401
    """The probes of each statement of a rule set, of what :func:`as_data` made of them."""
    trees = iter(parsed(data["trees"]))
    found: list[tuple[ReifiedRule, ...]] = []
    for place, probes in enumerate(data["probes"]):
        made = []
        for probe in probes:
            if isinstance(probe, str):
                made.append(probe_of_fact(rules.statements[place], rules.rules[place], probe))
            else:
                made.append(_read(probe, rules, place, trees))
        found.append(tuple(made))
    return found


def parsed(text: str) -> list[AST]:
    """The statements that a text has."""
    trees: list[AST] = []
    parse_string(text, trees.append)
    # The parser puts an empty #program base in front.
    return trees[1:]


def _trees(probes: Iterable[ReifiedRule]) -> Iterator[AST]:
    """The trees of probes: statement, rule's own head and body, statements of elements."""
    for probe in probes:
        if probe.statement is None:
            continue
        place = probe.statement.location
        none = Literal(place, Sign.NoSign, SymbolicAtom(Function(place, _NO_HEAD, [], 0)))
        yield probe.statement
        yield Rule(place, none if probe.head is None else probe.head, list(probe.body))
        for element in probe.elements:
            yield element.statement


def _probe(probe: ReifiedRule) -> object:
    if probe.statement is None:
        return probe.name
    return [
        probe.kind,
        probe.name,
        probe.variables,
        probe.arity,
        probe.derived.kept,
        *_shapes(probe),
        probe.comparisons,
        [
            [
                [
                    [
                        element.name,
                        element.arity,
                        element.outer,
                        [shape.kept for shape in element.terms],
                        *_shapes(element),
                    ]
                    for element in companion.elements
                ],
                companion.text,
                companion.function,
                companion.supports,
            ]
            for companion in probe.companions
        ],
    ]


def _shapes(probe: ReifiedRule | ElementRule) -> list[list[object]]:
    return [
        [shape.kept for shape in shapes]
        for shapes in (probe.positive, probe.negative, probe.double)
    ]


def _read(data: Sequence[Any], rules: RuleSet, place: int, trees: Iterator[AST]) -> ReifiedRule:
    kind, name, variables, arity, derived, positive, negative, double, *rest = data
    comparisons, companions = rest
    statement, own = next(trees), next(trees)
    return ReifiedRule(
        rules.rules[place],
        Kind(kind),
        name,
        tuple(variables),
        arity,
        Shape(*derived),
        _read_shapes(positive),
        _read_shapes(negative),
        _read_shapes(double),
        tuple(comparisons),
        tuple(
            Companion(
                tuple(
                    ElementRule(
                        name,
                        arity,
                        outer,
                        _read_shapes(terms),
                        _read_shapes(positive),
                        _read_shapes(negative),
                        _read_shapes(double),
                        next(trees),
                    )
                    for name, arity, outer, terms, positive, negative, double in elements
                ),
                text,
                function,
                supports,
            )
            for elements, text, function, supports in companions
        ),
        None if _is_none(own.head) else own.head,
        tuple(own.body),
        statement,
    )


def _read_shapes(data: Iterable[Any]) -> tuple[Shape, ...]:
    return tuple(Shape(*shape) for shape in data)


def _is_none(head: AST) -> bool:
    return head.ast_type is ASTType.Literal and str(head) == _NO_HEAD
