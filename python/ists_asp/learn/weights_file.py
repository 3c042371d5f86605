"""Weights as a rule file that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.terminal import unbroken
from ists_asp.vocabulary import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.learn.fit import Weight
    from ists_asp.vocabulary import Predicate

_SECTIONS = {
    "boundary": "Chunk boundaries",
    "align": "Alignments",
    "label": "Labels",
    "score": "Scores, in hundredths of a point: where labels begin, and what is added or taken",
}
_ORDER = ("equi", "oppo", "spe", "this_spe", "other_spe", "simi", "rel")
_WIDTH = 60


def render_weights(
    weights: Sequence[Weight], sentences: Mapping[str, str], title: str, command: str
) -> str:
    """Return the text of a rule file, one name of evidence a line, the heaviest first.

    Args:
        weights: the weights, in any order.
        sentences: what the rules say that find the evidence, by name or by what the names of
            a family begin with.
        title: what they are for.
        command: the command that learns them again.
    """
    purpose = (
        "what evidence of the value 100 is worth for (+) or against (-) a decision, in",
        "hundredths of a log-odds unit; behind it in how many examples there was any, and",
        "what the evidence is. A line may be changed by hand: learn --keep keeps it.",
    )
    lines = file_head(f"Weights: {title}", purpose, command)
    for section, heading in _SECTIONS.items():
        names: dict[str, list[Weight]] = {}
        for weight in weights:
            if _section(weight) == section:
                names.setdefault(weight.name, []).append(weight)
        if not names:
            continue
        lines += ["", f"% {heading}"]
        for name, own in sorted(names.items(), key=_heaviest):
            own.sort(key=lambda one: _ORDER.index(one.decision) if one.decision in _ORDER else -1)
            inside = "; ".join(f"{name},{one.decision},{one.value}" for one in own)
            said = sentences.get(name) or sentences.get(name.partition("(")[0], "")
            support = max(one.support for one in own)
            fact = f"{WEIGHT.name}({inside})."
            lines.append(f"{fact:<{_WIDTH}}  % {support}: {unbroken(said)}".rstrip(": "))
    return "\n".join(lines) + "\n"


def _section(weight: Weight) -> str:
    return weight.decision if weight.decision in _SECTIONS else "label"


def _heaviest(found: tuple[str, list[Weight]]) -> tuple[int, str]:
    name, weights = found
    return -max(abs(one.value) for one in weights), name


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
    lines = [*file_head(f"Weights of ratings: {title}", purpose, command), "", *_facts(weights)]
    return "\n".join(lines) + "\n"


def file_head(
    title: str, purpose: Sequence[str], command: str, output: Predicate = WEIGHT
) -> list[str]:
    """The lines that say what a file of facts is, and how it is made again."""
    first, *more = (*purpose, "This writes the file again:", command)
    return [
        f"% {unbroken(title)}, learned from gold.",
        "%",
        f"% Purpose: {first}",
        *(f"%          {unbroken(line)}" for line in more),
        "% Input:   none",
        f"% Output:  {output}",
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
