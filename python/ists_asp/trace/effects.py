"""Effects of rules in a pair: where they fired, what would be without them, what they are worth.

What forbids, and what is weighed beside the evidence, leaves no trace in the sums of a decision.
So the pair is decided once more with rules switched off; where the decision is another one then,
they are a reason. For a decision that no answer has, all constraints but one are switched off.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from clingo.ast import ASTType
from msgspec.structs import replace

from ists_asp import vocabulary as v
from ists_asp.errors import IstsError, UnsatisfiableError
from ists_asp.evaluate.scorer import IGNORED, Reference, Scores, evaluate
from ists_asp.model import Pair
from ists_asp.rules.catalogue import HARD, is_core
from ists_asp.syntax.ground import Atoms, Ground
from ists_asp.syntax.trees import off
from ists_asp.trace.decisions import DecisionKind, RulePlace, decided, decided_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.model import Alignment, Answer, Sentence
    from ists_asp.rules import NamedRule, RuleSet
    from ists_asp.solver import Best, Solver
    from ists_asp.solver.grounder import PreparedRules
    from ists_asp.trace.decisions import Decided, Decision
    from ists_asp.trace.grounding import RuleInstance
    from ists_asp.trace.trace import Trace

MOST = 20  # rules that are tried at most


class Restraint(msgspec.Struct, frozen=True):
    """A rule without which decisions would be others: its words, its place, what would be."""

    sentence: str
    rule: RulePlace
    instead: tuple[str, ...]


class Fired(msgspec.Struct, frozen=True):
    """A firing of a rule: its sentence, the tokens of both sentences, and their label."""

    sentence: str
    tokens: tuple[tuple[int, ...], ...]
    label: str
    lemma: str


class Effect(msgspec.Struct, frozen=True):
    """The effect of rules in a pair."""

    fired: tuple[Fired, ...] = ()
    instead: tuple[str, ...] = ()  # what would be decided without them
    # By kind the least that makes a decision another one, or theirs, where nothing else would be.
    lacks: dict[str, int] = {}
    silent: bool = False  # they may restrain an answer without firing, as constraints do
    without: Scores | None = None  # the measures without them, with gold
    right: int = 0  # decisions that would not be, by gold
    wrong: int = 0  # the same that are wrong


class Looked(msgspec.Struct, frozen=True):
    """A pair, what rules did in it, and with gold its measures."""

    pair: Pair
    effects: dict[str, Effect]
    scores: Scores | None = None
    near: list[str] = []  # what fires in none of the pairs, and comes near in this one first


class Worth(msgspec.Struct, frozen=True):
    """The worth of rules on gold pairs."""

    rule: str
    fires: int
    changed: int  # pairs whose measures are others without them
    right: int  # decisions that would not be without them, by gold
    wrong: int  # the same that are wrong
    f1: dict[str, float]  # what they add to each measure over all pairs; below 0 if they harm


def places(rules: RuleSet, names: Collection[str]) -> set[int]:
    """The places of the rules with these names."""
    pairs = enumerate(rules.both)
    kinds = (ASTType.Rule, ASTType.Minimize)
    return {place for place, (node, rule) in pairs if rule.name in names and node.ast_type in kinds}


def triable(rules: RuleSet, program: PreparedRules) -> tuple[list[str], list[str]]:
    """The rules with a name, but for the core encoding's, and those among them that are tables."""
    # Tables are the same for all pairs, so that it would take long to have a switch for each.
    open_ = {id(node) for node in program.statements}
    per_pair: dict[str, None] = {}
    once: dict[str, None] = {}
    for node, rule in rules.both:
        if rule.sentence is not None and not is_core(rule):
            (per_pair if id(node) in open_ else once)[rule.name] = None
    return list(per_pair), [name for name in once if name not in per_pair]


