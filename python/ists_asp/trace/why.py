"""Why a decision was taken, and why another one was not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from html import escape
from itertools import chain

from clingo import parse_term
from msgspec import to_builtins

from ists_asp import vocabulary as v
from ists_asp.errors import TimeLimitError, UsageError
from ists_asp.lang import by_degree
from ists_asp.model import Answer
from ists_asp.resources import gc_paused
from ists_asp.solver.search import AnswerSet
from ists_asp.syntax.ground import Ground, texts
from ists_asp.syntax.trees import ANY
from ists_asp.trace import questions
from ists_asp.trace.contrast import Contrast, Contrasted, beside
from ists_asp.trace.decisions import Decided, Decision, DecisionKind, RulePlace, decisions, in_words
from ists_asp.trace.effects import Restraint, forbidding, margins, restraints, sentence_of
from ists_asp.trace.grounding import ground_probes
from ists_asp.trace.near_misses import NearMisses
from ists_asp.trace.questions import Goal
from ists_asp.trace.rendering import Branch, Grower, render
from ists_asp.trace.trace import Trace
from ists_asp.vocabulary import Predicate

_ATOMS = 10  # atoms that are told unless all are asked for


class _Text:
    """A reply as text, for terminals and notebooks."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """Trees as text."""

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


@dataclass(frozen=True, repr=False)
class Why(_Text):
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

    def __repr__(self) -> str:
        return f"<Why {self.question!r}>"

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """A contrast for each decision."""
        return tuple(Contrasted(self.trace, decision).contrast for decision in self.decisions)

    def text(self, *, depth: int = 2, everything: bool = False) -> str:
        """Trees, as ``ists-asp trace`` has them."""
        tell = self.trace.tell
        trees = [
            Grower(self.trace, depth, everything=everything).decision(decision)
            for decision in self.decisions
        ]
        for restraint in self.restraints:
            without = [Branch(tell("without it {text}", text=text)) for text in restraint.instead]
            text = tell("because of a hard rule or constraint: {text}", text=restraint.sentence)
            trees.append(Branch(text, str(restraint.rule), below=without))
        trees += self.absent
        limit = len(self.atoms) if everything else _ATOMS
        trees += [self._tree(atom, depth, everything=everything) for atom in self.atoms[:limit]]
        if len(self.atoms) > limit:
            trees.append(Branch(tell("… and {n} more atoms, see --all", n=len(self.atoms) - limit)))
        return "\n\n".join("\n".join(render(tree)) for tree in trees) + "\n"

    def to_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "pair": self.trace.answer.pair.id,
            "question": self.question,
            "decisions": to_builtins(self.contrasts),
            "absent": to_builtins(self.absent),
            "restraints": to_builtins(self.restraints),
            "atoms": [to_builtins(self._tree(atom, 3, everything=True)) for atom in self.atoms],
        }

    def _tree(self, atom: Ground, depth: int, *, everything: bool) -> Branch:
        reasons = Grower(self.trace, depth, everything=everything).atom(atom)
        return Branch(str(self.trace.words.atom(atom)), str(atom), below=reasons)


def why(trace: Trace, nearest: NearMisses, *phrases: str) -> Why:
    """Why a decision of the answer was taken; see :mod:`ists_asp.trace.questions`."""
    question = questions.by_numbers(phrases, trace.answer)
    if questions.is_rating(question):
        if trace.rating is None:
            where = f"decision '{DecisionKind.RATING}'"
            hint = "Choose a profile with rules for ratings, such as sts-en"
            raise UsageError("the answer is not rated", where=where, hint=hint)
        return Why(trace.rating, str(DecisionKind.RATING), decisions(trace.rating))
    if questions.is_atom_question(question):
        matching = questions.agreeing(questions.read_atom(question, trace), trace)
        if not matching:
            hint = "Ask ists-asp why-not"
            raise UsageError("the answer has no such atom", where=f"atom '{question}'", hint=hint)
        return Why(trace, question, atoms=matching)
    read = questions.read_question(question, trace.answer)
    wanted = questions.goals(trace, read)
    if failing := [goal for goal in wanted if not questions.holds(trace, goal)]:
        fault, where = f"the answer does not have this: {failing[0].text}", f"decision '{question}'"
        raise UsageError(fault, where=where, hint="Ask ists-asp why-not")
    atoms = {goal.atom for goal in wanted if goal.true}
    kinds = {DecisionKind.BOUNDARY} if read.side else {*DecisionKind} - {DecisionKind.BOUNDARY}
    of_kind = [decision for decision in decisions(trace) if decision.kind in kinds]
    chosen = [decision for decision in of_kind if decision.atom in atoms]
    if not read.side and read.label is None:
        # An alignment with its label, score and tags.
        sides = {(decision.tokens1, decision.tokens2) for decision in chosen}
        chosen = [decision for decision in of_kind if (decision.tokens1, decision.tokens2) in sides]
    else:
        # A question that names the label takes the alignment for granted.
        aligned = [decision for decision in chosen if decision.kind is DecisionKind.ALIGN]
        chosen = [decision for decision in chosen if decision not in aligned] or chosen
    absent: list[Branch] = []
    # Only boundaries may be wanted not to be there.
    without: set[Decided] = set()
    for goal in wanted:
        if not goal.true:
            absent.append(Branch(goal.text, below=nearest.explain(goal.atom, 2)))
            side, token = (part.number for part in goal.atom.arguments)
            tokens = ((token,), ()) if side == 1 else ((), (token,))
            without.add((DecisionKind.BOUNDARY, *tokens, ""))
    return Why(trace, question, tuple(chosen), tuple(absent), restraints(trace, chosen, without))


_PER_TOKEN = "short by {n} per token"
_FARTHER = "{n} hundredths farther off"
_STANDING = {
    v.ALIGNED.name: ("alignment", v.FORBIDDEN_PAIR, v.ALIGN_WEIGHT, _PER_TOKEN),
    v.LABEL.name: ("label", v.FORBIDDEN_LABEL, v.LABEL_WEIGHT, "short by {n}"),
    v.SCORE.name: ("score", v.FORBIDDEN_SCORE, v.CLOSENESS, _FARTHER),
}
"""Obstacles to a decision: what forbids it, what weighs more."""


class Verdict(StrEnum):
    """Why a decision was not taken.

    ``underivable``: no rule can derive it; ``certain``: the opposite holds in every answer;
    ``forbidden``: rules or constraints exclude it; ``worse``: it is possible, but the answer is
    better; ``as_good``: it is possible and not worse, which can only be where the search was
    stopped.
    """

    UNDERIVABLE = "underivable"
    CERTAIN = "certain"
    FORBIDDEN = "forbidden"
    WORSE = "worse"
    AS_GOOD = "as_good"


@dataclass(frozen=True, slots=True, repr=False)
class WhyNot(_Text):
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

    def __repr__(self) -> str:
        return f"<WhyNot {self.goal!r}: {self.verdict}>"

    def text(self) -> str:
        """The reason as a tree."""
        return "\n".join(render(self.tree)) + "\n"

    def to_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "verdict": str(self.verdict),
            "decision": self.goal,
            "by": [{"priority": priority, "gain": gain} for priority, gain in self.by],
            "tree": to_builtins(self.tree),
        }


def why_not(trace: Trace, nearest: NearMisses, *phrases: str) -> WhyNot:
    """Why a decision was not taken; see :mod:`ists_asp.trace.questions`."""
    question = questions.by_numbers(phrases, trace.answer)
    if questions.is_rating(question):
        where = f"decision '{DecisionKind.RATING}'"
        raise UsageError("a rating is a sum, and no choice", where=where, hint="Ask ists-asp why")
    if questions.is_atom_question(question):
        term = questions.read_atom(question, trace)
        if questions.agreeing(term, trace):
            where = f"atom '{question}'"
            raise UsageError("the answer has such an atom", where=where, hint="Ask ists-asp why")
        text = trace.words.atom(term)
        with gc_paused():
            below = nearest.explain(term)
        text = trace.tell("{atom}: nothing derives it in this answer", atom=text)
        tree = Branch(text, below=below)
        return WhyNot(Verdict.UNDERIVABLE, (), text, tree)
    read = questions.read_question(question, trace.answer)
    wanted = questions.goals(trace, read)
    if all(questions.holds(trace, goal) for goal in wanted):
        where = f"decision '{question}'"
        raise UsageError("the answer has this decision", where=where, hint="Ask ists-asp why")
    with gc_paused():
        return _Search(trace, nearest, question, wanted).answer()


class _Search:
    """Looks for the best answer with a decision, and for what is against it."""

    def __init__(
        self, trace: Trace, nearest: NearMisses, question: str, wanted: tuple[Goal, ...]
    ) -> None:
        self._trace, self._tell = trace, trace.tell
        self._nearest = nearest
        self._question = question
        self._goals = wanted
        self._wanted = tuple((goal.atom, goal.true) for goal in wanted)
        self._symbols = [(parse_term(goal.atom), goal.true) for goal in wanted]

    def answer(self) -> WhyNot:
        symbols = self._trace.best.control.symbolic_atoms
        for goal, (symbol, true) in zip(self._goals, self._symbols, strict=True):
            atom = symbols[symbol]
            bars = self._bars(goal.atom) if true else []
            if true and (atom is None or bars):
                below = self._obstacles(goal) or self._nearest.explain(goal.atom)
                verdict = Verdict.FORBIDDEN if bars else Verdict.UNDERIVABLE
                weighed = any(self._trace.beginning(v.ALIGN_WEIGHT, *goal.atom.arguments))
                # Of what it lacks, the rules that would give it.
                reasons = [part for branch in below[:1] if not branch.says for part in branch.below]
                says, form = "no rule can derive it", "None of this holds: {reasons}"
                if bars:
                    says, form, reasons = "rules forbid it", "{reasons}", below
                elif weighed:
                    says, form = "too little speaks for it", "What speaks for it: {reasons}"
                    parts = (
                        part for branch in below for line in branch.below for part in line.below
                    )
                    reasons = [part for part in parts if (part.weight or 0) > 0]
                return self._reply(verdict, goal, says, below, reasons, form)
            if not true and atom is not None and atom.is_fact:
                says = "the opposite holds in every answer"
                return self._reply(Verdict.CERTAIN, goal, says, self._obstacles(goal))
        best, unsatisfiable = self._search(len(self._goals))
        if best is not None:
            return self._compared(best)
        if not unsatisfiable:
            limit = self._trace.reified.solver.options.time_limit
            fault, where = f"no answer with it within {limit:g} s", f"decision '{self._question}'"
            raise TimeLimitError(fault, where=where, hint="Allow more time, or simplify the rules")
        return self._impossible()

    def _reply(
        self,
        verdict: Verdict,
        goal: Goal,
        says: str,
        below: list[Branch],
        reasons: Iterable[Branch] = (),
        form: str = "{reasons}",
    ) -> WhyNot:
        """A verdict in one sentence, and up to three ``reasons`` in another."""
        told = [branch.says for branch in reasons if branch.says][:3]
        in_words = by_degree(self._trace.reified.rules.language, "; ".join(told))
        sentences = [self._tell(says), *([self._tell(form, reasons=in_words)] if told else [])]
        tree = Branch(f"{goal.text}: {'. '.join(sentences)}", below=[*below, *self._others(goal)])
        return WhyNot(verdict, self._wanted, goal.text, tree)

    def _others(self, explained: Goal | None = None) -> Iterator[Branch]:
        for goal in self._goals:
            met = goal is explained or questions.holds(self._trace, goal)
            if below := [] if met else self._obstacles(goal):
                yield Branch(self._tell("in the way of {text}", text=goal.text), below=below)

    def _instead_of(self) -> Iterator[Branch]:
        """In one sentence, why an alignment has the label that it has."""
        labels = [goal.atom for goal in self._goals if goal.true and goal.atom.name == v.LABEL.name]
        for decision in decisions(self._trace) if labels else ():
            for label in labels:
                same_link = decision.atom.arguments[:2] == label.arguments[:2]
                if same_link and decision.kind is DecisionKind.LABEL and decision.atom != label:
                    contrasted = Contrasted(self._trace, decision, label.arguments[2])
                    yield Branch(contrasted.contrast.sentence)

    def _obstacles(self, goal: Goal) -> list[Branch]:
        """The obstacles of a goal: what forbids it, what it lacks, what weighs more."""
        trace, atom, words = self._trace, goal.atom, self._trace.words
        if not goal.true:
            return Grower(trace).atom(atom)
        branches: list[Branch] = []
        if atom.name in _STANDING:
            kind, _, weighs, lacking = _STANDING[atom.name]
            spans = atom.arguments[:2]
            start = atom.arguments[: 3 if atom.name == v.LABEL.name else 2]
            if not any(trace.beginning(v.PROPOSED, *spans)):
                # What a pair lacks that nothing proposes is a proposal, and no label.
                return self._missing(v.PROPOSED, spans, 1) if spans == atom.arguments else []
            branches += self._bars(atom)
            viable = start != spans and any(trace.beginning(v.VIABLE, *spans))
            if viable and not any(trace.beginning(v.LICENSED, *start)):
                branches += self._missing(v.LICENSED, start, 4)
            lacks = margins(trace, barred=True).get((kind, *atom.arguments), -1)
            if lacks >= 0:
                tokens = words.about(atom)
                rivals = [rival for rival in trace.atoms(atom.name) if words.about(rival) & tokens]
                below = [Branch(text) for text in in_words(trace, rivals)]
                if atom.name == v.SCORE.name:
                    # That of the label that is wanted, or else of the one that is there.
                    labels = [g.atom.arguments for g in self._goals if g.atom.name == v.LABEL.name]
                    wanted = [label for *pair, label in labels if (*pair,) == (*spans,)]
                    start = (*spans, *(wanted or filter(None, [trace.label_of(spans)])))
                for weighed in trace.beginning(weighs, *start):
                    below += Grower(trace, 1).atom(weighed)
                branches.append(Branch(self._tell(lacking, n=lacks), below=below))
        elif trace.best.control.symbolic_atoms[parse_term(atom)] is None:
            return self._nearest.explain(atom)
        return branches

    def _bars(self, atom: Ground) -> list[Branch]:
        """The rules that forbid a decision, or all labels of an alignment."""
        if atom.name not in _STANDING:
            return []
        bars = [*self._trace.beginning(_STANDING[atom.name][1], *atom.arguments)]
        if any(self._trace.beginning(v.NO_LABEL, *atom.arguments)):
            bars += self._trace.beginning(v.FORBIDDEN_LABEL, *atom.arguments)
        grown = (Grower(self._trace, 2, everything=True).atom(bar) for bar in bars)
        branches = chain.from_iterable(grown)
        # A rule that forbids several labels, or does so for several reasons, is named once.
        also, tell = self._tell("also: {text}", text=""), self._tell
        once = {(branch.text.removeprefix(also), branch.where): branch.below for branch in branches}
        return [
            Branch(tell("forbidden: {text}", text=text), at, below=below, says=text)
            for (text, at), below in once.items()
        ]

    def _missing(self, needs: Predicate, start: Sequence[Ground], depth: int) -> list[Branch]:
        wanted = Ground(needs.text(*start, *[ANY] * (needs.arity - len(start))))
        below = self._nearest.explain(wanted, depth)
        licence, proposal = "missing: a licence for {label}", "missing: a proposal of it"
        text = licence if needs is v.LICENSED else proposal
        return [Branch(self._tell(text, label=start[-1].upper()), below=below)]

    def _search(self, size: int) -> tuple[AnswerSet | None, bool]:
        return self._trace.reified.solver.with_atoms(self._trace.facts, self._symbols[:size])

    def _impossible(self) -> WhyNot:
        """The decision excludes itself: by constraints, or because no rule is left for it."""
        before: AnswerSet | None = None
        for size, goal in enumerate(self._goals, start=1):
            best, _ = self._search(size)
            if best is not None:
                before = best
                continue
            if reasons := forbidding(self._trace, self._symbols[:size]):
                told = [(sentence_of(self._trace, it), str(RulePlace.of(it))) for it in reasons]
                below = [Branch(text, place, says=text) for text, place in told]
                return self._reply(Verdict.FORBIDDEN, goal, "constraints forbid it", below, below)
            nearest = self._nearest
            if before is not None:
                true = texts(before.true)
                nearest = NearMisses(self._trace, ground_probes("", true, ()), frozenset(true))
            below = nearest.explain(goal.atom)
            says = "no rule can derive it together with the rest"
            return self._reply(Verdict.UNDERIVABLE, goal, says, below)
        raise AssertionError("a search for all goals failed, and one for the same succeeded")

    def _compared(self, best: AnswerSet) -> WhyNot:
        trace = self._trace
        other = beside(trace, best)
        by, instead = other.by, trace.reified.solver.answer(trace.answer.pair, best)
        worse = bool(by) and by[0][1] > 0
        summary = self._tell("possible, and not worse")
        for priority, gain in by[:worse]:
            objectives = {4: "in its alignments", 3: "in its labels", 2: "in its scores"}
            where = self._tell(objectives.get(priority, "at priority {n}"), n=priority)
            better = "possible, but the answer is better by {gain} {where}"
            summary = self._tell(better, gain=gain, where=where)
        text = [goal.text for goal in self._goals if not questions.holds(trace, goal)][-1]
        below = [*self._instead_of(), *self._others()]
        for title, atoms in (("would come", other.come), ("would go", other.gone)):
            changed = in_words(trace, (atom for atom in atoms if atom.name != v.BOUNDARY.name))
            if branches := list(map(Branch, sorted(changed))):
                below.append(Branch(self._tell(title), below=branches))
        verdict = Verdict.WORSE if worse else Verdict.AS_GOOD
        tree = Branch(f"{text}: {summary}", below=below)
        return WhyNot(verdict, self._wanted, text, tree, by, instead)
