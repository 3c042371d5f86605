"""A project folder: what people write, as plain files, and what became of it.

``rules/`` has rule files and word tables of their own, ``corpora/`` pairs, with gold or without,
and ``corrections/`` the alignments that somebody mended, see :mod:`.corrections`.
``workbench.toml`` names the profile and marks the folder. ``.history/`` keeps each text of a rule
file that was ever saved here, and the log of them: a *state* is what all rule files said at a time.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, UsageError, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.io.files import atomic_writer
from ists_asp.io.pairs import find_places, read_pairs, table_pairs
from ists_asp.io.tables import KINDS, Table
from ists_asp.io.toml import TomlError, parse_toml
from ists_asp.io.wa import read_wa
from ists_asp.resources import data_dir
from ists_asp.rules import list_profiles, load_profile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Pair

MARK = "workbench.toml"
RULES, CORPORA, CORRECTIONS, HISTORY = "rules", "corpora", "corrections", ".history"
SAMPLES = ("headlines", "images")  # the corpora that a new folder begins with
LARGEST = 1 << 20  # characters of a file that can be edited

_WORDS = "# Words of your own: A = B says that both mean the same, A <> B the opposite.\n"
_ENDINGS = (".lp", ".tsv")
# Names of rule files, of which no part begins with a point.
_NAME = re.compile(r"(?:[\w-][\w. -]*/)*[\w-][\w. -]*\.(?:lp|tsv)", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{16}")


class ConflictError(DataError):
    """A file is not what it was when somebody began to edit it; ``text`` is what it is now."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__("the file was changed meanwhile", where=name)
        self.text = text


@dataclass(frozen=True, slots=True)
class State:
    """The rule files since an ``edit``: the hash of each text, by file name."""

    number: int
    when: float
    edit: str
    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Equal for states that say the same."""
        return text_digest(json.dumps(sorted(self.files.items())))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pairs, which may be text, and gold alignments by their ids where somebody gave any."""

    name: str
    pairs: tuple[Pair, ...]
    gold: Mapping[str, Reference]


