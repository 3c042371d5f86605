"""A project folder: what people write, as plain files, and its history.

``rules/`` has rule files and word tables, ``corpora/`` pairs, with gold or without, and
``corrections/`` corrected alignments, see :mod:`.corrections`. ``workbench.toml`` names the profile
and marks the folder. ``.history/`` keeps each text of a rule file that was ever saved, and a log: a
*state* is the content of all rule files at a time.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from ists_asp.errors import DataError, IstsError, UsageError, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.text import TomlError, Warn, ignore, parse_toml
from ists_asp.io.workbooks import KINDS
from ists_asp.lang import language
from ists_asp.model import Pair
from ists_asp.pipeline.source import Source
from ists_asp.resources import data_dir
from ists_asp.rules import list_profiles, load_profile
from ists_asp.rules.source import LARGEST as LARGEST_SOURCE
from ists_asp.rules.source import read_plain
from ists_asp.workbench.folder import Folder, MissingError, Stamp, check_name, check_size

MARK = "workbench.toml"
RULES, CORPORA, CORRECTIONS, HISTORY = "rules", "corpora", "corrections", ".history"
_NO_TABLES = (".md", ".bak", ".tmp", ".ini", ".db")  # beside corpora
LARGEST = 1 << 20  # characters of a file that can be edited

_LOG = f"{HISTORY}/log.jsonl"
_BACK, _AGAIN = "taken back: ", "done again: "  # the edits that undo and redo others
_WORDS = "# Words of your own: A = B says that both mean the same, A <> B the opposite.\n"
_ENDINGS = (".lp", ".tsv")
_SETTLED = 2_000_000_000  # nanoseconds after which a file that changes has another time
Texts: TypeAlias = Mapping[str, str | None]  # by the names of files; None removes one
# Names of new rule files, of which no part begins with a point.
_NAME = re.compile(r"(?:[\w-][\w. -]*/)*[\w-][\w. -]*\.(?:lp|tsv)", re.ASCII)


class _Entry(msgspec.Struct):
    when: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    edit: Annotated[str, msgspec.Meta(max_length=1000)]
    files: dict[str, Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{16}\Z")]]


class Shared(msgspec.Struct, forbid_unknown_fields=True):
    """Work in one file, to be sent: the pair of the page Try, and one's rule files by name."""

    profile: str
    project: str  # the profile of the project that it comes from
    sent1: Annotated[str, msgspec.Meta(max_length=2000)]
    sent2: Annotated[str, msgspec.Meta(max_length=2000)]
    rules: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Shared:
        """Read a file that the page Try has saved; a DataError if it is none, or too large."""
        try:
            data = read_plain(path, str(path), LARGEST_SOURCE, "file")
            return msgspec.json.decode(data, type=cls)
        except msgspec.MsgspecError as error:
            expected = "a file that Share on the page Try has saved"
            raise DataError(str(error), where=str(path), expected=expected) from None


class ConflictError(DataError):
    """A file has changed since its edit began; ``text`` is the current one."""

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
    """Pairs, which may be text, and their gold alignments, if any, by ids."""

    name: str
    pairs: tuple[Pair, ...]
    gold: Mapping[str, Reference]

    def pair(self, identifier: str) -> Pair:
        """The pair with an id; a DataError if there is none."""
        for pair in self.pairs:
            if pair.id == identifier:
                return pair
        raise DataError(f"there is no pair {shortened(identifier)!r}", where=self.name)


