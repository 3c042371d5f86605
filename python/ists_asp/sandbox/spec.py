"""What a worker needs to know to decide pairs as every other worker does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.engine import load
from ists_asp.limits import GRACE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ists_asp.engine import System
    from ists_asp.rules import RuleFile


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pair may take.

    Args:
        seconds: of processor time for a pair. The search ends then with the best answer so far,
            if there is one.
        memory: bytes of memory of a worker; None for as many as there are.
        grace: seconds beyond these after which a worker is killed.
        loading: seconds of processor time in which a worker loads the rules.
    """

    seconds: float = 10.0
    memory: int | None = None
    grace: float = GRACE
    loading: float = 30.0


def sums(files: Iterable[RuleFile]) -> tuple[str, ...]:
    """The SHA-256 sums of files."""
    return tuple(file.sha256 for file in files)


@dataclass(frozen=True, slots=True)
class Spec:
    """The profile and the options of a run; equal specs decide equally.

    ``constants`` are pairs of a name and a term. ``files`` are the SHA-256 sums of the rule
    files, those for ratings last if pairs are rated; they may not change while the run goes on.
    The other fields are arguments of
    :func:`ists_asp.engine.load`.
    """

    profile: str
    rules: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    models: int = 1
    limits: Limits = Limits()
    reader: str | None = None
    traced: bool = False
    rated: bool = False
    files: tuple[str, ...] = ()
    programs: Path | None = None
    incremental: bool = True

    @property
    def loading(self) -> float:
        """Seconds of processor time in which a worker loads all of it."""
        return self.limits.loading

    def load(self) -> System:
        """Load the system that the spec describes; it keeps no annotations.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        return load(
            self.profile,
            rules=self.rules,
            constants=dict(self.constants),
            models=self.models,
            time_limit=self.limits.seconds,
            reader=self.reader or False,
            programs=self.programs,
            incremental=self.incremental,
        )
