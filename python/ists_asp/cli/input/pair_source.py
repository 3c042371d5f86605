"""Pairs that are read twice: once to count and check them, once to decide them."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.cli.console import reader_warnings
from ists_asp.cli.input.untokenized import Attached
from ists_asp.errors import DataError
from ists_asp.limits import fits, is_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.cli.input.inputs import Inputs
    from ists_asp.model import Pair


@dataclass(frozen=True, slots=True)
class PairSource:
    """Pairs that were counted and checked and can be read again.

    ``count`` is how many there are, ``long`` whether one is known to be long; ``attached`` is
    where punctuation is attached to words; ``digest`` is a SHA-256 sum of what is read and how.
    """

    inputs: Inputs
    count: int
    long: bool
    attached: Attached
    digest: str

    def pairs(self) -> Iterator[Pair]:
        """Read the pairs, lazily; faults that were repaired are not told again."""
        from ists_asp.io.text import ignore

        return iter(self.inputs.pairs(ignore))

    def same(self) -> bool:
        """Whether the files are still what they were."""
        try:
            return self.inputs.digest() == self.digest
        except OSError:
            return False

    def check_same(self) -> None:
        """Make sure that all pairs were those that were counted and checked.

        Raises:
            DataError: a file has changed meanwhile.
        """
        if not self.same():
            raise DataError(
                "the input has changed while it was read",
                where=self.inputs.names[0],
                hint="Repeat the command",
            )


@contextmanager
def opened(inputs: Inputs) -> Iterator[PairSource]:
    """Read all pairs once, to count and check them; they can then be read again.

    Only what tells them apart is held in memory. Standard input is kept in a file meanwhile.

    Raises:
        DataError: as for :meth:`~ists_asp.cli.input.inputs.Inputs.read`.
    """
    with ExitStack() as stack:
        kept = inputs.kept(stack)
        before = _digest_or_none(kept)
        count, long, attached = 0, False, Attached()
        with reader_warnings() as warn:
            # Of several pairs one that is too long fails like any other, and costs none an answer.
            for pair in kept.checked(warn, sized=inputs.single):
                count += 1
                attached.add(pair)
                long = long or (is_long(pair) and fits(pair))
        source = PairSource(kept, count, long, attached, before or "")
        source.check_same()
        yield source


def _digest_or_none(inputs: Inputs) -> str | None:
    """The sum, or None where a file cannot be read, which its reader tells better."""
    try:
        return inputs.digest()
    except (OSError, ValueError):
        return None
