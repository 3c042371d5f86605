"""What profile, rules and models a command was told to use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ists_asp.sandbox.guard import isolate, patience

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.engine import System
    from ists_asp.rules import ProfileFiles


@dataclass(frozen=True, slots=True)
class KnownWords:
    """By what words are compared beside the lexicon; see :func:`ists_asp.engine.load`."""

    vectors: bool
    semantic: bool | Path
    reader: bool | Path = False

    @property
    def options(self) -> tuple[str, ...]:
        """The options that say so, the same wherever the model lies."""
        return (
            *(() if self.vectors else ("--no-vectors",)),
            *(("--semantic",) if self.semantic is True else ()),
            *(
                (f"--semantic-model {self.semantic.resolve().name}",)
                if isinstance(self.semantic, Path)
                else ()
            ),
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of the options that choose profile, rules and models."""

    profile: str
    rules: tuple[Path, ...]
    constants: Mapping[str, str]
    stanza_dir: Path | None
    stanza_package: str | None
    words: KnownWords
    cache: Path | None
    scripts: bool
    incremental: bool = True

    def files_of(self) -> ProfileFiles:
        """Read the rules without parsing them.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        from ists_asp.rules import read_profile_rules

        return read_profile_rules(
            self.profile,
            self.rules,
            semantic=bool(self.words.semantic),
            reader=bool(self.words.reader),
            scripts=self.scripts,
        )

    def check_rates(self) -> None:
        """Refuse a profile that has no rules for ratings.

        Raises:
            IstsError: there is no such profile, or it does not rate pairs.
        """
        from ists_asp.rules import Purpose, find_program

        find_program(self.profile, self.rules, Purpose.RATING, semantic=bool(self.words.semantic))

    def load(self, *, models: int = 1, time_limit: float = 10.0) -> System:
        """Load the system in a child process: rules and long sentences may take for ever.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
        """
        isolate(patience(time_limit))
        from ists_asp.engine import load

        return load(models=models, time_limit=time_limit, **self.options)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of :func:`ists_asp.engine.load` that say what to load."""
        return {
            "profile": self.profile,
            "rules": self.rules,
            "constants": self.constants,
            "stanza_dir": self.stanza_dir,
            "stanza_package": self.stanza_package,
            "vectors": self.words.vectors,
            "semantic": self.words.semantic,
            "reader": self.words.reader,
            "cache": self.cache,
            "scripts": self.scripts,
            "incremental": self.incremental,
        }
