"""Outputs that grow while a run goes on, appear whole at its end, and survive a kill -9.

Beside an output ``out.wa`` lies its draft, ``out.wa.part``, and for all outputs of a run one
journal, ``out.wa.journal`` (:mod:`ists_asp.run.journal`). What a draft has beyond the last mark of
the journal is cut off when the run is resumed, so that nothing is lost and nothing is there twice.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ists_asp.closing import Closing
from ists_asp.errors import DataError
from ists_asp.run.journal import Failed, Journal, Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Drafts", "draft_of", "journal_of"]

_HINT = "Check that the directory exists, may be written to and has room"

_PIECE = 1 << 20


class Drafts(Closing):
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
        self._streams: list[IO[bytes]] = []
        self._sums = [blake2b(digest_size=16) for _ in targets]
        self.failed = Failed()
        """The pairs without an answer, those of earlier runs included."""
        self._fresh: list[tuple[str, str]] = []
        try:
            self._journal = Journal(journal_of(targets[0]), run, resume)
        except OSError as error:
            raise _failure(error) from None
        try:
            mark = self._journal.last or Mark(0, tuple((0, "") for _ in targets))
            if len(mark.drafts) != len(targets):
                raise _damaged(journal_of(targets[0]), f"it is about {len(mark.drafts)} outputs")
            for identifier in self._journal.failed():
                self.failed.add(identifier)
            for target, (size, digest), whole in zip(
                self.targets, mark.drafts, self._sums, strict=True
            ):
                self._streams.append(_open(target, size, digest, whole))
        except OSError as error:
            self.close()
            raise _failure(error) from None
        except BaseException:
            self.close()
            raise
        self.done = self._pairs = self.saved = mark.pairs

    def close(self) -> None:
        """Close the files, which stay."""
        # What could not be written is not in the journal either.
        for stream in self._streams:
            with suppress(OSError):
                stream.close()
        with suppress(OSError):
            self._journal.close()

    def write(self, *texts: str) -> None:
        """Add what a pair gives to each output.

        Raises:
            DataError: there is no room.
        """
        try:
            for stream, whole, text in zip(self._streams, self._sums, texts, strict=True):
                data = text.encode("utf-8", "surrogatepass")
                stream.write(data)
                whole.update(data)
        except OSError as error:
            raise _failure(error) from None
        self._pairs += 1

    def fail(self, identifier: str, reason: str) -> None:
        """Note that a pair, which is to be written next, has no answer."""
        self.failed.add(identifier)
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
            drafts = tuple(
                (stream.tell(), whole.hexdigest())
                for stream, whole in zip(self._streams, self._sums, strict=True)
            )
            self._journal.note(Mark(self._pairs, drafts), self._fresh)
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
        try:
            for target in self.targets:
                draft_of(target).replace(os.path.realpath(target))
            self._journal.remove()
        except OSError as error:
            raise _failure(error) from None
        self.close()

    def discard(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            for target in self.targets:
                draft_of(target).unlink(missing_ok=True)
            self._journal.remove()
        self.close()


def _open(target: Path, size: int, digest: str, whole: blake2b) -> IO[bytes]:
    """Open a draft behind its first ``size`` bytes, which ``whole`` takes in.

    Raises:
        DataError: it does not have these bytes.
        OSError: it cannot be opened.
    """
    draft, real = draft_of(target), Path(os.path.realpath(target))
    if not size:
        return draft.open("wb")
    if not draft.exists() and real.exists():
        # The run was killed between the moments when its outputs appear.
        real.replace(draft)
    if not draft.exists():
        raise _damaged(draft, "it is gone")
    stream = draft.open("r+b")
    left = size
    while left and (data := stream.read(min(left, _PIECE))):
        whole.update(data)
        left -= len(data)
    if left or whole.hexdigest() != digest:
        stream.close()
        raise _damaged(draft, "it does not hold what the journal says")
    stream.truncate(size)
    stream.seek(size)
    return stream


def _damaged(draft: Path, found: str) -> DataError:
    return DataError(found, where=str(draft), hint="Leave out --resume to begin anew")


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
