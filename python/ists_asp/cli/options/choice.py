"""What profile, rules and models a command was told to use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ists_asp.sandbox.guard import isolate, patience

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ists_asp.engine import Setup, System
    from ists_asp.rules import ProfileFiles


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of the options that choose profile, rules and models."""

    profile: str
    rules: tuple[Path, ...]
    constants: Mapping[str, str]
    stanza_dir: Path | None
    reader: str | None
    cache: Path | None
    incremental: bool = True

    def files_of(self) -> ProfileFiles:
        """Read the rules without parsing them.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        from ists_asp.rules import read_profile_rules

        return read_profile_rules(self.profile, self.rules, reader=self.reader is not None)

    def check_rates(self) -> None:
        """Refuse a profile that has no rules for ratings.

        Raises:
            IstsError: there is no such profile, or it does not rate pairs.
        """
        from ists_asp.rules import Purpose, find_program

        find_program(self.profile, self.rules, Purpose.RATING)

    @property
    def setup(self) -> Setup:
        """The options of the system."""
        from ists_asp.engine import Setup

        return Setup(
            self.profile,
            self.rules,
            self.constants,
            self.reader,
            self.stanza_dir,
            cache=self.cache,
            incremental=self.incremental,
        )

    def load(self, *, models: int = 1, time_limit: float = 10.0) -> System:
        """Load the system in a child process: rules and long sentences may take for ever.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        isolate(patience(time_limit))
        from ists_asp.engine import Limits, System

        setup = replace(self.setup, models=models, limits=Limits(time_limit))
        return System(setup).load()
