"""The view of rules: files to read and to edit, what is wrong with them, where rules fire."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from msgspec import to_builtins
from pydantic import BaseModel, ConfigDict, Field

from ists_asp.engine import System
from ists_asp.errors import IstsError, RuleError, UsageError, shortened
from ists_asp.evaluate.scorer import Reference
from ists_asp.model import Pair
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules import NO_READER, find_rules, load_rules
from ists_asp.rules.check import Checked, check_rules
from ists_asp.rules.check.model import SEVERITIES, Finding, Severity
from ists_asp.run import worker as questions
from ists_asp.run.pool import Worker, ask_each
from ists_asp.terminal import unbroken
from ists_asp.trace.effects import Looked, verdict, worth
from ists_asp.vocabulary import documented
from ists_asp.workbench.desk import Bench, Newest, Step
from ists_asp.workbench.folder import Folder
from ists_asp.workbench.project import RULES, text_digest

_Name = Annotated[str, Field(min_length=1, max_length=400)]

_HITS = 200  # lines that are found at most

_LIGHT = "baseline"  # the profile that loads in the least time: no pair is decided here

# Findings that shipped lines may have: other profiles than this one need them.
_PASSED = {kind for kind, severity in SEVERITIES.items() if severity is not Severity.ERROR}
_PASSED |= {"domain", "evidence"}


class File(BaseModel):
    """A rule file when its edit began: its hash, none for a new one."""

    model_config = ConfigDict(extra="forbid")

    name: _Name
    before: Annotated[str, Field(max_length=64)] | None = None


class Draft(File):
    """A draft of a rule file, and the browser tab it comes from."""

    text: str
    tab: Annotated[str, Field(max_length=100)] = ""


def _where(
    system: System, pairs: Sequence[Pair], name: str, gold: Mapping[str, Reference]
) -> Sequence[Looked]:
    """Where a rule fires in pairs, and what changes without it."""
    if not any(rule.name == name for rule in system.rules.rules):
        found = f"no rule that decides answers is called {shortened(name)!r}"
        raise UsageError(found, hint="Save the file, and see that the profile loads it")
    return questions.where(system, pairs, {name: [name]}, gold)


def _check(system: System, paths: tuple[Path, ...], draft: Path, profile: str) -> list[Finding]:
    """The findings about one of the user's files, checked with a profile."""
    findings: list[Finding] = []

    def report(kind: str, error: RuleError) -> None:
        findings.append(Finding.from_error(kind, error))

    load_rules(find_rules(draft), report=report)
    if not any(finding.kind in ("syntax", "file") for finding in findings):
        try:
            checked, everything = check_rules(paths, [profile], store=system.setup.store)
            findings = [f for f in everything if f.kind not in _PASSED or not checked.is_shipped(f)]
        except IstsError as error:
            report("file", RuleError(error.found, where=str(draft), hint=error.hint))
    return [f for f in findings if f.file == str(draft) and f.kind != "replaces"]


def _vocabulary(system: System, files: tuple[Path, ...], profile: str, root: str) -> dict[str, Any]:
    """The names that rules of a profile may use, and what they mean."""
    checked = Checked(files, [profile], lambda _kind, _error: None, store=system.setup.store)

    def short_name(path: Path) -> str:
        return checked.name(path).removeprefix(root)

    predicates: dict[str, dict[str, Any]] = defaultdict(lambda: {"places": []})
    evidence: set[str] = set()
    for path in checked.by_file:
        for statement, parsed in checked.atoms_of(path):
            place = {"file": short_name(path), "line": statement.rule.line}
            for atom in parsed.derived:
                places = predicates[f"{atom.key.name}/{atom.key.arity}"]["places"]
                places += [place] * (place not in places)
        evidence.update(weight.evidence for weight in checked.weights.get(path, ()))
        for doc in documented(checked.text(path).text):
            predicates[doc.name] |= asdict(doc) | {"file": short_name(path)}
    rules = {
        rule.name: {"file": short_name(path), "line": rule.line, "sentence": rule.sentence}
        for path, statements in checked.by_file.items()
        for rule in (statement.rule for statement in statements)
        if rule.sentence is not None
    }
    public = {name: entry for name, entry in predicates.items() if not name.startswith("_")}
    return {"predicates": public, "evidence": sorted(evidence), "rules": rules}


class Editor:
    """Asks a worker about rules that are being written; questions give way to newer ones."""

    def __init__(self, bench: Bench) -> None:
        self._project, self._told = bench.project, bench.told
        light = replace(bench.desks.setup(), profile=_LIGHT, rules=(), reader=NO_READER)
        self._worker = Worker(replace(light, constants={}))
        bench.closing.callback(self._worker.close)
        self._newest = Newest()
        self._cached: tuple[str, dict[str, Any]] = "", {}

    def check(self, draft: Draft) -> list[dict[str, Any]]:
        """The findings about a draft. SupersededError: its tab has asked about it again."""
        name = draft.name
        self._project.check_rule(name, draft.text)
        wanted = self._newest.wanted((draft.tab, name))
        with TemporaryDirectory() as directory:
            folder = Path(directory).resolve()
            files = self._project.state.files.items()
            texts = {file: self._project.text_of(digest) for file, digest in files}
            Folder(folder).commit({**texts, name: draft.text})
            paths = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
            profile = self._project.profile
            question = partial(_check, paths=paths, draft=folder / name, profile=profile)
            findings = self._worker.ask(question, wanted=wanted)
        records = []
        for finding in findings:
            text = unbroken(". ".join(filter(None, (finding.found, finding.hint))))
            text = self._told(text.replace(f"{folder}/", ""))
            records.append(finding.as_dict() | {"file": name, "text": text})
        return records

    def vocabulary(self) -> dict[str, Any]:
        """The names that rules may use, by the files that are saved."""
        state = self._project.state.digest
        if self._cached[0] != state:
            files, root = tuple(self._project.rule_files()), self._project.root / RULES
            names = partial(_vocabulary, files=files, root=f"{root}/")
            self._cached = state, self._worker.ask(partial(names, profile=self._project.profile))
        return self._cached[1]