def text_digest(text: str) -> str:
    """The hash of a text, which tells whether a file is still what it was."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Project:
    """A project folder; ``rules``, texts by file names, begin a new one.

    UsageError: it is neither empty nor a project. DataError: it is faulty.
    """

    def __init__(
        self,
        root: Path,
        profile: str | None = None,
        warn: Warn = ignore,
        *,
        read_only: bool = False,
        rules: Mapping[str, str] | None = None,
        second: Path | None = None,
    ) -> None:
        if profile is not None:
            load_profile(profile)
        self.root = root.resolve()
        self.folder = Folder(self.root, warn, writable=not read_only)
        self.second = Folder(second.resolve(), warn, writable=False) if second else None
        """The corrections of a second annotator."""
        self._lock = threading.RLock()
        self._texts: dict[str, str | None] = {}
        self._digests: dict[Stamp, str] = {}
        self._reading = threading.Lock()
        self._last: tuple[list[Stamp], Corpus] = [], Corpus("", (), {})
        for path in filter(None, (self.root, second)):
            if not path.is_dir() and (path.exists() or path is second):
                raise UsageError("this is not a folder", where=str(path))
        if not (self.root.is_dir() and self.folder.stamps(MARK)):
            self._create(profile or "default", rules)
        elif rules is not None:
            found, expected = "this is a project already", "a new folder"
            raise UsageError(found, where=str(self.root), expected=expected)
        try:
            named = parse_toml(self.folder.read(MARK).encode())[1].get("profile")
        except TomlError as error:
            raise DataError(error.found, where=f"{MARK}:{error.line}") from None
        if named not in list_profiles():
            expected = ", ".join(list_profiles())
            named = f"found {shortened(repr(named))}"
            raise DataError(named, where=f"{MARK}: profile", expected=expected)
        self.profile = str(profile or named)
        self.states = tuple(
            State(number, entry.when, entry.edit, entry.files)
            for number, entry in enumerate(self.folder.records(_LOG, _entry), 1)
        )
        """All states, the latest last."""
        self.notice()

    def lock(self) -> None:
        """Hold the folder for this server until it ends; a UsageError if another holds it."""
        if self.folder.writable and not self.folder.lock(f"{HISTORY}/lock"):
            found, hint = "another server is at work on this folder", "Use its page, or stop it"
            raise UsageError(found, where=str(self.root), hint=hint)

    @cached_property
    def language(self) -> str:
        """The language of the profile, in which people are told things."""
        return load_profile(self.profile).language

    def _create(self, profile: str, rules: Mapping[str, str] | None) -> None:
        if not self.folder.writable:
            expected = f"a folder with {MARK}"
            raise UsageError("this is not a project", where=str(self.root), expected=expected)
        existing = {path.name for path in self.root.iterdir()} if self.root.is_dir() else set()
        initial = {"words.tsv": _WORDS} | dict(rules or {})
        for name, text in initial.items():
            self.check_rule(name, text)
        if existing - ({CORPORA, RULES} if rules is None else set()):
            found = "this folder is neither empty nor a project"
            expected = f"a new or an empty folder, one with {CORPORA} alone, or one with {MARK}"
            raise UsageError(found, where=str(self.root), expected=expected)
        self.root.mkdir(parents=True, exist_ok=True)
        samples, chosen = data_dir() / "samples", language(load_profile(profile).language)
        names = () if CORPORA in existing else chosen.samples
        files = (path for name in names for path in sorted((samples / name).rglob("*.*")))
        texts = {f"{CORPORA}/{one.relative_to(samples)}": one.read_text("utf-8") for one in files}
        texts |= {f"{RULES}/{name}": initial[name] for name in initial if RULES not in existing}
        texts |= {MARK: f'profile = "{profile}"\n'}
        try:
            self.folder.commit(texts)
        except DataError:
            for path in [] if existing else sorted(self.root.rglob("*"), reverse=True):
                path.rmdir()  # else this would not be a new folder the next time
            raise

    def rule_files(self) -> list[Path]:
        """The rule files and tables, as ``--rules`` takes them."""
        return [self.root / RULES / name for name in self._rules()]

    def _rules(self) -> list[str]:
        names = (name.removeprefix(f"{RULES}/") for name in self.folder.files(RULES))
        return [name for name in names if _is_rule(name)]

    def check_rule(self, name: str, text: str = "") -> None:
        """Refuse a new rule file that has an odd name, or is too long to be edited."""
        if len(name) >= 200 or not _NAME.fullmatch(name) or not _is_rule(name):
            expected = "letters, digits, - and _, with .lp or .tsv at the end"
            found = f"{shortened(name)!r} is not a name for a rule file"
            raise UsageError(found, expected=expected)
        if any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in text):
            found = "half of a surrogate pair, or a null character"
            raise DataError(found, where=name, expected="text in UTF-8")
        if len(text) > LARGEST:
            raise DataError(f"{len(text)} characters", where=name, expected=f"at most {LARGEST}")

    def name(self, path: Path) -> str:
        """The name of a rule file in the project."""
        return path.relative_to(self.root / RULES).as_posix()

    def read_rules(self, name: str) -> str:
        """The text of a rule file."""
        if not _is_rule(check_name(name)):
            raise MissingError("there is no such file", where=shortened(name))
        return self.folder.read(f"{RULES}/{name}")

    def save(self, name: str, text: str | None, before: str | None, edit: str) -> State:
        """Write or remove a rule file that was ``before``, by its hash; a ConflictError if not."""
        with self._lock:
            self.check_rule(name, text or "")
            place = f"{RULES}/{name}"
            now = self.folder.read(place) if self.folder.stamps(place) else None
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

    def notice(self) -> State:
        """Look at the rule files: a new state if they are not what they were last."""
        with self._lock:
            files, texts, digests = dict[str, str](), list[str](), dict[Stamp, str]()
            for stamp in self.folder.stamps(*(f"{RULES}/{name}" for name in self._rules())):
                with suppress(DataError):
                    digest = self._digests.get(stamp)
                    if digest is None:
                        texts.append(self.folder.read(stamp[0]))
                        digest = text_digest(texts[-1])
                    # A file changed just now may change again within the same timestamp.
                    if stamp[1] < time.time_ns() - _SETTLED:
                        digests[stamp] = digest
                    files[stamp[0].removeprefix(f"{RULES}/")] = digest
            self._digests = digests
            edit = "changed outside" if self.states else "the beginning"
            return self._enter(files, texts, edit, {})

    def _enter(
        self, files: Mapping[str, str], texts: Iterable[str], edit: str, changes: Texts
    ) -> State:
        """The state of rule files, with the new texts among them, once ``changes`` are on disk."""
        new = {text_digest(text): text for text in texts}
        new = {digest: text for digest, text in new.items() if not self._has(digest)}
        unchanged = bool(self.states) and self.states[-1].files == files
        if unchanged and not new:
            return self.states[-1]
        state = State(len(self.states) + 1, time.time(), shortened(edit, 500), files)
        if self.folder.writable or changes:
            history = {f"{HISTORY}/{digest}": text for digest, text in new.items()}
            entry = _Entry(state.when, state.edit, dict(files))
            self.folder.commit({**history, **changes}, "" if unchanged else _LOG, entry)
        # Texts on disk need not be in memory.
        self._texts |= dict.fromkeys(new) if self.folder.writable else new
        self.states = self.states if unchanged else (*self.states, state)
        return self.states[-1]

    def go_to(self, number: int) -> State:
        """Have the rule files say what they said in an earlier state; that is a new state."""
        return self._return_to(self.numbered(number), f"back to state {number}")

    def step(self, *, back: bool) -> State:
        """Undo the last edit, or redo what was undone last; that is a new state, too."""
        with self._lock:
            self.notice()
            past, future, now = list[State](), list[State](), self.states[0]
            for state in self.states[1:]:
                if state.edit.startswith(_BACK) and past:
                    future.append(now)
                    now = past.pop()
                elif state.edit.startswith(_AGAIN) and future:
                    past.append(now)
                    now = future.pop()
                else:
                    past.append(now)
                    now, future = state, []
            if not (past if back else future):
                raise UsageError(f"there is nothing to {'undo' if back else 'redo'}")
            target = past[-1] if back else future[-1]
            return self._return_to(target, _BACK + now.edit if back else _AGAIN + target.edit)

    def _return_to(self, earlier: State, edit: str) -> State:
        with self._lock:
            texts: dict[str, str | None] = dict.fromkeys(self.notice().files)
            texts |= {name: self.text_of(digest) for name, digest in earlier.files.items()}
            return self.put(texts, edit)

    def put(self, texts: Texts, edit: str) -> State:
        """Write rule files, and remove those that have no text: one new state."""
        with self._lock:
            files = {**self.notice().files}
            for name, text in texts.items():
                files.pop(check_name(name), None)
                if text is not None:
                    files[name] = text_digest(text)
            changes = {f"{RULES}/{name}": text for name, text in texts.items()}
            written = (text for text in texts.values() if text is not None)
            return self._enter(files, written, edit, changes)

    def _has(self, digest: str) -> bool:
        try:
            return digest in self._texts or self.text_of(digest) is not None
        except DataError:
            return False

    def text_of(self, digest: str) -> str:
        """The text with a hash, from the history."""
        text = self._texts.get(digest)
        if text is None:
            text = self.folder.read(f"{HISTORY}/{digest}")
            if text_digest(text) != digest:
                raise DataError("this is not the text that was saved", where=f"{HISTORY}/{digest}")
            self._texts[digest] = None
        return text

    def add_corpus(self, name: str, data: bytes) -> None:
        """Add a table of pairs, or a .wa file; a DataError if it is faulty or there already."""
        place = f"{CORPORA}/{check_name(name)}"
        if "/" in name or not name.lower().endswith((*KINDS, ".wa")) or ".gold." in name:
            expected = f"a name with {', '.join((*KINDS, '.wa'))}"
            raise UsageError(f"{shortened(name)!r} is no table of pairs", expected=expected)
        with self._lock:
            if self.folder.stamps(place):
                raise DataError("there is a corpus of this name already", where=name)
            self.folder.commit({place: data})
            try:
                self.corpus(name)
            except BaseException:
                self.folder.commit({place: None})
                raise

    def archive(self, name: str) -> bytes:
        """The files of a corpus, and its gold, as a zip file."""
        stamps, packed = self.stamps(name), BytesIO()
        check_size(sum(size for _, _, size in stamps), name)
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for place in dict.fromkeys(place for place, _, _ in stamps):
                with suppress(DataError), self.folder.open(place) as stream:
                    archive.writestr(place.removeprefix(f"{CORPORA}/"), stream.read())
        return packed.getvalue()

    def corpora(self) -> list[str]:
        """The names of corpora: folders of sentence or chunk files, and all that may be tables."""
        return [
            name
            for name, is_folder in self.folder.entries(CORPORA)
            if is_folder or not name.lower().endswith(_NO_TABLES)
            if ".gold." not in name and not name.startswith("~$")
        ]

    def _gold(self, name: str) -> str:
        """``gold.wa`` in the folder of a corpus, or for a table ``NAME.gold.wa`` beside it."""
        folder = (name, True) in self.folder.entries(CORPORA)
        return f"{CORPORA}/" + (f"{name}/gold.wa" if folder else f"{Path(name).stem}.gold.wa")

    def stamps(self, name: str) -> list[Stamp]:
        """The files of a corpus, and when they were changed; a DataError if there is none."""
        if name not in self.corpora():
            raise DataError(f"there is no corpus {shortened(name)!r}", where=CORPORA)
        place, gold = f"{CORPORA}/{name}", self._gold(name)
        entries = self.folder.entries(place) if gold.startswith(f"{place}/") else []
        return self.folder.stamps(place, gold, *(f"{place}/{entry}" for entry, _ in entries))

    def corpus(self, name: str) -> Corpus:
        """A corpus with its gold, held until another one is read; a DataError if it is faulty."""
        seen = self.stamps(name)
        with self._reading:
            if self._last[0] != seen:
                self._last = seen, self._read(name)
            return self._last[1]

    def _read(self, name: str) -> Corpus:
        folder, place, gold = self.folder, f"{CORPORA}/{name}", self._gold(name)
        files, chunked = {"--table": place}, False
        if gold.startswith(f"{place}/"):
            chunked = bool(folder.stamps(f"{place}/sent1.chunk.txt"))
            ending = ".chunk.txt" if chunked else ".txt"
            files = {f"--sent{side}": f"{place}/sent{side}{ending}" for side in "12"}
        with ExitStack() as stack:
            streams = {file: stack.enter_context(folder.open(file)) for file in files.values()}
            source = Source(files=files, chunked=chunked, quiet=True, streams=streams)
            stack.push(_without_options)
            opened = stack.enter_context(source.opened(ignore))
            entries = chain.from_iterable(opened.batches())
            pairs = {pair.id: pair for _, pair in entries if not isinstance(pair, DataError)}
        if len(pairs) < opened.count:
            raise DataError("pairs have the same id", where=place, expected="each id once")
        with folder.open(gold) if folder.stamps(gold) else nullcontext() as stream:
            references = {} if stream is None else read_references(stream, warn=folder.tell)
        return Corpus(name, tuple(pairs.values()), references)


_INSTEAD = {
    "--encoding": "Save the file as UTF-8, and add it again",
    "--sent1-col": "Call them sentence1 and sentence2",
    "--skip-bad": "Correct these rows, and add the file again",
    "--table": "If this is CSV, call it FILE.csv",
    "--tsv": "Save it as one of these",
}
"""What to do instead of giving a command an option."""


def _without_options(_kind: object, error: BaseException | None, _trace: object) -> None:
    if isinstance(error, IstsError):
        hints = (hint for option, hint in _INSTEAD.items() if option in (error.hint or ""))
        error.hint = next(hints, error.hint)


def _is_rule(name: str) -> bool:
    """Whether a name is one of a rule file, and none of its folders is called like one."""
    *folders, _ = name.split("/")
    return name.endswith(_ENDINGS) and not any(part.endswith(_ENDINGS) for part in folders)


def _entry(line: bytes) -> _Entry:
    """A line of the log, whose names are those of rule files."""
    entry = msgspec.json.decode(line, type=_Entry)
    if odd := [name for name in entry.files if not _is_rule(check_name(name))]:
        raise UsageError(f"{shortened(odd[0])!r} is not a name for a rule file")
    return entry
