"""What a check finds: how grave it is, where it is, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.errors import RuleError
from ists_asp.resources import asp_dir
from ists_asp.rules.profiles import Purpose, list_profiles, load_profile, read_overlay
from ists_asp.rules.programs import program_sources
from ists_asp.rules.source import find_rules
from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.rules.profiles import Overlay, Profile
    from ists_asp.rules.source import RuleSource

_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?::(?P<column>\d+))?")


class Severity(StrEnum):
    """How grave a finding is, the gravest first.

    An error keeps rules from being loaded, or makes them say what was not meant; a warning is
    about something without effect, or hard to follow; a note may be as it should be.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at in a rule file.

    ``kind`` is a short constant name of what is checked, such as ``undefined``; ``subject`` is
    the rule or predicate that it is about, if there is one. ``line`` and ``column`` start at 1
    and count characters; 0 stands for unknown. ``excerpt`` is the line with a caret below it,
    empty where the place is unknown.
    """

    severity: Severity
    kind: str
    file: str
    line: int
    column: int
    found: str
    hint: str
    excerpt: str = ""
    subject: str = ""

    @property
    def where(self) -> str:
        """``file:line:column``, as far as it is known."""
        numbers = (self.line, self.column) if self.line else ()
        return ":".join([self.file, *(str(number) for number in numbers if number)])

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "severity": str(self.severity),
            "kind": self.kind,
            "subject": self.subject or None,
            "file": self.file,
            "line": self.line or None,
            "column": self.column or None,
            "found": self.found,
            "hint": self.hint,
            "excerpt": self.excerpt or None,
        }

    def __str__(self) -> str:
        text = f"{self.where}: {self.severity}: {self.found}"
        if self.hint:
            text += f". {self.hint}"
        text = unbroken(text)
        return f"{text}\n{self.excerpt}" if self.excerpt else text


def from_error(kind: str, error: RuleError) -> Finding:
    """What keeps a file from being loaded, as a finding."""
    match = _PLACE.fullmatch(error.where or "")
    file, line, column = match.group("file", "line", "column") if match else (error.where, 0, 0)
    found = f"{error.found}; expected {error.expected}" if error.expected else error.found
    return Finding(
        Severity.ERROR,
        kind,
        file or "",
        int(line or 0),
        int(column or 0),
        found,
        error.hint or "",
        error.excerpt or "",
    )


_TITLES = {
    Purpose.ANSWER: "profile ",
    Purpose.EXPLANATION: "explanations of profile ",
    Purpose.RATING: "ratings of profile ",
}


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
    that were given, about which findings are told. ``replaced`` has what given files take the
    place of, by path. ``partial`` says that only some profiles of a rule folder are looked at.
    """

    programs: tuple[Program, ...]
    sources: tuple[RuleSource, ...]
    own: frozenset[Path]
    replaced: Mapping[Path, str]
    partial: bool


def make_plan(
    given: Sequence[Path],
    profiles: Sequence[str],
    report: Callable[[str, RuleError], None],
    *,
    machine: bool = False,
) -> Plan:
    """Find out what the given rules are loaded for.

    Without ``profiles`` those are all profiles of a rule folder that has its own, and otherwise
    the one that is called ``default``. ``machine`` asks for findings about ``asp/`` as well.
    """
    overlay = read_overlay(given)
    whole = any((path / "profiles").is_dir() for path in given)
    names = profiles or (list_profiles(overlay.base) if whole else ("default",))
    programs: list[Program] = []
    replaced: dict[Path, str] = {}
    for name in names:
        try:
            profile = load_profile(name, overlay.base)
            programs += _programs(profile, overlay)
            plain = program_sources(profile, Purpose.ANSWER, overlay.base)
            replaced |= {mine.path: theirs.name for mine, theirs in overlay.taken(plain)}
        except RuleError as error:
            report("profile", error)
    found = dict.fromkeys(source for program in programs for source in program.sources)
    own = [source for path in given for source in find_rules(path)]
    known = {source.path for source in found}
    partial = whole and bool(profiles)
    if partial:
        # Files of other profiles are not asked about.
        own = [source for source in own if source.path in known]
    sources = (*found, *(source for source in own if source.path not in known))
    if machine:
        own += find_rules(asp_dir())
    paths = frozenset(source.path for source in own)
    return Plan(tuple(programs), sources, paths, replaced, partial)


def _programs(profile: Profile, overlay: Overlay) -> Iterator[Program]:
    """The programs of a profile, those that a reader changes also with one."""
    for purpose in Purpose:
        files = profile.files(purpose)
        if files is None:
            continue
        bare = profile.unweighed(purpose)
        ways = [("", False)]
        reads = files.reader_weights or (purpose is Purpose.ANSWER and profile.reader is not None)
        ways += [(" --reader", True)] if reads else []
        for way, reader in ways:
            unweighed = program_sources(bare, purpose, overlay.base, reader=reader)
            sources = program_sources(profile, purpose, overlay.base, reader=reader)
            known = {source.path for source in unweighed}
            yield Program(
                _TITLES[purpose] + profile.name + way,
                profile,
                overlay.over(sources, purpose),
                decides=purpose is Purpose.ANSWER,
                weights=frozenset(source.path for source in sources if source.path not in known),
            )
