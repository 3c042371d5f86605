"""What rules do in a pair: where they fired, what would be without them, what they are worth."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import msgspec
from clingo.ast import ASTType
from msgspec.structs import replace

from ists_asp import vocabulary as v
from ists_asp.errors import IstsError
from ists_asp.evaluate.scorer import IGNORED, Reference, Scores, evaluate
from ists_asp.model import Pair  # noqa: TC001 (msgspec reads the annotations)
from ists_asp.rules.catalogue import is_core
from ists_asp.syntax.changes import off
from ists_asp.syntax.ground import Atoms, Ground
from ists_asp.trace.decisions import DecisionKind, decided, decided_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.model import Alignment, Answer
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Best, Solver
    from ists_asp.solver.program import Program
    from ists_asp.trace.decisions import Decided
    from ists_asp.trace.grounding import RuleInstance
    from ists_asp.trace.trace import Trace


class Fired(msgspec.Struct, frozen=True):
    """What a rule says where it fired, of which tokens of both sentences, and their label."""

    sentence: str
    tokens: tuple[tuple[int, ...], ...]
    label: str
    lemma: str


class Effect(msgspec.Struct, frozen=True):
    """What rules did in a pair: ``instead`` is what would be decided without them.

    Where nothing would, ``lacks`` says by kind what is enough, in hundredths, for a decision that
    they weigh to be another one, or to be theirs: the least of all. ``silent`` says that they may
    restrain an answer without firing, as constraints do. With gold ``without`` has the measures
    without them; ``right`` and ``wrong`` count the decisions that would not be, by gold.
    """

    fired: tuple[Fired, ...] = ()
    instead: tuple[str, ...] = ()
    lacks: dict[str, int] = {}
    silent: bool = False
    without: Scores | None = None
    right: int = 0
    wrong: int = 0


class Looked(msgspec.Struct, frozen=True):
    """A pair, what rules did in it, and with gold its measures."""

    pair: Pair
    effects: dict[str, Effect]
    scores: Scores | None


class Worth(msgspec.Struct, frozen=True):
    """What rules are worth on gold pairs.

    ``changed`` says for how many pairs the measures are others without them, ``f1`` what they add
    to each over all pairs, by its official name, below 0 if they harm. ``right`` and ``wrong``
    count the decisions that would not be without them, by gold.
    """

    rule: str
    fires: int
    changed: int
    right: int
    wrong: int
    f1: dict[str, float]


def places(rules: RuleSet, names: Collection[str]) -> set[int]:
    """The places of the rules that have one of some names."""
    each = enumerate(zip(rules.statements, rules.rules, strict=True))
    kinds = (ASTType.Rule, ASTType.Minimize)
    return {place for place, (node, one) in each if one.name in names and node.ast_type in kinds}


def triable(rules: RuleSet, program: Program) -> tuple[list[str], list[str]]:
    """The rules with a name, but for the core encoding's, and those among them that are tables.

    Tables are the same for all pairs, so that it would take long to have a switch for each.
    """
    open_ = {id(node) for node in program.statements}
    each: dict[str, None] = {}
    once: dict[str, None] = {}
    for node, rule in zip(rules.statements, rules.rules, strict=True):
        if rule.sentence is not None and not is_core(rule):
            (each if id(node) in open_ else once)[rule.name] = None
    return list(each), [name for name in once if name not in each]


def look(
    trace: Trace,
    groups: Mapping[str, Collection[str]],
    switched: Callable[[], Solver[Answer]],
    gold: Reference | None = None,
    *,
    near: bool = True,
) -> Looked:
    """What rules did in a pair, by what groups of them are called.

    Args:
        trace: the answer to the pair.
        groups: the names of rules.
        switched: gives a solver that has a switch for each of them.
        gold: the alignments of the pair, if they are known.
        near: whether to look for what the nearest decision lacks.
    """
    firings, facts = _Firings(trace), Atoms.of(trace.facts)
    found: dict[str, Effect] = {}
    tried: dict[str, Sequence[Symbol]] = {}
    for name, group in groups.items():
        without = places(trace.reified.rules, group)
        fired = tuple(dict.fromkeys(_fired(trace, one) for one in firings.of(group)))
        silent = not trace.reified.restraining[1].isdisjoint(without)
        found[name] = Effect(fired, silent=silent)
        if fired or silent:
            tried[name] = facts.with_more(map(off, without))
    others = _others(trace.answer.pair, list(tried.values()), switched)
    for name, other in zip(tried, others, strict=True):
        found[name] = _compared(trace, found[name], other, gold, near=near)
    scores = None if gold is None else _measured(gold, trace.answer.alignments)
    return Looked(trace.answer.pair, found, scores)


def _others(
    pair: Pair, tried: Sequence[Sequence[Symbol]], switched: Callable[[], Solver[Answer]]
) -> Iterator[Best[Answer] | None]:
    """The best answers to a pair by different facts, several at a time; None if there is none."""
    done = 0
    while done < len(tried):
        with suppress(IstsError):
            for best in switched().best_of_all((pair, facts) for facts in tried[done:]):
                done += 1
                yield best
            return
        done += 1
        yield None


def _compared(
    trace: Trace, effect: Effect, other: Best[Answer] | None, gold: Reference | None, *, near: bool
) -> Effect:
    """An effect with the best answer that there is without the rules."""
    ours, theirs = decided(trace.answer), {} if other is None else decided(other.answer)
    instead, lacks = tuple(text for key, text in theirs.items() if key not in ours), {}
    if other is None:
        instead = ("there is no answer",)
    elif not instead:
        instead = tuple(f"not: {text}" for key, text in ours.items() if key not in theirs)
        if near and not instead:
            lacks = _least({*margins(trace).items()} ^ {*margins(trace, other).items()})
    found = replace(effect, instead=instead, lacks=lacks)
    if gold is None:
        return found
    known = {_counted(one, gold.pair) for one in decided_lines(gold.alignments)}
    due = [one for one in ours if one not in theirs and one[0] != DecisionKind.BOUNDARY]
    right = sum(_counted(one, gold.pair) in known for one in due)
    lines = () if other is None else other.answer.alignments
    return replace(found, without=_measured(gold, lines), right=right, wrong=len(due) - right)


def _counted(one: Decided, pair: Pair) -> Decided:
    """A decision without the tokens that the official measures ignore."""
    kind, *sides, value = one
    tokens1, tokens2 = (
        tuple(
            token
            for token in tokens
            if token > len(sentence.tokens) or sentence.tokens[token - 1].form not in IGNORED
        )
        for tokens, sentence in zip(sides, (pair.sent1, pair.sent2), strict=True)
    )
    return kind, tokens1, tokens2, value


def _measured(gold: Reference, lines: tuple[Alignment, ...]) -> Scores:
    return evaluate({gold.pair.id: gold}, {gold.pair.id: Reference(gold.pair, lines)}).overall


def worth(name: str, found: Sequence[Looked]) -> Worth:
    """What rules are worth over pairs that gold has."""
    total, less, changed, did = Scores(), Scores(), 0, list[Effect]()
    for one in found:
        if one.scores is not None:
            did.append(one.effects[name])
            without = did[-1].without or one.scores
            total, less = total + one.scores, less + without
            changed += without != one.scores
    named = zip(total.named(), less.named(), strict=True)
    return Worth(
        name,
        sum(len(one.fired) for one in did),
        changed,
        sum(one.right for one in did),
        sum(one.wrong for one in did),
        {measure: round(full.f1 - rest.f1, 6) for (measure, full), (_, rest) in named},
    )


def verdict(effects: Sequence[Effect]) -> str:
    """What rules did in some pairs, in a line."""
    fired = [one for each in effects for one in each.fired]
    changed = sum(len(each.instead) for each in effects)
    what = "link" if all(all(one.tokens) for one in fired) else "place"
    found = [f"fired for {len(fired)} {what}{'s' * (len(fired) != 1)}"] if fired else []
    if not fired and not any(each.silent for each in effects):
        return "never fired"
    if changed:
        return ", ".join([*found, f"changed {changed} decision{'s' * (changed > 1)}"])
    least = _least(((kind,), by) for each in effects for kind, by in each.lacks.items())
    nearest = [", ".join(f"the nearest {kind} lacks {by}" for kind, by in least.items())]
    return "; ".join([", ".join([*found, "changed none"]), *filter(None, nearest)])


def _least(found: Iterable[tuple[tuple[str, ...], int]]) -> dict[str, int]:
    """The least of each kind."""
    ordered = sorted(((key[0], by) for key, by in found), reverse=True)
    return dict(reversed(dict(ordered).items()))


class _Firings:
    """What fired in a pair, by rule."""

    def __init__(self, trace: Trace) -> None:
        self._each = self._by_rule(chain(trace.firings.deriving, trace.firings.objective))
        self._once = self._by_rule(trace.tables.deriving)

    @staticmethod
    def _by_rule(firings: Iterable[RuleInstance]) -> Mapping[str, list[RuleInstance]]:
        found = defaultdict(list)
        for one in firings:
            found[one.probe.rule.name].append(one)
        return found

    def of(self, names: Collection[str]) -> Sequence[RuleInstance]:
        """Where rules fired; of what is the same for all pairs, what rests on it."""
        if found := [one for name in names for one in self._each.get(name, ())]:
            return found
        known = {one.head for name in names for one in self._once.get(name, ())}
        more = known
        while more:
            tables = chain.from_iterable(self._once.values())
            more = {one.head for one in tables if known & {*one.positive}} - known
            known |= more
        every = chain.from_iterable(self._each.values()) if known else ()
        return [one for one in every if known & {*one.positive}]


def _fired(trace: Trace, firing: RuleInstance) -> Fired:
    about, both = trace.words.about, (1, 2)
    near = about(firing.head) or set().union(*map(about, firing.positive))
    tokens = tuple(tuple(sorted(one for side, one in near if side == at)) for at in both)
    pair, label = trace.answer.pair, "not aligned"
    for line in trace.answer.alignments:
        sides = zip(tokens, (line.tokens1, line.tokens2), strict=True)
        if all(not ours or {*ours} & {*its} for ours, its in sides):
            label = str(line.label)
    lemmas = [
        " ".join(word.lemma for one in some for word in sentence.tokens[one - 1].words)
        for sentence, some in zip((pair.sent1, pair.sent2), tokens, strict=True)
    ]
    return Fired(trace.says(firing), tokens, label, " ~ ".join(filter(None, lemmas)))


def margins(
    trace: Trace, best: Best[Answer] | None = None, *, barred: bool = False
) -> Mapping[tuple[str, ...], int]:
    """By how much decisions of an answer, that of the trace by default, are ahead of others.

    The keys are the others: alignments, labels and scores, also those that hard rules or the lack
    of a licence bar where ``barred`` says so. An alignment that is not there lacks what those
    weigh that it excludes, each token counted.
    """
    own = (best or trace.best).atoms

    def atoms(predicate: v.Predicate) -> list[tuple[Ground, ...]]:
        every = (one.arguments for one in own.get(predicate.name, ()))
        return [parts for parts in every if len(parts) == predicate.arity]

    aligned = {one: trace.words.about(Ground(v.ALIGNED.text(*one))) for one in atoms(v.ALIGNED)}
    counts = {one[:2]: int(one[2]) for one in atoms(v.TOKEN_COUNT)}
    weights = {one[:2]: int(one[2]) * counts.get(one[:2], 1) for one in atoms(v.ALIGN_WEIGHT)}
    found: dict[tuple[str, ...], int] = {}
    for pair in weights if barred else weights.keys() - {*atoms(v.FORBIDDEN_PAIR)}:
        tokens = trace.words.about(Ground(v.ALIGNED.text(*pair)))
        rivals = (one for one in aligned if one != pair and aligned[one] & tokens)
        by = weights[pair] - sum(weights.get(one, 0) for one in rivals)
        found["alignment", *pair] = abs(by) // counts.get(pair, 1)
    labels = {one[:2]: one[2] for one in atoms(v.LABEL)}
    worths = Counter({one[:3]: int(one[3]) for one in atoms(v.LABEL_WEIGHT)})
    possible = {one[:3] for one in atoms(v.LICENSED)} - {*atoms(v.FORBIDDEN_LABEL)}
    for x, y, label in worths if barred else possible:
        if (chosen := labels.get((x, y), label)) != label:
            found["label", x, y, label] = worths[x, y, chosen] - worths[x, y, label]
    for x, y, label, score, distance in atoms(v.SCORE_WEIGHT):
        if labels.get((x, y)) == label and distance != "0":
            found["score", x, y, score] = -int(distance)
    return found
