"""Edits for many corrected pairs: their wrong decisions become claims, whose edits are pooled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count, repeat
from typing import NamedTuple

from ists_asp.compare.comparison import Answered, ChangeKind, find_changes
from ists_asp.engine import System
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.errors import RuleError
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.proposals import KINDS, Proposal, proposals
from ists_asp.fix.trial import Corpus, Measured, measured
from ists_asp.io.wa import given_answer
from ists_asp.model import Answer
from ists_asp.rules.examples import Example, read_example
from ists_asp.run.worker import counted

_UNSAID = (ChangeKind.BOUNDARY, ChangeKind.UNALIGNED, ChangeKind.TAG)


def wrong_decisions(answer: Answer, gold: Reference, profile: str) -> Iterator[Example]:
    """The claims of gold that an answer breaks, of those whose words say which tokens they mean."""
    right, pair = given_answer(gold.pair, gold.alignments), answer.pair
    sentences = pair.sent1, pair.sent2
    one, two = (_quoted(" ".join(token.form for token in side.tokens)) for side in sentences)
    head = f"{profile} " * profile.replace("-", "_").isidentifier() + f"{one} | {two}: "
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
        words = (_quoted(side.words(at)) for side, at in zip(sentences, sides, strict=True))
        with suppress(RuleError):
            example = read_example(head + text.format(*words), "claim")
            if example.claim.places(pair) == sides:
                yield example


def _quoted(text: str) -> str:
    return '"{}"'.format(re.sub(r'(["\\])', r"\\\1", text))


def _pool(system: System, golds: Mapping[str, Reference]) -> tuple[int, list[Proposal]]:
    """The number of wrong decisions of a system, and the edits for them, each once."""
    pairs = list(system.annotate(gold.pair for gold in golds.values()))
    wrong, pooled, taken = 0, dict[str, Proposal](), set[str]()
    for trace in counted(system.trace_annotated(pairs, rated=False)):
        answer = SolvedAnswer.of(trace.answer, tracing=partial(next, repeat(trace)))
        for example in wrong_decisions(answer, golds[answer.pair.id], system.profile.name):
            wrong += 1
            for one in proposals(answer, [example]):
                key = re.sub(r"%@example.*\n|\t.*", "", _renamed(one.text, ""))
                # What a weight alone could turn is left to learning.
                if one.kind == KINDS[-1] or key in pooled:
                    continue
                ends = (f"_{number}" * (number > 1) for number in count(1))
                texts = ((_renamed(one.text, r"\g<0>" + end), end) for end in ends)
                text, end = next(both for both in texts if taken.isdisjoint(_names(both[0])))
                taken.update(_names(text))
                pooled[key] = replace(one, name=one.name + end, text=text)
    return wrong, list(pooled.values())


class Mending(NamedTuple):
    """The proposals for the ``wrong`` decisions of many pairs, as in a ``Fix``."""

    wrong: int
    tried: int
    proposals: tuple[Measured, ...]
    lacking: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong


def fix_many(system: System, golds: Mapping[str, Reference]) -> Mending:
    """Look for edits for the wrong decisions of corrected pairs, those that mend most first."""
    wrong, tried = _pool(system, golds)
    corpus = Corpus.of(system, [gold.pair for gold in golds.values()], golds)
    return Mending(wrong, len(tried), *measured(system, tried, [], corpus))


def _renamed(text: str, name: str) -> str:
    """The text of a rule file with other names for its rules."""
    names = "|".join(_names(text))
    if not names:
        return text
    # An example stands first, and may have the same words.
    head, example, rest = re.split(r"(^%@example .*\n)", text, maxsplit=1)
    return head + example + re.sub(rf'(?<![\w"‘])(?:{names})(?!\w)', name, rest)


def _names(text: str) -> list[str]:
    return re.findall(r"^%@rule (\w+):", text, re.MULTILINE)
