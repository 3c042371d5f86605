"""What follows from a rule set, worked out once and kept between runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clingo
import orjson

from ists_asp._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ists_asp.io.store import Store
    from ists_asp.rules.source import RuleFile

_PACKAGE = Path(__file__).parents[1]


@cache
def made_by() -> str:
    """What tells the code that works something out from all other versions of it.

    In a checkout the files of the package change without its version.
    """
    digest = sha256(f"{__version__} {clingo.__version__}".encode())
    folders = [_PACKAGE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name.endswith(".py"):
                    found = entry.stat()
                    digest.update(
                        f"{entry.path} {found.st_size} {found.st_mtime_ns}\n".encode(
                            errors="surrogateescape"
                        )
                    )
                elif "." not in entry.name and entry.is_dir():
                    folders.append(Path(entry.path))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory of a rule set, or of whatever else is always the same.

    Args:
        store: where it is kept; None for nowhere.
        digest: what tells the rule set from all others.
        family: what it has in common with the rule set that an edit makes of it.
    """

    store: Store | None = None
    digest: str = ""
    family: str = ""

    @classmethod
    def of(cls, store: Store | None, files: Iterable[RuleFile], family: str = "") -> Remembered:
        """The memory of the rule set that files give, loaded in this order."""
        names = [f"{file.name}\n{file.path}\n{file.sha256}\n" for file in files]
        whole = "".join(names).encode(errors="surrogateescape")
        return cls(store, sha256(whole).hexdigest(), family)

    def recall(
        self,
        what: str,
        options: object,
        work: Callable[[], Any],
        sure: Callable[[], bool] = lambda: True,
    ) -> Any:  # noqa: ANN401 (whatever JSON can write)
        """What was worked out about the rule set, now or before; None is not kept.

        Args:
            what: its name.
            options: what it depends on beside the rules; whatever JSON can write.
            work: works it out, as whatever JSON can write.
            sure: whether what has been worked out is to be kept, asked afterwards: clingo's
                warnings, for one, would be told no more.
        """
        if self.store is None:
            return work()
        key = self.key(what, options)
        found = self.get(key)
        if found is None:
            found = work()
            if found is not None and sure():
                self.put(key, found)
        return found

    def key(self, what: str, options: object) -> str:
        """What the store calls something that depends on ``options``; empty without a store."""
        if self.store is None:
            return ""
        return f"{what} {made_by()} {self.digest} {sha256(orjson.dumps(options)).hexdigest()}"

    def key_of(self, what: str, parts: Sequence[str]) -> str:
        """What the store calls something that depends on nothing but some texts."""
        whole = sha256("\0".join(parts).encode(errors="surrogateescape"))
        return f"{what} {made_by()} {whole.hexdigest()}"

    def get(self, key: str) -> Any:  # noqa: ANN401 (whatever JSON can write)
        """What is kept under a key; None if there is nothing."""
        return None if self.store is None else self.store.get(key)

    def put(self, key: str, value: object) -> None:
        """Keep something under a key."""
        if self.store is not None:
            self.store.put(key, value)
