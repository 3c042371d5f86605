"""Answers kept between runs, so that after an edit only pairs are decided that it can affect.

What is written is what a run from scratch would write: an answer is used again if the facts of its
pair are the same, and the rules are, or no statement that differs can have an instance for the pair
(see :mod:`ists_asp.solver.edits`). Each is stored under its facts and its version of the rules.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
from clingo import Symbol
from msgspec import convert, to_builtins

from ists_asp.errors import IstsError
from ists_asp.io.store import ANSWERS, EXPLANATIONS, key_of, made_by
from ists_asp.model import Answer, Pair
from ists_asp.rules.loader import RuleSet
from ists_asp.rules.parsing import RuleWarning
from ists_asp.rules.tables import lists_words
from ists_asp.solver.batch import BATCH, batches
from ists_asp.solver.pairing import settled_text
from ists_asp.solver.search import Item, Outcomes, Solution, SolverOptions, constant_arguments
from ists_asp.solver.solver import Solver
from ists_asp.solver.statements import Version
from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from ists_asp.solver.edits import Edits

A = TypeVar("A")

# Items that are looked up at a time: those that an edit affects are decided together.
TOGETHER = 4 * BATCH
_ANSWERS = "answers"  # what the names of readers begin with that read the answer to a pair
EVERYTHING = "all rules"  # what affects every pair where it is not known what an edit can affect

# Whether no other answer is as good for sure, the answers to an item, and clingo's warnings.
_Stored: TypeAlias = "tuple[bool, list[Any], list[tuple[str, str]]]"
_VERSIONS = 3  # versions of the rules whose answers are used again: an edit may be of any of them


class _Case(NamedTuple):
    item: Item
    text: str


class _Decided(NamedTuple, Generic[A]):
    """The result of an item, and the stored result of another version of the rules, if it holds."""

    outcome: Solution[A] | IstsError
    stored: _Stored | None = None


class Keeping(Generic[A]):
    """Decides items as the ``solver`` of rules with a memory does, but for known answers.

    ``reads`` says how answers are read, beside the rules. ``codec`` makes of an answer what JSON
    can write, or None where a better one may be found; and of a subject and that the answer again.
    """

    def __init__(
        self,
        solver: Callable[[], Solver[A]],
        rules: RuleSet,
        options: SolverOptions,
        reads: str,
        codec: tuple[Callable[[A], Any], Callable[[Any, Any], A]],
    ) -> None:
        self._solver, self._rules = solver, rules
        self._memo = rules.memo
        self._stored = self._memo.of(EXPLANATIONS if reads == EXPLANATIONS else ANSWERS)
        self._written, self._read = codec
        self._answers = reads.startswith(_ANSWERS) and options.models == 1
        # No rule speaks of these tables, but answers say what is in them.
        tables = sorted(solver().sure.items()) if self._answers else []
        about = self._memo.family, reads, settled_text(), options.models, options.time_limit
        self._about = key_of("answers", made_by(), *about, tables).hex()
        self._arguments = constant_arguments(options.constants)
        self._edits: dict[str, Edits | None] = {}
        self._unproven = False  # whether edited rules are yet to be grounded, and may be faulty
        self._changed = cache(self._difference)
        self.heard: dict[RuleWarning, None] = {}

    def recall(self, items: Iterable[Item]) -> Outcomes[A]:
        """Look items up, and decide those that are not stored, lazily and in their order."""
        for batch in batches(items, TOGETHER):
            cases = [_Case(item, Atoms.of(item[1]).text) for item in batch]
            for decided in self._stored.over(
                cases,
                partial(self._key, self._digest),
                partial(self._decide, least=1 if len(batch) > 1 else 2),
                self._encode,
                self._decode,
            ):
                yield decided.outcome

    def _key(self, digest: str, case: _Case) -> bytes:
        return key_of(self._about, digest, case.text)

    def _decode(self, case: _Case, stored: _Stored) -> _Decided[A]:
        self._use(self._digest)
        # It is to be heard in every run.
        self.heard.update(dict.fromkeys(RuleWarning(*warning) for warning in stored[2]))
        return self._again(case, stored)

    def _again(self, case: _Case, stored: _Stored) -> _Decided[A]:
        answers = tuple(self._read(case.item[0], answer) for answer in stored[1])
        return _Decided(Solution(case.item, answers, 0.0, 0.0, kept=True), stored)

    def _encode(self, _case: _Case, decided: _Decided[A]) -> _Stored | None:
        """The stored result of an item; None if better answers may be found."""
        solution, stored = decided
        if stored is None:
            if isinstance(solution, IstsError):
                return None
            answers = [self._written(answer) for answer in solution.answers]
            if None in answers:
                return None
            stored = solution.unique, answers, []
        self._use(self._digest)
        warnings = dict.fromkeys((*self._solver().warnings, *self.heard))
        return *stored[:2], [(warning.where, warning.text) for warning in warnings]

    def _decide(self, cases: list[_Case], least: int) -> Iterator[_Decided[A]]:
        """Take the answers of other versions where they hold, and decide the rest together."""
        unaffected, places = self._unaffected(cases)
        decided = self._outcomes(cases, unaffected, least)
        if unaffected and self._unproven:
            first = [*decided]
            if self._faulty(first, cases[0].item[1]):
                self._edits, unaffected = dict.fromkeys(self._versions), {}
                places = dict.fromkeys(range(len(cases)), EVERYTHING)
            self._unproven = False
            decided = iter(first) if unaffected else self._outcomes(cases, (), least)
        for number, case in enumerate(cases):
            if number in unaffected:
                yield self._again(case, unaffected[number])
                continue
            outcome = next(decided)
            if isinstance(outcome, Solution):
                outcome = replace(outcome, edit=places.get(number, ""))
            yield _Decided(outcome)

    def _outcomes(self, cases: Sequence[_Case], known: Container[int], least: int) -> Outcomes[A]:
        left = [case.item for number, case in enumerate(cases) if number not in known]
        # Nothing is made ready where all is known.
        return self._solver().outcomes(left, least=least) if left else iter(())

    def _faulty(self, outcomes: Sequence[object], facts: Sequence[Symbol]) -> bool:
        """Whether clingo finds fault with the rules as it grounds them, if need be for a pair."""
        with suppress(IstsError):
            if not any(isinstance(outcome, Solution) for outcome in outcomes):
                self._solver().ground_atoms(facts)
            return bool(self._solver().warnings)
        return True

    def _unaffected(self, cases: Sequence[_Case]) -> tuple[dict[int, _Stored], dict[int, str]]:
        """The answers of other versions that hold; for other items the edit that affects them."""
        store = self._stored.store
        assert store is not None
        unaffected: dict[int, _Stored] = {}
        places: dict[int, str] = {}
        numbers = list(range(len(cases)))
        others = [digest for digest in self._versions if digest != self._digest]
        for digest in sorted(others, key=self._distance):
            values = store.get_many([self._key(digest, cases[number]) for number in numbers])
            both = zip(numbers, values, strict=True)
            stored = {number: value for number, value in both if value is not None}
            numbers = [number for number in numbers if number not in stored]
            # What clingo had to say of rules may be about the items that it was said of.
            if not stored or any(warnings for *_, warnings in stored.values()):
                continue
            self._use(digest)
            edits = self._since(digest)
            answers = [value[1][0] if self._answers else None for value in stored.values()]
            texts = [cases[number].text for number in stored]
            affected = edits.affected(texts, answers) if edits else None
            if affected is None:
                places |= dict.fromkeys(stored, EVERYTHING)
                continue
            for place, bits in affected:
                for position, number in enumerate(stored):
                    if bits >> position & 1:
                        places.setdefault(number, place)
            # Where several answers are the best, another one may come first now.
            unaffected |= {
                number: value
                for number, value in stored.items()
                if value[0] and number not in places
            }
        return unaffected, places

    def _distance(self, digest: str) -> int:
        changed = self._changed(digest)
        # Two versions that say the same may say it in other places.
        return sys.maxsize if changed is None else 1 + changed.total()

    def _difference(self, digest: str) -> Counter[str] | None:
        """The statements and constants that differ from another version, if it is stored."""
        old = self._version_of(digest)
        if old is None:
            return None
        before, after = map(_statements_of, (old, self._version))
        return (before - after) + (after - before)

    def _version_of(self, digest: str) -> Version | None:
        stored = self._memo.get(key_of("version", made_by(), digest))
        return None if stored is None else Version(*stored)

    def _since(self, digest: str) -> Edits | None:
        """Edits since another version; None if unknown."""
        if digest not in self._edits:
            self._edits[digest] = None
            old, solver = self._version_of(digest), self._solver()
            with suppress(IstsError):
                self._unproven |= not all(map(lists_words, self._changed(digest) or [""]))
                if old is not None and not solver.warnings:
                    # Few runs need it.
                    from ists_asp.solver.edits import Edits

                    new, program = self._version, solver.program
                    self._edits[digest] = Edits(old, new, self._rules, program, solver.shapes)
        return self._edits[digest]

    @cached_property
    def _version(self) -> Version:
        return Version.of(self._rules, self._arguments, self._solver().program.tables)

    @cached_property
    def _digest(self) -> str:
        def compute() -> str:
            return sha256(msgspec.json.encode(tuple(self._version))).hexdigest()

        digest: str = self._memo.recall("digest", self._arguments, compute)
        return digest

    @cached_property
    def _versions(self) -> list[str]:
        return self._memo.get(key_of("versions", self._about)) or []

    def _use(self, digest: str) -> None:
        """Note that a version is used by this one, whose rules are stored."""
        versions = self._versions
        if versions[:1] == [self._digest] and digest in versions[:2]:
            return
        if self._digest not in versions:
            self._memo.put(key_of("version", made_by(), self._digest), tuple(self._version))
        self._versions = list(dict.fromkeys([self._digest, digest, *versions]))[:_VERSIONS]
        self._memo.put(key_of("versions", self._about), self._versions)


def _statements_of(rules: Version) -> Counter[str]:
    texts = Counter(rules.statements + rules.constants)
    del texts["#program base."]  # each file has one
    return texts


def data_of(answer: Answer) -> dict[str, Any]:
    """An answer as JSON can write it, without its pair."""
    data: dict[str, Any] = to_builtins(answer)
    del data["pair"]
    return data


def answer_of(data: dict[str, Any], pair: Pair) -> Answer:
    """The answer to a pair from what :func:`data_of` made of it."""
    return convert({**data, "pair": pair}, Answer)
