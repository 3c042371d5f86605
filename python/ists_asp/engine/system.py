"""A profile made ready: sentences in, answers out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from clingo import Symbol

from ists_asp.engine.answer import Provenance, SolvedAnswer, provenance
from ists_asp.engine.preparation import GivenPair, GivenSentence, Limits, Preparation, Setup
from ists_asp.engine.program import Decided, Program, reading_for
from ists_asp.errors import IstsError, UsageError, inside, shortened
from ists_asp.model import Answer, Pair, Rating
from ists_asp.rules import Purpose, RuleWarning
from ists_asp.rules.parsing import UNDEFINED
from ists_asp.solver import Solver, SolverOptions
from ists_asp.solver.batch import batches, raising
from ists_asp.solver.search import Item, Outcomes
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.trees import off

if TYPE_CHECKING:
    import os

    from ists_asp.explain.explanation import Explanation
    from ists_asp.explain.feedback import Feedback, Submission
    from ists_asp.explain.templates import Templates
    from ists_asp.trace import AskedTrace
    from ists_asp.trace.effects import Looked

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
        rules: rule folders or files that replace or extend the shipped ones, see
            :mod:`ists_asp.rules.profiles`.
        constants: values of ``#const`` definitions, which override the profile's. Unknown names
            are among the system's warnings.
        models: number of answers per pair, best first.
        time_limit: CPU seconds per pair; the search then ends with the best answer so far.
        stanza_dir: directory of Stanza models; the shipped ones by default.
        vectors: file of word vectors; the shipped ones by default.
        reader: encoder to use as evidence: None for the profile's, ``"none"`` or False for none,
            ``"shipped"`` or True for the shipped fine-tuned one, or the folder of another, see
            :mod:`ists_asp.knowledge.reader`; in Spanish profiles ``"use"`` for the encoder of the
            extra ``[spanish]``.
        cache: cache directory. Reruns reuse annotations, parsed rules and facts. True for the
            command line's; None, False or ``"none"`` for none.
        incremental: whether answers are cached as well, so that an edit of rules only affects the
            pairs that it can change.
        lax: whether unknown names in your rules are only warnings.

    Raises:
        UsageError: there is no such profile, or the options do not go together.
        RuleError: a rule file is faulty, or has an unknown name.
        ResourceError: models, the lexicon, the vectors or the extra are missing, or the cache
            cannot be used.
    """
    made: Callable[..., Setup] = Setup  # which turns text into paths
    paths = stanza_dir, vectors, cache
    limits = models, Limits(time_limit), incremental, lax
    return System(made(profile, rules, constants or {}, reader, *paths, *limits)).load()


