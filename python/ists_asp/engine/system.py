"""A profile made ready: sentences in, answers out.

The data flows one way: annotate, look up what is known about the words, make facts, solve.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.closing import Closing
from ists_asp.engine.deciding import Known, beside, solutions
from ists_asp.engine.given import read_pair, read_pairs
from ists_asp.engine.preparation import Preparation
from ists_asp.engine.provenance import Provenance, provenance
from ists_asp.engine.solved import SolvedAnswer, TraceHandle
from ists_asp.errors import IstsError, UsageError
from ists_asp.model import Pair
from ists_asp.solver.kept import Keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.annotate import Annotator
    from ists_asp.engine.given import GivenPair, GivenSentence
    from ists_asp.engine.rating import Rater
    from ists_asp.engine.reading import PairReader
    from ists_asp.engine.timings import Timings
    from ists_asp.explain.explainer import Explainer, Explanation
    from ists_asp.explain.templates import Templates
    from ists_asp.io.store import Store
    from ists_asp.knowledge import Knowledge
    from ists_asp.model import Answer, Rating, Sentence
    from ists_asp.rules import Profile, RuleFile, RuleSet, RuleWarning
    from ists_asp.solver import Solution, Solver
    from ists_asp.trace import AskedTrace, Tracer


class System(Closing):
    """A profile's rules, models and lexicon, ready for many pairs.

    Use it as a context manager, or call :meth:`close`. Made by :func:`ists_asp.engine.load`.
    """

    def __init__(
        self,
        profile: Profile,
        rules: RuleSet,
        annotator: Annotator,
        knowledge: Knowledge,
        solver: Solver[Answer],
        explainer: Callable[[], Explainer],
        rater: Callable[[], Rater],
        rating_files: Callable[[], Iterable[RuleFile]] = tuple,
        store: Store | None = None,
        reader: PairReader | None = None,
        *,
        incremental: bool = False,
    ) -> None:
        self.profile = profile
        self.rules = rules
        self._preparation = Preparation(annotator, knowledge, profile.language, store, reader)
        self._solver = solver
        self._deciding = (
            Keeping(solver, rules, f"answers {profile.scheme}") if incremental else solver
        )
        self._load_explainer = explainer
        self._explainer: Explainer | None = None
        self._load_rater = rater
        self._rater: Rater | None = None
        self._rating_files = rating_files

    def close(self) -> None:
        """Close the lexicon and the cache; the system cannot be used afterwards."""
        self._preparation.close()

    @property
    def stages(self) -> Timings:
        """How long each stage took so far."""
        return self._preparation.stages

    @property
    def knowledge(self) -> tuple[str, ...]:
        """What words are compared by: ``lexicon``, ``vectors``, ``reader``."""
        return self._preparation.knowledge

    @cached_property
    def provenance(self) -> Provenance:
        """Version, rules, weights and models, by their hashes."""
        files = (*self.rules.files, *self._rating_files())
        return provenance(self.profile, files, self._preparation.models, self._preparation.reader)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far, such as misspelt predicates."""
        found = dict.fromkeys(
            (*self._preparation.warnings, *self.rules.warnings, *self._solver.warnings)
        )
        if self._explainer is not None:
            found.update(dict.fromkeys(self._explainer.warnings))
        if self._rater is not None:
            found.update(dict.fromkeys(self._rater.warnings))
        return tuple(found)

    def solve(self, sent1: GivenSentence, sent2: GivenSentence) -> SolvedAnswer:
        """Decide one pair.

        The answer can be asked why it is so, see :class:`~ists_asp.engine.solved.SolvedAnswer`.

        Args:
            sent1: a sentence, as text whose tokens are separated by blanks, or as a
                :class:`~ists_asp.model.Sentence`, with chunks if they are known.
            sent2: the sentence to compare with it.

        Raises:
            DataError: a sentence is empty or too long, see :mod:`ists_asp.limits`.
            RuleError: what the rules derive is no answer, or clingo cannot take them.
            SolveError: there is no answer.
        """
        return next(self.solve_many([read_pair(sent1, sent2)]))

    def solve_many(self, pairs: Iterable[GivenPair]) -> Iterator[SolvedAnswer]:
        """Decide pairs, lazily and in their order; the best answer of each.

        Args:
            pairs: two sentences each, as for :meth:`solve`, or a :class:`~ists_asp.model.Pair`.

        Raises:
            DataError: a sentence is empty or too long.
            RuleError: what the rules derive for a pair is no answer, or clingo cannot take them.
            SolveError: there is no answer for a pair.
            UsageError: something is no pair.
        """
        return (answers[0] for answers in self.solve_all(pairs))

    def solve_all(self, pairs: Iterable[GivenPair]) -> Iterator[tuple[SolvedAnswer, ...]]:
        """Decide pairs, lazily and in their order; all answers asked for, best first.

        Several pairs are solved together, which is faster and gives the same answers as one
        at a time.

        Args:
            pairs: as for :meth:`solve_many`.

        Raises:
            DataError: a sentence is empty or too long.
            RuleError: what the rules derive for a pair is no answer, or clingo cannot take them.
            SolveError: there is no answer for a pair.
            UsageError: something is no pair.
        """
        for best, *others in self.decide(self.annotate(read_pairs(pairs))):
            handle = TraceHandle(best.pair, self._trace_annotated)
            yield SolvedAnswer.of(best, handle), *map(SolvedAnswer.of, others)

    def decide(
        self, annotated: Iterable[Pair], *, rated: bool = False
    ) -> Iterator[tuple[Answer, ...]]:
        """As :meth:`solve_all`, for pairs that are annotated already.

        Args:
            annotated: the pairs.
            rated: whether the answers are rated as well.
        """
        found = solutions(self._deciding, self.known(annotated))
        for one in self.rater.rate_solutions(found) if rated else (one for one, _ in found):
            self._count(one)
            yield one.answers

    def try_all(self, annotated: Iterable[Pair]) -> Iterator[tuple[Answer, ...] | IstsError]:
        """As :meth:`decide`, without ratings; a pair without an answer has its error instead.

        Raises:
            MemoryLimitError: there was not enough memory.
        """
        for one in self._deciding.try_all(self.known(annotated)):
            if isinstance(one, IstsError):
                yield one
            else:
                self._count(one)
                yield one.answers

    def _count(self, solution: Solution[Answer]) -> None:
        """Add the time of a pair to those of the run."""
        self.stages.decide(
            solution.grounding, solution.solving, kept=solution.kept, edit=solution.edit
        )

    def answered(self, pairs: Iterable[Pair]) -> Iterator[Known]:
        """Decide pairs, lazily and in their order; the best answer of each, and its facts.

        Raises:
            SolveError: there is no answer for a pair.
        """
        for solution, facts in solutions(self._deciding, self.facts(pairs)):
            yield Known(solution.answers[0], facts)

    @property
    def rates(self) -> bool:
        """Whether the profile has rules that rate a pair as a whole."""
        return self.profile.rating is not None

    @property
    def rater(self) -> Rater:
        """What rates a pair, given its answer; made when it is first asked for.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        if self._rater is None:
            self._rater = self._load_rater()
        return self._rater

    def rate(self, answer: Answer) -> Rating:
        """Rate how similar the two sentences of an answer are as a whole.

        Args:
            answer: an answer of this system, or one made of alignments by
                :func:`ists_asp.io.given.given_answer`.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        return next(self.rate_many([answer]))

    def rate_many(self, answers: Iterable[Answer]) -> Iterator[Rating]:
        """Rate answers, lazily and in their order; see :meth:`rate`.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        known = (
            Known(answer, facts)
            for (_, facts), answer in beside(answers, lambda some: self.facts(map(_pair, some)))
        )
        return (one.rating for one in self.rater.rate_all(known))

    def trace(self, sent1: GivenSentence, sent2: GivenSentence) -> AskedTrace:
        """Decide one pair and say why: which rules fired, for which words, with what weights.

        The trace answers further questions: :meth:`~ists_asp.trace.AskedTrace.why` and
        :meth:`~ists_asp.trace.AskedTrace.why_not`. It holds the ground program, which is why an
        answer makes one only when it is asked.

        Args:
            sent1: a sentence, as for :meth:`solve`.
            sent2: the sentence to compare with it.

        Raises:
            DataError: a sentence is empty or too long.
            RuleError: a rule cannot be traced.
            SolveError: there is no answer.
            TraceError: the trace does not account for the answer.
        """
        return self._trace_annotated(next(self.annotate([read_pair(sent1, sent2)])))

    def trace_many(
        self, pairs: Iterable[GivenPair], *, rated: bool = False
    ) -> Iterator[AskedTrace]:
        """Decide and trace pairs, lazily and in their order; several share their grounding.

        A trace holds memory until it is let go: do not collect those of many pairs.

        Args:
            pairs: as for :meth:`solve_many`.
            rated: whether the answers are rated, and the ratings traced, too.

        Raises:
            RuleError: a rule cannot be traced.
            SolveError: there is no answer for a pair.
            TraceError: a trace does not account for its answer.
        """
        return self.trace_annotated(self.annotate(read_pairs(pairs)), rated=rated)

    def trace_annotated(
        self, annotated: Iterable[Pair], *, rated: bool = False
    ) -> Iterator[AskedTrace]:
        """As :meth:`trace_many`, for pairs that are annotated already."""
        for trace in self.tracer.trace_all(self.known(annotated)):
            began = time.process_time()
            if rated:
                (trace.rating,) = self.rater.trace_all([Known(trace.answer, trace.facts)])
                trace.answer = replace(trace.answer, rating=trace.rating.answer.rating)
            self.stages.decide(0.0, trace.seconds + time.process_time() - began)
            yield trace

    def _trace_annotated(self, pair: Pair) -> AskedTrace:
        return next(self.trace_annotated([pair], rated=self.rates))

    @property
    def solver(self) -> Solver[Answer]:
        """What decides a pair, given its facts."""
        return self._solver

    @cached_property
    def tracer(self) -> Tracer:
        """What traces a pair, given its facts; made when it is first asked for.

        Raises:
            RuleError: a rule cannot be traced.
        """
        from ists_asp.trace import Tracer

        return Tracer(self.rules, self._solver, self.knowledge)

    @property
    def explainer(self) -> Explainer:
        """What says an answer in words; made when it is first asked for.

        Raises:
            RuleError: the profile has no rules for explanations, or they are faulty.
        """
        if self._explainer is None:
            self._explainer = self._load_explainer()
        return self._explainer

    def explain(self, answer: Answer, templates: Templates | None = None) -> Explanation:
        """Say an answer in words: what both sentences say, and how they differ.

        Args:
            answer: an answer of this system, or one made of alignments by
                :func:`ists_asp.io.given.given_answer`.
            templates: the wording; by default that of the profile's language.

        Raises:
            RuleError: the profile has no rules for explanations, or they are faulty.
            UsageError: there are no templates for the profile's language.
            DataError: the templates are faulty.
        """
        return next(self.explain_many([answer], templates))

    def explain_many(
        self, answers: Iterable[Answer], templates: Templates | None = None
    ) -> Iterator[Explanation]:
        """Say answers in words, lazily and in their order.

        Sentences that are not annotated yet, as those of given answers, are annotated together,
        which is faster than one at a time.

        Args:
            answers: answers as for :meth:`explain`.
            templates: the wording; by default that of the profile's language.

        Raises:
            RuleError: the profile has no rules for explanations, or they are faulty.
            UsageError: there are no templates for the profile's language.
            DataError: the templates are faulty.
        """
        from ists_asp.explain.templates import Templates, load_templates

        wording = load_templates(self.profile.language) if templates is None else templates
        if not isinstance(wording, Templates):
            raise UsageError(
                f"templates={wording!r}", expected="what ists_asp.explain.load_templates gives"
            )
        known = beside(answers, lambda some: self.facts(map(_chunked, some)))
        yield from self.explainer.explain_all(
            ((answer, facts) for (_, facts), answer in known), wording
        )

    def facts(self, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """Annotate pairs and yield each, in order, with the facts that the rules see."""
        return self.known(self.annotate(pairs))

    def known(self, annotated: Iterable[Pair]) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """Yield annotated pairs, lazily and in their order, with the facts that the rules see."""
        return self._preparation.known(annotated)

    def annotate(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tag and lemmatise pairs, lazily and in their order.

        A sentence whose tokens all have words is annotated already and stays as it is.

        Raises:
            DataError: a sentence is too long, see :mod:`ists_asp.limits`.
            UsageError: the system is closed.
        """
        return self._preparation.annotate(pairs)

    def tokenize(self, texts: Sequence[str]) -> list[Sentence]:
        """Cut raw texts into tokens with Stanza's tokeniser, each text one sentence."""
        return self._preparation.tokenize(texts)


def _pair(answer: Answer) -> Pair:
    return answer.pair


def _chunked(answer: Answer) -> Pair:
    """The pair of an answer with the chunks that the answer has."""
    pair = answer.pair
    return Pair(
        pair.id,
        replace(pair.sent1, chunks=answer.chunks1),
        replace(pair.sent2, chunks=answer.chunks2),
    )
