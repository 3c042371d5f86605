"""What an editor wants to know of rules while they are written: faults, names, what these mean.

A worker of its own reads them, within its limits, whatever somebody types; it decides nothing.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ists_asp.errors import DataError, IstsError, RuleError
from ists_asp.rules import NO_READER, find_rules, load_rules
from ists_asp.rules.catalogue import documented
from ists_asp.rules.check import Checked, check_rules
from ists_asp.rules.check.finding import SEVERITIES, Finding, Severity
from ists_asp.run.pool import Worker
from ists_asp.run.worker import Question
from ists_asp.terminal import unbroken
from ists_asp.workbench.desk import SupersededError
from ists_asp.workbench.project import LARGEST, RULES

if TYPE_CHECKING:
    from ists_asp.engine import System
    from ists_asp.workbench.bench import Bench

_LIGHT = "baseline"
"""The profile that loads in the least time: no pair is decided here."""

_PASSED = {kind for kind, one in SEVERITIES.items() if one is Severity.NOTE} | {
    "domain",
    "evidence",
}
"""Findings that shipped lines may have: other profiles than this one need them."""


@dataclass(frozen=True, slots=True)
class Check(Question):
    """What is wrong with one of the files that are given beside a profile."""

    given: tuple[Path, ...]
    asked: Path
    profile: str

    def answer(self, system: System) -> list[Finding]:
        """Read the file; only if all of it can be parsed, look how it goes with the others."""
        found: list[Finding] = []

        def report(kind: str, error: RuleError) -> None:
            found.append(Finding.from_error(kind, error))

        load_rules(find_rules(self.asked), report=report)
        if not any(one.kind in ("syntax", "file") for one in found):
            try:
                checked, every = check_rules(self.given, [self.profile], store=system.setup.store)
            except IstsError as error:
                report("file", RuleError(error.found, where=str(self.asked), hint=error.hint))
            else:
                found = [
                    one for one in every if one.kind not in _PASSED or not checked.is_shipped(one)
                ]
        mine = [one for one in found if one.file == str(self.asked)]
        return [one for one in mine if one.kind != "replaces"]


@dataclass(frozen=True, slots=True)
class Vocabulary(Question):
    """The names that rules of a profile may use, and what they mean."""

    given: tuple[Path, ...]
    profile: str
    folder: str

    def answer(self, system: System) -> dict[str, Any]:
        """Predicates, evidence and names of rules, with the places where they are made."""
        nobody = lambda _kind, _error: None  # noqa: E731
        checked = Checked(self.given, [self.profile], nobody, store=system.setup.store)

        def shown(path: Path) -> str:
            return checked.name(path).removeprefix(self.folder)

        predicates: dict[str, dict[str, Any]] = defaultdict(lambda: {"places": []})
        evidence: set[str] = set()
        for path, statements in checked.atoms.items():
            for statement, read in statements:
                place = {"file": shown(path), "line": statement.rule.line}
                for atom in read.derived:
                    known = predicates[f"{atom.key.name}/{atom.key.arity}"]["places"]
                    if not atom.key.name.startswith("_") and place not in known:
                        known.append(place)
            evidence.update(one.evidence for one in checked.weights.get(path, ()))
            for doc in documented(checked.text(path).text):
                about = {"signature": doc.signature, "text": doc.text, "arguments": doc.arguments}
                predicates[doc.name] |= about | {"file": shown(path)}
        rules = {
            rule.name: {"file": shown(path), "line": rule.line, "sentence": rule.sentence}
            for path, statements in checked.by_file.items()
            for rule in (one.rule for one in statements)
            if rule.sentence is not None
        }
        public = {name: one for name, one in predicates.items() if not name.startswith("_")}
        return {"predicates": public, "evidence": sorted(evidence), "rules": rules}


class Editor:
    """Asks a worker about rules that are being written; questions give way to newer ones."""

    def __init__(self, bench: Bench) -> None:
        self._project = bench.project
        light = replace(bench.desks.setup(), profile=_LIGHT, rules=(), reader=NO_READER)
        self._worker = Worker(replace(light, constants={}))
        self._lock = threading.Lock()
        self._newest: dict[str, object] = {}
        self._known: tuple[str, dict[str, Any]] = "", {}

    def check(self, name: str, text: str) -> list[dict[str, Any]]:
        """What is wrong with a text that is to be a rule file.

        Raises:
            SupersededError: the same file was asked about once more meanwhile.
            IstsError: it cannot be read within the limits.
        """
        self._project.path(name)
        if len(text) > LARGEST:
            raise DataError(f"{len(text)} characters", where=name, expected=f"at most {LARGEST}")
        asked = self._newest[name] = object()
        with self._lock, TemporaryDirectory() as made:
            if self._newest.get(name) is not asked:
                raise SupersededError("something newer was asked")
            del self._newest[name]
            folder = Path(made).resolve()
            files = self._project.state.files.items()
            saved = {own: self._project.text_of(known) for own, known in files}
            for own, said in {**saved, name: text}.items():
                (folder / own).parent.mkdir(parents=True, exist_ok=True)
                (folder / own).write_text(said, "utf-8")
            given = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
            found = self._worker.ask(Check(given, folder / name, self._project.profile))

        def told(one: Finding) -> str:
            text = ". ".join(filter(None, (one.found, one.hint)))
            return unbroken(text).replace(f"{folder}/", "")

        fields = ("line", "column", "severity", "kind")
        return [{**{it: getattr(one, it) for it in fields}, "text": told(one)} for one in found]

    def vocabulary(self) -> dict[str, Any]:
        """The names that rules may use, by the files that are saved."""
        state = self._project.state.digest
        with self._lock:
            if self._known[0] != state:
                given, folder = tuple(self._project.rule_files()), self._project.root / RULES
                question = Vocabulary(given, self._project.profile, f"{folder}/")
                self._known = state, self._worker.ask(question)
            return self._known[1]
