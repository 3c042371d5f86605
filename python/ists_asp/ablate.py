"""What each rule is worth on gold pairs: how they would be answered if it were left out.

1. Each pair is traced: its answer, which rules fired, which decisions rest on them. Without those
   that fired it is decided again, by one program in which each rule has a switch. For all other
   rules it keeps its answer, as no rule can do anything else than derive atoms from others.
2. Rules of tables, which are the same for all pairs, are left out of the program, and all pairs
   are decided again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain, repeat
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any

from clingo import SymbolType

from ists_asp.engine import System
from ists_asp.evaluate.scorer import DECIMALS, IGNORED, Reference, Scores, Summed, evaluate
from ists_asp.processes import deaf, end_with_parent
from ists_asp.rules.catalogue import is_core, is_unconditional, restrains
from ists_asp.syntax.changes import off
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.terms import Call, atoms, read
from ists_asp.syntax.trees import derives_atom, is_fact
from ists_asp.trace import DecisionKind, decisions
from ists_asp.trace.evidence import behind
from ists_asp.vocabulary import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol
    from clingo.ast import AST

    from ists_asp.engine import Setup
    from ists_asp.model import Alignment, Answer, Pair, Sentence
    from ists_asp.rules import NamedRule
    from ists_asp.solver import Solver
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace import Decision, Trace

_TOGETHER = 20
"""Pairs that a process is given at a time."""

_ABOUT_SPANS = frozenset({"pair", "link", "side"})
"""What evidence about alignments and labels is about."""

_JUDGED = (DecisionKind.ALIGN, DecisionKind.LABEL, DecisionKind.SCORE)


@dataclass(frozen=True, slots=True)
class Tally(Summed):
    """How often a rule fired, for how many pairs, and the decisions that rest on it.

    ``right`` and ``wrong`` are alignments, labels and scores that it supports, by whether gold
    has them.
    """

    fires: int = 0
    pairs: int = 0
    right: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class RuleWorth:
    """A rule, what it did, and what is lost without it.

    ``changed`` says for how many pairs the measures differ without it; ``worth`` what F1 it adds,
    by the official name of the measure, negative if it harms.
    """

    rule: NamedRule
    tally: Tally
    changed: int
    worth: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ablation:
    """The measures with all rules over ``pairs`` pairs, and each rule's worth, best first."""

    pairs: int
    scores: Scores
    rules: tuple[RuleWorth, ...]

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes; worth has six decimals."""
        return {
            "pairs": self.pairs,
            "f1": {name: round(measure.f1, DECIMALS) for name, measure in self.scores.named()},
            "rules": [
                {
                    "name": one.rule.name,
                    "file": one.rule.file,
                    "line": one.rule.line,
                    **asdict(one.tally),
                    "changed": one.changed,
                    "worth": {name: round(value, 6) for name, value in one.worth.items()},
                }
                for one in self.rules
            ],
        }


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What is known of a pair: measures, counts, and the measures without each rule."""

    scores: Scores
    tallies: Mapping[str, Tally]
    without: Mapping[str, Scores]


@dataclass
class Study:
    """A profile's rules, and the annotated pairs to try them on, with chunks or without.

    It can be sent to another process.
    """

    golds: Sequence[Reference]
    setup: Setup

    def __reduce__(self) -> tuple[object, ...]:
        return Study, (self.golds, self.setup)

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
        return self.system.solver.switched(set(chain.from_iterable(self._places.values())))

    @cached_property
    def _known(self) -> Sequence[tuple[Pair, Sequence[Symbol]]]:
        return list(self.system.known(gold.pair for gold in self.golds))

    def survey(self, numbers: Sequence[int], wanted: Collection[str]) -> list[Surveyed]:
        """Trace pairs, and decide them without each rule that fired for them.

        Args:
            numbers: the places of the pairs.
            wanted: the names of the rules to leave out; those of tables stay.
        """
        golds = [self.golds[number] for number in numbers]
        traces = list(self.system.trace_annotated(gold.pair for gold in golds))
        tallies = [_tally(trace, gold) for trace, gold in zip(traces, golds, strict=True)]
        tried = [
            [name for name in self._places if name in wanted and name in {*one, *self._everywhere}]
            for one in tallies
        ]
        solutions = self._switched.solve_all(
            (trace.answer.pair, Atoms.of(trace.facts).with_more(map(off, self._places[name])))
            for trace, names in zip(traces, tried, strict=True)
            for name in names
        )
        return [
            Surveyed(
                _score(trace.answer, gold),
                counts,
                {name: _score(next(solutions).answers[0], gold) for name in names},
            )
            for trace, gold, counts, names in zip(traces, golds, tallies, tried, strict=True)
        ]

    def without(self, name: str) -> list[Scores]:
        """Decide all pairs by all rules but one: the measures of each."""
        rules = self.system.rules
        kept = [place for place, _, rule in self._each if rule.name != name]
        solver = self.system.solver.with_rules(
            replace(
                rules,
                statements=tuple(rules.statements[place] for place in kept),
                rules=tuple(rules.rules[place] for place in kept),
            )
        )
        return [
            _score(solution.answers[0], gold)
            for gold, solution in zip(self.golds, solver.solve_all(self._known), strict=True)
        ]


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
    places = range(len(study.golds))
    parts = [places[start : start + _TOGETHER] for start in places[::_TOGETHER]]
    tables = [name for name in wanted if name in study.tables]
    step = begin(len(parts) + len(tables))
    surveyed: list[Surveyed] = []
    measured: dict[str, list[Scores]] = {}
    with _team(study, jobs) as each:
        for found in each(Study.survey, parts, repeat(frozenset(wanted))):
            surveyed += found
            step()
        for name, scores in zip(tables, each(Study.without, tables), strict=True):
            measured[name] = scores
            step()
    base = [one.scores for one in surveyed]
    total = sum(base, Scores())
    worths = []
    for name in wanted:
        without = measured.get(name) or [one.without.get(name, one.scores) for one in surveyed]
        changed = sum(one != other for one, other in zip(base, without, strict=True))
        less = sum(without, Scores()) if changed else total
        worth = {
            measure: full.f1 - rest.f1
            for (measure, full), (_, rest) in zip(total.named(), less.named(), strict=True)
        }
        counts = sum((one.tallies.get(name, Tally()) for one in surveyed), Tally())
        worths.append(RuleWorth(study.rules[name], counts, changed, worth))
    worths.sort(key=lambda one: (-one.worth["Typ+Sco"], -one.worth["Ali"]))
    return Ablation(len(base), total, tuple(worths))


