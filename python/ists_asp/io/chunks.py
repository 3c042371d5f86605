r"""Chunk files: ``[ the bulb ] [ is ] [ on ]``, one sentence a line.

Brackets are markers where blanks surround them, or at the edge of a word that they are
glued to. A bracket that belongs to a word is written with a backslash before it (``\[``);
backslashes before such a bracket are doubled. Other backslashes stand for themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import Repairs, Source, Warn, ignore, read_lines, split_words
from ists_asp.model import Chunk, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["format_chunks", "parse_chunks", "read_chunks"]

_BRACKET = re.compile(r"(\\*)([\[\]])")
_ESCAPED = re.compile(r"\\(?:\\\\)*[\[\]]")
_GLUED_PAIR = re.compile(r"(?<!\\)\]\[")


def read_chunks(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[Sentence]:
    """Yield the sentences of a chunk file, with their chunks.

    Raises:
        DataError: an empty sentence, an unreadable file, or (strict) a bracket to repair.
    """
    repairs = Repairs(warn, strict)
    for line in read_lines(source, name=name, warn=warn, strict=strict):
        yield parse_chunks(line.text, where=line.where, repairs=repairs)


@dataclass(slots=True)
class _Builder:
    """The chunks of one line while its items are read from left to right."""

    where: str
    repairs: Repairs
    words: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    inside: bool = False
    first: int = 1

    def open(self) -> None:
        if self.inside:
            self.repairs.report(
                self.where,
                f"bracket [ inside an open chunk after '{self._pending()}'",
                "the open chunk ends before it",
            )
            self._finish()
        else:
            self._outside()
        self.inside = True

    def close(self) -> None:
        if not self.inside:
            self._outside()
            self.repairs.report(self.where, "bracket ] without its [", "dropped")
            return
        if self.first > len(self.words):
            self.repairs.report(self.where, "an empty chunk [ ]", "dropped")
        self._finish()
        self.inside = False

    def end(self) -> None:
        if self.inside:
            self.repairs.report(
                self.where,
                f"the chunk '{self._pending()}' has no ]",
                "it ends at the end of the line",
            )
            self._finish()
        else:
            self._outside()

    def _outside(self) -> None:
        if self.first <= len(self.words):
            self.repairs.report(
                self.where, f"'{self._pending()}' stands outside brackets", "read as a chunk"
            )
            self._finish()

    def _pending(self) -> str:
        return " ".join(self.words[self.first - 1 :])

    def _finish(self) -> None:
        if self.first <= len(self.words):
            self.chunks.append(Chunk(self.first, len(self.words)))
            self.first = len(self.words) + 1


def parse_chunks(text: str, *, where: str = "line", repairs: Repairs | None = None) -> Sentence:
    """Read one line of a chunk file.

    Every token ends up in exactly one chunk: an opening bracket inside an open chunk ends
    that chunk, an unclosed chunk ends with the line, tokens outside brackets are a chunk of
    their own, and empty or unpaired brackets are dropped, each with one warning.

    Raises:
        DataError: no tokens, or (strict) something to repair.
    """
    repairs = repairs or Repairs()
    builder = _Builder(where, repairs)
    for item in split_words(text):
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
                builder.words.append(_unescape(word))
            for _ in range(closes):
                builder.close()
        if glued:
            repairs.report(where, f"no blank at the bracket of '{item}'", "read with blanks")
    builder.end()
    if not builder.words:
        raise DataError("an empty sentence", where=where, expected="at least one token")
    tokens = make_sentence(builder.words).tokens
    return Sentence(tokens, tuple(builder.chunks))


def format_chunks(sentence: Sentence) -> str:
    """One line of a chunk file (no line end); a sentence without chunks is one chunk.

    Raises:
        DataError: the chunks do not cover the tokens in order, each once.
    """
    size = len(sentence.tokens)
    chunks = sentence.chunks if sentence.chunks is not None else (Chunk(1, size),)
    covered = [number for chunk in chunks for number in chunk.tokens]
    if covered != list(range(1, size + 1)):
        raise DataError(
            f"the chunks of '{sentence.text}' cover the tokens {covered}",
            expected=f"1 to {size}, each once and in order",
        )
    words = [_escape(token.form) for token in sentence.tokens]
    return " ".join(f"[ {' '.join(words[chunk.first - 1 : chunk.last])} ]" for chunk in chunks)


def _edges(piece: str) -> tuple[int, str, int]:
    """Bracket markers glued to the start of a word, the word, and those glued to its end."""
    word = piece.lstrip("[")
    opens = len(piece) - len(word)
    closes = 0
    # "foo[1]" closes its own bracket, so its last character is no marker.
    while word.endswith("]") and not _ends_escaped(word) and "[" not in _ESCAPED.sub("", word):
        word = word[:-1]
        closes += 1
    return opens, word, closes


def _ends_escaped(word: str) -> bool:
    slashes = len(word) - 1 - len(word[:-1].rstrip("\\"))
    return slashes % 2 == 1


def _escape(word: str) -> str:
    return _BRACKET.sub(lambda match: match[1] * 2 + "\\" + match[2], word)


def _unescape(word: str) -> str:
    return _BRACKET.sub(lambda match: "\\" * (len(match[1]) // 2) + match[2], word)
