"""A study done in this process, or by several."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ists_asp.processes import deaf, end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ists_asp.ablate.study import Study

__all__ = ["Workers", "workers"]

T = TypeVar("T")

_study: Study | None = None


class Workers(Protocol):
    """Whoever calls methods of a study."""

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        """Call a method of the study with different arguments; the results with their places."""


class _Inline:
    def __init__(self, study: Study) -> None:
        self._study = study

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        for place, call in enumerate(calls):
            yield place, method(self._study, *call)


class _Pool:
    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        with deaf():
            waiting = {
                self._pool.submit(_call, method, call): place for place, call in enumerate(calls)
            }
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()


@contextmanager
def workers(study: Study, jobs: int) -> Iterator[Workers]:
    """Whoever works on a study; processes end with the context.

    Args:
        study: the study; its pairs are annotated already.
        jobs: how many processes; with one, this one.
    """
    if jobs == 1:
        yield _Inline(study)
        return
    # Not forked: clingo and Stanza may have threads.
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start, (study,))
    try:
        yield _Pool(pool)
    except BaseException:
        # What they are at may take long.
        for process in set(active_children()) - others:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start(study: Study) -> None:
    global _study
    end_with_parent()
    _study = study


def _call(method: Callable[..., T], call: tuple[Any, ...]) -> T:
    assert _study is not None
    return method(_study, *call)
