"""A profile made ready: sentences in, answers out.

The data flows one way: annotate, look up what is known about the words, make facts, solve.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import cache, cached_property, partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

from ists_asp.answers import read_answer
from ists_asp.engine.answer import SolvedAnswer, provenance
from ists_asp.engine.preparation import Known, Limits, Preparation, Setup, beside
from ists_asp.errors import IstsError, UsageError
from ists_asp.resources import cache_dir
from ists_asp.rules import NO_READER, Purpose
from ists_asp.rules.parsing import UNDEFINED
from ists_asp.solver import Solver, SolverOptions
from ists_asp.solver.kept import Keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.engine.answer import Provenance
    from ists_asp.engine.preparation import GivenPair, GivenSentence
    from ists_asp.engine.rating import Rater
    from ists_asp.explain.explainer import Explainer, Explanation
    from ists_asp.explain.feedback import Judge
    from ists_asp.explain.templates import Templates
    from ists_asp.model import Answer, Pair, Rating
    from ists_asp.rules import RuleWarning
    from ists_asp.solver import Solution
    from ists_asp.trace import AskedTrace, Tracer

GivenPath: TypeAlias = "str | os.PathLike[str]"


def load(
    profile: str = "default",
    *,
    rules: GivenPath | Sequence[GivenPath] = (),
    constants: Mapping[str, str | int] | None = None,
    models: int = 1,
    time_limit: float = 10.0,
    stanza_dir: GivenPath | None = None,
    vectors: GivenPath | None = None,
    reader: bool | GivenPath | None = None,
    cache: bool | GivenPath | None = True,
    incremental: bool = True,
    lax: bool = False,
) -> System:
    """Load a profile.

    Args:
        profile: its name, such as ``headlines``.
        rules: a rule folder or file, or several, that replace or extend the shipped ones, see
            :mod:`ists_asp.rules.profiles`.
        constants: values of ``#const`` definitions; they win over the profile's. Those that no
            rule has are among the system's warnings.
        models: how many answers to find for a pair, best first.
        time_limit: seconds of processor time for a pair; its search ends then with the best
            answer so far.
        stanza_dir: a directory of Stanza models; the shipped ones by default.
        vectors: a file of word vectors; the shipped ones by default.
        reader: whose opinions count as well: None for those of the reader that the profile
            names, ``"none"`` or False for nobody's, ``"shipped"`` or True for the shipped
            fine-tuned encoder's, or the folder of another, see :mod:`ists_asp.knowledge.reader`;
            in Spanish profiles ``"use"`` for the encoder of the extra ``[spanish]``.
        cache: the directory of what is kept between runs: what Stanza and a reader say, what was
            worked out about rules, facts and answers; True for that of the command line, None,
            False or ``"none"`` for none.
        incremental: whether answers are kept there as well, so that after an edit of rules only
            those pairs are decided again that it can touch.
        lax: whether names in your rules that exist nowhere are no more than warnings.

    Raises:
        UsageError: there is no such profile, or the options do not go together.
        RuleError: a rule file is faulty, or a name in it exists nowhere.
        ResourceError: models, the lexicon or the vectors are missing, or the extra is; or the
            cache cannot be used.
    """
    if isinstance(reader, bool):
        reader = "shipped" if reader else NO_READER
    several = (rules,) if isinstance(rules, str | os.PathLike) else rules
    setup = Setup(
        profile,
        tuple(map(Path, several)),
        {name: str(value) for name, value in (constants or {}).items()},
        None if reader is None else os.fspath(reader),
        None if stanza_dir is None else Path(stanza_dir),
        None if vectors is None else Path(vectors),
        cache_dir(cache),
        models,
        Limits(time_limit),
        incremental,
        lax,
    )
    return System(setup).load()


class System(Preparation):
    """A profile's rules, models and lexicon, ready for many pairs.

    Use it as a context manager, or call :meth:`close`. Made by :func:`ists_asp.load`, or of a
    :class:`~ists_asp.engine.Setup`: then nothing is loaded before it is needed or :meth:`load` is
    called.
    """

    def load(self) -> Self:
        """Load what pairs need; see :func:`load`."""
        self.models, self.solver, self.knowledge  # noqa: B018 (loaded when first asked for)
        return self

    @cached_property
    def provenance(self) -> Provenance:
        """Version, rules, weights and models, by their hashes."""
        return provenance(self.profile, self.files.every, self.models, self.reader)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far.

        That an atom of the user's files has no rule is known better: see :attr:`rules`.
        """
        found = [*self.models_warnings, *self.rules.warnings]
        for name in ("solver", "_deciding", "explainer", "rater", "judge"):
            if name in self.__dict__:
                found += getattr(self, name).warnings
        known = bool(self.setup.rules) and self._parsed is None
        return tuple(
            one for one in dict.fromkeys(found) if not (known and one.text.endswith(UNDEFINED))
        )

    @cached_property
    def solver(self) -> Solver[Answer]:
        """What decides a pair, given its facts."""
        options = SolverOptions(self.setup.models, self.setup.limits.seconds, self.constants)
        read = partial(read_answer, scheme=self.profile.scheme, kept=self.setup.shown)
        return Solver(self.rules, options, read)

    @cached_property
    def _deciding(self) -> Solver[Answer] | Keeping:
        if not self.setup.incremental:
            return self.solver
        return Keeping(self.solver, self.rules, f"answers {self.profile.scheme} {self.setup.shown}")

    def solve(
        self, sent1: GivenSentence, sent2: GivenSentence, *, tokens: bool = False
    ) -> SolvedAnswer:
        """Decide one pair, and rate it, if the profile has rules for that.

        The answer can be asked why it is so, see :class:`~ists_asp.engine.SolvedAnswer`.

        Args:
            sent1: a sentence, as text or as a :class:`~ists_asp.model.Sentence`, with chunks if
                they are known.
            sent2: the sentence to compare with it.
            tokens: whether text is tokens that blanks separate; otherwise it is tokenised.

        Raises:
            DataError: a sentence is empty or too long, see :mod:`ists_asp.limits`.
            RuleError: what the rules derive is no answer, or clingo cannot take them.
            SolveError: there is no answer.
        """
        return next(self.solve_many([(sent1, sent2)], tokens=tokens))

    def solve_many(
        self, pairs: Iterable[GivenPair], *, tokens: bool = False, rated: bool = True
    ) -> Iterator[SolvedAnswer]:
        """Decide pairs, lazily and in their order; the best answer of each.

        Args:
            pairs: two sentences each, as for :meth:`solve`, which get their number as id, or an
                id and two sentences, or a :class:`~ists_asp.model.Pair`.
            tokens: as for :meth:`solve`.
            rated: whether answers are rated, if the profile has rules for that, which takes about
                as long as to decide them.

        Raises:
            UsageError: something is no pair.
            IstsError: as for :meth:`solve`.
        """
        return (answers[0] for answers in self.solve_all(pairs, tokens=tokens, rated=rated))

    def solve_all(
        self, pairs: Iterable[GivenPair], *, tokens: bool = False, rated: bool = True
    ) -> Iterator[tuple[SolvedAnswer, ...]]:
        """Decide pairs, lazily and in their order; all answers asked for, best first.

        Several pairs are solved together, which is faster and gives the same answers as one
        at a time.

        Args:
            pairs: as for :meth:`solve_many`.
            tokens: as for :meth:`solve`.
            rated: as for :meth:`solve_many`.
        """
        annotated = self.annotate(self.read(pairs, tokens=tokens))
        for best, *others in self.decide(annotated, rated=rated and self.rates):
            made = partial(SolvedAnswer.of, knowledge=self.knowledge, made_by=self.provenance)
            tracing = cache(partial(self._trace_annotated, best.pair))
            rest = (made(one, rank=rank) for rank, one in enumerate(others, 2))
            yield made(best, tracing=tracing), *rest

    def decide(
        self, annotated: Iterable[Pair], *, rated: bool = False
    ) -> Iterator[tuple[Answer, ...]]:
        """As :meth:`solve_all`, for pairs that are annotated already."""
        found = self._solutions(annotated)
        for one in self.rater.rate_solutions(found) if rated else (one for one, _ in found):
            self._count(one)
            yield one.answers

    def try_all(self, annotated: Iterable[Pair]) -> Iterator[tuple[Answer, ...] | IstsError]:
        """As :meth:`decide`, without ratings; a pair without an answer has its error instead."""
        for one in self._deciding.try_all(self.known(annotated)):
            if isinstance(one, IstsError):
                yield one
            else:
                self._count(one)
                yield one.answers

    def answered(self, pairs: Iterable[Pair]) -> Iterator[Known]:
        """Decide pairs, lazily and in their order; the best answer of each, and its facts."""
        for solution, facts in self._solutions(self.annotate(pairs)):
            self._count(solution)
            yield Known(solution.answers[0], facts)

    def _solutions(
        self, annotated: Iterable[Pair]
    ) -> Iterator[tuple[Solution[Answer], Sequence[Symbol]]]:
        """The solutions of pairs, and the facts that each was found for."""
        for solution, (_, facts) in beside(self.known(annotated), self._deciding.solve_all):
            yield solution, facts

    def _count(self, solution: Solution[Answer]) -> None:
        """Add the time of a pair to those of the run."""
        self.stages.decide(
            solution.grounding, solution.solving, kept=solution.kept, edit=solution.edit
        )

    def posed(
        self, pairs: Iterable[Pair], purpose: Purpose
    ) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """As :meth:`facts`, with those that a program has besides, of the answer among them."""
        if purpose is Purpose.ANSWER:
            return self.facts(pairs)
        if purpose is Purpose.RATING:
            return map(self.rater.facts, self.answered(pairs))
        from ists_asp.explain.explainer import posed
        from ists_asp.explain.templates import load_templates

        known = self._in_chunks(known.answer for known in self.answered(pairs))
        return posed(known, load_templates(self.profile.language))

    @property
    def rates(self) -> bool:
        """Whether the profile has rules that rate a pair as a whole."""
        return self.profile.rating is not None

    @cached_property
    def rater(self) -> Rater:
        """What rates a pair, given its answer; made when it is first asked for."""
        from ists_asp.engine.rating import Rater

        rules = self.setup.load_program(Purpose.RATING)
        keeps = self.setup.incremental
        return Rater(rules, self.constants, incremental=keeps, wholes=self.wholes)

    def rate(self, answer: Answer) -> Rating:
        """Rate how similar the two sentences of an answer are as a whole.

        Args:
            answer: an answer of this system, or one made of alignments by
                :func:`ists_asp.io.wa.given_answer`.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        return next(self.rate_many([answer]))

    def rate_many(self, answers: Iterable[Answer]) -> Iterator[Rating]:
        """Rate answers, lazily and in their order; see :meth:`rate`."""
        for solution in self.rater.rate_all(self._known_answers(answers, attrgetter("pair"))):
            (rated,) = solution.answers
            assert rated.rating is not None
            yield rated.rating

    def trace(
        self, sent1: GivenSentence, sent2: GivenSentence, *, tokens: bool = False
    ) -> AskedTrace:
        """Decide one pair and say why: which rules fired, for which words, with what weights.

        The trace answers further questions: :meth:`~ists_asp.trace.AskedTrace.why` and
        :meth:`~ists_asp.trace.AskedTrace.why_not`. It holds the ground program, which is why an
        answer makes one only when it is asked.

        Args:
            sent1: a sentence, as for :meth:`solve`.
            sent2: the sentence to compare with it.
            tokens: as for :meth:`solve`.

        Raises:
            DataError: a sentence is empty or too long.
            RuleError: a rule cannot be traced.
            SolveError: there is no answer.
            TraceError: the trace does not account for the answer.
        """
        read = self.read([(sent1, sent2)], tokens=tokens)
        return self._trace_annotated(next(self.annotate(read)))

    def trace_many(
        self, pairs: Iterable[GivenPair], *, rated: bool = False, tokens: bool = False
    ) -> Iterator[AskedTrace]:
        """Decide and trace pairs, lazily and in their order; several share their grounding.

        A trace holds memory until it is let go: do not collect those of many pairs.

        Args:
            pairs: as for :meth:`solve_many`.
            rated: whether the answers are rated, and the ratings traced, too.
            tokens: as for :meth:`solve`.

        Raises:
            RuleError: a rule cannot be traced.
            SolveError: there is no answer for a pair.
            TraceError: a trace does not account for its answer.
        """
        return self.trace_annotated(self.annotate(self.read(pairs, tokens=tokens)), rated=rated)

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

    @cached_property
    def tracer(self) -> Tracer:
        """What traces a pair, given its facts; made when it is first asked for."""
        from ists_asp.trace import Tracer

        return Tracer(self.rules, self.solver, self.knowledge)

    @cached_property
    def explainer(self) -> Explainer:
        """What says an answer in words; made when it is first asked for."""
        from ists_asp.explain.explainer import Explainer

        rules, limit = self.setup.load_program(Purpose.EXPLANATION), self.setup.limits.seconds
        return Explainer(rules, self.constants, limit, incremental=self.setup.incremental)

    def explain(self, answer: Answer, templates: Templates | None = None) -> Explanation:
        """Say an answer in words: what both sentences say, and how they differ.

        Args:
            answer: an answer of this system, or one made of alignments by
                :func:`ists_asp.io.wa.given_answer`.
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
        """Say answers in words, lazily and in their order; see :meth:`explain`.

        Sentences that are not annotated yet, as those of given answers, are annotated together,
        which is faster than one at a time.
        """
        from ists_asp.explain.templates import Templates, load_templates

        wording = load_templates(self.profile.language) if templates is None else templates
        if not isinstance(wording, Templates):
            raise UsageError(
                f"templates={wording!r}", expected="what ists_asp.explain.load_templates gives"
            )
        yield from self.explainer.explain_all(self._in_chunks(answers), wording)

    @cached_property
    def judge(self) -> Judge:
        """What judges a student's answer by a model answer; made when it is first asked for."""
        from ists_asp.explain.feedback import Judge

        rules = self.setup.load_program(Purpose.FEEDBACK)
        return Judge(rules, self.constants, self.wholes)

    def rated(self, pairs: Iterable[Pair]) -> Iterator[Known]:
        """Decide and rate pairs; the best answer of each, with the facts of its chunks."""
        decided = self.decide(self.annotate(pairs), rated=True)
        return self._in_chunks(best for best, *_ in decided)

    def _in_chunks(self, answers: Iterable[Answer]) -> Iterator[Known]:
        """Answers with the facts of their pairs, in the chunks that the answers have."""
        return self._known_answers(
            answers, lambda answer: answer.pair.with_chunks(answer.chunks1, answer.chunks2)
        )

    def _known_answers(
        self, answers: Iterable[Answer], pair_of: Callable[[Answer], Pair]
    ) -> Iterator[Known]:
        known = beside(answers, lambda some: self.facts(map(pair_of, some)))
        return (Known(answer, facts) for (_, facts), answer in known)
