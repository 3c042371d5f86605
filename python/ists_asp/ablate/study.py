"""An ablation study: every rule of a profile left out once.

1. Each pair is traced: its answer, which rules fired, which decisions rest on them. Without those
   that fired it is decided again, by one program in which each rule has a switch. For all other
   rules it keeps its answer, as no rule can do anything else than derive atoms from others.
2. Rules of tables, which are the same for all pairs, are left out of the program, and all pairs
   are decided again.
"""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any, TypeVar

from ists_asp.ablate.result import Ablation, RuleWorth, Tally, tally
from ists_asp.engine import System
from ists_asp.evaluate.scorer import Reference, Scores, evaluate
from ists_asp.processes import deaf, end_with_parent
from ists_asp.rules.catalogue import is_core, is_unconditional, restrains
from ists_asp.syntax.changes import off
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.terms import Call, atoms, read
from ists_asp.syntax.trees import derives_atom, is_fact
from ists_asp.vocabulary import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol
    from clingo.ast import AST

    from ists_asp.engine import Setup
    from ists_asp.model import Alignment, Answer, Pair
    from ists_asp.rules import NamedRule
    from ists_asp.solver import Solver

T = TypeVar("T")

_TOGETHER = 20
"""Pairs that a process is given at a time."""

_ABOUT_SPANS = frozenset({"pair", "link", "side"})
"""What evidence about alignments and labels is about."""


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An annotated pair, with chunks or without, and its gold alignments."""

    pair: Pair
    gold: tuple[Alignment, ...]


@dataclass(frozen=True, slots=True)
class _Surveyed:
    """What is known of a pair: measures, counts, and the measures without each rule."""

    scores: Scores
    tallies: Mapping[str, Tally]
    without: Mapping[str, Scores]


@dataclass
class Study:
    """A profile's rules, and the pairs to try them on; it can be sent to another process."""

    items: Sequence[GoldItem]
    setup: Setup
    _facts: dict[int, Sequence[Symbol]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        return {"items": self.items, "setup": self.setup, "_facts": {}}

    @cached_property
    def system(self) -> System:
        """The rules, ready to decide."""
        return System(self.setup).load()

    @cached_property
    def rules(self) -> Mapping[str, NamedRule]:
        """The rules that can be left out, by name: the core encoding's aside.

        They derive atoms, or restrain answers. Facts count only where they are named: tables of
        words, but not weights.
        """
        return {
            rule.name: rule
            for _, node, rule in self._each
            if rule.sentence is not None
            and (derives_atom(node) or restrains(node))
            and not is_core(rule)
        }

    @cached_property
    def evidence(self) -> frozenset[str]:
        """The rules that derive evidence about alignments and labels."""
        return frozenset(rule.name for _, node, rule in self._each if _is_about_spans(node))

    @property
    def _each(self) -> Iterator[tuple[int, AST, NamedRule]]:
        rules = self.system.rules
        for place, (node, rule) in enumerate(zip(rules.statements, rules.rules, strict=True)):
            yield place, node, rule

    @cached_property
    def _everywhere(self) -> frozenset[str]:
        """The rules that may change an answer without firing for it: constraints above all."""
        return frozenset(rule.name for _, node, rule in self._each if is_unconditional(node))

    @cached_property
    def tables(self) -> frozenset[str]:
        """The rules that are evaluated once for all pairs."""
        open_ = {id(node) for node in self.system.solver.program.statements}
        return frozenset(
            rule.name for _, node, rule in self._each if is_fact(node) or id(node) not in open_
        )

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        """The statements that have a switch, by the names of their rules."""
        found = defaultdict(list)
        for place, _, rule in self._each:
            if rule.name in self.rules and rule.name not in self.tables:
                found[rule.name].append(place)
        return found

    @cached_property
    def _switched(self) -> Solver[Answer]:
        every = {place for places in self._places.values() for place in places}
        return self.system.solver.switched(every)

    def survey(self, numbers: Sequence[int], wanted: Collection[str]) -> list[_Surveyed]:
        """Trace pairs, and decide them without each rule that fired for them.

        Args:
            numbers: the places of the pairs.
            wanted: the names of the rules to leave out; those of tables stay.
        """
        traces = self.system.trace_annotated([self.items[number].pair for number in numbers])
        known = [
            (trace, self.items[number].gold) for number, trace in zip(numbers, traces, strict=True)
        ]
        tallies = [tally(trace, gold) for trace, gold in known]
        tried = [
            [name for name in self._places if name in wanted and name in {*one, *self._everywhere}]
            for one in tallies
        ]
        items = (
            (
                trace.answer.pair,
                Atoms.of(trace.facts).with_more(map(off, self._places[name])),
            )
            for (trace, _), names in zip(known, tried, strict=True)
            for name in names
        )
        solutions = self._switched.solve_all(items)
        found = []
        for (trace, gold), its, names in zip(known, tallies, tried, strict=True):
            without = {name: _score(next(solutions).answers[0], gold) for name in names}
            found.append(_Surveyed(_score(trace.answer, gold), its, without))
        return found

    def without(self, name: str, numbers: Sequence[int]) -> dict[int, Scores]:
        """Decide pairs by all rules but one; the measures, by the places of the pairs."""
        rules = self.system.rules
        kept = [place for place, _, rule in self._each if rule.name != name]
        solver = self.system.solver.with_rules(
            replace(
                rules,
                statements=tuple(rules.statements[place] for place in kept),
                rules=tuple(rules.rules[place] for place in kept),
            )
        )
        items = [(self.items[number].pair, self._known(number)) for number in numbers]
        return {
            number: _score(solution.answers[0], self.items[number].gold)
            for number, solution in zip(numbers, solver.solve_all(items), strict=True)
        }

    def _known(self, number: int) -> Sequence[Symbol]:
        if number not in self._facts:
            ((_, facts),) = self.system.known([self.items[number].pair])
            self._facts[number] = facts
        return self._facts[number]


def ablate(
    study: Study,
    wanted: Collection[str],
    *,
    jobs: int = 1,
    begin: Callable[[int], Callable[[], None]] = lambda _total: lambda: None,
) -> Ablation:
    """Leave out rules, one at a time.

    Args:
        study: rules and pairs.
        wanted: the names of the rules, see :attr:`Study.rules`.
        jobs: how many processes work.
        begin: gets the number of steps, and returns what to call after each.

    Returns:
        The worth of each rule, best first by type and score.

    Raises:
        SolveError: there is no answer for a pair, with all rules or without one.
    """
    places = range(len(study.items))
    chunks = [list(places[start : start + _TOGETHER]) for start in places[::_TOGETHER]]
    tables = [name for name in wanted if name in study.tables]
    step = begin(len(chunks) + len(tables))
    surveyed: dict[int, _Surveyed] = {}
    changed: dict[str, dict[int, Scores]] = {name: {} for name in wanted}
    with _team(study, jobs) as each:
        for number, found in each(Study.survey, [(one, set(wanted)) for one in chunks]):
            surveyed.update(zip(chunks[number], found, strict=True))
            step()
        for number, scores in each(Study.without, [(name, list(places)) for name in tables]):
            changed[tables[number]] = scores
            step()
    base = [surveyed[place].scores for place in places]
    total = sum(base, Scores())
    worths = []
    for name in wanted:
        for place in places:
            if name in surveyed[place].without:
                changed[name][place] = surveyed[place].without[name]
        differs = {
            place: scores for place, scores in changed[name].items() if scores != base[place]
        }
        tallies = (one.tallies.get(name, Tally()) for one in surveyed.values())
        without = [differs.get(place, scores) for place, scores in enumerate(base)]
        worths.append(
            RuleWorth(
                study.rules[name],
                sum(tallies, Tally()),
                sum(without, Scores()) if differs else total,
                len(differs),
            )
        )
    ablation = Ablation(len(base), total, ())
    order = {id(one): ablation.worth(one) for one in worths}
    worths.sort(key=lambda one: (-order[id(one)][-1][1], -order[id(one)][0][1]))
    return replace(ablation, rules=tuple(worths))


def _is_about_spans(node: AST) -> bool:
    if not derives_atom(node):
        return False
    for atom in atoms(node.head):
        if (atom.name, len(atom.arguments)) == EVIDENCE.signature:
            target = read(atom.arguments[0])
            return isinstance(target, Call) and target.name in _ABOUT_SPANS
    return False


def _score(answer: Answer, gold: Sequence[Alignment]) -> Scores:
    pair = answer.pair
    right = {pair.id: Reference(pair, tuple(gold))}
    return evaluate(right, {pair.id: Reference(pair, answer.alignments)}).overall


_subject: Study | None = None


@contextmanager
def _team(
    study: Study, jobs: int
) -> Iterator[Callable[[Callable[..., T], Iterable[tuple[Any, ...]]], Iterator[tuple[int, T]]]]:
    """What calls a method of the study with different arguments; gives results with places.

    With several jobs each is a process that has a copy of the study, and ends with the context.
    """
    if jobs == 1:
        yield lambda method, calls: (
            (place, method(study, *call)) for place, call in enumerate(calls)
        )
        return
    # Not forked: clingo and Stanza may have threads.
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start, (study,))

    def each(method: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, T]]:
        with deaf():
            waiting = {pool.submit(_call, method, call): place for place, call in enumerate(calls)}
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()

    try:
        yield each
    except BaseException:
        # What they are at may take long.
        for process in set(active_children()) - others:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start(study: Study) -> None:
    global _subject
    end_with_parent()
    _subject = study


def _call(method: Callable[..., T], call: tuple[Any, ...]) -> T:
    return method(_subject, *call)
