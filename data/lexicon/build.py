"""Build the lexicon: WordNet's relations, without its glosses, in a small SQLite file.

    python data/lexicon/build.py --wordnet /usr/share/wordnet -o data/lexicon/wordnet.sqlite

The input is the directory of WordNet 3.0 database files (``data.noun``, ``index.noun``,
...) that Debian's package ``wordnet-base`` installs. The same input and the same SQLite
release give the same bytes. README.md beside this file describes the tables.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CLASSES = Path(__file__).resolve().with_name("classes.tsv")

SCHEMA_VERSION = 2
"""Kept in ``PRAGMA user_version``; the reader refuses any other."""

BROAD = 1000
"""A synset with more descendants than this says too little to relate two words."""

CLASS_SENSES = 2
"""So many of a word's senses, from the most frequent, can give it a class."""

CLASS_SHARE = 5
"""A later sense gives a class only if it is at most so many times rarer than the first."""

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

SCHEMA = """
CREATE TABLE word (lemma TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sense (word INTEGER, pos TEXT, rank INTEGER, synset INTEGER NOT NULL,
    PRIMARY KEY (word, pos, rank)) WITHOUT ROWID;
CREATE TABLE hypernym (synset INTEGER, parent INTEGER,
    PRIMARY KEY (synset, parent)) WITHOUT ROWID;
CREATE TABLE broad (synset INTEGER PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE similar (synset INTEGER, head INTEGER,
    PRIMARY KEY (synset, head)) WITHOUT ROWID;
CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE link (synset INTEGER, kind INTEGER, word INTEGER, target INTEGER, target_word INTEGER,
    PRIMARY KEY (synset, kind, word, target, target_word)) WITHOUT ROWID;
CREATE TABLE class_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE class (word INTEGER, pos TEXT, class INTEGER,
    PRIMARY KEY (word, pos, class)) WITHOUT ROWID;
CREATE TABLE usage (word INTEGER, pos TEXT, percent INTEGER NOT NULL,
    PRIMARY KEY (word, pos)) WITHOUT ROWID;
"""

LEXICAL = {"!": "antonym", "+": "derivation", "\\": "derivation", "<": "derivation"}
"""Pointers from a word in a synset to a word in another; they hold in both directions."""

CONCEPTUAL = {"#p": ("part", "whole"), ">": ("cause", "effect")}
"""Pointers from synset to synset: the kind of the link, and of the link back."""

KINDS = ("antonym", "cause", "derivation", "effect", "part", "whole")
"""The kinds of links, numbered from 1."""


class BuildError(Exception):
    """The input is not what the build expects."""


class Key(NamedTuple):
    """A synset's place in WordNet's files: part of speech and byte offset."""

    pos: str
    offset: int


class Pointer(NamedTuple):
    """A relation as WordNet writes it; word numbers are from 1, and 0 for the whole synset."""

    symbol: str
    target: Key
    source_word: int
    target_word: int


@dataclass(frozen=True, slots=True)
class Synset:
    """Words that share a meaning; ``satellite`` marks an adjective that has a head."""

    key: Key
    satellite: bool
    lemmas: tuple[str, ...]
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True, slots=True)
class WordNet:
    """What the build needs of WordNet, with the numbers that the tables use."""

    synsets: tuple[Synset, ...]
    senses: dict[tuple[str, str], tuple[Key, ...]]
    counts: dict[tuple[str, str, int], int]
    word_ids: dict[str, int]
    synset_ids: dict[Key, int]


def normal(lemma: str) -> str:
    """Lower-case, blanks for underscores, without an adjective's position such as ``(a)``."""
    return re.sub(r"\((?:a|p|ip)\)$", "", lemma).replace("_", " ").lower()


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a WordNet file after its licence header, which is indented."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if not line.startswith(" "))
    except OSError as error:
        raise BuildError(
            f"{path}: {error.strerror}; install Debian's wordnet-base or name another directory "
            "with --wordnet"
        ) from error


