"""What rules do in a pair: where they fired, and what would be decided without them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from ists_asp import vocabulary as v
from ists_asp.errors import IstsError
from ists_asp.syntax.changes import off
from ists_asp.syntax.ground import Atoms, Ground
from ists_asp.trace.decisions import decided

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ists_asp.model import Answer
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Best, Solver
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
    restrain an answer without firing, as constraints do.
    """

    fired: tuple[Fired, ...] = ()
    instead: tuple[str, ...] = ()
    lacks: dict[str, int] = {}
    silent: bool = False


def places(rules: RuleSet, names: Collection[str]) -> set[int]:
    """The places of the statements that have one of some names."""
    return {place for place, rule in enumerate(rules.rules) if rule.name in names}


def effect(trace: Trace, names: Collection[str], switched: Callable[[], Solver[Answer]]) -> Effect:
    """What rules did in a pair; ``switched`` gives a solver that has a switch for each."""
    fired = tuple(dict.fromkeys(_fired(trace, one) for one in _firings(trace, names)))
    without = places(trace.reified.rules, names)
    silent = not trace.reified.restraining[1].isdisjoint(without)
    if not fired and not silent:
        return Effect()
    facts = Atoms.of(trace.facts).with_more(map(off, without))
    with suppress(IstsError):
        other = switched().best(trace.answer.pair, facts)
        ours, theirs = decided(trace.answer), decided(other.answer)
        gone = (f"not: {text}" for key, text in ours.items() if key not in theirs)
        instead = tuple(text for key, text in theirs.items() if key not in ours) or tuple(gone)
        moved = {*margins(trace).items()} ^ {*margins(trace, other).items()}
        return Effect(fired, instead, {} if instead else _least(moved), silent)
    return Effect(fired, ("there is no answer",), {}, silent)


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


def _firings(trace: Trace, names: Collection[str]) -> Sequence[RuleInstance]:
    """Where rules fired; of what is the same for all pairs, what rests on it."""
    every = [*trace.firings.deriving, *trace.firings.objective]
    found = [one for one in every if one.probe.rule.name in names]
    tables = () if found else tuple(trace.tables.deriving)
    known = {one.head for one in tables if one.probe.rule.name in names}
    while more := {one.head for one in tables if known & {*one.positive}} - known:
        known |= more
    return found or [one for one in every if known & {*one.positive}]


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