class System(Preparation):
    """A profile's rules, models and lexicon, ready for many pairs.

    Use it as a context manager, or call :meth:`close`. :func:`ists_asp.load` makes one; one made
    from a :class:`~ists_asp.engine.Setup` loads on first use or by :meth:`load`.
    """

    def __dir__(self) -> list[str]:
        """The names that users call, for completion."""
        names = "solve", "explain", "rate", "trace", "judge"
        many = (f"{name}{end}" for name in names for end in ("", "_many"))
        return sorted((*many, "solve_all", "load", "close", "provenance", "warnings"))

    def load(self) -> Self:
        """Load what pairs need; see :func:`load`."""
        self.models, self.solver, self.knowledge  # noqa: B018 (loaded when first asked for)
        return self

    @cached_property
    def provenance(self) -> Provenance:
        """Version, rules, weights and models, by their hashes."""
        return provenance(self.profile, self.files.all_files, self.models, self.reader)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """Warnings so far; those about atoms without a rule give way to those of :attr:`rules`."""
        programs = [self._programs[purpose] for purpose in Purpose if purpose in self._programs]
        from_programs = chain.from_iterable(program.warnings for program in programs)
        warnings = (*self.models_warnings, *self.rules.warnings, *from_programs)
        checked = bool(self.setup.rules) and self._parsed is None
        return tuple(
            warning
            for warning in dict.fromkeys(warnings)
            if not (checked and warning.text.endswith(UNDEFINED))
        )

    @cached_property
    def _programs(self) -> dict[Purpose, Program[Any]]:
        return {}

    def program(self, purpose: Purpose) -> Program[Any]:
        """The program of a purpose, made when first asked for; a RuleError if there is none."""
        if purpose not in self._programs:
            setup, decides = self.setup, purpose is Purpose.ANSWER
            rules = self.rules if decides else setup.load_program(purpose)
            models = setup.models if decides else 1
            scheme, constants = self.profile.scheme, self.constants
            self._programs[purpose] = Program(
                rules,
                SolverOptions(models, setup.limits.seconds, constants, setup.ahead),
                reading_for(purpose, rules, constants, scheme, setup.with_atoms, self.wholes),
                keeps=setup.incremental,
                knowledge=(lambda: self.knowledge) if decides else tuple,
            )
        return self._programs[purpose]

    @property
    def solver(self) -> Solver[Answer]:
        """The solver that decides a pair, given its facts."""
        return self.program(Purpose.ANSWER).solver

    def solve(
        self, sent1: GivenSentence, sent2: GivenSentence, *, tokens: bool = False
    ) -> SolvedAnswer:
        """Decide one pair, and rate it if the profile can; the answer can say why.

        Args:
            sent1: a sentence, as text or as a :class:`~ists_asp.model.Sentence`, with chunks if
                they are known.
            sent2: the sentence to compare with it.
            tokens: whether blanks in text separate tokens; otherwise it is tokenised.

        Raises:
            DataError: a sentence is empty or too long, see :mod:`ists_asp.limits`.
            RuleError: the atoms are no answer, or clingo cannot process the rules.
            SolveError: there is no answer.
        """
        return next(self.solve_many([(sent1, sent2)], tokens=tokens))

    def solve_many(
        self, pairs: Iterable[GivenPair], *, tokens: bool = False, rated: bool = True
    ) -> Iterator[SolvedAnswer]:
        """Decide pairs, lazily and in their order; the best answer of each.

        Args:
            pairs: two sentences each, as for :meth:`solve`, with their number as id; an id and two
                sentences; or a :class:`~ists_asp.model.Pair`.
            tokens: as for :meth:`solve`.
            rated: whether answers are rated, if the profile can, which doubles the time.

        Raises:
            UsageError: an item is no pair.
            IstsError: as for :meth:`solve`.
        """
        return (answers[0] for answers in self.solve_all(pairs, tokens=tokens, rated=rated))

    def solve_all(
        self, pairs: Iterable[GivenPair], *, tokens: bool = False, rated: bool = True
    ) -> Iterator[tuple[SolvedAnswer, ...]]:
        """As :meth:`solve_many`, with all answers asked for, best first; pairs share grounding."""
        annotated = self.annotate(self.read(pairs, tokens=tokens))
        for best, *others in self.decide(annotated, rated=rated and self.rates):
            solved = partial(SolvedAnswer.of, knowledge=self.knowledge, made_by=self.provenance)
            tracing = cache(partial(self._trace_annotated, best.pair))
            other_answers = (solved(answer, rank=rank) for rank, answer in enumerate(others, 2))
            yield solved(best, tracing=tracing), *other_answers

    def decide(
        self, annotated: Iterable[Pair], *, rated: bool = False
    ) -> Iterator[tuple[Answer, ...]]:
        """As :meth:`solve_all`, for pairs that are annotated already."""
        return (solved.answers for solved in raising(self.outcomes(annotated, rated=rated)))

    def outcomes(self, annotated: Iterable[Pair], *, rated: bool = False) -> Outcomes[Answer]:
        """Decide annotated pairs, lazily and in their order: the solution of each, or its error."""
        outcomes = self.program(Purpose.ANSWER).run(self.facts_of(annotated))
        for outcome in self._rate_solutions(outcomes) if rated else outcomes:
            if not isinstance(outcome, IstsError):
                seconds = outcome.grounding, outcome.solving
                self.stages.decide(*seconds, cached=outcome.kept, edit=outcome.edit)
            yield outcome

    def decided(self, pairs: Iterable[Pair], *, rated: bool = False) -> Iterator[Decided]:
        """Decide pairs, lazily and in their order; the best answer of each, and its facts."""
        for solution in raising(self.outcomes(self.annotate(pairs), rated=rated)):
            yield Decided(solution.answers[0], solution.item[1])

    def _rate_solutions(self, outcomes: Outcomes[Answer]) -> Outcomes[Answer]:
        """Rate all answers of solutions; the times grow accordingly."""
        program = self.program(Purpose.RATING)
        for batch in batches(outcomes):
            solved = ((o.item[1], o.answers) for o in batch if not isinstance(o, IstsError))
            items = [program.facts(best, facts) for facts, answers in solved for best in answers]
            rated = program.run(items)
            for outcome in batch:
                if isinstance(outcome, IstsError):
                    yield outcome
                    continue
                batch_ratings = list(islice(rated, len(outcome.answers)))
                try:
                    ratings = list(raising(batch_ratings))
                except IstsError as error:
                    yield error
                    continue
                both = zip(outcome.answers, ratings, strict=True)
                answers = tuple(replace(best, rating=r.answers[0].rating) for best, r in both)
                grounding = outcome.grounding + sum(rating.grounding for rating in ratings)
                solving = outcome.solving + sum(rating.solving for rating in ratings)
                yield replace(outcome, answers=answers, grounding=grounding, solving=solving)

    def with_facts(self, answers: Iterable[Answer], *, in_chunks: bool = True) -> Iterator[Decided]:
        """Answers with the facts of their pairs, in the chunks that the answers have."""
        for batch in batches(map(_answer, answers)):
            pairs = (answer.pair_in_chunks if in_chunks else answer.pair for answer in batch)
            for answer, (_, facts) in zip(batch, self.facts(pairs), strict=True):
                yield Decided(answer, facts)

    def program_facts(
        self, pairs: Iterable[Pair], purpose: Purpose
    ) -> Iterator[tuple[Pair, Sequence[Symbol]]]:
        """As :meth:`facts`, with all that the program of a purpose sees, such as the answer."""
        if purpose is Purpose.ANSWER:
            return self.facts(pairs)
        items: Iterator[tuple[Answer, Sequence[Symbol]]]
        if purpose is Purpose.EXPLANATION:
            items = self._to_explain(pairs, self.templates)
        else:
            items = (self.program(purpose).facts(*decided) for decided in self.decided(pairs))
        return ((answer.pair, facts) for answer, facts in items)

    def _to_explain(self, pairs: Iterable[Pair], templates: Templates) -> Iterator[Decided]:
        """Answers to pairs with all that the program sees that explains them."""
        from ists_asp.explain.explanation import text_facts

        program, texts = self.program(Purpose.EXPLANATION), text_facts(templates)
        for decided in self.with_facts(answer for answer, _ in self.decided(pairs)):
            yield Decided(*program.facts(*decided, texts))

    @property
    def rates(self) -> bool:
        """Whether the profile has rules that rate a pair as a whole."""
        return self.profile.rating is not None

    def rate(self, answer: Answer) -> Rating:
        """Rate how similar the two sentences of an answer are as a whole.

        It is of this system, or made of alignments by :func:`ists_asp.io.wa.given_answer`.

        Raises:
            RuleError: the profile has no rules for ratings, or they are faulty.
        """
        return next(self.rate_many([answer]))

    def rate_many(self, answers: Iterable[Answer]) -> Iterator[Rating]:
        """Rate answers, lazily and in their order; see :meth:`rate`."""
        for answer in self.rated(self.with_facts(answers, in_chunks=False)):
            assert answer.rating is not None
            yield answer.rating

    def rated(self, decided: Iterable[tuple[Answer, Sequence[Symbol]]]) -> Iterator[Answer]:
        """Answers with their ratings, lazily and in their order."""
        program = self.program(Purpose.RATING)
        for solution in raising(program.run(program.facts(*item) for item in decided)):
            answer, _ = solution.item
            yield replace(answer, rating=solution.answers[0].rating)

    def trace(
        self, sent1: GivenSentence, sent2: GivenSentence, *, tokens: bool = False
    ) -> AskedTrace:
        """Decide one pair and trace which rules fired, for which words, with what weights.

        The trace answers :meth:`~ists_asp.trace.AskedTrace.why` and
        :meth:`~ists_asp.trace.AskedTrace.why_not`. It holds the ground program, so answers make one
        only on demand. The arguments are those of :meth:`solve`.

        Raises:
            DataError: a sentence is empty or too long.
            RuleError: a rule cannot be traced.
            SolveError: there is no answer.
            TraceError: the trace does not account for the answer.
        """
        pairs = self.read([(sent1, sent2)], tokens=tokens)
        return self._trace_annotated(next(self.annotate(pairs)))

    def trace_many(
        self, pairs: Iterable[GivenPair], *, rated: bool = False, tokens: bool = False
    ) -> Iterator[AskedTrace]:
        """Decide and trace pairs, lazily and in their order; several share their grounding.

        Traces hold much memory: do not collect many. ``rated`` also rates the answers and traces
        the ratings; the rest is as for :meth:`solve_many`.

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
        for trace in self.program(Purpose.ANSWER).tracer.trace_all(self.facts_of(annotated)):
            began = time.process_time()
            if rated:
                program = self.program(Purpose.RATING)
                trace.rating = program.tracer.trace(*program.facts(trace.answer, trace.facts))
                trace.answer = replace(trace.answer, rating=trace.rating.answer.rating)
            self.stages.decide(0.0, trace.seconds + time.process_time() - began)
            yield trace

    def load_tracers(self, done: Callable[[], None], *, rated: bool = False) -> None:
        """Work out what all traces share, program by program, unless an earlier run has."""
        for purpose in (Purpose.ANSWER, *[Purpose.RATING] * rated):
            reified = self.program(purpose).tracer.reified
            reified.strata, reified.places  # noqa: B018 (kept when first asked for)
            done()

    def _trace_annotated(self, pair: Pair) -> AskedTrace:
        return next(self.trace_annotated([pair], rated=self.rates))

    def explain(self, answer: Answer, templates: Templates | None = None) -> Explanation:
        """Say an answer in words: what both sentences say, and how they differ.

        Args:
            answer: an answer of this system, or one made of alignments by
                :func:`ists_asp.io.wa.given_answer`.
            templates: the wording; by default that of the setup, or of the profile's language.

        Raises:
            RuleError: the profile has no rules for explanations, or they are faulty.
            UsageError: there are no templates for the profile's language.
            DataError: the templates are faulty.
        """
        return next(self.explain_many([answer], templates))

    def explain_many(
        self, answers: Iterable[Answer], templates: Templates | None = None
    ) -> Iterator[Explanation]:
        """Say answers in words, lazily and in their order; see :meth:`explain`."""
        from ists_asp.explain.explanation import explained, text_facts
        from ists_asp.explain.templates import Templates

        wording = self.templates if templates is None else templates
        if not isinstance(wording, Templates):
            raise UsageError(
                f"templates={wording!r}", expected="what ists_asp.explain.load_templates gives"
            )
        program = self.program(Purpose.EXPLANATION)
        texts = text_facts(wording)
        items = (program.facts(*decided, texts) for decided in self.with_facts(answers))
        for solution in raising(program.run(items)):
            (answer, facts), (shown,) = solution.item, solution.answers
            with inside(answer):
                if not shown.best:
                    hurried = Atoms.of(facts).with_text("in_haste")
                    (shown,) = program.solver.solve(answer, hurried).answers
                yield explained(answer, shown, wording, program.named)

    @cached_property
    def templates(self) -> Templates:
        """The wording of explanations."""
        from ists_asp.explain.templates import load_templates

        setup = self.setup
        return load_templates(setup.language or self.profile.language, setup.templates)

    def _without(self, answer: Answer, facts: Sequence[Symbol], rule: str, words: Templates) -> str:
        from ists_asp.explain.explanation import explained
        from ists_asp.trace.effects import places

        program = self.program(Purpose.EXPLANATION)
        rules = places(program.rules, {rule})
        without = Atoms.of(facts).with_more(map(off, rules))
        try:
            (shown,) = program.solver.switched(rules).solve(answer, without).answers
            return explained(answer, shown, words, program.named).text
        except IstsError as error:
            return error.found

    def where_said(self, pairs: Iterable[Pair], rules: Sequence[str]) -> Iterator[Looked]:
        """Where rules for explanations fire in pairs, and what is said without them."""
        from ists_asp.trace.effects import Effect, Looked, places_fired

        items = list(self._to_explain(pairs, self.templates))
        traces = self.program(Purpose.EXPLANATION).tracer.fired(items, rules)
        explanations = self.explain_many(answer for answer, _ in items)
        for (answer, facts), trace, explanation in zip(items, traces, explanations, strict=True):
            effects, text = {}, explanation.text
            for name in rules:
                fired = places_fired(trace, [name])
                other = self._without(answer, facts, name, self.templates) if fired else text
                effects[name] = Effect(fired, (other,) if other != text else ())
            yield Looked(answer.pair, effects)

    def why_said(
        self, pairs: Iterable[Pair], number: int, templates: Templates
    ) -> Iterator[tuple[Answer, str]]:
        """Answers, and why a statement of their explanations is made."""
        tracer = self.program(Purpose.EXPLANATION).tracer
        for answer, facts in self._to_explain(pairs, templates):
            statements = self.explain(answer, templates).statements
            if not 1 <= number <= len(statements):
                expected = f"a number from 1 to {len(statements)}"
                raise UsageError(f"statement {number}", expected=expected)
            statement, sents = statements[number - 1], answer.pair.sentences
            tokens = (sent.words(statement.tokens(side)) for side, sent in enumerate(sents, 1))
            rule, words = statement.reason.name, " ~ ".join(tokens)
            instead = self._without(answer, facts, rule, templates) or "nothing"
            text = f"{number}. {statement.text}\nWords: {words}\nWithout the rule: {instead}\n\n"
            tree = tracer.trace(answer, facts).why(statement.atom).text(depth=3)
            yield answer, text + tree.partition("\n")[2]  # without the atom, which is code

    def judge(self, submission: Submission, templates: Templates) -> Feedback:
        """Judge a student's answer by the best of its model answers."""
        return next(self.judge_many([submission], templates))

    def judge_many(
        self, submissions: Iterable[Submission], templates: Templates
    ) -> Iterator[Feedback]:
        """Judge students' answers, lazily and in their order; see :meth:`judge`."""
        from ists_asp.explain.feedback import BATCH, Feedback

        for batch in batches(submissions, BATCH):
            attempts = [(answer, model) for answer in batch for model in answer.references]
            items = self.feedback_items(attempts, templates)
            solutions = raising(self.program(Purpose.FEEDBACK).run(items))
            feedback = (
                Feedback.of(*attempt, solution.item[0], solution.answers[0], templates)
                for attempt, solution in zip(attempts, solutions, strict=True)
            )
            for submission in batch:
                yield max(islice(feedback, len(submission.references)), key=attrgetter("rank"))

    def feedback_items(
        self, attempts: Sequence[tuple[Submission, str]], templates: Templates
    ) -> Iterator[Item]:
        """Students' answers aligned each with a model answer, with the facts to judge them."""
        from ists_asp.explain.explanation import text_facts
        from ists_asp.explain.feedback import asked_facts

        compared = [submission.beside(model) for submission, model in attempts]
        questions = dict.fromkeys(submission.question for submission, _ in attempts)
        unique = {text for texts in (*compared, questions) for text in texts if text.strip()}
        listed = sorted(unique | {"."})
        cut = dict(zip(listed, self.tokenize(listed), strict=True))
        nonempty = [question for question in questions if question in cut]
        annotated = self.annotate(Pair("", cut[text], cut[text]) for text in nonempty)
        asked = dict(zip(nonempty, (asked_facts(pair.sent1) for pair in annotated), strict=True))
        pairs = (
            Pair(submission.id, *(cut.get(text, cut["."]) for text in texts))
            for (submission, _), texts in zip(attempts, compared, strict=True)
        )
        answers = (answer for answer, _ in self.decided(pairs, rated=True))
        program, lengths = self.program(Purpose.FEEDBACK), text_facts(templates)
        for (submission, _), decided in zip(attempts, self.with_facts(answers), strict=True):
            yield program.facts(*decided, [*lengths, *asked.get(submission.question, ())])

    def trace_verdict(self, feedback: Feedback, templates: Templates) -> AskedTrace:
        """Trace the verdict on an answer that has been judged."""
        (item,) = self.feedback_items([(feedback.submission, feedback.reference)], templates)
        return self.program(Purpose.FEEDBACK).tracer.trace(*item)


def _answer(value: object) -> Answer:
    if not isinstance(value, Answer):
        expected = "an answer, as solve gives it"
        raise UsageError(f"{shortened(repr(value))} is not an answer", expected=expected)
    return value
