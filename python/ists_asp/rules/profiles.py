"""Profiles: which rule files to load, with which constants, for which language.

A profile is a file ``profiles/NAME.toml`` in the rule folder::

    description = "News headlines"
    language = "en"
    constants = { highest = 4 }
    scheme = "2015"
    attached_punctuation = true

    [answer]
    rules = ["english/words", "chunking"]
    weights = ["weights/headlines"]

    [rating]
    rules = ["english/words", "sts"]
    weights = ["weights/sts-en"]
    reader_weights = ["weights/reader-sts-en"]

    [explanation]
    rules = ["english/words", "explanation"]

    [reader]
    rules = ["reader"]
    weights = ["weights/reader-headlines"]

Each table but the last is a program: ``answer`` decides a pair, ``rating`` rates it as a whole,
given its answer, and ``explanation`` says the answer in words. ``rules`` and ``weights`` name files
in the rule folder, or folders for all ``.lp`` files in them; ``.lp`` may be left out. The core
encoding of ``asp/`` comes with them. ``reader_weights`` take the place of ``weights`` where a
reader is used, see :mod:`ists_asp.knowledge.reader`. ``reader`` has what is added to ``answer``
then.

A constant is what ``clingo -c name=value`` takes: an integer, or the text of a term.
``scheme`` is the year of the task whose answers are made, "2016" or "2015";
rules decide what that means, here it says whose measure learning looks at.
``attached_punctuation`` says that the tokens of such texts have their punctuation attached
(``connected.``), so that nobody need be warned of it. Only ``description``, ``language`` and the
rules of ``answer`` are required.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ists_asp.errors import RuleError, UsageError, shortened
from ists_asp.io.toml import TomlError, parse_toml, shown
from ists_asp.model import Scheme
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.source import RuleSource, find_rules, read_plain, resolved
from ists_asp.rules.tables import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

EXPECTED = (
    "an integer of 32 bits, a name in lower case, a text in double quotes, or a term of these"
)

_LONGEST = 200
"""Characters of a name or a value: clingo's parser crashes on terms that are nested deeply."""

_INT32 = 2**31
_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")
_MARK = re.compile(
    r"\s*(?:(?P<number>-?(?:0|[1-9][0-9]*)(?![A-Za-z0-9_]))"
    r'|(?P<text>"(?:[^"\\\n]|\\["\\n])*")'
    r"|(?P<limit>\#(?:inf|sup)(?![A-Za-z0-9_]))"
    rf"|(?P<name>-?{_NAME.pattern})|(?P<open>\()|(?P<close>\))|(?P<comma>,))\s*"
)


def is_name(text: str) -> bool:
    """Whether a text can be the name of a constant."""
    return len(text) <= _LONGEST and _NAME.fullmatch(text) is not None and text != "not"


def is_value(text: str) -> bool:
    """Whether a text is a term without variables and arithmetic, of at most 200 characters."""
    if len(text) > _LONGEST or not text.isprintable():
        return False
    position, depth = 0, 0
    # What came last: nothing yet, a whole term, a name that may have arguments, or a comma.
    before = "comma"
    while position < len(text):
        match = _MARK.match(text, position)
        if match is None:
            return False
        position, kind = match.end(), match.lastgroup
        if kind == "number" and not -_INT32 <= int(match["number"]) < _INT32:
            return False
        if kind == "name" and match["name"].removeprefix("-") == "not":
            return False
        if kind == "open":
            if before not in ("name", "comma", "open"):
                return False
            depth += 1
        elif kind == "close":
            if depth == 0 or before == "comma":
                return False
            depth -= 1
            kind = "term"
        elif kind == "comma":
            if depth == 0 or before in ("comma", "open"):
                return False
        elif before not in ("comma", "open"):
            return False
        before = kind if kind in ("name", "open", "comma") else "term"
    return depth == 0 and before in ("name", "term")


def check_constant(name: str, value: str) -> None:
    """Refuse what is no value for a ``#const``."""
    if not is_name(name):
        raise UsageError(
            f"'{shortened(name)}' is no name of a constant",
            where="-c",
            expected="a name in lower case, as in -c highest=4",
        )
    if not is_value(value):
        raise UsageError(
            f"found '{shortened(value)}'", where=f"-c {shortened(name)}", expected=EXPECTED
        )


