"""Templates: how explanations are worded in a language, and how words are put together.

A text of ``[statements]`` or ``[clauses]`` names what fills it in curly brackets: ``{first}``.
There is nothing else in the brackets; ``{{`` and ``}}`` stand for the brackets themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ists_asp.errors import DataError, UsageError, shortened
from ists_asp.io.text import TomlError, Warn, ignore, key_lines, literal, parse_toml
from ists_asp.resources import data_dir
from ists_asp.rules.source import read_plain

LARGEST = 1 << 16  # bytes of a file at most
LONGEST = 1000  # characters of a text at most
_TABLES = ("marks", "joins", "words", "statements", "clauses")
_MARKS = {"dots", "end"}
_JOINS = {"list", "last", "last_long", "clauses", "sentences"}
_SLOT = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|[{}]")

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = '"“”„«»`'
_EDGES = ".,;:!?…" + _QUOTES
_NO_BLANK_BEFORE = re.compile(
    r" (?=[,.;:!?)\]}]|%(?: |$)|['’](?:s|re|ve|ll|d|m|t)?(?: |$)|n['’]t(?: |$))"
)
_BLANKS = re.compile(" +")
_NO_BLANK_AFTER = re.compile(r"(?<=[(\[{$£€#]) ")
# Marks between letters belong to a word that was written oddly: A""s.
_DOUBLE = re.compile(r"``|''|(?<![\w\"])[\"“”„«»]|[\"“”„«»](?![\w\"])")
_OPENING = frozenset(("`", "``", "“", "„", "«", "‘"))
_CLOSING = frozenset(("'", "''", "”", "»", "’"))
_ENDS = (".", "!", "?")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]\.){2}")


@dataclass(frozen=True)
class Templates:
    """The tables of a template file; ``name`` is what messages call it."""

    name: str
    quote: tuple[str, str]
    inner_quote: tuple[str, str]
    marks: Mapping[str, str]
    joins: Mapping[str, str]
    words: Mapping[str, str]
    statements: Mapping[str, str]
    clauses: Mapping[str, str]
    # What two words that meet in a text become, as "de el" does.
    contractions: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[tuple[str, str], int] = field(default_factory=dict)  # of keys, by table and key

    def join(self, items: list[str]) -> str:
        """Items as a list: ``a, b and c``, or ``a, not b, and c`` where items have commas."""
        if len(items) < 2:
            return "".join(items)
        comma = self.joins["list"].strip()
        last = "last_long" if any(comma in item for item in items) else "last"
        return self.joins["list"].join(items[:-1]) + self.joins[last] + items[-1]

    def fill(self, table: str, key: str, slots: Mapping[str, str]) -> str:
        """A text of ``statements`` or ``clauses`` with what fills it."""

        def filled(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0][0]
            if match[1] not in slots:
                found = f"nothing fills the slot {{{shortened(match[1])}}}"
                where = _where(self.name, self.lines, table, key)
                raise DataError(found, where=where, expected=", ".join(sorted(slots)) or "no slots")
            return slots[match[1]]

        text = _SLOT.sub(filled, self.text(table, key))
        if not self.contractions:
            return text
        # All at once: what has been contracted is left alone.
        return self._contraction.sub(lambda match: self.contractions[match[0]], text)

    @cached_property
    def _contraction(self) -> re.Pattern[str]:
        longest_first = sorted(self.contractions, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")

    def text(self, table: str, key: str) -> str:
        """A text as the file has it, such as a word that a rule names."""
        texts: Mapping[str, str] = getattr(self, table)
        if key not in texts:
            found, hint = f'there is no text "{shortened(key)}"', "Add it to your own --templates"
            raise DataError(found, where=_where(self.name, self.lines, table), hint=hint)
        return texts[key]


def languages() -> tuple[str, ...]:
    """The languages of the shipped templates, sorted."""
    return tuple(sorted(file.stem for file in (data_dir() / "templates").glob("*.toml")))


def load_templates(
    language: str = "en", path: Path | None = None, warn: Warn = ignore
) -> Templates:
    """Read shipped templates or your own, and warn of texts that these lack or add."""
    if path is None and language not in languages():
        found = f"there are no templates for the language '{language}'"
        expected = " or ".join(languages())
        raise UsageError(found, expected=expected, hint="Give a file of your own with --templates")
    name = f"{language}.toml" if path is None else str(path)
    shipped = data_dir() / "templates" / name
    try:
        text, table = parse_toml(read_plain(path or shipped, name, LARGEST, "file of templates"))
    except TomlError as fault:
        found = f"the templates cannot be read: {fault.found}"
        raise DataError(found, where=f"{name}:{fault.line}") from None
    templates = _templates(table, name, key_lines(text))
    if path is not None:
        _compare(templates, warn)
    return templates


def _compare(own_templates: Templates, warn: Warn) -> None:
    """Warn, in a line each, of texts that no shipped rule uses, and of those that are missing."""
    user, shipped = (
        {(table, key) for table in _TABLES for key in getattr(templates, table)}
        for templates in (own_templates, load_templates())
    )
    for keys, problem, hint in (
        (user - shipped, "no shipped rule uses", "Remove it, unless a rule of yours names it"),
        (shipped - user, "the file lacks", "Copy it from there"),
    ):
        if keys:
            first = min(keys, key=lambda key: (own_templates.lines.get(key, 0), key))
            others = f" and {len(keys) - 1} more" if keys - {first} else ""
            where = _where(own_templates.name, own_templates.lines, *first)
            expected = "expected the keys of data/templates/en.toml"
            warn(f"{where}: {problem} this text{others}; {expected}. {hint}")


def _templates(table: dict[str, Any], name: str, lines: Mapping[tuple[str, str], int]) -> Templates:
    where = partial(_where, name, lines)
    for key in _TABLES:
        if not isinstance(table.get(key), dict):
            raise DataError(f"there is no table [{key}]", where=name, expected=", ".join(_TABLES))
    marks = dict(table["marks"])
    quotes = [marks.pop(key, None) for key in ("quote", "inner_quote")]
    contractions = table.get("contractions", {})
    if not isinstance(contractions, dict):
        found, expected = f"found {literal(contractions)}", "a table [contractions]"
        raise DataError(found, where=where("", "contractions"), expected=expected)
    for quote in quotes:
        if not (
            isinstance(quote, list)
            and len(quote) == 2
            and all(isinstance(mark, str) and len(mark) <= LONGEST for mark in quote)
        ):
            found, expected = f"found {literal(quote)}", 'quote = ["“", "”"]'
            raise DataError(found, where=where("marks"), expected=expected)
    tables = {key: table[key] for key in _TABLES} | {"marks": marks, "contractions": contractions}
    for key, texts in tables.items():
        for entry, text in texts.items():
            _check(entry, text, where(key, entry), slots=key in ("statements", "clauses"))
    for key, wanted in (("marks", _MARKS), ("joins", _JOINS)):
        for entry in wanted - tables[key].keys():
            raise DataError(f'the key "{entry}" is missing', where=where(key), hint="Add it")
    quote, inner = ((pair[0], pair[1]) for pair in quotes)
    return Templates(name, quote, inner, **tables, lines=lines)


def _where(
    name: str, lines: Mapping[tuple[str, str], int], table: str, key: str | None = None
) -> str:
    line = lines.get((table, key or ""))
    place = ".".join(shortened(part) for part in (table, key) if part)
    return f"{name}:{line}: {place}" if line else f"{name}: {place}"


def _check(key: str, text: object, where: str, *, slots: bool) -> None:
    if not key:
        raise DataError("the key is empty", where=where, expected="a word or a name")
    if not isinstance(text, str):
        raise DataError(f"found {literal(text)}", where=where, expected="a text")
    if len(text) > LONGEST:
        raise DataError(f"{len(text)} characters", where=where, expected=f"{LONGEST} at most")
    for match in _SLOT.finditer(text) if slots else ():
        if match[0] in ("{", "}"):
            found = f"'{match[0]}' begins or ends no slot in {literal(text)}"
            expected = "{slot}, with a name of small letters and nothing else in the brackets"
            hint = "Write {{ and }} for the brackets themselves"
            raise DataError(found, where=where, expected=expected, hint=hint)


def phrase(words: Sequence[str], templates: Templates, glued: Collection[int] = ()) -> str:
    """Words as in a running text, without marks at the ends, or blanks before ``glued`` places."""
    paired = enumerate(_paired(words, templates))
    text = "".join(" " * (place not in glued) + word for place, word in paired)
    text = _BLANKS.sub(" ", text).strip(" ")
    text = _NO_BLANK_AFTER.sub("", _NO_BLANK_BEFORE.sub("", text))
    opening, closing = templates.inner_quote
    text = text.replace(f"{opening} ", opening).replace(f" {closing}", closing)
    return _trimmed(_balanced(text))


def quoted(text: str, templates: Templates) -> str:
    """A phrase in quotation marks; those within become inner ones."""
    opening, closing = templates.quote
    inner = iter(templates.inner_quote * (1 + len(_DOUBLE.findall(text)) // 2))
    # An odd mark has no partner: it is left out rather than left open.
    if len(_DOUBLE.findall(text)) % 2:
        text = _NO_BLANK_BEFORE.sub("", " ".join(_DOUBLE.sub("", text).split()))
    first, *parts = _DOUBLE.split(text)
    pieces = [first]
    for number, part in enumerate(parts):
        if number % 2:
            pieces[-1] = pieces[-1].rstrip()
        pieces += [next(inner), part if number % 2 else part.lstrip()]
    return f"{opening}{''.join(pieces)}{closing}"


def sentence(text: str, templates: Templates) -> str:
    """A text with a capital in front and a full stop."""
    # What begins with a quotation is left as it was written.
    text = text[:1].upper() + text[1:]
    return text if text.endswith(_ENDS) else text + templates.marks["end"]


def _paired(words: Sequence[str], templates: Templates) -> list[str]:
    """Lone words in quotation marks become inner ones; marks without a partner go."""
    marked, waiting = list(words), []
    for place, word in enumerate(words):
        if word in _OPENING:
            waiting.append(place)
        elif word in _CLOSING:
            if waiting:
                marked[waiting.pop()], marked[place] = templates.inner_quote
            elif not (word in ("'", "’") and place and words[place - 1][-1:] in ("s", "S")):
                marked[place] = ""
    return ["" if place in waiting else word for place, word in enumerate(marked)]


def _balanced(text: str) -> str:
    waiting: list[int] = []
    alone: set[int] = set()
    for place, mark in enumerate(text):
        if mark in _BRACKETS:
            waiting.append(place)
        elif waiting and _BRACKETS[text[waiting[-1]]] == mark:
            waiting.pop()
        elif mark in _BRACKETS.values():
            alone.add(place)
    alone.update(waiting)
    return "".join(mark for place, mark in enumerate(text) if place not in alone)


def _trimmed(text: str) -> str:
    """Without marks at the ends; quotation marks stay where both of a pair are there."""
    stripped = text.strip(" ")
    end = len(stripped)
    while end and stripped[end - 1] in ".,;:!?":
        if end >= 4 and _ABBREVIATION.fullmatch(stripped, end - 4, end):
            # The full stop belongs to it, as in U.S.
            break
        end -= 1
        while end and stripped[end - 1].isspace():
            end -= 1
    stripped = stripped[:end]
    if len(_DOUBLE.findall(stripped)) % 2:
        return text.strip(" " + _EDGES).removeprefix("''").removesuffix("''")
    stripped = stripped.lstrip(",;:!? ").rstrip(" ")
    # A full stop that stands alone in front ended the sentence before; that of ".5" does not.
    return stripped.removeprefix(". ") or text
