"""Build the Spanish lexicon: synonyms of a thesaurus, in a small SQLite file.

    python data/lexicon/build_spanish.py --thesaurus FILE -o data/lexicon/spanish.sqlite

FILE is ``/usr/share/mythes/th_es_ES_v2.dat`` of Debian's package ``mythes-es``. The same input
and the same SQLite release give the same bytes. README.md beside this file has the tables.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEMA_VERSION = 1
"""Kept in ``PRAGMA user_version``; the reader refuses any other."""

FARTHEST = 9
"""The distance of two words that list each other and have no other neighbour in common."""

SAME = 1 / 2
"""From this share of common neighbours on, two words have the distance 0."""

SCHEMA = """
CREATE TABLE word (lemma TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE synonym (word INTEGER, other INTEGER, distance INTEGER NOT NULL,
    PRIMARY KEY (word, other)) WITHOUT ROWID;
"""

_NOTE = re.compile(r"\s*\([^)]*\)")


def normal(text: str) -> str:
    """Lower-case, without notes such as ``(fig.)``."""
    return " ".join(_NOTE.sub("", text).lower().split())


def entries(text: str) -> Iterator[tuple[str, str]]:
    """Every word with every word that it lists.

    A headword's line is ``word|N``; N lines ``(note)|synonym|synonym|...`` follow, one for each
    sense. The first line of the file names its encoding.
    """
    lines = iter(text.splitlines()[1:])
    for line in lines:
        head, _, count = line.rpartition("|")
        for _ in range(int(count)):
            _, *listed = next(lines).split("|")
            yield from ((normal(head), normal(other)) for other in listed if normal(other))


def neighbours(text: str) -> dict[str, set[str]]:
    """Every word with all words that it lists or that list it."""
    found: dict[str, set[str]] = defaultdict(set)
    for word, other in entries(text):
        if word != other:
            found[word].add(other)
            found[other].add(word)
    return found


def distance(first: set[str], second: set[str]) -> int:
    """How far two words that list each other are, 0 to FARTHEST, by the neighbours they share.

    The thesaurus lists loosely related words, too: those share few neighbours.
    """
    # Each is a neighbour of the other, which is no neighbour in common.
    share = len(first & second) / (len(first | second) - 2 or 1)
    return round(FARTHEST * max(0.0, 1 - share / SAME))


def rows(found: Mapping[str, set[str]]) -> Iterator[tuple[str, str, int]]:
    """Every two words that list each other, both ways, with their distance; sorted."""
    for word in sorted(found):
        for other in sorted(found[word]):
            yield word, other, distance(found[word], found[other])


def main() -> None:
    """Read, reckon and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--thesaurus", type=Path, required=True, metavar="FILE.dat")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.sqlite")
    arguments = parser.parse_args()
    target: Path = arguments.output
    found = neighbours(arguments.thesaurus.read_text(encoding="latin-1"))
    target.unlink(missing_ok=True)
    ids = {word: number for number, word in enumerate(sorted(found), 1)}
    database = sqlite3.connect(target)
    with database:
        database.executescript(SCHEMA)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        database.executemany("INSERT INTO word VALUES (?, ?)", sorted(ids.items()))
        database.executemany(
            "INSERT INTO synonym VALUES (?, ?, ?)",
            sorted((ids[word], ids[other], number) for word, other, number in rows(found)),
        )
    database.execute("VACUUM")
    database.close()
    print(f"{len(ids)} words, {target.stat().st_size / 1e6:.1f} MB: {target}")


if __name__ == "__main__":
    main()
