"""Programs: the rules of one purpose, the facts that they see, and what they decide.

An answer is decided by the facts of a pair. Ratings, explanations and verdicts rest on an answer:
their programs are small, see its facts as well, and leave little or nothing to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from clingo import Symbol, SymbolType
from clingo.ast import ASTType
from msgspec import convert, to_builtins

from ists_asp.answers import Read, read_answer, read_rating
from ists_asp.errors import UsageError
from ists_asp.model import HIGHEST, Answer, Pair, Scheme
from ists_asp.rules import NamedRule, Purpose, RuleSet, RuleWarning
from ists_asp.rules.profiles import check_kinds
from ists_asp.solver import Solver, SolverOptions
from ists_asp.solver.kept import Keeping, answer_of, data_of
from ists_asp.solver.search import Item, Outcomes, constant_arguments, ground
from ists_asp.syntax.ground import Atoms, Ground
from ists_asp.vocabulary import line_facts

if TYPE_CHECKING:
    from ists_asp.explain.explanation import Shown
    from ists_asp.trace import Tracer

A = TypeVar("A")


class Decided(NamedTuple):
    """An answer, and facts of its pair."""

    answer: Answer
    facts: Sequence[Symbol]


@dataclass(frozen=True, slots=True)
class Reading(Generic[A]):
    """How the answer sets of a purpose are read, and which facts its rules see beside a pair's."""

    name: str  # results are kept under it, if there is a codec
    read: Read[A]
    facts: Callable[[Answer], Iterable[str]] = lambda _answer: ()
    codec: tuple[Callable[[A], Any], Callable[[Any, Any], A]] | None = None
    bare: Read[Answer] | None = None  # how traces read, where no answers are read


class Program(Generic[A]):
    """The rules of one purpose, ready for many pairs; nothing is grounded before it is needed."""

    def __init__(
        self,
        rules: RuleSet,
        options: SolverOptions,
        reading: Reading[A],
        *,
        keeps: bool = False,  # results, between runs
        knowledge: Callable[[], Sequence[str]] = tuple,  # for traces
    ) -> None:
        self.rules, self._options = rules, options
        self._reading, self._knowledge = reading, knowledge
        self._kept: Keeping[A] | None = None
        if keeps and reading.codec is not None and rules.memo.store is not None:
            self._kept = Keeping(lambda: self.solver, rules, options, reading.name, reading.codec)

    @cached_property
    def solver(self) -> Solver[A]:
        """The solver of the rules."""
        return Solver(self.rules, self._options, self._reading.read)

    @cached_property
    def tracer(self) -> Tracer:
        """Traces what the rules decide, and why any atom is true."""
        from ists_asp.trace import Tracer

        solver: Solver[Any] = self.solver
        if self._reading.bare is not None:
            solver = Solver(self.rules, self._options, self._reading.bare)
        return Tracer(self.rules.translated(), solver, self._knowledge())

    @cached_property
    def named(self) -> dict[str, NamedRule]:
        """The rules that have a sentence, by their names."""

        def records() -> list[Any]:
            return [to_builtins(rule) for rule in self.rules.rules if rule.sentence is not None]

        named = convert(self.rules.memo.recall("named", [], records), list[NamedRule])
        return {rule.name: rule for rule in named}

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """Warnings of clingo about the rules, from now and from when kept results were decided."""
        solver = self.__dict__.get("solver")
        fresh = (*self.rules.warnings, *(solver.warnings if solver else ()))
        return tuple(dict.fromkeys((*fresh, *(self._kept.heard if self._kept else ()))))

    def facts(
        self, answer: Answer, facts: Iterable[Symbol], extra: Iterable[str] = ()
    ) -> tuple[Answer, Sequence[Symbol]]:
        """An answer with the facts of its pair, ``more`` facts and those of the answer."""
        added = filter(None, (*extra, *self._reading.facts(answer)))
        return answer, Atoms.of(facts).with_text(",".join(added))

    def run(self, items: Iterable[Item]) -> Outcomes[A]:
        """Decide items, lazily and in their order, several at a time: solutions or errors."""
        return self.solver.outcomes(items) if self._kept is None else self._kept.recall(items)


def reading_for(
    purpose: Purpose,
    rules: RuleSet,
    constants: Mapping[str, str],
    scheme: Scheme = Scheme.Y2016,
    with_atoms: bool = False,
    wholes: Callable[[Pair], str] = lambda _pair: "",
) -> Reading[Any]:
    """How answer sets are read that the rules for a purpose derive.

    The scheme says which answers are well formed; ``with_atoms`` keeps their atoms; ``wholes``
    gives the reader's facts about a pair as a whole, with commas between them.
    """

    def write(answer: Answer) -> dict[str, Any] | None:
        return data_of(answer) if answer.optimal else None

    if purpose is Purpose.ANSWER:
        read = partial(read_answer, scheme=scheme, with_atoms=with_atoms)
        codec = write, lambda pair, data: answer_of(data, pair)
        return Reading(f"answers {scheme} {with_atoms}", read, codec=codec)
    if purpose is Purpose.RATING:
        highest = highest_rating(rules, constants)

        def read_rated(
            answer: Answer, atoms: Iterable[Ground], cost: tuple[int, ...], best: bool
        ) -> Answer:
            return read_rating(answer.pair, atoms, cost, best, highest)

        return Reading(
            f"ratings {highest}",
            read_rated,
            lambda answer: (*line_facts(answer), wholes(answer.pair)),
            (write, lambda answer, data: answer_of(data, answer.pair)),
        )
    # Rules for texts are needed by few runs.
    from ists_asp.explain.explanation import answer_facts, read_bare, read_shown

    if purpose is Purpose.FEEDBACK:
        from ists_asp.explain.feedback import read_judged

        return Reading(
            "",
            read_judged,
            lambda answer: (*answer_facts(answer), wholes(answer.pair)),
            bare=read_bare,
        )

    def read_explained(answer: Answer, atoms: Iterable[Ground], _cost: object, best: bool) -> Shown:
        return read_shown(answer.sizes, len(answer.alignments), atoms, best)

    return Reading(
        "explanations",
        read_explained,
        answer_facts,
        (
            lambda explained: [*map(str, explained.atoms)] if explained.best else None,
            lambda answer, atoms: read_explained(answer, map(Ground, atoms), (), True),
        ),
        read_bare,
    )


def highest_rating(rules: RuleSet, constants: Mapping[str, str]) -> int:
    """The best rating, which is a constant of ``asp/rate.lp``."""
    check_kinds(constants, rules)
    arguments = constant_arguments(constants)

    def constant() -> int:
        definitions = [node for node in rules.statements if node.ast_type is ASTType.Definition]
        best = ground(definitions, (), arguments, lambda _code, _text: None).get_const("highest")
        return best.number if best is not None and best.type is SymbolType.Number else HIGHEST

    best = int(rules.memo.recall("highest", arguments, constant))
    if best < 1:
        raise UsageError(f"found {best}", where="the constant highest", expected="1 point or more")
    return best
