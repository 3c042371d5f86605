"""Outputs that grow while a run goes on, appear whole at its end, and survive a kill -9.

Beside an output ``out.wa`` lies its draft, ``.ists-asp-out.wa.LOT.part``, and for all outputs of a
run one journal, ``.ists-asp-out.wa.journal`` (:mod:`ists_asp.run.checkpoint_log`), which has the
lot. What a draft has beyond the last mark of the journal is cut off when the run is resumed, so
that nothing is lost and nothing is there twice.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ists_asp.closing import Closing
from ists_asp.errors import DataError
from ists_asp.io.temporary import draft_of, journal_of
from ists_asp.run.checkpoint_log import CheckpointLog, Failed, Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

_HINT = "Check that the directory exists, may be written to and has room"

_PIECE = 1 << 20


class PartialOutputs(Closing):
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
            self._journal = CheckpointLog(journal_of(targets[0]), run, resume)
        except OSError as error:
            raise self._failure(error) from None
        self.drafts = tuple(draft_of(target, self._journal.lot) for target in targets)
        try:
            mark = self._journal.last or Mark(0, tuple((0, "") for _ in targets))
            if len(mark.drafts) != len(targets):
                raise _damaged(journal_of(targets[0]), f"it is about {len(mark.drafts)} outputs")
            for identifier in self._journal.failed():
                self.failed.add(identifier)
            for draft, target, (size, digest), whole in zip(
                self.drafts, self.targets, mark.drafts, self._sums, strict=True
            ):
                self._streams.append(_open(draft, target, size, digest, whole))
        except BaseException as error:
            if self._journal.last is None:
                self.discard()
            self.close()
            if isinstance(error, OSError):
                raise self._failure(error) from None
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
            raise self._failure(error) from None
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
            raise self._failure(error) from None
        self._fresh = []
        self.saved = self._pairs

    def publish(self) -> None:
        """Put the drafts in the places of the outputs, and forget the journal.

        Raises:
            DataError: that cannot be done.
        """
        self.save()
        try:
            for draft, target in zip(self.drafts, self.targets, strict=True):
                draft.replace(os.path.realpath(target))
            self._journal.remove()
        except OSError as error:
            raise self._failure(error) from None
        self.close()

    @property
    def resumable(self) -> bool:
        """Whether there is something to go on with: a folder may have vanished meanwhile."""
        return bool(self.saved) and all(draft.exists() for draft in self.drafts)

    def discard(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            for draft in self.drafts:
                draft.unlink(missing_ok=True)
            self._journal.remove()
        self.close()

    def _failure(self, error: OSError) -> DataError:
        # What fails for want of room names no file.
        named = isinstance(error.filename, str)
        name = error.filename if named else " or ".join(map(str, self.targets))
        return DataError(f"cannot be written: {error.strerror or error}", where=name, hint=_HINT)


def _open(draft: Path, target: Path, size: int, digest: str, whole: blake2b) -> IO[bytes]:
    """Open a draft behind its first ``size`` bytes, which ``whole`` takes in.

    Raises:
        DataError: it does not have these bytes.
        OSError: it cannot be opened.
    """
    real = Path(os.path.realpath(target))
    if not size:
        return _new(draft, real)
    # The run may have been killed between the moments when its outputs appear.
    moved = not os.path.lexists(draft) and real.is_file() and real.stat().st_size == size
    try:
        # A link could lead to any file.
        flags = os.O_RDWR | os.O_NOFOLLOW
        stream = os.fdopen(os.open(real if moved else draft, flags), "r+b")
    except FileNotFoundError:
        raise _damaged(draft, "it is gone") from None
    try:
        left = size
        while left and (data := stream.read(min(left, _PIECE))):
            whole.update(data)
            left -= len(data)
        if left or whole.hexdigest() != digest:
            raise _damaged(
                draft, "it is gone" if moved else "it does not hold what the journal says"
            )
        if moved:
            real.replace(draft)
        stream.truncate(size)
        stream.seek(size)
    except BaseException:
        stream.close()
        raise
    return stream


def _new(draft: Path, real: Path) -> IO[bytes]:
    """Make a draft, with the mode of the file that it is to replace."""
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with suppress(OSError):
        os.fchmod(handle, stat.S_IMODE(real.stat().st_mode))
    return os.fdopen(handle, "wb")


def _damaged(draft: Path, found: str) -> DataError:
    return DataError(found, where=str(draft), hint="Leave out --resume to begin anew")
