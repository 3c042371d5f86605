"""Rules as ``ists-asp rules`` prints them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.rules import ListedRule, Weight
    from ists_asp.trace.counts import Counts

_WIDTH = 100
_INDENT = "    "
_COUNT = 9
_TOLD = 4


def listing(rules: Sequence[ListedRule], counts: Counts | None = None) -> str:
    """Rules in a few lines each, no wider than 100 columns unless a name or path is.

    Args:
        rules: the rules.
        counts: how often rules fired, and how many answers they restrained, if that is to be
            told.
    """
    names = max((len(one.rule.name) for one in rules), default=0)
    places = max((len(_place(one)) for one in rules), default=0)
    indent = _INDENT if counts is None else " " * _COUNT + _INDENT
    lines = []
    for one in rules:
        count = "" if counts is None else f"{_count(one, counts):>{_COUNT - 2}}  "
        lines.append(f"{count}{one.rule.name:<{names}}  {_place(one):<{places}}  {one.use}")
        lines += textwrap.wrap(
            one.rule.sentence or "",
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        if one.weights is not None:
            lines.append(indent + _strongest(one.weights, _WIDTH - len(indent)))
    return "".join(f"{line}\n" for line in lines)


def source(one: ListedRule) -> str:
    """A rule as it is written, and its weights as comments."""
    rule = one.rule
    lines = [f"% {_place(one)} ({_uses(one)})"]
    lines += [f'%@rule {rule.name}: "{rule.sentence}"', rule.text]
    if one.weights is not None:
        lines.append(f"% {_plural(len(one.weights), 'weight')}{':' if one.weights else ''}")
        width = max((len(weight.decision) for weight in one.weights), default=0)
        lines += [
            f"% {weight.value:+5}  {weight.decision:<{width}}  {weight.evidence}"
            for weight in one.weights
        ]
    return "".join(f"{line}\n" for line in lines)


def record(one: ListedRule, counts: Counts | None = None) -> dict[str, object]:
    """A rule as JSON; ``fired`` is null where nothing was counted.

    ``changed``, for rules that restrain, is how many answers would be others without them.
    """
    rule = one.rule
    found: dict[str, object] = {
        "name": rule.name,
        "sentence": rule.sentence,
        "file": rule.file,
        "line": rule.line,
        "use": one.use,
        "text": rule.text,
        "weights": None,
    }
    if one.weights is not None:
        found["weights"] = [
            {"evidence": weight.evidence, "decision": weight.decision, "weight": weight.value}
            for weight in one.weights
        ]
    if counts is not None:
        found["fired"] = _fired(one, counts)
        if one.restrains:
            found["changed"] = counts.changed[one.rule.name]
    return found


def _place(one: ListedRule) -> str:
    return unbroken(f"{one.rule.file}:{one.rule.line}")


def _uses(one: ListedRule) -> str:
    return "answer and explanation" if one.use == "both" else one.use


def _fired(one: ListedRule, counts: Counts) -> int | None:
    # Traces are of answers: they know nothing of the rules that say something about them.
    return None if one.use in ("explanation", "rating") else counts.fired[one.rule.name]


def _count(one: ListedRule, counts: Counts) -> str:
    if one.restrains:
        return str(counts.changed[one.rule.name])
    count = _fired(one, counts)
    return "-" if count is None else str(count)


def _strongest(weights: Sequence[Weight], width: int) -> str:
    """The strongest weights, as many as fit, and how many there are besides."""
    if not weights:
        return "no weights"
    several = len({weight.evidence for weight in weights}) > 1
    told = [
        f"{weight.decision} {weight.value:+}" + (f" {weight.evidence}" if several else "")
        for weight in weights
    ]
    for number in range(len(told), 0, -1):
        more = len(told) - number
        text = ", ".join(told[:number]) + (f" … ({more} more)" if more else "")
        if number == 1 or (len(text) <= width and number <= _TOLD):
            return text
    return ""


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
