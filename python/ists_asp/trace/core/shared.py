"""What the probes found in the control object in which several pairs were decided."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from clingo import Number
from clingo.ast import AST, Function, Id, Program, ProgramBuilder, Rule, Variable

from ists_asp.solver.pairing import PREFIX
from ists_asp.syntax.changes import PREFIX as TERMS
from ists_asp.syntax.changes import atom
from ists_asp.syntax.ground import split, symbols, texts
from ists_asp.trace.core.grounding import LATER, Grounding, inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.solver.batch_model import BatchModel
    from ists_asp.solver.pairing import Pairing
    from ists_asp.trace.core.instance import RuleInstance
    from ists_asp.trace.core.reified_rule import ElementRule, ReifiedRule

_WAVE = f"{TERMS}wave"
_WANTED = f"{TERMS}wanted"
_NUMBER = f"{TERMS}Number"


class Later:
    """Statements that find elements for several pairs, of those firings that are wanted."""

    def __init__(self, statements: Sequence[AST]) -> None:
        self.statements = statements

    @classmethod
    def of(cls, probes: Iterable[ReifiedRule], pairing: Pairing) -> Later:
        """Rewrite the statements of elements.

        Args:
            probes: the probes for a pair.
            pairing: rewrites rules for several pairs.
        """
        statements: list[AST] = []
        for probe in probes:
            for element in probe.elements:
                if not statements:
                    place = element.statement.location
                    statements.append(Program(place, LATER, [Id(place, _WAVE)]))
                statements.append(cls._limited(element, probe, pairing))
        return cls(statements)

    @staticmethod
    def _limited(element: ElementRule, probe: ReifiedRule, pairing: Pairing) -> AST:
        """The statement for firings that are wanted this time."""
        node = pairing.statement(element.statement)
        place = node.location
        wave = Function(place, _WAVE, [], 0)
        head, (_, *rest) = node.head.atom.symbol, node.body
        pair, *arguments = head.arguments
        number = Variable(place, _NUMBER)
        wanted = [wave, number, pair, *arguments[: element.outer]]
        return Rule(
            place,
            atom(place, head.name, [wave, number, *arguments[element.outer :]]),
            [atom(place, _wanted(probe), wanted), *rest],
        )


class Shared:
    """The instances in the control object in which several pairs were decided.

    Args:
        together: the pairs.
        later: what finds elements.
    """

    def __init__(self, together: BatchModel, later: Later) -> None:
        self._together = together
        self._later = later
        self._wave = 0
        self._ready = False
        self._known: set[RuleInstance] = set()
        self._wanted: list[RuleInstance] = []
        self._elements: dict[tuple[str, RuleInstance], list[Sequence[str]]] = {}
        self._read_of: Counter[str] = Counter()

    def take(self, number: int) -> Grounding:
        """The instances of one pair."""
        return _Share(self, number, self._together.shares[number].extra)

    def want(self, wanted: Iterable[tuple[int, RuleInstance]]) -> None:
        """Look for the elements of firings of several pairs, which have the numbers."""
        facts: list[str] = []
        probes: dict[str, ReifiedRule] = {}
        self._wave += 1
        for pair, firing in wanted:
            if firing.probe.companions and firing not in self._known:
                values = ",".join((str(pair), *firing.parts[: len(firing.probe.variables)]))
                facts.append(f"{_wanted(firing.probe)}({self._wave},{len(self._wanted)},{values})")
                self._known.add(firing)
                self._wanted.append(firing)
                probes[firing.probe.name] = firing.probe
        if not facts:
            return
        control = self._together.control
        if not self._ready:
            with ProgramBuilder(control) as builder:
                for statement in self._later.statements:
                    builder.add(statement)
            self._ready = True
        with control.backend() as backend:
            for symbol in symbols(facts):
                backend.add_rule([backend.add_atom(symbol)])
        control.ground([(LATER, [Number(self._wave)])])
        for probe in probes.values():
            for element in probe.elements:
                self._read(element)

    def knows(self, firing: RuleInstance) -> bool:
        """Whether the elements of a firing have been looked for."""
        return firing in self._known

    def elements(self, firing: RuleInstance, probe: ElementRule) -> Iterable[Sequence[str]]:
        """The instances of an element of a firing that is known."""
        return self._elements.get((probe.name, firing), ())

    def _read(self, probe: ElementRule) -> None:
        atoms = self._together.control.symbolic_atoms
        arity = probe.arity - probe.outer + 2
        named = atoms.by_signature(PREFIX + probe.name, arity)
        # Those of earlier waves come first.
        fresh = [one.symbol for one in islice(named, self._read_of[probe.name], None)]
        self._read_of[probe.name] += len(fresh)
        for one in texts(fresh):
            _, number, *rest = split(inside(one))
            firing = self._wanted[int(number)]
            parts = (*firing.parts[: probe.outer], *rest)
            self._elements.setdefault((probe.name, firing), []).append(parts)


class _Share:
    def __init__(self, shared: Shared, number: int, found: Mapping[str, Sequence[str]]) -> None:
        self._shared = shared
        self._number = number
        self._found = found

    def firings(self, probe: ReifiedRule) -> Iterable[Sequence[str]]:
        return map(split, self._found.get(probe.name, ()))

    def knows(self, firing: RuleInstance) -> bool:
        return self._shared.knows(firing)

    def want(self, firings: Iterable[RuleInstance]) -> None:
        self._shared.want((self._number, firing) for firing in firings)

    def elements(self, firing: RuleInstance, probe: ElementRule) -> Iterable[Sequence[str]]:
        return self._shared.elements(firing, probe)


def _wanted(probe: ReifiedRule) -> str:
    return f"{_WANTED}{probe.name}"