@dataclass(frozen=True, slots=True)
class Overlay:
    """The rule folder to take profiles and rules from, and what the user adds to it."""

    base: Path
    files: tuple[RuleSource, ...]
    added: tuple[RuleSource, ...]
    tables: tuple[RuleSource, ...] = ()

    def over(self, sources: Sequence[RuleSource], purpose: Purpose) -> tuple[RuleSource, ...]:
        """Return a program's files with the user's in the place of those of their name.

        The others that the user gave are added where pairs are decided.
        """
        result, more = self._replaced(sources)
        found = (*result, *more, *self.added) if purpose is Purpose.ANSWER else tuple(result)
        return (*found, *self.tables)

    def taken(self, sources: Sequence[RuleSource]) -> tuple[tuple[RuleSource, RuleSource], ...]:
        """The user's files that take the place of others, each with the one that it replaces."""
        result, _ = self._replaced(sources)
        return tuple(
            (mine, theirs)
            for mine, theirs in zip(result, sources, strict=True)
            if mine is not theirs
        )

    def _replaced(self, sources: Sequence[RuleSource]) -> tuple[list[RuleSource], list[RuleSource]]:
        """The files with those replaced that a user's file replaces, and the user's others."""
        result = list(sources)
        machine = asp_dir().resolve()
        more: list[RuleSource] = []
        for file in self.files:
            same = [
                index
                for index, source in enumerate(result)
                if source.path.name == file.path.name and not source.path.is_relative_to(machine)
            ]
            if len(same) > 1:
                same = self._nearest(file, result, same)
            if same:
                result[same[0]] = file
            else:
                more.append(file)
        return result, more

    @staticmethod
    def _nearest(file: RuleSource, sources: list[RuleSource], same: list[int]) -> list[int]:
        near = [index for index in same if sources[index].path.parent.name == file.path.parent.name]
        if len(near) == 1:
            return near
        raise UsageError(
            f"several rule files are called {file.path.name}",
            where=file.name,
            expected=" or ".join(sources[index].name for index in same),
            hint="Put yours in a folder of the same name as the one that it replaces",
        )


def read_overlay(given: Sequence[Path]) -> Overlay:
    """Sort out what the user gave with ``--rules``, in order."""
    bases = [path for path in given if resolved(path) and (path / "profiles").is_dir()]
    if len(bases) > 1:
        raise UsageError(
            f"two rule folders: {bases[0]} and {bases[1]}",
            where="--rules",
            expected="one folder with profiles/ in it",
            hint="Give single files, or a folder without profiles/, to add rules",
        )
    files: list[RuleSource] = []
    added: list[RuleSource] = []
    tables: list[RuleSource] = []
    for path in given:
        if path in bases:
            continue
        found = find_rules(path)
        if path.is_dir():
            added.extend(found)
        elif path.suffix == ".lp":
            files.extend(found)
        elif path.suffix == SUFFIX:
            tables.extend(found)
        else:
            raise UsageError(
                "this is no rule file",
                where=f"--rules {path}",
                expected="a .lp file, a .tsv file of words, or a folder",
            )
    return Overlay(bases[0] if bases else rules_dir(), tuple(files), tuple(added), tuple(tables))


_LARGEST = 1 << 14
"""Bytes of a profile at most."""

_MOST = 200
"""Entries of a list, and characters of a key that are looked at."""

_BITS = 64
"""Python refuses to write numbers of thousands of digits; constants have 32 bits."""

_AT = re.compile(r" - at `\$\.(?P<path>.*)`")
_WANTED = re.compile(r"Expected `(?P<kind>[^`]*)`, got ")
_EXPECTED = {
    "array": "a list of file names",
    "array | null": "a list of file names",
    "bool": "true or false",
    "object": "a table",
    "object | null": "a table",
    "str": "a text",
}


class Purpose(StrEnum):
    """What a program of a profile is for."""

    ANSWER = "answer"
    EXPLANATION = "explanation"
    RATING = "rating"


_Name = Annotated[str, msgspec.Meta(min_length=1)]
_Names = Annotated[tuple[_Name, ...], msgspec.Meta(max_length=_MOST)]


@dataclass(frozen=True, slots=True)
class Files:
    """What a profile names for one purpose."""

    rules: Annotated[tuple[_Name, ...], msgspec.Meta(min_length=1, max_length=_MOST)]
    weights: _Names = ()
    reader_weights: _Names = ()


