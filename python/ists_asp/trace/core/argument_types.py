"""Which variables of a rule stand for tokens, chunks and spans, and of which sentence.

Known for the predicates of ``asp/`` and found for all others by following the variables
through the rules, so that a trace can say the words where a rule has numbers. Where rules
disagree about an argument, it is taken for nothing special.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ists_asp.trace.core.outlines import Atom, outline_of
from ists_asp.vocabulary import TARGETS, Argument, all_predicates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ists_asp.trace.core.reified_rule import ReifiedRule

TOKEN, CHUNK, SPAN = "token", "chunk", "span"

Side: TypeAlias = "int | tuple[str, int]"
"""A sentence: its number, or ``("is", K)`` or ``("other", K)`` where argument K has it."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a variable stands for.

    ``side`` is a sentence, or the name of a variable that has its number; ``other`` says that
    it is the sentence other than that.
    """

    kind: str
    side: int | str
    other: bool = False


_Meaning: TypeAlias = "tuple[str, Side]"
_MEANINGS: dict[Argument, _Meaning] = {
    Argument.TOKEN: (TOKEN, ("is", 0)),
    Argument.OTHER_TOKEN: (TOKEN, ("other", 0)),
    Argument.TOKEN1: (TOKEN, 1),
    Argument.TOKEN2: (TOKEN, 2),
    Argument.CHUNK: (CHUNK, ("is", 0)),
    Argument.SPAN: (SPAN, ("is", 0)),
    Argument.SPAN1: (SPAN, 1),
    Argument.SPAN2: (SPAN, 2),
}
_SEEDS: dict[tuple[str, int], dict[int, _Meaning]] = {
    one.signature: places
    for one in (*all_predicates(), *TARGETS.values())
    if (
        places := {
            index: _MEANINGS[argument]
            for index, argument in enumerate(one.arguments)
            if argument in _MEANINGS
        }
    )
}
_INSIDE = frozenset(one.signature for one in TARGETS.values())
"""Functions in ``feature/2`` that have the meaning of a predicate of their name."""
_ROUNDS = 6


class ArgumentTypes:
    """The places that the variables of a rule set's probes stand for.

    Args:
        probes: all probes of the rule set.
    """

    def __init__(self, probes: Sequence[ReifiedRule]) -> None:
        self._outlines = {probe.name: outline_of(probe) for probe in probes if not probe.text}
        self._known: dict[tuple[str, int], dict[int, set[_Meaning]]] = {
            signature: {index: {meaning} for index, meaning in places.items()}
            for signature, places in _SEEDS.items()
        }
        self._derived = {
            head.signature for outline in self._outlines.values() for head in outline.heads
        }
        # First what can be known; then without what some rule does not agree with.
        for strict in (False, True):
            for _ in range(_ROUNDS):
                if not self._round(strict=strict):
                    break
        self._found: dict[str, dict[str, Place]] = {}
        self._arguments: dict[tuple[str, int], dict[int, _Meaning]] = {}

    @property
    def kept(self) -> dict[str, object]:
        """All that can be asked, as whatever JSON can write, for :meth:`recalled`."""
        return {
            "of": {
                name: {
                    variable: (place.kind, place.side, place.other)
                    for variable, place in self._variables(
                        (*outline.body, *outline.heads), outline.same
                    ).items()
                }
                for name, outline in self._outlines.items()
            },
            "arguments": [
                (name, arity, list(self.arguments(name, arity).items()))
                for name, arity in self._known
            ],
        }

    @classmethod
    def recalled(cls, kept: Any) -> ArgumentTypes:  # noqa: ANN401 (whatever JSON can write)
        """What was kept."""
        found = cls.__new__(cls)
        found._outlines, found._known = {}, {}
        found._found = {
            name: {variable: Place(*place) for variable, place in places.items()}
            for name, places in kept["of"].items()
        }
        found._arguments = {
            (name, arity): {
                index: (kind, side if isinstance(side, int) else tuple(side))
                for index, (kind, side) in places
            }
            for name, arity, places in kept["arguments"]
        }
        return found

    def of(self, probe: ReifiedRule) -> Mapping[str, Place]:
        """What the variables of a probe stand for, where that is known."""
        if probe.name not in self._found:
            outline = self._outlines.get(probe.name)
            found = {}
            if outline is not None:
                found = self._variables((*outline.body, *outline.heads), outline.same)
            self._found[probe.name] = found
        return self._found[probe.name]

    def arguments(self, name: str, arity: int) -> Mapping[int, _Meaning]:
        """What the arguments of a predicate stand for, where that is known."""
        key = name, arity
        if key not in self._arguments:
            places = self._known.get(key, {})
            self._arguments[key] = {
                index: min(meanings, key=str) for index, meanings in places.items()
            }
        return self._arguments[key]

    def _round(self, *, strict: bool) -> bool:
        """Follow the variables through all rules once; return whether that changed anything."""
        derived: dict[tuple[str, int], dict[int, set[_Meaning]]] = {}
        for outline in self._outlines.values():
            found = self._variables(outline.body, outline.same)
            open_ = {
                argument
                for atom in outline.body
                if atom.signature not in self._derived and atom.signature not in _SEEDS
                for argument in atom.arguments
                if isinstance(argument, str)
            }
            for head in outline.heads:
                places = derived.setdefault(head.signature, {})
                for index, argument in enumerate(head.arguments):
                    if not isinstance(argument, str):
                        continue
                    place = found.get(argument)
                    if place is None and (not strict or argument in open_):
                        continue
                    meanings = set() if place is None else set(_meanings(place, head.arguments))
                    places[index] = places[index] & meanings if index in places else meanings
        known = {
            signature: {index: meanings for index, meanings in places.items() if meanings}
            for signature, places in derived.items()
            if signature not in _SEEDS
        }
        known |= {signature: self._known[signature] for signature in _SEEDS}
        changed = known != self._known
        self._known = known
        return changed

    def _variables(
        self, atoms: Sequence[Atom], same: Sequence[tuple[str, str]]
    ) -> dict[str, Place]:
        found: dict[str, Place] = {}
        for atom in atoms:
            self._read(atom, found)
        for name, other in same:
            if other in found:
                found.setdefault(name, found[other])
        return found

    def _read(self, atom: Atom, found: dict[str, Place]) -> None:
        known = self._known.get(atom.signature, {})
        for index, argument in enumerate(atom.arguments):
            if isinstance(argument, Atom):
                if argument.signature in _INSIDE:
                    self._read(argument, found)
            elif isinstance(argument, str) and index in known:
                for meaning in sorted(known[index], key=str):
                    place = _place(meaning, atom.arguments)
                    if place is not None:
                        found.setdefault(argument, place)


def _place(meaning: _Meaning, arguments: Sequence[str | int | Atom | None]) -> Place | None:
    kind, side = meaning
    if isinstance(side, int):
        return Place(kind, side)
    how, index = side
    argument = arguments[index]
    if isinstance(argument, str):
        return Place(kind, argument, how == "other")
    if isinstance(argument, int) and argument in (1, 2):
        return Place(kind, 3 - argument if how == "other" else argument)
    return None


def _meanings(place: Place, arguments: Sequence[str | int | Atom | None]) -> Iterator[_Meaning]:
    """All ways to say which sentence a place is of, seen from the arguments of a head."""
    if isinstance(place.side, int):
        yield place.kind, place.side
    for index, argument in enumerate(arguments):
        if isinstance(place.side, int):
            if isinstance(argument, int) and argument in (1, 2):
                yield place.kind, ("is" if argument == place.side else "other", index)
        elif argument == place.side:
            yield place.kind, ("other" if place.other else "is", index)
