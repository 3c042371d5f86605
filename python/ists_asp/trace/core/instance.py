"""A rule that fired, with what its aggregates counted; atoms are put together when asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.syntax.changes import fill
from ists_asp.syntax.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ists_asp.trace.core.reified_rule import Companion, ElementRule, ReifiedRule
    from ists_asp.trace.core.shapes import Shape


class Element:
    """What an aggregate counted, or an instance of a condition: tuple and atoms.

    ``positive`` are the atoms that hold.
    """

    __slots__ = ("_parts", "_probe", "positive")

    def __init__(self, probe: ElementRule, parts: Sequence[str]) -> None:
        self._probe = probe
        self._parts = parts
        self.positive = _filled(probe.positive, parts)

    @property
    def terms(self) -> tuple[Ground, ...]:
        """The tuple; empty for conditions."""
        return _filled(self._probe.terms, self._parts)

    @property
    def negative(self) -> tuple[Ground, ...]:
        """The negated atoms; ``__any`` in them stands for anything."""
        return _filled(self._probe.negative, self._parts)

    @property
    def double(self) -> tuple[Ground, ...]:
        """The atoms under ``not not``."""
        return _filled(self._probe.double, self._parts)


class Group:
    """An aggregate, or a conditional literal, of a firing with its elements."""

    __slots__ = ("companion", "elements", "text")

    def __init__(self, companion: Companion, text: str, elements: tuple[Element, ...]) -> None:
        self.companion = companion
        self.text = text
        self.elements = elements


class RuleInstance:
    """A rule with values for its variables, whose body holds; a trace has one object for each.

    ``head`` is the atom that it derives; for an objective the term
    ``(weight,priority,(tuple))``. ``parts`` are the values of the rule's variables, and of what
    clingo had to evaluate.
    """

    def __init__(self, probe: ReifiedRule, parts: Sequence[str]) -> None:
        self.probe = probe
        self.parts = parts
        self.head = probe.derived.fill(parts)

    @property
    def instance(self) -> str:
        """The values of the rule's variables."""
        return ",".join(self.parts[: len(self.probe.variables)])

    @cached_property
    def positive(self) -> tuple[Ground, ...]:
        """The positive atoms of the body, in its order."""
        return _filled(self.probe.positive, self.parts)

    @property
    def negative(self) -> tuple[Ground, ...]:
        """The atoms under ``not``; ``__any`` in them stands for anything."""
        return _filled(self.probe.negative, self.parts)

    @property
    def double(self) -> tuple[Ground, ...]:
        """The atoms under ``not not``."""
        return _filled(self.probe.double, self.parts)

    @cached_property
    def values(self) -> dict[str, Ground]:
        """The values of the rule's variables."""
        return dict(zip(self.probe.variables, map(Ground, self.parts), strict=False))

    @property
    def comparisons(self) -> tuple[str, ...]:
        """The comparisons of the body with their values."""
        values = self.values
        return tuple(fill(text, values) for text in self.probe.comparisons)


def _filled(shapes: Iterable[Shape], parts: Sequence[str]) -> tuple[Ground, ...]:
    return tuple([shape.fill(parts) for shape in shapes])
