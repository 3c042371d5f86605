"""The rules of a profile: what each is for, what weights were learned for it, and its words."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from clingo.ast import AST, ASTType

from ists_asp import vocabulary as v
from ists_asp.errors import RuleError, UsageError
from ists_asp.io.store import Store
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.examples import Example, read_example, row_example
from ists_asp.rules.loader import RuleSet, load_rules, rule_files
from ists_asp.rules.parsing import RuleWarning
from ists_asp.rules.profiles import Purpose, shown_folder
from ists_asp.rules.programs import find_program, load_program
from ists_asp.rules.source import LARGEST, TESTS, RuleFile, find_rules, read_plain, read_source
from ists_asp.rules.weights import Weight, rule_weights
from ists_asp.syntax.trees import derived, is_constraint, is_fact
from ists_asp.vocabulary import Doc, documented

_HARD = (v.FORBIDDEN_LABEL, v.FORBIDDEN_PAIR, v.FORBIDDEN_SCORE, v.MUST_SPLIT, v.MUST_JOIN)
HARD = frozenset(predicate.signature for predicate in _HARD)
"""The predicates by which hard rules forbid or force decisions."""


def restrains(node: AST) -> bool:
    """Whether a statement is a hard rule, a constraint, or a preference."""
    if node.ast_type is not ASTType.Rule:
        return node.ast_type is ASTType.Minimize
    return is_constraint(node) or not HARD.isdisjoint(derived(node.head))


def is_unconditional(node: AST) -> bool:
    """Whether a statement may restrain an answer in which nothing shows that it fired."""
    # Constraints, which never fire in an answer, preferences, and facts that forbid.
    shows = node.ast_type is ASTType.Rule and not (is_constraint(node) or is_fact(node))
    return not shows and restrains(node)


def restraining(rules: RuleSet) -> tuple[frozenset[int], frozenset[int]]:
    """The places of the statements that restrain answers, and of the unconditional among them."""

    def compute() -> list[list[int]]:
        return [
            [index for index, node in enumerate(rules.statements) if holds(node)]
            for holds in (restrains, is_unconditional)
        ]

    restraints, unconditional = rules.memo.recall("restraints", [], compute)
    return frozenset(restraints), frozenset(unconditional)


def is_core(rule: NamedRule) -> bool:
    """Whether a rule is of the core encoding, without which there is no answer."""
    return rule.file.startswith("asp/")


def copy_rules(target: Path) -> list[Path]:
    """Copy the shipped rules to a new or empty folder, all or nothing; return the sorted paths."""
    source = rules_dir()
    files = sorted(path.relative_to(source) for path in source.rglob("*") if path.is_file())
    # Creating the folder reports a loop of links.
    if Path(os.path.realpath(target)).is_relative_to(source):
        found = "this is inside the shipped rules"
        raise UsageError(found, where=str(target), hint="Choose another folder")
    existed = target.is_dir()
    if target.exists() and (not existed or any(target.iterdir())):
        found = "this folder is not empty" if existed else "this is a file"
        expected, hint = "a new or empty folder", "Choose another folder"
        raise UsageError(found, where=str(target), expected=expected, hint=hint)
    try:
        for file in files:
            copy = target / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            # Without the original's mode: an installed file may be read-only.
            shutil.copyfile(source / file, copy)
    except BaseException as error:
        for path in target.iterdir() if existed else [target] if target.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if isinstance(error, OSError):
            found = f"the rules cannot be copied ({error.strerror})"
            hint = "Choose a folder that you can write to"
            raise UsageError(found, where=str(target), hint=hint) from None
        raise
    return [target / file for file in files]


def is_shipped(file: Path) -> bool:
    """Whether a file is a shipped rule file, or an unchanged copy of one under its name."""
    with suppress(RuleError):  # it was removed since it was listed, or is no text
        return read_plain(file, file.name, LARGEST) in _shipped().get(file.name, ())
    return False


def shipped_texts(file: Path) -> tuple[str, ...] | None:
    """The texts of the shipped rule files of a file's name; None for what came along itself."""
    if file.is_relative_to(asp_dir().resolve()) or file.is_relative_to(rules_dir().resolve()):
        return None
    return tuple(text.decode() for text in _shipped().get(file.name, ()))


@cache
def _shipped() -> dict[str, list[bytes]]:
    texts: dict[str, list[bytes]] = {}
    for path in rules_dir().rglob("*.lp"):
        texts.setdefault(path.name, []).append(path.read_bytes())
    return texts


def find_examples(paths: Iterable[Path], store: Store | None) -> Iterator[Example]:
    """The examples of rule files, word tables, folders of rules, and files of tests, once each."""
    seen = set[Path]()
    for path in paths:
        tests = path.rglob(TESTS) if path.is_dir() else [path] * (path.name == TESTS)
        for file in sorted(tests):
            for number, row in enumerate(read_source(file, str(file))[0].text.split("\n"), 1):
                if row.strip() and row[0] != "#":
                    yield row_example(row, f"{file}:{number}")
        for source in () if path.name == TESTS else find_rules(path, shown_folder(path)):
            new = source.path not in seen
            seen.add(source.path)
            if new and "%@example " in read_source(source.path, source.name)[0].text:
                for rule in load_rules([source], store=store).rules:
                    for line, text in rule.examples:
                        yield read_example(text, f"{rule.file}:{line}", rule.name)


