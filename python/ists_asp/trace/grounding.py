"""The second grounding: of one pair alone, or of several pairs that were decided together.

To look for elements of many firings at once is faster; their atoms may be of other answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from clingo import Control, Number

from ists_asp.errors import TraceError
from ists_asp.solver.batch import BatchModel
from ists_asp.solver.pairing import for_pairs
from ists_asp.syntax.ground import Ground, split, symbols, texts
from ists_asp.syntax.trees import PREFIX, Signature, fill, words
from ists_asp.trace.probes import Companion, ElementRule, Probe

LATER = "later"
"""The part of a rewritten program that finds elements, grounded on demand."""

_WAVE = f"{PREFIX}wave"
_WANTED = f"{PREFIX}wanted"


def ground_probes(text: str, facts: Iterable[str], arguments: Sequence[str]) -> Control:
    """Ground rewritten rules over an answer set; ``arguments`` are clingo's options."""
    errors: list[str] = []
    control = Control(list(arguments), logger=lambda _code, text: errors.append(text))
    try:
        # Text takes clingo half the time of symbols.
        control.add("base", [], "".join(f"{fact}.\n" for fact in facts) + text)
        control.ground([("base", [])])
    except RuntimeError as error:
        found = " ".join([*errors, str(error)][0].split())
        raise TraceError(f"the rules cannot be traced: {found}") from None
    return control


class _Instance:
    """A probe, or the rule of an element, with values; ``__any`` in a negated atom is anything."""

    def __init__(self, probe: Probe | ElementRule, parts: Sequence[str]) -> None:
        self.probe, self.parts = probe, parts

    @cached_property
    def positive(self) -> tuple[Ground, ...]:
        """The positive atoms, in the order of the body."""
        return self._filled(self.probe.atoms.positive)

    @property
    def negative(self) -> tuple[Ground, ...]:
        return self._filled(self.probe.atoms.negative)

    @property
    def double(self) -> tuple[Ground, ...]:
        return self._filled(self.probe.atoms.double)

    def _filled(self, formats: Iterable[str]) -> tuple[Ground, ...]:
        return tuple([Ground(text.format(*self.parts)) for text in formats])


class Element(_Instance):
    """An element of an aggregate, or an instance of a condition."""

    probe: ElementRule

    @property
    def terms(self) -> tuple[Ground, ...]:
        """The tuple; empty for conditions."""
        return self._filled(self.probe.terms)


class Group(NamedTuple):
    """An aggregate, or a conditional literal, of a firing with its elements."""

    companion: Companion
    text: str
    elements: tuple[Element, ...]


class RuleInstance(_Instance):
    """A rule with values for its variables, whose body holds; a trace has one object for each.

    ``head`` is the atom that it derives; for an objective the term
    ``(weight,priority,(tuple))``. ``parts`` are the values of the rule's variables, and of what
    clingo had to evaluate. ``number`` is that of the pair, of those that were decided together.
    """

    probe: Probe

    def __init__(self, probe: Probe, parts: Sequence[str], number: int) -> None:
        super().__init__(probe, parts)
        self.number = number
        self.head = Ground(probe.derived.format(*parts))

    @cached_property
    def values(self) -> dict[str, Ground]:
        """The values of the rule's variables."""
        return dict(zip(self.probe.variables, map(Ground, self.parts), strict=False))

    @property
    def comparisons(self) -> tuple[str, ...]:
        """The comparisons of the body with their values."""
        return tuple(fill(text, self.values) for text in self.probe.comparisons)


def later_statements(probes: Iterable[Probe], tables: Set[Signature] | None = None) -> str:
    """The statements that find elements of those firings that are wanted in a wave.

    With the ``tables`` it is rewritten for several pairs, whose numbers come first.
    """
    written = [f"#program {LATER}({_WAVE})."]
    for probe in probes:
        for element in probe.elements:
            rule = element.statement
            rule = rule if tables is None else for_pairs(rule, tables)
            head, _, firing, *rest = words(rule)
            name, _, inside = head.partition("(")
            arguments = split(inside[:-1])
            outer = element.outer + (tables is not None)
            question = _WAVE, f"{PREFIX}Number"
            wanted = ",".join((*question, *arguments[:outer]))
            found = ",".join((*question, *arguments[outer:]))
            body = f"{_WANTED}{probe.name}({wanted}){firing[-1]}", *rest
            written.append(f"{name}({found}) :- {' '.join(body)}")
    return "\n".join(written)


class Grounding:
    """The instances of probes of one pair, or of several ``together``; ``later`` finds elements."""

    def __init__(
        self, control: Control, later: Callable[[], str], together: BatchModel | None = None
    ) -> None:
        self._control, self._later, self._together = control, later, together
        self._wave = 0
        self._known: set[RuleInstance] = set()
        self._wanted: list[RuleInstance] = []
        self._elements: dict[tuple[str, RuleInstance], list[Sequence[str]]] = {}
        self._read_of = Counter[str]()

    def firings(self, number: int, probe: Probe) -> Iterator[Sequence[str]]:
        """The firings of a probe for one pair."""
        if self._together is not None:
            return map(split, self._together.shares[number].extra.get(probe.name, ()))
        atoms = list(self._control.symbolic_atoms.by_signature(probe.name, probe.arity))
        if not all(atom.is_fact for atom in atoms):
            raise TraceError("clingo leaves open whether a rule fired", hint="Report this")
        return map(_arguments, texts(atom.symbol for atom in atoms))

    def want(self, firings: Iterable[RuleInstance]) -> None:
        """Look for the elements of firings that are not known, which are of any of the pairs."""
        facts: list[str] = []
        probes: dict[str, Probe] = {}
        for firing in firings:
            probe = firing.probe
            if probe.companions and firing not in self._known:
                number = [] if self._together is None else [firing.number]
                which = map(str, [self._wave + 1, len(self._wanted), *number])
                values = firing.parts[: len(probe.variables)]
                facts.append(f"{_WANTED}{probe.name}({','.join((*which, *values))})")
                self._known.add(firing)
                self._wanted.append(firing)
                probes[probe.name] = probe
        if not facts:
            return
        if not self._wave:
            # Most traces are asked about some of their firings only, and some about none.
            self._control.add("base", [], self._later())
        self._wave += 1
        with self._control.backend() as backend:
            for symbol in symbols(facts):
                backend.add_rule([backend.add_atom(symbol)])
        self._control.ground([(LATER, [Number(self._wave)])])
        for element in chain.from_iterable(probe.elements for probe in probes.values()):
            self._add_elements(element)

    def knows(self, firing: RuleInstance) -> bool:
        """Whether the elements of a firing have been looked for."""
        return firing in self._known

    def elements(self, firing: RuleInstance, probe: ElementRule) -> Iterable[Sequence[str]]:
        """The instances of an element of a firing that is known."""
        return self._elements.get((probe.name, firing), ())

    def _add_elements(self, probe: ElementRule) -> None:
        name = probe.name if self._together is None else PREFIX + probe.name
        named = self._control.symbolic_atoms.by_signature(name, probe.arity - probe.outer + 2)
        # Those of earlier waves come first.
        fresh = [entry.symbol for entry in islice(named, self._read_of[name], None)]
        self._read_of[name] += len(fresh)
        for _, number, *rest in map(_arguments, texts(fresh)):
            firing = self._wanted[int(number)]
            parts = (*firing.parts[: probe.outer], *rest)
            self._elements.setdefault((probe.name, firing), []).append(parts)


def _arguments(atom: str) -> Sequence[str]:
    return split(atom.partition("(")[2][:-1])
