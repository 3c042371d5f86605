"""From the input options to pairs."""

from __future__ import annotations

import hashlib
import shutil
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Protocol

from ists_asp.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.io.text import Source, Warn
    from ists_asp.model import Pair, Sentence

__all__ = ["Inputs", "PairSource", "choose_one", "chosen"]

_STDIN = "-"
_BATCH = 200
_SHOWN_IDS = 10
_FLAGS = "two sentences, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE"


class _Tokenizer(Protocol):
    def tokenize(self, texts: Sequence[str]) -> list[Sentence]: ...


@dataclass(frozen=True, slots=True)
class PairSource:
    """Pairs that were counted and checked and can be read again.

    ``count`` is how many there are, ``longest`` the tokens of the longest pair, both sentences
    together; ``digest`` is a SHA-256 sum of what is read and how.
    """

    inputs: Inputs
    count: int
    longest: int
    digest: str

    def pairs(self) -> Iterator[Pair]:
        """Read the pairs, lazily; faults that were repaired are not told again."""
        from ists_asp.io.text import ignore

        return iter(self.inputs._pairs(ignore))

    def same(self) -> bool:
        """Whether the files are still what they were."""
        try:
            return self.inputs.digest() == self.digest
        except OSError:
            return False

    def check_same(self) -> None:
        """Make sure that all pairs were those that were counted and checked.

        Raises:
            DataError: a file has changed meanwhile.
        """
        if not self.same():
            raise DataError(
                "the input has changed while it was read",
                where=self.inputs._names()[0],
                hint="Repeat the command",
            )


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
        copies: of what can be read only once, to be read in its place.
    """

    sentences: tuple[str, ...] = ()
    sent1: str | None = None
    sent2: str | None = None
    tsv: str | None = None
    jsonl: str | None = None
    chunked: bool = False
    raw: bool = False
    strict: bool = False
    copies: Mapping[str, Path] = field(default_factory=dict)

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
        return list(self._checked(warn))

    @contextmanager
    def opened(self, warn: Warn) -> Iterator[PairSource]:
        """Read all pairs once, to count and check them; they can then be read again.

        Only what tells them apart is held in memory. Standard input is kept in a file meanwhile.

        Raises:
            DataError: as for :meth:`read`.
        """
        with ExitStack() as stack:
            kept = self._kept(stack)
            before = kept._digest_or_none()
            count, longest = 0, 0
            for pair in kept._checked(warn):
                count += 1
                longest = max(longest, len(pair.sent1.tokens) + len(pair.sent2.tokens))
            source = PairSource(kept, count, longest, before or "")
            source.check_same()
            yield source

    def digest(self) -> str:
        """A SHA-256 sum of what is read and how.

        Raises:
            OSError: a file cannot be read.
        """
        whole = hashlib.sha256()
        for part in (*self.sentences, self.chunked, self.raw, self.strict):
            whole.update(f"{part!r},".encode())
        for flag in ("sent1", "sent2", "tsv", "jsonl"):
            name = getattr(self, flag)
            if name is not None:
                with self._place(name).open("rb") as stream:
                    whole.update(flag.encode() + hashlib.file_digest(stream, "sha256").digest())
        if _STDIN in self.sentences:
            with self._place(_STDIN).open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
        return whole.hexdigest()

    def _digest_or_none(self) -> str | None:
        """The sum, or None where a file cannot be read, which its reader tells better."""
        try:
            return self.digest()
        except (OSError, ValueError):
            return None

    def _kept(self, stack: ExitStack) -> Inputs:
        """The inputs, with copies of what can be read only once: standard input and pipes."""
        names = (*self.sentences, self.sent1, self.sent2, self.tsv, self.jsonl)
        once = {name for name in names if name == _STDIN}
        once.update(str(path) for path in self.files if _only_once(path))
        if not once:
            return self
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="ists-asp-")))
        copies = {name: folder / str(number) for number, name in enumerate(sorted(once))}
        for name, copy in copies.items():
            try:
                with ExitStack() as streams:
                    stream = _standard_input()
                    if name != _STDIN:
                        stream = streams.enter_context(Path(name).open("rb"))
                    shutil.copyfileobj(stream, streams.enter_context(copy.open("wb")))
            except OSError as error:
                raise DataError(
                    f"cannot be kept: {error.strerror or error}",
                    where=_name(name),
                    hint="Make room in the folder for temporary files (TMPDIR)",
                ) from None
        return replace(self, copies=copies)

    def _checked(self, warn: Warn) -> Iterator[Pair]:
        from ists_asp.engine import check_size

        empty = True
        for pair in self._pairs(warn):
            empty = False
            for sentence, place in zip((pair.sent1, pair.sent2), self._places(pair), strict=True):
                check_size(sentence, place)
            if self.raw and not (pair.sent1.chunks is None is pair.sent2.chunks):
                raise DataError(
                    "the pair has chunks, which --raw cannot keep",
                    where=f"pair {pair.id}",
                    hint="Leave out --raw, or the chunks",
                )
            yield pair
        if empty:
            raise DataError(
                "the input is empty", where=self._names()[0], expected="at least one pair"
            )

    def tokenized(self, system: _Tokenizer, pairs: Iterable[Pair]) -> Iterator[Pair]:
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
            source = self._source(self.tsv)
            return read_tsv(source, name=_name(self.tsv), warn=warn, strict=self.strict)
        if self.jsonl is not None:
            source = self._source(self.jsonl)
            return read_jsonl(source, name=_name(self.jsonl), warn=warn, strict=self.strict)
        if self.sent1 is not None and self.sent2 is not None:
            read = read_chunk_pairs if self.chunked else read_pairs
            return read(
                self._source(self.sent1),
                self._source(self.sent2),
                name1=_name(self.sent1),
                name2=_name(self.sent2),
                warn=warn,
                strict=self.strict,
            )
        first, second = self.sentences
        return [Pair("1", self._sentence(first, 1, warn), self._sentence(second, 2, warn))]

    def _source(self, name: str) -> Source:
        return _standard_input() if name == _STDIN and not self.copies else self._place(name)

    def _place(self, name: str) -> Path:
        return self.copies.get(name) or Path(name)

    def _sentence(self, text: str, number: int, warn: Warn) -> Sentence:
        """A sentence of the command line, or the only line of standard input."""
        from ists_asp.io.chunks import read_chunks
        from ists_asp.io.sentences import read_sentences

        source: Source
        if text == _STDIN:
            name, source = "<stdin>", self._source(text)
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


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed", hint="Name files instead of -")
    return sys.stdin.buffer


def _only_once(path: Path) -> bool:
    """Whether what is read from a path is gone afterwards: from a pipe, or what somebody types.

    Raises:
        DataError: it is a device that may have no end.
    """
    if not path.is_char_device():
        return path.is_fifo()
    with path.open("rb") as stream:
        if not stream.isatty():
            raise DataError("this is a device", where=str(path), expected="a file or a pipe")
    return True


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


def _name(name: str) -> str:
    return "<stdin>" if name == _STDIN else name


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
