"""The selection of edits that earn themselves: greedy by gain, at a price for each, in folds.

Edits come from wrong decisions. For each fold they are chosen by the other folds, beside weights
that these teach; a pair that alone has led to an edit does not count for it. What a choice changes
in the fold is its gain. Edits whose gain is worth the price are chosen once more, by all pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from ists_asp.engine import Setup, System
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.measures import Corpus
from ists_asp.fix.proposals import KINDS, Proposal
from ists_asp.fix.trial import Trial, pooled_proposals, tried_out
from ists_asp.learn.cross import deal
from ists_asp.model import Pair
from ists_asp.rules.source import table_rules
from ists_asp.run.worker import telling, with_rules
from ists_asp.terminal import unbroken

PRICE = 0.3  # what an edit has to gain, in F1 of type and score, summed over pairs
WIDE = 4  # pairs out of fold that one about all such words or chunks has to make better

Learned: TypeAlias = Callable[[Set[str]], str]
"""Weights, as rules, that the pairs of some ids teach."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An edit, and the gain of each pair that it makes better or worse, by id."""

    proposal: Proposal
    origins: Set[str]  # the pairs whose wrong decisions lead to it
    gains: Mapping[str, float]

    def worth(self, train: Set[str]) -> float:
        """The gain of pairs if some of them lead to it, but for one that does so alone."""
        led = self.origins & train
        others = train - led if len(led) == 1 else train if led else frozenset()
        return round(sum(gain for name, gain in self.gains.items() if name in others), 6)

    @property
    def effect(self) -> tuple[int, int, float]:
        """The pairs that get better and worse, and the gain of all."""
        gains = self.gains.values()
        return sum(of > 0 for of in gains), sum(of < 0 for of in gains), sum(gains)

    @property
    def earns(self) -> bool:
        """Whether it is worth its price out of fold, and not by chance if it is wide."""
        better, worse, gain = self.effect
        narrow = self.proposal.step < 3
        return gain >= PRICE and (narrow or (better >= WIDE and better > 2 * worse))

    def __str__(self) -> str:
        better, worse, gain = self.effect
        return f"{better} better, {worse} worse out of fold, F1 {gain:+.2f}"


@dataclass(frozen=True, slots=True)
class Selection:
    """The edits that earn themselves, with their gains out of fold."""

    tried: int
    edits: tuple[Choice, ...]
    chosen: int  # those of all folds
    gain: float  # of all these, out of fold

    def text(self, title: str, command: str) -> str:
        """The edits as a rule file."""
        text = f"% Edits: {unbroken(title)}, learned from gold.\n%\n"
        text += "% Purpose: what mends more than it spoils in pairs that did not lead to it.\n"
        text += "%          This writes the file again, and the weights that it stands beside:\n"
        text += f"%          {unbroken(command)}\n"
        for choice in self.edits:
            rules = choice.proposal.text
            if choice.proposal.suffix == ".tsv":
                rules = table_rules(rules, choice.proposal.name)
            text += f"\n% Pairs: {choice}.\n{rules.rstrip()}\n"
        return text


def select(
    setup: Setup, golds: Sequence[Reference], learned: Learned, *, folds: int, seed: int
) -> Selection:
    """Choose edits that correct wrong decisions of a setup, in addition to the learned weights."""
    ids = [gold.pair.id for gold in golds]
    outside: dict[Proposal, dict[str, float]] = defaultdict(dict)
    chosen = 0
    with System(setup) as system, telling(system), TemporaryDirectory(prefix="ists-asp-") as folder:
        bare = (gold.pair.with_chunks(None, None) for gold in golds)
        references = dict(zip(ids, golds, strict=True))
        search = _Search(system, Path(folder), learned, list(system.annotate(bare)), references)
        # Few pairs change weights little: what gains nothing without theirs is not tried with them.
        first = search.choices(system, search.proposals())
        for train, test in deal(ids, folds, seed + 1):
            for choice in search.greedy(first, {*train}):
                gains = choice.gains.items()
                outside[choice.proposal].update(pair for pair in gains if pair[0] in test)
                chosen += 1
        totals = [sum(gains.values()) for gains in outside.values()]
        proven = {
            choice.proposal: replace(choice, gains=outside[choice.proposal]) for choice in first
        }
        earning = [choice for choice in first if proven[choice.proposal].earns]
        edits = search.greedy(earning, {*ids})
    written = tuple(proven[choice.proposal] for choice in edits)
    return Selection(len(first), written, chosen, sum(totals))


@dataclass(frozen=True, slots=True)
class _Search:
    """Gold pairs, annotated, whose chunks are to be found."""

    system: System
    folder: Path
    learned: Learned
    pairs: Sequence[Pair]
    gold: Mapping[str, Reference]
    numbers: count[int] = field(default_factory=count)  # of files

    def proposals(self) -> dict[Proposal, set[str]]:
        """Edits for wrong decisions that may change other pairs, with the ids of their own."""
        texts = {pair.id: (pair.sent1.text, pair.sent2.text) for pair in self.pairs}

        def reaches(edit: Proposal, ids: Set[str]) -> bool:
            others = (texts[name] for name in texts.keys() - ids)
            return edit.step > 2 or len(ids) > 1 or any(map(edit.may_touch, others))

        pooled, _ = pooled_proposals(self.system, Corpus.of(self.system, self.pairs, self.gold))
        return {edit: ids for edit, ids in pooled.items() if reaches(edit, ids)}

    def choices(self, system: System, proposals: Mapping[Proposal, Set[str]]) -> list[Choice]:
        """Edits with what each gains beside the rules of a system."""
        corpus = Corpus.of(system, self.pairs, self.gold)
        trials = tried_out(system, [*proposals], [], partial(Trial.gains, corpus=corpus))
        gained = (result for results in trials for result, _ in results)
        return [Choice(edit, proposals[edit], gains) for edit, gains in gained]

    def greedy(self, choices: Sequence[Choice], train: Set[str]) -> list[Choice]:
        """Choose edits by worth in pairs, beside what these teach; worth under its price is out."""
        chosen, files = list[Choice](), list[Path]()
        while left := [choice for choice in choices if choice.worth(train) >= PRICE]:
            files = files or [*self.system.setup.rules, self._file(".lp", self.learned(train))]
            system = with_rules(self.system, tuple(files), checked=False)
            choices = self.choices(system, {choice.proposal: choice.origins for choice in left})
            # Of those that are worth the same the narrowest, and words rather than rules.
            choices.sort(key=lambda of: (of.proposal.step, of.proposal.kind != KINDS[0]))
            choices.sort(key=lambda of: -of.worth(train))
            if choices and (best := choices.pop(0)).worth(train) >= PRICE:
                chosen.append(best)
                files.append(self._file(best.proposal.suffix, best.proposal.text))
        return chosen

    def _file(self, suffix: str, text: str) -> Path:
        file = self.folder / f"edit{next(self.numbers)}{suffix}"
        file.write_text(text, encoding="utf-8")
        return file
