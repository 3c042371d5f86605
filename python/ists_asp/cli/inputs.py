"""The input of a command: what its options name, read, checked, counted and chosen from.

Pairs stand on the command line, in files, or come from standard input. What can be read only
once, standard input and pipes, is copied where it has to be read twice.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Protocol

from ists_asp.cli.console import reader_warnings, warn
from ists_asp.errors import DataError, UsageError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.engine import System
    from ists_asp.io.text import Source, Warn
    from ists_asp.model import Pair, Sentence
    from ists_asp.rules import Profile

STDIN = "-"
"""What names standard input on the command line."""

_FLAGS = "two sentences, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE"

_BATCH = 200

_SHOWN_IDS = 10


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

    @property
    def names(self) -> list[str]:
        """The files as messages call them, in the order of the options."""
        return [_shown(name) for name in self._given.values()]

    def check(self) -> None:
        """Refuse options that do not go together."""
        files, sentences = self._given, self.sentences
        given = list(files)
        if sentences and given:
            raise UsageError(f"sentences on the command line do not go with {given[0]}")
        if not sentences and not given:
            piped = sys.stdin is not None and not sys.stdin.isatty()
            hint = "Pairs are read from standard input with --tsv - or --jsonl -"
            raise UsageError("there is no input", expected=_FLAGS, hint=hint if piped else None)
        if sentences and len(sentences) != 2:
            raise _miscounted(sentences)
        for flag in ("--tsv", "--jsonl"):
            if flag in given and len(given) > 1:
                other = next(name for name in given if name != flag)
                raise UsageError(f"{other} does not go with {flag}", expected=_FLAGS)
            if flag in given and self.chunked:
                raise UsageError(
                    f"--chunked does not go with {flag}",
                    hint='JSON Lines give chunks with "chunks1" and "chunks2", without an option',
                )
        if given in (["--sent1"], ["--sent2"]):
            other = "--sent2" if given == ["--sent1"] else "--sent1"
            raise UsageError(f"{given[0]} without {other}", hint=f"Add {other} FILE")
        if self.sent1 == self.sent2 == STDIN or sentences == (STDIN, STDIN):
            raise UsageError(
                "standard input (-) cannot be both sentences",
                hint="Give pairs to standard input with --tsv - or --jsonl -",
            )
        if self.chunked and self.raw:
            raise UsageError(
                "--chunked does not go with --raw", hint="Chunk files are tokenised already"
            )

    def read(self, identifier: str | None = None) -> list[Pair]:
        """Read all pairs, so that a fault on the last line shows before any work is done."""
        with reader_warnings() as warn:
            return chosen(list(self.checked(warn)), identifier)

    def read_one(self, identifier: str | None) -> Pair:
        """Read the pair with an id, or the only one."""
        found = self.read(identifier)
        if len(found) > 1:
            raise UsageError(f"{len(found)} pairs", hint="Choose one with --id ID")
        return found[0]

    def checked(self, warn: Warn, *, sized: bool = True) -> Iterator[Pair]:
        """Read the pairs lazily; each is sure to be one that can be decided."""
        from ists_asp.io.text import Faults

        faults, empty = Faults(), True
        with faults:
            for pair in self.pairs(warn):
                empty = False
                with faults:
                    self._check_pair(pair, sized=sized)
                    yield pair
        faults.check()
        if empty:
            raise DataError("the input is empty", where=self.names[0], expected="at least one pair")

    def _check_pair(self, pair: Pair, *, sized: bool) -> None:
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
        """Read the pairs lazily, whatever they hold."""
        from ists_asp.io.pairs import read_jsonl, read_pairs, read_tsv
        from ists_asp.model import Pair

        if self.tsv is not None:
            source = self._source(self.tsv)
            return read_tsv(source, name=_shown(self.tsv), warn=warn, strict=self.strict)
        if self.jsonl is not None:
            source = self._source(self.jsonl)
            return read_jsonl(source, name=_shown(self.jsonl), warn=warn, strict=self.strict)
        if self.sent1 is not None and self.sent2 is not None:
            return read_pairs(
                self._source(self.sent1),
                self._source(self.sent2),
                chunked=self.chunked,
                name1=_shown(self.sent1),
                name2=_shown(self.sent2),
                warn=warn,
                strict=self.strict,
            )
        first, second = self.sentences
        return [Pair("1", self._sentence(first, 1, warn), self._sentence(second, 2, warn))]

    def _source(self, name: str) -> Source:
        return _standard_input() if name == STDIN and not self.copies else self._place(name)

    def _place(self, name: str) -> Path:
        return self.copies.get(name) or Path(name)

    def _sentence(self, text: str, number: int, warn: Warn) -> Sentence:
        """A sentence of the command line, or the only line of standard input."""
        from ists_asp.io.chunks import read_chunks
        from ists_asp.io.text import read_sentences

        source: Source
        if text == STDIN:
            name, source = _shown(text), self._source(text)
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

    def digest(self) -> str:
        """A SHA-256 sum of what is read and how."""
        whole = hashlib.sha256()
        for part in (*self.sentences, self.chunked, self.raw, self.strict):
            whole.update(f"{part!r},".encode())
        files = dict(self._given)
        if STDIN in self.sentences:
            files["-"] = STDIN
        for flag, name in files.items():
            with self._place(name).open("rb") as stream:
                whole.update(flag.encode() + hashlib.file_digest(stream, "sha256").digest())
        return whole.hexdigest()

    def kept(self, stack: ExitStack) -> Inputs:
        """The inputs, with copies of what can be read only once: standard input and pipes."""
        written = (STDIN for sentence in self.sentences if sentence == STDIN)
        copies = _copied((*written, *self._given.values()), stack)
        return replace(self, copies=copies) if copies else self


@dataclass(frozen=True, slots=True)
class PairSource:
    """Pairs that were counted and checked and can be read again.

    ``count`` is how many there are, ``long`` whether one is known to be long; ``attached`` is
    where punctuation is attached to words; ``digest`` is a SHA-256 sum of what is read and how.
    """

    inputs: Inputs
    count: int
    long: bool
    attached: Attached
    digest: str

    def pairs(self) -> Iterator[Pair]:
        """Read the pairs, lazily; faults that were repaired are not told again."""
        from ists_asp.io.text import ignore

        return iter(self.inputs.pairs(ignore))

    def same(self) -> bool:
        """Whether the files are still what they were."""
        try:
            return self.inputs.digest() == self.digest
        except OSError:
            return False

    def check_same(self) -> None:
        """Make sure that all pairs were those that were counted and checked."""
        if not self.same():
            raise DataError(
                "the input has changed while it was read",
                where=self.inputs.names[0],
                hint="Repeat the command",
            )


@contextmanager
def opened(inputs: Inputs) -> Iterator[PairSource]:
    """Read all pairs once, to count and check them; they can then be read again.

    Only what tells them apart is held in memory. Standard input is kept in a file meanwhile.
    """
    from ists_asp.limits import fits, is_long

    with ExitStack() as stack:
        kept = inputs.kept(stack)
        before = ""
        # Its reader tells better why a file cannot be read.
        with suppress(OSError, ValueError):
            before = kept.digest()
        count, long, attached = 0, False, Attached()
        with reader_warnings() as warn:
            # Of several pairs one that is too long fails like any other, and costs none an answer.
            for pair in kept.checked(warn, sized=inputs.single):
                count += 1
                attached.add(pair)
                long = long or (is_long(pair) and fits(pair))
        source = PairSource(kept, count, long, attached, before)
        source.check_same()
        yield source


def chosen(pairs: list[Pair], identifier: str | None) -> list[Pair]:
    """The pair with an id, or all pairs where there is none to choose by."""
    if identifier is None:
        return pairs
    found = [pair for pair in pairs if pair.id == identifier]
    if not found:
        ids = shortened(", ".join(pair.id for pair in pairs[:_SHOWN_IDS]))
        more = ", …" if len(pairs) > _SHOWN_IDS else ""
        raise DataError(
            f"there is no pair with the id '{shortened(identifier)}'", expected=f"{ids}{more}"
        )
    return found


def _miscounted(sentences: tuple[str, ...]) -> UsageError:
    if sentences == (STDIN,):
        return UsageError(
            "- alone does not say what standard input holds",
            expected="--tsv - or --jsonl -, or two sentences of which one is -",
        )
    count = len(sentences)
    return UsageError(
        "one sentence" if count == 1 else f"{count} sentences",
        expected=_FLAGS,
        hint="Put each sentence in quotes",
    )


def _shown(name: str) -> str:
    """A file as messages call it."""
    return "<stdin>" if name == STDIN else name


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed", hint="Name files instead of -")
    return sys.stdin.buffer


def _copied(names: Iterable[str], stack: ExitStack) -> dict[str, Path]:
    """Copies of what can be read only once, by name; they are gone when the stack is closed."""
    once = sorted(name for name in dict.fromkeys(names) if name == STDIN or _only_once(Path(name)))
    if not once:
        return {}
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="ists-asp-")))
    copies = {name: folder / str(number) for number, name in enumerate(once)}
    for name, copy in copies.items():
        try:
            with ExitStack() as streams:
                stream = _standard_input()
                if name != STDIN:
                    stream = streams.enter_context(Path(name).open("rb"))
                shutil.copyfileobj(stream, streams.enter_context(copy.open("wb")))
        except OSError as error:
            raise DataError(
                f"cannot be kept: {error.strerror or error}",
                where=_shown(name),
                hint="Make room in the folder for temporary files (TMPDIR)",
            ) from None
    return copies


def _only_once(path: Path) -> bool:
    """Whether what is read from a path is gone afterwards: from a pipe, or what somebody types."""
    if not path.is_char_device():
        return path.is_fifo()
    with path.open("rb") as stream:
        if not stream.isatty():
            raise DataError("this is a device", where=str(path), expected="a file or a pipe")
    return True


_MARKS = ",;:!?"
_MARKED = re.compile(r".*[^\W_]{2}[,;:!?.]")
"""Letters or digits and a mark behind them; two, as ``U.`` and ``J.`` are written so."""


@dataclass(slots=True)
class Attached:
    """Sentences with punctuation attached to a word (``guitar.``), which is in no lexicon then.

    A full stop counts at the end of a sentence only, where few abbreviations stand. Whether a
    kind of text is meant to be like that is said by its profile. ``chunked`` is whether it has
    chunks, so that Stanza cannot tokenise it.
    """

    sentences: int = 0
    example: str = ""
    chunked: bool = False

    def add(self, pair: Pair) -> None:
        """Look at a pair."""
        for sentence in (pair.sent1, pair.sent2):
            word = _attached(sentence)
            if word:
                self.sentences += 1
                self.example = self.example or f"'{shortened(word)}' in pair {shortened(pair.id)}"
                self.chunked = self.chunked or sentence.chunks is not None

    def tell(self, profile: Profile) -> None:
        """Warn of them, in one line, unless the profile is one of such texts."""
        if not self.sentences or profile.attached_punctuation:
            return
        count = "1 sentence has" if self.sentences == 1 else f"{self.sentences} sentences have"
        raw = "" if self.chunked else ", or add --raw"
        warn(
            f"{count} punctuation that is part of a word, such as {self.example}; the profile "
            f"{profile.name} expects it to be a token of its own: put a blank before it{raw}"
        )


def _attached(sentence: Sentence) -> str:
    """The first word with punctuation attached; an empty text if there is none."""
    last = len(sentence.tokens)
    for token in sentence.tokens:
        form = token.form
        mark = form[-1]
        if (mark in _MARKS or (mark == "." and token.index == last)) and _MARKED.fullmatch(form):
            return form
    return ""


@dataclass(slots=True)
class Foreign:
    """Pairs in another language than ``language``: what is said about them rests on nothing."""

    language: str
    pairs: Counter[str] = field(default_factory=Counter)
    example: dict[str, str] = field(default_factory=dict)

    def add(self, pair: Pair) -> None:
        """Look at a pair, at the small words that it has."""
        from ists_asp.knowledge.languages import language_of

        found = language_of((pair.sent1, pair.sent2), self.language)
        if found != self.language:
            self.pairs[found] += 1
            self.example.setdefault(found, pair.id)

    def tell(self, profile: Profile) -> None:
        """Warn of them, in one line a language."""
        from ists_asp.knowledge.languages import small_words

        names = {code: table.name for code, table in small_words().items()}
        for code, number in self.pairs.most_common():
            example = shortened(self.example[code])
            what = f"pair {example} looks" if number == 1 else f"{number} pairs look"
            such = "" if number == 1 else f", such as pair {example}"
            warn(
                f"{what} like {names[code]}{such}; the profile {profile.name} knows "
                f"{names[self.language]} only: choose another with --profile"
            )
