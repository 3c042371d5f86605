"""Why a decision was taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import to_builtins

from ists_asp.errors import UsageError
from ists_asp.trace.ask.atoms import is_atom_question, read_atom_question
from ists_asp.trace.ask.goals import goals, holds
from ists_asp.trace.ask.question import is_rating, read_question
from ists_asp.trace.core.patterns import Pattern
from ists_asp.trace.view.contrast import Contrast, contrast
from ists_asp.trace.view.decisions import (
    Decision,
    DecisionKind,
    decisions,
)
from ists_asp.trace.view.restraints import Restraint, restraints
from ists_asp.trace.view.tree import Branch, branch_dict, decision_tree, reason_tree, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.ask.goals import Goal
    from ists_asp.trace.ask.near_misses import NearMisses
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.decisions import Decided

_ABSENT = 2
"""How many rules deep it is told what is against a boundary that is not there."""

_ATOMS = 10
"""Atoms that are told unless all are asked for."""


@dataclass(frozen=True)
class Why:
    """Why a decision was taken: the decisions of the answer that it stands for.

    ``absent`` are boundaries that are not there, with what is against them. ``restraints`` are
    hard rules, constraints and preferences without which the decisions would be others.
    ``atoms`` are those that were asked about, where that was no decision.
    """

    trace: Trace
    question: str
    decisions: tuple[Decision, ...] = ()
    absent: tuple[Branch, ...] = ()
    restraints: tuple[Restraint, ...] = ()
    atoms: tuple[Ground, ...] = ()

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """What each decision has over what came second."""
        return tuple(contrast(self.trace, one).contrast for one in self.decisions)

    def text(self, *, depth: int = 2, everything: bool = False) -> str:
        """Trees, as ``ists-asp trace`` has them."""
        trees = [
            decision_tree(self.trace, one, depth=depth, everything=everything)
            for one in self.decisions
        ]
        trees += [*map(_restrained, self.restraints), *self.absent]
        limit = len(self.atoms) if everything else _ATOMS
        trees += [self._tree(atom, depth, everything=everything) for atom in self.atoms[:limit]]
        if len(self.atoms) > limit:
            trees.append(Branch(f"… and {len(self.atoms) - limit} more atoms, see --all"))
        return "\n\n".join("\n".join(render(tree)) for tree in trees) + "\n"

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "pair": self.trace.answer.pair.id,
            "question": self.question,
            "decisions": to_builtins(self.contrasts),
            "absent": [branch_dict(one) for one in self.absent],
            "restraints": to_builtins(self.restraints),
            "atoms": [branch_dict(self._tree(atom, 3, everything=True)) for atom in self.atoms],
        }

    def _tree(self, atom: Ground, depth: int, *, everything: bool) -> Branch:
        """An atom, and below it what derives it."""
        reasons = reason_tree(self.trace, atom, depth=depth, everything=everything)
        return Branch(self.trace.words.atom(atom), atom, below=reasons)


def _restrained(one: Restraint) -> Branch:
    """A rule that changed the decisions, and what would have been decided without it."""
    branch = Branch(f"because of a hard rule or constraint: {one.sentence}", str(one.rule))
    branch.below = [Branch(f"without it {text}") for text in one.instead]
    return branch


def why(trace: Trace, nearest: NearMisses, question: str) -> Why:
    """Why a decision of the answer was taken; see :mod:`ists_asp.trace.ask.question`.

    Raises:
        UsageError: the question is malformed, or the answer has no such decision.
    """
    if is_rating(question):
        return _why_rated(trace)
    if is_atom_question(question):
        return _why_atoms(trace, question)
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
        Branch(goal.text, below=nearest.explain(Pattern.of(goal.atom), _ABSENT))
        for goal in wanted
        if not goal.true
    ]
    told = restraints(trace, found, {_boundary(goal) for goal in wanted if not goal.true})
    return Why(trace, question, tuple(found), tuple(absent), told)


def _boundary(goal: Goal) -> Decided:
    """The boundary that a goal is about, by its token."""
    side, token = (part.number for part in goal.atom.arguments)
    tokens = ((token,), ()) if side == 1 else ((), (token,))
    return DecisionKind.BOUNDARY, *tokens, ""


def _why_atoms(trace: Trace, question: str) -> Why:
    """Why atoms hold that are no decisions."""
    found = read_atom_question(question, trace).matching(trace)
    if not found:
        raise UsageError(
            "the answer has no such atom",
            where=f"atom '{question}'",
            hint="Ask ists-asp why-not",
        )
    return Why(trace, question, atoms=found)


def _why_rated(trace: Trace) -> Why:
    if trace.rating is None:
        raise UsageError(
            "the answer is not rated",
            where=f"decision '{DecisionKind.RATING}'",
            hint="Choose a profile with rules for ratings, such as sts-en",
        )
    return Why(trace.rating, str(DecisionKind.RATING), decisions(trace.rating))


def _whole(known: Iterable[Decision], about: Sequence[Decision]) -> list[Decision]:
    """An alignment with its label, score and tags."""
    sides = {(one.tokens1, one.tokens2) for one in about}
    return [
        one
        for one in known
        if one.kind is not DecisionKind.BOUNDARY and (one.tokens1, one.tokens2) in sides
    ]
