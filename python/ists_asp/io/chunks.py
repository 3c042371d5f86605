r"""Chunk files: ``[ the bulb ] [ is ] [ on ]``, one sentence a line.

Brackets are markers where blanks surround them, or at the edge of a word that they are
glued to. A bracket that belongs to a word is written with a backslash before it (``\[``);
backslashes before such a bracket are doubled. Other backslashes stand for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ists_asp.errors import DataError, shortened
from ists_asp.io import text as t
from ists_asp.model import Chunk, Sentence

# A match begins where a run of backslashes does: a long one is looked through once only.
_BRACKET = re.compile(r"(?<!\\)(\\*+)([\[\]])")
_OPENING = re.compile(r"(?<!\\)\[")
_GLUED_PAIR = re.compile(r"(?<!\\)\]\[")


def read_chunks(
    source: t.Source, *, name: str | None = None, warn: t.Warn = t.ignore, strict: bool = False
) -> Iterator[Sentence]:
    """Yield the sentences of a chunk file, with their chunks."""
    parse = chunk_parser(t.Repairs(warn, strict))
    return t.parse_lines(source, parse, name=name, warn=warn, strict=strict)


def chunk_parser(repairs: t.Repairs) -> Callable[[t.Line], Sentence]:
    """A function that reads a line of a chunk file."""
    return lambda line: parse_chunks(line.text, where=line.where, repairs=repairs)


@dataclass(slots=True)
class _Builder:
    """The chunks of one line, read from left to right; ``mended`` counts each kind of repair."""

    words: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    mended: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    inside: bool = False
    first: int = 1

    def open(self) -> None:
        self._finish("bracket [ inside an open chunk after '{}'", "the open chunk ends before it")
        self.inside = True

    def close(self) -> None:
        if self.inside and self.first > len(self.words):
            self.mend("an empty chunk [ ]", "", "dropped")
        self._finish()
        if not self.inside:
            self.mend("bracket ] without its [", "", "dropped")
        self.inside = False

    def end(self, where: str, repairs: t.Repairs) -> None:
        """End the line, and tell what was mended on it."""
        self._finish("the chunk '{}' has no ]", "it ends at the end of the line")
        for (found, done), (example, count) in self.mended.items():
            more = f", and {count - 1} more such" if count > 1 else ""
            repairs.report(where, found.format(shortened(example)) + more, done)

    def mend(self, found: str, example: str, done: str) -> None:
        """Count a fault; of several of a kind the first is the example."""
        first, count = self.mended.get((found, done), (example, 0))
        self.mended[found, done] = first, count + 1

    def _finish(self, found: str = "", done: str = "") -> None:
        """Make the words since the last chunk one; the fault is that of an open chunk."""
        pending = self.words[self.first - 1 :]
        if not self.inside:
            found, done = "'{}' stands outside brackets" if pending else "", "read as a chunk"
        if found:
            self.mend(found, " ".join(pending), done)
        if pending:
            self.chunks.append(Chunk(self.first, len(self.words)))
            self.first = len(self.words) + 1


def parse_chunks(text: str, *, where: str = "line", repairs: t.Repairs | None = None) -> Sentence:
    """Read one line of a chunk file, in which every token ends up in exactly one chunk.

    An opening bracket ends an open chunk, as does the end of the line; tokens outside brackets are
    a chunk; empty or unpaired brackets are dropped, each kind with one warning.
    """
    builder = _Builder()
    for item in t.split_words(text):
        if item in ("[", "]"):
            builder.open() if item == "[" else builder.close()
            continue
        pieces = _GLUED_PAIR.sub("] [", item).split(" ")
        glued = len(pieces) > 1
        for piece in pieces:
            opens, word, closes = _edges(piece)
            glued = glued or bool(opens or closes)
            for _ in range(opens):
                builder.open()
            if word:
                # Half of the backslashes before a bracket.
                builder.words.append(_BRACKET.sub(lambda match: match[1][1::2] + match[2], word))
            for _ in range(closes):
                builder.close()
        if glued:
            builder.mend("no space at the bracket of '{}'", item, "read with spaces")
    builder.end(where, repairs or t.Repairs())
    if not builder.words:
        raise DataError("an empty sentence", where=where, expected="at least one token")
    return Sentence(t.make_sentence(builder.words).tokens, tuple(builder.chunks))


def format_chunks(sentence: Sentence) -> str:
    """One line of a chunk file (no line end); a sentence without chunks is one chunk."""
    size = len(sentence.tokens)
    chunks = sentence.chunks if sentence.chunks is not None else (Chunk(1, size),)
    covered = [number for chunk in chunks for number in chunk.tokens]
    if covered != list(range(1, size + 1)):
        found = f"the chunks of '{shortened(sentence.text)}' cover the tokens {covered}"
        raise DataError(found, expected=f"1 to {size}, each once and in order")
    words = [_BRACKET.sub(r"\1\1\\\2", token.form) for token in sentence.tokens]
    return " ".join(f"[ {' '.join(words[chunk.first - 1 : chunk.last])} ]" for chunk in chunks)


def _edges(piece: str) -> tuple[int, str, int]:
    """Bracket markers glued to the start of a word, the word, and those glued to its end."""
    word = piece.lstrip("[")
    opens = len(piece) - len(word)
    # "foo[1]" closes its own bracket, so its last character is no marker.
    if not word.endswith("]") or _OPENING.search(word):
        return opens, word, 0
    rest = word.rstrip("]")
    closes = len(word) - len(rest)
    slashes = len(rest) - len(rest.rstrip("\\"))
    if slashes % 2:
        # The first of the brackets belongs to the word.
        rest, closes = rest + "]", closes - 1
    return opens, rest, closes
