"""Profiles: which rule files to load, with which constants, for which language.

A profile is a file ``profiles/NAME.toml`` in the rule folder, such as the shipped
``lp_rules/profiles/default.toml``. Each table is a program: ``answer`` decides a pair, ``rating``
rates it as a whole, given its answer, ``explanation`` says the answer in words, and ``feedback``
judges a student's answer. ``rules`` and ``weights`` name files in the rule folder, or folders for
all ``.lp`` files in them; ``.lp`` may be left out. The core encoding of ``asp/`` comes with them.
``reader`` is the reader that is used if the user names no other, see
:mod:`ists_asp.knowledge.reader`. With one, ``reader_rules`` are added to ``rules``, and
``reader_weights`` take the place of ``weights``.

A constant is what ``clingo -c name=value`` takes: an integer, or the text of a term. ``scheme`` is
the year of the task, "2016" or "2015"; rules decide what that means, here it says whose measure
learning looks at. ``attached_punctuation`` says that tokens have their punctuation attached
(``connected.``), so that nobody need be warned of it. Only ``description``, ``language`` and the
rules of ``answer`` are required.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
from clingo import SymbolType, parse_term
from clingo.ast import ASTType

from ists_asp.errors import IstsError, RuleError, UsageError, shortened, suggest
from ists_asp.io.text import TomlError, literal, parse_toml
from ists_asp.lang import languages
from ists_asp.model import Scheme
from ists_asp.resources import rules_dir
from ists_asp.rules.loader import RuleSet
from ists_asp.rules.source import read_plain

_LARGEST = 1 << 14  # bytes of a profile at most
_MOST = 200  # entries of a list, and characters of a key that are looked at
_EXPECTED = {
    "array": "a list of file names",
    "bool": "true or false",
    "object": "a table",
    "str": "a text",
}
"""The types that msgspec expects, in plain words."""

LARGEST_CONSTANT = 1_000_000  # sums with it stay within 32 bits
_LONGEST_CONSTANT = 200  # characters: clingo's parser crashes on terms that are nested deeply
_BITS = 64  # Python refuses to write numbers of thousands of digits; constants have 32 bits
_CONSTANT = re.compile(r"(?!not$)_*[a-z][A-Za-z0-9_']*")
# No operators, some of which end clingo's process, and no letters that do.
_TERM = re.compile(r"""(?:"(?:[^"\\]|\\["\\n])*+"|(?!not\b)[\w']++|[ (),#-])++""", re.ASCII)


class Purpose(StrEnum):
    """The purpose of a program of a profile."""

    ANSWER = "answer"
    EXPLANATION = "explanation"
    RATING = "rating"
    FEEDBACK = "feedback"


NO_READER = "none"  # the name that asks for no reader, whatever the profile says
_Name = Annotated[str, msgspec.Meta(min_length=1)]
_Names = Annotated[tuple[_Name, ...], msgspec.Meta(max_length=_MOST)]


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a profile names for one purpose."""

    rules: Annotated[tuple[_Name, ...], msgspec.Meta(min_length=1, max_length=_MOST)]
    weights: _Names = ()
    reader_rules: _Names = ()
    reader_weights: _Names = ()

    @property
    def reads(self) -> bool:
        """Whether anything is different where a reader is used."""
        return bool(self.reader_rules or self.reader_weights)


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as written in its TOML ``file``; ``constants`` have the text of a term each."""

    description: Annotated[str, msgspec.Meta(pattern=r"\S")]
    language: Annotated[str, msgspec.Meta(pattern=r"\S")]
    answer: Files
    rating: Files | None = None
    explanation: Files | None = None
    feedback: Files | None = None
    reader: _Name | None = None
    constants: dict[str, str] = field(default_factory=dict, hash=False)
    scheme: Scheme = Scheme.Y2016
    attached_punctuation: bool = False
    name: str = ""
    file: str = ""

    def files(self, purpose: Purpose) -> Files | None:
        """Its files for a purpose; None if it has no such program."""
        return cast("Files | None", getattr(self, purpose))

    @property
    def reads(self) -> bool:
        """Whether there are rules for what a reader holds."""
        return any(files is not None and files.reads for files in (self.answer, self.rating))

    def chosen_reader(self, requested: str | None) -> str | None:
        """The reader to use: the one that the user asks for, or its own; None for none."""
        return None if requested == NO_READER else requested or self.reader


def list_profiles(rules: Path | None = None) -> tuple[str, ...]:
    """Return the names of the profiles in a rule folder (the shipped one by default), sorted."""
    folder = (rules_dir() if rules is None else rules) / "profiles"
    return tuple(sorted(file.stem for file in folder.glob("*.toml")))


def load_profile(name: str, rules: Path | None = None) -> Profile:
    """Read a profile from a rule folder (the shipped one by default)."""
    base = rules_dir() if rules is None else rules
    names = list_profiles(base)
    if name not in names:
        found, where = f'there is no profile "{name}"', shown_folder(base, "profiles")
        expected = ", ".join(names) or "a file profiles/NAME.toml in the rule folder"
        hint = suggest(str(name), names, quote='"')
        raise UsageError(found, where=where, expected=expected, hint=hint)
    file = shown_folder(base, f"profiles/{name}.toml")
    path = (base / "profiles" / f"{name}.toml").resolve()
    if not path.is_relative_to(base.resolve()):
        found = "this link leads out of the rule folder"
        raise RuleError(found, where=file, hint="Copy the file there")
    try:
        _, table = parse_toml(read_plain(path, file, _LARGEST))
    except TomlError as error:
        found, where = f"the profile cannot be read: {error.found}", f"{file}:{error.line}"
        raise RuleError(found, where=where, hint='Texts stand in "…", lists in […]') from None
    return _profile(table, name, file)


def shown_folder(base: Path, relative: str = "") -> str:
    """The name of a rule folder, or of a file in it, in messages."""
    folder = "lp_rules" if base == rules_dir() else str(base)
    return f"{folder}/{relative}".rstrip("/")


def _profile(table: dict[str, Any], name: str, file: str) -> Profile:
    _check_keys(table, Profile, file)
    for key in Purpose:
        if isinstance(section := table.get(key), dict):
            _check_keys(section, Files, f"{file}: {key}")
    constants = table.get("constants", {})
    if not isinstance(constants, dict):
        where, expected = f"{file}: constants", "{ name = value }"
        raise RuleError(f"found {literal(constants)}", where=where, expected=expected)
    constants = {
        key: check_constant(key, value, f"{file}: constants.", RuleError)
        for key, value in constants.items()
    }
    table = {**table, "constants": constants, "name": name, "file": file}
    try:
        profile = msgspec.convert(table, Profile)
    except msgspec.ValidationError as fault:
        raise _faulty(str(fault), table, file) from None
    if profile.language not in languages():
        found, codes = f"found {literal(profile.language)}", (f'"{code}"' for code in languages())
        raise RuleError(found, where=f"{file}: language", expected=" or ".join(codes))
    return profile


def _check_keys(table: dict[str, Any], form: type, where: str) -> None:
    """Refuse keys that a table does not have, and the lack of those that it must have."""
    keys = {entry.name: entry for entry in fields(form) if entry.name not in ("name", "file")}
    for key in table:
        if key not in keys:
            hint = suggest(key[:_MOST], keys, quote='"')
            found, expected = f'unknown key "{shortened(key)}"', ", ".join(keys)
            raise RuleError(found, where=where, expected=expected, hint=hint)
    for key, entry in keys.items():
        if key not in table and entry.default is entry.default_factory is MISSING:
            raise RuleError(f'the key "{key}" is missing', where=where, hint="Add it")


def _faulty(fault: str, table: dict[str, Any], file: str) -> RuleError:
    """An error of msgspec about a value in plain words, with the value and the key."""
    at = re.search(r" - at `\$\.(.*)`", fault)
    wanted = re.match(r"Expected `([^`]*)`, got ", fault)
    keys = re.findall(r"(?<!\[)\b\w+", at[1]) if at else []
    value: object = table
    for key in keys:
        value = value[key] if isinstance(value, dict) else value
    found = f"found {literal(value)}"
    kind = "array" if isinstance(value, list) else wanted[1] if wanted else "str"
    expected = _EXPECTED.get(kind.removesuffix(" | null"), kind)
    if isinstance(value, list) and not value:
        found, expected = "the list is empty", "a file name"
    elif isinstance(value, list) and len(value) > _MOST:
        found, expected = f"{len(value)} entries", f"{_MOST} at most"
    elif keys == ["scheme"]:
        expected = " or ".join(f'"{scheme}"' for scheme in Scheme)
    return RuleError(found, where=f"{file}: {'.'.join(keys)}", expected=expected)


def check_constant(
    name: str, value: object, place: str = "-c ", error: type[IstsError] = UsageError
) -> str:
    """The text of a value for a ``#const``; an error for anything else.

    A value is a term without variables and arithmetic, of at most 200 characters.
    """
    if len(name) > _LONGEST_CONSTANT or not _CONSTANT.fullmatch(name):
        found = f'"{shortened(name)}" is not a name of a constant'
        raise error(found, where=place[:-1], expected="a name in lower case, as in highest")
    text = str(value) if type(value) is int and value.bit_length() < _BITS else value
    if not isinstance(text, str) or not _is_value(text):
        terms = "an integer of 32 bits, a name in lower case, a text in double quotes"
        where, expected = f"{place}{shortened(name)}", f"{terms}, or a term of these"
        raise error(f"found {literal(value)}", where=where, expected=expected)
    return text


def _is_value(text: str) -> bool:
    if len(text) > _LONGEST_CONSTANT or not text.isprintable() or not _TERM.fullmatch(text):
        return False
    try:
        symbol = parse_term(text, logger=lambda _code, _text: None)
    except RuntimeError:
        return False
    # What is not as it was written has been computed, or has more than 32 bits.
    return str(symbol).replace(" ", "") == text.replace(" ", "")


def check_kinds(values: Mapping[str, str], rules: RuleSet) -> set[str]:
    """Refuse values that are no numbers where the rules have one; return the known constants."""
    kinds: dict[str, bool] = rules.memo.recall("constants", [], lambda: _kinds(rules))
    for name, value in values.items():
        # A value is a term: what has no more than digits is a number.
        number = int(value) if kinds.get(name) and re.fullmatch(r"-?\d+", value) else None
        if kinds.get(name) and (number is None or abs(number) > LARGEST_CONSTANT):
            found, where = f"found '{shortened(value)}'", f"the constant {name}"
            expected = f"an integer from -{LARGEST_CONSTANT} to {LARGEST_CONSTANT}"
            raise UsageError(found, where=where, expected=expected)
    return set(kinds)


def _kinds(rules: RuleSet) -> dict[str, bool]:
    return {
        node.name: node.value.ast_type is ASTType.SymbolicTerm
        and node.value.symbol.type is SymbolType.Number
        for node in rules.statements
        if node.ast_type is ASTType.Definition
    }
