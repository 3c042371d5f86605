"""Pairs through a run: annotated here, decided by an executor, given back in their order."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.limits import check_size
from ists_asp.run.worker import Failure, Outcome
from ists_asp.solver.batch import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    from ists_asp.engine import System, Timings
    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning
    from ists_asp.run.pool import Executor
    from ists_asp.run.worker import Report


def run(
    pairs: Iterable[Pair],
    annotator: System,
    executor: Executor,
    stages: Timings,
    warn: Callable[[RuleWarning], None] = lambda _warning: None,
) -> Iterator[Outcome]:
    """Decide pairs, lazily; only those under way are held in memory.

    Args:
        pairs: the pairs, tokenised.
        annotator: tags and lemmatises them.
        executor: decides them.
        stages: gets the time that each stage took.
        warn: gets what clingo finds suspicious about the rules; some of it more than once.

    A pair that is too long fails, whatever its neighbours are.

    Raises:
        IstsError: no pair can be decided.
    """
    under_way: deque[Future[Report]] = deque()
    waiting: deque[Outcome | None] = deque()
    """Each pair that was read: what became of it, or None until an executor says so."""

    def fitting() -> Iterator[Pair]:
        for pair in pairs:
            failure = _too_long(pair)
            waiting.append(None if failure is None else Outcome(pair, (), failure))
            if failure is None:
                yield pair

    def refused() -> Iterator[Outcome]:
        while waiting and (outcome := waiting[0]) is not None:
            waiting.popleft()
            yield outcome

    def finished() -> Iterator[Outcome]:
        report = under_way.popleft().result()
        stages.merge(report.times)
        for warning in report.warnings:
            warn(warning)
        for outcome in report.outcomes:
            yield from refused()
            waiting.popleft()
            yield outcome

    annotated = annotator.annotate(fitting())
    while batch := tuple(islice(annotated, BATCH)):
        under_way.append(executor.submit(batch))
        while len(under_way) >= executor.width:
            yield from finished()
    while under_way:
        yield from finished()
    yield from refused()


def _too_long(pair: Pair) -> Failure | None:
    try:
        for number, sentence in enumerate((pair.sent1, pair.sent2), start=1):
            check_size(sentence, f"sentence {number}")
    except DataError as error:
        return Failure(f"{error.where}: {error.found}; expected {error.expected}", error.hint)
    return None
