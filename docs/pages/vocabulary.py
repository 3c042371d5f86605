"""The page of predicates, made from the documentation in the rule files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.pages.predicates import Uses, purposes_of_files, rule_files, uses
from ists_asp.rules.profiles import Purpose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from docs.pages.predicates import RuleFile
    from ists_asp.vocabulary import Doc


_HEAD = """\
# Vocabulary

All predicates that rules may use, by the file that documents them. Those that start with `_` \
are private to their file and not listed. *Derived in* names the files whose rules derive a \
predicate (facts come from Python, weights from `lp_rules/weights/`), *used in* those whose \
rules look at it.

Names of arguments say what they stand for: `S` is a sentence (1 or 2), `I` and `J` are tokens, \
`C` is a chunk, `A` and `B` are chunks of sentence 1 and 2, `X` and `Y` spans of sentence 1 and 2, \
`L` is a label, `N` a number, `K` a line of the answer that is explained. Words are strings, tags \
are constants, similarities are integers from 0 to 100.

`python -m docs.pages` makes this page from the rule files.
"""

_PARTS = (
    ("The machine", "asp/"),
    ("Rules that decide", "lp_rules/"),
    ("Rules that explain", "lp_rules/explanation/"),
)


def vocabulary(root: Path) -> str:
    """The page as Markdown."""
    files = rule_files(root)
    found = uses(root, files)
    purposes = purposes_of_files()
    parts: dict[str, list[RuleFile]] = {title: [] for title, _ in _PARTS}
    for file in files:
        title = [title for title, folder in _PARTS if file.path.startswith(folder)][-1]
        if file.docs:
            parts[title].append(file)
    lines = [_HEAD, *_index(parts)]
    for title, members in parts.items():
        lines.append(f"\n## {title}\n")
        for file in members:
            lines += _file(file, found, purposes)
    return "\n".join(lines).rstrip() + "\n"


def _index(parts: dict[str, list[RuleFile]]) -> Iterator[str]:
    names = sorted(
        (doc.name, doc.signature) for files in parts.values() for file in files for doc in file.docs
    )
    yield (
        "All of them:\n\n" + ",\n".join(f"[`{name}`](#{_anchor(name)})" for name, _ in names) + "."
    )


def _file(
    file: RuleFile, found: dict[str, Uses], purposes: dict[str, set[Purpose]]
) -> Iterator[str]:
    yield f"### `{file.path}`\n"
    yield f"{file.title}\n"
    if file.purpose:
        yield f"Purpose: {file.purpose}\n"
    for doc in file.docs:
        yield from _predicate(doc, found.get(doc.name, Uses()))
        holds = set[Purpose]().union(
            *(purposes.get(one, set()) for one in found.get(doc.name, Uses()).heads)
        )
        if holds and Purpose.ANSWER not in holds:
            where = " and ".join(f"{one}s" for one in Purpose if one in holds)
            yield f"Holds in {where} only: no rule of answers can ask for it.\n"


def _predicate(doc: Doc, places: Uses) -> Iterator[str]:
    yield f"({_anchor(doc.name)})=\n#### `{doc.signature}`\n"
    yield f"{doc.text}\n"
    if doc.arguments:
        yield "\n".join(f"- `{name}`: {what}" for name, what in doc.arguments) + "\n"
    said = [
        f"{what} {_listed(files)}"
        for what, files in (("Derived in", places.heads), ("used in", places.bodies))
        if files
    ]
    if said:
        text = "; ".join(said)
        yield f"{text[0].upper()}{text[1:]}.\n"


def _listed(files: Iterable[str]) -> str:
    return ",\n".join(f"`{name}`" for name in sorted(files))


def _anchor(name: str) -> str:
    return name.replace("/", "-")
