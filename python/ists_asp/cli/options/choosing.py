"""Which pairs of the input are meant: ``--id``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError, UsageError, shortened

if TYPE_CHECKING:
    from ists_asp.model import Pair

_SHOWN_IDS = 10


def choose_one(pairs: list[Pair], identifier: str | None) -> Pair:
    """The pair with an id, or the only one.

    Raises:
        DataError: there is no such pair.
        UsageError: there are several and no id says which.
    """
    found = chosen(pairs, identifier)
    if len(found) > 1:
        raise UsageError(f"{len(found)} pairs", hint="Choose one with --id ID")
    return found[0]


def chosen(pairs: list[Pair], identifier: str | None) -> list[Pair]:
    """The pair with an id, or all pairs where there is none to choose by.

    Raises:
        DataError: there is no pair with this id.
    """
    if identifier is None:
        return pairs
    found = [pair for pair in pairs if pair.id == identifier]
    if not found:
        ids = shortened(", ".join(pair.id for pair in pairs[:_SHOWN_IDS]))
        more = ", …" if len(pairs) > _SHOWN_IDS else ""
        raise DataError(
            f"there is no pair with the id '{shortened(identifier)}'", expected=f"{ids}{more}"
        )
    return found
