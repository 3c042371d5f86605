"""Answers kept between runs, so that after an edit only pairs are decided that it can touch.

What is written is what a run from scratch would write: an answer is used again if the facts of
its pair are the same, and the rules are, or no statement that differs can have an instance for the
pair (see :mod:`ists_asp.solver.edits`). Each batch has an entry in the store, with its answers
and the version of the rules that decided them.
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import convert, to_builtins

from ists_asp.errors import IstsError
from ists_asp.model import Answer, Pair
from ists_asp.rules.parsing import RuleWarning
from ists_asp.rules.tables import lists_words
from ists_asp.solver.batch import BATCH, batches
from ists_asp.solver.pairing import settled_text
from ists_asp.solver.search import Item, Solution, constant_arguments
from ists_asp.solver.statements import Version
from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.edits import Edits
    from ists_asp.solver.search import SolverOptions
    from ists_asp.solver.solver import Solver

A = TypeVar("A")

_MOST = 1200
"""Batches of a run whose answers are kept: more would push other things out of the store."""

_TOGETHER = 4
"""Batches that are looked up at a time: what an edit touches in them is decided together."""

_ANSWERS = "answers"
"""What the names of readers begin with that read the answer to a pair."""

EVERYTHING = "all rules"
"""What affects every pair where it is not known what an edit can affect."""

_Kept: TypeAlias = "tuple[bool, list[Any]]"
"""Whether it is sure that no other answer is as good, and the answers of a pair."""

_VERSIONS = 3
"""Versions of the rules whose answers to a batch are kept: an edit may be of any of them."""


class _Entry(NamedTuple):
    """The digest of the rules that decided a batch, empty for none, and what they decided.

    ``warnings`` is what clingo had to say about the rules so far.
    """

    rules: str
    answers: list[_Kept | None]
    warnings: Sequence[Sequence[str]] = ()


class _LookedUp(NamedTuple):
    """A batch and what is kept of it: all entries, the one compared with, and the answers.

    ``places`` says for each pair whose answer is not known which edit is to blame, if one is.
    """

    items: Sequence[Item]
    key: bytes
    entries: list[_Entry]
    entry: _Entry
    known: list[_Kept | None]
    places: list[str]

    @property
    def left(self) -> list[Item]:
        return [item for item, known in zip(self.items, self.known, strict=True) if known is None]


class Keeping(Generic[A]):
    """Decides items as a solver does, but for those whose answers are known.

    Args:
        solver: gives the solver of the rules, which have a memory.
        options: those of the solver.
        reads: how answers are read, beside the rules.
        codec: makes of an answer what JSON can write, or None where a better one may be found; and
            of a subject and that the answer again.
    """

    def __init__(
        self,
        solver: Callable[[], Solver[A]],
        rules: RuleSet,
        options: SolverOptions,
        reads: str,
        codec: tuple[Callable[[A], Any], Callable[[Any, Any], A]],
    ) -> None:
        self._solver = solver
        self._rules = rules
        self._remembered = rules.remembered
        self._written, self._read = codec
        self._answers = reads.startswith(_ANSWERS) and options.models == 1
        self._about = [self._remembered.family, reads, settled_text()]
        self._about += [str(options.models), str(options.time_limit)]
        if self._answers:
            # No rule speaks of these tables, but answers tell what they say.
            self._about += [str(sorted(solver().sure.items()))]
        self._arguments = constant_arguments(options.constants)
        self._edits: dict[str, Edits | None] = {}
        self._distance = cache(self._measured)
        self._changed = cache(self._difference)
        self._batches = 0
        self.heard: dict[RuleWarning, None] = {}

    def recall(self, items: Iterable[Item]) -> Iterator[Solution[A] | IstsError]:
        """Look items up, and decide those that are not known, lazily and in their order."""
        for batch in batches(items, _TOGETHER * BATCH):
            parts = [batch[begin : begin + BATCH] for begin in range(0, len(batch), BATCH)]
            looked_up = list(map(self._look_up, parts))
            left = [item for part in looked_up for item in part.left]
            # Nothing is made ready where all is known.
            decided = (
                self._solver().outcomes(left, least=1 if len(batch) > 1 else 2)
                if left
                else iter(())
            )
            for part in looked_up:
                yield from self._solutions(part, decided)

    def _look_up(self, items: Sequence[Item]) -> _LookedUp:
        texts = [Atoms.of(facts).text for _, facts in items]
        key = self._remembered.key_of("answers", [*self._about, *texts])
        # The last first.
        entries = [_Entry(*entry) for entry in self._remembered.get(key) or ()]
        # Of the rules that differ least from those of now.
        nothing = _Entry("", [None] * len(items))
        entry = min(entries, key=lambda entry: self._distance(entry.rules), default=nothing)
        known, places = entry.answers, [""] * len(items)
        if entry.rules != self._digest:
            known, places = self._unaffected(entry, items, texts)
        else:
            # It is to be heard in every run.
            self.heard.update(dict.fromkeys(RuleWarning(*warning) for warning in entry.warnings))
        return _LookedUp(items, key, entries, entry, known, places)

    def _solutions(
        self, batch: _LookedUp, decided: Iterator[Solution[A] | IstsError]
    ) -> Iterator[Solution[A] | IstsError]:
        """The solutions of a batch, which are kept before the last is told."""
        answers: list[_Kept | None] = []
        for item, known, place in zip(batch.items, batch.known, batch.places, strict=True):
            outcome: Solution[A] | IstsError
            if known is not None:
                again = tuple(self._read(item[0], answer) for answer in known[1])
                outcome = Solution(item, again, 0.0, 0.0, kept=True)
            else:
                outcome = next(decided)
                if isinstance(outcome, Solution):
                    written = [self._written(answer) for answer in outcome.answers]
                    known = None if None in written else (outcome.unique, written)
                    outcome = replace(outcome, edit=place)
            answers.append(known)
            if len(answers) == len(batch.items):
                self._keep(batch, answers)
            yield outcome

    def _keep(self, batch: _LookedUp, answers: list[_Kept | None]) -> None:
        self._batches += 1
        fresh = [entry.rules for entry in batch.entries][:1] != [self._digest] or any(
            now is not None and before is None
            for now, before in zip(answers, batch.known, strict=True)
        )
        if fresh and self._batches <= _MOST:
            # The version that was of use comes next, so that it stays.
            others = sorted(batch.entries, key=lambda entry: entry.rules != batch.entry.rules)
            kept = [tuple(entry) for entry in others if entry.rules != self._digest]
            warnings = dict.fromkeys((*self._solver().warnings, *self.heard))
            heard = [(warning.where, warning.text) for warning in warnings]
            kept.insert(0, (self._kept_digest, answers, heard))
            self._remembered.put(batch.key, kept[:_VERSIONS])

    def _measured(self, digest: str) -> int:
        """How many statements and constants differ from rules that were kept."""
        if digest == self._digest:
            return 0
        changed = self._changed(digest)
        # Two versions that say the same may say it in other places.
        return sys.maxsize if changed is None else 1 + changed.total()

    def _difference(self, digest: str) -> Counter[str] | None:
        """The statements and constants that differ from rules that were kept, if they were."""
        old = self._kept_version(digest)
        if old is None:
            return None
        before, after = map(_said, (old, self._version))
        return (before - after) + (after - before)

    def _kept_version(self, digest: str) -> Version | None:
        kept = self._remembered.get(self._remembered.key_of("version", [digest]))
        return None if kept is None else Version(*kept)

    def _unaffected(
        self, entry: _Entry, items: Sequence[Item], texts: Sequence[str]
    ) -> tuple[list[_Kept | None], list[str]]:
        """The answers of other rules that still hold, and for the others the edit at fault."""
        places = [""] * len(items)
        # What clingo had to say of rules may be about the pairs that it was said of.
        if entry.warnings or not any(one and one[0] for one in entry.answers):
            return [None] * len(items), places
        edits = self._since(entry.rules, items[0][1])
        answers = [one[1][0] if one and self._answers else None for one in entry.answers]
        affected = edits.affected(texts, answers) if edits else None
        if affected is None:
            return [None] * len(items), [EVERYTHING] * len(items)
        known = list(entry.answers)
        for place, bits in affected:
            for number in range(len(items)):
                if bits >> number & 1 and not places[number]:
                    known[number], places[number] = None, place
        # Where several answers are the best, another one may come first now.
        return [one if one and one[0] else None for one in known], places

    def _since(self, digest: str, facts: Sequence[Symbol]) -> Edits | None:
        """What differs from rules that were kept; None where nothing can be said of it.

        One pair is grounded, so that clingo can find fault with what is new; words have none.
        """
        if digest not in self._edits:
            self._edits[digest] = None
            old, solver = self._kept_version(digest), self._solver()
            with suppress(IstsError):
                if not all(map(lists_words, self._changed(digest) or [""])):
                    solver.check_grounding(facts)
                if old is not None and not solver.warnings:
                    # Few runs need it.
                    from ists_asp.solver.edits import Edits

                    self._edits[digest] = Edits(
                        old, self._version, self._rules, solver.program, solver.shapes
                    )
        return self._edits[digest]

    @cached_property
    def _version(self) -> Version:
        return Version.of(self._rules, self._arguments, self._solver().program.tables)

    @cached_property
    def _digest(self) -> str:
        def work() -> str:
            return sha256(msgspec.json.encode(tuple(self._version))).hexdigest()

        found: str = self._remembered.recall("digest", self._arguments, work)
        return found

    @cached_property
    def _kept_digest(self) -> str:
        """The digest of the rules, which are kept now as well: whoever finds it looks them up."""
        key = self._remembered.key_of("version", [self._digest])
        if self._remembered.get(key) is None:
            self._remembered.put(key, tuple(self._version))
        return self._digest


def _said(rules: Version) -> Counter[str]:
    """The statements and constants of a rule set; each file has a ``#program base.`` as well."""
    found = Counter(rules.statements + rules.constants)
    del found["#program base."]
    return found


def data_of(answer: Answer) -> dict[str, Any]:
    """An answer as JSON can write it, without its pair."""
    data: dict[str, Any] = to_builtins(answer)
    del data["pair"]
    return data


def answer_of(data: dict[str, Any], pair: Pair) -> Answer:
    """The answer to a pair from what :func:`data_of` made of it."""
    return convert({**data, "pair": pair}, Answer)
