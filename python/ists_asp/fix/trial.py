"""Trials: whether claims hold by an edit, and what it does to a corpus."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from clingo.ast import AST, ASTType

from ists_asp.compare import Answered
from ists_asp.engine import SolvedAnswer, System
from ists_asp.engine.preparation import read_pair
from ists_asp.errors import IstsError
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.measures import Corpus, Measured, measured_by_grades
from ists_asp.fix.patterns import SCOPES
from ists_asp.fix.proposals import KINDS, Proposal, Writer, finished, proposals, wrong_decisions
from ists_asp.io.store import key_of
from ists_asp.io.wa import given_answer
from ists_asp.model import Pair
from ists_asp.resources import rules_dir
from ists_asp.rules.catalogue import find_examples
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.examples import Example
from ists_asp.run.claims import JUDGED, WHOLE, claims_both_ways, judged
from ists_asp.run.worker import counted, step, with_rules
from ists_asp.solver.batch import BATCH
from ists_asp.solver.edits import Edits
from ists_asp.solver.kept import data_of
from ists_asp.solver.search import Item
from ists_asp.solver.solver import switched_rules
from ists_asp.solver.statements import Version
from ists_asp.syntax.ground import Atoms
from ists_asp.syntax.trees import PROBE, off, probe, walk

T = TypeVar("T")

MOST = 7  # proposals that are shown
_FEW = 3  # other proposals, beside which weights are not tried: they turn decisions everywhere
_ALONE = (KINDS[0], KINDS[-1])  # words and weights, which are entries of tables
_HARM = 2  # pairs that get worse, and no more that get better, end a wide trial
_STRIDE = BATCH // 2  # pairs of a wide trial, behind which it may end
_WORDLESS = "no words or whole phrases of one kind are alike or stand beside the same word"
_ALIKE = "its words mean the same, are forms of one word or tell too little to turn a rule on them"


@dataclass(frozen=True, slots=True)
class Fix:
    """The proposals for claims, best first; ``held`` if all claims hold already."""

    held: bool
    tried: int = 0
    proposals: tuple[Measured, ...] = ()
    lacking: tuple[str, ...] = ()  # what stands in the way, where no edit helps
    refused: str = ""  # breaks or harms: why edits with which the claims hold are not proposed
    answer: SolvedAnswer | None = None  # to the pair that the claims are about, if it is one
    graded: bool = False  # measured by graded answers rather than pairs
    wrong: int = 0  # how many decisions about several pairs are
    contradicting: tuple[str, ...] = ()  # ids of gold pairs that have it otherwise than the claims
    first: tuple[str, ...] = ()  # claims about chunks that stand in the way, if no edit is of these


def fix(
    system: System,
    examples: Sequence[Example],
    pairs: Sequence[Pair] = (),
    gold: Mapping[str, Reference] | None = None,
) -> Fix:
    """Look for edits that make all claims of examples about one pair hold, and measure each."""
    rated = any(example.claim.kind == "rating" for example in examples)
    answer = next(system.solve_many([examples[0].sentences], tokens=True, rated=rated))
    if not any(_failing(system, examples)):
        return Fix(True, answer=answer)
    golds = {
        name: given_answer(of.pair, of.alignments)
        for name, of in (gold or {}).items()
        if tuple(side.spaced for side in of.pair.sentences) == examples[0].sentences
    }
    right = next(iter(golds.values()), None)
    writers = {example: Writer(answer, example.claim, right) for example in examples}
    # What may turn decisions everywhere is not proposed unmeasured.
    tried = [edit for edit in proposals(writers) if gold or edit.step < len(SCOPES) - 1]
    claims = [example.claim for example in examples if example.claim.kind not in WHOLE]
    contradicting = [name for name, of in golds.items() if any(at.doubts(of) for at in claims)]
    corpus = replace(Corpus.of(system, pairs, gold), own=golds.keys() - {*contradicting})
    fixes, lacking, refused = measured(system, tried, examples, corpus)
    graded = not gold and all(example.claim.kind in JUDGED for example in examples)
    if graded and fixes:
        by_grades = measured_by_grades(system, fixes)
        harming = [edit for edit in by_grades if edit.worse > edit.better]
        chosen = [edit for edit in by_grades if edit not in harming]
        fixes, lacking, refused = _told(chosen, harming)
    if not (fixes or lacking):
        failures = chain.from_iterable(case["failures"] for case in judged(system, examples))
        ours = (failure for failure in failures if not failure["swapped"])
        reasons = ([*map(_brief, failure["why"])] or [failure["found"]] for failure in ours)
        whole = examples[0].claim.kind in WHOLE
        entries = [edit.text.partition("\t")[0] for edit in tried if edit.kind == KINDS[0]]
        told = f"tried: {'; '.join(entries)}" if entries else _WORDLESS if whole else _ALIKE
        lacking = (*[told] * (whole or not tried), *chain.from_iterable(reasons))
    chunks = dict.fromkeys(chain.from_iterable(writer.chunks() for writer in writers.values()))
    cut = any(edit.proposal.cuts for edit in fixes) or (fixes and right is None)
    first = () if cut else tuple(chunks)
    return Fix(
        False, len(tried), fixes, lacking, refused, answer, graded, 0, (*contradicting,), first
    )


def fix_many(system: System, golds: Mapping[str, Reference]) -> Fix:
    """Look for edits for the wrong decisions of corrected pairs, most effective first."""
    annotated = list(system.annotate(gold.pair for gold in golds.values()))
    corpus = Corpus.of(system, annotated, golds)
    pooled, wrong = pooled_proposals(system, corpus)
    fixes = measured(system, [*pooled], [], corpus)
    return Fix(not wrong, len(pooled), *fixes, wrong=wrong)


def pooled_proposals(system: System, corpus: Corpus) -> tuple[dict[Proposal, set[str]], int]:
    """Edits for wrong decisions, with the ids of their pairs; and how many decisions are wrong."""
    claims, golds = dict[str, list[Example]](), corpus.gold or {}
    for name, gold in golds.items():
        if name in corpus.answers:
            claims[name] = [*wrong_decisions(corpus.answers[name], gold, system.profile.name)]
    pooled, used = dict[str, tuple[Proposal, set[str]]](), set[str]()
    pairs = (pair for pair, _ in corpus.items if claims.get(pair.id))
    for trace in counted(system.trace_annotated(pairs, rated=False)):
        answer = SolvedAnswer.of(trace.answer, tracing=partial(next, repeat(trace)))
        name = answer.pair.id
        for example in claims[name]:
            right = given_answer(golds[name].pair, golds[name].alignments)
            for draft in Writer(answer, example.claim, right).drafts():
                # What a weight alone could turn is left to learning.
                if draft.kind != KINDS[-1] and draft.text not in pooled:
                    pooled[draft.text] = finished(draft, example, used), set()
                if draft.text in pooled:
                    pooled[draft.text][1].add(name)
    return dict(pooled.values()), sum(map(len, claims.values()))


def measured(
    system: System, tried: Sequence[Proposal], examples: Sequence[Example], corpus: Corpus
) -> tuple[tuple[Measured, ...], tuple[str, ...], str]:
    """The proposals with which all claims about a pair hold, measured, best first.

    Without claims those that make more pairs better than worse, one for each claim that led to
    them. Those that make more worse than better are never proposed, nor any if all break an example
    of the shipped rules: then this is what is lacking, and why.
    """
    outcomes: list[tuple[Measured, Trial]] = []

    def enough(kind: str) -> bool:
        return len(outcomes) >= _FEW and kind == KINDS[-1]

    work = partial(Trial.measured, corpus=corpus)
    for results in tried_out(system, tried, examples, work, enough):
        outcomes += results
    affected: dict[str, set[Example]] = {}
    for proposal in tried:
        shipped = _shipped(system.profile.name)
        near = (case for case in shipped if proposal.may_touch(case.sentences))
        affected.setdefault(proposal.claim, set()).update(near)
    chosen: list[Measured] = []
    alone: list[Measured] = []
    harming: list[Measured] = []
    outcomes.sort(key=lambda both: both[0].order)
    firsts = {edit.effect: edit for edit, _ in reversed(outcomes)}
    tied = (lambda edit: firsts[edit.effect] is not edit) if examples else bool
    for edit, trial in sorted(outcomes, key=lambda both: (both[0].last, tied(both[0]))):
        step()
        claim = edit.proposal.claim
        claims = {other.proposal.claim for other in chosen}
        # Of weights one will do; what harms more than it helps is no choice.
        twin = edit.proposal.kind in [other.proposal.kind for other in chosen] and edit.last[0]
        itself = edit.proposal.chance and not corpus.own.isdisjoint(edit.changed)
        gain = edit.better - edit.worse - itself
        most = len(corpus.items) or edit.proposal.support  # without gold nothing bears it out
        unsupported = 0 < edit.proposal.support <= most and gain <= 0
        if examples and unsupported and not edit.worse and len(alone) < _FEW:
            breaks = trial.breaks(edit.proposal, affected[claim])
            alone.append(replace(edit, broken=breaks, alone=True))
        elif examples and (unsupported or edit.worse > edit.better):
            harming.append(edit)
        elif not twin if examples else claim not in claims and edit.better > edit.worse:
            breaks = trial.breaks(edit.proposal, affected[claim])
            chosen.append(replace(edit, broken=breaks))
        if sum(not other.broken for other in chosen) == MOST:
            break
    # What may be an accident is for want of a better one, or of gold; only a weight is behind it.
    better = [edit for edit in chosen if not (edit.last[0] or edit.broken)]
    if not (better and corpus.items):
        chosen = [*better, *alone, *(edit for edit in chosen if edit not in better)]
    chosen.sort(key=lambda edit: bool(edit.broken))
    if chosen and chosen[0].broken:
        return (), tuple(f"it would break {text}" for text in chosen[0].broken), "breaks"
    return _told(chosen, harming)


def _told(
    chosen: Sequence[Measured], harming: Sequence[Measured]
) -> tuple[tuple[Measured, ...], tuple[str, ...], str]:
    """The proposals; without any, what the first edit that harms does."""
    of = next((edit for edit in harming if edit.proposal.kind != KINDS[-1]), None)
    if chosen or of is None:
        return tuple(chosen[:MOST]), (), ""
    return (), (f"it would make {of}:\n{of.proposal.text}",), "harms"


def tried_out(
    system: System,
    tried: Sequence[Proposal],
    examples: Sequence[Example],
    work: Callable[[Trial], Iterable[T]],
    enough: Callable[[str], bool] = lambda _kind: False,
) -> Iterator[list[tuple[T, Trial]]]:
    """The results of each trial in turn, until there are ``enough`` for proposals of a kind.

    A trial is of all proposals that can be in one program, unless one of them is faulty.
    """
    together = [edit for edit in tried if edit.kind not in _ALONE]
    groups = [*filter(None, [together]), *([edit] for edit in tried if edit.kind in _ALONE)]
    while groups and not enough(groups[0][0].kind):
        step()
        group, *groups = groups
        try:
            with TemporaryDirectory(prefix="ists-asp-") as folder:
                trial = Trial(system, group, examples, Path(folder))
                results = [(result, trial) for result in work(trial)]
        except IstsError:
            groups = [*([proposal] for proposal in group if len(group) > 1), *groups]
        else:
            yield results


@cache
def _shipped(profile: str) -> tuple[Example, ...]:
    """The examples of shipped rules for a profile, of those about the answer to a pair."""
    cases = (case for case in find_examples([rules_dir()], None) if case.claim.kind not in WHOLE)
    return tuple(case for case in cases if case.profile in (None, profile))


def _failing(system: System, examples: Sequence[Example]) -> tuple[bool, bool]:
    """Whether a claim fails: for the sentences in their order, and swapped."""
    records = judged(system, examples, reasons=False)
    failures = [failure["swapped"] for record in records for failure in record["failures"]]
    return False in failures, True in failures


class Trial:
    """Proposals in one program, with switches: each is tried with the others off.

    Tables are the same for all pairs, so that a proposal that adds to them has a program alone.
    """

    def __init__(
        self, system: System, group: Sequence[Proposal], examples: Sequence[Example], folder: Path
    ) -> None:
        self._group, self._examples = group, examples
        self._files: dict[Path, int] = {}
        for number, proposal in enumerate(group):
            file = folder / str(number) / f"{proposal.name}{proposal.suffix}"
            file.parent.mkdir()
            file.write_text(proposal.text, encoding="utf-8")
            self._files[file] = number
        self._base = system
        self._system = with_rules(system, (*system.setup.rules, *self._files), checked=False)
        rules, memo = replace(self._system.rules), self._system.rules.memo
        # What is worked out follows from the texts, wherever the files are.
        texts = key_of(system.rules.memo.digest, *(proposal.text for proposal in group)).hex()
        rules = rules.with_memo(replace(memo, digest=texts))
        files = {str(file): number for file, number in self._files.items()}
        self._owners = {
            at: files[rule.file]
            for at, (node, rule) in enumerate(rules.both)
            if rule.file in files and node.ast_type is ASTType.Rule and node.body
        }
        self._dependent = {*_dependent(both for both in rules.both if both[1].file in files)}
        self._probes = len(rules.statements)
        probes = [probe(rules.statements[at], n, self._probes) for at, n in self._owners.items()]
        self._rules = switched_rules(rules, self._owners, probes)
        self._solver = system.solver.with_rules(self._rules)

    def _item(self, item: Item, number: int) -> Item:
        """A pair for which one proposal is on; with -1 none, to see where any would fire."""
        others = [at for at, owner in self._owners.items() if owner != number]
        others += [self._probes] * (number >= 0)
        return item[0], Atoms.of(item[1]).with_more(map(off, others))

    def measured(self, corpus: Corpus) -> Iterable[Measured]:
        """The proposals that make all claims hold, each measured, but for those behind the first.

        Those that may affect many pairs come last, some pairs at a time: harm tells soon.
        """
        holding = self._holding()
        if self._group[0].kind == KINDS[0]:
            near = [item for item in corpus.items if self._group[0].may_touch(_texts(item[0]))]
            corpus = replace(corpus, items=near)
        # Entries of several words add to the facts of pairs.
        items = list(self._system.facts_of(pair for pair, _ in corpus.items)) if holding else []
        results = {at: Measured(self._group[at], one_way=way) for at, way in holding.items()}
        if not items:
            return results.values()
        waiting = self._affected(corpus, items, holding)
        wide = {number for number, bits in waiting.items() if bits.bit_count() > BATCH}
        after: dict[int, dict[str, Answered]] = {number: {} for number in holding}
        # What is told where all of them harm: a weight is not.
        first = -1 if self._group[0].kind == KINDS[-1] else min(holding)
        for begin in range(-_STRIDE, len(items), _STRIDE):
            few = (1 << begin + _STRIDE) - (1 << begin) if begin >= 0 else 0
            queries = {at: waiting[at] & (few if at in wide else -1) for at in results}
            for number, name, answer in self._decided(items, queries):
                after[number][name] = answer
            waiting = {at: waiting[at] & ~bits for at, bits in queries.items()}
            results = {at: corpus.measured(of, after[at]) for at, of in results.items()}
            most = [result.worse + waiting[at].bit_count() for at, result in results.items()]
            ahead = {at: sum(harm < edit.worse for harm in most) for at, edit in results.items()}
            results = {
                at: result
                for at, result in results.items()
                if ahead[at] < MOST
                and (at not in wide or at == first or result.worse < max(_HARM, result.better))
            }
        return results.values()

    def gains(self, corpus: Corpus) -> Iterator[tuple[Proposal, dict[str, float]]]:
        """Each proposal with the gains of the pairs that it makes better or worse."""
        items, group = list(self._system.facts_of(pair for pair, _ in corpus.items)), self._group
        after: list[dict[str, Answered]] = [{} for _ in group]
        affected = self._affected(corpus, items, range(len(group)))
        for number, name, answer in self._decided(items, affected):
            after[number][name] = answer
        for proposal, answers in zip(group, after, strict=True):
            yield proposal, corpus.gains(answers)[1]

    def _holding(self) -> dict[int, bool]:
        """The proposals with which the claims hold, and whether one does not if swapped."""
        whole = [example for example in self._examples if example.claim.kind in WHOLE]
        others = [example for example in self._examples if example not in whole]
        holding = {}
        doubted = self._doubted(others, range(len(self._group)))
        for (number, file), doubts in zip(enumerate(self._files), doubted, strict=True):
            failing = {way for _, way in doubts}
            if whole and 1 not in failing:
                files = (*self._base.setup.rules, file)
                ways = _failing(with_rules(self._base, files, checked=False), whole)
                failing.update(way for way, fails in zip((1, -1), ways, strict=True) if fails)
            if 1 not in failing:
                holding[number] = -1 in failing
        return holding

    def breaks(self, proposal: Proposal, examples: Collection[Example]) -> tuple[str, ...]:
        """The examples that hold by the present rules, and fail with a proposal."""
        if not examples:
            return ()
        (doubts,) = self._doubted([*examples], [self._group.index(proposal)])
        broken = list(dict.fromkeys(example for example, _ in doubts))
        before = judged(self._base, broken, reasons=False)
        return tuple(sorted(record["example"] for record in before if not record["failures"]))

    def _doubted(
        self, examples: Sequence[Example], numbers: Sequence[int]
    ) -> Iterator[list[tuple[Example, int]]]:
        """The examples that fail with each of some proposals, and in which way."""
        runs = claims_both_ways(self._system, examples)
        pairs = {pair: read_pair(pair[0], pair[1]) for _, _, pair, _ in runs}
        items = list(self._system.facts(pairs.values()))
        queries = [self._item(item, number) for number in numbers for item in items]
        outcomes = counted(self._solver.outcomes(queries))
        for _ in numbers:
            solved = dict(zip(pairs, outcomes, strict=False))
            yield [
                (example, way)
                for example, way, pair, claim in runs
                if isinstance(outcome := solved[pair], IstsError)
                or claim.doubts(outcome.answers[0])
            ]

    def _affected(
        self, corpus: Corpus, items: Sequence[Item], holding: Collection[int]
    ) -> dict[int, int]:
        """The pairs that each proposal may affect, as bits."""
        solver = self._solver
        version = Version.of(self._rules, solver.arguments, solver.program.tables)
        edits = Edits(corpus.version, version, self._rules, solver.program, solver.shapes)
        before = [data_of(corpus.answers[pair.id]) for pair, _ in items]
        texts, olds = ([Atoms.of(facts).text for _, facts in its] for its in (items, corpus.items))
        places = edits.affected(texts, before)
        other = sum(1 << at for at, text in enumerate(texts) if text != olds[at])
        alone, bits = self._group[0].kind in _ALONE, dict.fromkeys(holding, other)
        for file, number in self._files.items():
            # What turns on a rule of the same file concerns no more pairs than that rule does.
            for place, its in [("", (1 << len(items)) - 1)] if places is None else places:
                # A rule with an exception is another one, and that says where.
                ours = alone or not place or place.startswith(f"{file}:")
                if number in bits and ours and place.partition(" ")[0] not in self._dependent:
                    bits[number] |= its
        return bits

    def _decided(
        self, items: Sequence[Item], queries: Mapping[int, int]
    ) -> Iterator[tuple[int, str, Answered]]:
        """The answers to pairs with each proposal, which are ``asked`` for as bits."""
        wanted = [
            (number, item)
            for number, bits in queries.items()
            for at, item in enumerate(items)
            if bits >> at & 1
        ]
        by_id = {item[0].id: item for _, item in wanted}
        if len(wanted) > len(by_id):
            # To ground each once, and see what fires, takes less time than to decide it often.
            probing = (self._item(item, -1) for item in by_id.values())
            fired = zip(by_id, counted(self._solver.derivable(probing, [PROBE])), strict=True)
            hits = {(atom.arguments[0].number, name) for name, atoms in fired for atom in atoms}
            wanted = [(number, item) for number, item in wanted if (number, item[0].id) in hits]
        outcomes = self._solver.outcomes(self._item(item, number) for number, item in wanted)
        for (number, (pair, _)), solved in zip(wanted, counted(outcomes), strict=True):
            # A pair that is lost has no lines any more.
            if isinstance(solved, IstsError):
                yield number, pair.id, Answered(pair, ())
            else:
                yield number, pair.id, Answered.of(solved.answers[0])


def _dependent(rules: Iterable[tuple[AST, NamedRule]]) -> Iterator[str]:
    """The places of rules that turn on what another one derives in its name, and of its facts."""
    named = [(node, rule) for node, rule in rules if node.ast_type is ASTType.Rule]
    names = {rule.name for _, rule in named}
    for node, rule in named:
        terms = chain.from_iterable(map(walk, node.body or [node.head]))
        if not names.isdisjoint(map(str, terms)):
            yield f"{rule.file}:{rule.line}"


def _brief(tree: str) -> str:
    """A reason, and what it rests on; not what that rests on."""
    return "\n".join(line for line in tree.splitlines() if line.find("─") < 2)


def _texts(pair: Pair) -> list[str]:
    tokens = (token for side in pair.sentences for token in side.tokens)
    return [f"{word.form} {word.lemma}" for token in tokens for word in token.words]