def look(
    traces: Sequence[Trace],
    groups: Mapping[str, Collection[str]],
    switched: Callable[[], Solver[Answer]],
    gold: Mapping[str, Reference] = MappingProxyType({}),
    *,
    near: bool = True,
) -> Iterator[Looked]:
    """The effects of ``groups`` of rules in each pair, by their names.

    ``switched`` gives a solver with a switch for each of the rules, ``gold`` has the alignments of
    pairs by their ids, ``near`` says whether to look for what the nearest decision lacks.
    """
    tried: list[tuple[Trace, Collection[int]]] = []
    effects: list[dict[str, Effect]] = [{} for _ in traces]
    rules = traces[0].reified.rules if traces else None
    places_of = {name: places(rules, group) for name, group in groups.items()} if rules else {}
    for trace, its in zip(traces, effects, strict=True):
        for name, group in groups.items():
            fired = places_fired(trace, group)
            silent = not trace.reified.restraining[1].isdisjoint(places_of[name])
            its[name] = Effect(fired, silent=silent)
            if fired or silent:
                tried.append((trace, places_of[name]))
    others = _without(tried, switched)
    for trace, its in zip(traces, effects, strict=True):
        pair = trace.answer.pair
        reference = gold.get(pair.id)
        for name, effect in its.items():
            if effect.fired or effect.silent:
                its[name] = _compared(trace, effect, next(others), reference, near=near)
        lines = trace.answer.alignments
        yield Looked(pair, its, None if reference is None else _measured(reference, lines))


def _without(
    tried: Iterable[tuple[Trace, Collection[int]]], switched: Callable[[], Solver[Answer]]
) -> Iterator[Best[Answer] | IstsError]:
    """The best answers to pairs without the rules at some places, or why there is none."""
    questions = [
        (trace.answer.pair, Atoms.of(trace.facts).with_more(map(off, places)))
        for trace, places in tried
    ]
    done = 0
    while done < len(questions):
        try:
            for best in switched().best_of_all(questions[done:]):
                done += 1
                yield best
        except IstsError as error:
            done += 1
            yield error


def _compared(
    trace: Trace,
    effect: Effect,
    other: Best[Answer] | IstsError,
    gold: Reference | None,
    *,
    near: bool,
) -> Effect:
    language, lacks = trace.reified.rules.language, dict[str, int]()
    ours = decided(trace.answer, language)
    theirs: Mapping[Decided, str] = {}
    lines: tuple[Alignment, ...] = ()
    if isinstance(other, IstsError):
        unsolvable = isinstance(other, UnsatisfiableError)
        instead = [trace.tell("there is no answer") if unsolvable else other.found]
    else:
        theirs, lines = decided(other.answer, language), other.answer.alignments
        instead = [text for key, text in theirs.items() if key not in ours]
        gone = [trace.tell("not: {text}", text=ours[key]) for key in ours if key not in theirs]
        instead = instead or gone
        if near and not instead:
            changed = {*margins(trace).items()} ^ {*margins(trace, other).items()}
            lacks = _least((key, by) for key, by in changed if by >= 0)
    compared = replace(effect, instead=tuple(instead), lacks=lacks)
    if gold is None:
        return compared
    correct = {_counted(decision, gold.pair) for decision in decided_lines(gold.alignments)}
    due = [key for key in ours if key not in theirs and key[0] != DecisionKind.BOUNDARY]
    right = sum(_counted(decision, gold.pair) in correct for decision in due)
    return replace(compared, without=_measured(gold, lines), right=right, wrong=len(due) - right)


def _counted(decision: Decided, pair: Pair) -> Decided:
    """A decision without the tokens that the official measures ignore."""

    def counted(tokens: tuple[int, ...], sentence: Sentence) -> tuple[int, ...]:
        ignored = {token.index for token in sentence.tokens if token.form in IGNORED}
        return tuple(token for token in tokens if token not in ignored)

    kind, tokens1, tokens2, value = decision
    return kind, counted(tokens1, pair.sent1), counted(tokens2, pair.sent2), value


def _measured(gold: Reference, lines: tuple[Alignment, ...]) -> Scores:
    return evaluate({gold.pair.id: gold}, {gold.pair.id: Reference(gold.pair, lines)}).overall


def worth(name: str, pairs: Sequence[Looked]) -> Worth:
    """The worth of rules over the pairs that gold has."""
    total, less, fires, changed, right, wrong = Scores(), Scores(), 0, 0, 0, 0
    for looked in pairs:
        if looked.scores is not None:
            effect = looked.effects[name]
            without = effect.without or looked.scores
            total, less = total + looked.scores, less + without
            changed += without != looked.scores
            fires += len(effect.fired)
            right, wrong = right + effect.right, wrong + effect.wrong
    named = zip(total.named(), less.named(), strict=True)
    f1 = {measure: round(full.f1 - rest.f1, 6) for (measure, full), (_, rest) in named}
    return Worth(name, fires, changed, right, wrong, f1)