@dataclass(frozen=True, slots=True)
class ListedRule:
    """A named rule of a profile."""

    rule: NamedRule
    use: str  # its purpose; both: answers and explanations
    weights: tuple[Weight, ...] | None  # strongest first; None where it derives no feature


def list_rules(
    name: str, paths: Sequence[Path] = (), *, reader: str | None = None, store: Store | None = None
) -> tuple[tuple[ListedRule, ...], tuple[RuleWarning, ...]]:
    """List the rules of a profile that have a name, each once; with the warnings about them."""
    profile, answer = load_program(name, paths, reader=reader, store=store)
    sets = {Purpose.ANSWER: answer}
    for purpose in (Purpose.RATING, Purpose.EXPLANATION):
        if profile.files(purpose) is not None:
            sets[purpose] = load_program(name, paths, purpose, reader=reader, store=store)[1]
    named = {purpose: _named(rules) for purpose, rules in sets.items()}
    explains = named.get(Purpose.EXPLANATION, {})
    constants = profile.constants.items()
    listed: dict[NamedRule, ListedRule] = {}
    for purpose in sets:
        weighs = purpose is not Purpose.EXPLANATION
        weights = rule_weights(sets[purpose], constants) if weighs else {}
        for rule in named[purpose]:
            use = str(purpose)
            if rule in explains:
                use = "both" if rule in named[Purpose.ANSWER] else "explanation"
            if purpose is not Purpose.RATING or use == Purpose.RATING:
                listed.setdefault(rule, ListedRule(rule, use, weights.get(rule.name)))
    warnings = dict.fromkeys(warning for rules in sets.values() for warning in rules.warnings)
    return tuple(listed.values()), tuple(warnings)


def _named(rules: RuleSet) -> dict[NamedRule, None]:
    """The rules with a name, each once: the elements of one objective share theirs."""
    by_name: dict[str, NamedRule] = {}
    for rule in rules.rules:
        if rule.sentence is not None:
            by_name.setdefault(rule.name, rule)
    return dict.fromkeys(by_name.values())


_GROUPS = {
    "names of rules": r"%@rule\s+(\w+)",
    "predicates": r"%\*!()",
    "evidence and weights": r"(?:evidence\(\w+\(.*?\),|(?:weight|correction|argues)\()(\w+)",
    "sentences and comments": r"%()",
    "words and facts": r"(?!.*:[-~])()",
    "conditions": r"()",
}
"""Where a line may have words, in the order of telling: what it begins with, its name in brackets.

Where there is a name, that has the words.
"""


class Hit(NamedTuple):
    """A line that has all the words: ``rank`` says how nearly, 0 where it begins with them."""

    group: str
    rank: int
    file: str
    line: int
    text: str


def find_words(
    profile: str, paths: Sequence[Path], reader: str | None, words: Sequence[str]
) -> list[Hit]:
    """The lines of a profile's rule files that have some words, group by group, the best first."""
    wanted = [word.lower() for word in words]
    hits = [hit for file in _files(profile, paths, reader) for hit in _hits(file, wanted)]
    return sorted(hits, key=lambda hit: ([*_GROUPS].index(hit.group), hit.rank))


def _files(profile: str, paths: Sequence[Path], reader: str | None) -> Sequence[RuleFile]:
    files: dict[Path, RuleFile] = {}
    loaded, _ = find_program(profile, paths, reader=reader)
    for purpose in Purpose:
        if loaded.files(purpose) is not None:
            _, sources = find_program(profile, paths, purpose, reader=reader)
            files |= {file.path: file for file in rule_files(sources)}
    return [*files.values()]


def list_predicates(
    profile: str, paths: Sequence[Path], reader: str | None
) -> list[tuple[str, Doc]]:
    """The predicates that comments in a profile's rule files document, each with its file."""
    files = _files(profile, paths, reader)
    return [(file.name, doc) for file in files for doc in documented(file.path.read_text("utf-8"))]


def _hits(file: RuleFile, wanted: Sequence[str]) -> Iterator[Hit]:
    documented = ""
    for number, line in enumerate(file.path.read_text("utf-8", "replace").splitlines(), start=1):
        if line.startswith(("%*!", "*%")):
            documented = line.removeprefix("*%")
        elif documented:
            line = f"{documented}: {line}"
        text = " ".join(line.lower().split())
        for group, form in _GROUPS.items() if all(word in text for word in wanted) else ():
            begin = re.match(form, text)
            name = begin and (begin[1] or text)
            if name and all(word in name for word in wanted):
                rank = 2 - ({*wanted} <= {*re.findall(r"[^\W_]+", name)})
                rank = 0 if wanted == re.findall(r"\w+", name)[:1] else rank
                yield Hit(group, rank, file.name, number, " ".join(line.split()))
                break
