"""Why a decision was taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError
from ists_asp.trace.ask.goals import goals, holds
from ists_asp.trace.ask.question import is_rating, read_question
from ists_asp.trace.ask.restraints import Restraint, restraints
from ists_asp.trace.core.patterns import Pattern
from ists_asp.trace.view.decisions import (
    Decision,
    DecisionKind,
    decisions,
)
from ists_asp.trace.view.tree import Branch, decision_tree, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ists_asp.trace.ask.near_misses import NearMisses
    from ists_asp.trace.core.trace import Trace

__all__ = ["Why", "why"]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a decision was taken: the decisions of the answer that it stands for.

    ``absent`` are boundaries that are not there, with what is against them. ``restraints`` are
    hard rules, constraints and preferences without which the decisions would be others.
    """

    trace: Trace
    decisions: tuple[Decision, ...]
    absent: tuple[Branch, ...] = ()
    restraints: tuple[Restraint, ...] = ()

    def text(self, *, depth: int = 2, everything: bool = False) -> str:
        """Trees, as ``ists-asp trace`` has them."""
        trees = [
            decision_tree(self.trace, one, depth=depth, everything=everything)
            for one in self.decisions
        ]
        trees += [*self.absent, *map(_restrained, self.restraints)]
        return "\n\n".join("\n".join(render(tree)) for tree in trees) + "\n"


def _restrained(one: Restraint) -> Branch:
    """A rule that changed the decisions, and what would have been decided without it."""
    rule = one.rule
    named = f"{rule.name} " if rule.name != f"{rule.file}:{rule.line}" else ""
    branch = Branch(f"because of a hard rule or constraint: {one.text}")
    branch.where = f"{named}{rule.file}:{rule.line}"
    branch.below = [Branch(f"without it {text}") for text in one.instead]
    return branch


def why(trace: Trace, nearest: NearMisses, question: str) -> Why:
    """Why a decision of the answer was taken; see :mod:`ists_asp.trace.ask.question`.

    Raises:
        UsageError: the question is malformed, or the answer has no such decision.
    """
    if is_rating(question):
        return _why_rated(trace)
    asked = read_question(question, trace.answer)
    wanted = goals(trace, asked)
    failing = [goal for goal in wanted if not holds(trace, goal)]
    if failing:
        raise UsageError(
            f"not so in the answer: {failing[0].text}",
            where=f"decision '{question}'",
            hint="Ask ists-asp why-not",
        )
    atoms = {goal.atom for goal in wanted if goal.true}
    known = {one.atom: one for one in decisions(trace)}
    found = [known[atom] for atom in known if atom in atoms]
    if not asked.is_chunk:
        about = [one for one in found if one.kind is not DecisionKind.BOUNDARY]
        if asked.label is None:
            found = _whole(known.values(), about)
        else:
            # Who names the label knows that both are aligned.
            found = [one for one in about if one.kind is not DecisionKind.ALIGN] or about
    absent = [
        Branch(goal.text, below=nearest.explain(Pattern.of(goal.atom)))
        for goal in wanted
        if not goal.true
    ]
    return Why(trace, tuple(found), tuple(absent), restraints(trace, found))


def _why_rated(trace: Trace) -> Why:
    if trace.rating is None:
        raise UsageError(
            "the answer is not rated",
            where=f"decision '{DecisionKind.RATING}'",
            hint="Choose a profile with rules for ratings, such as sts-en",
        )
    return Why(trace.rating, decisions(trace.rating))


def _whole(known: Iterable[Decision], about: Sequence[Decision]) -> list[Decision]:
    """An alignment with its label, score and tags."""
    sides = {(one.tokens1, one.tokens2) for one in about}
    return [
        one
        for one in known
        if one.kind is not DecisionKind.BOUNDARY and (one.tokens1, one.tokens2) in sides
    ]
