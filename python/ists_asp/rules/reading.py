"""Rule files read, with what they include, before clingo sees any of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from ists_asp.errors import RuleError, shortened
from ists_asp.rules.find import RuleSource, join, resolved
from ists_asp.rules.source import Include, SourceText, read_source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Report: TypeAlias = Callable[[str, RuleError], None]
"""Gets a fault with its kind: ``file``, ``syntax``, ``include`` or ``directive``."""

MOST = 1 << 26
"""Bytes of all rule files together at most."""

MOST_FILES = 1000
"""Rule files at most."""

DEEPEST = 50
"""Files that include one another at most."""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A loaded file: its absolute path, its name in messages, and its SHA-256 (hexadecimal).

    ``includes`` are the absolute paths of the files that it includes.
    """

    path: Path
    name: str
    sha256: str
    includes: tuple[Path, ...] = ()


def refuse(_kind: str, error: RuleError) -> None:
    """Raise a fault."""
    raise error


@dataclass(slots=True)
class Reading:
    """What has been read so far: ``files`` as they are mentioned, ``texts`` includes first.

    ``report`` gets each fault and its kind; reading goes on unless it raises it.
    """

    report: Report = refuse
    files: dict[Path, RuleFile] = field(default_factory=dict)
    texts: list[tuple[Path, SourceText, tuple[Include, ...]]] = field(default_factory=list)
    size: int = 0

    def read_all(self, sources: Iterable[RuleSource]) -> None:
        """Read files, of which there must be some."""
        for source in sources:
            self.read(source)
        if not self.files:
            raise RuleError("there are no rule files to load", hint="Name at least one")

    def read(self, source: RuleSource, depth: int = 0) -> None:
        """Read a file, ``depth`` includes deep, and what it includes, unless it has been read."""
        path = source.path.resolve()
        if path in self.files:
            return
        try:
            text, data = self._read(source, path)
        except RuleError as error:
            self.report("file", error)
            return
        checksum = sha256(data).hexdigest()
        self.files[path] = RuleFile(path, source.name, checksum)
        try:
            includes = text.includes()
        except RuleError as error:
            # clingo must not see such a text.
            self.report("syntax", error)
            return
        included = []
        wanted: dict[str, Include] = {}
        for include in includes:
            wanted.setdefault(include.target, include)
        for number, include in enumerate(wanted.values()):
            try:
                if number == MOST_FILES:
                    raise text.error_at(
                        include.start,
                        f"the file includes more than {MOST_FILES} others",
                        expected="fewer",
                    )
                target = _included(source, text, include, depth)
            except RuleError as error:
                self.report("include", error)
                if number == MOST_FILES:
                    break
                continue
            self.read(target, depth + 1)
            included.append(target.path.resolve())
        self.files[path] = RuleFile(path, source.name, checksum, tuple(included))
        self.texts.append((path, text, includes))

    def _read(self, source: RuleSource, path: Path) -> tuple[SourceText, bytes]:
        if not path.is_relative_to(source.root):
            raise RuleError(
                "this link leads out of the rule folder",
                where=source.name,
                expected=f"a file in {_shown(source)}",
                hint="Copy the file into the folder",
            )
        try:
            os.fsencode(path).decode()
        except UnicodeDecodeError:
            raise RuleError(
                "the path of this file is not UTF-8, and clingo takes no other",
                where=source.name,
                hint="Rename the file or its folder",
            ) from None
        text, data = read_source(path, source.name)
        self.size += len(data)
        if self.size > MOST or len(self.files) == MOST_FILES:
            raise RuleError(
                f"more than {MOST >> 20} MB or {MOST_FILES} files of rules",
                where=source.name,
                hint="Give a folder that holds nothing but your rules",
            )
        return text, data


def _included(source: RuleSource, text: SourceText, include: Include, depth: int) -> RuleSource:
    if depth == DEEPEST:
        raise text.error_at(
            include.start, f"files include one another {DEEPEST} deep", expected="fewer"
        )
    path = resolved(source.path.parent / include.target)
    if path is not None and not path.is_relative_to(source.root):
        raise text.error_at(
            include.start,
            f'"{shortened(include.target)}" lies outside the rule folder',
            expected=f"a file in {_shown(source)}",
            hint="Copy the file into the folder",
        )
    if path is None or not path.is_file():
        raise text.error_at(
            include.start,
            f'there is no file "{shortened(include.target)}"',
            expected="a path relative to the file that includes it",
        )
    name = join(source.root_name, path.relative_to(source.root).as_posix())
    return RuleSource(path, name, source.root, source.root_name)


def _shown(source: RuleSource) -> str:
    """The folder of a file, as messages call it."""
    return "this folder" if source.root_name in ("", ".") else source.root_name
