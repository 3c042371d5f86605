"""One pair's facts in, its best answers out; or those of many pairs, which is faster.

A program is parsed once and used for many pairs. A pair alone has a control object of its own;
several pairs share one, with rules that keep them apart (:mod:`ists_asp.solver.pairing`).
Statements are added as syntax trees and facts as symbols, which takes half the time of text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeVar

from clingo import Configuration, Control, Symbol
from clingo.ast import AST

from ists_asp import errors
from ists_asp.answers import Read, read_answer
from ists_asp.confidence import AddConfidence, Confident, Weights, confidence_tables
from ists_asp.errors import AnswerError, IstsError, RuleError, inside, unless_it_fails
from ists_asp.model import Subject
from ists_asp.rules.loader import RuleSet
from ists_asp.rules.parsing import RuleWarning
from ists_asp.solver import search
from ists_asp.solver.ahead import Ahead
from ists_asp.solver.batch import Batches, BatchModel, batches, raising, short_pairs
from ists_asp.solver.bounds import Objective, objective_for
from ists_asp.solver.grounder import Alone, Grounder, PreparedRules
from ists_asp.solver.pairing import paired
from ists_asp.solver.search import AnswerSet, Item, Outcomes, Solution, SolverOptions
from ists_asp.solver.statements import MADE, Shapes
from ists_asp.syntax.ground import Ground, by_name, texts
from ists_asp.syntax.trees import Signature, switched, switches
from ists_asp.vocabulary import CONFIDENCE

if TYPE_CHECKING:
    from ists_asp.solver.faults import Diagnosis

A = TypeVar("A")
T = TypeVar("T")

# Seconds of processor time to search for a batch: most take hundredths, others are redone.
_BATCH_LIMIT = 2.0

# Another answer set: the value of each priority, and the atoms that were looked at.
Other = tuple[dict[int, int], frozenset["Ground"]]


@dataclass(eq=False)
class Best(Generic[A]):
    """The best answer set of a pair with all its atoms."""

    answer: A  # what it says
    found: AnswerSet  # without atoms that are not shown, if solved together
    program: PreparedRules  # grounded for the pair
    ground: Callable[[], tuple[Control, Objective]]  # grounds it for this pair alone
    together: BatchModel | None = None  # what pairs solved together share
    number: int = 0  # of this pair among them

    @cached_property
    def _alone(self) -> tuple[Control, Objective]:
        return self.ground()

    @property
    def control(self) -> Control:
        """The ground program of this pair alone."""
        return self._alone[0]

    @cached_property
    def atoms(self) -> Mapping[str, Sequence[Ground]]:
        """The atoms by name, without the facts of the program."""
        if self.together is not None:
            return self.together.shares[self.number].atoms
        facts = frozenset(self.program.facts)
        atoms = (atom for atom in self.found.true if not atom.name.startswith(MADE))
        return by_name(texts(atom for atom in atoms if atom not in facts))

    def undecided(self, name: str, arity: int) -> Mapping[Ground, int]:
        """The atoms of a predicate that the solver decides, with their literals."""
        atoms = self.control.symbolic_atoms.by_signature(name, arity)
        open_ = [(atom.symbol, atom.literal) for atom in atoms if not atom.is_fact]
        written = texts(symbol for symbol, _ in open_)
        return dict(zip(written, (literal for _, literal in open_), strict=True))

    def other(
        self, assumptions: Sequence[int], looked_at: Mapping[Ground, int], time_limit: float
    ) -> Other | None:
        """Find the best answer set in which literals are true; None if there is none.

        So many should be given that branch and bound looks at the rest in no time. After
        ``time_limit`` seconds the best so far is good enough.
        """
        control, objective = self._alone
        solver = control.configuration.solver
        assert isinstance(solver, Configuration)
        solver.opt_strategy = "bb"
        return search.last_model(
            control,
            time_limit,
            lambda model: (
                dict(zip(model.priority, objective.cost(model), strict=True)),
                frozenset(atom for atom, literal in looked_at.items() if model.is_true(literal)),
            ),
            assumptions,
        )[0]


class Solver(Generic[A]):
    """A rule set made ready to decide pairs.

    ``program`` is what is grounded for a pair, and what holds for every pair; ``arguments`` are
    clingo's command line arguments, without those that choose a strategy. What ``read`` makes of an
    answer set stands in solutions; ``confident``, by default the rules' tables, says how sure.
    Facts, tables and constants that clingo cannot ground are a RuleError or UsageError.
    """

    def __init__(
        self,
        rules: RuleSet,
        options: SolverOptions | None = None,
        read: Read[A] = read_answer,  # type: ignore[assignment]
        confident: AddConfidence[A] | None = None,
    ) -> None:
        self.options = options or SolverOptions()
        self.shapes = Shapes(rules.memo)
        self._grounder = Grounder(rules, self.options, self.shapes)
        self.program, self.arguments = self._grounder.program, self._grounder.arguments
        self._rules, self._read = rules, read
        self._objective = objective_for(rules, self.shapes)
        self._ahead = Ahead(self._grounder, self._objective, self._read_answer)
        try:
            self.sure = confidence_tables(self.program.by_predicate.get(CONFIDENCE.signature, ()))
        except RuleError as error:
            # The last to derive it: users' rules come last.
            key, shape = CONFIDENCE.signature, self.shapes.of
            *_, rule = (rule for node, rule in rules.both if key in shape(node).derived)
            error.where = f"{rule.file}:{rule.line}"
            raise
        # Tables are among the rules of answers only.
        from_tables: AddConfidence[A] | None = Confident(self.sure) if self.sure else None  # type: ignore[assignment]
        self._confident = confident or from_tables

    def with_rules(self, rules: RuleSet, confident: AddConfidence[A] | None = None) -> Solver[A]:
        """A solver of other rules, with the same options, that reads alike."""
        return Solver(rules, self.options, self._read, confident)

    def switched(self, places: Collection[int]) -> Solver[A]:
        """A solver of the same rules, with a switch for those at some places among them."""
        return self.with_rules(switched_rules(self._rules, places))

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """Warnings of clingo so far, such as about atoms that no rule derives."""
        return self._grounder.warnings

    def solve(self, subject: Subject, facts: Sequence[Symbol]) -> Solution[A]:
        """Decide a pair; a SolveError or RuleError says why there is no answer."""
        models, item = self.options.models, (subject, facts)
        ahead = self.options.ahead and models == 1
        if ahead and (solution := self._ahead.solve(item)):
            return solution
        alone, answers = self._alone(*item, models, atoms=models > 1)
        if ahead and not self.warnings:
            self._ahead.begin(facts)
        return Solution(item, tuple(answers), alone.grounding, alone.solving)

    def solve_all(self, items: Iterable[Item]) -> Iterator[Solution[A]]:
        """Decide pairs as :meth:`solve` does, lazily and in their order, errors too."""
        return raising(self.outcomes(items))

    def outcomes(self, items: Iterable[Item], *, least: int = 2) -> Outcomes[A]:
        """As :meth:`solve_all`; a pair without an answer has its error, unless memory ran out."""
        # Several pairs are decided together, which tells whether another answer is as good.
        return self._together(items, Batches.solve, self.solve, least)

    def ground_atoms(self, facts: Sequence[Symbol]) -> list[Symbol]:
        """Ground the rules for a pair; the atoms that could be derived."""
        # The atoms are those of the control object as long as that lives.
        control = self._grounder.ground(facts)
        return [atom.symbol for atom in control.symbolic_atoms]

    def derivable(
        self, items: Iterable[Item], wanted: Sequence[Signature]
    ) -> Iterator[list[Symbol]]:
        """The atoms of predicates that could be derived for each pair and depend on it, lazily."""

        def alone(_: Subject, facts: Sequence[Symbol]) -> list[Symbol]:
            atoms = self.ground_atoms(facts)
            return [atom for atom in atoms if (atom.name, len(atom.arguments)) in wanted]

        def together(batches: Batches[A], group: Sequence[Item]) -> list[list[Symbol]] | None:
            return batches.derivable(group, wanted)

        return raising(self._together(items, together, alone))

    def best(self, subject: Subject, facts: Sequence[Symbol]) -> Best[A]:
        """Find the best answer set of a pair with all its atoms, for traces."""
        alone, (answer,) = self._alone(subject, facts, 1, atoms=True)
        ground = alone.control, alone.objective
        return Best(answer, alone.last, alone.program, lambda: ground)

    def answer(
        self, subject: Subject, answer_set: AnswerSet, weights: Callable[[], Weights] | None = None
    ) -> A:
        """Read an answer set with all its atoms; with weights, how sure; or raise a RuleError."""
        try:
            return self._read_answer(subject, answer_set, weights)
        except AnswerError as error:
            # With the offending rules in its words, if they can be found.
            named = partial(self._diagnosis.named, error, answer_set.true)
            raise unless_it_fails(named) or error from None

    def best_of_all(
        self, items: Iterable[Item], extra: Callable[[], Sequence[AST]] = tuple
    ) -> Iterator[Best[A]]:
        """As :meth:`best`, of many pairs, as :meth:`solve_all` decides them.

        ``extra`` gives more rules for the pairs that are decided together, rewritten as
        :mod:`ists_asp.solver.pairing` does; no other rule may depend on them.
        """

        def together(batches: Batches[A], group: Sequence[Item]) -> list[Best[A] | None] | None:
            model = batches.best(group, extra())
            if model is None:
                return None
            answers = batches.answers(group, model)
            best: list[Best[A] | None] = [None] * len(group)
            for place, ((_, facts), answer) in enumerate(zip(group, answers, strict=True)):
                if answer is not None:
                    priced, answer_set = partial(self._priced, facts), model.shares[place + 1][0]
                    best[place] = Best(answer, answer_set, self.program, priced, model, place + 1)
            return best

        return raising(self._together(items, together, self.best))

    def with_atoms(
        self, facts: Sequence[Symbol], wanted: Sequence[tuple[Symbol, bool]]
    ) -> tuple[AnswerSet | None, bool]:
        """The best answer set in which atoms are true or false, and whether there can be none."""
        # A new control object: in an old one optimisation under assumptions may never end.
        control, objective = self._priced(facts)
        with control.backend() as backend:
            for symbol, true in wanted:
                atom = control.symbolic_atoms[symbol]
                if atom is not None:
                    backend.add_rule([], [-atom.literal if true else atom.literal])
                elif true:
                    return None, True
        return search.search(control, self.options.time_limit, atoms=True, objective=objective)

    @cached_property
    def _batches(self) -> Batches[A] | None:
        """Made when there are several pairs for the first time: that takes half a second."""
        if self.options.models > 1:
            return None
        program, arguments = self.program, self.arguments
        pairing = unless_it_fails(lambda: paired(self._rules, program, arguments, self.shapes))
        if pairing is None:
            return None
        limit = min(self.options.time_limit, _BATCH_LIMIT)
        return Batches(pairing, program, arguments, limit, self._read_answer)

    @cached_property
    def _diagnosis(self) -> Diagnosis:
        # Few pairs need it.
        from ists_asp.solver.faults import Diagnosis

        return Diagnosis(self._rules, self._grounder)

    def _together(
        self,
        items: Iterable[Item],
        together: Callable[[Batches[A], Sequence[Item]], Sequence[T | None] | None],
        alone: Callable[[Subject, Sequence[Symbol]], T],
        least: int = 2,
    ) -> Iterator[T | IstsError]:
        """Work items out in order, the short ones together; a failure is an error in its place."""
        for batch in batches(items):
            groups = {places[0]: places for places in short_pairs(batch, least)}
            results: dict[int, T | None] = {}
            for place, item in enumerate(batch):
                places = groups.get(place, [])
                if places and (ready := self._batches) is not None:
                    group = [batch[other] for other in places]
                    decided = unless_it_fails(partial(together, ready, group))
                    results.update(zip(places, decided or (), strict=bool(decided)))
                outcome: T | IstsError | None = results.pop(place, None)
                if outcome is None:
                    try:
                        outcome = alone(*item)
                    except errors.MemoryLimitError:
                        raise
                    except IstsError as error:
                        outcome = error
                yield outcome

    def _priced(self, facts: Sequence[Symbol]) -> tuple[Control, Objective]:
        prices = self._objective()
        return self._grounder.ground(facts, objective=prices), prices

    def _alone(
        self, subject: Subject, facts: Sequence[Symbol], models: int, *, atoms: bool
    ) -> tuple[Alone, list[A]]:
        """The best answers of a pair; if there is none, make sure, and name the offending rules."""
        limit = self.options.time_limit
        with inside(subject):
            try:
                with suppress(AnswerError):
                    alone = Alone(self._grounder, facts, limit, self._objective(), atoms=atoms)
                    return alone, alone.answers(partial(self._read_answer, subject), models)
                alone = Alone(self._grounder, facts, limit, self._objective(), atoms=True)
                return alone, alone.answers(partial(self.answer, subject), models)
            except errors.UnsatisfiableError as error:
                raise unless_it_fails(lambda: self._diagnosis.unsatisfied(facts)) or error from None
            except errors.WeightsError as error:
                raise self._diagnosis.overflow(error, facts) from None

    def _read_answer(
        self, subject: Subject, answer_set: AnswerSet, weights: Callable[[], Weights] | None
    ) -> A:
        answer = self._read(subject, answer_set.shown, answer_set.cost, answer_set.optimal)
        if weights is None or self._confident is None:
            return answer
        return self._confident(answer, weights())


def switched_rules(rules: RuleSet, places: Collection[int], extra: Sequence[AST] = ()) -> RuleSet:
    """A rule set with a switch for the rules at some places, and ``extra`` statements.

    A pair that has ``off`` of a place among its facts is decided as if that rule were gone.
    """
    memo, nodes = rules.memo, enumerate(rules.statements)
    statements = [switched(node, at) if at in places else node for at, node in nodes]
    added = (*extra, switches())
    # Statements of the core encoding, so to speak: of no user's rule.
    names = (*rules.rules, *[replace(rules.rules[0], sentence=None)] * len(added))
    changed = replace(rules, statements=(*statements, *added), rules=names)
    digest = f"{memo.digest} switched {sorted(places)}" + "".join(map(str, extra))
    return changed.with_memo(replace(memo, digest=digest))
