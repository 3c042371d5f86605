"""What was learned as rule files: weights, and tables of confidence."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.learn.fit import Weight, decision_of
from ists_asp.terminal import unbroken
from ists_asp.vocabulary import CONFIDENCE, CORRECTION, RATING_MARGIN, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.confidence import Kind

_SECTIONS = {
    "boundary": "Chunk boundaries",
    "align": "Alignments",
    "label": "Labels",
    "score": "Scores, in hundredths of a point: where labels begin, and what is added or taken",
}
_ORDER = ("equi", "oppo", "spe", "this_spe", "other_spe", "simi", "rel")


@dataclass(frozen=True, slots=True)
class Step:
    """Decisions that lead by ``lead`` or more: how many, and how many in 100 are right."""

    lead: int
    percent: int
    count: int


def render_weights(
    weights: Sequence[Weight],
    sentences: Mapping[str, str],
    title: str,
    command: str,
    *,
    corrections: bool = False,
) -> str:
    """Return the text of a rule file, one name of evidence a line, the heaviest first.

    ``sentences`` are what the rules say that find the evidence, by name or by what the names of
    a family begin with; the title says what the weights are for, the command learns them again.
    """
    predicate, kind, what = WEIGHT, "Weights", "what evidence of the value 100"
    if corrections:
        predicate, kind, what = CORRECTION, "Corrections", "what is added to what evidence"
    purpose = (
        f"{what} is worth for (+) or against (-) a decision, in",
        "hundredths of a log-odds unit; behind it in how many examples there was any, and",
        "what the evidence is. A line may be changed by hand: learn --keep keeps it.",
    )
    lines = _head(f"{kind}: {title}", purpose, command)
    for section, heading in _SECTIONS.items():
        names: dict[str, list[Weight]] = defaultdict(list)
        for weight in weights:
            if decision_of(weight.decision) == section:
                names[weight.name].append(weight)
        if not names:
            continue
        lines += ["", f"% {heading}"]
        for name in sorted(names, key=lambda one: (-max(abs(w.value) for w in names[one]), one)):
            own = names[name]
            own.sort(key=lambda one: _ORDER.index(one.decision) if one.decision in _ORDER else -1)
            inside = "; ".join(f"{name},{one.decision},{one.value}" for one in own)
            said = sentences.get(name) or sentences.get(name.partition("(")[0], "")
            support = max(one.support for one in own)
            fact = f"{predicate.name}({inside})."
            lines.append(f"{fact}  % {support}: {unbroken(said)}".rstrip(": "))
    return "\n".join(lines) + "\n"


def render_rating_weights(weights: Sequence[Weight], title: str, command: str) -> str:
    """Return the text of a rule file of what evidence is worth for a rating, strongest first."""
    purpose = (
        "how many thousandths of a point evidence adds to a rating, or takes from it,",
        "where there is all of it; behind each, in how many pairs there was some.",
    )
    ordered = sorted(weights, key=lambda one: (-abs(one.value), one.name))
    facts = {f"{WEIGHT.name}({one.name},{one.decision},{one.value}).": one for one in ordered}
    width = max(map(len, facts), default=0)
    lines = [f"{fact:<{width}}  % {one.support}" for fact, one in facts.items()]
    head = _head(f"Weights of ratings: {title}", purpose, command)
    return "\n".join([*head, "", *lines]) + "\n"


def render_margins(margins: Iterable[tuple[int, int, int]], title: str, command: str) -> str:
    """Return the text of a rule file of how far ratings were from those of people."""
    purpose = (
        "from how many thousandths on ratings were how far from those of people in two of",
        "three pairs that no weight had seen; behind it of how many.",
    )
    lines = [f"{RATING_MARGIN.name}({one},{margin}).  % {n}" for one, margin, n in margins]
    return "\n".join([*_head(f"Margins of ratings: {title}", purpose, command), "", *lines]) + "\n"


def render_table(table: Mapping[Kind, Sequence[Step]], title: str, command: str) -> str:
    """Return the text of a rule file with a line for each kind of decision."""
    purpose = (
        "in how many of 100 cases decisions that lead so far are right, learned from pairs",
        "that no weight had seen; behind each kind how many decisions there were.",
    )
    lines = _head(f"Confidence: {title}", purpose, command)
    heading = None
    for (name, chunks), steps in table.items():
        if chunks != heading:
            lines += ["", f"% Chunks that are {chunks}"]
            heading = chunks
        inside = "; ".join(f"{name},{chunks},{step.lead},{step.percent}" for step in steps)
        lines.append(f"{CONFIDENCE.name}({inside}).  % {sum(step.count for step in steps)}")
    return "\n".join(lines) + "\n"


def _head(title: str, purpose: Sequence[str], command: str) -> list[str]:
    """The lines that say what a file of facts is, and how it is made again."""
    first, *more = (*purpose, "This writes the file again:", command)
    return [
        f"% {unbroken(title)}, learned from gold.",
        "%",
        f"% Purpose: {first}",
        *(f"%          {unbroken(line)}" for line in more),
    ]
