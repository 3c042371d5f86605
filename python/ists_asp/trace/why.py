"""Why a decision was taken, and why another one was not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from clingo import parse_term
from msgspec import to_builtins

from ists_asp.errors import TimeLimitError, UsageError
from ists_asp.gc_control import gc_paused
from ists_asp.syntax.changes import ANY
from ists_asp.syntax.ground import texts
from ists_asp.syntax.trees import predicates
from ists_asp.trace.contrast import Contrast, contrast, difference
from ists_asp.trace.decisions import Decision, DecisionKind, decisions, told
from ists_asp.trace.grounding import ground_probes
from ists_asp.trace.near_misses import NearMisses, Pattern
from ists_asp.trace.probes import Kind, Probe
from ists_asp.trace.questions import (
    Goal,
    Question,
    goals,
    holds,
    is_atom_question,
    is_rating,
    read_atom_question,
    read_question,
)
from ists_asp.trace.switched import Instance, Restraint, conflict, restraints
from ists_asp.trace.trace import terms
from ists_asp.trace.tree import Branch, branch_dict, decision_tree, reason_tree, render
from ists_asp.vocabulary import ALIC, ALIGNED, LABEL, NOALI, SCORE, TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.model import Answer
    from ists_asp.solver.search import Found
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.decisions import Decided
    from ists_asp.trace.questions import Goal
    from ists_asp.trace.trace import Term, Trace

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
    """Why a decision of the answer was taken; see :mod:`ists_asp.trace.questions`.

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


_TERMS = 6
"""Terms of the objective shown on each side of a comparison."""


