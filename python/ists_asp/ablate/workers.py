"""Methods of an object called in this process, or by several that each have a copy of it."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ists_asp.processes import deaf, end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")

_subject: object = None


class Workers(Protocol):
    """Whoever calls methods of the object."""

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        """Call a method of the study with different arguments; the results with their places."""


class _Inline:
    def __init__(self, subject: object) -> None:
        self._subject = subject

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        for place, call in enumerate(calls):
            yield place, method(self._subject, *call)


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
def workers(subject: object, jobs: int) -> Iterator[Workers]:
    """Start what calls methods of an object; processes end with the context.

    Args:
        subject: the object; processes are sent copies of it.
        jobs: how many processes; with one, this one.
    """
    if jobs == 1:
        yield _Inline(subject)
        return
    # Not forked: clingo and Stanza may have threads.
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start, (subject,))
    try:
        yield _Pool(pool)
    except BaseException:
        # What they are at may take long.
        for process in set(active_children()) - others:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start(subject: object) -> None:
    global _subject
    end_with_parent()
    _subject = subject


def _call(method: Callable[..., T], call: tuple[Any, ...]) -> T:
    return method(_subject, *call)
