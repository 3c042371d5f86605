"""From the input options to pairs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ists_asp.engine import System
    from ists_asp.io.text import Source, Warn
    from ists_asp.model import Pair, Sentence

__all__ = ["Inputs", "choose_one", "chosen"]

_STDIN = "-"
_BATCH = 200
_SHOWN_IDS = 10
_FLAGS = "two sentences, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The values of the input options; :meth:`check` them before anything else.

    Args:
        sentences: the positional arguments.
        sent1: file of the first sentences, ``-`` for standard input.
        sent2: file of the second sentences.
        tsv: tab-separated pairs.
        jsonl: pairs as JSON Lines.
        chunked: brackets give the chunks.
        raw: Stanza tokenises.
        strict: a repair is an error.
    """

    sentences: tuple[str, ...] = ()
    sent1: str | None = None
    sent2: str | None = None
    tsv: str | None = None
    jsonl: str | None = None
    chunked: bool = False
    raw: bool = False
    strict: bool = False

    @property
    def single(self) -> bool:
        """Whether the pair stands on the command line."""
        return bool(self.sentences)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to read, standard input excluded."""
        names = (self.sent1, self.sent2, self.tsv, self.jsonl)
        return tuple(Path(name) for name in names if name is not None and name != _STDIN)

    def check(self) -> None:
        """Refuse options that do not go together.

        Raises:
            UsageError: the message names the options.
        """
        files = {
            "--sent1": self.sent1,
            "--sent2": self.sent2,
            "--tsv": self.tsv,
            "--jsonl": self.jsonl,
        }
        given = [flag for flag, value in files.items() if value is not None]
        if self.sentences and given:
            raise UsageError(f"sentences on the command line do not go with {given[0]}")
        if not self.sentences and not given:
            raise UsageError("there is no input", expected=_FLAGS)
        if self.sentences and len(self.sentences) != 2:
            self._miscounted()
        for flag in ("--tsv", "--jsonl"):
            if flag in given and len(given) > 1:
                other = next(name for name in given if name != flag)
                raise UsageError(f"{other} does not go with {flag}", expected=_FLAGS)
            if flag in given and self.chunked:
                raise UsageError(
                    f"--chunked does not go with {flag}",
                    hint='JSON Lines give chunks with "chunks1" and "chunks2", '
                    "which need no option",
                )
        if given in (["--sent1"], ["--sent2"]):
            other = "--sent2" if given == ["--sent1"] else "--sent1"
            raise UsageError(f"{given[0]} without {other}", hint=f"Add {other} FILE")
        if self.sent1 == self.sent2 == _STDIN or self.sentences == (_STDIN, _STDIN):
            raise UsageError(
                "standard input (-) cannot be both sentences",
                hint="Give pairs to standard input with --tsv - or --jsonl -",
            )
        if self.chunked and self.raw:
            raise UsageError(
                "--chunked does not go with --raw", hint="Chunk files are tokenised already"
            )

    def read(self, warn: Warn) -> list[Pair]:
        """Read all pairs, so that a fault on the last line shows before any work is done.

        Raises:
            DataError: the input is faulty, there are no pairs, or a sentence is too long.
        """
        from ists_asp.engine import check_size

        pairs = list(self._pairs(warn))
        if not pairs:
            raise DataError(
                "the input is empty", where=self._names()[0], expected="at least one pair"
            )
        for pair in pairs:
            for sentence, place in zip((pair.sent1, pair.sent2), self._places(pair), strict=True):
                check_size(sentence, place)
        if self.raw:
            for pair in pairs:
                if pair.sent1.chunks is not None or pair.sent2.chunks is not None:
                    raise DataError(
                        "the pair has chunks, which --raw cannot keep",
                        where=f"pair {pair.id}",
                        hint="Leave out --raw, or the chunks",
                    )
        return pairs

    def tokenized(self, system: System, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tokenise pairs with Stanza where ``--raw`` asks for it; lazily and in their order."""
        if not self.raw:
            yield from pairs
            return
        from ists_asp.model import Pair

        remaining = iter(pairs)
        while batch := list(islice(remaining, _BATCH)):
            texts = [sentence.text for pair in batch for sentence in (pair.sent1, pair.sent2)]
            sentences = system.tokenize(texts)
            for number, pair in enumerate(batch):
                yield Pair(pair.id, sentences[2 * number], sentences[2 * number + 1])

    def _names(self) -> list[str]:
        """The files as messages call them, in the order of the options."""
        names = (self.sent1, self.sent2, self.tsv, self.jsonl)
        return ["<stdin>" if name == _STDIN else name for name in names if name is not None]

    def _places(self, pair: Pair) -> tuple[str, str]:
        """Where the sentences of a pair come from."""
        if self.single:
            return "sentence 1", "sentence 2"
        first, *second = self._names()
        if second:
            return f"{first}:{pair.id}", f"{second[0]}:{pair.id}"
        place = f"{first}: pair {pair.id}"
        return f"{place}, sentence 1", f"{place}, sentence 2"

    def _miscounted(self) -> None:
        if self.sentences == (_STDIN,):
            raise UsageError(
                "- alone does not say what standard input holds",
                expected="--tsv - or --jsonl -, or two sentences of which one is -",
            )
        count = len(self.sentences)
        raise UsageError(
            "one sentence" if count == 1 else f"{count} sentences",
            expected=_FLAGS,
            hint="Put each sentence in quotes",
        )

    def _pairs(self, warn: Warn) -> Iterable[Pair]:
        from ists_asp.io.chunks import read_chunk_pairs
        from ists_asp.io.jsonl import read_jsonl
        from ists_asp.io.sentences import read_pairs
        from ists_asp.io.tsv import read_tsv
        from ists_asp.model import Pair

        if self.tsv is not None:
            return read_tsv(_source(self.tsv), warn=warn, strict=self.strict)
        if self.jsonl is not None:
            return read_jsonl(_source(self.jsonl), warn=warn, strict=self.strict)
        if self.sent1 is not None and self.sent2 is not None:
            read = read_chunk_pairs if self.chunked else read_pairs
            return read(_source(self.sent1), _source(self.sent2), warn=warn, strict=self.strict)
        first, second = self.sentences
        return [Pair("1", self._sentence(first, 1, warn), self._sentence(second, 2, warn))]

    def _sentence(self, text: str, number: int, warn: Warn) -> Sentence:
        """A sentence of the command line, or the only line of standard input."""
        from ists_asp.io.chunks import read_chunks
        from ists_asp.io.sentences import read_sentences

        source: Source
        if text == _STDIN:
            name, source = "<stdin>", sys.stdin.buffer
        else:
            # As bytes, so that it is cleaned as the line of a file is.
            line = " ".join(text.splitlines()) + "\n"
            name, source = f"sentence {number}", BytesIO(line.encode("utf-8", "surrogateescape"))
        read = read_chunks if self.chunked else read_sentences
        found = list(read(source, name=name, warn=warn, strict=self.strict))
        if len(found) != 1:
            raise DataError(
                f"{len(found)} lines",
                where=name,
                expected="one sentence",
                hint="Give files of sentences with --sent1 and --sent2",
            )
        return found[0]


def choose_one(pairs: list[Pair], identifier: str | None) -> Pair:
    """The pair with an id, or the only one.

    Raises:
        DataError: there is no such pair.
        UsageError: there are several and no id says which.
    """
    found = chosen(pairs, identifier)
    if len(found) > 1:
        raise UsageError(f"{len(found)} pairs", hint="Choose one with --id ID")
    return found[0]


def _source(name: str) -> Source:
    return sys.stdin.buffer if name == _STDIN else Path(name)


def chosen(pairs: list[Pair], identifier: str | None) -> list[Pair]:
    """The pair with an id, or all pairs where there is none to choose by.

    Raises:
        DataError: there is no pair with this id.
    """
    if identifier is None:
        return pairs
    found = [pair for pair in pairs if pair.id == identifier]
    if not found:
        ids = ", ".join(pair.id for pair in pairs[:_SHOWN_IDS])
        more = ", …" if len(pairs) > _SHOWN_IDS else ""
        raise DataError(f"there is no pair with the id '{identifier}'", expected=f"{ids}{more}")
    return found
