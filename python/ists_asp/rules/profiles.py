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
    constants = { highest = 4 }
    symmetric = true
    scheme = "2015"
    attached_punctuation = true

``machine`` names files in ``asp/``; ``rules`` and ``weights`` name files in the rule folder,
or folders for all ``.lp`` files in them. ``.lp`` may be left out. ``explanation`` names those
that say an answer in words, beside ``asp/explain.lp``. ``semantic_weights`` take the place of
``weights`` where words are compared in context. ``rating`` names the files that rate the pair as
a whole, given its answer, beside ``asp/sts.lp``; ``rating_weights`` and
``semantic_rating_weights`` are theirs. A constant is what ``clingo -c name=value``
takes: an integer, or the text of a term. ``symmetric`` says that which sentence comes first means
nothing, so that weights are learned from each pair and its mirror image. ``scheme`` is the year
of the task whose answers are made, "2016" or "2015"; rules decide what that means, here it says
whose measure learning looks at. ``attached_punctuation`` says that the tokens of such texts have
their punctuation attached (``connected.``), so that nobody need be warned of it. Only
``description``, ``language``, ``machine`` and ``rules`` are required.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ists_asp.errors import RuleError, UsageError, shortened
from ists_asp.io.toml import TomlError, parse_toml, shown
from ists_asp.model import Scheme
from ists_asp.resources import rules_dir
from ists_asp.rules.source import read_plain
from ists_asp.rules.values import EXPECTED, is_name, is_value

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Profile", "list_profiles", "load_profile", "shown_folder"]

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
    "attached_punctuation",
)
_KEYS = (*_REQUIRED, *_OPTIONAL)
_LARGEST = 1 << 14
"""Bytes of a profile at most."""

_MOST = 200
"""Entries of a list at most."""

_BITS = 64
"""Python refuses to write numbers of thousands of digits; constants have 32 bits."""


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
    attached_punctuation: bool = False


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
        attached_punctuation=_flag(table, "attached_punctuation", file),
    )


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


def _check_keys(table: dict[str, Any], file: str) -> None:
    for key in table:
        if key not in _KEYS:
            close = get_close_matches(key[:_MOST], _KEYS, n=1)
            raise RuleError(
                f'unknown key "{shortened(key)}"',
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
        raise RuleError(f"found {shown(value)}", where=f"{file}: {key}", expected="a text")
    return value


def _list(table: dict[str, Any], key: str, file: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
        raise RuleError(
            f"found {shown(value)}", where=f"{file}: {key}", expected="a list of file names"
        )
    if key in _REQUIRED and not value:
        raise RuleError("the list is empty", where=f"{file}: {key}", expected="a file name")
    if len(value) > _MOST:
        raise RuleError(
            f"{len(value)} entries", where=f"{file}: {key}", expected=f"{_MOST} at most"
        )
    return tuple(value)


def _flag(table: dict[str, Any], key: str, file: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise RuleError(f"found {shown(value)}", where=f"{file}: {key}", expected="true or false")
    return value


def _scheme(table: dict[str, Any], file: str) -> Scheme:
    value = table.get("scheme", str(Scheme.Y2016))
    if value not in tuple(Scheme):
        known = " or ".join(f'"{scheme}"' for scheme in Scheme)
        raise RuleError(f"found {shown(value)}", where=f"{file}: scheme", expected=known)
    return Scheme(value)


def _constants(table: object, file: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(table, dict):
        raise RuleError(
            f"found {shown(table)}", where=f"{file}: constants", expected="{ name = value }"
        )
    return tuple((name, _constant(name, value, file)) for name, value in table.items())


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
