"""The second, small step of a rating: facts of a pair and of its answer in, a rating out.

The rating rests on the alignment, which is a choice; once that has been made, rules leave
nothing to choose, and one grounding gives the sum and all of its parts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from itertools import islice, tee
from typing import TYPE_CHECKING, NamedTuple

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp.answers import HIGHEST, read_rating
from ists_asp.engine.preparation import Known
from ists_asp.errors import UsageError
from ists_asp.facts import line_facts
from ists_asp.rules.profiles import check_kinds
from ists_asp.solver import Solver, SolverOptions
from ists_asp.solver.kept import Keeping
from ists_asp.solver.search import constant_arguments, ground
from ists_asp.syntax.ground import Atoms
from ists_asp.vocabulary import NOT_ABOVE, NOT_BELOW, SPEAKS_AGAINST, SPEAKS_FOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.model import Answer, Pair
    from ists_asp.rules import RuleSet, RuleWarning
    from ists_asp.solver import Solution
    from ists_asp.trace import AskedTrace, Tracer

_SIGNS = {SPEAKS_FOR.name: 1, SPEAKS_AGAINST.name: -1}
_BOUNDS = {NOT_BELOW.name: 1, NOT_ABOVE.name: -1}


class Evidence(NamedTuple):
    """So many thousandths of what ``name`` says, negative where it speaks against."""

    name: str
    thousandths: int


class Rater:
    """The rules that rate a pair as a whole.

    Where they have a memory, ratings are kept between runs if ``incremental``. ``wholes`` gives
    what a reader says of a pair as a whole, as facts with commas between them.
    """

    def __init__(
        self,
        rules: RuleSet,
        constants: Mapping[str, str] | None = None,
        *,
        incremental: bool = False,
        wholes: Callable[[Pair], str] = lambda _pair: "",
    ) -> None:
        self.rules = rules
        self._wholes = wholes
        options = SolverOptions(constants=dict(constants or {}))
        self.highest = _highest(rules, options.constants)
        read = partial(read_rating, highest=self.highest)
        self.solver = Solver(rules, options, read)
        self._deciding = (
            Keeping(self.solver, rules, f"ratings {self.highest}") if incremental else self.solver
        )

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far."""
        return tuple(dict.fromkeys((*self.rules.warnings, *self._deciding.warnings)))

    def rate_all(self, known: Iterable[Known]) -> Iterator[Solution[Answer]]:
        """Rate answers, lazily and in their order: solutions whose only answer has its rating."""
        return self._deciding.solve_all(map(self.facts, known))

    def rate_solutions(
        self, decided: Iterable[tuple[Solution[Answer], Sequence[Symbol]]]
    ) -> Iterator[Solution[Answer]]:
        """Rate all answers of solutions, each with the facts of its pair, lazily, in their order.

        The times grow accordingly.
        """
        given, again = tee(decided)
        ratings = self.rate_all(
            Known(answer, facts) for solution, facts in given for answer in solution.answers
        )
        for first in ratings:
            solution, _ = next(again)
            found = [first, *islice(ratings, len(solution.answers) - 1)]
            yield replace(
                solution,
                answers=tuple(
                    replace(answer, rating=one.answers[0].rating)
                    for answer, one in zip(solution.answers, found, strict=True)
                ),
                grounding=solution.grounding + sum(one.grounding for one in found),
                solving=solution.solving + sum(one.solving for one in found),
            )

    def evidence_of_all(self, known: Iterable[Known]) -> Iterator[tuple[tuple[Evidence, ...], ...]]:
        """The evidence for ratings, whether it has a weight or not, and then what bounds them.

        Bounds are positive from below and negative from above; each is sorted.
        """
        for best in self.solver.best_of_all(map(self.facts, known)):
            yield tuple(
                tuple(
                    sorted(
                        Evidence(str(atom.arguments[0]), sign * atom.arguments[1].number)
                        for predicate, sign in signs.items()
                        for atom in best.atoms.get(predicate, ())
                    )
                )
                for signs in (_SIGNS, _BOUNDS)
            )

    def trace_all(self, known: Iterable[Known]) -> Iterator[AskedTrace]:
        """Trace the ratings of answers, lazily and in their order."""
        return self._tracer.trace_all(map(self.facts, known))

    def facts(self, known: Known) -> tuple[Pair, Sequence[Symbol]]:
        """A pair with its facts, those of its answer and those that only ratings need."""
        pair = known.answer.pair
        more = filter(None, (*line_facts(known.answer), self._wholes(pair)))
        return pair, Atoms.of(known.facts).with_text(",".join(more))

    @cached_property
    def _tracer(self) -> Tracer:
        from ists_asp.trace import Tracer

        return Tracer(self.rules, self.solver)


def _highest(rules: RuleSet, constants: Mapping[str, str]) -> int:
    """The best rating, which is a constant of ``asp/rate.lp``."""
    check_kinds(constants, rules)
    arguments = constant_arguments(constants)
    best = int(rules.remembered.recall("highest", arguments, lambda: _evaluated(rules, arguments)))
    if best < 1:
        raise UsageError(f"found {best}", where="the constant highest", expected="1 point or more")
    return best


def _evaluated(rules: RuleSet, arguments: Sequence[str]) -> int:
    definitions = [node for node in rules.statements if node.ast_type is ASTType.Definition]
    best = ground(definitions, (), arguments, lambda _code, _text: None).get_const("highest")
    return best.number if best is not None and best.type is SymbolType.Number else HIGHEST