@cache
def _shipped() -> dict[str, Path]:
    """The files that came along, by their names in messages."""
    folders = {"asp": asp_dir(), "lp_rules": rules_dir()}
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": path
        for name, folder in folders.items()
        for path in sorted(folder.rglob("*.lp"))
    }


def _replaced(name: str) -> str | None:
    """The shipped file whose place one of the user takes, by its name."""
    *folder, file = name.split("/")
    shipped = (path for path in _shipped() if path.startswith("lp_rules/"))
    matches = [path for path in shipped if path.endswith(f"/{file}")]
    if len(matches) > 1:
        matches = [path for path in matches if path.split("/")[-2:-1] == folder[-1:]]
    return matches[0] if len(matches) == 1 else None


def router(bench: Bench) -> APIRouter:
    """The routes of the view."""
    routes = APIRouter(prefix="/project/rules", include_in_schema=False)
    project, editor = bench.project, Editor(bench)
    folder = f"{project.root / RULES}/"

    @routes.get("")
    def tree() -> dict[str, Any]:
        state = project.notice()
        return {"state": state.digest, "files": state.files, "shipped": list(_shipped())}

    @routes.get("/file")
    def file(name: str) -> dict[str, Any]:
        name = name.removeprefix(folder)
        if name in _shipped():
            parts = name.split("/")
            copy = "/".join(parts[1:]) if parts[0] == "lp_rules" else None
            return {"name": name, "text": _shipped()[name].read_text("utf-8"), "copy": copy}
        text, base = project.read_rules(name), _replaced(name)
        record = {"name": name, "text": text, "digest": text_digest(text), "base": base}
        return record | {"shipped": base and _shipped()[base].read_text("utf-8")}

    @routes.put("/file")
    def save(draft: Draft) -> dict[str, str]:
        return saved(bench, draft, draft.text, f"saved {draft.name}")

    @routes.delete("/file")
    def remove(outdated: File) -> dict[str, str]:
        return saved(bench, outdated, None, f"removed {outdated.name}")

    @routes.get("/find")
    def find(words: _Name) -> list[dict[str, Any]]:
        """The lines of rule files and tables that have all the words, one's own first."""
        folded = words.casefold().split()
        user_files = {name: partial(project.read_rules, name) for name in project.notice().files}
        shipped = {name: partial(path.read_text, "utf-8") for name, path in _shipped().items()}
        lines = (
            {"file": name, "line": number, "text": shortened(line.strip(), 300)}
            for name, read in (user_files | shipped).items()
            for number, line in enumerate(read().split("\n"), 1)
            if all(word in line.casefold() for word in folded)
        )
        return list(islice(lines, _HITS))

    @routes.get("/texts")
    def texts() -> dict[str, str]:
        return {name: project.read_rules(name) for name in project.notice().files}

    @routes.get("/loaded")
    def loaded() -> dict[str, str | None]:
        """Whether pairs can be decided with the rules, and why not."""
        try:
            bench.desks.desk(patience=None)
            fault = bench.desks.fault
        except IstsError as error:
            fault = error
        return {"fault": None if fault is None else bench.told(fault).replace(folder, "")}

    routes.add_api_route("/check", editor.check, methods=["POST"])
    routes.add_api_route("/vocabulary", editor.vocabulary)

    @routes.post("/{step}")
    def undo(step: Step) -> dict[str, str]:
        bench.project.folder.check_writable()
        return {"edit": project.step(back=step == "undo").edit}

    @routes.get("/where")
    def where(rule: _Name, corpus: _Name) -> StreamingResponse:
        # An entry of a table has its file and line for a name.
        name = f"{folder}{rule}" if rule.partition(":")[0] in project.state.files else rule
        return bench.streamed(_effects(bench, name, corpus))

    return routes


def saved(bench: Bench, file: File, text: str | None, edit: str) -> dict[str, str]:
    """Have a rule file say something else, or be gone: the new state, and the hash of its text."""
    bench.project.folder.check_writable()
    state = bench.project.save(file.name, text, file.before, edit)
    return {"state": state.digest, "digest": text_digest(text or "")}


def _effects(bench: Bench, name: str, corpus: str) -> Iterator[dict[str, Any]]:
    """The effects of a rule in a corpus: a record for each pair, and one for all."""
    loaded, desk, looks = bench.project.corpus(corpus), bench.desks.desk(patience=None), []
    batches = ([pair] for pair in bench.annotated(desk, loaded.pairs))
    results = ask_each(desk.ask, batches, partial(_where, name=name, gold=loaded.gold))
    for done, (pair, looked) in enumerate(results, 1):
        record: dict[str, Any] = {"done": done, "of": len(loaded.pairs)}
        if isinstance(looked, IstsError):
            yield record | {"id": pair.id, "fault": bench.told(looked)}
            continue
        looks.append(looked)
        effect = looked.effects[name]
        if effect.fired or effect.instead:
            record |= {"id": pair.id, "fired": to_builtins(effect.fired), "instead": effect.instead}
            for side, sentence in enumerate(pair.sentences, 1):
                forms = [token.form for token in sentence.tokens]
                record |= {f"sent{side}": sentence.text, f"tokens{side}": forms}
        yield record
    worths = to_builtins(worth(name, looks)) if any(look.scores for look in looks) else None
    yield {"verdict": verdict([look.effects[name] for look in looks]), "worth": worths}
