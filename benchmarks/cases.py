"""One measurement: a profile on the pairs of a set, with gold chunks or with found ones."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import stdev
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from benchmarks.timing import Timing
from ists_asp.cli.console import progress
from ists_asp.engine import Setup, Timings
from ists_asp.errors import UsageError
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Chunking, Reference, compare_chunks, evaluate
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.files import atomic_writer
from ists_asp.io.wa import read_wa, write_answer
from ists_asp.learn.cross import learn_weights, learned_rules, render_weights, validate
from ists_asp.learn.examples import ExampleBuilder
from ists_asp.learn.fit import Settings
from ists_asp.resources import Closing, rules_dir
from ists_asp.rules import load_profile
from ists_asp.run.worker import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.sets import PairSet
    from ists_asp import System
    from ists_asp.evaluate.scorer import Scores
    from ists_asp.io.wa import WaSentence
    from ists_asp.learn.cross import CrossValidation
    from ists_asp.learn.examples import Example
    from ists_asp.learn.fit import Weight
    from ists_asp.model import Answer, Chunk, Pair

T = TypeVar("T")

COMMON = "default"
"""The profile whose rules common weights are learned for, from all sets."""

COMMON_WEIGHTS = "weights/english"
"""The file of common weights, which the weights of other profiles may correct."""

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
    shipped. There are no folds where everything is. ``left_out`` is what weights reach that
    have seen no pair of this kind: common ones, learned from the other sets.
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
    left_out: Scores | None = None

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
            "left_out": self.left_out.as_dict() if self.left_out else None,
            "chunking": self.chunking.as_dict() if self.chunking else None,
            "timing": self.timing.as_dict(),
            "proven": self.proven,
            "faults": self.faults,
            "lost_tokens": self.lost,
        }


def measure(system: System, data: PairSet, scenario: str) -> Case:
    """Decide all pairs of a set and measure the answers, by way of a ``.wa`` file.

    SolveError: there is no answer for a pair.
    """
    pairs, golden = (data.chunked, ()) if scenario == "gold" else (data.plain, data.chunked)
    # Models load when they are first needed, which belongs to no pair.
    system.solve("ready", "ready")
    system.stages = Timings()
    began = time.perf_counter()
    with progress(len(pairs), shown=True) as step:
        answers = list(counted(system.solve_many(pairs, rated=False), step))
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
        chunking=compare_chunks(_chunks(golden, answers)) if golden else None,
        timing=timing,
        proven=sum(answer.optimal for answer in answers),
        faults=faults,
        lost=lost,
    )


class HoldOut(Closing):
    """Learns weights from pairs of sets, and decides by them pairs that were left out.

    Where profiles correct common weights, these are learned without what is left out as well.

    Args:
        sets: all the sets that common weights are learned from.
        folds: how many parts, each a block of neighbours, which may be news of one day.
    """

    def __init__(self, sets: Sequence[PairSet], folds: int) -> None:
        self._sets = {data.name: data for data in sets}
        self._folds = folds
        self._teachers = ExitStack()

    def close(self) -> None:
        """Close the lexicon of the profile that common weights are learned by."""
        self._teachers.close()

    def cross_validate(self, profile: str, name: str) -> tuple[CrossValidation, CrossValidation]:
        """Decide each part of a set by weights that are learned as those of the profile are.

        Raises:
            UsageError: there are fewer pairs than folds.
            DataError: too few pairs to learn from.
        """
        data = self._sets[name]
        with ExampleBuilder(Setup(profile)) as teacher:
            examples, senses = _examples(teacher, data), teacher.senses()
            corrected = COMMON_WEIGHTS in load_profile(profile).answer.weights

            def weights(fold: int, train: Sequence[Example]) -> str:
                if profile == COMMON:
                    return render_weights(self._common_weights[fold], {}, "a part", "learn")
                settings = Settings(scheme=data.scheme)
                if corrected:
                    common = self._common_weights[fold]
                    base = {(one.name, one.decision): one.value for one in common}
                    settings = replace(settings, base=base, corrections=_most(profile))
                return learned_rules(train, senses, settings)

            parts = enumerate(_blocks(examples, self._folds))
            weighed = ((weights(fold, train), test) for fold, (train, test) in parts)
            with progress(2 * len(examples), shown=True) as step:
                return validate(teacher, weighed, data.scheme, step)

    def leave_out(self, name: str) -> tuple[CrossValidation, CrossValidation]:
        """Decide a set by common weights that are learned from all others, and nothing else."""
        teacher, examples = self._common
        others = [one for other, some in examples.items() if other != name for one in some]
        with progress(2 * len(examples[name]), shown=True) as step:
            text = learned_rules(others, teacher.senses(), Settings())
            return validate(teacher, [(text, examples[name])], Settings().scheme, step)

    @cached_property
    def _common(self) -> tuple[ExampleBuilder, dict[str, list[Example]]]:
        """What teaches common weights, and what it makes of all sets."""
        teacher = self._teachers.enter_context(ExampleBuilder(Setup(COMMON)))
        return teacher, {name: _examples(teacher, data) for name, data in self._sets.items()}

    @cached_property
    def _common_weights(self) -> list[list[Weight]]:
        """Common weights of each fold: it is left out of every set."""
        teacher, examples = self._common
        folds = zip(*(_blocks(some, self._folds) for some in examples.values()), strict=True)
        trains = ([one for train, _ in parts for one in train] for parts in folds)
        return [learn_weights(train, teacher.senses(), Settings()) for train in trains]


def has_learned(profile: str) -> bool:
    """Whether weights were learned for the profile's rules, rather than lent by another."""
    return profile == COMMON or f"weights/{profile}" in load_profile(profile).answer.weights


def _most(profile: str) -> int:
    """How many corrections a profile may have, as the file of its corrections says."""
    text = (rules_dir() / "weights" / f"{profile}.lp").read_text("utf-8")
    found = re.search(r"^%.* --most (\d+)", text, re.MULTILINE)
    return int(found[1]) if found else Settings().corrections


def _examples(teacher: ExampleBuilder, data: PairSet) -> list[Example]:
    """What a teacher makes of the pairs of a set, whose name tells them from those of others."""
    golds = (
        Reference(replace(pair, id=f"{data.name} {pair.id}"), data.gold[pair.id].alignments)
        for pair in data.chunked
    )
    return list(teacher.examples(golds))


def _blocks(items: Sequence[T], folds: int) -> Iterator[tuple[list[T], Sequence[T]]]:
    """Parts of neighbours, each behind all the others."""
    if not 2 <= folds <= len(items):
        raise UsageError(
            f"{folds} parts of {len(items)} gold pairs", expected="two parts or more, none empty"
        )
    for start, end in pairwise(len(items) * cut // folds for cut in range(folds + 1)):
        yield [*items[:start], *items[end:]], items[start:end]


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
