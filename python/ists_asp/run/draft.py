"""Outputs that grow while a run goes on, appear whole at its end, and survive a kill -9.

Beside an output ``out.wa`` lies its draft, ``out.wa.part``, and for all outputs of a run one
journal, ``out.wa.journal``: a line that identifies the run, then a line whenever some pairs are
safely on disk, with how many they are and how long each draft is. What a draft has beyond that is
cut off when the run is resumed, so that nothing is lost and nothing is there twice.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ists_asp.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

__all__ = ["Drafts", "draft_of", "journal_of"]

_HINT = "Check that the directory exists, may be written to and has room"


@dataclass(frozen=True, slots=True)
class _Mark:
    """``pairs`` are on disk, each draft being ``sizes`` bytes long; ``failed`` by pair."""

    pairs: int
    sizes: tuple[int, ...]
    failed: tuple[tuple[str, str], ...]


class Drafts:
    """The drafts of a run's outputs; as a context manager it keeps them after an error.

    Args:
        targets: the outputs; the journal lies beside the first.
        run: identifies the run: its inputs, rules and options.
        resume: whether to go on where a run that was interrupted left off.

    Raises:
        UsageError: the run to be resumed was another.
        DataError: a file cannot be read or written.
    """

    def __init__(self, targets: Sequence[Path], run: str, resume: bool) -> None:
        self.targets = tuple(targets)
        self._journal_path = journal_of(targets[0])
        self._streams: list[IO[bytes]] = []
        self._failed: list[tuple[str, str]] = []
        self._fresh: list[tuple[str, str]] = []
        mark = _Mark(0, (0,) * len(targets), ())
        if resume and self._journal_path.exists():
            mark = self._last(run) or mark
        self.done = mark.pairs
        self._failed += mark.failed
        self._pairs = self.saved = mark.pairs
        try:
            for target, size in zip(self.targets, mark.sizes, strict=True):
                stream = draft_of(target).open("r+b" if size else "wb")
                self._streams.append(stream)
                stream.truncate(size)
                stream.seek(size)
            self._journal = self._journal_path.open("ab" if mark.pairs else "wb")
            if not mark.pairs:
                self._note({"run": run})
        except OSError as error:
            self._release()
            raise _failure(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release()

    @property
    def failed(self) -> tuple[tuple[str, str], ...]:
        """The ids of the pairs without an answer, and why; those of earlier runs included."""
        return tuple(self._failed)

    def write(self, *texts: str) -> None:
        """Add what a pair gives to each output.

        Raises:
            DataError: there is no room.
        """
        try:
            for stream, text in zip(self._streams, texts, strict=True):
                stream.write(text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise _failure(error) from None
        self._pairs += 1

    def fail(self, identifier: str, reason: str) -> None:
        """Note that a pair, which is to be written next, has no answer."""
        self._failed.append((identifier, reason))
        self._fresh.append((identifier, reason))

    def save(self) -> None:
        """Put on disk what was written so far.

        Raises:
            DataError: there is no room.
        """
        try:
            for stream in self._streams:
                stream.flush()
                os.fsync(stream.fileno())
            sizes = [stream.tell() for stream in self._streams]
            self._note({"pairs": self._pairs, "sizes": sizes, "failed": self._fresh})
        except OSError as error:
            raise _failure(error) from None
        self._fresh = []
        self.saved = self._pairs

    def publish(self) -> None:
        """Put the drafts in the places of the outputs, and forget the journal.

        Raises:
            DataError: that cannot be done.
        """
        self.save()
        self._release()
        try:
            for target in self.targets:
                draft_of(target).replace(os.path.realpath(target))
            self._journal_path.unlink()
        except OSError as error:
            raise _failure(error) from None

    def discard(self) -> None:
        """Leave nothing behind."""
        self._release()
        for path in (*map(draft_of, self.targets), self._journal_path):
            path.unlink(missing_ok=True)

    def _last(self, run: str) -> _Mark | None:
        """What the journal says last; a line that a kill has cut is left out."""
        lines = self._journal_path.read_bytes().split(b"\n")[:-1]
        records = [json.loads(line) for line in lines]
        if not records:
            return None
        if records[0].get("run") != run:
            raise UsageError(
                "the run to be resumed had other inputs, rules or options",
                where=str(self._journal_path),
                hint="Repeat the command as it was, or leave out --resume to begin anew",
            )
        if len(records) == 1:
            return None
        failed = [(str(one), str(why)) for record in records[1:] for one, why in record["failed"]]
        last = records[-1]
        for target, size in zip(self.targets, last["sizes"], strict=True):
            draft = draft_of(target)
            if not draft.exists() or draft.stat().st_size < size:
                raise DataError(
                    "less than the journal says",
                    where=str(draft),
                    expected=f"{size} bytes",
                    hint="Leave out --resume to begin anew",
                )
        return _Mark(last["pairs"], tuple(last["sizes"]), tuple(failed))

    def _note(self, record: dict[str, object]) -> None:
        self._journal.write(json.dumps(record).encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())

    def _release(self) -> None:
        for stream in (*self._streams, getattr(self, "_journal", None)):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # What could not be written is not in the journal either.
                    continue


def draft_of(target: Path) -> Path:
    """Where an output grows."""
    real = Path(os.path.realpath(target))
    return real.with_name(f"{real.name}.part")


def journal_of(target: Path) -> Path:
    """Where the journal of an output lies."""
    real = Path(os.path.realpath(target))
    return real.with_name(f"{real.name}.journal")


def _failure(error: OSError) -> DataError:
    name = error.filename if isinstance(error.filename, str) else None
    return DataError(f"cannot be written: {error.strerror or error}", where=name, hint=_HINT)