def verdict(effects: Sequence[Effect]) -> str:
    """The effects of rules in some pairs, in a line."""
    fired = [firing for effect in effects for firing in effect.fired]
    changed = sum(len(effect.instead) for effect in effects)
    noun = "link" if all(all(firing.tokens) for firing in fired) else "place"
    parts = [f"fired for {len(fired)} {noun}{'s' * (len(fired) != 1)}"] if fired else []
    if not fired and not any(effect.silent for effect in effects):
        return "never fired"
    if changed:
        return ", ".join([*parts, f"changed {changed} decision{'s' * (changed > 1)}"])
    least = _least(((kind,), by) for effect in effects for kind, by in effect.lacks.items())
    nearest = ", ".join(f"the nearest {kind} is short by {by}" for kind, by in least.items())
    return ", ".join([*parts, "changed none"]) + (nearest and f"; {nearest}")


def _least(lacks: Iterable[tuple[tuple[str, ...], int]]) -> dict[str, int]:
    ordered = sorted(((key[0], by) for key, by in lacks), reverse=True)
    return dict(reversed(dict(ordered).items()))


def with_said(effects: Mapping[str, Effect], explained: Mapping[str, Effect]) -> dict[str, Effect]:
    """Effects in an answer, and what is said otherwise without rules that change no decision."""
    unsaid = Effect()
    changes = {
        name: effect
        for name, effect in effects.items()
        if effect.instead or not explained.get(name, unsaid).instead
    }
    return {**explained, **changes}


def places_fired(trace: Trace, names: Collection[str]) -> tuple[Fired, ...]:
    """Where rules fired, each place once, in the order of the words."""
    fired = {_fired(trace, firing) for firing in _firings(trace, names)}
    return tuple(sorted(fired, key=lambda firing: (firing.tokens, firing.sentence)))


def _firings(trace: Trace, names: Collection[str]) -> Sequence[RuleInstance]:
    """Where rules fired; of what is the same for all pairs, what rests on it."""
    per_pair, once = trace.firings.by_rule, trace.tables.by_rule
    if firings := [firing for name in names for firing in per_pair.get(name, ())]:
        return firings
    resting = added = {firing.head for name in names for firing in once.get(name, ())}
    while added:
        deriving = trace.tables.deriving
        added = {firing.head for firing in deriving if resting & {*firing.positive}} - resting
        resting |= added
    paired = chain.from_iterable(per_pair.values()) if resting else ()
    return [firing for firing in paired if resting & {*firing.positive}]


def _fired(trace: Trace, firing: RuleInstance) -> Fired:
    about, both = trace.words.about, (1, 2)
    places = about(firing.head) or set().union(*map(about, firing.positive))
    tokens = tuple(tuple(sorted(token for side, token in places if side == n)) for n in both)
    pair, label = trace.answer.pair, "not aligned"
    for line in trace.answer.alignments:
        sides = zip(tokens, line.sides, strict=True)
        if all(not ours or {*ours} & {*its} for ours, its in sides):
            label = str(line.label)
    lemmas = [
        " ".join(word.lemma for index in indices for word in sentence.tokens[index - 1].words)
        for sentence, indices in zip(pair.sentences, tokens, strict=True)
    ]
    return Fired(trace.says(firing), tokens, label, " ~ ".join(filter(None, lemmas)))


def margins(
    trace: Trace, best: Best[Answer] | None = None, *, barred: bool = False
) -> Mapping[tuple[str, ...], int]:
    """By how much decisions of an answer, that of the trace by default, are ahead of others.

    The keys are the others, barred ones only if ``barred``. An alignment that is not there lacks
    what those weigh that it excludes, each token counted.
    """

    def atoms(predicate: v.Predicate) -> list[tuple[Ground, ...]]:
        answer_atoms = (best or trace.best).atoms.get(predicate.name, ())
        return [atom.arguments for atom in answer_atoms if len(atom.arguments) == predicate.arity]

    aligned = {atom: trace.words.about(Ground(v.ALIGNED.text(*atom))) for atom in atoms(v.ALIGNED)}
    counts = {atom[:2]: int(atom[2]) for atom in atoms(v.TOKEN_COUNT)}
    weights = {atom[:2]: int(atom[2]) * counts.get(atom[:2], 1) for atom in atoms(v.ALIGN_WEIGHT)}
    leads: dict[tuple[str, ...], int] = {}
    for pair in weights if barred else weights.keys() - {*atoms(v.FORBIDDEN_PAIR)}:
        tokens = trace.words.about(Ground(v.ALIGNED.text(*pair)))
        rivals = (rival for rival in aligned if rival != pair and aligned[rival] & tokens)
        by = weights[pair] - sum(weights.get(rival, 0) for rival in rivals)
        leads["alignment", *pair] = (by if pair in aligned else -by) // max(1, counts.get(pair, 1))
    labels = {atom[:2]: atom[2] for atom in atoms(v.LABEL)}
    worths = Counter({atom[:3]: int(atom[3]) for atom in atoms(v.LABEL_WEIGHT)})
    possible = {atom[:3] for atom in atoms(v.LICENSED)} - {*atoms(v.FORBIDDEN_LABEL)}
    for x, y, label in worths if barred else possible:
        if (chosen := labels.get((x, y), label)) != label:
            leads["label", x, y, label] = worths[x, y, chosen] - worths[x, y, label]
    for x, y, label, score, distance in atoms(v.SCORE_WEIGHT):
        if labels.get((x, y)) == label and distance != "0":
            leads["score", x, y, score] = -int(distance)
    return leads


