"""What to load, and how to decide: all options of a system in one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.io.store import Store
from ists_asp.limits import GRACE, loading_time
from ists_asp.rules import (
    Purpose,
    find_program,
    load_profile,
    load_program,
    read_overlay,
    read_profile_rules,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ists_asp.rules import Profile, ProfileFiles, RuleFile, RuleSet


@dataclass(frozen=True, slots=True)
class Limits:
    """What a pair may take.

    Args:
        seconds: of processor time for a pair. The search ends then with the best answer so far,
            if there is one.
        memory: bytes of memory of a worker; None for as many as there are.
        grace: seconds beyond these after which a worker is killed.
    """

    seconds: float = 10.0
    memory: int | None = None
    grace: float = GRACE

    @property
    def loading(self) -> float:
        """Seconds of processor time in which a worker loads the rules."""
        return loading_time(self.seconds, self.grace)


@dataclass(frozen=True, slots=True)
class Setup:
    """The options of a system; :class:`~ists_asp.engine.System` takes one. Equal ones decide alike.

    Those that are not listed are as for :func:`ists_asp.load`.

    Args:
        reader: ``shipped``, ``use`` or the folder of a reader; None for none.
        limits: what a pair may take.
        traced: whether a worker traces what it decides.
        rated: whether a worker rates what it decides.
        files: the SHA-256 sums of the rule files, those for ratings last if pairs are rated,
            which may not change while a run goes on; empty for whatever they are.
    """

    profile: str = "default"
    rules: tuple[Path, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    reader: str | None = None
    stanza_dir: Path | None = None
    vectors: Path | None = None
    cache: Path | None = None
    models: int = 1
    limits: Limits = Limits()
    incremental: bool = True
    traced: bool = False
    rated: bool = False
    files: tuple[str, ...] = ()

    @property
    def store(self) -> Store | None:
        """What keeps rules, facts and answers; None for nothing."""
        return None if self.cache is None else Store(self.cache)

    def load_profile(self) -> Profile:
        """Read the profile."""
        return load_profile(self.profile, read_overlay(self.rules).base)

    def load_program(self, purpose: Purpose = Purpose.ANSWER) -> RuleSet:
        """Parse the rules for a purpose."""
        reader = self.reader is not None
        _, rules = load_program(self.profile, self.rules, purpose, reader=reader, store=self.store)
        return rules

    def read_files(self) -> ProfileFiles:
        """Read the rules without parsing them."""
        return read_profile_rules(self.profile, self.rules, reader=self.reader is not None)

    def check_rates(self) -> None:
        """Refuse a profile that has no rules for ratings."""
        find_program(self.profile, self.rules, Purpose.RATING)


def sums(files: Iterable[RuleFile]) -> tuple[str, ...]:
    """The SHA-256 sums of files."""
    return tuple(file.sha256 for file in files)
