"""All options of a system in one value; pairs made ready for its rules: annotated, as facts."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import chain, repeat, starmap
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from clingo import Symbol

from ists_asp.annotate import Annotator
from ists_asp.annotate.stanza import Models
from ists_asp.engine.answer import Timings
from ists_asp.errors import DataError, RuleError, UsageError, of_pair, too_deep
from ists_asp.io.store import ANNOTATIONS, FACTS, AnyStore, Memo, SharedStore, Store
from ists_asp.io.text import Repairs, clean, make_sentence, split_words
from ists_asp.knowledge import Knowledge
from ists_asp.lang import language
from ists_asp.limits import GRACE, LOADING, check_pair, check_text, fits
from ists_asp.model import Pair, Sentence, Text, Token, Word
from ists_asp.resources import Closing, cache_dir, gc_paused
from ists_asp.rules import NO_READER, Profile, Purpose, RuleSet, RuleWarning, load_profile, programs
from ists_asp.rules.loader import rule_files
from ists_asp.rules.programs import find_program, load_program, read_overlay, read_profile_rules
from ists_asp.rules.source import SUFFIX as TABLE
from ists_asp.rules.source import RuleFile, find_rules
from ists_asp.rules.tables import phrases
from ists_asp.solver.batch import batches
from ists_asp.syntax.ground import Atoms
from ists_asp.vocabulary import pair_facts

if TYPE_CHECKING:
    from ists_asp.knowledge.reader import PairReader, Reader, UniversalReader
    from ists_asp.rules.check import Finding

# Text, which is tokenised, or a sentence of tokens, with chunks if they are known.
GivenSentence = str | Sentence
GivenPair = (
    Pair | tuple[GivenSentence, GivenSentence] | tuple[str | int, GivenSentence, GivenSentence]
)
"""A pair, or its two sentences, or its id and its sentences."""


@cache
def _store(directory: Path) -> Store:
    """One for all systems of a process: each compares with its bounds when it first writes."""
    return Store(directory)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a pair: seconds of CPU time, and bytes of memory, by default all."""

    seconds: float = 10.0  # of CPU time; then the best answer so far counts
    memory: int | None = None  # bytes; None for all
    grace: float = GRACE  # so many seconds later a worker is killed

    @property
    def loading(self) -> float:
        """Seconds of processor time in which a worker loads rules, whose tables may have no end."""
        return max(LOADING, self.seconds + self.grace)