@dataclass(frozen=True, slots=True)
class ReaderFiles:
    """What a profile adds where a reader is used."""

    rules: Annotated[tuple[_Name, ...], msgspec.Meta(min_length=1, max_length=_MOST)]
    weights: _Names = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as written; ``file`` is its TOML file, for messages.

    ``constants`` have the text of an ASP term each, in the order of the file.
    """

    description: Annotated[str, msgspec.Meta(pattern=r"\S")]
    language: Annotated[str, msgspec.Meta(pattern=r"\S")]
    answer: Files
    rating: Files | None = None
    explanation: Files | None = None
    reader: ReaderFiles | None = None
    constants: dict[str, str] = field(default_factory=dict, hash=False)
    scheme: Scheme = Scheme.Y2016
    attached_punctuation: bool = False
    name: str = ""
    file: str = ""

    def files(self, purpose: Purpose) -> Files | None:
        """What it names for a purpose; None if it has no such program."""
        found: Files | None = getattr(self, purpose)
        return found

    @property
    def reads(self) -> bool:
        """Whether there are rules for what a reader holds."""
        return self.reader is not None or bool(self.rating and self.rating.reader_weights)

    def unweighed(self, purpose: Purpose) -> Profile:
        """The profile without weights for a purpose, as where they are learned."""
        files = self.files(purpose)
        changed: dict[str, Any] = {purpose: files and Files(files.rules)}
        if purpose is Purpose.ANSWER and self.reader is not None:
            changed["reader"] = ReaderFiles(self.reader.rules)
        return replace(self, **changed)


_KEYS = tuple(one.name for one in fields(Profile) if one.name not in ("name", "file"))
_FILE_KEYS = tuple(one.name for one in fields(Files))
_READER_KEYS = tuple(one.name for one in fields(ReaderFiles))
_REQUIRED = ("description", "language", "answer")


def list_profiles(rules: Path | None = None) -> tuple[str, ...]:
    """Return the names of the profiles in a rule folder (the shipped one by default), sorted."""
    folder = (rules_dir() if rules is None else rules) / "profiles"
    return tuple(sorted(file.stem for file in folder.glob("*.toml")))


def load_profile(name: str, rules: Path | None = None) -> Profile:
    """Read a profile from a rule folder (the shipped one by default)."""
    base = rules_dir() if rules is None else rules
    known = list_profiles(base)
    if name not in known:
        close = get_close_matches(str(name), known, n=1)
        raise UsageError(
            f'there is no profile "{name}"',
            where=shown_folder(base, "profiles"),
            expected=", ".join(known) or "a file profiles/NAME.toml in the rule folder",
            hint=f'Did you mean "{close[0]}"?' if close else None,
        )
    file = shown_folder(base, f"profiles/{name}.toml")
    try:
        _, table = parse_toml(_read(base, name, file))
    except TomlError as error:
        raise RuleError(
            f"the profile cannot be read: {error.found}",
            where=f"{file}:{error.line}",
            hint='Texts stand in "…", lists in […]',
        ) from None
    return _profile(table, name, file)


def shown_folder(base: Path, relative: str = "") -> str:
    """What messages call a rule folder, or something in it."""
    folder = "lp_rules" if base == rules_dir() else str(base)
    return f"{folder}/{relative}".rstrip("/")


def _read(base: Path, name: str, file: str) -> bytes:
    path = (base / "profiles" / f"{name}.toml").resolve()
    if not path.is_relative_to(base.resolve()):
        raise RuleError(
            "this link leads out of the rule folder", where=file, hint="Copy the file there"
        )
    return read_plain(path, file, _LARGEST)


def _profile(table: dict[str, Any], name: str, file: str) -> Profile:
    _check_keys(table, _KEYS, file)
    for key in _REQUIRED:
        if key not in table:
            raise RuleError(f'the key "{key}" is missing', where=file, hint="Add it")
    for key, known in (*((purpose, _FILE_KEYS) for purpose in Purpose), ("reader", _READER_KEYS)):
        if isinstance(part := table.get(key), dict):
            _check_keys(part, known, f"{file}: {key}")
            if "rules" not in part:
                raise RuleError('the key "rules" is missing', where=f"{file}: {key}", hint="Add it")
    constants = _constants(table.get("constants", {}), file)
    given = {**table, "constants": constants, "name": name, "file": file}
    try:
        return msgspec.convert(given, Profile)
    except msgspec.ValidationError as fault:
        raise _faulty(str(fault), table, file) from None


def _check_keys(table: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            close = get_close_matches(key[:_MOST], known, n=1)
            raise RuleError(
                f'unknown key "{shortened(key)}"',
                where=where,
                expected=", ".join(known),
                hint=f'Did you mean "{close[0]}"?' if close else None,
            )


def _faulty(fault: str, table: dict[str, Any], file: str) -> RuleError:
    """What msgspec says of a value, with the value and the key as people know them."""
    at, wanted = _AT.search(fault), _WANTED.match(fault)
    keys = re.findall(r"(?<!\[)\b\w+", at["path"]) if at else []
    value: object = table
    for key in keys:
        value = value[key] if isinstance(value, dict) else value
    where = f"{file}: {'.'.join(keys)}"
    if isinstance(value, list) and not value:
        return RuleError("the list is empty", where=where, expected="a file name")
    if isinstance(value, list) and len(value) > _MOST:
        return RuleError(f"{len(value)} entries", where=where, expected=f"{_MOST} at most")
    if keys == ["scheme"]:
        expected = " or ".join(f'"{scheme}"' for scheme in Scheme)
    else:
        kind = "array" if isinstance(value, list) else wanted["kind"] if wanted else "str"
        expected = _EXPECTED.get(kind, kind)
    return RuleError(f"found {shown(value)}", where=where, expected=expected)


def _constants(table: object, file: str) -> dict[str, str]:
    if not isinstance(table, dict):
        raise RuleError(
            f"found {shown(table)}", where=f"{file}: constants", expected="{ name = value }"
        )
    return {name: _constant(name, value, file) for name, value in table.items()}


def _constant(name: str, value: object, file: str) -> str:
    if not is_name(name):
        raise RuleError(
            f'"{shortened(name)}" is no name of a constant',
            where=f"{file}: constants",
            expected="a lower-case name",
        )
    text = value if isinstance(value, str) else ""
    if type(value) is int and value.bit_length() < _BITS:
        text = str(value)
    if not is_value(text):
        raise RuleError(
            f"found {shown(value)}", where=f"{file}: constants.{name}", expected=EXPECTED
        )
    return text