class Verdict(StrEnum):
    """Why a decision was not taken.

    ``underivable``: no rule can derive it, in whatever answer; ``certain``: the opposite
    holds in every answer; ``forbidden``: constraints exclude it; ``worse``: it is possible,
    but the answer is better; ``as_good``: it is possible and not worse, which can only be
    where the search was stopped.
    """

    UNDERIVABLE = "underivable"
    CERTAIN = "certain"
    FORBIDDEN = "forbidden"
    WORSE = "worse"
    AS_GOOD = "as_good"


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a decision was not taken.

    ``wanted`` are the atoms that the decision stands for, and whether they were to hold;
    ``goal`` the first of them that is impossible, for the verdicts that say so. ``by`` is
    what the answer gains over the best one with the decision, by priority, ``instead`` that
    other answer; both are for the verdicts ``worse`` and ``as_good``.
    """

    verdict: Verdict
    wanted: tuple[tuple[Ground, bool], ...]
    goal: str
    tree: Branch
    by: tuple[tuple[int, int], ...] = ()
    instead: Answer | None = None
    lost: tuple[Term, ...] = ()
    gained: tuple[Term, ...] = ()

    def text(self) -> str:
        """The reason as a tree."""
        return "\n".join(render(self.tree)) + "\n"

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "verdict": str(self.verdict),
            "decision": self.goal,
            "by": [{"priority": priority, "gain": gain} for priority, gain in self.by],
            "tree": branch_dict(self.tree),
        }


def why_not(trace: Trace, nearest: NearMisses, question: str) -> WhyNot:
    """Why a decision was not taken; see :mod:`ists_asp.trace.questions`.

    Raises:
        UsageError: the question is malformed, or the answer has the decision.
        TimeLimitError: there was no answer with the decision within the time limit.
    """
    if is_rating(question):
        raise UsageError(
            "a rating is a sum, and no choice",
            where=f"decision '{DecisionKind.RATING}'",
            hint="Ask ists-asp why",
        )
    if is_atom_question(question):
        with gc_paused():
            return _why_no_atom(trace, nearest, question)
    asked = read_question(question, trace.answer)
    wanted = goals(trace, asked)
    if all(holds(trace, goal) for goal in wanted):
        raise UsageError(
            "the answer has this decision", where=f"decision '{question}'", hint="Ask ists-asp why"
        )
    with gc_paused():
        return _Asking(trace, nearest, question, asked, wanted).answer()


def _why_no_atom(trace: Trace, nearest: NearMisses, question: str) -> WhyNot:
    """Why no atom of a kind holds that is no decision."""
    asked = read_atom_question(question, trace)
    if asked.matching(trace):
        raise UsageError(
            "the answer has such an atom", where=f"atom '{question}'", hint="Ask ists-asp why"
        )
    pattern = asked.pattern
    parts = (None if str(part) == ANY else part for part in asked.term.arguments)
    shown = trace.words.pattern(pattern.name, tuple(parts)).replace(ANY, "_")
    below = nearest.explain(pattern, term=asked.term)
    tree = Branch(f"{shown}: nothing derives it in this answer", below=below)
    return WhyNot(Verdict.UNDERIVABLE, (), shown, tree)


class _Asking:
    def __init__(
        self,
        trace: Trace,
        nearest: NearMisses,
        question: str,
        asked: Question,
        wanted: tuple[Goal, ...],
    ) -> None:
        self._trace = trace
        self._nearest = nearest
        self._question = question
        self._asked = asked
        self._goals = wanted
        self._wanted = tuple((goal.atom, goal.true) for goal in wanted)
        self._symbols = [(parse_term(goal.atom), goal.true) for goal in wanted]
        self._limit = trace.reified.solver.options.time_limit

    def answer(self) -> WhyNot:
        known = self._trace.best.control.symbolic_atoms
        for goal in self._goals:
            atom = known[parse_term(goal.atom)]
            if goal.true and atom is None:
                return self._underivable(goal)
            if not goal.true and atom is not None and atom.is_fact:
                return self._certain(goal)
        found, unsatisfiable = self._search(len(self._goals))
        if found is not None:
            return self._compared(found)
        if not unsatisfiable:
            raise TimeLimitError(
                f"no answer with it within {self._limit:g} s",
                where=f"decision '{self._question}'",
                hint="Allow more time, or simplify the rules",
            )
        return self._impossible()

    def _search(self, size: int) -> tuple[Found | None, bool]:
        """The best answer with the first goals."""
        return self._trace.reified.solver.with_atoms(self._trace.facts, self._symbols[:size])

    def _underivable(self, goal: Goal) -> WhyNot:
        tree = Branch(f"{goal.text}: no rule derives it, in whatever answer")
        tree.below = self._nearest.explain(Pattern.of(goal.atom))
        return WhyNot(Verdict.UNDERIVABLE, self._wanted, goal.text, tree)

    def _certain(self, goal: Goal) -> WhyNot:
        tree = Branch(f"{goal.text}: the opposite holds in every answer")
        tree.below = reason_tree(self._trace, goal.atom, depth=3)
        return WhyNot(Verdict.CERTAIN, self._wanted, goal.text, tree)

    def _impossible(self) -> WhyNot:
        """The decision excludes itself: by constraints, or because no rule is left for it."""
        before: Found | None = None
        for size, goal in enumerate(self._goals, start=1):
            found, _ = self._search(size)
            if found is not None:
                before = found
                continue
            reasons = conflict(self._trace, self._symbols[:size])
            if reasons:
                return self._forbidden(goal, reasons)
            tree = Branch(f"{goal.text}: no rule derives it together with the rest")
            nearest = self._nearest
            if before is not None:
                true = texts(before.true)
                control = ground_probes((), "", true, ())
                nearest = NearMisses(self._trace, control, frozenset(true))
            tree.below = nearest.explain(Pattern.of(goal.atom))
            return WhyNot(Verdict.UNDERIVABLE, self._wanted, goal.text, tree)
        raise AssertionError("a search for all goals failed, and one for the same succeeded")

    def _forbidden(self, goal: Goal, reasons: Sequence[Instance]) -> WhyNot:
        tree = Branch(f"{goal.text}: one reason why it is forbidden")
        for probe, values in reasons:
            rule = probe.rule
            where = f"{rule.file}:{rule.line}"
            says = self._trace.words.sentence(probe, values)
            if probe.kind is Kind.BOUND:
                says += " (a bound of the choice)"
            tree.below.append(Branch(says, where if rule.name == where else f"{rule.name} {where}"))
        return WhyNot(Verdict.FORBIDDEN, self._wanted, goal.text, tree)

    def _compared(self, found: Found) -> WhyNot:
        trace = self._trace
        by = difference(trace, dict(zip(found.priorities, found.cost, strict=True)))
        instead = trace.reified.solver.answer(trace.answer.pair, found)
        theirs = self._terms(found)
        ours = {_key(term): term for term in trace.objective}
        other = {_key(term): term for term in theirs}
        lost = tuple(term for key, term in ours.items() if key not in other)
        gained = tuple(term for key, term in other.items() if key not in ours)
        worse = bool(by) and by[0][1] > 0
        gain = f" by {by[0][1]} at priority {by[0][0]}" if by else ""
        verdict = Verdict.WORSE if worse else Verdict.AS_GOOD
        texts = [goal.text for goal in self._goals if not holds(trace, goal)]
        known = "possible, but the answer is better" if worse else "possible, and not worse"
        tree = Branch(f"{texts[-1]}: {known}{gain}")
        tree.below = [*self._changes(found), *self._weighed(lost, gained)]
        return WhyNot(verdict, self._wanted, texts[-1], tree, by, instead, lost, gained)

    def _terms(self, found: Found) -> tuple[Term, ...]:
        """The terms of the objective in another answer."""
        probes = [probe for probe in self._trace.reified.probes if probe.kind is Kind.OBJECTIVE]
        names = {name for probe in probes for name in _used(probe)}
        atoms = [atom for atom in texts(found.true) if atom.name in names]
        return terms(self._trace.reified.weigh(atoms))

    def _changes(self, found: Found) -> Iterator[Branch]:
        trace = self._trace
        kinds = {one.name for one in (ALIGNED, LABEL, SCORE, TAG, NOALI, ALIC)}
        ours = {atom for atom in trace.best.shown if atom.name in kinds}
        theirs = {atom for atom in found.shown if atom.name in kinds}
        come = sorted(told(trace, theirs - ours))
        gone = sorted(told(trace, ours - theirs))
        if come:
            yield Branch("would come", below=[Branch(text) for text in come])
        if gone:
            yield Branch("would go", below=[Branch(text) for text in gone])

    def _weighed(self, lost: Sequence[Term], gained: Sequence[Term]) -> Iterator[Branch]:
        for title, found in (("the objective would lose", lost), ("and gain", gained)):
            counted = [term for term in found if term.weight]
            if counted:
                branch = Branch(title)
                for term in counted[:_TERMS]:
                    firing = term.firings[0]
                    rule = firing.probe.rule
                    branch.below.append(
                        Branch(
                            self._trace.says(firing),
                            f"{rule.name} {rule.file}:{rule.line}, priority {term.priority}",
                            -term.weight,
                        )
                    )
                if len(counted) > _TERMS:
                    branch.below.append(Branch(f"… and {len(counted) - _TERMS} more"))
                yield branch


def _used(probe: Probe) -> Iterator[str]:
    for part in probe.body:
        for signature in predicates(part):
            yield signature.name


def _key(term: Term) -> tuple[int, int, tuple[Ground, ...]]:
    return term.priority, term.weight, term.terms
