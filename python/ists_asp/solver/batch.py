"""Several pairs solved in one control object: one grounding, one search.

Most of the time that a pair takes does not depend on the pair: clingo analyses the rules
and indexes the tables. Pairs with numbers share that. The parts of the objective are
independent, so that the best answer set has the best answer of each pair.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain, islice
from typing import Generic, NamedTuple, TypeVar

from clingo import Control, Function, Symbol, SymbolType
from clingo.ast import AST

from ists_asp.confidence import WEIGHTS, Weights
from ists_asp.errors import AnswerError, IstsError
from ists_asp.model import Subject
from ists_asp.resources import gc_paused
from ists_asp.solver.grounder import PreparedRules, argument_texts
from ists_asp.solver.pairing import COST, OWN, PAIR, PRIORITY, Paired
from ists_asp.solver.search import CORE_GUIDED, AnswerSet, Item, Solution, ground, only_best
from ists_asp.solver.statements import FactLoader
from ists_asp.syntax.ground import Atoms, Ground, split, symbols, written
from ists_asp.syntax.trees import PREFIX, Signature
from ists_asp.vocabulary import all_predicates

S = TypeVar("S")
T = TypeVar("T")

BATCH = 100  # pairs solved together: 60 take a tenth more time, more gain little
# Tokens of the pairs solved together, both sides: what they need of memory grows with them.
TOKENS = 4000
_LONG = 200
"""Tokens of a pair, both sides, from which it is solved alone: it has many alignments to choose
from, which a search for several pairs at a time may not get through."""


def batches(items: Iterable[S], size: int = BATCH) -> Iterator[list[S]]:
    """Items, lazily, ``size`` at a time; those before an error come before it is raised."""
    remaining = iter(items)
    failure: Exception | None = None
    while failure is None:
        batch: list[S] = []
        try:
            # One at a time: what came before an error is kept.
            for item in islice(remaining, size):
                batch.append(item)
        except Exception as error:
            failure = error
        if not batch:
            break
        yield batch
    if failure is not None:
        raise failure


def raising(outcomes: Iterable[T | IstsError]) -> Iterator[T]:
    """Outcomes, lazily, up to the first error, which is raised."""
    for outcome in outcomes:
        if isinstance(outcome, IstsError):
            raise outcome
        yield outcome


def short_pairs(items: Sequence[Item], least: int = 2) -> list[list[int]]:
    """The places of the pairs that are solved together, batch by batch, ``least`` each or more."""
    batches: list[list[int]] = [[]]
    tokens = 0
    for place, (subject, _) in enumerate(items):
        if (size := sum(subject.sizes)) >= _LONG:
            continue
        if tokens + size > TOKENS:
            batches.append([])
            tokens = 0
        batches[-1].append(place)
        tokens += size
    return [batch for batch in batches if len(batch) >= max(least, 1)]


_COSTS = f"{COST}("
_COST = re.compile(rf"{COST}\((\d+),(-?\d+),(-?\d+),")


class PairModel(NamedTuple):
    """The part of one pair in an answer set."""

    answer_set: AnswerSet
    atoms: dict[str, list[Ground]]  # without those of tables, by predicate
    extra: dict[str, list[str]]  # arguments of added rules' atoms, by name


class BatchModel:
    """The best answer set of several pairs, whose numbers begin with 1, in a ground program."""

    def __init__(self, control: Control, answer_set: AnswerSet, size: int) -> None:
        self.control = control
        atoms_by_pair: dict[int, list[Ground]] = {number: [] for number in range(1, size + 1)}
        costs: dict[int, dict[int, int]] = {number: {} for number in atoms_by_pair}
        # clingo reports a value for each priority that some element has, true or not.
        for entry in control.symbolic_atoms.by_signature(PRIORITY, 2):
            number, priority = entry.symbol.arguments
            if priority.type is SymbolType.Number:
                costs[number.number][priority.number] = 0
        for atom in answer_set.shown:
            # Elements without numbers do not count.
            if cost := _COST.match(atom):
                pair, level, weight = map(int, cost.groups())
                costs[pair][level] += weight
            elif not atom.startswith(_COSTS):
                part, plain = _parted(atom)
                for share in (atoms_by_pair[int(part)],) if part else atoms_by_pair.values():
                    share.append(plain)
        self.shares = {}
        for pair, values in costs.items():
            cost_of = dict(sorted(values.items(), reverse=True))
            its = tuple(atoms_by_pair[pair]), (), tuple(cost_of.values()), True, tuple(cost_of)
            self.shares[pair] = PairModel(AnswerSet(*its), {}, {})
        by_number = {str(number): share for number, share in self.shares.items()}
        prefix = OWN.removeprefix(PREFIX)
        for text in written(answer_set.true):
            part, plain = _parted(text)
            if part:
                model = by_number[part]
                name, _, arguments = plain.removeprefix("-").partition("(")
                if name.startswith(prefix):
                    model.extra.setdefault(name, []).append(arguments[:-1])
                else:
                    model.atoms.setdefault(name, []).append(plain)

    def weights_of(self, number: int) -> Weights:
        """The weights in the ground program of one of the pairs."""
        return self._weights[number - 1]

    @cached_property
    def _weights(self) -> list[Weights]:
        weights: list[dict[str, list[str]]]
        weights = [{name: [] for name, _ in WEIGHTS} for _ in self.shares]
        for name, arity in WEIGHTS:
            for text in argument_texts(self.control, PREFIX + name, arity + 1):
                number, _, rest = text.partition(",")
                weights[int(number) - 1][name].append(rest)
        return [*weights]


def _parted(atom: str) -> tuple[str, Ground]:
    """The number of an atom's pair (empty for atoms of tables), and the atom without it."""
    sign = "-" if atom.startswith("-") else ""
    name, _, rest = atom[len(sign) :].partition("(")
    if not name.startswith(PREFIX):
        return "", Ground(atom)
    number, _, arguments = rest[:-1].partition(",")
    plain = sign + name.removeprefix(PREFIX)
    return number, Ground(f"{plain}({arguments})" if arguments else plain)


