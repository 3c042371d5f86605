"""What edits change: the answers of each state to each corpus, measured, compared, and why.

Answers are kept as JSON Lines, ``.history/answers/STATE/CORPUS.jsonl``.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import orjson
from fastapi import APIRouter

from ists_asp.compare import Answered, compare
from ists_asp.compare.rendering import as_json
from ists_asp.engine import System
from ists_asp.errors import DataError, IstsError, SolveError, UsageError, shortened
from ists_asp.io.files import atomic_writer
from ists_asp.io.formats import answer_record, failure_record, read_record
from ists_asp.model import Answer
from ists_asp.report.picture import picture
from ists_asp.resources import Closing
from ists_asp.terminal import visible
from ists_asp.workbench.deciding import CancelledError, Decider
from ists_asp.workbench.project import CORPORA, HISTORY, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ists_asp.engine import Setup
    from ists_asp.model import Pair
    from ists_asp.workbench.bench import Bench
    from ists_asp.workbench.project import Corpus

    Answers = dict[str, Answer | str]
    """By ids; in place of an answer why there is none."""

KEPT = 20
"""States whose answers are kept."""

_HELD = 40
"""Answers to a corpus, and comparisons, that are held in memory."""

_LOOK = 0.1
"""Seconds between two looks at the state."""

_OUTSIDE = 10
"""Looks after which files are read, for an editor may have changed them."""

_PATIENCE = 1.0
"""Seconds that answers which nobody wants any more may still take."""


class Effects(Closing):
    """Decides all corpora in the background whenever the rules change."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._project = bench, bench.project
        self._folder = TemporaryDirectory(prefix="ists-asp-")
        self._decider = Decider(bench.desks.setup())
        self._corpora: dict[str, tuple[object, Corpus]] = {}
        self._held: dict[tuple[str, str], Answers] = {}
        self._compared: dict[tuple[str, str, str], tuple[Any, dict[str, Any]]] = {}
        self._faults: dict[tuple[str, str], str] = {}
        self._lost: dict[str, str] = {}
        self._asked: list[State] = []
        self._target: object = None
        self._round: object = None
        self._state: State | None = None
        self._since: float | None = None
        self._changed = threading.Condition()
        self._closed = False
        self.under_way: dict[str, Any] | None = None
        for work in (self._watch, self._work):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """End what is under way."""
        self._closed = True
        self._decider.close()
        self._folder.cleanup()

    # In the background.

    def _watch(self) -> None:
        """See when there is something new, and end what is about something older."""
        looks, corpora = 0, self._seen()
        while not self._closed:
            with suppress(IstsError, OSError):
                if looks % _OUTSIDE == 0:
                    self._project.notice()
                    corpora = self._seen()
            target = self._project.state.digest, corpora
            if target != self._target:
                with self._changed:
                    # Whoever still wants to see something else asks again.
                    self._target, self._asked = target, []
                    self._changed.notify_all()
            since = self._since
            if since is not None and time.monotonic() - since > _PATIENCE and not self._wanted():
                self._decider.interrupt()
            time.sleep(_LOOK)
            looks += 1

    def _seen(self, name: str = "*") -> list[tuple[str, int]]:
        """The files of corpora, and when they were changed."""
        root = self._project.root / CORPORA
        files = sorted({*root.glob(f"{name}*"), *root.glob(f"{name}/*")})
        return [(str(file), file.stat().st_mtime_ns) for file in files]

    def _wanted(self) -> bool:
        """Whether what is under way is about what holds now, or was asked for."""
        return not self._closed and (self._round == self._target or self._state in self._asked)

    def _work(self) -> None:
        done: object = None
        while not self._closed:
            with self._changed:
                if self._target in (done, None) and not self._asked:
                    self._changed.wait(1.0)
                    continue
                self._round, asked = self._target, list(self._asked)
            states = self._project.states
            before = [one for one in states if one.digest != states[-1].digest][-1:]
            # What holds now comes first, then what it is compared with.
            for self._state in (states[-1], *asked, *before):
                with suppress(CancelledError):
                    for name in self._project.corpora():
                        self._try(self._state, name)
            with self._changed:
                done = self._round
                self._asked = [one for one in self._asked if one not in asked]

    def _try(self, state: State, name: str) -> None:
        """Have the answers of a state to a corpus, or say why not."""
        key = state.digest, name
        if state.digest in self._lost:
            self._faults[key] = self._lost[state.digest]
            return
        self.under_way = {"state": state.number, "corpus": name, "done": 0, "pairs": 0}
        try:
            self._ensure(state, self.corpus(name))
            self._faults.pop(key, None)
        except IstsError as error:
            self._faults[key] = visible(str(error)).replace(f"{self._place(state)}/", "")
            if isinstance(error, SolveError):
                # Rules without an end have none for other pairs either.
                self._lost[state.digest] = f"{name}: {self._faults[key]}"
        finally:
            self.under_way = self._since = None

    def _ensure(self, state: State, corpus: Corpus) -> None:
        key, setup = (state.digest, corpus.name), self._setup(state)
        if _fits(self._held.get(key), corpus):
            return
        with System(setup) as system:
            made_by = system.provenance.to_dict()
        found = self._read(key, corpus, made_by)
        if found is None:
            at, self._since = self.under_way or {}, time.monotonic()
            at["pairs"] = len(corpus.pairs)
            decided = self._decider.decide(
                setup, corpus.pairs, lambda done: at.update(done=done), self._wanted
            )
            found = {pair.id: one for pair, one in zip(corpus.pairs, decided, strict=True)}
            self._write(key, corpus, found, made_by)
        _hold(self._held, key, found)

    # Rules and corpora.

    def _place(self, state: State) -> Path:
        return Path(self._folder.name).resolve() / state.digest

    def _setup(self, state: State) -> Setup:
        """The options of a system with the rules of a state: copies, which nobody edits."""
        paths = [self._place(state) / name for name in sorted(state.files)]
        for path, known in zip(paths, sorted(state.files), strict=True):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._project.text_of(state.files[known]), "utf-8")
        return replace(self._bench.desks.setup(), rules=tuple(paths))

    def corpus(self, name: str) -> Corpus:
        """A corpus with its pairs annotated; read anew when its files have changed."""
        seen = self._seen(name)
        if self._corpora.get(name, (None,))[0] != seen:
            corpus = self._project.corpus(name)
            pairs = self._bench.desks.desk().annotate(corpus.pairs)
            self._corpora[name] = seen, replace(corpus, pairs=tuple(pairs))
        return self._corpora[name][1]

    # Files of answers.

    def _read(
        self, key: tuple[str, str], corpus: Corpus, made_by: Mapping[str, object]
    ) -> Answers | None:
        """The answers that were kept, if they are to these pairs and by these rules."""
        found: Answers = {}
        with suppress(OSError, ValueError, DataError, LookupError):
            for line in self._path(key).read_bytes().splitlines():
                record = orjson.loads(line)
                if "error" not in record and record["system"] != made_by:
                    return None
                found[record["id"]] = record.get("error") or read_record(record)
        return found if _fits(found, corpus) else None

    def _write(
        self, key: tuple[str, str], corpus: Corpus, found: Answers, made_by: Mapping[str, object]
    ) -> None:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            for pair in corpus.pairs:
                one = found[pair.id]
                record = (
                    failure_record(pair, one)
                    if isinstance(one, str)
                    else answer_record(one, system=made_by)
                )
                stream.write(orjson.dumps(record).decode() + "\n")
        latest = dict.fromkeys(one.digest for one in reversed(self._project.states))
        for folder in path.parent.parent.iterdir():
            if folder.name not in {*list(latest)[:KEPT], key[0]}:
                shutil.rmtree(folder, ignore_errors=True)

    def _path(self, key: tuple[str, str]) -> Path:
        return self._project.root / HISTORY / "answers" / key[0] / f"{key[1]}.jsonl"

    # What is asked.

    def state(self, number: int) -> State:
        """The state with a number.

        Raises:
            UsageError: there is none.
        """
        states = self._project.states
        if not 1 <= number <= len(states):
            raise UsageError(f"there is no state {number}", expected=f"1 to {len(states)}")
        return states[number - 1]

    def answers(self, state: State, name: str) -> Answers | None:
        """The answers of a state to a corpus; None, and they will come, if there are none yet."""
        found = self._held.get((state.digest, name))
        if found is None and (state.digest, name) not in self._faults:
            with self._changed:
                self._asked += [state] * (state not in self._asked)
                self._changed.notify_all()
        return found

    def compared(self, *states: State) -> Iterator[dict[str, Any]]:
        """How two states differ on each corpus, worst pairs first."""
        for name in self._project.corpora():
            both = [self.answers(state, name) for state in states]
            faults = [self._faults.get((state.digest, name)) for state in states]
            told = {
                f"state {state.number}": fault
                for state, fault in zip(states, faults, strict=True)
                if fault
            }
            pending = (None, None) in zip(both, faults, strict=True)
            found = {} if None in both else self._comparison(name, *states)
            yield {"name": name, "pending": pending, "faults": told, **found}

    def _comparison(self, name: str, before: State, after: State) -> dict[str, Any]:
        old, new = (self._held[state.digest, name] for state in (before, after))
        gold, key = self._corpora[name][1].gold, (before.digest, after.digest, name)
        known = self._compared.get(key)
        of = old, new, gold
        if known is not None and [*map(id, known[0])] == [*map(id, of)]:
            return known[1]
        one, two = (
            {name: Answered.of(each) for name, each in run.items() if isinstance(each, Answer)}
            for run in (old, new)
        )
        failed = [f"{name}: {fault}" for name, fault in new.items() if isinstance(fault, str)]
        found: dict[str, Any] = {"pairs": len(new), "failed": failed, "changed": []}
        if common := one.keys() & two.keys():
            found |= as_json(compare(one, two, gold if common & gold.keys() else None), None)
            # The worst comes first.
            found["changed"].reverse()
        _hold(self._compared, key, (of, found))
        return found

    def pictures(self, name: str, identifier: str, *states: State) -> list[str | None]:
        """Answers to a pair as pictures, or why there is none; the last one is gold."""
        found = [(self.answers(state, name) or {}).get(identifier) for state in states]
        shown = [picture(one) if isinstance(one, Answer) else one for one in found]
        gold, last = self.corpus(name).gold.get(identifier), found[-1]
        if gold is None or not isinstance(last, Answer):
            return [*shown, None]
        return [*shown, picture(replace(last, alignments=gold.alignments))]

    def causes(self, name: str, identifier: str, old: State, new: State) -> dict[str, Any]:
        """What differs in a pair between two states, and because of which edits."""
        corpus = self.corpus(name)
        pair = next((one for one in corpus.pairs if one.id == identifier), None)
        if pair is None:
            raise DataError(f"there is no pair {shortened(identifier)!r}", where=name)
        gold = {identifier: corpus.gold[identifier]} if identifier in corpus.gold else None
        text = json.dumps(self._decider.causes(self._setup(old), self._setup(new), pair, gold))
        for state in (old, new):
            text = text.replace(f"{self._place(state)}/", "")
        found: dict[str, Any] = json.loads(text)
        return found


