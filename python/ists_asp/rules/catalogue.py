"""All named rules of a profile: what each is for, and what weights were learned for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.rules.directives import names_in
from ists_asp.rules.loader import rule_files
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.programs import find_program, load_program, read_profile_rules
from ists_asp.rules.restraints import is_core, restraining
from ists_asp.rules.weights import rule_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ists_asp.io.store import Store
    from ists_asp.rules.directives import NamedRule
    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.messages import RuleWarning
    from ists_asp.rules.weights import Weight


class Use(StrEnum):
    """What a profile loads a rule for: to decide an answer, to say it in words, or both.

    ``rating`` is for rules that do nothing but rate the pair as a whole.
    """

    ANSWER = "answer"
    EXPLANATION = "explanation"
    BOTH = "both"
    RATING = "rating"


@dataclass(frozen=True, slots=True)
class ListedRule:
    """A named rule of a profile.

    ``weights``, strongest first, are None where the rule derives no feature. ``restrains`` says
    whether it is a hard rule, a constraint or a preference.
    """

    rule: NamedRule
    use: Use
    weights: tuple[Weight, ...] | None
    restrains: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The named rules of a profile: those of the answer, of its rating, of its explanation."""

    rules: tuple[ListedRule, ...]
    warnings: tuple[RuleWarning, ...]


def list_rules(
    name: str,
    given: Sequence[Path] = (),
    *,
    reader: bool = False,
    store: Store | None = None,
) -> Catalogue:
    """List the rules of a profile that have a name, each once.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order.
        reader: whether a reader is used; see :func:`ists_asp.rules.program_sources`.
        store: keeps what is worked out about the rules.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: a rule file or the profile is faulty.
        ResourceError: the installation lacks the shipped rules.
    """
    profile, answer = load_program(name, given, reader=reader, store=store)
    weights = rule_weights(answer, profile.constants.items())
    first = _named(answer)
    second: dict[NamedRule, None] = {}
    warnings = answer.warnings
    if profile.explanation is not None:
        _, explanation = load_program(name, given, Purpose.EXPLANATION, store=store)
        second = _named(explanation)
        warnings = tuple(dict.fromkeys((*warnings, *explanation.warnings)))
    every, _ = restraining(answer)
    restraints = {rule.name for place in every if not is_core(rule := answer.rules[place])}
    listed = [
        ListedRule(
            rule,
            Use.BOTH if rule in second else Use.ANSWER,
            weights.get(rule.name),
            rule.name in restraints,
        )
        for rule in first
    ]
    if profile.rating is not None:
        _, rating = load_program(name, given, Purpose.RATING, reader=reader, store=store)
        worth = rule_weights(rating, profile.constants.items())
        warnings = tuple(dict.fromkeys((*warnings, *rating.warnings)))
        listed += [
            ListedRule(rule, Use.RATING, worth.get(rule.name))
            for rule in _named(rating)
            if rule not in first and rule not in second
        ]
    listed += [ListedRule(rule, Use.EXPLANATION, None) for rule in second if rule not in first]
    return Catalogue(tuple(listed), warnings)


def rule_sentences(name: str, given: Sequence[Path] = ()) -> Mapping[str, str]:
    """The names of a profile's rules with their sentences, read in no time.

    No file is given to clingo, so that faults of syntax are no hindrance.

    Args:
        name: the profile's name.
        given: what the user gave with ``--rules``, in order.

    Raises:
        UsageError: there is no such profile, or what was given does not go together.
        RuleError: the profile is faulty, or a file is missing or cannot be read.
        ResourceError: the installation lacks the shipped rules.
    """
    files = read_profile_rules(name, given)
    every = files.every
    if files.profile.explanation is not None:
        every += rule_files(find_program(name, given, Purpose.EXPLANATION)[1])
    found: dict[str, str] = {}
    for file in every:
        found |= names_in(file.path.read_text("utf-8"))
    return found


def _named(rules: RuleSet) -> dict[NamedRule, None]:
    """The rules with a name, each once: the elements of one objective share theirs."""
    found: dict[str, NamedRule] = {}
    for rule in rules.rules:
        if rule.sentence is not None:
            found.setdefault(rule.name, rule)
    return dict.fromkeys(found.values())
