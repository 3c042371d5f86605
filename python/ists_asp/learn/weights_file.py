"""Weights as a rule file that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.learn.fit import Weight

__all__ = ["render_weights"]

_TITLES = {
    "boundary": "Chunk boundaries",
    "align": "Alignments",
    "equi": "EQUI",
    "oppo": "OPPO",
    "spe1": "SPE1",
    "spe2": "SPE2",
    "simi": "SIMI",
    "rel": "REL",
}


def render_weights(weights: Sequence[Weight], title: str, command: str) -> str:
    """Return the text of a rule file, each decision's weights sorted by strength.

    Args:
        weights: the weights, in any order.
        title: what they are for.
        command: the command that learns them again.
    """
    lines = [
        f"% Weights: {title}, learned from gold.",
        "%",
        "% Purpose: how strongly each feature speaks for (+) or against (-) a decision, in",
        "%          hundredths of a log-odds unit; behind each, in how many examples it fired.",
        "%          Not edited by hand; this writes the file again:",
        f"%          {command}",
        "% Input:   none",
        "% Output:  weight/3",
        "% Private: none",
    ]
    decisions = [*_TITLES, *sorted({w.decision for w in weights} - _TITLES.keys())]
    for decision in decisions:
        own = [weight for weight in weights if weight.decision == decision]
        if not own:
            continue
        own.sort(key=lambda weight: (-abs(weight.value), weight.name))
        lines += ["", f"% {_TITLES.get(decision, f'{decision}, of alignments that are not EQUI')}"]
        facts = [f"weight({w.name},{w.decision},{w.value})." for w in own]
        width = max(map(len, facts))
        lines += [
            f"{fact:<{width}}  % {weight.support}" for fact, weight in zip(facts, own, strict=True)
        ]
    return "\n".join(lines) + "\n"
