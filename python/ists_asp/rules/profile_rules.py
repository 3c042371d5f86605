"""The rules of a profile, with what the user puts over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.rules.loader import load_rules, rule_files
from ists_asp.rules.overlay import read_overlay
from ists_asp.rules.profile_files import explanation_sources, profile_sources, rating_sources
from ists_asp.rules.profiles import load_profile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.rules.find import RuleSource
    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.profiles import Profile
    from ists_asp.rules.reading import RuleFile

__all__ = [
    "ProfileFiles",
    "explanation_rule_sources",
    "load_profile_rules",
    "profile_rule_sources",
    "rating_rule_sources",
    "read_profile_rules",
    "read_rating_rules",
]


def load_profile_rules(
    name: str, given: Sequence[Path] = (), *, semantic: bool = False, scripts: bool = False
) -> tuple[Profile, RuleSet]:
    """Return a profile and its parsed rules.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order; see
            :mod:`ists_asp.rules.overlay`.
        semantic: whether words are compared in context; see :func:`profile_sources`.
        scripts: whether rules may hold scripts; see :func:`load_rules`.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: a rule file or the profile is faulty.
        ResourceError: the installation lacks the shipped rules.
    """
    profile, sources = profile_rule_sources(name, given, semantic=semantic)
    return profile, load_rules(sources, scripts=scripts)


@dataclass(frozen=True, slots=True)
class ProfileFiles:
    """A profile and the files of its rules, in the order of loading.

    ``deciding`` decide about a pair, ``rating`` rate it as a whole; some may do both.
    """

    profile: Profile
    deciding: tuple[RuleFile, ...]
    rating: tuple[RuleFile, ...]

    @property
    def every(self) -> tuple[RuleFile, ...]:
        """All of them; those that do both come twice."""
        return (*self.deciding, *self.rating)


def read_profile_rules(
    name: str, given: Sequence[Path] = (), *, semantic: bool = False, scripts: bool = False
) -> ProfileFiles:
    """Return a profile and its rule files, which are read but not given to clingo.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order.
        semantic: whether words are compared in context; see :func:`profile_sources`.
        scripts: whether rules may hold scripts; see :func:`load_rules`.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: the profile is faulty, or a file is, as :func:`rule_files` tells.
        ResourceError: the installation lacks the shipped rules.
    """
    profile, sources = profile_rule_sources(name, given, semantic=semantic)
    rating = read_rating_rules(profile, given, semantic=semantic, scripts=scripts)
    return ProfileFiles(profile, rule_files(sources, scripts=scripts), rating)


def read_rating_rules(
    profile: Profile, given: Sequence[Path] = (), *, semantic: bool = False, scripts: bool = False
) -> tuple[RuleFile, ...]:
    """Return the files that rate a profile's pairs, read only; none where it does not rate.

    Args:
        profile: the profile.
        given: what the user gave with ``--rules``, in order.
        semantic: whether sentences are compared in context; see :func:`rating_sources`.
        scripts: whether rules may hold scripts; see :func:`load_rules`.

    Raises:
        UsageError: what was given does not go together.
        RuleError: a file is faulty, as :func:`rule_files` tells.
        ResourceError: the installation lacks the shipped rules.
    """
    if not profile.rating:
        return ()
    sources = rating_rule_sources(profile.name, given, semantic=semantic)
    return rule_files(sources, scripts=scripts)


def profile_rule_sources(
    name: str, given: Sequence[Path] = (), *, semantic: bool = False
) -> tuple[Profile, tuple[RuleSource, ...]]:
    """Return a profile and the files to load for it, in order, without what they include.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order.
        semantic: whether words are compared in context; see :func:`profile_sources`.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: the profile is faulty, or a file is missing.
        ResourceError: the installation lacks the shipped rules.
    """
    chosen = read_overlay(given)
    profile = load_profile(name, chosen.base)
    return profile, chosen.apply(profile_sources(profile, chosen.base, semantic=semantic))


def explanation_rule_sources(name: str, given: Sequence[Path] = ()) -> tuple[RuleSource, ...]:
    """Return the files that say a profile's answers in words, without what they include.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: the profile is faulty or has no such files, or a file is missing.
        ResourceError: the installation lacks the shipped rules.
    """
    chosen = read_overlay(given)
    profile = load_profile(name, chosen.base)
    return chosen.replace(explanation_sources(profile, chosen.base))


def rating_rule_sources(
    name: str, given: Sequence[Path] = (), *, semantic: bool = False
) -> tuple[RuleSource, ...]:
    """Return the files that rate a profile's pairs, without what they include.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order.
        semantic: whether sentences are compared in context; see :func:`rating_sources`.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: the profile is faulty or has no such files, or a file is missing.
        ResourceError: the installation lacks the shipped rules.
    """
    chosen = read_overlay(given)
    profile = load_profile(name, chosen.base)
    return chosen.replace(rating_sources(profile, chosen.base, semantic=semantic))
