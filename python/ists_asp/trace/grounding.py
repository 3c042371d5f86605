"""The second grounding: of one pair alone, or of several pairs that were decided together.

Instances are lists of arguments. Those of elements may be of other answers as well: their atoms
are to be looked at. To look for the elements of many firings at once is faster.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clingo import Control, Number
from clingo.ast import Function, Rule, Variable

from ists_asp.errors import TraceError
from ists_asp.solver.pairing import PREFIX
from ists_asp.syntax.changes import PREFIX as TERMS
from ists_asp.syntax.changes import atom, fill
from ists_asp.syntax.ground import Ground, split, symbols, texts
from ists_asp.trace.probes import parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.solver.batch import BatchModel
    from ists_asp.solver.pairing import Pairing
    from ists_asp.trace.probes import Companion, ElementRule, Probe

LATER = "later"
"""The part of a rewritten program that finds elements, grounded when somebody asks for them."""

_WAVE = f"{TERMS}wave"
_WANTED = f"{TERMS}wanted"


def ground_probes(text: str, facts: Iterable[str], arguments: Sequence[str]) -> Control:
    """Ground rewritten rules, but for those of :data:`LATER`, over the atoms of an answer set.

    Nothing is solved. ``arguments`` are those of clingo's command line.
    """
    errors: list[str] = []
    control = Control(list(arguments), logger=lambda _code, text: errors.append(text))
    try:
        # Text takes clingo half the time of symbols.
        control.add("base", [], "".join(f"{fact}.\n" for fact in facts) + text)
        control.ground([("base", [])])
    except RuntimeError as error:
        found = " ".join((errors[0] if errors else str(error)).split())
        raise TraceError(f"the rules cannot be traced: {found}") from None
    return control


class _Instance:
    """A probe, or the rule of an element, with values; ``__any`` in a negated atom is anything."""

    def __init__(self, probe: Probe | ElementRule, parts: Sequence[str]) -> None:
        self._literals = probe.atoms
        self.parts = parts

    @cached_property
    def positive(self) -> tuple[Ground, ...]:
        """The positive atoms, in the order of the body."""
        return _filled(self._literals.positive, self.parts)

    @property
    def negative(self) -> tuple[Ground, ...]:
        """The atoms under ``not``."""
        return _filled(self._literals.negative, self.parts)

    @property
    def double(self) -> tuple[Ground, ...]:
        """The atoms under ``not not``."""
        return _filled(self._literals.double, self.parts)


class Element(_Instance):
    """What an aggregate counted, or an instance of a condition."""

    def __init__(self, probe: ElementRule, parts: Sequence[str]) -> None:
        super().__init__(probe, parts)
        self._terms = probe.terms

    @property
    def terms(self) -> tuple[Ground, ...]:
        """The tuple; empty for conditions."""
        return _filled(self._terms, self.parts)


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

    def __init__(self, probe: Probe, parts: Sequence[str], number: int) -> None:
        super().__init__(probe, parts)
        self.probe = probe
        self.number = number
        self.head = Ground(probe.derived.format(*parts))

    @property
    def instance(self) -> str:
        """The values of the rule's variables."""
        return ",".join(self.parts[: len(self.probe.variables)])

    @cached_property
    def values(self) -> dict[str, Ground]:
        """The values of the rule's variables."""
        return dict(zip(self.probe.variables, map(Ground, self.parts), strict=False))

    @property
    def comparisons(self) -> tuple[str, ...]:
        """The comparisons of the body with their values."""
        return tuple(fill(text, self.values) for text in self.probe.comparisons)


def _filled(formats: Iterable[str], parts: Sequence[str]) -> tuple[Ground, ...]:
    return tuple([Ground(each.format(*parts)) for each in formats])


