"""The programs of a profile: which files they load, with what the user puts over them."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import AST, ASTType

from ists_asp.errors import RuleError, UsageError, shortened
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.entries import table_warnings
from ists_asp.rules.loader import load_rules, rule_files
from ists_asp.rules.messages import RuleWarning
from ists_asp.rules.profiles import Profile, Purpose, load_profile, read_overlay, shown_folder
from ists_asp.rules.source import RuleSource, find_rules, resolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.io.store import Store
    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.profiles import Profile
    from ists_asp.rules.source import RuleFile

_CORE = {Purpose.ANSWER: "decide", Purpose.RATING: "sts", Purpose.EXPLANATION: "explain"}
"""The core encodings, in ``asp/``."""

_LACKING = {
    Purpose.RATING: (
        "this profile does not rate pairs",
        "Choose a profile that does, such as sts-en, or add it",
    ),
    Purpose.EXPLANATION: ("this profile says nothing in words", "Add it"),
}


def load_program(
    name: str,
    given: Sequence[Path] = (),
    purpose: Purpose = Purpose.ANSWER,
    *,
    reader: bool = False,
    store: Store | None = None,
) -> tuple[Profile, RuleSet]:
    """Return a profile and the parsed rules of one of its programs."""
    profile, sources = find_program(name, given, purpose, reader=reader)
    return profile, load_rules(sources, store=store, family=f"{name} {purpose}")


def find_program(
    name: str,
    given: Sequence[Path] = (),
    purpose: Purpose = Purpose.ANSWER,
    *,
    reader: bool = False,
) -> tuple[Profile, tuple[RuleSource, ...]]:
    """Return a profile and the files to load for a purpose, without what they include.

    A user's file takes the place of the one of its name. Others are added to the program that
    decides pairs, and to no other.
    """
    overlay = read_overlay(given)
    profile = load_profile(name, overlay.base)
    sources = program_sources(profile, purpose, overlay.base, reader=reader)
    return profile, overlay.over(sources, purpose)


def given_warnings(
    rules: RuleSet, profile: Profile, given: Sequence[Path]
) -> tuple[RuleWarning, ...]:
    """What the user should know of the files given: those that replace others, odd entries."""
    overlay = read_overlay(given)
    taken = overlay.taken(program_sources(profile, Purpose.ANSWER, overlay.base))
    told = [
        RuleWarning(mine.name, f"this file takes the place of {theirs.name}, as it has its name")
        for mine, theirs in taken
    ]
    own = [file.path for file in (*overlay.files, *overlay.added, *overlay.tables)]
    return (*told, *table_warnings(rules, own))


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
    name: str,
    given: Sequence[Path] = (),
    *,
    reader: bool = False,
) -> ProfileFiles:
    """Return a profile and its rule files, which are read but not given to clingo."""
    profile, sources = find_program(name, given, reader=reader)
    deciding = rule_files(sources)
    if profile.rating is None:
        return ProfileFiles(profile, deciding, ())
    _, rating = find_program(name, given, Purpose.RATING, reader=reader)
    return ProfileFiles(profile, deciding, rule_files(rating))


def program_sources(
    profile: Profile,
    purpose: Purpose = Purpose.ANSWER,
    rules: Path | None = None,
    *,
    reader: bool = False,
) -> tuple[RuleSource, ...]:
    """The files that a profile loads for a purpose, each once: core, rules, weights.

    Where a reader is used, the program that decides pairs has the rules and weights for what it
    predicts, too, and the weights are the ``reader_weights``, if there are any.
    """
    base = rules_dir() if rules is None else rules
    files = profile.files(purpose)
    if files is None:
        found, hint = _LACKING[purpose]
        raise RuleError(
            f"the table [{purpose}] is missing: {found}",
            where=profile.file,
            expected="the rule files that do it",
            hint=hint,
        )
    weights = "reader_weights" if reader and files.reader_weights else "weights"
    sources: dict[Path, RuleSource] = {}
    for key, entries, folder, shown in (
        ("core", (_CORE[purpose],), asp_dir(), "asp"),
        ("rules", files.rules, base, shown_folder(base)),
        (weights, getattr(files, weights), base, shown_folder(base)),
        *_reader_files(profile, purpose, reader, base),
    ):
        for entry in entries:
            place = key if "." in key else f"{purpose}.{key}"
            for source in _entry(f"{profile.file}: {place}", entry, folder, shown):
                sources.setdefault(source.path, source)
    return tuple(sources.values())


def _reader_files(
    profile: Profile, purpose: Purpose, reader: bool, base: Path
) -> Iterable[tuple[str, tuple[str, ...], Path, str]]:
    """What is added where a reader is used."""
    if reader and purpose is Purpose.ANSWER and profile.reader is not None:
        shown = shown_folder(base)
        yield "reader.rules", profile.reader.rules, base, shown
        yield "reader.weights", profile.reader.weights, base, shown


def _entry(where: str, entry: str, folder: Path, shown: str) -> Iterable[RuleSource]:
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
            where=where,
            expected=f"{shortened(entry)}.lp or {shortened(entry)}/",
            hint="Write the name with .lp for the file" if found else "Check its spelling",
        )
    relative = found[0].relative_to(root).as_posix()
    return (
        RuleSource(source.path, source.name, root, shown)
        for source in find_rules(found[0], shown if relative == "." else f"{shown}/{relative}")
    )


LARGEST = 1_000_000
"""The largest number that a constant may be; sums with it stay within 32 bits."""


def constants_in(statements: Iterable[AST]) -> Iterator[str]:
    """The names that ``#const`` defines."""
    for node in statements:
        if node.ast_type is ASTType.Definition:
            yield node.name


def unknown_constants(
    values: Mapping[str, str],
    profile: Profile,
    rules: RuleSet,
    given: Sequence[Path] = (),
) -> Iterator[RuleWarning]:
    """Warn of constants that no rule of a profile has, whatever the rule is for."""
    known = check_kinds(values, rules)
    if known.issuperset(values):
        return
    for purpose in (Purpose.EXPLANATION, Purpose.RATING):
        if profile.files(purpose) is not None:
            _, others = load_program(profile.name, given, purpose)
            known |= check_kinds(values, others)
    for name in values:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            yield RuleWarning(
                f"-c {name}",
                f"the rules of profile {profile.name} have no #const of this name, "
                + (f"but {', '.join(sorted(known))}" if known else "nor any other")
                + (f". Did you mean {near[0]}?" if near else ""),
            )


def check_kinds(values: Mapping[str, str], rules: RuleSet) -> set[str]:
    """Refuse values that are no numbers where the rules have one; return the known constants."""
    kinds: dict[str, bool] = rules.remembered.recall("constants", [], lambda: _kinds(rules))
    for name, value in values.items():
        if kinds.get(name):
            try:
                fits = abs(int(value)) <= LARGEST
            except ValueError:
                fits = False
            if not fits:
                raise UsageError(
                    f"found '{shortened(value)}'",
                    where=f"the constant {name}",
                    expected=f"an integer from -{LARGEST} to {LARGEST}",
                )
    return set(kinds)


def _kinds(rules: RuleSet) -> dict[str, bool]:
    """The constants that ``#const`` defines, and whether each is a number."""
    return {
        node.name: node.value.ast_type is ASTType.SymbolicTerm
        and node.value.symbol.type is SymbolType.Number
        for node in rules.statements
        if node.ast_type is ASTType.Definition
    }
