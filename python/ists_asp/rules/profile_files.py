"""Which files a profile loads: to decide a pair, to say why in words, to rate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import RuleError, shortened
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.find import RuleSource, find_rules, resolved
from ists_asp.rules.profiles import shown_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ists_asp.rules.profiles import Profile

__all__ = ["explanation_sources", "profile_sources", "rating_sources"]

_EXPLAIN = "explain"
_RATE = "sts"


def profile_sources(
    profile: Profile, rules: Path | None = None, *, semantic: bool = False
) -> tuple[RuleSource, ...]:
    """Return the files that a profile loads, each once: machine, rules, weights.

    Args:
        profile: the profile.
        rules: its rule folder (the shipped one by default).
        semantic: whether words are compared in context; the weights are then the profile's
            ``semantic_weights``, if it has any.

    Raises:
        RuleError: a file that the profile names does not exist; the message names the key.
        ResourceError: the installation lacks the shipped rules or encodings.
    """
    base = rules_dir() if rules is None else rules
    weights = _weights(profile, "weights", semantic=semantic)
    return _sources(
        profile,
        ("machine", profile.machine, asp_dir(), "asp"),
        ("rules", profile.rules, base, shown_folder(base)),
        (weights, getattr(profile, weights), base, shown_folder(base)),
    )


def explanation_sources(profile: Profile, rules: Path | None = None) -> tuple[RuleSource, ...]:
    """Return the files that say a profile's answers in words, each once.

    Args:
        profile: the profile.
        rules: its rule folder (the shipped one by default).

    Raises:
        RuleError: the profile names no such files, or one that does not exist.
        ResourceError: the installation lacks the shipped rules or encodings.
    """
    base = rules_dir() if rules is None else rules
    if not profile.explanation:
        raise RuleError(
            'the key "explanation" is missing',
            where=profile.file,
            expected="the rule files that say an answer in words",
            hint='Add explanation = ["english", "words", "explanation"]',
        )
    return _sources(
        profile,
        ("explanation", (_EXPLAIN,), asp_dir(), "asp"),
        ("explanation", profile.explanation, base, shown_folder(base)),
    )


def rating_sources(
    profile: Profile, rules: Path | None = None, *, semantic: bool = False
) -> tuple[RuleSource, ...]:
    """Return the files that rate a pair, given its answer, each once: machine, rules, weights.

    Args:
        profile: the profile.
        rules: its rule folder (the shipped one by default).
        semantic: whether sentences are compared in context, as for :func:`profile_sources`.

    Raises:
        RuleError: the profile names no such files, or one that does not exist.
        ResourceError: the installation lacks the shipped rules or encodings.
    """
    base = rules_dir() if rules is None else rules
    if not profile.rating:
        raise RuleError(
            'the key "rating" is missing: this profile does not rate pairs',
            where=profile.file,
            expected="the rule files that rate a pair",
            hint='Choose a profile that does, such as sts-en, or add rating = ["words", "sts"]',
        )
    weights = _weights(profile, "rating_weights", semantic=semantic)
    return _sources(
        profile,
        ("rating", (_RATE,), asp_dir(), "asp"),
        ("rating", profile.rating, base, shown_folder(base)),
        (weights, getattr(profile, weights), base, shown_folder(base)),
    )


def _weights(profile: Profile, key: str, *, semantic: bool) -> str:
    """The key of the weights that count."""
    other = f"semantic_{key}"
    return other if semantic and getattr(profile, other) else key


def _sources(
    profile: Profile, *parts: tuple[str, tuple[str, ...], Path, str]
) -> tuple[RuleSource, ...]:
    found: dict[Path, RuleSource] = {}
    for key, entries, folder, shown in parts:
        for entry in entries:
            for source in _entry(profile, key, entry, folder, shown):
                found.setdefault(source.path, source)
    return tuple(found.values())


def _entry(
    profile: Profile, key: str, entry: str, folder: Path, shown: str
) -> Iterable[RuleSource]:
    root = folder.resolve()
    found = [
        place
        for place in (root / entry, root / f"{entry}.lp")
        if (there := resolved(place)) and there.exists() and there.is_relative_to(root)
    ]
    if len(found) != 1:
        raise RuleError(
            f'"{shortened(entry)}" is both a folder and a file'
            if found
            else f'there is no "{shortened(entry)}" in {shown}',
            where=f"{profile.file}: {key}",
            expected=f"{shortened(entry)}.lp or {shortened(entry)}/",
            hint="Write the name with .lp for the file" if found else "Check its spelling",
        )
    relative = found[0].relative_to(root).as_posix()
    return (
        RuleSource(source.path, source.name, root, shown)
        for source in find_rules(found[0], shown if relative == "." else f"{shown}/{relative}")
    )
