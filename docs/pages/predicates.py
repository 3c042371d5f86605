"""What the rule files say about their predicates, and where these are derived and used."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType, parse_files

from ists_asp.rules import Purpose, list_profiles, load_profile
from ists_asp.rules.loader import rule_files as rule_files_of
from ists_asp.rules.programs import program_sources
from ists_asp.syntax.trees import children, derived, head_elements, predicates
from ists_asp.vocabulary import documented

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ists_asp.syntax.trees import Signature
    from ists_asp.vocabulary import Doc

_PURPOSE = re.compile(r"^% Purpose:\s+(.*?)(?=^% [A-Z]\w+:|^%$|^[^%])", re.MULTILINE | re.DOTALL)
_SAY_NOTHING = (ASTType.Comment, ASTType.Defined, ASTType.ShowSignature)


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file: its path from the root, title, purpose, and the predicates it documents."""

    path: str
    title: str
    purpose: str
    docs: tuple[Doc, ...]


@dataclass(slots=True)
class Uses:
    """The files whose rules derive a predicate, and those whose rules look at it."""

    heads: set[str] = field(default_factory=set)
    bodies: set[str] = field(default_factory=set)


def rule_files(root: Path) -> list[RuleFile]:
    """All rule files but weights, the machine first."""
    return [
        _read(file, file.relative_to(root).as_posix())
        for folder in ("asp", "lp_rules")
        for file in sorted((root / folder).rglob("*.lp"))
        if file.parent.name != "weights"
    ]


def uses(root: Path, files: list[RuleFile]) -> dict[str, Uses]:
    """Where each predicate, private ones excepted, occurs in rules; by ``name/arity``."""
    found: dict[str, Uses] = defaultdict(Uses)
    for file in files:
        for statement in _statements(root / file.path):
            # The weights and terms of #minimize are no atoms.
            parts = list(statement.body if hasattr(statement, "body") else children(statement))
            if statement.ast_type is ASTType.Rule:
                for name in _public(derived(statement.head)):
                    found[name].heads.add(file.path)
                # Conditions of a choice are looked at, not derived.
                conditions = [condition for _, condition in head_elements(statement.head)]
                parts = [*chain.from_iterable(conditions), *statement.body]
            for name in chain.from_iterable(_public(predicates(part)) for part in parts):
                found[name].bodies.add(file.path)
    return dict(found)


def purposes_of_files() -> dict[str, set[Purpose]]:
    """What the programs are for that load a file."""
    found: dict[str, set[Purpose]] = defaultdict(set)
    for name in list_profiles():
        profile = load_profile(name)
        for purpose in Purpose:
            if profile.files(purpose) is not None:
                for file in rule_files_of(program_sources(profile, purpose, reader=profile.reads)):
                    found[file.name].add(purpose)
    return found


def _public(found: Iterable[Signature]) -> Iterator[str]:
    return (f"{name}/{arity}" for name, arity in found if not name.startswith("_"))


def _statements(file: Path) -> list[AST]:
    found: list[AST] = []
    parse_files([str(file)], found.append, logger=lambda _code, _text: None)
    own = [node for node in found if node.location.begin.filename == str(file)]
    return [node for node in own if node.ast_type not in _SAY_NOTHING]


def _read(file: Path, path: str) -> RuleFile:
    text = file.read_text("utf-8")
    title = text.partition("\n")[0].removeprefix("% ")
    purpose = _PURPOSE.search(text)
    said = " ".join(purpose[1].replace("\n%", " ").split()) if purpose else ""
    return RuleFile(path, title, said, tuple(documented(text)))