def _is_about_spans(node: AST) -> bool:
    if not derives_atom(node):
        return False
    for atom in atoms(node.head):
        if (atom.name, len(atom.arguments)) == EVIDENCE.signature:
            target = read(atom.arguments[0])
            return isinstance(target, Call) and target.name in _ABOUT_SPANS
    return False


def _score(answer: Answer, gold: Reference) -> Scores:
    found = Reference(answer.pair, answer.alignments)
    return evaluate({gold.pair.id: gold}, {gold.pair.id: found}).overall


def _tally(trace: Trace, gold: Reference) -> Mapping[str, Tally]:
    """Count by rule name what fired for an answer, and the decisions that rest on it.

    A decision rests on the rules for the features that speak for it, and on those that these
    rest on. It is right if gold aligns the same tokens (for a label or a score, with the same
    label or score); single punctuation marks do not count.
    """
    fires = Counter(
        firing.probe.rule.name
        for firing in chain(trace.firings.deriving, trace.firings.objective)
        if firing.probe.rule.sentence is not None and not is_core(firing.probe.rule)
    )
    known = {_key(line, gold.pair): line for line in gold.alignments if line.label.aligned}
    verdicts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for decision in decisions(trace):
        if decision.kind in _JUDGED:
            wrong = not _is_right(decision, known.get(_key(decision, gold.pair)))
            for name in _support(trace, decision):
                verdicts[name][wrong] += 1
    return {name: Tally(fires[name], 1, *verdicts[name]) for name in {*fires, *verdicts}}


def _support(trace: Trace, decision: Decision) -> set[str]:
    """The rules that speak for a decision: those behind what its sums need, or add up for it."""
    needed: list[Ground] = []
    for atom in (atom for term in decision.terms for atom in term.firings[0].positive):
        for firing in () if atom == decision.atom else trace.reasons(atom)[:1]:
            needed += firing.positive
            for element in (one for group in trace.groups(firing) for one in group.elements):
                first = element.terms[0] if element.terms else None
                if first is not None and first.type is SymbolType.Number and first.number > 0:
                    needed += element.positive
    firings = (firing for atom in needed for firing in trace.reasons(atom)[:1])
    rules = (firing.probe.rule for firing in behind(trace, firings))
    return {rule.name for rule in rules if rule.sentence is not None}


def _is_right(decision: Decision, line: Alignment | None) -> bool:
    """Whether gold decides so for the same tokens, in this line."""
    if line is None or decision.kind is DecisionKind.ALIGN:
        return line is not None
    value = decision.atom.arguments[2]
    if decision.kind is DecisionKind.LABEL:
        return str(value).upper() == line.label
    return line.score is not None and value.number == line.score


def _key(of: Decision | Alignment, pair: Pair) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The tokens that something is about, without single punctuation marks."""

    def counted(tokens: Sequence[int], sentence: Sentence) -> tuple[int, ...]:
        words = sentence.tokens
        return tuple(
            token for token in tokens if token > len(words) or words[token - 1].form not in IGNORED
        )

    return counted(of.tokens1, pair.sent1), counted(of.tokens2, pair.sent2)


_subject: Study | None = None


@contextmanager
def _team(study: Study, jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """What calls a method of the study with arguments, as ``map`` does.

    With several jobs each is a process that has a copy of the study, and ends with the context.
    """
    if jobs == 1:
        yield lambda method, *arguments: map(partial(method, study), *arguments)
        return
    # Not forked: clingo and Stanza may have threads.
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start, (study,))

    def each(method: Callable[..., object], *arguments: Iterable[object]) -> Iterator[object]:
        with deaf():
            return pool.map(partial(_call, method), *arguments)

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


def _call(method: Callable[..., object], *arguments: object) -> object:
    return method(_subject, *arguments)
