"""Faulty lines of an input, collected, so that all are told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError, FaultyLinesError, FormatError

if TYPE_CHECKING:
    from types import TracebackType

_MOST = 20
"""Faults that are told one by one; of a million only the number is of use."""


class Faults:
    """What is wrong with the lines of an input.

    A block ``with faults:`` takes up what it raises about a line; :meth:`check` raises it.
    That the input as a whole is of another kind (:class:`~ists_asp.errors.FormatError`) is not
    taken up: every line would say it again.
    """

    def __init__(self) -> None:
        self._first: list[DataError] = []
        self._count = 0

    def __enter__(self) -> None:
        """Nothing is needed."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        fault: BaseException | None,
        _trace: TracebackType | None,
    ) -> bool:
        if not isinstance(fault, DataError) or isinstance(fault, FormatError):
            return False
        self.add(fault)
        return True

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, fault: DataError) -> None:
        """Take up a fault, or several that were collected elsewhere."""
        new, count = (
            (fault.faults, fault.count) if isinstance(fault, FaultyLinesError) else ((fault,), 1)
        )
        self._first += new[: _MOST - len(self._first)]
        self._count += count

    def check(self) -> None:
        """Raise what was taken up.

        Raises:
            DataError: the only fault.
            FaultyLinesError: several.
        """
        if self._count == 1:
            raise self._first[0]
        if self._first:
            raise FaultyLinesError(self._first, self._count)
