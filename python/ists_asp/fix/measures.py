"""Effects of edits on the pairs of a corpus, and on students' answers that are graded."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ists_asp.compare import Answered, compare
from ists_asp.engine import System
from ists_asp.errors import IstsError, shortened
from ists_asp.evaluate.scorer import Reference
from ists_asp.explain.feedback import Submission
from ists_asp.fix.proposals import KINDS, Proposal
from ists_asp.model import Answer, Pair
from ists_asp.resources import data_dir
from ists_asp.run.worker import counted, step, with_rules
from ists_asp.solver.search import Item
from ists_asp.solver.statements import Version

_WORST = 3  # pairs that get worse, of each proposal


@dataclass(frozen=True, slots=True)
class Measured:
    """A proposal whose claims hold, and what it does."""

    proposal: Proposal
    changed: tuple[str, ...] = ()  # ids of the pairs of a corpus that change
    better: int = 0  # how many of them by gold
    worse: int = 0
    worst: tuple[str, ...] = ()  # ids of those that lose most
    one_way: bool = False  # the claims hold in the order of the sentences, and not swapped
    broken: tuple[str, ...] = ()  # examples of shipped rules about the words that hold without it
    alone: bool = False  # no other gold pair bears it out, though one has to

    def __str__(self) -> str:
        worst = f" ({', '.join(map(shortened, self.worst))})" * bool(self.worst)
        return f"{self.better} better, {self.worse} worse{worst}"

    @property
    def effect(self) -> tuple[object, ...]:
        """Whether it harms, and how much for its good; to which pairs; if claims hold swapped."""
        return self.worse > 0, 2 * self.worse - self.better, self.one_way, self.changed

    @property
    def last(self) -> tuple[bool, ...]:
        """Whether it is a weight, and does as much harm as good."""
        return self.proposal.kind == KINDS[-1], self.worse > 0 and self.worse >= self.better

    @property
    def order(self) -> tuple[object, ...]:
        """Chunks first, then what harms no pair, then the most good, then the narrowest."""
        edit = self.proposal
        narrow = edit.step, KINDS.index(edit.kind), len(edit.text), edit.name
        return *self.last, not edit.cuts, *self.effect[:3], *narrow


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pairs to measure by, with their facts and answers; ``version`` has the rules of these."""

    items: list[Item]
    answers: Mapping[str, Answer]
    version: Version
    gold: Mapping[str, Reference] | None
    own: Set[str] = frozenset()  # pairs that may get worse, as their gold is what is claimed

    @classmethod
    def of(
        cls, system: System, pairs: Sequence[Pair], gold: Mapping[str, Reference] | None
    ) -> Corpus:
        """Decide pairs by the rules of a system."""
        annotated, solver = list(system.annotate(pairs)), system.solver
        outcomes = counted(system.outcomes(annotated))
        solved = [outcome for outcome in outcomes if not isinstance(outcome, IstsError)]
        version = Version.of(system.rules, solver.arguments, solver.program.tables)
        answers = {outcome.item[0].id: outcome.answers[0] for outcome in solved}
        return cls([outcome.item for outcome in solved], answers, version, gold)

    def gains(self, after: Mapping[str, Answered]) -> tuple[list[str], dict[str, float]]:
        """The pairs that differ in other answers, and what those in gold gain that gain or lose."""
        before = {name: Answered.of(self.answers[name]) for name in after}
        gold = {name: reference for name, reference in (self.gold or {}).items() if name in after}
        changed = compare(before, after, gold or None).changed if after else ()
        totals = {pair.pair.id: pair.gain.total for pair in changed if pair.gain is not None}
        gains = {at: of for at, of in totals.items() if of > 0 or (of and at not in self.own)}
        return [pair.pair.id for pair in changed], gains

    def measured(self, result: Measured, after: Mapping[str, Answered]) -> Measured:
        """A proposal with the pairs that other answers change, and what these gain."""
        changed, gains = self.gains(after)
        worst = sorted((gain, name) for name, gain in gains.items() if gain < 0)[:_WORST]
        return replace(
            result,
            changed=tuple(changed),
            better=sum(gain > 0 for gain in gains.values()),
            worse=sum(gain < 0 for gain in gains.values()),
            worst=tuple(name for _, name in worst),
        )


def measured_by_grades(system: System, edits: Sequence[Measured]) -> tuple[Measured, ...]:
    """Edits for claims about feedback, with the graded answers whose verdict they change.

    These are the answers that come with the system.
    """
    answers = dict[str, tuple[Submission, str]]()
    for file in sorted((data_dir() / "feedback").glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                if row["language"] == system.profile.language:
                    of = Submission(row["id"], row["question"], row["answer"], (row["reference"],))
                    answers[row["id"]] = of, row["teacher"]
    before, results = dict[str, str](), list[Measured]()
    with TemporaryDirectory(prefix="ists-asp-") as folder:
        for number, edit in enumerate(edits):
            step()
            proposal = edit.proposal
            near = [of for of, _ in answers.values() if proposal.may_touch(_texts(of))]
            file = Path(folder) / str(number) / f"{proposal.name}{proposal.suffix}"
            file.parent.mkdir()
            file.write_text(proposal.text, encoding="utf-8")
            other = with_rules(system, (*system.setup.rules, file), checked=False)
            new = [of for of in near if of.id not in before]
            before |= _verdicts(system, new)
            after = _verdicts(other, near).items()
            changed = {name: verdict for name, verdict in after if verdict != before[name]}
            worse = [name for name in changed if before[name] == answers[name][1]]
            better = sum(of == answers[name][1] for name, of in changed.items())
            sums = replace(edit, changed=(*changed,), better=better, worse=len(worse))
            results.append(replace(sums, worst=(*worse[:_WORST],)))
    return tuple(sorted(results, key=lambda edit: edit.order))


def _texts(answer: Submission) -> tuple[str, str]:
    return answer.beside(*answer.references)


def _verdicts(system: System, answers: Sequence[Submission]) -> dict[str, str]:
    judged = system.judge_many(answers, system.templates)
    return {answer.id: of.verdict for answer, of in zip(answers, judged, strict=True)}
