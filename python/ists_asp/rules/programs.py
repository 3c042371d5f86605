"""The programs of a profile: which files they load, with what the user puts over them."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ists_asp.errors import RuleError, UsageError, shortened, suggest
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.directives import refuse_unused
from ists_asp.rules.loader import RuleSet, fitting, load_rules, rule_files
from ists_asp.rules.parsing import WEIGHED, RuleWarning, Weighed, weighed
from ists_asp.rules.profiles import Profile, Purpose, check_kinds, load_profile, shown_folder
from ists_asp.rules.source import SUFFIX, TESTS, RuleSource, find_rules, read_source, resolved
from ists_asp.rules.tables import table_warnings
from ists_asp.vocabulary import BASES, CORRECTION, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.io.store import Store
    from ists_asp.rules.source import RuleFile

_CORE = {
    Purpose.ANSWER: "decide",
    Purpose.RATING: "sts",
    Purpose.EXPLANATION: "explain",
    Purpose.FEEDBACK: "feedback",
}
_RULE = re.compile(r"^%@rule[ \t]+(\w+)", re.MULTILINE)
_LISTED = 5  # rules that are told of those that a file lacks
_MOST = 100  # weights files whose names are remembered
_WHOLES = (Weighed(WEIGHT.name, BASES["align"], "align"), Weighed(WEIGHT.name, "base", "rating"))
"""The weights that all profiles have of decisions, and of ratings."""

_RATES = "Choose a profile that does, such as sts-en, or add it"
_LACKING = {
    Purpose.RATING: ("this profile does not rate pairs", _RATES),
    Purpose.EXPLANATION: ("this profile says nothing in words", "Add it"),
    Purpose.FEEDBACK: ("this profile judges no answers of students", "Choose default or es"),
}


@dataclass(frozen=True, slots=True)
class Overlay:
    """The rule folder to take profiles and rules from, and what the user adds to it."""

    base: Path
    files: tuple[RuleSource, ...]
    added: tuple[RuleSource, ...]
    tables: tuple[RuleSource, ...] = ()

    def over(self, sources: Sequence[RuleSource], purpose: Purpose) -> tuple[RuleSource, ...]:
        """Return a program's files with the user's in place of those they replace, or added."""
        # Where pairs are not decided, only some of their statements fit in.
        replacements, additions = self._sorted_out(sources)
        if purpose is not Purpose.ANSWER:
            additions = [replace(source, fitting=True) for source in additions]
        replaced = [replacements.get(source, source) for source in sources]
        return tuple(dict.fromkeys((*replaced, *additions, *self.tables)))

    def replacing(self, sources: Sequence[RuleSource]) -> Iterator[tuple[RuleSource, str]]:
        """The user's files that replace others, each with a message about it."""
        replacements, _ = self._sorted_out(sources)
        for mine in dict.fromkeys(replacements.values()):
            theirs = [source for source, file in replacements.items() if file is mine]
            same = theirs[0].path.name == mine.path.name and len(theirs) == 1
            why = "has its name" if same else "weighs what they do"
            names = " and ".join(source.name for source in theirs)
            message = f"this file takes the place of {names}, as it {why}"
            rule_names = {*_RULE.findall(_text(mine))}
            shipped = _RULE.findall(_text(theirs[0])) if same else ()
            if lacking := [name for name in shipped if name not in rule_names]:
                listed = ", ".join(lacking[:_LISTED]) + ", …" * (len(lacking) > _LISTED)
                message += f", and lacks {len(lacking)} of its rules: {listed}. To add rules, "
                message += "rename it; to edit the shipped file, begin with a copy of it"
            yield mine, message

    def _sorted_out(
        self, sources: Sequence[RuleSource]
    ) -> tuple[dict[RuleSource, RuleSource], list[RuleSource]]:
        """The user's files by those that they replace, and the user's others."""
        machine = asp_dir().resolve()
        others = [source for source in sources if not source.path.is_relative_to(machine)]
        replacements, additions = dict[RuleSource, RuleSource](), list[RuleSource]()
        for file in (*self.files, *self.added):
            named = others if file in self.files else ()
            same = [source for source in named if source.path.name == file.path.name]
            folder = file.path.parent.name
            same_folder = [source for source in same if source.path.parent.name == folder]
            if len(same) > 1 and len(same_folder) != 1:
                found = f"several rule files are called {file.path.name}"
                expected = " or ".join(source.name for source in same)
                hint = "Rename yours; to edit one of these, copy it to a folder of its name"
                raise UsageError(found, where=file.name, expected=expected, hint=hint)
            same = same_folder if len(same) > 1 else same
            if subjects := _weighed(file):
                same += [other for other in others if other.weighs and _outweighs(subjects, other)]
            replacements |= dict.fromkeys(same, file)
            additions += [] if same else [file]
        return replacements, additions


