"""Whether the claims of examples hold: of answers, explanations, ratings and feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ists_asp.engine import SolvedAnswer, System
from ists_asp.engine.preparation import read_pair
from ists_asp.errors import IstsError
from ists_asp.explain.feedback import Submission
from ists_asp.io.formats import format_answer
from ists_asp.io.pairs import format_chunks
from ists_asp.rules.examples import Claim, Example

JUDGED = ("verdict", "point")  # claims about the feedback to an answer
WHOLE = ("says", "rating", *JUDGED)  # claims that take more than the answer to a pair


def judged(
    system: System, examples: Sequence[Example], *, reasons: bool = True
) -> Iterator[dict[str, Any]]:
    """Examples as JSON values, each with the ways round in which it fails, and the reasons."""
    templates = system.templates
    verdict = [example for example in examples if example.claim.kind in JUDGED]
    submissions = (
        Submission(case.where, case.question, case.sentences[0], case.sentences[1:])
        for case in verdict
    )
    verdicts = dict(zip(verdict, system.judge_many(submissions, templates), strict=True))
    runs = claims_both_ways(system, [example for example in examples if example not in verdicts])
    pairs = {pair: read_pair(pair[0], pair[1], example.where) for example, _, pair, _ in runs}
    answers = dict(zip(pairs, system.solve_many(pairs.values(), rated=False), strict=True))
    explained, rated = (
        {pair: answers[pair] for _, _, pair, claim in runs if claim.kind == kind}
        for kind in ("says", "rating")
    )
    explanations = system.explain_many(explained.values()) if explained else ()
    texts = dict(zip(explained, explanations, strict=True))
    ratings = dict(zip(rated, system.rate_many(rated.values()) if rated else (), strict=True))
    failures: dict[Example, list[dict[str, Any]]] = {example: [] for example in examples}
    for example, feedback in verdicts.items():
        claim, actual = example.claim, feedback.verdict
        by = f" by {feedback.judged.rule or 'weight'}"
        if claim.kind == "point":
            actual, by = feedback.point(claim.words[1]) or "no point", ""
        if actual != claim.value:
            found = f"{actual}{by}: {feedback.text}"
            failures[example].append({"swapped": False, "found": found, "why": []})
    for example, way, pair, claim in runs:
        answer, text = answers[pair], texts[pair].text if pair in texts else ""
        rating = ratings[pair].value if pair in ratings else 0.0
        if not claim.holds(answer, text, rating):
            output = {"says": text, "rating": f"{rating:.3f}"}.get(claim.kind)
            questions = [] if output or not reasons else claim.doubts(answer)
            why = [_why(answer, claim, question) for question in questions]
            failure = {"swapped": way < 0, "found": output or _found(answer, claim), "why": why}
            failures[example].append(failure)
    for example in examples:
        place = {"where": example.where, "rule": example.rule, "profile": system.profile.name}
        yield {**place, "example": example.text, "failures": failures[example]}


def claims_both_ways(
    system: System, examples: Sequence[Example]
) -> list[tuple[Example, int, tuple[str, ...], Claim]]:
    """Claims about the sentences in their order (1) and swapped (-1)."""
    words = system.templates.words
    names = [words[key].split()[-1] for key in ("first", "second")]
    return [
        (case, way, case.sentences[::way], case.claim.mirrored(*names) if way < 0 else case.claim)
        for case in examples
        for way in (1, -1)
    ]


def _found(answer: SolvedAnswer, claim: Claim) -> str:
    if claim.kind != "chunk":
        return format_answer(answer).partition("\n")[2]
    pair = answer.pair_in_chunks
    return "\n".join(map(format_chunks, pair.sentences))


def _why(answer: SolvedAnswer, claim: Claim, question: str) -> str:
    try:
        return (answer.why(question) if claim.denied else answer.why_not(question)).text()
    except IstsError as fault:
        return str(fault)
