"""Finds words in rule files, line by line: in names, documentation, evidence, sentences, tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ists_asp.rules.loader import rule_files
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ists_asp.rules.source import RuleFile

_GROUPS = {
    "names of rules": r"%@rule\s+(\w+)",
    "predicates": r"%\*!()",
    "evidence and weights": r"(?:evidence\(\w+\(.*?\),|(?:weight|correction|argues)\()(\w+)",
    "sentences and comments": r"%()",
    "words and facts": r"(?!.*:[-~])()",
    "conditions": r"()",
}
"""Where a line may have words, in the order of telling: what it begins with, its name in brackets.

Where there is a name, that has the words.
"""


class Hit(NamedTuple):
    """A line that has all the words: ``rank`` says how nearly, 0 where it begins with them."""

    group: str
    rank: int
    file: str
    line: int
    text: str


def search(
    profile: str, given: Sequence[Path], reader: str | None, words: Sequence[str]
) -> list[Hit]:
    """The lines of a profile's rule files that have some words, group by group, the best first."""
    wanted = [word.lower() for word in words]
    found: dict[Path, RuleFile] = {}
    for purpose in Purpose:
        known, sources = find_program(profile, given, reader=reader)
        if known.files(purpose) is not None:
            sources = find_program(profile, given, purpose, reader=reader)[1]
            found |= {file.path: file for file in rule_files(sources)}
    hits = [hit for file in found.values() for hit in _hits(file, wanted)]
    return sorted(hits, key=lambda hit: ([*_GROUPS].index(hit.group), hit.rank))


def _hits(file: RuleFile, wanted: Sequence[str]) -> Iterator[Hit]:
    documented = ""
    for number, line in enumerate(file.path.read_text("utf-8", "replace").splitlines(), start=1):
        if line.startswith(("%*!", "*%")):
            documented = line.removeprefix("*%")
        elif documented:
            line = f"{documented}: {line}"
        text = " ".join(line.lower().split())
        for group, form in _GROUPS.items() if all(word in text for word in wanted) else ():
            begin = re.match(form, text)
            name = begin and (begin[1] or text)
            if name and all(word in name for word in wanted):
                rank = 2 - ({*wanted} <= {*re.findall(r"[^\W_]+", name)})
                rank = 0 if wanted == re.findall(r"\w+", name)[:1] else rank
                yield Hit(group, rank, file.name, number, " ".join(line.split()))
                break
