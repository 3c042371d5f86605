"""The view of words: tables of those that mean the same and of opposites, and what these touch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, count
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import Field

from ists_asp.engine import System
from ists_asp.errors import DataError, IstsError, RuleError, UsageError, shortened
from ists_asp.model import Pair
from ists_asp.rules.source import SUFFIX, read_entry
from ists_asp.solver.batch import BATCH, batches
from ists_asp.solver.edits import Edits
from ists_asp.solver.statements import Version
from ists_asp.syntax.ground import Atoms
from ists_asp.workbench.desk import Bench
from ists_asp.workbench.project import RULES, text_digest
from ists_asp.workbench.rules import File, saved

_TOGETHER = 50  # entries at once, so that their effects on pairs can be told apart
_GROUPS = 100  # groups whose edits are kept, as each is looked at once more for the next pairs

_Word = Annotated[str, Field(max_length=200)]


class Edit(File):
    """A line of a table to change; a new one without a number; to take away without words."""

    line: int | None = Field(None, ge=1)
    left: _Word = ""
    sign: Literal["=", "<>"] = "="
    right: _Word = ""


def _affected_pairs(
    system: System, pairs: Sequence[Pair], tables: frozenset[str], group: int
) -> dict[str, list[str]] | str | None:
    """The ids of a batch's pairs that entries of tables affect, by the places of the entries.

    ``tables`` are file names; ``group`` tells which of their entries are asked about, None if there
    is no such group. In an unaffected pair the rules have the same instances without the entry.
    """
    try:
        if (edits := _edits(system, tables, group)) is None:
            return None
        texts = [Atoms.of(facts).text for _, facts in system.facts_of(pairs)]
        affected = edits.affected(texts, [None] * len(texts))
    except IstsError as error:
        return str(error)
    if affected is None:
        return "with these rules it takes too long to find out which pairs an entry touches"
    ids = defaultdict[str, dict[str, None]](dict)
    for place, bits in affected:
        ids[place] |= {pair.id: None for at, pair in enumerate(pairs) if bits >> at & 1}
    return {place: list(ids) for place, ids in ids.items()}


@lru_cache(_GROUPS)
def _edits(system: System, tables: frozenset[str], number: int) -> Edits | None:
    rules, solver = system.rules, system.solver
    new = Version.of(rules, solver.arguments, solver.program.tables)
    entries = [at for at, rule in enumerate(rules.rules) if rule.file in tables and rule.text]
    group = {*entries[number * _TOGETHER : (number + 1) * _TOGETHER]}
    if not group:
        return None
    remaining = [at for at in range(len(new.places)) if at not in group]
    texts, places = ([part[at] for at in remaining] for part in (new.statements, new.places))
    old = new._replace(statements=texts, places=places)
    return Edits(old, new, rules, solver.program, solver.shapes)


def router(bench: Bench) -> APIRouter:
    """The routes of the view."""
    routes = APIRouter(prefix="/project/words", include_in_schema=False)
    project = bench.project

    @routes.get("")
    def tables() -> dict[str, Any]:
        state = project.notice()
        listed = []
        for name in sorted(name for name in state.files if name.endswith(SUFFIX)):
            text = project.read_rules(name)
            rows = list(filter(None, map(_row, text.split("\n"), count(1))))
            listed.append({"name": name, "digest": text_digest(text), "rows": rows})
        return {"state": state.digest, "tables": listed}

    @routes.post("")
    def edit(change: Edit) -> dict[str, str]:
        if not change.name.endswith(SUFFIX):
            raise UsageError("entries go into tables of words", expected=f"a name with {SUFFIX}")
        text = (change.before and project.read_rules(change.name)) or ""
        edited, line = _edited(text, change)
        place = f"{change.name}:{change.line or edited.count(chr(10))}"
        sides = {" ".join(side.lower().split()) for side in (change.left, change.right)}
        for name, row in ((one["name"], row) for one in tables()["tables"] for row in one["rows"]):
            other = f"{name}:{row['line']}"
            if {row.get("left"), row.get("right")} == sides and other != place:
                found = f"{line}: {other} says {row['left']} {row['sign']} {row['right']}"
                raise DataError(found, where=place, hint="Change that entry, or delete it")
        return saved(bench, change, edited, line)

    @routes.get("/pairs")
    def touched(corpus: Annotated[str, Field(max_length=200)]) -> StreamingResponse:
        return bench.streamed(_affected(bench, corpus))

    return routes


def _row(line: str, number: int) -> dict[str, Any] | None:
    try:
        entry = read_entry(line)
    except RuleError as error:
        return {"line": number, "text": shortened(line.strip()), "fault": error.found}
    return entry and {"line": number, **entry._asdict(), "behind": entry.behind.strip()}


def _edited(text: str, change: Edit) -> tuple[str, str]:
    """The text of a table after an edit, and what to call that; all other lines stay."""
    lines = text.split("\n")
    if change.line is not None and change.line > len(lines):
        raise UsageError(f"there is no line {change.line}", where=change.name)
    old = "" if change.line is None else lines[change.line - 1]
    words = [" ".join(side.split()) for side in (change.left, change.right)]
    if change.line is not None and not any(words):
        del lines[change.line - 1]
        return "\n".join(lines), f"removed {' '.join(old.partition('#')[0].split())}"
    line = f" {change.sign} ".join(words)
    if read_entry(line) != (words[0].lower(), change.sign, words[1].lower(), "", ""):
        expected = "two words or short phrases"
        raise DataError(f"'{shortened(line)}' is not an entry", expected=expected)
    if change.line is None:
        lines[len(lines) - (not lines[-1]) :] = [line, ""]
    else:
        lines[change.line - 1] = line + (entry.behind if (entry := read_entry(old)) else "")
    return "\n".join(lines), line


def _affected(bench: Bench, corpus: str) -> Iterator[dict[str, Any]]:
    """The pairs of a corpus that each entry touches: a record for each batch of them."""
    project, desk = bench.project, bench.desks.desk(patience=None)
    folder, pairs = f"{project.root / RULES}/", project.corpus(corpus).pairs
    tables = frozenset(str(path) for path in project.rule_files() if path.suffix == SUFFIX)
    done = 0

    def look(batch: Sequence[Pair]) -> Iterator[dict[str, Any]]:
        nonlocal done
        done += len(batch)
        ids: dict[str, list[str]] = {}
        for group in count():
            affected = desk.ask(partial(_affected_pairs, pairs=batch, tables=tables, group=group))
            if isinstance(affected, str):
                raise UsageError(affected)
            if affected is None:
                break
            ids |= {place.removeprefix(folder): ids for place, ids in affected.items() if ids}
        named = set(chain.from_iterable(ids.values()))
        texts = {pair.id: [pair.sent1.text, pair.sent2.text] for pair in batch if pair.id in named}
        yield {"done": done, "of": len(pairs), "touched": ids, "pairs": texts}

    yield from chain.from_iterable(map(look, batches(bench.annotated(desk, pairs), BATCH)))
