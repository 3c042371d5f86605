"""Rule files to syntax trees, read once and added to many solvers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clingo.ast import AST, ProgramBuilder

from ists_asp.rules.parsing import Parsing
from ists_asp.rules.reading import Reading
from ists_asp.rules.remembered import Remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clingo import Control

    from ists_asp.io.store import Store
    from ists_asp.rules.directives import NamedRule
    from ists_asp.rules.find import RuleSource
    from ists_asp.rules.messages import RuleWarning
    from ists_asp.rules.reading import Report, RuleFile


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Parsed rule files.

    ``statements`` are clingo syntax trees without comments; ``rules`` has the name and
    place of each, at the same index. ArgumentTypes in the trees have absolute paths: ``names``
    gives the files' names in messages. ``warnings`` are the parser's. ``remembered`` has what was
    worked out about these statements; whoever changes them begins without a memory.
    """

    files: tuple[RuleFile, ...]
    statements: tuple[AST, ...]
    rules: tuple[NamedRule, ...]
    warnings: tuple[RuleWarning, ...]
    remembered: Remembered = field(default=Remembered(), init=False, compare=False)

    @property
    def names(self) -> Mapping[str, str]:
        """The files' names in messages, by absolute path."""
        return {str(file.path): file.name for file in self.files}

    def remembering(self, remembered: Remembered) -> RuleSet:
        """These rules, with the memory of the same statements."""
        object.__setattr__(self, "remembered", remembered)
        return self

    def add_to(self, control: Control) -> None:
        """Add all statements to a solver, ready to be grounded."""
        with ProgramBuilder(control) as builder:
            for statement in self.statements:
                builder.add(statement)


def load_rules(
    sources: Iterable[RuleSource],
    *,
    store: Store | None = None,
    family: str = "",
) -> RuleSet:
    """Parse rule files, and what they include, each once, in the order of their mention.

    Args:
        sources: the files.
        store: keeps what is worked out about them.
        family: names what these rules and those that an edit makes of them have in common.

    Raises:
        RuleError: a file is missing, is not UTF-8, has a syntax error, a script, an include
            that leaves its folder, a faulty directive, or a rule name that is taken.
    """
    reading = Reading()
    reading.read_all(sources)
    return _parsed(reading, store, family)


def rule_files(sources: Iterable[RuleSource]) -> tuple[RuleFile, ...]:
    """Say which files :func:`load_rules` loads, without giving any of them to clingo.

    Args:
        sources: the files.

    Raises:
        RuleError: a file is missing, is not UTF-8, or has what clingo must not see.
    """
    reading = Reading()
    reading.read_all(sources)
    return tuple(reading.files.values())


def read_rules(sources: Iterable[RuleSource], report: Report) -> RuleSet:
    """Parse what can be parsed of rule files, and tell all that is wrong with them.

    Names and private predicates that two files define are not looked at: these may be files
    of different programs.

    Args:
        sources: the files.
        report: gets each fault with its kind: ``file``, ``syntax``, ``include`` or
            ``directive``.
    """
    reading = Reading(report=report)
    for source in sources:
        reading.read(source)
    return _parsed(reading)


def _parsed(reading: Reading, store: Store | None = None, family: str = "") -> RuleSet:
    parsing = Parsing(reading.report, store)
    for path, text, includes in reading.texts:
        parsing.take(path, text, includes)
    files = tuple(reading.files.values())
    return RuleSet(
        files,
        tuple(parsing.statements),
        tuple(parsing.rules),
        parsing.messages.warnings,
    ).remembering(Remembered.of(store, files, family))