def text_digest(text: str) -> str:
    """The hash of a text, which tells whether a file is still what it was."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Project:
    """A project folder.

    UsageError: it is neither empty nor a project. DataError: ``workbench.toml`` is faulty.
    """

    def __init__(self, root: Path, profile: str | None = None) -> None:
        if profile is not None:
            load_profile(profile)
        self.root = root.resolve()
        self._lock = threading.RLock()
        if not (self.root / MARK).is_file():
            self._create(profile or "default")
        try:
            found = parse_toml(self._read(MARK).encode())[1].get("profile")
        except TomlError as error:
            raise DataError(error.found, where=f"{MARK}:{error.line}") from None
        if found not in list_profiles():
            expected = ", ".join(list_profiles())
            raise DataError(f"found {found!r}", where=f"{MARK}: profile", expected=expected)
        self.profile = str(profile or found)
        for name in (RULES, CORPORA, CORRECTIONS, HISTORY):
            folder = self.root / name
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                hint = "Move it away: what is of the project lies in it"
                raise UsageError(f"{name} is not a folder", where=str(self.root), hint=hint)
            folder.mkdir(exist_ok=True)
        self.states = tuple(self._logged())
        """All states, the latest last."""
        self.notice()

    def lock(self) -> None:
        """Hold the folder for this server until it ends; a UsageError if another holds it."""
        self._held = (self.root / HISTORY / "lock").open("w")
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            found, hint = "another server is at work on this folder", "Use its page, or stop it"
            raise UsageError(found, where=str(self.root), hint=hint) from None

    def _create(self, profile: str) -> None:
        if self.root.exists() and not self.root.is_dir():
            raise UsageError("this is not a folder", where=str(self.root))
        if self.root.is_dir() and any(self.root.iterdir()):
            found = "this folder is neither empty nor a project"
            expected = f"a new or an empty folder, or one with {MARK}"
            raise UsageError(found, where=str(self.root), expected=expected)
        self.root.mkdir(parents=True, exist_ok=True)
        for name in SAMPLES:
            shutil.copytree(data_dir() / "samples" / name, self.root / CORPORA / name)
        (self.root / RULES).mkdir()
        (self.root / RULES / "words.tsv").write_text(_WORDS, "utf-8")
        (self.root / MARK).write_text(f'profile = "{profile}"\n', "utf-8")

    def rule_files(self) -> list[Path]:
        """The rule files and tables, as ``--rules`` takes them, that have printable names."""
        paths = (path for path in (self.root / RULES).rglob("*") if path.suffix in _ENDINGS)
        files = (path for path in paths if path.is_file() and not path.is_symlink())
        return sorted(path for path in files if self.name(path).isprintable())

    def path(self, name: str, text: str = "") -> Path:
        """The path of a rule file with a text, which is inside the folder whatever its name is.

        UsageError: it would not be, or the name is odd. DataError: the text is too long.
        """
        if len(name) >= 200 or not _NAME.fullmatch(name):
            expected = "letters, digits, - and _, with .lp or .tsv at the end"
            found = f"{shortened(name)!r} is not a name for a rule file"
            raise UsageError(found, expected=expected)
        path = self.root / RULES / name
        if not path.resolve().is_relative_to(self.root / RULES):
            raise UsageError(f"{shortened(name)!r} leads out of the project")
        if path.is_dir() or any(one.endswith(_ENDINGS) for one in name.split("/")[:-1]):
            raise UsageError(f"{shortened(name)!r} has a folder where a file is to be")
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise DataError("half of a character", where=name, expected="text in UTF-8")
        if len(text) > LARGEST:
            raise DataError(f"{len(text)} characters", where=name, expected=f"at most {LARGEST}")
        return path

    def name(self, path: Path) -> str:
        """The name of a rule file in the project."""
        return path.relative_to(self.root / RULES).as_posix()

    def read_rules(self, name: str) -> str:
        """The text of a rule file."""
        if self.root / RULES / name not in self.rule_files():
            raise DataError("there is no such file", where=shortened(name))
        return self._read(f"{RULES}/{name}")

    def save(self, name: str, text: str | None, before: str | None, edit: str) -> State:
        """Write a rule file that was ``before``, by its hash, or was not there; a new state.

        Without a text it is taken away, and stays in the history. ConflictError: it has changed.
        """
        with self._lock:
            now = self.read_rules(name) if self.path(name, text or "").is_file() else None
            if (None if now is None else text_digest(now)) != before:
                raise ConflictError(name, now or "")
            return self.put({name: text}, edit)

    @property
    def state(self) -> State:
        """The current state."""
        return self.states[-1]

    def numbered(self, number: int) -> State:
        """The state with a number, or a UsageError."""
        if not 1 <= number <= len(self.states):
            raise UsageError(f"there is no state {number}", expected=f"1 to {len(self.states)}")
        return self.states[number - 1]

    def notice(self, edit: str = "changed outside") -> State:
        """Look at the rule files: a new state if they are not what they were last."""
        with self._lock:
            files = {}
            for path in self.rule_files():
                with suppress(OSError, UnicodeDecodeError):
                    text = path.read_bytes().decode()
                    digest = files[self.name(path)] = text_digest(text)
                    if not (self.root / HISTORY / digest).exists():
                        with atomic_writer(self.root / HISTORY / digest) as stream:
                            stream.write(text)
            if not self.states or self.states[-1].files != files:
                number = len(self.states) + 1
                state = State(number, time.time(), edit if number > 1 else "the beginning", files)
                self.states = (*self.states, state)
                with (self.root / HISTORY / "log.jsonl").open("a", encoding="utf-8") as log:
                    record = {"when": state.when, "edit": state.edit, "files": files}
                    log.write(json.dumps(record) + "\n")
            return self.states[-1]

    def go_to(self, number: int) -> State:
        """Have the rule files say what they said in an earlier state; that is a new state."""
        with self._lock:
            texts: dict[str, str | None] = dict.fromkeys(self.notice().files)
            files = self.numbered(number).files
            texts |= {name: self.text_of(digest) for name, digest in files.items()}
            return self.put(texts, f"back to state {number}")

    def put(self, texts: Mapping[str, str | None], edit: str) -> State:
        """Write rule files, and remove those that have no text: one new state."""
        with self._lock:
            for name, text in texts.items():
                path = self.path(name)
                if text is None:
                    path.unlink(missing_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                with atomic_writer(path) as stream:
                    stream.write(text)
            return self.notice(edit)

    def text_of(self, known: str) -> str:
        """The text with a hash, from the history."""
        if not _DIGEST.fullmatch(known):
            raise DataError(f"{shortened(known)!r} is not a hash", where=f"{HISTORY}/log.jsonl")
        return self._read(f"{HISTORY}/{known}")

    def _logged(self) -> Iterator[State]:
        path, number = self.root / HISTORY / "log.jsonl", count(1)
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            # A line that was cut off when the machine stopped tells nothing.
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                record = json.loads(line)
                files = {str(name): str(digest) for name, digest in record["files"].items()}
                yield State(next(number), float(record["when"]), str(record["edit"]), files)

    def corpora(self) -> list[str]:
        """The names of corpora: folders of sentence or chunk files, and tables."""
        return sorted(
            path.name
            for path in (self.root / CORPORA).iterdir()
            if path.is_dir() or (path.is_file() and path.suffix in (*KINDS, ".wa"))
            if path.name.isprintable() and not path.is_symlink()
            if not path.name.startswith(".") and ".gold." not in path.name
        )

    def corpus(self, name: str) -> Corpus:
        """Read a corpus; a DataError if it is faulty, or there is none.

        Its gold is ``gold.wa`` in its folder, or for a table ``NAME.gold.wa`` beside it.
        """
        if name not in self.corpora():
            raise DataError(f"there is no corpus {shortened(name)!r}", where=CORPORA)
        path = self.root / CORPORA / name
        gold = path / "gold.wa" if path.is_dir() else path.with_suffix(".gold.wa")
        if path.is_dir():
            chunked = (path / "sent1.chunk.txt").is_file()
            files = [path / f"sent{side}{'.chunk' * chunked}.txt" for side in "12"]
            for file in files:
                if not file.is_file():
                    raise DataError("there is no such file", where=f"{CORPORA}/{name}/{file.name}")
            pairs = list(read_pairs(*files, chunked=chunked))
        elif path.suffix == ".wa":
            pairs = [entry.pair(str(number)) for number, entry in enumerate(read_wa(path), 1)]
        else:
            table, pairs = Table(path), []
            for _, pair in table_pairs(table, find_places(table)):
                if isinstance(pair, DataError):
                    raise pair
                pairs.append(pair.as_text())  # what people have in tables is text
        return Corpus(name, tuple(pairs), read_references(gold) if gold.is_file() else {})

    def _read(self, name: str) -> str:
        try:
            return (self.root / name).read_bytes().decode()
        except (OSError, UnicodeDecodeError) as fault:
            reason = getattr(fault, "strerror", None) or "this is not UTF-8"
            raise DataError(f"cannot be read: {reason}", where=name) from None
