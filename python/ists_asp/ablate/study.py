"""An ablation study: every rule of a profile left out once.

1. Each pair is traced: its answer, which rules fired, which decisions rest on them.
2. Each rule is left out of the program, and the pairs for which it fires are decided again;
   those for which it does not fire keep their answers, as no rule can do anything else than
   derive atoms from others. What restrains answers without firing, and what is the same for all
   pairs, is tried on every pair.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from clingo.ast import AST, ASTType

from ists_asp.ablate.result import Ablation, RuleWorth, Tally, tally
from ists_asp.engine import System
from ists_asp.evaluate.scorer import Reference, Scores, evaluate
from ists_asp.processes import deaf, end_with_parent
from ists_asp.rules.catalogue import is_core, is_unconditional, restrains
from ists_asp.syntax.trees import derives_atom, is_fact, walk
from ists_asp.vocabulary import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.engine import Setup
    from ists_asp.model import Alignment, Pair
    from ists_asp.rules import NamedRule

T = TypeVar("T")

_subject: object = None


class Workers(Protocol):
    """Whoever calls methods of the object."""

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        """Call a method of the study with different arguments; the results with their places."""


class _Inline:
    def __init__(self, subject: object) -> None:
        self._subject = subject

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        for place, call in enumerate(calls):
            yield place, method(self._subject, *call)


class _Pool:
    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def map(
        self, method: Callable[..., T], calls: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, T]]:
        with deaf():
            waiting = {
                self._pool.submit(_call, method, call): place for place, call in enumerate(calls)
            }
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()


@contextmanager
def workers(subject: object, jobs: int) -> Iterator[Workers]:
    """Start what calls methods of an object; processes end with the context.

    Args:
        subject: the object; processes are sent copies of it.
        jobs: how many processes; with one, this one.
    """
    if jobs == 1:
        yield _Inline(subject)
        return
    # Not forked: clingo and Stanza may have threads.
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start, (subject,))
    try:
        yield _Pool(pool)
    except BaseException:
        # What they are at may take long.
        for process in set(active_children()) - others:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start(subject: object) -> None:
    global _subject
    end_with_parent()
    _subject = subject


def _call(method: Callable[..., T], call: tuple[Any, ...]) -> T:
    return method(_subject, *call)


_BATCH = 20

_EVIDENCE = EVIDENCE.signature
_TARGETS = ("pair", "link", "side")
"""What evidence about alignments and labels is about."""


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An annotated pair, with chunks or without, and its gold alignments."""

    pair: Pair
    gold: tuple[Alignment, ...]