def read_synsets(directory: Path, pos: str) -> Iterator[Synset]:
    """Read one data file; the format is in the manual page ``wndb(5WN)``."""
    for line in lines_of(directory / f"data.{FILES[pos]}"):
        fields = line.partition(" | ")[0].split()
        words_end = 4 + 2 * int(fields[3], 16)
        pointers = []
        for start in range(words_end + 1, words_end + 1 + 4 * int(fields[words_end]), 4):
            symbol, offset, target_pos, ends = fields[start : start + 4]
            target = Key(target_pos, int(offset))
            pointers.append(Pointer(symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
        yield Synset(
            key=Key(pos, int(fields[0])),
            satellite=fields[2] == "s",
            lemmas=tuple(normal(lemma) for lemma in fields[4:words_end:2]),
            pointers=tuple(pointers),
        )


def read_senses(directory: Path, pos: str) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """Read one index file: each lemma with its synsets, the most frequent first."""
    for line in lines_of(directory / f"index.{FILES[pos]}"):
        fields = line.split()
        offsets = fields[-int(fields[2]) :]
        yield normal(fields[0]), tuple(Key(pos, int(offset)) for offset in offsets)


def read_counts(directory: Path) -> dict[tuple[str, str, int], int]:
    """How often each sense, numbered from 1, occurs in WordNet's tagged texts."""
    counts: dict[tuple[str, str, int], int] = {}
    for line in lines_of(directory / "cntlist.rev"):
        sense_key, number, count = line.split()
        lemma, _, rest = sense_key.partition("%")
        counts[normal(lemma), "nvara"[int(rest[0]) - 1], int(number)] = int(count)
    return counts


def read_wordnet(directory: Path) -> WordNet:
    """Read all files and number words and synsets in their sorted order."""
    synsets = tuple(synset for pos in FILES for synset in read_synsets(directory, pos))
    senses = {(lemma, pos): keys for pos in FILES for lemma, keys in read_senses(directory, pos)}
    lemmas = sorted({lemma for synset in synsets for lemma in synset.lemmas})
    return WordNet(
        synsets=synsets,
        senses=senses,
        counts=read_counts(directory),
        word_ids={lemma: number for number, lemma in enumerate(lemmas, start=1)},
        synset_ids={synset.key: number for number, synset in enumerate(synsets, start=1)},
    )


def parents_of(wordnet: WordNet) -> dict[int, set[int]]:
    """The hypernyms, instance hypernyms included, of each synset."""
    parents: dict[int, set[int]] = defaultdict(set)
    for synset in wordnet.synsets:
        for pointer in synset.pointers:
            if pointer.symbol in ("@", "@i"):
                parents[wordnet.synset_ids[synset.key]].add(wordnet.synset_ids[pointer.target])
    return parents


def heads_of(wordnet: WordNet) -> dict[int, set[int]]:
    """The head, or rarely heads, of each adjective satellite."""
    heads: dict[int, set[int]] = defaultdict(set)
    for synset in wordnet.synsets:
        for pointer in synset.pointers:
            if synset.satellite and pointer.symbol == "&":
                heads[wordnet.synset_ids[synset.key]].add(wordnet.synset_ids[pointer.target])
    return heads


def ancestors(start: int, parents: dict[int, set[int]]) -> set[int]:
    """The synset and everything above it."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        synset = waiting.pop()
        if synset not in found:
            found.add(synset)
            waiting.extend(parents.get(synset, ()))
    return found


def broad_synsets(parents: dict[int, set[int]]) -> Iterator[int]:
    """The synsets with more than ``BROAD`` descendants."""
    below: dict[int, int] = defaultdict(int)
    for synset in parents:
        for ancestor in ancestors(synset, parents) - {synset}:
            below[ancestor] += 1
    return (synset for synset, count in below.items() if count > BROAD)


def links(wordnet: WordNet) -> Iterator[tuple[int, str, int, int, int]]:
    """Rows of the table ``link``, in both directions, some of them more than once."""
    by_key = {synset.key: synset for synset in wordnet.synsets}
    for synset in wordnet.synsets:
        here = wordnet.synset_ids[synset.key]
        for pointer in synset.pointers:
            there = wordnet.synset_ids[pointer.target]
            if pointer.symbol in LEXICAL:
                kind = LEXICAL[pointer.symbol]
                source = wordnet.word_ids[synset.lemmas[pointer.source_word - 1]]
                lemma = by_key[pointer.target].lemmas[pointer.target_word - 1]
                target = wordnet.word_ids[lemma]
                yield here, kind, source, there, target
                yield there, kind, target, here, source
            elif pointer.symbol in CONCEPTUAL:
                kind, back = CONCEPTUAL[pointer.symbol]
                yield here, kind, 0, there, 0
                yield there, back, 0, here, 0


def read_classes(path: Path, wordnet: WordNet) -> dict[int, set[str]]:
    """The class names that the table gives to a synset and to everything below it."""
    classes: dict[int, set[str]] = defaultdict(set)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        try:
            name, lemma, pos, sense = line.split("\t")
            key = wordnet.senses[lemma, pos][int(sense) - 1]
        except (ValueError, KeyError, IndexError):
            raise BuildError(
                f"{path}:{number}: {line!r} does not name a sense; expected class, lemma, "
                "n/v/a/r and sense number, separated by tabs"
            ) from None
        classes[wordnet.synset_ids[key]].add(name)
    return classes


def class_rows(
    wordnet: WordNet, above: dict[int, set[int]], classes: dict[int, set[str]]
) -> Iterator[tuple[int, str, str]]:
    """Word, part of speech and class name, from the word's most frequent senses."""
    for (lemma, pos), keys in wordnet.senses.items():
        first = wordnet.counts.get((lemma, pos, 1), 0)
        names: set[str] = set()
        for number, key in enumerate(keys[:CLASS_SENSES], start=1):
            count = wordnet.counts.get((lemma, pos, number), 0)
            if number == 1 or count * CLASS_SHARE >= first:
                for ancestor in ancestors(wordnet.synset_ids[key], above):
                    names |= classes.get(ancestor, set())
        for name in names:
            yield wordnet.word_ids[lemma], pos, name


def usage_rows(wordnet: WordNet) -> Iterator[tuple[int, str, int]]:
    """How often, in percent, a word of several parts of speech is used as each of them.

    One is added to the count of each sense, so that senses never seen count a little.
    """
    totals: dict[str, dict[str, int]] = defaultdict(dict)
    for (lemma, pos), keys in wordnet.senses.items():
        totals[lemma][pos] = sum(
            wordnet.counts.get((lemma, pos, number), 0) + 1 for number in range(1, len(keys) + 1)
        )
    for lemma, by_pos in totals.items():
        if len(by_pos) > 1:
            for pos, count in by_pos.items():
                yield wordnet.word_ids[lemma], pos, round(100 * count / sum(by_pos.values()))


def fill(database: sqlite3.Connection, wordnet: WordNet, table: Path) -> None:
    """Create and fill all tables; rows go in sorted, which keeps pages full and in order."""

    def insert(name: str, rows: Iterable[tuple[object, ...]]) -> None:
        ordered = sorted(set(rows))
        if ordered:
            places = ", ".join("?" * len(ordered[0]))
            database.executemany(f"INSERT INTO {name} VALUES ({places})", ordered)

    parents = parents_of(wordnet)
    heads = heads_of(wordnet)
    classes = read_classes(table, wordnet)
    names = sorted({name for group in classes.values() for name in group})
    numbers = {name: number for number, name in enumerate(names, start=1)}
    kinds = {name: number for number, name in enumerate(KINDS, start=1)}
    senses = (
        (wordnet.word_ids[lemma], pos, rank, wordnet.synset_ids[key])
        for (lemma, pos), keys in wordnet.senses.items()
        for rank, key in enumerate(keys)
    )
    named = class_rows(wordnet, parents | heads, classes)

    database.executescript(SCHEMA)
    insert("word", wordnet.word_ids.items())
    insert("sense", senses)
    insert("hypernym", ((low, high) for low, group in parents.items() for high in group))
    insert("broad", ((synset,) for synset in broad_synsets(parents)))
    insert("similar", ((low, high) for low, group in heads.items() for high in group))
    insert("kind", ((number, name) for name, number in kinds.items()))
    insert("link", ((synset, kinds[kind], *ends) for synset, kind, *ends in links(wordnet)))
    insert("class_name", ((number, name) for name, number in numbers.items()))
    insert("usage", usage_rows(wordnet))
    insert("class", ((word, pos, numbers[name]) for word, pos, name in named))


def build(directory: Path, output: Path, classes: Path = CLASSES) -> None:
    """Write the lexicon, replacing ``output`` only when it is complete.

    Args:
        directory: where WordNet's ``data.*``, ``index.*`` and ``cntlist.rev`` are.
        output: the SQLite file to write.
        classes: the table of broad classes.

    Raises:
        BuildError: if a file is missing or the table of classes is faulty.
    """
    wordnet = read_wordnet(directory)
    partial = output.with_name(output.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        database = sqlite3.connect(partial)
        try:
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            with database:
                fill(database, wordnet, classes)
            database.execute("VACUUM")
        finally:
            database.close()
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def main() -> int:
    """Read the command line, build, and say on standard error what went wrong."""
    parser = argparse.ArgumentParser(description="Build the lexicon from WordNet 3.0.")
    parser.add_argument(
        "--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="WordNet's files"
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=CLASSES.with_name("wordnet.sqlite"), help="SQLite file"
    )
    arguments = parser.parse_args()
    try:
        build(arguments.wordnet, arguments.output)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
