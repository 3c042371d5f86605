"""From the input options to pairs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ists_asp.cli.console import reader_warnings
from ists_asp.cli.input.foreign import Foreign
from ists_asp.cli.input.input_check import check_together
from ists_asp.cli.input.once import STDIN, copied, shown, standard_input
from ists_asp.cli.input.untokenized import Attached
from ists_asp.errors import DataError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import ExitStack

    from ists_asp.engine import System
    from ists_asp.io.text import Source, Warn
    from ists_asp.model import Pair, Sentence

_BATCH = 200


class _Tokenizer(Protocol):
    def tokenize(self, texts: Sequence[str]) -> list[Sentence]: ...


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
    def _given(self) -> dict[str, str]:
        """The files, by option and in the order of the options."""
        names = {
            "--sent1": self.sent1,
            "--sent2": self.sent2,
            "--tsv": self.tsv,
            "--jsonl": self.jsonl,
        }
        return {flag: name for flag, name in names.items() if name is not None}

    def check(self) -> None:
        """Refuse options that do not go together.

        Raises:
            UsageError: the message names the options.
        """
        check_together(self.sentences, self._given, chunked=self.chunked, raw=self.raw)

    def read(self) -> list[Pair]:
        """Read all pairs, so that a fault on the last line shows before any work is done.

        Raises:
            DataError: the input is faulty, there are no pairs, or a sentence is too long.
        """
        with reader_warnings() as warn:
            return list(self.checked(warn))

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
        if STDIN in self.sentences:
            with self._place(STDIN).open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
        return whole.hexdigest()

    def kept(self, stack: ExitStack) -> Inputs:
        """The inputs, with copies of what can be read only once: standard input and pipes."""
        written = (STDIN for sentence in self.sentences if sentence == STDIN)
        copies = copied((*written, *self._given.values()), stack)
        return replace(self, copies=copies) if copies else self

    def checked(self, warn: Warn, *, sized: bool = True) -> Iterator[Pair]:
        """Read the pairs lazily; each is sure to be one that can be decided.

        Args:
            warn: gets a message for each fault that was repaired.
            sized: whether a sentence that is too long is a fault of the input.

        Raises:
            DataError: the input is faulty, there are no pairs, or a sentence is too long; after
                the last pair, so that all faults are told.
        """
        from ists_asp.io.faults import Faults

        faults, empty = Faults(), True
        with faults:
            for pair in self.pairs(warn):
                empty = False
                with faults:
                    self._check(pair, sized=sized)
                    yield pair
        faults.check()
        if empty:
            raise DataError("the input is empty", where=self.names[0], expected="at least one pair")

    def _check(self, pair: Pair, *, sized: bool) -> None:
        """Refuse a pair that cannot be decided.

        Raises:
            DataError: a sentence is too long, or has chunks where Stanza is to find the tokens.
        """
        from ists_asp.limits import check_size

        if sized:
            for sentence, place in zip((pair.sent1, pair.sent2), self._places(pair), strict=True):
                check_size(sentence, place)
        if self.raw and not (pair.sent1.chunks is None is pair.sent2.chunks):
            raise DataError(
                "the pair has chunks, which --raw cannot keep",
                where=f"pair {shortened(pair.id)}",
                hint="Leave out --raw, or the chunks",
            )

    def prepared(self, system: System, pairs: Sequence[Pair]) -> Iterator[Pair]:
        """The pairs with their tokens, as :meth:`tokenized`; text that lacks them is warned of."""
        self.warn_untokenized(system, pairs)
        return self.tokenized(system, pairs)

    def warn_untokenized(self, system: System, pairs: Iterable[Pair]) -> None:
        """Warn of pairs in another language, and, without ``--raw``, of punctuation attached."""
        attached, foreign = Attached(), Foreign(system.profile.language)
        for pair in pairs:
            foreign.add(pair)
            if not self.raw:
                attached.add(pair)
        foreign.tell(system.profile)
        attached.tell(system.profile)

    def tokenized(self, system: _Tokenizer, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tokenise pairs with Stanza where ``--raw`` asks for it; lazily and in their order.

        A pair that is too long stays as it is.
        """
        if not self.raw:
            yield from pairs
            return
        from ists_asp.limits import fits
        from ists_asp.model import Pair

        remaining = iter(pairs)
        while batch := list(islice(remaining, _BATCH)):
            texts = [
                sentence.text
                for pair in batch
                if fits(pair)
                for sentence in (pair.sent1, pair.sent2)
            ]
            sentences = iter(system.tokenize(texts))
            for pair in batch:
                yield Pair(pair.id, next(sentences), next(sentences)) if fits(pair) else pair

    @property
    def names(self) -> list[str]:
        """The files as messages call them, in the order of the options."""
        return [shown(name) for name in self._given.values()]

    def _places(self, pair: Pair) -> tuple[str, str]:
        """Where the sentences of a pair come from."""
        if self.single:
            return "sentence 1", "sentence 2"
        first, *second = self.names
        if second:
            return f"{first}:{pair.id}", f"{second[0]}:{pair.id}"
        place = f"{first}: pair {shortened(pair.id)}"
        return f"{place}, sentence 1", f"{place}, sentence 2"

    def pairs(self, warn: Warn) -> Iterable[Pair]:
        """Read the pairs lazily, whatever they hold.

        Raises:
            DataError: the input is faulty.
        """
        from ists_asp.io.jsonl import read_jsonl
        from ists_asp.io.pairs import read_pairs
        from ists_asp.io.tsv import read_tsv
        from ists_asp.model import Pair

        if self.tsv is not None:
            source = self._source(self.tsv)
            return read_tsv(source, name=shown(self.tsv), warn=warn, strict=self.strict)
        if self.jsonl is not None:
            source = self._source(self.jsonl)
            return read_jsonl(source, name=shown(self.jsonl), warn=warn, strict=self.strict)
        if self.sent1 is not None and self.sent2 is not None:
            return read_pairs(
                self._source(self.sent1),
                self._source(self.sent2),
                chunked=self.chunked,
                name1=shown(self.sent1),
                name2=shown(self.sent2),
                warn=warn,
                strict=self.strict,
            )
        first, second = self.sentences
        return [Pair("1", self._sentence(first, 1, warn), self._sentence(second, 2, warn))]

    def _source(self, name: str) -> Source:
        return standard_input() if name == STDIN and not self.copies else self._place(name)

    def _place(self, name: str) -> Path:
        return self.copies.get(name) or Path(name)

    def _sentence(self, text: str, number: int, warn: Warn) -> Sentence:
        """A sentence of the command line, or the only line of standard input."""
        from ists_asp.io.chunks import read_chunks
        from ists_asp.io.sentences import read_sentences

        source: Source
        if text == STDIN:
            name, source = shown(text), self._source(text)
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
