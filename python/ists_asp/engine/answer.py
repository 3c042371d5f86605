"""Answers of a system, which say why; their provenance, and the time that they took."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import ValidationError, convert

from ists_asp._version import __version__
from ists_asp.annotate.stanza import Models
from ists_asp.errors import DataError, UsageError, of_pair
from ists_asp.io.formats import answer_record, format_answer, read_record
from ists_asp.model import Answer, Scheme
from ists_asp.rules import Profile, RuleFile, list_profiles, load_profile

if TYPE_CHECKING:
    from ists_asp.trace import AskedTrace
    from ists_asp.trace.why import Why, WhyNot

_DIGITS = 12  # digits of a hash that are shown


@cache
def _schemes() -> Mapping[str, Scheme]:
    return {name: load_profile(name).scheme for name in list_profiles()}


@dataclass(frozen=True, slots=True, repr=False)
class SolvedAnswer(Answer):
    """An answer of a :class:`~ists_asp.engine.System` that can be asked for its reasons.

    ``rank`` is 1 for the best answer of a pair; ``knowledge`` names the resources that compared
    words, ``made_by`` the versions behind the answer. ``tracing`` makes the trace of a best answer
    while its system is open; the first :meth:`why` or :meth:`why_not` calls it. Pickles omit it.
    """

    rank: int = field(default=1, compare=False)
    knowledge: tuple[str, ...] = field(default=(), compare=False)
    made_by: Provenance | None = field(default=None, compare=False)
    tracing: Callable[[], AskedTrace] | None = field(default=None, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        *values, _tracing = (getattr(self, part.name) for part in fields(self))
        return type(self), tuple(values)

    @classmethod
    def of(cls, answer: Answer, **details: Any) -> SolvedAnswer:  # noqa: ANN401 (fields of ours)
        """Make an answer one that can be asked."""
        return cls(**{part.name: getattr(answer, part.name) for part in fields(Answer)}, **details)

    def to_dict(self) -> dict[str, object]:
        """The answer as JSON values, as ``solve --format jsonl`` writes it in a line."""
        system = None if self.made_by is None else self.made_by.to_dict()
        return answer_record(self, self.rank, self.knowledge, system)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> SolvedAnswer:
        """The answer of such a record, checked by its profile's scheme; it cannot be traced."""
        system = record.get("system")
        name = str(system.get("profile")) if isinstance(system, dict) else ""
        answer = read_record(record, _schemes().get(name, Scheme.Y2016))
        try:
            made_by = convert(system, Provenance) if system else None
            knowledge = tuple(record.get("knowledge", ()))
        except (ValidationError, TypeError):
            raise DataError("'system' does not say what made the answer") from None
        return cls.of(answer, rank=record.get("rank", 1), knowledge=knowledge, made_by=made_by)

    def __str__(self) -> str:
        return format_answer(self).rstrip("\n")

    def trace(self) -> AskedTrace:
        """Trace which rules fired for this answer, for which words, with what weights.

        Raises:
            UsageError: nothing can trace the answer: it is not the best of its pair, comes from
                another process, or its system is closed.
            RuleError: a rule cannot be traced.
        """
        if self.tracing is None:
            found = "this answer cannot be traced"
            expected = "the best answer that an open system gave"
            hint = "Ask the answer of system.solve(sentence1, sentence2)"
            raise UsageError(found, where=of_pair(self.pair.id), expected=expected, hint=hint)
        return self.tracing()

    def why(self, *decision: str) -> Why:
        """Say why a decision of the answer was taken.

        Args:
            decision: as a line of a ``.wa`` file, ``"4 5 <==> 3 4"``, with label and score or
                without, a chunk, ``"1: 3 4 5"``, or ``"rating"``; or words, one of each sentence,
                ``"power", "the bulb", "EQUI"``.

        Raises:
            UsageError: it is malformed, the answer has no such decision, or the answer cannot
                be traced, see :meth:`trace`.
        """
        return self.trace().why(*decision)

    def why_not(self, *decision: str) -> WhyNot:
        """Say why a decision was not taken, which is given as for :meth:`why`.

        Raises:
            UsageError: it is malformed, the answer has the decision, or the answer cannot be
                traced, see :meth:`trace`.
            TimeLimitError: there was no answer with it within the time limit.
        """
        return self.trace().why_not(*decision)

    def _repr_html_(self) -> str:
        from ists_asp.report.picture import static_picture

        return static_picture(self)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Versions and hashes behind answers; equal ones give equal answers, constants aside.

    ``rules`` is the hash of all rule files but weights, in the order of loading; ``weights`` has
    the name and hash of each weights file; ``stanza`` has language, package, version of Stanza and
    hash of the models; ``reader`` is the hash of the reader, or ``none``.
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
            f"rules {self.rules}, weights {weights}, models {self.stanza}"
        )

    def to_dict(self) -> dict[str, object]:
        """The fields, in a form that ``json.dumps`` takes."""
        return {**asdict(self), "weights": list(self.weights)}


def provenance(
    profile: Profile, files: Iterable[RuleFile], models: Models, reader: str | None = None
) -> Provenance:
    """The provenance of answers: of rule files in the order of loading, models and a reader."""
    unique = tuple({file.path: file for file in files}.values())
    learned = [file for file in unique if file.path.parent.name == "weights"]
    rules = hashlib.sha256("".join(file.sha256 for file in unique if file not in learned).encode())
    return Provenance(
        __version__,
        profile.name,
        rules.hexdigest()[:_DIGITS],
        tuple(f"{file.path.stem} {file.sha256[:_DIGITS]}" for file in learned),
        models.key,
        reader or "none",
    )


def file_digest(file: Path) -> str:
    """The first digits of a file's SHA-256."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:_DIGITS]


@dataclass(slots=True)
class Timings:
    """Seconds of processor time spent in each stage, summed over all pairs."""

    annotation: float = 0.0
    knowledge: float = 0.0
    facts: float = 0.0
    grounding: float = 0.0
    solving: float = 0.0
    elsewhere: float = 0.0  # all seconds of other processes, those in which they load included
    # Pairs by the hundredths of a millisecond that each took; those solved together share equally.
    decided: Counter[int] = field(default_factory=Counter)
    cached: int = 0  # pairs whose answers were kept from a run before
    edits: Counter[str] = field(default_factory=Counter)  # pairs decided again, by place of an edit

    def decide(
        self, grounding: float, solving: float, *, cached: bool = False, edit: str = ""
    ) -> None:
        """Add a pair's seconds, whether its answer was kept, or the edit it was decided for."""
        self.cached += cached
        self.edits.update([edit] if edit else ())
        self.grounding += grounding
        self.solving += solving
        self.decided[round(100_000 * (grounding + solving))] += 1

    def merge(self, other: Timings) -> None:
        """Add the times of other pairs."""
        for part in fields(self):
            mine, theirs = getattr(self, part.name), getattr(other, part.name)
            if isinstance(mine, Counter):
                mine.update(theirs)
            else:
                setattr(self, part.name, mine + theirs)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time that the block takes to ``annotation``, ``knowledge`` or ``facts``."""
        began = time.process_time()
        try:
            yield
        finally:
            setattr(self, stage, getattr(self, stage) + time.process_time() - began)
