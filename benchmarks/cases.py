"""One measurement: a profile on the pairs of a set, with gold chunks or with found ones."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import stdev
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.progress import Counter, show_progress
from benchmarks.timing import Timing
from ists_asp.engine import Setup, Timings
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Chunking, Reference, compare_chunks, evaluate
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.files import atomic_writer
from ists_asp.io.wa import read_wa, write_answer
from ists_asp.learn import ExampleBuilder, Settings, cross_validate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from benchmarks.sets import PairSet
    from ists_asp import System
    from ists_asp.evaluate.scorer import Scores
    from ists_asp.io.wa import WaSentence
    from ists_asp.model import Answer, Chunk, Pair

__all__ = ["SCENARIOS", "Case", "held_out", "measure"]

SCENARIOS = ("gold", "found")
"""Where the chunks come from."""

_FIELDS = ("alignment", "type", "score", "type_score")


@dataclass(frozen=True, slots=True)
class Case:
    """What a profile reached on a set.

    ``chunking`` compares found chunks with gold ones; it is None where gold chunks were
    given. ``proven`` counts answers that the solver proved the best, ``faults`` what
    ``ists-asp check`` rejects, ``lost`` tokens that no line of the answer has.

    ``folds`` are the scores of each fold of a cross-validation, and ``scores`` and
    ``chunking`` are then of all held-out answers together; all else is of the profile as
    shipped. There are no folds where everything is.
    """

    set: str
    scenario: str
    profile: str
    pairs: int
    scores: Scores
    chunking: Chunking | None
    timing: Timing
    proven: int
    faults: int
    lost: int
    folds: tuple[Scores, ...] = ()

    def spread(self, measure: str) -> float | None:
        """The standard deviation over the folds of a measure's F1; ``measure`` names a field."""
        if not self.folds:
            return None
        values: list[float] = [getattr(fold, measure).f1 for fold in self.folds]
        return stdev(values)

    @property
    def sound(self) -> bool:
        """Whether the answers are well formed and leave out no token."""
        return not self.faults and not self.lost

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "set": self.set,
            "chunks": self.scenario,
            "profile": self.profile,
            "pairs": self.pairs,
            "scores": self.scores.as_dict(),
            "spread": {name: self.spread(name) for name in _FIELDS} if self.folds else None,
            "folds": [fold.as_dict() for fold in self.folds],
            "chunking": self.chunking.as_dict() if self.chunking else None,
            "timing": self.timing.as_dict(),
            "proven": self.proven,
            "faults": self.faults,
            "lost_tokens": self.lost,
        }


def measure(system: System, data: PairSet, scenario: str) -> Case:
    """Decide all pairs of a set and measure the answers, by way of a ``.wa`` file.

    Raises:
        SolveError: there is no answer for a pair.
    """
    pairs = data.chunked if scenario == "gold" else data.plain
    title = f"{data.name}, {scenario} chunks, {system.profile.name}"
    # Models load when they are first needed, which belongs to no pair.
    system.solve("ready", "ready")
    system.stages = Timings()
    began = time.perf_counter()
    answers = list(show_progress(system.solve_many(pairs), len(pairs), title))
    timing = Timing.of(system.stages, time.perf_counter() - began)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "answers.wa"
        with atomic_writer(file) as stream:
            stream.writelines(map(write_answer, answers))
        scores = evaluate(data.gold, read_references(file), data.scheme).overall
        faults = len(check_file(file, data.scheme).faults)
        lost = sum(map(_lost, read_wa(file)))
    return Case(
        set=data.name,
        scenario=scenario,
        profile=system.profile.name,
        pairs=len(pairs),
        scores=scores,
        chunking=None if scenario == "gold" else compare_chunks(_chunks(data.chunked, answers)),
        timing=timing,
        proven=sum(answer.optimal for answer in answers),
        faults=faults,
        lost=lost,
    )


def held_out(
    profile: str, data: PairSet, folds: int
) -> Mapping[str, tuple[Scores, Chunking | None, tuple[Scores, ...]]]:
    """Cross-validate the rules of a profile on a set, its shipped weights left aside.

    Args:
        profile: the profile's name.
        data: the set.
        folds: how many parts.

    Returns:
        For each of :data:`SCENARIOS`, the scores and the chunking of all held-out answers,
        and the scores of each fold.

    Raises:
        UsageError: there are fewer pairs than folds.
        DataError: too few pairs to learn from.
    """
    golds = [Reference(pair, data.gold[pair.id].alignments) for pair in data.chunked]
    title = f"{data.name}, {folds} folds, {profile}"
    with (
        ExampleBuilder(Setup(profile)) as teacher,
        Counter(2 * len(golds), title) as counter,
    ):
        examples = list(teacher.examples(golds))
        settings = Settings(scheme=data.scheme)
        results = cross_validate(teacher, examples, settings, folds=folds, tick=counter.count)
    return {
        scenario: (result.overall, result.chunking, result.folds)
        for scenario, result in zip(SCENARIOS, results, strict=True)
    }


def _lost(sentence: WaSentence) -> int:
    """How many tokens of a pair are on no line."""
    lines = sentence.to_alignments()
    sides = (
        (sentence.tokens[0], {number for line in lines for number in line.tokens1}),
        (sentence.tokens[1], {number for line in lines for number in line.tokens2}),
    )
    return sum(token.number not in numbers for tokens, numbers in sides for token in tokens)


def _chunks(
    pairs: Iterable[Pair], answers: Iterable[Answer]
) -> Iterator[tuple[tuple[Chunk, ...], tuple[Chunk, ...]]]:
    """The gold and the found chunks of each sentence."""
    for pair, answer in zip(pairs, answers, strict=True):
        yield pair.sent1.chunks or (), answer.chunks1
        yield pair.sent2.chunks or (), answer.chunks2
