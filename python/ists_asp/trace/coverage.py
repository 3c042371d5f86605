"""Which rules fired in a run, and which of them disagreed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.trace.grounding import Grounding, RuleInstance
from ists_asp.vocabulary import MUST_JOIN, MUST_SPLIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.model import Pair
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.reified import ReifiedRules


@dataclass(frozen=True, slots=True)
class Coverage:
    """The names of the rules that fired, and those of the predicates that had atoms.

    ``clashes`` has the names of rules of which one began a chunk and the other joined it to the
    one before, at the same token; with an example, such as ``"of" in pair 12``.
    """

    fired: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    clashes: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def __or__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.fired | other.fired, self.seen | other.seen, {**other.clashes, **self.clashes}
        )


def coverage(
    reified: ReifiedRules, items: Iterable[tuple[Pair, Sequence[Symbol]]]
) -> Iterator[Coverage]:
    """Which of some rules fire for each pair, whether or not a decision rests on what fired.

    Args:
        reified: the rules that are asked about, and a solver of all rules.
        items: pairs with their facts.
    """
    shown = reified.rewritten(reified.solver.program)
    for best in reified.solver.best_of_all(items, lambda: shown.paired):
        rewritten, pair = reified.rewritten(best.program), best.answer.pair
        together = best.together
        control = rewritten.ground(best.atoms) if together is None else together.control
        grounding = Grounding(control, str, together)
        found = [
            RuleInstance(probe, parts, best.number)
            for looked_at, probes in ((grounding, rewritten.probes), (None, rewritten.once))
            for probe in probes
            for parts in (looked_at or rewritten.looked_at).firings(best.number, probe)
        ]
        sides: dict[str, dict[tuple[Ground, ...], list[str]]] = defaultdict(dict)
        for one in found:
            if one.head.name in (MUST_SPLIT.name, MUST_JOIN.name):
                names = sides[one.head.name].setdefault(one.head.arguments, [])
                names.append(one.probe.rule.name)
        clashes: dict[tuple[str, str], str] = {}
        for at, splits in sides[MUST_SPLIT.name].items():
            sentence = pair.sent1 if at[0] == "1" else pair.sent2
            example = f'"{sentence.words((int(at[1]),))}" in pair {pair.id}'
            joins = sides[MUST_JOIN.name].get(at, ())
            clashes |= {(split, join): example for split in splits for join in joins}
        fired = frozenset(one.probe.rule.name for one in found)
        yield Coverage(fired, frozenset(best.atoms) | rewritten.known_by_name.keys(), clashes)
