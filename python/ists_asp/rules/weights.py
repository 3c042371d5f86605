"""The weights that belong to a rule: those of the evidence that it can derive.

The weights file names evidence, not rules. A weight belongs to each rule whose head can be
``evidence(Target,Name,Value)`` for it (or, for a rating, ``speaks_for(Name,V)`` or
``speaks_against(Name,V)``): ``evidence(link(X,Y),heads(K),100)`` has the weight
``weight(heads(synonym),equi,12)``. The conditions of the rule count as far as the name's variables
occur in them: each needs a rule or a fact that could derive it with these values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from clingo import Control, SymbolType
from clingo.ast import AST, ASTType, ProgramBuilder

from ists_asp.errors import RuleError
from ists_asp.rules.arguments import Read, read_statement
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Bindings, Call, Term, agree, bind, filled, parsed, variables
from ists_asp.syntax.trees import Signature, predicates
from ists_asp.vocabulary import EVIDENCE, SPEAKS_AGAINST, SPEAKS_FOR, VERDICTS, WEIGHTS, Predicate

_SPEAKS = frozenset({SPEAKS_FOR.signature, SPEAKS_AGAINST.signature})
_MADE = _SPEAKS | {EVIDENCE.signature}
_RATING = "rating"
_TARGETS = {
    "boundary": {"boundary"},
    "align": {"pair"},
    "spe": {"pair", "link"},
    "this_spe": {"side"},
    "other_spe": {"side"},
    _RATING: {_RATING},
    **{name: {"answer"} for name in VERDICTS},
}
"""The targets of evidence for each kind of decision, as in ``asp/weights.lp``."""
_LABELS = frozenset({"pair", "link", "side"})  # the targets of evidence for labels and scores
_NamedWeight: TypeAlias = "tuple[Call | Ground, Call | Ground, Weight]"


class Weight(NamedTuple):
    """The worth of evidence of the value 100 for a decision, in hundredths of log-odds."""

    evidence: str  # a term, such as meaning(20)
    decision: str  # a term, such as align
    value: int  # for score in hundredths of a point, for rating in thousandths

    @property
    def names(self) -> tuple[str, str]:
        """The name of the evidence, with and without its arguments."""
        return self.evidence, self.evidence.partition("(")[0]


def rule_weights(
    rules: RuleSet,
    constants: Iterable[tuple[str, str]] = (),
    wanted: Callable[[NamedRule], bool] = lambda _rule: True,
) -> Mapping[str, tuple[Weight, ...]]:
    """The weights of each rule that can derive evidence, strongest first, by its name."""
    # With ``wanted``, callers pass rules without a memo.
    values = dict(constants)
    weights = rules.memo.recall(
        "weights", sorted(values.items()), lambda: _rule_weights(rules, values, wanted)
    )
    return {name: tuple(map(Weight._make, rows)) for name, rows in weights.items()}


def _rule_weights(
    rules: RuleSet, values: Mapping[str, str], wanted: Callable[[NamedRule], bool]
) -> Mapping[str, Sequence[Weight]]:
    by_name: dict[str, list[_NamedWeight]] = defaultdict(list)
    for pair, value in weights_of(rules.statements, values).items():
        weight = Weight(*pair, value)
        name = parsed(weight.evidence)
        by_name[name.name].append((name, parsed(weight.decision), weight))
    heads = _Heads(rules.statements, values)
    by_rule: dict[str, dict[Weight, None]] = {}
    for statement, rule in rules.both:
        makes = statement.ast_type is ASTType.Rule and predicates(statement.head) & _MADE
        if makes and wanted(rule):
            own_weights = by_rule.setdefault(rule.name, {})
            for maker in heads.makers(statement):
                key = maker.name.name if isinstance(maker.name, Call | Ground) else None
                # A variable may be the name of any evidence.
                same = chain(*by_name.values()) if key is None else by_name.get(key, ())
                for name, decision, weight in same:
                    if heads.can_derive(maker, name, decision):
                        own_weights[weight] = None
    return {
        name: sorted(weights, key=lambda weight: (-abs(weight.value), *weight[1::-1]))
        for name, weights in by_rule.items()
    }


def weights_of(
    statements: Iterable[AST], constants: Mapping[str, str], subjects: Iterable[Predicate] = WEIGHTS
) -> dict[tuple[str, str], int]:
    """The worth of evidence by its name and decision: the sum of facts that clingo evaluates."""
    signatures = {predicate.signature for predicate in subjects}
    pairs = [("-c", f"{name}={value}") for name, value in constants.items()]
    errors: list[str] = []
    control = Control([*chain(*pairs)], logger=lambda _code, text: errors.append(text))
    with ProgramBuilder(control) as builder:
        for node in statements:
            fact = node.ast_type is ASTType.Rule and not node.body
            if node.ast_type is ASTType.Definition or (fact and predicates(node.head) & signatures):
                builder.add(node)
    try:
        control.ground()
    except RuntimeError as error:
        message = " ".join((errors[-1] if errors else str(error)).split())
        text = f"clingo cannot evaluate constants and weights: {message}"
        raise RuleError(text, hint="Correct the statement named in the message") from None
    sums: dict[tuple[str, str], int] = defaultdict(int)
    atoms = control.symbolic_atoms
    for atom in chain.from_iterable(atoms.by_signature(*signature) for signature in signatures):
        name, decision, value = atom.symbol.arguments
        if value.type is SymbolType.Number:
            sums[str(name), str(decision)] += value.number
    return dict(sums)


class _Maker(NamedTuple):
    """A rule that derives evidence: what it is about, their name, and its conditions on it."""

    target: Term
    name: Term
    conditions: tuple[Call, ...]


class _Heads:
    def __init__(self, statements: Sequence[AST], constants: Iterable[str]) -> None:
        named = (node.name for node in statements if node.ast_type is ASTType.Definition)
        self._constants = frozenset((*constants, *named))
        self._nodes: dict[Signature, list[AST]] = defaultdict(list)
        self._terms: dict[Signature, list[Call]] = {}
        self._possible: dict[tuple[Call, tuple[Term, ...]], bool] = {}
        for node in statements:
            for key in predicates(node.head) if node.ast_type is ASTType.Rule else ():
                self._nodes[key].append(node)

    def makers(self, rule: AST) -> Iterator[_Maker]:
        """The evidence that a rule derives; several if it has pools."""
        for read in self._reads(rule):
            for head in (atom for atom in read.derived if atom.key in _MADE):
                target, name = head.arguments[:2]
                if head.key in _SPEAKS:
                    target, name = Ground(_RATING), target
                named = set(variables(name))
                conditions = (call for call in read.needed if named & {*variables(call)})
                yield _Maker(target, name, tuple(conditions))

    def can_derive(self, maker: _Maker, name: Term, decision: Call | Ground) -> bool:
        """Whether a rule can derive evidence of this name for this kind of decision."""
        about = _TARGETS.get(decision.name, _LABELS)
        if isinstance(maker.target, Call | Ground) and maker.target.name not in about:
            return False
        values: Bindings = {}
        fits = bind(maker.name, name, values)
        return fits and all(self._can_hold(atom, values) for atom in maker.conditions)

    def _can_hold(self, atom: Call, values: Bindings) -> bool:
        """Whether a condition can hold with these values; many weights ask the same."""
        key = atom, tuple(values.get(name) for name in variables(atom))
        if key not in self._possible:
            possible = self._derived(atom.signature)
            # What has no rules is input: it may be anything.
            agreeing = (agree(filled(atom, values), other) for other in possible)
            self._possible[key] = not possible or any(agreeing)
        return self._possible[key]

    def _derived(self, key: Signature) -> list[Call]:
        if key not in self._terms:
            reads = (read for node in self._nodes.get(key, ()) for read in self._reads(node))
            heads = (head for read in reads for head in read.derived)
            self._terms[key] = [head.call for head in heads if head.key == key]
        return self._terms[key]

    def _reads(self, node: AST) -> Iterator[Read]:
        return (Read.from_stored(variant, self._constants) for variant in read_statement(node))