def restraints(
    trace: Trace, decisions: Sequence[Decision] | None = None, absent: Collection[Decided] = ()
) -> tuple[Restraint, ...]:
    """The hard rules and constraints that changed ``decisions``, or prevented ``absent`` ones."""
    ours = decided(trace.answer)
    wanted = ours.keys() if decisions is None else {decision.decided for decision in decisions}
    changes = []
    for rule, theirs in changing(trace, islice(bearing(trace), MOST)):
        about = (wanted - theirs.keys()) | (theirs.keys() & absent)
        if about or decisions is None:
            instead = tuple(text for key, text in theirs.items() if key not in ours)
            sides = {line[1:3] for line in about}
            about |= {line for line in theirs.keys() - ours.keys() if line[1:3] in sides}
            sentence = sentence_of(trace, rule, about)
            changes.append(Restraint(sentence, RulePlace.of(rule), instead))
    return tuple(changes)


def bearing(trace: Trace) -> Iterator[tuple[int, NamedRule]]:
    """The rules that may have restrained the answer, with their places among the statements."""
    heads = ((firing.head, firing.probe.rule.name) for firing in trace.firings.deriving)
    fired = {name for head, name in heads if (head.name, len(head.arguments)) in HARD}
    restraining, unconditional = trace.reified.restraining
    for place in sorted(restraining | unconditional):
        rule = trace.reified.rules.rules[place]
        if not is_core(rule) and (place in unconditional or rule.name in fired):
            yield place, rule


def changing(
    trace: Trace, tried: Iterable[tuple[int, NamedRule]]
) -> Iterator[tuple[NamedRule, Mapping[Decided, str]]]:
    """Of rules with their places those without which others are decided, with these decisions."""
    rules, language = list(tried), trace.reified.rules.language
    ours = decided(trace.answer, language)
    others = _without([(trace, [place]) for place, _ in rules], lambda: trace.reified.switched)
    for (_, rule), other in zip(rules, others, strict=True):
        # No answer without the rule says nothing about it.
        if not isinstance(other, IstsError) and (theirs := decided(other.answer, language)) != ours:
            yield rule, theirs


def sentence_of(trace: Trace, rule: NamedRule, about: Iterable[Decided] = ()) -> str:
    """The sentence of a rule where it fired, best about ``about``: its tokens, then its labels."""
    about = [*about]
    sides = [(side, line[side]) for line in about for side in (1, 2)]
    wanted = {(side, token) for side, tokens in sides for token in tokens}
    values = {line[3].lower() for line in about}

    def fits(firing: RuleInstance) -> tuple[int, int]:
        head = firing.head
        return len(wanted & trace.words.about(head)), len(values.intersection(head.arguments))

    if fired := [firing for firing in trace.firings.deriving if firing.probe.rule is rule]:
        return trace.says(max(fired, key=fits))
    return rule.sentence or " ".join(rule.text.split())


def forbidding(trace: Trace, wanted: Sequence[tuple[Symbol, bool]]) -> list[NamedRule]:
    """The constraints of which each leaves no answer with some atoms, or all do together.

    None does if there is no answer without them either: no rule derives the atoms then.
    """
    rules, (restraining, _) = trace.reified.rules, trace.reified.restraining
    places = (place for place in restraining if not is_core(rules.rules[place]))
    bars = {place for place in places if str(rules.statements[place]).startswith((":-", "#f"))}

    def leaves(off_: Iterable[int]) -> bool:
        facts = Atoms.of(trace.facts).with_more(map(off, off_))
        return trace.reified.switched.with_atoms(facts, wanted)[0] is not None

    if not bars or not leaves(bars):
        return []
    alone = [place for place in sorted(bars) if not leaves(bars - {place})]
    return [rules.rules[place] for place in alone or sorted(bars)]