def _hold(held: dict[Any, Any], key: object, value: object) -> None:
    while len(held) >= _HELD:
        del held[next(iter(held))]
    held[key] = value


def _fits(answers: Answers | None, corpus: Corpus) -> bool:
    """Whether answers are to the pairs of a corpus."""

    def said(pair: Pair) -> tuple[str, str]:
        return pair.sent1.spaced, pair.sent2.spaced

    found = answers or {}
    return len(found) == len(corpus.pairs) and all(
        pair.id in found
        and (isinstance(one := found[pair.id], str) or said(one.pair) == said(pair))
        for pair in corpus.pairs
    )


def router(bench: Bench) -> APIRouter:
    """The routes of effects and states."""
    routes = APIRouter(prefix="/project/effects", tags=["effects"])
    effects = bench.closing.enter_context(Effects(bench))

    @routes.get("", summary="How two states differ; by default the latest and the one before")
    def compared(before: int = 0, after: int = 0) -> dict[str, Any]:
        states = bench.project.states
        new = effects.state(after or len(states))
        others = [one.number for one in states[: new.number - 1] if one.digest != new.digest]
        old = effects.state(before or max(others, default=new.number))
        told = [{"number": one.number, "edit": one.edit, "when": one.when} for one in states]
        corpora = list(effects.compared(old, new))
        return {"before": old.number, "after": new.number, "states": told, "corpora": corpora}

    @routes.get("/progress", summary="What is under way, and which state is the latest")
    def progress() -> dict[str, Any]:
        return {"under_way": effects.under_way, "latest": bench.project.state.number}

    @routes.get("/pair", summary="Both answers to a pair as pictures, and gold")
    def pair(corpus: str, pair: str, before: int, after: int) -> list[str | None]:
        return effects.pictures(corpus, pair, effects.state(before), effects.state(after))

    @routes.get("/causes", summary="What differs in a pair, and because of which edits")
    def causes(corpus: str, pair: str, before: int, after: int) -> dict[str, Any]:
        return effects.causes(corpus, pair, effects.state(before), effects.state(after))

    @routes.post("/go-to", summary="Have the rules say what they said in an earlier state")
    def go_to(number: int) -> dict[str, int]:
        bench.check_writable()
        return {"number": bench.project.go_to(number).number}

    return routes
