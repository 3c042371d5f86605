"""An order in which atoms that rest on one another are derived (A. B. Kahn, 1962)."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from ists_asp.syntax.ground import Ground


def levels(
    heads: Sequence[Ground], needed: Sequence[Set[Ground]]
) -> tuple[dict[Ground, int], set[int]]:
    """Derive atoms as early as possible.

    Args:
        heads: what each firing derives.
        needed: the atoms that must be derived before it.

    Returns:
        The level of each atom that can be derived, higher than those that it rests on, and the
        places of the firings that derive one at its level. Atoms that rest only on themselves
        have no level.
    """
    found: dict[Ground, int] = {}
    early: set[int] = set()
    waiting: dict[Ground, list[int]] = defaultdict(list)
    missing = [len(atoms) for atoms in needed]
    heights = [0] * len(heads)
    for number, atoms in enumerate(needed):
        for atom in atoms:
            waiting[atom].append(number)
    ready = deque(number for number, lacking in enumerate(missing) if not lacking)
    while ready:
        number = ready.popleft()
        head = heads[number]
        # What is ready comes in the order of its height.
        level = heights[number] + 1
        if head in found:
            if level == found[head]:
                early.add(number)
            continue
        found[head] = level
        early.add(number)
        for other in waiting.get(head, ()):
            missing[other] -= 1
            heights[other] = max(heights[other], level)
            if not missing[other]:
                ready.append(other)
    return found, early
