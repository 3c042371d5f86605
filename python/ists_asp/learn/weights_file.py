"""Weights as a rule file that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.terminal import unbroken
from ists_asp.vocabulary import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ists_asp.learn.fit import Weight

__all__ = ["render_rating_weights", "render_weights"]

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
    purpose = (
        "how strongly each feature speaks for (+) or against (-) a decision, in",
        "hundredths of a log-odds unit; behind each, in how many examples it fired.",
    )
    lines = _head(f"Weights: {title}", purpose, command)
    decisions = [*_TITLES, *sorted({w.decision for w in weights} - _TITLES.keys())]
    for decision in decisions:
        own = [weight for weight in weights if weight.decision == decision]
        if not own:
            continue
        lines += ["", f"% {_TITLES.get(decision, f'{decision}, of alignments that are not EQUI')}"]
        lines += _facts(own)
    return "\n".join(lines) + "\n"


def render_rating_weights(weights: Sequence[Weight], title: str, command: str) -> str:
    """Return the text of a rule file of what evidence is worth for a rating.

    Args:
        weights: the weights, in any order.
        title: what they are for.
        command: the command that learns them again.
    """
    purpose = (
        "how many thousandths of a point evidence adds to a rating, or takes from it,",
        "where there is all of it; behind each, in how many pairs there was some.",
    )
    lines = [*_head(f"Weights of ratings: {title}", purpose, command), "", *_facts(weights)]
    return "\n".join(lines) + "\n"


def _head(title: str, purpose: Sequence[str], command: str) -> list[str]:
    """The lines that say what the file is, and how it is made again."""
    first, *more = (*purpose, "Not edited by hand; this writes the file again:", command)
    return [
        f"% {unbroken(title)}, learned from gold.",
        "%",
        f"% Purpose: {first}",
        *(f"%          {unbroken(line)}" for line in more),
        "% Input:   none",
        "% Output:  weight/3",
        "% Private: none",
    ]


def _facts(weights: Iterable[Weight]) -> list[str]:
    """A line for each weight, the strongest first."""
    ordered = sorted(weights, key=lambda weight: (-abs(weight.value), weight.name))
    facts = [f"{WEIGHT.name}({w.name},{w.decision},{w.value})." for w in ordered]
    width = max(map(len, facts), default=0)
    return [
        f"{fact:<{width}}  % {weight.support}" for fact, weight in zip(facts, ordered, strict=True)
    ]
