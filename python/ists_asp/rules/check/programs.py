"""Which programs a rule folder stands for: what each profile loads, for what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ists_asp.errors import RuleError
from ists_asp.resources import asp_dir
from ists_asp.rules.find import find_rules
from ists_asp.rules.overlay import read_overlay
from ists_asp.rules.profile_files import explanation_sources, profile_sources, rating_sources
from ists_asp.rules.profiles import list_profiles, load_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.rules.find import RuleSource
    from ists_asp.rules.overlay import Overlay
    from ists_asp.rules.profiles import Profile

__all__ = ["Plan", "Program", "make_plan"]


@dataclass(frozen=True, slots=True)
class Program:
    """Files that are loaded together, without what they include.

    ``name`` is what messages call it. ``decides`` says whether it decides answers, rather than
    says them in words; ``weights`` are those of its files that hold weights.
    """

    name: str
    profile: Profile
    sources: tuple[RuleSource, ...]
    decides: bool
    weights: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is checked.

    ``sources`` are all files, those of no program included; ``own`` are the paths of those
    that were given, about which findings are told.
    """

    programs: tuple[Program, ...]
    sources: tuple[RuleSource, ...]
    own: frozenset[Path]


def make_plan(
    given: Sequence[Path],
    profiles: Sequence[str],
    report: Callable[[str, RuleError], None],
    *,
    machine: bool = False,
) -> Plan:
    """Find out what the given rules are loaded for.

    Args:
        given: what would be given with ``--rules``.
        profiles: the profiles to look at; if there are none, all profiles of a rule folder
            that has its own, and otherwise the one that is called ``default``.
        report: gets faults of profiles.
        machine: whether findings about ``asp/`` are told as well.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: there is nothing at a path.
        ResourceError: the installation lacks the shipped rules.
    """
    overlay = read_overlay(given)
    whole = any((path / "profiles").is_dir() for path in given)
    names = profiles or (list_profiles(overlay.base) if whole else ("default",))
    programs: list[Program] = []
    for name in names:
        try:
            programs += _programs(load_profile(name, overlay.base), overlay)
        except RuleError as error:
            report("profile", error)
    found = dict.fromkeys(source for program in programs for source in program.sources)
    own = [source for path in given for source in find_rules(path)]
    known = {source.path for source in found}
    sources = (*found, *(source for source in own if source.path not in known))
    if machine:
        own += find_rules(asp_dir())
    return Plan(tuple(programs), sources, frozenset(source.path for source in own))


def _programs(profile: Profile, overlay: Overlay) -> list[Program]:
    """The programs of a profile: with its weights, the semantic ones, to explain and to rate."""
    bare = len(_sources(replace(profile, weights=()), overlay, semantic=False))
    programs = []
    for semantic in (False, True) if profile.semantic_weights else (False,):
        sources = _sources(profile, overlay, semantic=semantic)
        programs.append(
            Program(
                f"profile {profile.name}" + (" --semantic" if semantic else ""),
                profile,
                overlay.apply(sources),
                decides=True,
                weights=frozenset(source.path for source in sources[bare:]),
            )
        )
    if profile.explanation:
        sources = explanation_sources(profile, overlay.base)
        name = f"explanations of profile {profile.name}"
        replaced = overlay.replace(sources)
        programs.append(Program(name, profile, replaced, decides=False))
    if profile.rating:
        programs += _rating(profile, overlay)
    return programs


def _rating(profile: Profile, overlay: Overlay) -> Iterator[Program]:
    """What rates the pairs of a profile, with its weights and with the semantic ones."""
    unweighed = replace(profile, rating_weights=(), semantic_rating_weights=())
    bare = len(rating_sources(unweighed, overlay.base))
    for semantic in (False, True) if profile.semantic_rating_weights else (False,):
        sources = rating_sources(profile, overlay.base, semantic=semantic)
        yield Program(
            f"ratings of profile {profile.name}" + (" --semantic" if semantic else ""),
            profile,
            overlay.replace(sources),
            decides=False,
            weights=frozenset(source.path for source in sources[bare:]),
        )


def _sources(profile: Profile, overlay: Overlay, *, semantic: bool) -> tuple[RuleSource, ...]:
    return profile_sources(profile, overlay.base, semantic=semantic)
