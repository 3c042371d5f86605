"""Templates: how explanations are worded in a language."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from string import Formatter
from typing import TYPE_CHECKING, Any

from ists_asp.errors import DataError, ResourceError, UsageError
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Templates", "languages", "load_templates"]

_TABLES = ("marks", "article", "joins", "words", "statements", "clauses")
_CONTRACTIONS = "contractions"


@dataclass(frozen=True, slots=True)
class Templates:
    """The tables of a template file; ``name`` is what messages call it.

    ``contractions`` may be empty: what two words that meet in a text become, as ``de el`` does.
    """

    name: str
    quote: tuple[str, str]
    inner_quote: tuple[str, str]
    marks: Mapping[str, str]
    article: Mapping[str, str]
    joins: Mapping[str, str]
    words: Mapping[str, str]
    statements: Mapping[str, str]
    clauses: Mapping[str, str]
    contractions: Mapping[str, str] = field(default_factory=dict)

    def word(self, key: str) -> str:
        """A word that a rule names.

        Raises:
            DataError: the file has no such word.
        """
        return self._get("words", self.words, key)

    def statement(self, kind: str, slots: Mapping[str, str]) -> str:
        """The text of a statement.

        Raises:
            DataError: the file has no such text, or a slot that nothing fills.
        """
        return self._fill("statements", self.statements, kind, slots)

    def clause(self, key: str, slots: Mapping[str, str]) -> str:
        """The text of a clause.

        Raises:
            DataError: as :meth:`statement`.
        """
        return self._fill("clauses", self.clauses, key, slots)

    def join(self, items: list[str]) -> str:
        """Items as a list: ``a, b and c``, or ``a, not b, and c`` where items have commas."""
        if len(items) < 2:
            return "".join(items)
        comma = self.joins["list"].strip()
        last = "last_long" if any(comma in item for item in items) else "last"
        return self.joins["list"].join(items[:-1]) + self.joins[last] + items[-1]

    def _fill(
        self, table: str, texts: Mapping[str, str], key: str, slots: Mapping[str, str]
    ) -> str:
        try:
            return self._contracted(self._get(table, texts, key).format_map(slots))
        except (KeyError, IndexError) as fault:
            raise DataError(
                f"nothing fills the slot {{{fault.args[0]}}}",
                where=f"{self.name}: {table}.{key}",
                expected=", ".join(sorted(slots)),
            ) from None

    def _contracted(self, text: str) -> str:
        for words, short in self.contractions.items():
            text = re.sub(rf"\b{re.escape(words)}\b", short, text)
        return text

    def _get(self, table: str, texts: Mapping[str, str], key: str) -> str:
        if key not in texts:
            raise DataError(
                f'there is no text "{key}"',
                where=f"{self.name}: {table}",
                hint="Add it to the file",
            )
        return texts[key]


def languages() -> tuple[str, ...]:
    """The languages of the shipped templates, sorted."""
    return tuple(sorted(file.stem for file in (data_dir() / "templates").glob("*.toml")))


def load_templates(language: str = "en", path: Path | None = None) -> Templates:
    """Read templates.

    Args:
        language: which of the shipped files, ``en`` or ``es``.
        path: a file to read instead.

    Raises:
        UsageError: there are no templates for the language.
        ResourceError: the file cannot be read.
        DataError: it is no TOML, or lacks a key.
    """
    if path is None:
        if language not in languages():
            raise UsageError(
                f"there are no templates for the language '{language}'",
                expected=" or ".join(languages()),
                hint="Give a file of your own with --templates",
            )
        path, name = data_dir() / "templates" / f"{language}.toml", f"{language}.toml"
    else:
        name = str(path)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as fault:
        raise ResourceError(
            f"the templates cannot be read ({fault.strerror})", where=name, expected="a TOML file"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise DataError(f"the templates are no TOML: {fault}", where=name) from None
    return _templates(table, name)


def _templates(table: dict[str, Any], name: str) -> Templates:
    for key in _TABLES:
        if not isinstance(table.get(key), dict):
            raise DataError(f"there is no table [{key}]", where=name, expected=", ".join(_TABLES))
    marks = dict(table["marks"])
    quotes = [marks.pop(key, None) for key in ("quote", "inner_quote")]
    for quote in quotes:
        if not (isinstance(quote, list) and len(quote) == 2):
            raise DataError(
                f"found {quote!r}", where=f"{name}: marks", expected='quote = ["“", "”"]'
            )
    found: dict[str, dict[str, str]] = {"marks": marks}
    for key in _TABLES[1:]:
        found[key] = table[key]
    found[_CONTRACTIONS] = table.get(_CONTRACTIONS, {})
    for key, texts in found.items():
        for entry, text in texts.items():
            _check(text, f"{name}: {key}.{entry}", slots=key in ("statements", "clauses"))
    for key, wanted in (
        ("marks", ("dots", "end")),
        ("article", ("plain", "before_vowel", "vowel")),
        ("joins", ("list", "last", "last_long", "clauses", "sentences")),
    ):
        for entry in wanted:
            if entry not in found[key]:
                raise DataError(f'the key "{entry}" is missing', where=f"{name}: {key}")
    try:
        re.compile(found["article"]["vowel"])
    except re.error as fault:
        raise DataError(f"no regular expression: {fault}", where=f"{name}: article.vowel") from None
    quote, inner = ((str(pair[0]), str(pair[1])) for pair in quotes)
    return Templates(name, quote, inner, **found)


def _check(text: object, where: str, *, slots: bool) -> None:
    if not isinstance(text, str):
        raise DataError(f"found {text!r}", where=where, expected="a text")
    if slots:
        try:
            list(Formatter().parse(text))
        except ValueError as fault:
            raise DataError(f"{fault} in {text!r}", where=where, expected="{slot}") from None
