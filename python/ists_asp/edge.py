"""The edge of a pair: what clingo or a reader raises there is the pair's error, in words."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ists_asp.errors import (
    IstsError,
    MemoryLimitError,
    RuleError,
    UsageError,
    WeightsError,
    of_pair,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ists_asp.model import Pair

T = TypeVar("T")

MOST = 2**31 - 1
"""The largest integer of clingo."""

_SAID = 500
"""Characters of a message of clingo's that are shown."""

_UNSAFE_RULE = re.compile(r"(?P<where>.+?:\d+:\d+)-[\d:]+: error: unsafe variables")
_UNSAFE = re.compile(r"note: '(?P<variable>[^']+)' is unsafe")
_OVERFLOWS = ("too large", "overflow", "out of range")


@contextmanager
def inside(pair: Pair) -> Iterator[None]:
    """Turn whatever is raised about a pair into an error that names it.

    Raises:
        MemoryLimitError: there is no memory left.
        RuleError: the rules are nested too deeply, or clingo or whoever reads what they derive has
            met something else that it cannot take.
    """
    where = of_pair(pair.id)
    try:
        yield
    except UsageError:
        # That is about what was asked for.
        raise
    except IstsError as error:
        error.where = error.where or where
        raise
    except MemoryError:
        raise MemoryLimitError(
            "no memory is left", where=where, hint="Simplify the rules, or allow more memory"
        ) from None
    except RecursionError:
        raise too_deep(where) from None
    except (RuntimeError, OverflowError) as error:
        # What clingo raises.
        told = clingo_error("decide by", str(error) or type(error).__name__)
        told.where = where
        raise told from error
    except Exception as error:
        raise RuleError(
            f"what the rules derive cannot be read: {_fault(error)}",
            where=where,
            hint="Look for terms of an odd kind; if no rule is yours, please report this",
        ) from error


def unless_it_fails(work: Callable[[], T | None]) -> T | None:
    """What comes of something that is not needed; None where clingo or a reader fails.

    Where several pairs are worked on, each alone then says what is wrong, and with which of them.
    """
    try:
        return work()
    except Exception:
        return None


def _fault(error: Exception) -> str:
    """An error of Python in one line."""
    return ": ".join(filter(None, (type(error).__name__, shortened(str(error)))))


def too_deep(where: str | None = None) -> RuleError:
    """The error for what Python cannot walk through."""
    return RuleError(
        "a rule or a term is nested too deeply", where=where, hint="Break up its terms"
    )


def unsafe(text: str) -> tuple[str, str]:
    """What clingo says of variables that nothing gives values to, in few words, and what to do."""
    variables = dict.fromkeys(
        "_" if name.startswith("#") else name for name in _UNSAFE.findall(text)
    )
    several = "variables are" if len(variables) > 1 else "variable is"
    return (
        f"the {several} unsafe: {shortened(', '.join(variables))}",
        "Use it in an atom of the body that is neither negated nor in an aggregate",
    )


def clingo_error(doing: str, text: str, names: Mapping[str, str] | None = None) -> RuleError:
    """The error for something that clingo could not do.

    Args:
        doing: what it was to do with the rules, as a verb.
        text: what it said.
        names: the files' names in messages, by the paths that clingo knows.
    """
    for path, name in (names or {}).items():
        text = text.replace(f"{path}:", f"{name}:")
    if any(words in text for words in _OVERFLOWS):
        return WeightsError(
            f"arithmetic overflow: weights add up to more than clingo can count, {MOST}",
            hint="Take smaller weights in #minimize, #maximize and #sum",
        )
    if (place := _UNSAFE_RULE.search(text)) is not None:
        found, hint = unsafe(text)
        return RuleError(f"{place['where']}: {found}", hint=hint)
    return RuleError(
        f"clingo cannot {doing} the rules: {shortened(' '.join(text.split()), _SAID)}",
        hint="Mend the rule that the message names",
    )
