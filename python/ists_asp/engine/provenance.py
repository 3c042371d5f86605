"""What made an answer: the version, the rules, the weights and the models, by their hashes."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ists_asp._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ists_asp.annotate.stanza import Models
    from ists_asp.rules import Profile, RuleFile

_DIGITS = 12
_WEIGHTS = "weights"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Versions and hashes; equal ones give equal answers, constants and word vectors aside.

    ``rules`` is the hash of all rule files but weights, those for ratings included, in the order
    of loading, whatever they are called; ``weights`` has for each weights file its name and hash;
    ``stanza`` has language,
    package, version of Stanza and hash of the models; ``reader`` has the hash of the reader, or is
    ``none``.
    """

    version: str
    profile: str
    rules: str
    weights: tuple[str, ...]
    stanza: str
    reader: str = "none"

    def __str__(self) -> str:
        weights = ", ".join(self.weights) or "none"
        return (
            f"ists-asp {self.version}, profile {self.profile}, reader {self.reader}, "
            f"rules {self.rules}, "
            f"weights {weights}, models {self.stanza}"
        )

    def as_dict(self) -> dict[str, object]:
        """The fields, in a form that ``json.dumps`` takes."""
        return {**asdict(self), "weights": list(self.weights)}


def provenance(
    profile: Profile, files: Iterable[RuleFile], models: Models, reader: str | None = None
) -> Provenance:
    """What answers by these rules and models are made by.

    Args:
        profile: the profile.
        files: its rule files in the order of loading; each counts once.
        models: the models that annotate.
        reader: the hash of the reader; None without one.
    """
    found = tuple({file.path: file for file in files}.values())
    learned = [file for file in found if file.path.parent.name == _WEIGHTS]
    others = [file for file in found if file not in learned]
    return Provenance(
        version=__version__,
        profile=profile.name,
        rules=_digest(others),
        weights=tuple(f"{file.path.stem} {file.sha256[:_DIGITS]}" for file in learned),
        stanza=models.key,
        reader=reader or "none",
    )


def file_digest(file: Path) -> str:
    """The first digits of a file's SHA-256."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:_DIGITS]


def _digest(files: Iterable[RuleFile]) -> str:
    whole = hashlib.sha256("".join(file.sha256 for file in files).encode())
    return whole.hexdigest()[:_DIGITS]
