"""Several pairs solved in one control object: one grounding, one search.

Most of the time that a pair takes does not depend on the pair: clingo analyses the rules
and indexes the tables. Pairs with numbers share that. The parts of the objective are
independent, so that the best answer set has the best answer of each pair.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Generic, TypeVar

from clingo import Function

from ists_asp.answers import AnswerError
from ists_asp.edge import unless_it_fails
from ists_asp.gc_control import gc_paused
from ists_asp.solver.batch_model import BatchModel, costs, shown
from ists_asp.solver.given import Given
from ists_asp.solver.options import Solution
from ists_asp.solver.pairing import PAIR, PREFIX
from ists_asp.solver.search import CORE_GUIDED, ground, only_best
from ists_asp.solver.weighed import weights_of_all
from ists_asp.syntax.ground import Atoms, split, symbols, written
from ists_asp.syntax.trees import Signature
from ists_asp.vocabulary import all_predicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clingo import Control, Symbol
    from clingo.ast import AST

    from ists_asp.answers import Read
    from ists_asp.confidence import AddConfidence
    from ists_asp.model import Pair
    from ists_asp.solver.pairing import Paired
    from ists_asp.solver.program import Program
    from ists_asp.solver.search import Found

A = TypeVar("A")

ARITIES = {predicate.name: predicate.arity for predicate in all_predicates()}
"""How many arguments the predicates of facts have."""


class Batches(Generic[A]):
    """A program rewritten for several pairs at a time.

    Args:
        paired: what :func:`~ists_asp.solver.pairing.paired` made of the program.
        program: the program for one pair.
        arguments: clingo's command line arguments.
        time_limit: seconds of processor time for the search for the answers of a batch.
        read: reads the answer set of a pair.
        confident: adds to an answer how sure it is; None to leave that out.
    """

    def __init__(
        self,
        paired: Paired,
        program: Program,
        arguments: Sequence[str],
        time_limit: float,
        read: Read[A],
        confident: AddConfidence[A] | None = None,
    ) -> None:
        self._confident = confident
        self._paired = paired
        names = paired.names
        self._tables = {name.name for name in program.tables}
        self._table_facts = {
            name: atoms
            for name, atoms in program.by_predicate.items()
            if name in program.tables
            # What is denied as well leaves no answer, whether or not a statement mentions it.
            and (name.name in names or f"-{name.name}" in Atoms.of(atoms).text)
        }
        self._others = written(program.other_facts)
        self._used = {name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)}
        self._arguments = (CORE_GUIDED, *arguments)
        self._time_limit = time_limit
        self._read = read
        self._known: set[str] = set()

    def solve(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]]
    ) -> list[Solution[A] | None] | None:
        """Decide pairs together.

        Returns:
            A solution for each pair, the same as for the pair alone, or None where what was
            found is no answer. None for all if that is not certain: a pair has no answer set
            or several that are as good, there was no time to find out, or clingo has failed, or
            warned of something new.
        """
        return unless_it_fails(lambda: self._solve(items))

    def _solve(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]]
    ) -> list[Solution[A] | None] | None:
        began = time.process_time()
        control = self._ground(items, self._paired.settled)
        if control is None:
            return None
        grounded = time.process_time()
        found = self._search(control, atoms=False)
        if found is None:
            return None
        atoms = shown(found.shown, len(items))
        cost = costs(found.shown, control, len(items))
        weights = weights_of_all(control, len(items)) if self._confident else ()
        ended = time.process_time()
        times = (grounded - began) / len(items), (ended - grounded) / len(items)
        solutions: list[Solution[A] | None] = []
        for number, (pair, _) in enumerate(items, start=1):
            try:
                answer = self._read(pair, atoms[number], tuple(cost[number].values()), True)
            except AnswerError:
                solutions.append(None)
            else:
                if self._confident is not None:
                    answer = self._confident(answer, weights[number - 1])
                solutions.append(Solution((answer,), *times, unique=True))
        return solutions

    def derivable(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]], wanted: Iterable[Signature]
    ) -> list[list[Symbol]] | None:
        """Ground pairs together and return the atoms of some predicates that could be derived.

        Args:
            items: pairs with their facts.
            wanted: predicates that depend on the pair.

        Returns:
            The atoms of each pair; None where :meth:`solve` has no solutions.
        """
        return unless_it_fails(lambda: self._derivable(items, wanted))

    def _derivable(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]], wanted: Iterable[Signature]
    ) -> list[list[Symbol]] | None:
        control = self._ground(items, self._paired.statements)
        if control is None:
            return None
        found: list[list[Symbol]] = [[] for _ in items]
        for name, arity in wanted:
            for atom in control.symbolic_atoms.by_signature(f"{PREFIX}{name}", arity + 1):
                number, *arguments = atom.symbol.arguments
                found[number.number - 1].append(Function(name, arguments))
        return found

    def best(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]], extra: Sequence[AST] = ()
    ) -> BatchModel | None:
        """Find the best answer sets of pairs together, with all their atoms.

        Args:
            items: pairs with their facts.
            extra: more rules, rewritten for several pairs; no other rule may depend on them.

        Returns:
            None where :meth:`solve` has no solutions.
        """
        with gc_paused():
            return unless_it_fails(lambda: self._best(items, extra))

    def _best(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]], extra: Sequence[AST]
    ) -> BatchModel | None:
        control = self._ground(items, (*self._paired.statements, *extra))
        if control is None:
            return None
        found = self._search(control, atoms=True)
        if found is None:
            return None
        return BatchModel.of(control, found, len(items))

    def _search(self, control: Control, *, atoms: bool) -> Found | None:
        """The best answer set: if others are as good, which one comes first is chance."""
        return only_best(control, self._time_limit, atoms=atoms, weighed=self._paired.weighed)

    def _ground(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]], statements: Sequence[AST]
    ) -> Control | None:
        messages: list[str] = []
        given = self._given([facts for _, facts in items])
        if given is None:
            return None
        control = ground(
            statements,
            (),
            self._arguments,
            lambda _code, text: messages.append(text),
            given=given,
        )
        if not self._known.issuperset(messages):
            # The pairs one by one give the same warnings, in the words of the rules.
            self._known.update(messages)
            return None
        return control

    def _given(self, items: Sequence[Sequence[Symbol]]) -> Given | None:
        """All facts of a batch; None if a pair's facts may belong to a table.

        Facts that no statement mentions are left out.
        """
        many: dict[str, list[str]] = {name: [] for name in ARITIES if name in self._used}
        others = []
        for number, facts in enumerate(items, start=1):
            others.append(f"{PAIR}({number})")
            others += [_numbered(number, text) for text in self._others]
            for text in split(Atoms.of(facts).inside):
                name = text.partition("(")[0].removeprefix("-")
                if name in self._tables:
                    return None
                if name in many and text[0] != "-":
                    many[name].append(_numbered(number, text))
                elif name in self._used:
                    others.append(_numbered(number, text))
        given = Given(self._table_facts)
        given.add(symbols(others))
        for name, texts in many.items():
            given.put(Signature(PREFIX + name, 1 + ARITIES[name]), symbols(texts))
        return given


def _numbered(number: int, atom: str) -> str:
    """An atom, as text, that says to which pair it belongs."""
    sign = "-" if atom[0] == "-" else ""
    name, bracket, rest = atom[len(sign) :].partition("(")
    return f"{sign}{PREFIX}{name}({number}{',' if bracket else ')'}{rest}"
