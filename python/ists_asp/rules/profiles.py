"""Profiles: which rule files to load, with which constants, for which language.

A profile is a file ``profiles/NAME.toml`` in the rule folder::

    description = "News headlines"
    language = "en"
    machine = ["chunks", "align", "output"]
    rules = ["chunking", "english/words"]
    explanation = ["english/words", "explanation"]
    weights = ["weights/headlines"]
    semantic_weights = ["weights/headlines-semantic"]
    rating = ["english/words", "sts"]
    rating_weights = ["weights/sts-en"]
    semantic_rating_weights = ["weights/sts-en-semantic"]
    constants = { max_span = 2 }
    symmetric = true
    scheme = "2015"

``machine`` names files in ``asp/``; ``rules`` and ``weights`` name files in the rule folder,
or folders for all ``.lp`` files in them. ``.lp`` may be left out. ``explanation`` names those
that say an answer in words, beside ``asp/explain.lp``. ``semantic_weights`` take the place of
``weights`` where words are compared in context. ``rating`` names the files that rate the pair as
a whole, given its answer, beside ``asp/sts.lp``; ``rating_weights`` and
``semantic_rating_weights`` are theirs. A constant is what ``clingo -c name=value``
takes: an integer, or the text of a term. ``symmetric`` says that which sentence comes first means
nothing, so that weights are learned from each pair and its mirror image. ``scheme`` is the year
of the task whose answers are made, "2016" or "2015"; rules decide what that means, here it says
whose measure learning looks at. Only ``description``,
``language``, ``machine`` and ``rules`` are required.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from clingo import parse_term

from ists_asp.errors import RuleError, UsageError
from ists_asp.model import Scheme
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.loader import RuleSource, find_rules
from ists_asp.rules.source import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = [
    "Profile",
    "explanation_sources",
    "list_profiles",
    "load_profile",
    "profile_sources",
    "rating_sources",
]

_REQUIRED = ("description", "language", "machine", "rules")
_OPTIONAL = (
    "explanation",
    "weights",
    "semantic_weights",
    "rating",
    "rating_weights",
    "semantic_rating_weights",
    "constants",
    "symmetric",
    "scheme",
)
_KEYS = (*_REQUIRED, *_OPTIONAL)
_EXPLAIN = "explain"
_RATE = "sts"
_CONSTANT = re.compile(r"_*[a-z][A-Za-z0-9_']*")
_INT32 = 2**31
_LONGEST_TERM = 200
"""Characters of a constant's value: clingo's parser crashes on terms that are nested deeply."""

_LARGEST = 1 << 16
"""Bytes of a profile."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as written; ``file`` is its TOML file, for messages.

    ``constants`` are pairs of a name and an ASP term, in the order of the file.
    """

    name: str
    file: str
    description: str
    language: str
    machine: tuple[str, ...]
    rules: tuple[str, ...]
    explanation: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    semantic_weights: tuple[str, ...] = ()
    rating: tuple[str, ...] = ()
    rating_weights: tuple[str, ...] = ()
    semantic_rating_weights: tuple[str, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    symmetric: bool = False
    scheme: Scheme = Scheme.Y2016


def list_profiles(rules: Path | None = None) -> tuple[str, ...]:
    """Return the names of the profiles in a rule folder (the shipped one by default), sorted.

    Raises:
        ResourceError: the installation lacks the shipped rules.
    """
    folder = (rules_dir() if rules is None else rules) / "profiles"
    return tuple(sorted(file.stem for file in folder.glob("*.toml")))


def load_profile(name: str, rules: Path | None = None) -> Profile:
    """Read a profile from a rule folder (the shipped one by default).

    Raises:
        UsageError: there is no profile of this name.
        RuleError: the profile is faulty; the message names file and key.
        ResourceError: the installation lacks the shipped rules.
    """
    base = rules_dir() if rules is None else rules
    known = list_profiles(base)
    if name not in known:
        close = get_close_matches(name, known, n=1)
        raise UsageError(
            f'there is no profile "{name}"',
            where=_shown(base, "profiles"),
            expected=", ".join(known) or "a file profiles/NAME.toml in the rule folder",
            hint=f'Did you mean "{close[0]}"?' if close else None,
        )
    file = _shown(base, f"profiles/{name}.toml")
    try:
        table = tomllib.loads(_read(base, name, file).decode())
    except RecursionError:
        raise RuleError("the profile is nested too deeply", where=file) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RuleError(
            f"the profile is no TOML: {error}", where=file, hint='Texts stand in "…", lists in […]'
        ) from None
    _check_keys(table, file)
    return Profile(
        name,
        file,
        description=_text(table, "description", file),
        language=_text(table, "language", file),
        machine=_list(table, "machine", file),
        rules=_list(table, "rules", file),
        explanation=_list(table, "explanation", file),
        weights=_list(table, "weights", file),
        semantic_weights=_list(table, "semantic_weights", file),
        rating=_list(table, "rating", file),
        rating_weights=_list(table, "rating_weights", file),
        semantic_rating_weights=_list(table, "semantic_rating_weights", file),
        constants=_constants(table.get("constants", {}), file),
        symmetric=_flag(table, "symmetric", file),
        scheme=_scheme(table, file),
    )


def profile_sources(
    profile: Profile, rules: Path | None = None, *, semantic: bool = False
) -> tuple[RuleSource, ...]:
    """Return the files that a profile loads, each once: machine, rules, weights.

    Args:
        profile: the profile.
        rules: its rule folder (the shipped one by default).
        semantic: whether words are compared in context; the weights are then the profile's
            ``semantic_weights``, if it has any.

    Raises:
        RuleError: a file that the profile names does not exist; the message names the key.
        ResourceError: the installation lacks the shipped rules or encodings.
    """
    base = rules_dir() if rules is None else rules
    weights = _weights(profile, "weights", semantic=semantic)
    return _sources(
        profile,
        ("machine", profile.machine, asp_dir(), "asp"),
        ("rules", profile.rules, base, _shown(base)),
        (weights, getattr(profile, weights), base, _shown(base)),
    )


def explanation_sources(profile: Profile, rules: Path | None = None) -> tuple[RuleSource, ...]:
    """Return the files that say a profile's answers in words, each once.

    Args:
        profile: the profile.
        rules: its rule folder (the shipped one by default).

    Raises:
        RuleError: the profile names no such files, or one that does not exist.
        ResourceError: the installation lacks the shipped rules or encodings.
    """
    base = rules_dir() if rules is None else rules
    if not profile.explanation:
        raise RuleError(
            'the key "explanation" is missing',
            where=profile.file,
            expected="the rule files that say an answer in words",
            hint='Add explanation = ["english", "words", "explanation"]',
        )
    return _sources(
        profile,
        ("explanation", (_EXPLAIN,), asp_dir(), "asp"),
        ("explanation", profile.explanation, base, _shown(base)),
    )


def rating_sources(
    profile: Profile, rules: Path | None = None, *, semantic: bool = False
) -> tuple[RuleSource, ...]:
    """Return the files that rate a pair, given its answer, each once: machine, rules, weights.

    Args:
        profile: the profile.
        rules: its rule folder (the shipped one by default).
        semantic: whether sentences are compared in context, as for :func:`profile_sources`.

    Raises:
        RuleError: the profile names no such files, or one that does not exist.
        ResourceError: the installation lacks the shipped rules or encodings.
    """
    base = rules_dir() if rules is None else rules
    if not profile.rating:
        raise RuleError(
            'the key "rating" is missing: this profile does not rate pairs',
            where=profile.file,
            expected="the rule files that rate a pair",
            hint='Choose a profile that does, such as sts-en, or add rating = ["words", "sts"]',
        )
    weights = _weights(profile, "rating_weights", semantic=semantic)
    return _sources(
        profile,
        ("rating", (_RATE,), asp_dir(), "asp"),
        ("rating", profile.rating, base, _shown(base)),
        (weights, getattr(profile, weights), base, _shown(base)),
    )


def _weights(profile: Profile, key: str, *, semantic: bool) -> str:
    """The key of the weights that count."""
    other = f"semantic_{key}"
    return other if semantic and getattr(profile, other) else key


def _sources(
    profile: Profile, *parts: tuple[str, tuple[str, ...], Path, str]
) -> tuple[RuleSource, ...]:
    found: dict[Path, RuleSource] = {}
    for key, entries, folder, shown in parts:
        for entry in entries:
            for source in _entry(profile, key, entry, folder, shown):
                found.setdefault(source.path, source)
    return tuple(found.values())


def _entry(
    profile: Profile, key: str, entry: str, folder: Path, shown: str
) -> Iterable[RuleSource]:
    root = folder.resolve()
    places = [root / entry, root / f"{entry}.lp"]
    found = [place for place in places if place.exists() and place.resolve().is_relative_to(root)]
    if len(found) != 1:
        raise RuleError(
            f'"{entry}" is both a folder and a file'
            if found
            else f'there is no "{entry}" in {shown}',
            where=f"{profile.file}: {key}",
            expected=f"{entry}.lp or {entry}/",
            hint="Write the name with .lp for the file" if found else "Check its spelling",
        )
    relative = found[0].relative_to(root).as_posix()
    return (
        RuleSource(source.path, source.name, root, shown)
        for source in find_rules(found[0], shown if relative == "." else f"{shown}/{relative}")
    )


def _read(base: Path, name: str, file: str) -> bytes:
    path = (base / "profiles" / f"{name}.toml").resolve()
    if not path.is_relative_to(base.resolve()):
        raise RuleError(
            "this link leads out of the rule folder", where=file, hint="Copy the file there"
        )
    return read_plain(path, file, _LARGEST)


def _check_keys(table: dict[str, Any], file: str) -> None:
    for key in table:
        if key not in _KEYS:
            close = get_close_matches(key, _KEYS, n=1)
            raise RuleError(
                f'unknown key "{key}"',
                where=file,
                expected=", ".join(_KEYS),
                hint=f'Did you mean "{close[0]}"?' if close else None,
            )
    for key in _REQUIRED:
        if key not in table:
            raise RuleError(f'the key "{key}" is missing', where=file, hint="Add it")


def _text(table: dict[str, Any], key: str, file: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip():
        raise RuleError(f"found {value!r}", where=f"{file}: {key}", expected="a text")
    return value


def _list(table: dict[str, Any], key: str, file: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
        raise RuleError(f"found {value!r}", where=f"{file}: {key}", expected="a list of file names")
    if key in _REQUIRED and not value:
        raise RuleError("the list is empty", where=f"{file}: {key}", expected="a file name")
    return tuple(value)


def _flag(table: dict[str, Any], key: str, file: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise RuleError(f"found {value!r}", where=f"{file}: {key}", expected="true or false")
    return value


def _scheme(table: dict[str, Any], file: str) -> Scheme:
    value = table.get("scheme", str(Scheme.Y2016))
    if value not in tuple(Scheme):
        known = " or ".join(f'"{scheme}"' for scheme in Scheme)
        raise RuleError(f"found {value!r}", where=f"{file}: scheme", expected=known)
    return Scheme(value)


def _constants(table: object, file: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(table, dict):
        raise RuleError(f"found {table!r}", where=f"{file}: constants", expected="{ name = value }")
    return tuple((name, _constant(name, value, file)) for name, value in table.items())


def _constant(name: str, value: object, file: str) -> str:
    where = f"{file}: constants.{name}"
    if not _CONSTANT.fullmatch(name):
        raise RuleError(
            f'"{name}" is no name of a constant', where=where, expected="a lower-case name"
        )
    if isinstance(value, int) and not isinstance(value, bool) and -_INT32 <= value < _INT32:
        return str(value)
    if isinstance(value, str) and len(value) <= _LONGEST_TERM:
        try:
            return str(parse_term(value, logger=lambda _code, _text: None))
        except RuntimeError:
            pass
    raise RuleError(
        f"found {value!r}", where=where, expected="an integer of 32 bits, or an ASP term as text"
    )


def _shown(base: Path, relative: str = "") -> str:
    folder = "lp_rules" if base == rules_dir() else str(base)
    return f"{folder}/{relative}".rstrip("/")
