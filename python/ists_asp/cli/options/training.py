"""What ``ists-asp learn`` was told to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SECONDS = 1800.0
"""Seconds that fitting the weights may take with rules of one's own."""

SETS = "sets"
"""The word for parts that are data sets."""


@dataclass(frozen=True, slots=True)
class TrainingConfiguration:
    """What to learn from, checked."""

    gold: tuple[Path, ...]
    profile: str
    rules: tuple[Path, ...]
    reader: str | None
    own: Path | None
    cache: Path | None
    seed: int
    quiet: bool
    keep: tuple[Path, ...] = ()
    prior: bool = False

    def command(self, task: str = "ists", folds: int | None = None) -> str:
        """The command for the head of the file, the same wherever the data and rules lie.

        With ``folds`` the file is that of confidence, which a cross-validation writes.
        """
        parts = ["ists-asp learn"]
        parts += [f"--task {task}"] if task != "ists" else []
        parts += [f"--gold DATA/{path.resolve().name}" for path in self.gold]
        parts += [f"--rules {path.name}" for path in self.rules]
        parts += [f"--profile {self.profile}"]
        parts += [f"--reader {Path(self.reader).name}"] if self.reader else []
        parts += [f"--vectors {self.own.name}"] if self.own else []
        parts += [f"--keep {path.name}" for path in self.keep]
        parts += ["--prior"] if self.prior else []
        parts += [f"--seed {self.seed}"] if self.seed else []
        name = f"{'reader-' if self.reader else ''}{self.profile}.lp"
        if folds is not None:
            parts += [f"--cross-validate {folds}", f"--confidence confidence/sure-{name}"]
        else:
            parts += [f"-o weights/{name}"]
        return " ".join(parts)
