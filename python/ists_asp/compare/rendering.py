"""Comparisons as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ists_asp.compare import Edit, WeightEdits
from ists_asp.compare.comparison import Cause, Change, ChangeKind, Comparison, Gain, PairComparison
from ists_asp.evaluate.scorer import DECIMALS
from ists_asp.model import Pair
from ists_asp.terminal import styled, unbroken

_CAUSES = 5
_MOVED = 4
_EDITS = 20
_MARKS = {"added": "+", "removed": "-", "changed": "~"}
_WHOSE = {"old": ", only in OLD", "new": ", only in NEW", "both": ""}


def as_text(
    comparison: Comparison, edits: tuple[Sequence[Edit], WeightEdits] | None, most: int | None
) -> str:
    """The differences, with gold the best and then the worst pairs; colours for a terminal."""
    lines = [] if edits is None else [*_edits(*edits)]
    for ids, where in ((comparison.only_old, "OLD"), (comparison.only_new, "NEW")):
        if ids:
            lines.append(f"only in {where}: {_pairs(len(ids))}, such as {ids[0]}")
    lines.append(f"{len(comparison.changed)} of {comparison.count} pairs have changed")
    if comparison.gain is not None:
        lines += ["", f"F1 over {_pairs(comparison.scored)} with gold"]
        for name, old, new, by, *sure in comparison.gain.measures():
            tail = "  95 %: {:+.4f} to {:+.4f}, p {:.4f}".format(*sure) if sure else ""
            lines.append(f"  {name:<8} {old:.4f} -> {new:.4f}  {_signed(by)}{tail}")
    for title, pairs in _sections(comparison, most):
        if title:
            lines += ["", styled(title, "bold")]
        for pair in pairs:
            lines += ["", *_pair(pair)]
    return "".join(f"{unbroken(line)}\n" for line in lines)


def as_json(
    comparison: Comparison, edits: tuple[Sequence[Edit], WeightEdits] | None
) -> dict[str, object]:
    """Everything, in a form that ``json.dumps`` takes."""
    document: dict[str, object] = {
        "pairs": comparison.count,
        "only_old": list(comparison.only_old),
        "only_new": list(comparison.only_new),
        "scored": comparison.scored,
        "measures": _measures(comparison.gain),
    }
    if edits is not None:
        rules, weights = edits
        document["rules"] = [
            {
                "edit": edit.kind,
                "name": edit.rule.name,
                "old": edit.old and f"{edit.old.file}:{edit.old.line}",
                "new": edit.new and f"{edit.new.file}:{edit.new.line}",
                "did": edit.did,
            }
            for edit in rules
        ]
        document["weights"] = asdict(weights)
    document["changed"] = [
        {
            "id": pair.pair.id,
            "sent1": pair.pair.sent1.text,
            "sent2": pair.pair.sent2.text,
            "measures": _measures(pair.gain),
            "changes": [
                {
                    "decision": change.kind,
                    "tokens1": change.tokens1,
                    "tokens2": change.tokens2,
                    "text1": pair.pair.sent1.words(change.tokens1),
                    "text2": pair.pair.sent2.words(change.tokens2),
                    "old": change.old,
                    "new": change.new,
                    "causes": [
                        asdict(cause) | ({"only": None} if cause.only == "both" else {})
                        for cause in causes
                    ],
                }
                for change, causes in zip(pair.changes, pair.causes, strict=True)
            ],
        }
        for pair in comparison.changed
    ]
    return document


def _edits(edits: Sequence[Edit], weights: WeightEdits) -> Iterator[str]:
    for edit in edits[:_EDITS]:
        rule = edit.rule
        did = f"; {edit.did}" if edit.did else ""
        yield f"{_MARKS[edit.kind]} {_named(rule.name, rule.file, rule.line)}: {edit.kind}{did}"
    if len(edits) > _EDITS:
        yield f"  and {len(edits) - _EDITS} rules more, see --json"
    if weights.added or weights.removed or weights.changed:
        counts = "weights: {changed} changed, {added} added, {removed} removed"
        yield counts.format(**asdict(weights))
    elif not edits:
        yield "the rules are the same"


def _sections(
    comparison: Comparison, most: int | None
) -> Iterator[tuple[str, Sequence[PairComparison]]]:
    """The pairs to tell: with gold by what they gain."""
    changed = comparison.changed
    if comparison.gain is None:
        yield "", changed[:most]
        if most is not None and len(changed) > most:
            yield f"and {_pairs(len(changed) - most)} more, see --all", ()
        return
    better = [pair for pair in changed if pair.gain and pair.gain.total > 0]
    worse = [pair for pair in reversed(changed) if pair.gain and pair.gain.total < 0]
    other = [pair for pair in changed if not (pair.gain and pair.gain.total)]
    for title, pairs in (("Gained", better), ("Lost", worse), ("Neither", other)):
        if pairs:
            limit = f", the first {most}" if most is not None and len(pairs) > most else ""
            yield f"{title}: {_pairs(len(pairs))}{limit}", pairs[:most]


def _pair(pair: PairComparison) -> Iterator[str]:
    gain = pair.gain.measures() if pair.gain else ()
    gains = (f"{name} {_signed(by)}" for name, _, _, by, *_ in gain)
    yield "  ".join([f"Pair {pair.pair.id}", *gains])
    yield f"  1: {pair.pair.sent1.text}"
    yield f"  2: {pair.pair.sent2.text}"
    quoted: set[Cause] = set()
    for change, causes in zip(pair.changes, pair.causes, strict=True):
        yield from f"  {_change(change, pair.pair)}".split("\n")
        new = [cause for cause in causes if cause not in quoted]
        for cause in new[:_CAUSES]:
            name = _named(cause.rule, cause.file, cause.line)
            yield f"      {name}{_WHOSE[cause.only]}: {cause.text}"
            heaviest = cause.moved[:_MOVED]
            moved = [f"{move.decision} {move.by:+} {move.evidence}" for move in heaviest]
            rest = f" and {len(cause.moved) - _MOVED} more" if cause.moved[_MOVED:] else ""
            if moved:
                yield f"        moves {', '.join(moved)}{rest}"
        if len(new) > _CAUSES:
            yield f"      and {len(new) - _CAUSES} causes more, see --json"
        quoted.update(new)


def _change(change: Change, pair: Pair) -> str:
    sides = (pair.sent1, change.tokens1), (pair.sent2, change.tokens2)
    words = [sentence.words(tokens) for sentence, tokens in sides if tokens]
    if change.kind is ChangeKind.BOUNDARY:
        side = 1 if change.tokens1 else 2
        verb = "begins" if change.new else "no longer begins"
        return f'a chunk of sentence {side} {verb} at "{words[0]}"'
    was, now = change.old or "none", change.new or "none"
    if change.kind is ChangeKind.EXPLANATION:
        return f"explanation  {was}\n  ->           {now}"
    return f"{change.kind:<9}  {' ~ '.join(words)}:  {was} -> {now}"


def _named(name: str, file: str, line: int) -> str:
    place = f"{file}:{line}"
    return place if name == place else f"{name} ({place})"


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _measures(gain: Gain | None) -> dict[str, object] | None:
    if gain is None:
        return None
    keys = ("old", "new", "by", "low", "high", "p")
    return {
        name: {key: round(value, DECIMALS) for key, value in zip(keys, values, strict=False)}
        for name, *values in gain.measures()
    }


def _signed(value: float) -> str:
    text = f"{value:+.4f}"
    if abs(value) < 0.5 / 10**DECIMALS:
        return f"{0:.4f}".rjust(len(text))
    return styled(text, "green" if value > 0 else "red")
