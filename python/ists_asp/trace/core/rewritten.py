"""A program made ready to say what fired: its tables once, the rest for each pair."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import Program as ASTProgram

from ists_asp.rules.remembered import Remembered
from ists_asp.solver.pairing import Pairing
from ists_asp.syntax.ground import by_name, texts
from ists_asp.trace.core.grounding import LATER, Alone, ground_probes
from ists_asp.trace.core.instances import RuleInstances
from ists_asp.trace.core.kept import parsed
from ists_asp.trace.core.shared import Later

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clingo import Control
    from clingo.ast import AST

    from ists_asp.solver.program import Program
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.reified_rule import ReifiedRule
    from ists_asp.trace.core.strata import Strata

_FORGETFUL = Remembered()


class Rewritten:
    """A program rewritten: the probes of its tables, and those for a pair.

    Args:
        program: the program for a pair.
        once: the probes of statements that are not grounded for each pair.
        each: the probes of those that are.
        definitions: the ``#const`` statements.
        strata: the strata of all.
        arguments: clingo's command line arguments.
        remembered: what was worked out about the rules.
    """

    def __init__(
        self,
        program: Program,
        once: Sequence[ReifiedRule],
        each: Sequence[ReifiedRule],
        definitions: Sequence[AST],
        strata: Strata,
        arguments: Sequence[str],
        remembered: Remembered = _FORGETFUL,
    ) -> None:
        self.program = program
        self.probes = tuple(each)
        self.statements = (*definitions, *_statements(each))
        self.table_probes = frozenset(probe.name for probe in once)
        self._facts = texts(program.facts)
        self.known = frozenset(self._facts)
        self.known_by_name = by_name(self._facts)
        self._text = "\n".join(probe.text for probe in each)
        self._once = once
        self._definitions = definitions
        self._strata = strata
        self._arguments = arguments
        self._remembered = remembered

    @cached_property
    def tables(self) -> RuleInstances:
        """What derives the facts that hold for every pair."""
        control = ground_probes(
            [*self._definitions, *_statements(self._once)],
            "\n".join(probe.text for probe in self._once),
            self._facts,
            self._arguments,
        )
        grounding = Alone(control)
        return RuleInstances(self._once, grounding, self._strata, self.known, frozenset())

    def ground(self, atoms: Mapping[str, Sequence[Ground]]) -> Control:
        """Ground the probes over the atoms of an answer set, without those that are known."""
        facts = chain(self._facts, *atoms.values())
        return ground_probes(self.statements, self._text, facts, self._arguments)

    @cached_property
    def paired(self) -> tuple[AST, ...]:
        """The probes for several pairs."""
        return self._recalled("traced pairs", self._paired)

    def _paired(self) -> tuple[AST, ...]:
        pairing = Pairing(self.program.tables)
        return tuple(
            pairing.statement(probe.statement)
            for probe in self.probes
            if probe.statement is not None
        )

    @cached_property
    def later(self) -> Later:
        """What finds elements for several pairs."""
        return Later(self._recalled("traced elements", self._later))

    def _later(self) -> tuple[AST, ...]:
        return tuple(Later.of(self.probes, Pairing(self.program.tables)).statements)

    def _recalled(self, what: str, work: Callable[[], tuple[AST, ...]]) -> tuple[AST, ...]:
        """Statements that may have been worked out before; they are kept as text."""
        if self._remembered.store is None:
            return work()

        def text() -> str | None:
            statements = work()
            written = "\n".join(map(str, statements))
            return written if parsed(written) == list(statements) else None

        options = [list(self._arguments), sorted(map(list, self.program.tables))]
        kept = self._remembered.recall(what, options, text)
        return work() if kept is None else tuple(parsed(kept))


def _statements(probes: Sequence[ReifiedRule]) -> list[AST]:
    """The statements of probes, those of elements for later."""
    first = [found.statement for found in probes if found.statement is not None]
    later = [element.statement for found in probes for element in found.elements]
    if later:
        later.insert(0, ASTProgram(later[0].location, LATER, []))
    return [*first, *later]
