"""Diagnosis: the rules that leave a pair without an answer, or derive something that is none.

Every rule that could derive an atom is rewritten to say so: ``p(X) :- q(X), not r.`` becomes
``____from(N,p(X),(q(X),)) :- q(X), not r.``, with N its number. Over the atoms of the answer
set, which are facts now, that says which rules did. Where all of them are as they were shipped,
what they rest on is looked at in turn, until a rule of the user's is found.

Of constraints a smallest set is found that cannot all hold. Each that is not the machine's gets a
switch. The pair is grounded once; while the program is unsatisfiable without a constraint, that
one is not needed for it. What is left is minimal, unless the time runs out: without any one of
them there is an answer (J. Marques-Silva, "Minimal unsatisfiability", 2010, calls this deletion).
"""

from __future__ import annotations

import time
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from clingo import Number, Symbol
from clingo.ast import AST, AggregateFunction, ASTType, Rule, Sign, SymbolicTerm

from ists_asp.answers import too_large
from ists_asp.errors import AnswerError, UnsatisfiableError, WeightsError, unless_it_fails
from ists_asp.rules.catalogue import is_shipped, shipped_texts
from ists_asp.rules.parsing import Messages
from ists_asp.solver.pairing import OWN
from ists_asp.solver.search import ground
from ists_asp.syntax import trees
from ists_asp.syntax.ground import texts
from ists_asp.syntax.trees import Lifter, functions, head_elements, is_atom, predicates, tuple_of
from ists_asp.vocabulary import BEYOND_LIMITS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ists_asp.errors import RuleError
    from ists_asp.rules import NamedRule, RuleSet
    from ists_asp.solver.grounder import Grounder

_FROM = f"{OWN}from"  # ``____from(N,Atom,Below)``: rule N derives an atom from those of the tuple
_DEEPEST = 10  # rules between an atom and the rule of the user's that is to blame
_ATOMS = 3
_RULES = 2  # atoms and rules for each that are named at most
_LONGEST = 80  # characters of an atom that are shown

_NAMED = 5  # constraints that are named at most
MOST = 50  # constraints that are tried at most
SECONDS = 2.0  # seconds that all tries together may take: the pair has had its time already


