"""The page of evidence: what rules find, and what that weighs."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ists_asp.rules.catalogue import list_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# Evidence

What rules find, and what that weighs for each decision: hundredths of log-odds for evidence of \
the value 100, for `score` hundredths of a point, for `rating` thousandths, \
which what speaks against a pair takes away. \
`ists-asp rules show NAME --profile NAME` says the same of another profile or of your own rules. \
`python -m docs.pages` makes this page from the rule files.
"""

_TOLD = 8
"""Weights of a rule that are listed, the strongest."""


def evidence() -> str:
    """The page as Markdown."""
    lines = [_HEAD]
    for profile, what in (("default", "answers"), ("sts-en", "ratings")):
        lines += [f"## Evidence about {what}\n", f"Weights of the profile `{profile}`.\n"]
        lines += _found(profile, ratings=what == "ratings")
    return "\n".join(lines).rstrip() + "\n"


def _found(profile: str, *, ratings: bool) -> Iterator[str]:
    listed = [one for one in list_rules(profile)[0] if one.weights]
    for file, rules in groupby(listed, lambda one: one.rule.file):
        if ratings == (file.startswith("lp_rules/sts/")):
            yield f"### `{file}`\n\n| Rule | What it found | Weights |\n| --- | --- | --- |"
            for one in rules:
                own = one.weights or ()
                told = [f"`{each.evidence}` {each.decision} {each.value:+}" for each in own[:_TOLD]]
                shown = ", ".join(told + [f"{len(own) - _TOLD} more"] * (len(own) > _TOLD))
                said = (one.rule.sentence or "").replace("|", "\\|")
                yield f"| `{one.rule.name}` | {said} | {shown} |"
            yield ""