@dataclass(frozen=True, slots=True)
class Setup:
    """The options of a :class:`~ists_asp.engine.System`; equal setups decide alike.

    Options that are not listed are as for :func:`ists_asp.load`.

    Args:
        reader: ``shipped``, ``use``, a reader's folder, or ``none``; None for the profile's.
        limits: time and memory per pair.
        traced, rated, explained: what a worker does with its answers.
        language: language of the wording; None for the profile's.
        templates: file of templates instead of the shipped ones.
        answers: ``.wa`` file with the answers, which are then not decided.
        with_atoms: whether answers have the atoms that the rules show.
        ahead: whether pair after pair is asked about, so that rules are grounded ahead.
        files: SHA-256 sums of the rule files, those for ratings last, which may not change during
            a run; empty for any.
        shared: URL of the annotations and readings that machines share.
    """

    profile: str = "default"
    rules: tuple[Path, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    reader: str | None = None
    stanza_dir: Path | None = None
    vectors: Path | None = None
    cache: Path | None = None
    models: int = 1
    limits: Limits = Limits()
    incremental: bool = True
    lax: bool = False
    traced: bool = False
    rated: bool = False
    explained: bool = False
    language: str | None = None
    templates: Path | None = None
    answers: Path | None = None
    with_atoms: bool = False
    ahead: bool = False
    files: tuple[str, ...] = ()
    shared: str | None = None

    def __post_init__(self) -> None:
        # What people give: text for paths, numbers for values, whether there is a reader.
        rules = (self.rules,) if isinstance(self.rules, str | os.PathLike) else self.rules
        reader: Any = self.reader
        if isinstance(reader, bool):
            reader = "shipped" if reader else NO_READER
        change = partial(object.__setattr__, self)
        change("rules", tuple(map(Path, rules)))
        change("constants", {name: str(value) for name, value in self.constants.items()})
        change("reader", reader and os.fspath(reader))
        change("cache", cache_dir(self.cache))
        for name in ("stanza_dir", "vectors", "templates", "answers"):
            change(name, (path := getattr(self, name)) and Path(path))

    @property
    def store(self) -> Store | None:
        """The store of rules, facts and answers, or None."""
        return None if self.cache is None else _store(self.cache)

    def load_profile(self) -> Profile:
        """Read the profile."""
        return load_profile(self.profile, read_overlay(self.rules).base)

    def load_program(self, purpose: Purpose = Purpose.ANSWER) -> RuleSet:
        """Parse the rules for a purpose."""
        options = self.profile, self.rules, purpose
        return load_program(*options, reader=self.reader, store=self.store)[1]

    def check_has(self, purpose: Purpose) -> None:
        """Refuse a profile that has no rules for a purpose."""
        find_program(self.profile, self.rules, purpose)


_fields = attrgetter("form", "lemma", "upos", "xpos")  # what is kept of a word


class Preparation(Closing):
    """A profile's rules, models and lexicon, loaded when needed unless ``parsed``; makes facts."""

    def __init__(self, setup: Setup, parsed: tuple[Profile, RuleSet] | None = None) -> None:
        self.setup = setup
        self.stages = Timings()
        self.profile = setup.load_profile() if parsed is None else parsed[0]
        self._parsed = None if parsed is None else parsed[1]
        self._reader = find_reader(self.profile, self.profile.chosen_reader(setup.reader))
        self._closed, self._batches = False, 0

    def __repr__(self) -> str:
        rules = [*map(str, self.setup.rules)]
        return f"{type(self).__name__}({self.setup.profile!r}, {rules=})"

    def close(self) -> None:
        """Close the lexicon and the store; the system cannot be used afterwards."""
        self._closed = True
        for source in (self.__dict__.get("_knowledge"), self.setup.store):
            if source is not None:
                source.close()

    @cached_property
    def rules(self) -> RuleSet:
        """The parsed rules that decide pairs."""
        values, paths, reader = self.setup.constants, self.setup.rules, self.setup.reader
        try:
            rules = self._parsed or self.setup.load_program()
            findings = self._findings(rules) if paths and self._parsed is None else []
        except RecursionError:
            raise too_deep(", ".join(map(str, paths))) from None
        except RuleError as error:
            from ists_asp.rules.check import check_rules

            _, every = check_rules(paths, [self.profile.name], store=self.setup.store)
            faults = (finding.error for finding in every if finding.severity == "error")
            others = [one for one in faults if not f"{one.where}:".startswith(f"{error.where}:")]
            error.others = error.others or others
            raise
        stopping = [] if self.setup.lax else [finding for finding in findings if finding.stops]
        if stopping:
            first, *others = (finding.error for finding in stopping)
            end = "" if str(first.hint).endswith("?") else "."
            first.hint, first.others = f"{first.hint}{end} --lax goes on", others
            raise first
        warnings = [
            *(RuleWarning(f.where, f"{f.found}. {f.hint}") for f in findings),
            *(programs.given_warnings(rules, self.profile, paths, reader) if paths else ()),
            *(programs.unknown_constants(values, self.profile, rules, paths) if values else ()),
        ]
        if not warnings:
            return rules
        return replace(rules, warnings=(*rules.warnings, *warnings)).with_memo(rules.memo)

    def _findings(self, rules: RuleSet) -> list[Finding]:
        """The findings of ``ists-asp rules check`` in the user's rules that a run tells."""
        setup, reads = self.setup, self._reader is not None
        user_files = rule_files(chain.from_iterable(map(find_rules, setup.rules)))
        if all(file.path.suffix == TABLE for file in user_files):
            return []

        from ists_asp.rules.check import Finding, check_run

        def check() -> tuple[Finding, ...]:
            return check_run(setup.rules, setup.profile, reads=reads, store=setup.store)

        files = [file for file in (*rules.files, *user_files) if file.path.suffix != TABLE]
        about = [setup.profile, reads, [[file.name, file.sha256] for file in files]]
        return msgspec.convert(Memo(setup.store).recall("findings", about, check), list[Finding])

    @cached_property
    def files(self) -> programs.ProfileFiles:
        """The files of the rules, read and not parsed."""
        setup = self.setup
        return read_profile_rules(setup.profile, setup.rules, reader=setup.reader)

    @property
    def constants(self) -> dict[str, str]:
        """The profile's constants, and over them those that were given."""
        return {**self.profile.constants, **self.setup.constants}

    @property
    def knowledge(self) -> tuple[str, ...]:
        """The resources for comparing words: ``lexicon``, ``vectors``, ``reader``."""
        return (*self._knowledge.sources, *(() if self._reader is None else ("reader",)))

    @property
    def reader(self) -> str | None:
        """The hash of the reader; None without one."""
        return None if self._reader is None else self._reader.digest

    @property
    def models(self) -> Models:
        """The models that annotate."""
        return self._annotator.models

    @property
    def annotates(self) -> bool:
        """Whether some sentence was not found annotated."""
        return self._annotator.asked

    @property
    def models_warnings(self) -> tuple[RuleWarning, ...]:
        """Which of several packages of models is used, once they have been asked for."""
        if "_annotator" not in self.__dict__ or self.models.choice is None:
            return ()
        return (RuleWarning(str(self.models.directory), self.models.choice),)

    def annotate(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tag and lemmatise pairs, lazily and in their order; annotated sentences are kept.

        Raises:
            DataError: a sentence is too long, see :mod:`ists_asp.limits`; the pairs before it
                come first.
            UsageError: the system is closed.
        """
        self._check_open()

        def checked() -> Iterator[Pair]:
            for pair in pairs:
                check_pair(pair)
                yield pair

        return chain.from_iterable(map(self._annotate, batches(checked())))

    def tokenize(self, texts: Sequence[str]) -> list[Sentence]:
        """Cut texts, none too long, into tokens by Stanza's tokeniser: a sentence each."""
        self._check_open()
        for number, text in enumerate(texts, start=1):
            check_text(text, f"text {number}")
        with self.stages.measure("annotation"):
            return [Sentence(tokens) for tokens in self._annotator.tokenize(texts)]

    def read(self, pairs: Iterable[GivenPair], *, tokens: bool = False) -> Iterator[Pair]:
        """Pairs, lazily and in their order, with strings tokenised, unless they are ``tokens``."""
        return self.tokenized(read_pairs(pairs, tokens=tokens))

    def tokenized(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tokenise what is :class:`~ists_asp.model.Text`, lazily, unless its pair is too long."""
        self._check_open()
        return chain.from_iterable(map(self._tokenized, batches(pairs)))

    def _tokenized(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        sides = [side for pair in pairs if fits(pair) for side in pair.sentences]
        texts = list(filter(None, {side.text: 0 for side in sides if isinstance(side, Text)}))
        cut = dict(zip(texts, self.tokenize(texts) if texts else (), strict=True))

        def tokens(side: Sentence) -> Sentence:
            return cut.get(side.text, side) if isinstance(side, Text) else side

        return (Pair(pair.id, tokens(pair.sent1), tokens(pair.sent2)) for pair in pairs)

    def facts(self, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """Annotate pairs and yield each, in order, with the facts that the rules see."""
        return self.facts_of(self.annotate(pairs))

    def facts_of(self, annotated: Iterable[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """Yield annotated pairs, lazily and in their order, with the facts that the rules see."""
        self._check_open()
        return chain.from_iterable(map(self._batch_facts, batches(annotated)))

    def _check_open(self) -> None:
        if self._closed:
            hint = "Use it inside its with block, or load it again"
            raise UsageError("the system is closed", hint=hint)

    @cached_property
    def _store(self) -> AnyStore | None:
        shared = self.setup.shared
        return self.setup.store if shared is None else SharedStore(shared)

    @cached_property
    def _annotator(self) -> Annotator:
        return Annotator(self.profile.language, self.setup.stanza_dir, self._store)

    def _annotate(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        sides = [side for pair in pairs for side in pair.sentences]
        bare = [
            place
            for place, side in enumerate(sides)
            if not all(token.words for token in side.tokens)
        ]
        with self.stages.measure("annotation"):
            tagged = self._tagged([sides[place].tokens for place in bare])
            for place, tokens in zip(bare, tagged, strict=True):
                sides[place] = replace(sides[place], tokens=tokens)
        for number, pair in enumerate(pairs):
            yield Pair(pair.id, *sides[2 * number : 2 * number + 2])

    def _tagged(self, sentences: Sequence[Sequence[Token]]) -> Iterator[tuple[Token, ...]]:
        """Annotate sentences, whose words are stored: a rerun need not cut tokens again."""
        memo = Memo(self.setup.store).of(ANNOTATIONS)
        return memo.over(
            sentences,
            lambda tokens: memo.key(
                "words", self._annotator.key, [[token.form, token.glued] for token in tokens]
            ),
            lambda missing: self._annotator.annotate(missing),
            lambda _, tagged: [list(map(_fields, token.words)) for token in tagged],
            lambda tokens, stored: tuple(
                Token(token.index, token.form, tuple(starmap(Word, words)), token.glued)
                for token, words in zip(tokens, stored, strict=True)
            ),
        )

    @cached_property
    def _knowledge(self) -> Knowledge:
        code = self.profile.language
        return Knowledge(code, self.setup.vectors or language(code).vectors, phrases(self.rules))

    @cached_property
    def _facts_memo(self) -> Memo:
        if self.setup.store is None:
            return Memo()
        key = f"{self.profile.language} {self._knowledge.key} {self.reader}"
        return Memo(self.setup.store, key).of(FACTS)

    def _batch_facts(self, batch: Sequence[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        memo = self._facts_memo
        with self.stages.measure("knowledge"):
            facts = memo.over(
                batch,
                lambda pair: memo.key("facts", pair.sent1, pair.sent2),
                self._new_facts,
                lambda _, atoms: atoms.text,
                lambda _, text: Atoms(text),
            )
        return zip(batch, facts, strict=True)

    def _new_facts(self, pairs: Sequence[Pair]) -> Iterator[Atoms]:
        reads = self._reader is not None and self.profile.answer.reads
        predicted = self._opinions.facts(pairs) if reads else repeat(Atoms("()"))
        # Not earlier: models are read when the first sentence needs them, and for few batches it
        # takes longer than it spares.
        self._batches += 1
        if self._batches == 5:
            freeze_gc()
        for pair in pairs:
            with self.stages.measure("knowledge"), gc_paused():
                knowledge = list(self._knowledge.facts(pair))
                predictions = next(predicted)
            with self.stages.measure("facts"):
                facts = pair_facts(pair, knowledge, self.profile.language)
                facts = facts.with_text(predictions.inside)
            yield facts

    def wholes(self, pair: Pair) -> str:
        """The reader's predictions about whole sentences, if there is one: facts for ratings."""
        if self._reader is None:
            return ""
        with self.stages.measure("knowledge"):
            (facts,) = self._opinions.facts([pair], rated=True)
        return facts.inside

    @cached_property
    def _opinions(self) -> PairReader:
        from ists_asp.knowledge.reader import PairReader

        assert self._reader is not None
        return PairReader(self._reader, self._store)


def find_reader(profile: Profile, name: str | None) -> Reader | UniversalReader | None:
    """Find the reader of this name or folder, for which the profile must have rules."""
    if name is None:
        return None
    from ists_asp.knowledge.reader import SHIPPED, USE, Reader, UniversalReader, shipped

    encoder = None if profile.answer.reads else language(profile.language).encoder
    if not profile.reads or (name == USE) != (encoder == USE):
        other = "a profile with reader_rules or reader_weights, such as default"
        choice = f"choose the reader {USE}, " if encoder else ""
        found = f"the profile {profile.name} has no rules for the reader {name}"
        expected = "a Spanish profile, such as sts-es" if name == USE else other
        hint = f"Leave the reader out, {choice}or choose such a profile"
        raise UsageError(found, expected=expected, hint=hint)
    if name == USE:
        return UniversalReader()
    return shipped() if name == SHIPPED else Reader(Path(name))


def freeze_gc() -> None:
    """Exempt all live objects from further garbage collections, which take 100 ms with models."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def read_pair(
    sent1: GivenSentence, sent2: GivenSentence, identifier: str = "1", *, tokens: bool = True
) -> Pair:
    """A pair of two sentences; ``tokens`` says what strings are, tokens or text."""
    return Pair(identifier, _sentence(sent1, 1, tokens), _sentence(sent2, 2, tokens))


def read_pairs(pairs: Iterable[GivenPair], *, tokens: bool = True) -> Iterator[Pair]:
    """Pairs, lazily and in their order; two sentences get their number as id, from 1."""
    for number, item in enumerate(pairs, start=1):
        if isinstance(item, Pair):
            yield item
            continue
        if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
            expected = "an ists_asp.model.Pair, two sentences, or an id and two sentences"
            raise UsageError(f"{item!r} is not a pair", where=of_pair(number), expected=expected)
        *identifier, sent1, sent2 = item
        yield read_pair(sent1, sent2, str(*identifier or [number]), tokens=tokens)


def _sentence(source: GivenSentence, number: int, tokens: bool) -> Sentence:
    where, expected = f"sentence {number}", "text, or an ists_asp.model.Sentence"
    if isinstance(source, str):
        source = make_sentence(split_words(clean(source, where, Repairs())))
        source = source if tokens else Text(source.tokens)
    if not isinstance(source, Sentence):
        raise UsageError(f"{source!r} is not a sentence", where=where, expected=expected)
    if not source.tokens:
        raise DataError("the sentence is empty", where=where, expected="at least one token")
    return source


def sums(files: Iterable[RuleFile]) -> tuple[str, ...]:
    """The SHA-256 sums of files."""
    return tuple(file.sha256 for file in files)
