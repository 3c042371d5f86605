"""Counts that are added up field by field."""

from __future__ import annotations

from typing import Self


class Summed:
    """The sum of two such dataclasses, which have slots, has the sums of their fields."""

    __slots__: tuple[str, ...] = ()

    def __add__(self, other: Self) -> Self:
        names = type(self).__slots__
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in names))