class Diagnosis:
    """Names the offending rules where there is no answer."""

    def __init__(self, rules: RuleSet, grounder: Grounder) -> None:
        self._rules, self._grounder = rules, grounder

    def overflow(self, error: WeightsError, facts: Sequence[Symbol]) -> RuleError:
        """The error with the numbers or the rules in its words that it comes from."""
        named = unless_it_fails(lambda: self._beyond_limits(facts))
        return named or unless_it_fails(lambda: self._weighed(error)) or error

    def _beyond_limits(self, facts: Sequence[Symbol]) -> AnswerError | None:
        """The error for numbers that clingo cannot add up, if there are such, with their rules."""
        # The atoms are those of the control object as long as that lives.
        control = self._grounder.ground(facts)
        atoms = control.symbolic_atoms.by_signature(*BEYOND_LIMITS.signature)
        large = texts(atom.symbol.arguments[0] for atom in atoms)
        true = {atom.symbol for atom in control.symbolic_atoms}
        return self.named(too_large(large), true) if large else None

    def _weighed(self, error: WeightsError) -> WeightsError | None:
        """The error with the rules of users in its words that add up weights."""
        rules = [
            rule
            for node, rule in self._rules.both
            if rule.file in self._own
            and (node.ast_type is ASTType.Minimize or any(map(_adds, trees.walk(node))))
        ]
        places = " and ".join(list(dict.fromkeys(map(_place, rules)))[:_ATOMS])
        return WeightsError(f"{error.found}; look at {places}", hint=error.hint) if rules else None

    def unsatisfied(self, facts: Sequence[Symbol]) -> UnsatisfiableError | None:
        """The error for constraints that cannot all hold for a pair, by the files of users.

        Where it lies at none of them, of rules of users as well: one may rest on its own negation.
        None if the reason lies elsewhere, or was not found in time.
        """
        rules = [both for both in self._rules.both if both[0].ast_type is ASTType.Rule]
        constraints = [
            (node, rule)
            for node, rule in rules
            if str(node.head) == "#false" and not rule.file.startswith("asp/")
        ]
        users = [(node, rule) for node, rule in rules if rule.file in self._own]
        needed = self._smallest(facts, constraints[:MOST]) or self._smallest(facts, users[:MOST])
        if not needed:
            return None
        named = "; ".join(
            rule.name if rule.sentence is None else f"{rule.file}:{rule.line} ({rule.name})"
            for rule in needed[:_NAMED]
        )
        found = f"the rules admit no answer set, for these cannot all hold: {named}"
        return UnsatisfiableError(found, hint="Loosen or remove one of them")

    def _smallest(
        self, facts: Sequence[Symbol], tried: Sequence[tuple[AST, NamedRule]]
    ) -> list[NamedRule]:
        """A smallest set of some rules with which there is no answer, but without any of them."""
        if not tried:
            return []
        numbers = {id(node): number for number, (node, _) in enumerate(tried, start=1)}
        statements = [
            trees.switched(node, numbers[id(node)]) if id(node) in numbers else node
            for node in self._rules.statements
            if node.ast_type is not ASTType.Minimize
        ]
        statements.append(trees.switches(len(tried)))
        control = ground(statements, facts, self._grounder.arguments, Messages(self._rules.names))
        ends = time.monotonic() + SECONDS

        def satisfiable(on: Collection[int]) -> bool | None:
            """Whether there is an answer with some rules on; None if there is no time left."""
            for number in numbers.values():
                control.assign_external(trees.off(number), number not in on)
            with control.solve(async_=True) as search:
                if not search.wait(max(0.0, ends - time.monotonic())):
                    search.cancel()
                    return None
                return bool(search.get().satisfiable)

        if not satisfiable(()):
            return []
        needed = set(numbers.values())
        for number in sorted(needed):
            if satisfiable(needed - {number}) is False:
                needed.discard(number)
        return [tried[number - 1][1] for number in sorted(needed)]

    def named(self, error: AnswerError, true: Collection[Symbol]) -> AnswerError:
        """The same error with the rules in its words."""
        origins = []
        for atom, rules in self._origins(error.atoms, true).items():
            if rules:
                displayed = atom if len(atom) <= _LONGEST else f"{atom[:_LONGEST]}…"
                places = list(dict.fromkeys(map(_place, rules)))[:_RULES]
                origins.append(f"{displayed} comes from {' and '.join(places)}")
        found = "; ".join([error.found, *origins[:_ATOMS]])
        return AnswerError(found, error.atoms, error.expected or "")

    def _origins(
        self, atoms: Iterable[str], true: Collection[Symbol]
    ) -> dict[str, list[NamedRule]]:
        """The rules of users from which atoms follow; where there are none, the shipped ones."""
        frontiers = {atom: {atom} for atom in atoms}
        direct: dict[str, list[NamedRule]] = {}
        by_user: dict[str, list[NamedRule]] = {}
        visited: set[str] = set()
        for _ in range(_DEEPEST):
            wanted = set().union(*frontiers.values()) - visited
            if not wanted:
                break
            visited |= wanted
            reasons = self._reasons(wanted, true)
            for atom, frontier in frontiers.items():
                derivations = [reason for lower in sorted(frontier) for reason in reasons[lower]]
                rules = list(dict.fromkeys(rule for rule, _ in derivations))
                direct.setdefault(atom, rules)
                if mine := [rule for rule in rules if rule.file in self._own]:
                    by_user[atom] = mine
                frontiers[atom] = {lower for _, below in derivations for lower in below}
            if by_user:
                return by_user
        return direct

    def _reasons(
        self, wanted: Collection[str], true: Collection[Symbol]
    ) -> defaultdict[str, list[tuple[NamedRule, Sequence[str]]]]:
        """The rules that derived each of the wanted atoms, with the atoms that they needed."""
        names = {atom.partition("(")[0].removeprefix("-") for atom in wanted}
        derived = sorted(names & self._deriving.keys())
        statements = [statement for name in derived for statement in self._deriving[name]]
        used = {name.name for statement in statements for name in predicates(statement)}
        # What all statements may refer to.
        kinds = (ASTType.Definition, ASTType.Script)
        control = ground(
            [*(node for node in self._rules.statements if node.ast_type in kinds), *statements],
            (symbol for symbol in true if symbol.name in used),
            self._grounder.arguments,
            lambda _code, _text: None,
        )
        reasons: defaultdict[str, list[tuple[NamedRule, Sequence[str]]]] = defaultdict(list)
        for instance in control.symbolic_atoms.by_signature(_FROM, 3):
            number, atom, below = instance.symbol.arguments
            if (text := str(atom)) in wanted:
                rule = self._rules.rules[number.number]
                reasons[text].append((rule, [*map(str, below.arguments)]))
        return reasons

    @cached_property
    def _own(self) -> frozenset[str]:
        """The files, as messages call them, that are not as they were shipped."""
        return frozenset(
            file.name
            for file in self._rules.files
            if shipped_texts(file.path) is not None and not is_shipped(file.path)
        )

    @cached_property
    def _deriving(self) -> dict[str, list[AST]]:
        """The rewritten statements, by the names of the predicates that they derive or show."""
        deriving: dict[str, list[AST]] = defaultdict(list)
        for number, statement in enumerate(self._rules.statements):
            for term, body in _derivations(statement):
                for name in {function.name for function in functions(term)}:
                    deriving[name].append(_rewritten(number, term, body))
        return deriving


def _adds(node: AST) -> bool:
    kinds = (ASTType.BodyAggregate, ASTType.HeadAggregate)
    sums = (AggregateFunction.Sum, AggregateFunction.SumPlus)
    return node.ast_type in kinds and node.function in sums


def _derivations(statement: AST) -> Iterator[tuple[AST, list[AST]]]:
    """The terms that a statement derives or shows, each with its conditions."""
    if statement.ast_type is ASTType.Rule:
        for literal, condition in head_elements(statement.head):
            if is_atom(literal, Sign.NoSign):
                body = [*statement.body, *condition]
                yield literal.atom.symbol, body
                # What an aggregate counts is among the reasons, too.
                for atom in (part.atom for part in body if part.ast_type is ASTType.Literal):
                    if atom.ast_type is ASTType.BodyAggregate:
                        for element in atom.elements:
                            yield literal.atom.symbol, [*body, *element.condition]
    elif statement.ast_type is ASTType.ShowTerm and statement.term.ast_type in (
        ASTType.Function,
        ASTType.Pool,
    ):
        yield statement.term, list(statement.body)


def _rewritten(number: int, term: AST, body: Sequence[AST]) -> AST:
    """The statement that says from what rule ``number`` derives a term."""
    place, lifter = term.location, Lifter()
    conditions = [lifter.positive(part) if is_atom(part, Sign.NoSign) else part for part in body]
    below = [part.atom.symbol for part in conditions if is_atom(part, Sign.NoSign)]
    arguments = [SymbolicTerm(place, Number(number)), term, tuple_of(place, below)]
    return Rule(place, trees.atom(place, _FROM, arguments), [*conditions, *lifter.take()])


def _place(rule: NamedRule) -> str:
    place = f"{rule.file}:{rule.line}"
    return place if rule.name == place else f"{rule.name} ({place})"