def _text(file: RuleSource) -> str:
    with suppress(RuleError):
        return read_source(file.path, file.name)[0].text
    return ""


def _weighed(file: RuleSource) -> frozenset[Weighed]:
    """The subjects of the weights and corrections of a file; none if it cannot be read."""
    text = _text(file)
    return _weighed_in(file, text) if WEIGHED.search(text) else frozenset()


@lru_cache(_MOST)
def _weighed_in(file: RuleSource, _text: str) -> frozenset[Weighed]:
    statements = load_rules([file], report=lambda _kind, _error: None).statements
    return frozenset(name for node in statements for name in weighed(node))


def _outweighs(mine: frozenset[Weighed], source: RuleSource) -> bool:
    """Whether the weights, or corrections, of a user's file replace those of another file."""
    theirs = _weighed(source)
    only = bool(theirs) and all(subject.predicate == CORRECTION.name for subject in theirs)
    align, rating = (whole in mine for whole in _WHOLES)
    whole = (align and _WHOLES[0] in theirs) or (rating and _WHOLES[1] in theirs)
    return whole or (only and (align or theirs <= mine))


def read_overlay(paths: Sequence[Path]) -> Overlay:
    """Sort out what the user gave with ``--rules``, in order."""
    bases = [path for path in paths if resolved(path) and (path / "profiles").is_dir()]
    if len(bases) > 1:
        found = f"two rule folders: {bases[0]} and {bases[1]}"
        expected = "one folder with profiles/ in it"
        hint = "Give single files, or a folder without profiles/, to add rules"
        raise UsageError(found, where="--rules", expected=expected, hint=hint)
    files, added, tables = list[RuleSource](), list[RuleSource](), list[RuleSource]()
    for path in (path for path in paths if path not in bases):
        sources = find_rules(path)
        if path.is_dir():
            added.extend(source for source in sources if source.path.suffix != SUFFIX)
            tables.extend(source for source in sources if source.path.suffix == SUFFIX)
        elif path.suffix == ".lp":
            files.extend(sources)
        elif path.suffix == SUFFIX and path.name != TESTS:
            tables.extend(sources)
        else:
            expected = f"a .lp file, a .tsv file of words (not {TESTS}), or a folder"
            raise UsageError("this is not a rule file", where=f"--rules {path}", expected=expected)
    return Overlay(bases[0] if bases else rules_dir(), tuple(files), tuple(added), tuple(tables))


def load_program(
    name: str,
    paths: Sequence[Path] = (),
    purpose: Purpose = Purpose.ANSWER,
    *,
    reader: str | None = None,
    store: Store | None = None,
) -> tuple[Profile, RuleSet]:
    """Return a profile and the parsed rules of one of its programs; see :func:`find_program`."""
    profile, sources = find_program(name, paths, purpose, reader=reader)
    rules = load_rules(sources, store=store, family=f"{name} {purpose}")
    if paths and purpose is Purpose.ANSWER:
        refuse_unused(rules.statements, rules.rules, lambda: _other_names(profile, paths))
    rules = fitting(rules, [source.path for source in sources if source.fitting])
    return profile, replace(rules, language=profile.language).with_memo(rules.memo)


def find_program(
    name: str,
    paths: Sequence[Path] = (),
    purpose: Purpose = Purpose.ANSWER,
    *,
    reader: str | None = None,
) -> tuple[Profile, tuple[RuleSource, ...]]:
    """Return a profile and the files to load for a purpose, without what they include.

    A user's file takes the place of the one of its name. Others are added; of those marked as
    ``fitting``, :func:`fitting` keeps what the program can use.
    """
    overlay = read_overlay(paths)
    profile = load_profile(name, overlay.base)
    reads = profile.chosen_reader(reader) is not None
    sources = program_sources(profile, purpose, overlay.base, reader=reads)
    return profile, overlay.over(sources, purpose)


def _other_names(profile: Profile, paths: Sequence[Path]) -> set[str]:
    """The names of the rules that a profile does not decide by."""
    sources = (
        source
        for purpose in (Purpose.EXPLANATION, Purpose.RATING, Purpose.FEEDBACK)
        if profile.files(purpose) is not None
        for source in find_program(profile.name, paths, purpose)[1]
    )
    return {name for source in sources for name in _RULE.findall(_text(source))}