class Alone:
    """The instances in the control object of one pair."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._later = True
        self._elements: dict[str, dict[str, list[Sequence[str]]]] = {}

    def firings(self, number: int, probe: Probe) -> Iterator[Sequence[str]]:  # noqa: ARG002
        """The firings of a probe for the pair."""
        return map(_arguments, self._atoms(probe))

    def knows(self, firing: RuleInstance) -> bool:  # noqa: ARG002 (all are looked for at once)
        """Whether elements have been looked for."""
        return not self._later

    def want(self, firings: Iterable[RuleInstance]) -> None:
        """Look for all elements, unless that has been done."""
        if any(firing.probe.companions for firing in firings) and self._later:
            # Most traces are asked about some of their firings only, and some about none.
            self._control.ground([(LATER, [])])
            self._later = False

    def elements(self, firing: RuleInstance, probe: ElementRule) -> Iterable[Sequence[str]]:
        """The instances of an element of a firing."""
        if probe.name not in self._elements:
            found = self._elements[probe.name] = {}
            for parts in map(_arguments, self._atoms(probe)):
                found.setdefault(",".join(parts[: probe.outer]), []).append(parts)
        return self._elements[probe.name].get(firing.instance, ())

    def _atoms(self, probe: Probe | ElementRule) -> list[Ground]:
        """The atoms of a probe, all of them facts."""
        found = list(self._control.symbolic_atoms.by_signature(probe.name, probe.arity))
        if not all(atom.is_fact for atom in found):
            raise TraceError("clingo leaves open whether a rule fired", hint="Report this")
        return texts(atom.symbol for atom in found)


def later_statements(probes: Iterable[Probe], pairing: Pairing) -> str:
    """What finds elements for several pairs, of those firings that are wanted in a wave."""
    written = [f"#program {LATER}({_WAVE})."]
    for probe in probes:
        for element in probe.elements:
            (node,) = map(pairing.statement, parsed(element.statement))
            place = node.location
            head, (_, *rest) = node.head.atom.symbol, node.body
            pair, *arguments = head.arguments
            asked = [Function(place, _WAVE, [], 0), Variable(place, f"{TERMS}Number")]
            wanted = [*asked, pair, *arguments[: element.outer]]
            found = atom(place, head.name, [*asked, *arguments[element.outer :]])
            body = [atom(place, _WANTED + probe.name, wanted), *rest]
            written.append(str(Rule(place, found, body)))
    return "\n".join(written)


class Shared:
    """The instances in the control object in which several pairs were decided together.

    What finds elements comes ``later``.
    """

    def __init__(self, together: BatchModel, later: str) -> None:
        self._together = together
        self._later = later
        self._wave = 0
        self._known: set[RuleInstance] = set()
        self._wanted: list[RuleInstance] = []
        self._elements: dict[tuple[str, RuleInstance], list[Sequence[str]]] = {}
        self._read_of: Counter[str] = Counter()

    def firings(self, number: int, probe: Probe) -> Iterator[Sequence[str]]:
        """The firings of a probe for one pair."""
        return map(split, self._together.shares[number].extra.get(probe.name, ()))

    def want(self, firings: Iterable[RuleInstance]) -> None:
        """Look for the elements of firings, of one pair or of several."""
        facts: list[str] = []
        probes: dict[str, Probe] = {}
        for firing in firings:
            if firing.probe.companions and firing not in self._known:
                values = ",".join(
                    (str(firing.number), *firing.parts[: len(firing.probe.variables)])
                )
                wave = self._wave + 1
                facts.append(f"{_WANTED}{firing.probe.name}({wave},{len(self._wanted)},{values})")
                self._known.add(firing)
                self._wanted.append(firing)
                probes[firing.probe.name] = firing.probe
        if not facts:
            return
        control = self._together.control
        if not self._wave:
            control.add("base", [], self._later)
        self._wave += 1
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
        for _, number, *rest in map(_arguments, texts(fresh)):
            firing = self._wanted[int(number)]
            parts = (*firing.parts[: probe.outer], *rest)
            self._elements.setdefault((probe.name, firing), []).append(parts)


def _arguments(atom: str) -> Sequence[str]:
    """The arguments of an atom."""
    return split(atom.partition("(")[2][:-1])


Grounding: TypeAlias = Alone | Shared