@dataclass
class Study:
    """A profile's rules, and the pairs to try them on; it can be sent to another process.

    Args:
        items: annotated pairs with gold.
        setup: what to load.
    """

    items: Sequence[GoldItem]
    setup: Setup
    _facts: dict[int, Sequence[Symbol]] = field(default_factory=dict)

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
            for node, rule in zip(
                self.system.rules.statements, self.system.rules.rules, strict=True
            )
            if rule.sentence is not None
            and (derives_atom(node) or restrains(node))
            and not is_core(rule)
        }

    @cached_property
    def everywhere(self) -> frozenset[str]:
        """The rules that may change an answer without firing for it: constraints above all."""
        return frozenset(
            rule.name
            for node, rule in zip(
                self.system.rules.statements, self.system.rules.rules, strict=True
            )
            if is_unconditional(node)
        )

    @cached_property
    def tables(self) -> frozenset[str]:
        """The rules that are evaluated once for all pairs."""
        open_ = {id(node) for node in self.system.solver.program.statements}
        return frozenset(
            rule.name
            for node, rule in zip(
                self.system.rules.statements, self.system.rules.rules, strict=True
            )
            if is_fact(node) or id(node) not in open_
        )

    @cached_property
    def evidence(self) -> frozenset[str]:
        """The rules that find evidence about alignments and labels."""
        return frozenset(
            rule.name
            for node, rule in zip(
                self.system.rules.statements, self.system.rules.rules, strict=True
            )
            if node.ast_type is ASTType.Rule and _target(node) in _TARGETS
        )

    def __getstate__(self) -> dict[str, object]:
        return {"items": self.items, "setup": self.setup, "_facts": {}}

    def survey(self, numbers: Sequence[int]) -> list[tuple[Scores, Mapping[str, Tally]]]:
        """Trace pairs: the measures of their answers, and what each rule did for them."""
        pairs = [self.items[number].pair for number in numbers]
        found = []
        for number, trace in zip(numbers, self.system.trace_annotated(iter(pairs)), strict=True):
            gold = self.items[number].gold
            scores = _score(trace.answer.pair, trace.answer.alignments, gold)
            found.append((scores, tally(trace, gold)))
        return found

    def without(self, name: str, numbers: Sequence[int]) -> dict[int, Scores]:
        """Decide pairs by all rules but one; the measures, by the places of the pairs."""
        rules = self.system.rules
        kept = [
            (node, rule)
            for node, rule in zip(rules.statements, rules.rules, strict=True)
            if rule.name != name
        ]
        solver = self.system.solver.with_rules(
            replace(
                rules,
                statements=tuple(node for node, _ in kept),
                rules=tuple(rule for _, rule in kept),
            )
        )
        items = [(self.items[number].pair, self._known(number)) for number in numbers]
        return {
            number: _score(
                self.items[number].pair, solution.answers[0].alignments, self.items[number].gold
            )
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
    chunks = [places[start : start + _BATCH] for start in places[::_BATCH]]
    step = begin(len(chunks) + len(wanted))
    with workers(study, jobs) as team:
        surveyed: dict[int, tuple[Scores, Mapping[str, Tally]]] = {}
        for place, found in team.map(Study.survey, [(list(one),) for one in chunks]):
            surveyed.update(zip(chunks[place], found, strict=True))
            step()
        calls: list[tuple[str, list[int]]] = []
        for name in wanted:
            every = name in study.tables | study.everywhere
            again = [place for place in places if every or name in surveyed[place][1]]
            if again:
                calls.append((name, again))
            else:
                step()
        changed: dict[str, dict[int, Scores]] = {name: {} for name in wanted}
        for place, scores in team.map(Study.without, calls):
            changed[calls[place][0]] = scores
            step()
    base = [surveyed[place][0] for place in places]
    total = _sum(base)
    found_rules = []
    for name in wanted:
        tallies = [one[name] for _, one in surveyed.values() if name in one]
        differs = {
            place: scores for place, scores in changed[name].items() if scores != base[place]
        }
        without = [differs.get(place, scores) for place, scores in enumerate(base)]
        rule, did = study.rules[name], sum(tallies, Tally())
        found_rules.append(RuleWorth(rule, did, _sum(without) if differs else total, len(differs)))
    ablation = Ablation(len(base), total, ())
    order = {id(one): ablation.worth(one) for one in found_rules}
    found_rules.sort(key=lambda one: (-order[id(one)][-1][1], -order[id(one)][0][1]))
    return replace(ablation, rules=tuple(found_rules))


def _target(rule: AST) -> str:
    """What the evidence is about that a rule derives; empty if it derives none."""
    for part in walk(rule.head) if derives_atom(rule) else ():
        if part.ast_type is ASTType.Function and (part.name, len(part.arguments)) == _EVIDENCE:
            first = part.arguments[0]
            if first.ast_type is ASTType.Function:
                return str(first.name)
    return ""


def _score(pair: Pair, alignments: Sequence[Alignment], gold: Sequence[Alignment]) -> Scores:
    right = {pair.id: Reference(pair, tuple(gold))}
    return evaluate(right, {pair.id: Reference(pair, tuple(alignments))}).overall


def _sum(scores: Iterable[Scores]) -> Scores:
    return sum(scores, Scores())
