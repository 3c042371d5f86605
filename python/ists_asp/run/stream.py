"""Pairs through a run: annotated here, decided by an executor, given back in their order."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.solver.batching import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ists_asp.engine import PairAnnotator, Stages
    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning
    from ists_asp.run.executor import Executor, Task
    from ists_asp.run.outcome import Outcome

__all__ = ["run"]


def run(
    pairs: Iterable[Pair],
    annotator: PairAnnotator,
    executor: Executor,
    stages: Stages,
    warn: Callable[[RuleWarning], None] = lambda _warning: None,
) -> Iterator[Outcome]:
    """Decide pairs, lazily; only those under way are held in memory.

    Args:
        pairs: the pairs, tokenised.
        annotator: tags and lemmatises them.
        executor: decides them.
        stages: gets the time that each stage took.
        warn: gets what clingo finds suspicious about the rules; some of it more than once.

    Raises:
        DataError: a sentence is too long.
        IstsError: no pair can be decided.
    """
    under_way: deque[Task] = deque()

    def finished() -> Iterator[Outcome]:
        report = under_way.popleft().result()
        stages.merge(report.times)
        for warning in report.warnings:
            warn(warning)
        yield from report.outcomes

    annotated = annotator.annotate(pairs)
    while batch := tuple(islice(annotated, BATCH)):
        under_way.append(executor.submit(batch))
        while len(under_way) >= executor.width:
            yield from finished()
    while under_way:
        yield from finished()
