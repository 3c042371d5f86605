"""Trials: whether claims hold by some rules, and what an edit does to a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ists_asp.compare import Answered, compare
from ists_asp.engine.preparation import read_pair
from ists_asp.errors import IstsError
from ists_asp.explain.feedback import Submission
from ists_asp.fix.proposals import KINDS, Proposal, proposals
from ists_asp.io.formats import format_answer
from ists_asp.io.pairs import format_chunks
from ists_asp.run.worker import step, with_rules

if TYPE_CHECKING:
    from ists_asp.engine import SolvedAnswer, System
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Pair
    from ists_asp.rules.examples import Claim, Example

MOST = 7  # proposals that are shown
_WORST = 3  # pairs that get worse, of each proposal


def judged(
    system: System, examples: Sequence[Example], *, reasons: bool = True
) -> Iterator[dict[str, Any]]:
    """Examples as JSON values, each with the ways round in which it fails, and the reasons."""
    templates = system.templates
    verdict = [one for one in examples if one.claim.what == "verdict"]
    submissions = (
        Submission(one.where, one.question, one.sentences[0], one.sentences[1:]) for one in verdict
    )
    verdicts = dict(zip(verdict, system.judge_many(submissions, templates), strict=True))
    words = templates.words
    names = [words[key].split()[-1] for key in ("first", "second")]
    runs = [
        (one, way, one.sentences[::way], one.claim.mirrored(*names) if way < 0 else one.claim)
        for one in examples
        for way in (1, -1)
        if one not in verdicts
    ]
    pairs = {pair: read_pair(pair[0], pair[1], one.where) for one, _, pair, _ in runs}
    answers = dict(zip(pairs, system.solve_many(pairs.values(), rated=False), strict=True))
    said, rated = (
        {pair: answers[pair] for _, _, pair, claim in runs if claim.what == what}
        for what in ("says", "rating")
    )
    texts = dict(zip(said, system.explain_many(said.values()) if said else (), strict=True))
    ratings = dict(zip(rated, system.rate_many(rated.values()) if rated else (), strict=True))
    failures: dict[Example, list[dict[str, Any]]] = {one: [] for one in examples}
    for one, feedback in verdicts.items():
        if feedback.verdict != one.claim.value:
            found = f"{feedback.verdict} by {feedback.judged.rule or 'weight'}: {feedback.text}"
            failures[one].append({"swapped": False, "found": found, "why": []})
    for one, way, pair, claim in runs:
        answer, text = answers[pair], texts[pair].text if pair in texts else ""
        rating = ratings[pair].value if pair in ratings else 0.0
        if not claim.holds(answer, text, rating):
            told = {"says": text, "rating": f"{rating:.3f}"}.get(claim.what)
            asked = [] if told or not reasons else claim.doubts(answer)
            why = [_why(answer, claim, question) for question in asked]
            failure = {"swapped": way < 0, "found": told or _found(answer, claim), "why": why}
            failures[one].append(failure)
    for one in examples:
        place = {"where": one.where, "rule": one.rule, "profile": system.profile.name}
        yield {**place, "example": one.text, "failures": failures[one]}


def _found(answer: SolvedAnswer, claim: Claim) -> str:
    if claim.what != "chunk":
        return format_answer(answer).partition("\n")[2]
    pair = answer.pair_in_chunks
    return "\n".join(map(format_chunks, (pair.sent1, pair.sent2)))


def _why(answer: SolvedAnswer, claim: Claim, question: str) -> str:
    try:
        return (answer.why(question) if claim.denied else answer.why_not(question)).text()
    except IstsError as fault:
        return str(fault)


@dataclass(frozen=True, slots=True)
class Measured:
    """A proposal whose claims hold, and what it does.

    ``changed`` are the ids of the pairs of a corpus that change, ``better`` and ``worse`` how many
    of them by gold, ``worst`` the ids of those that lose most; ``one_way`` says that the claims
    hold for the sentences as they are, and not swapped.
    """

    proposal: Proposal
    changed: tuple[str, ...] = ()
    better: int = 0
    worse: int = 0
    worst: tuple[str, ...] = ()
    one_way: bool = False

    @property
    def order(self) -> tuple[object, ...]:
        """No harm first, then most good, then the narrowest; weights last."""
        kind = self.proposal.kind
        harm, gain = (self.worse, self.one_way), -self.better
        return kind == KINDS[-1], harm, gain, self.proposal.step, KINDS.index(kind)


@dataclass(frozen=True, slots=True)
class Fix:
    """The proposals for claims about a pair, best first; ``held`` if all claims hold already.

    Where no edit helps, ``lacking`` says what stands in the way.
    """

    answer: SolvedAnswer
    held: bool
    tried: int = 0
    proposals: tuple[Measured, ...] = ()
    lacking: tuple[str, ...] = ()


def fix(
    system: System,
    examples: Sequence[Example],
    pairs: Sequence[Pair] = (),
    gold: Mapping[str, Reference] | None = None,
) -> Fix:
    """Look for edits that make all claims of examples about one pair hold, and measure each."""
    answer = system.solve(*examples[0].sentences, tokens=True)
    if not any(_failing(system, examples)):
        return Fix(answer, held=True)
    tried = proposals(answer, examples)
    known = list(system.annotate(pairs))
    before = _answers(system, known)
    found: list[Measured] = []
    with TemporaryDirectory(prefix="ists-asp-") as folder:
        for number, proposal in enumerate(tried):
            step()
            if len(found) == MOST and proposal.kind == KINDS[-1]:
                break
            place = Path(folder, str(number))
            place.mkdir()
            file = place / f"{proposal.name}{proposal.suffix}"
            file.write_text(proposal.text, encoding="utf-8")
            try:
                other = with_rules(system, (*system.setup.rules, file), checked=False)
                ways = _failing(other, examples)
                if ways[0]:
                    continue
                found.append(_measured(other, proposal, ways[1], known, before, gold))
            except IstsError:
                continue
    found.sort(key=lambda one: one.order)
    lacking: list[str] = []
    if not found:
        failures = [one for record in judged(system, examples) for one in record["failures"]]
        lacking = [text for one in failures if not one["swapped"] for text in one["why"]]
    return Fix(answer, False, len(tried), tuple(found[:MOST]), tuple(lacking))


def _failing(system: System, examples: Sequence[Example]) -> tuple[bool, bool]:
    """Whether a claim fails, of the sentences as they are and swapped."""
    records = judged(system, examples, reasons=False)
    failures = [one["swapped"] for record in records for one in record["failures"]]
    return False in failures, True in failures


def _answers(system: System, pairs: Sequence[Pair]) -> dict[str, Answered]:
    return {
        pair.id: Answered.of(solved.answers[0])
        for pair, solved in zip(pairs, system.outcomes(pairs), strict=True)
        if not isinstance(solved, IstsError)
    }


def _measured(
    system: System,
    proposal: Proposal,
    one_way: bool,
    pairs: Sequence[Pair],
    before: Mapping[str, Answered],
    gold: Mapping[str, Reference] | None,
) -> Measured:
    after = _answers(system, pairs)
    if not before.keys() & after.keys():
        return Measured(proposal, one_way=one_way)
    changed = compare(before, after, gold).changed
    gains = {one.pair.id: one.gain.total for one in changed if one.gain is not None}
    worst = sorted((gain, name) for name, gain in gains.items() if gain < 0)[:_WORST]
    return Measured(
        proposal,
        tuple(one.pair.id for one in changed),
        sum(gain > 0 for gain in gains.values()),
        sum(gain < 0 for gain in gains.values()),
        tuple(name for _, name in worst),
        one_way=one_way,
    )
