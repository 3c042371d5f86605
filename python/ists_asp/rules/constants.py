"""Values that somebody gives to ``#const`` definitions, and whether there are such definitions."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType

from ists_asp.rules.messages import RuleWarning
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.programs import load_program

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.profiles import Profile

__all__ = ["constants_in", "unknown_constants"]


def constants_in(statements: Iterable[AST]) -> Iterator[str]:
    """The names that ``#const`` defines."""
    for node in statements:
        if node.ast_type is ASTType.Definition:
            yield node.name


def unknown_constants(
    names: Collection[str],
    profile: Profile,
    rules: RuleSet,
    given: Sequence[Path] = (),
    *,
    scripts: bool = False,
) -> Iterator[RuleWarning]:
    """Warn of constants that no rule of a profile has, whatever the rule is for.

    Args:
        names: the constants that somebody gives values to.
        profile: the profile.
        rules: its rules for answers.
        given: what the user gave with ``--rules``, in order.
        scripts: whether rules may hold scripts.

    Raises:
        RuleError: a file with rules for explanations or for ratings is faulty.
    """
    known = _known(rules)
    if known.issuperset(names):
        return
    for purpose in (Purpose.EXPLANATION, Purpose.RATING):
        if profile.files(purpose) is not None:
            _, others = load_program(profile.name, given, purpose, scripts=scripts)
            known |= _known(others)
    for name in names:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            yield RuleWarning(
                f"-c {name}",
                f"the rules of profile {profile.name} have no #const of this name, "
                + (f"but {', '.join(sorted(known))}" if known else "nor any other")
                + (f". Did you mean {near[0]}?" if near else ""),
            )


def _known(rules: RuleSet) -> set[str]:
    return set(rules.remembered.recall("constants", [], lambda: [*constants_in(rules.statements)]))
