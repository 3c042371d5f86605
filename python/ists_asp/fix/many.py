"""Edits for many corrected pairs: their wrong decisions become claims, whose edits are pooled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import repeat

from ists_asp.compare.comparison import Answered, ChangeKind, find_changes
from ists_asp.engine import System
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.errors import RuleError
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.proposals import KINDS, Proposal, drafts, finished
from ists_asp.fix.trial import Corpus, Fix, measured
from ists_asp.io.wa import given_answer
from ists_asp.model import Answer
from ists_asp.rules.examples import Example, claimed
from ists_asp.run.worker import counted
from ists_asp.syntax.ground import quoted

_UNSAID = (ChangeKind.BOUNDARY, ChangeKind.UNALIGNED, ChangeKind.TAG)


def wrong_decisions(answer: Answer, gold: Reference, profile: str) -> Iterator[Example]:
    """The claims of gold that an answer breaks, of those whose words say which tokens they mean."""
    right, pair = given_answer(gold.pair, gold.alignments), answer.pair
    sentences = pair.sent1, pair.sent2
    texts = [" ".join(token.form for token in side.tokens) for side in sentences]
    chunks = (answer.chunks1, right.chunks1), (answer.chunks2, right.chunks2)
    wanted: list[tuple[tuple[tuple[int, ...], tuple[int, ...]], str]] = [
        ((chunk.tokens, ()) if side == 1 else ((), chunk.tokens), f"{side}: {{{side - 1}}}")
        for side, (ours, theirs) in enumerate(chunks, 1)
        for chunk in theirs
        if chunk not in ours
    ]
    labelled = set[object]()
    for change in find_changes(Answered.of(answer), Answered.of(right)):
        sides = change.tokens1, change.tokens2
        if change.kind is ChangeKind.LABEL:
            labelled.add(sides)
        # What has other chunks cannot be aligned before these are right.
        whole = all(
            {*chunk.tokens} <= {*tokens} or not {*chunk.tokens} & {*tokens}
            for tokens, (ours, _) in zip(sides, chunks, strict=True)
            for chunk in ours
        )
        # The score of another label is another one.
        scored = change.kind is ChangeKind.SCORE and sides in labelled
        if whole and not scored and change.kind not in _UNSAID:
            claim = "aligned" if change.new else "not aligned"
            wanted.append((sides, f"{{}} ~ {{}} {claim if change.kind == 'align' else change.new}"))
    for sides, text in wanted:
        words = (quoted(side.words(at)) for side, at in zip(sentences, sides, strict=True))
        with suppress(RuleError):
            example = claimed(texts, text.format(*words), profile)
            if example.claim.places(pair) == sides:
                yield example


def _pool(system: System, golds: Mapping[str, Reference]) -> tuple[int, list[Proposal]]:
    """The number of wrong decisions of a system, and the edits for them, each once."""
    pairs = list(system.annotate(gold.pair for gold in golds.values()))
    wrong, pooled, taken = 0, dict[str, Proposal](), set[str]()
    for trace in counted(system.trace_annotated(pairs, rated=False)):
        answer = SolvedAnswer.of(trace.answer, tracing=partial(next, repeat(trace)))
        for example in wrong_decisions(answer, golds[answer.pair.id], system.profile.name):
            wrong += 1
            for draft in drafts(answer, example):
                # What a weight alone could turn is left to learning.
                if draft.kind != KINDS[-1] and draft.text not in pooled:
                    pooled[draft.text] = finished(draft, example, taken)
    return wrong, list(pooled.values())


def fix_many(system: System, golds: Mapping[str, Reference]) -> Fix:
    """Look for edits for the wrong decisions of corrected pairs, those that mend most first."""
    wrong, tried = _pool(system, golds)
    corpus = Corpus.of(system, [gold.pair for gold in golds.values()], golds)
    return Fix(not wrong, len(tried), *measured(system, tried, [], corpus), wrong=wrong)
