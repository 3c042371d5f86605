"""The page of kinds: the constants that rules derive or are given, as what is told by each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.resources import rules_dir
from ists_asp.rules.check import Checked
from ists_asp.syntax.ground import Ground
from ists_asp.vocabulary import listed_constants

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# Classes, kinds and relations

The constants by which rules tell apart what predicates say, where they are derived, and what the \
rule there says of them. `python -m docs.pages` makes this page from the rule files.

## `class(Lemma,Class)`

Given by the lexicon: {classes}.

## `relation(Relation,Lemma1,Lemma2,Distance)`

Given by the lexicon: {relations}.
"""

_SLOTS = {
    "alike(I,J,Kind,N)": 2,
    "contrast(Kind,I,J)": 0,
    "difference_kind(D,Kind)": 1,
    "statement(Id,Kind)": 1,
    "piece(Id,Slot,At,Style)": 3,
}
"""Predicates, and the argument of each that has constants."""


def kinds() -> str:
    """The page as Markdown."""
    checked = Checked([rules_dir()], (), lambda _kind, _error: None)
    classes, relations = (
        ", ".join(f"`{name}`" for name in listed_constants()[argument])
        for argument in ("Class", "Relation")
    )
    lines = [_HEAD.format(classes=classes, relations=relations)]
    for title, at in _SLOTS.items():
        found = dict(sorted(_constants(checked, title, at)))
        lines += [f"## `{title}`\n", "| Constant | Derived in | Rule |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {where} |" for name, where in found.items()]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _constants(checked: Checked, title: str, at: int) -> Iterator[tuple[str, str]]:
    key = title.partition("(")[0], title.count(",") + 1
    for statement, read in checked.reads:
        for atom in read.derived:
            if atom.key == key and isinstance(term := atom.arguments[at], Ground):
                said = (statement.rule.sentence or "").replace("|", "\\|")
                yield str(term), f"`{checked.name(statement.path)}` | {said}"