A = TypeVar("A")

# How many arguments the predicates of facts have.
ARITIES = {predicate.name: predicate.arity for predicate in all_predicates()}


class Batches(Generic[A]):
    """A program rewritten for several pairs at a time.

    What is asked of it is None where that is not certain: a pair has no answer set or several that
    are as good, there was no time to find out, or clingo has warned of something new. The time
    limit is for the search for the answers of a batch.
    """

    def __init__(
        self,
        paired: Paired,
        program: PreparedRules,
        arguments: Sequence[str],
        time_limit: float,
        read: Callable[[Subject, AnswerSet, Callable[[], Weights]], A],
    ) -> None:
        self._paired, names = paired, paired.names
        self._tables = {name.name for name in program.tables}
        self._table_facts = {
            name: atoms
            for name, atoms in program.by_predicate.items()
            if name in program.tables
            # What is denied as well leaves no answer, whether or not a statement mentions it.
            and (name.name in names or f"-{name.name}" in Atoms.of(atoms).text)
        }
        # What depends on the pair as well.
        tables, facts = program.tables, program.by_predicate.items()
        others = (atoms for name, atoms in facts if name not in tables)
        self._others = written(chain.from_iterable(others))
        used = {name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)}
        self._own = used - self._tables
        self._arguments = (CORE_GUIDED, *arguments)
        self._time_limit, self._read = time_limit, read
        self._known: set[str] = set()

    def solve(self, items: Sequence[Item]) -> list[Solution[A] | None] | None:
        """A solution for each pair, as for the pair alone; None where what was found is none."""
        began = time.process_time()
        with gc_paused():
            control = self._ground(items, self._paired.settled)
        grounded = time.process_time()
        model = self._search(control, len(items), atoms=False)
        if model is None:
            return None
        times = (grounded - began) / len(items), (time.process_time() - grounded) / len(items)
        return [
            None if answer is None else Solution(item, (answer,), *times, unique=True)
            for item, answer in zip(items, self.answers(items, model), strict=True)
        ]

    def derivable(
        self, items: Sequence[Item], wanted: Iterable[Signature]
    ) -> list[list[Symbol]] | None:
        """Ground pairs together and return their atoms of some predicates that could be derived."""
        control = self._ground(items, self._paired.statements)
        if control is None:
            return None
        derivable: list[list[Symbol]] = [[] for _ in items]
        for name, arity in wanted:
            for atom in control.symbolic_atoms.by_signature(f"{PREFIX}{name}", arity + 1):
                number, *arguments = atom.symbol.arguments
                derivable[number.number - 1].append(Function(name, arguments))
        return derivable

    def best(self, items: Sequence[Item], extra: Sequence[AST]) -> BatchModel | None:
        """Find the best answer sets of pairs together, with all their atoms.

        ``extra`` are more rules, rewritten for several pairs; no other rule may depend on them.
        """
        with gc_paused():
            control = self._ground(items, (*self._paired.statements, *extra))
            return self._search(control, len(items), atoms=True)

    def answers(self, items: Sequence[Item], model: BatchModel) -> list[A | None]:
        """The answer in each pair's answer set; None where it has none."""
        answers: list[A | None] = [None] * len(items)
        for number, (subject, _) in enumerate(items, start=1):
            with suppress(AnswerError):
                weights = partial(model.weights_of, number)
                answers[number - 1] = self._read(subject, model.shares[number].answer_set, weights)
        return answers

    def _search(self, control: Control | None, size: int, *, atoms: bool) -> BatchModel | None:
        """The best answer set: if others are as good, which one comes first is chance."""
        answer_set = control and only_best(control, self._time_limit, atoms=atoms)
        return BatchModel(control, answer_set, size) if control and answer_set else None

    def _ground(self, items: Sequence[Item], statements: Sequence[AST]) -> Control | None:
        loader = self._facts([facts for _, facts in items])
        if loader is None:
            return None
        messages: list[str] = []
        control = ground(
            statements, (), self._arguments, lambda _, text: messages.append(text), loader=loader
        )
        if not self._known.issuperset(messages):
            # The pairs one by one give the same warnings, in the words of the rules.
            self._known.update(messages)
            return None
        return control

    def _facts(self, items: Sequence[Sequence[Symbol]]) -> FactLoader | None:
        """The facts of a batch that statements mention; None if some may belong to a table."""
        many: dict[str, list[str]] = {
            name: [] for name, arity in ARITIES.items() if arity and name in self._own
        }
        others = []
        for number, facts in enumerate(items, start=1):
            others.append(f"{PAIR}({number})")
            others += [_numbered(number, text) for text in self._others]
            for text in split(Atoms.of(facts).inside):
                name, _, rest = text.partition("(")
                if name in many:
                    many[name].append(f"({number},{rest}")
                elif (name := name.removeprefix("-")) in self._tables:
                    return None
                elif name in self._own:
                    others.append(_numbered(number, text))
        loader = FactLoader(self._table_facts)
        loader.add(symbols(others))
        for name, texts in many.items():
            atoms = symbols(PREFIX + name + text for text in texts)
            loader.put(Signature(PREFIX + name, 1 + ARITIES[name]), atoms)
        return loader


def _numbered(number: int, atom: str) -> str:
    """An atom, as text, that says to which pair it belongs."""
    sign = "-" if atom[0] == "-" else ""
    name, bracket, rest = atom[len(sign) :].partition("(")
    return f"{sign}{PREFIX}{name}({number}{',' if bracket else ')'}{rest}"