def given_warnings(
    rules: RuleSet, profile: Profile, paths: Sequence[Path], reader: str | None = None
) -> tuple[RuleWarning, ...]:
    """Warnings about the given files: those that replace others, and odd entries."""
    overlay = read_overlay(paths)
    reads = profile.chosen_reader(reader) is not None
    sources = program_sources(profile, Purpose.ANSWER, overlay.base, reader=reads)
    warnings = [RuleWarning(mine.name, text) for mine, text in overlay.replacing(sources)]
    paths = [file.path for file in (*overlay.files, *overlay.added, *overlay.tables)]
    return (*warnings, *table_warnings(rules, paths))


@dataclass(frozen=True, slots=True)
class ProfileFiles:
    """A profile and its rule files: those ``deciding`` about a pair, and those ``rating`` it."""

    profile: Profile
    deciding: tuple[RuleFile, ...]
    rating: tuple[RuleFile, ...]

    @property
    def all_files(self) -> tuple[RuleFile, ...]:
        """All of them; those that do both come twice."""
        return (*self.deciding, *self.rating)


def read_profile_rules(
    name: str, paths: Sequence[Path] = (), *, reader: str | None = None
) -> ProfileFiles:
    """Return a profile and its rule files, which are read but not given to clingo."""
    profile, sources = find_program(name, paths, reader=reader)
    rating: tuple[RuleFile, ...] = ()
    if profile.rating is not None:
        rating = rule_files(find_program(name, paths, Purpose.RATING, reader=reader)[1])
    return ProfileFiles(profile, rule_files(sources), rating)


def program_sources(
    profile: Profile,
    purpose: Purpose = Purpose.ANSWER,
    rules: Path | None = None,
    *,
    reader: bool = False,
) -> tuple[RuleSource, ...]:
    """The files that a profile loads for a purpose, each once: core, rules, weights, a reader's."""
    base = rules_dir() if rules is None else rules
    files = profile.files(purpose)
    if files is None:
        lack, hint = _LACKING[purpose]
        text, expected = f"the table [{purpose}] is missing: {lack}", "the rule files that do it"
        raise RuleError(text, where=profile.file, expected=expected, hint=hint)
    folder_name = shown_folder(base)
    weights = "reader_weights" if reader and files.reader_weights else "weights"
    keys = ("rules", "reader_rules", weights) if reader else ("rules", weights)
    named = [
        (f"{purpose}.core", (_CORE[purpose],), asp_dir(), "asp"),
        *((f"{purpose}.{key}", getattr(files, key), base, folder_name) for key in keys),
    ]
    sources = (
        source
        for key, entries, folder, called in named
        for entry in entries
        for source in _entry(profile.file, key, entry, folder, called)
    )
    return tuple({source.path: source for source in sources}.values())


def _entry(file: str, key: str, entry: str, folder: Path, folder_name: str) -> Iterable[RuleSource]:
    root = folder.resolve()
    matches = [
        candidate
        for candidate in (root / entry, root / f"{entry}.lp")
        # To resolve a path takes long.
        if os.path.exists(candidate)  # noqa: PTH110 (False for what no file can be called)
        if (target := resolved(candidate)) and target.is_relative_to(root)
    ]
    if len(matches) != 1:
        name = shortened(entry)
        text, hint = f'there is no "{name}" in {folder_name}', "Check its spelling"
        if matches:
            text = f'"{name}" is both a folder and a file'
            hint = "Write the name with .lp for the file"
        raise RuleError(text, where=f"{file}: {key}", expected=f"{name}.lp or {name}/", hint=hint)
    relative = matches[0].relative_to(root).as_posix()
    return (
        RuleSource(source.path, source.name, root, folder_name, key.endswith("weights"))
        for source in find_rules(matches[0], f"{folder_name}/{relative}".removesuffix("/."))
        if source.path.suffix != SUFFIX
    )


def unknown_constants(
    values: Mapping[str, str], profile: Profile, rules: RuleSet, paths: Sequence[Path] = ()
) -> Iterator[RuleWarning]:
    """Warn of constants that no rule of a profile has, whatever the rule is for."""
    constants = check_kinds(values, rules)
    if constants.issuperset(values):
        return
    for purpose in (Purpose.EXPLANATION, Purpose.RATING, Purpose.FEEDBACK):
        if profile.files(purpose) is not None:
            _, others = load_program(profile.name, paths, purpose)
            constants |= check_kinds(values, others)
    for name in values:
        if name not in constants:
            found = f"the rules of profile {profile.name} have no #const of this name, "
            found += f"but {', '.join(sorted(constants))}" if constants else "nor any other"
            hint = suggest(name, constants)
            yield RuleWarning(f"-c {name}", f"{found}. {hint}" if hint else found)
