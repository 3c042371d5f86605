"""Effects of edits: the answers of each state to each corpus, measured, compared, explained.

A warm worker decides, with the shipped rules parsed and facts cached; the rules of a state come
with each question. So an edit costs what it affects, and endless rules cost only the worker.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import Response
from pydantic import Field

from ists_asp.compare import Answered, compare, find_edits, run_both
from ists_asp.compare.causes import with_effects
from ists_asp.compare.rendering import as_json
from ists_asp.engine import System
from ists_asp.errors import IstsError, SolveError, shortened
from ists_asp.evaluate.scorer import Reference
from ists_asp.model import Answer, Pair
from ists_asp.report.picture import picture
from ists_asp.resources import Closing
from ists_asp.run.pool import SupersededError, Worker, ask_each
from ists_asp.run.worker import with_rules
from ists_asp.solver.batch import BATCH, batches
from ists_asp.solver.kept import TOGETHER
from ists_asp.workbench.desk import Bench
from ists_asp.workbench.folder import Folder, Stamp
from ists_asp.workbench.project import Corpus, State

Stamps = list[Stamp]
"""Files of a corpus, and when they were changed."""
Rules = tuple[Path, ...]

_HELD, _ASKED = 10, 4  # last states whose answers are cached, and others on a page
_LOOK = 0.2  # seconds between two looks at the rules, which an editor may have changed
_PATIENCE = 1.0  # seconds that unwanted answers may still take
_RENEWED = 300  # questions after which a worker gives way to a new one: clingo never forgets a word
_LOST = 2  # pairs that may cost a worker its life, as long as no more do than have answers


# In the worker. Names in the rules are looked at where they are edited: that takes a second.
_system = partial(with_rules, checked=False)


def _load(worker: System, rules: Rules) -> None:
    _system(worker, rules).solver  # noqa: B018


def _decided(worker: System, pairs: Sequence[Pair], rules: Rules) -> Iterator[Answer | str]:
    for result in _system(worker, rules).outcomes(pairs):
        yield result.found if isinstance(result, IstsError) else result.answers[0]


def _causes(
    worker: System, pairs: Sequence[Pair], old: Rules, new: Rules, gold: Mapping[str, Reference]
) -> Iterator[dict[str, Any]]:
    """The differences of pairs, each traced twice, as ``ists-asp diff --json`` tells them."""
    before, after = (_system(worker, rules) for rules in (old, new))
    edits, weights = find_edits(before.rules, after.rules)
    for pair, both in zip(pairs, run_both(before, after, pairs, wholes=True), strict=True):
        runs = {pair.id: both.old}, {pair.id: both.new}, gold or None, {pair.id: both.causes}
        yield as_json(compare(*runs), (with_effects(edits, [both]), weights))


# In the server.


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The answers of a state to a corpus, by ids, or what is wrong with a pair; or with all."""

    stamps: Stamps
    gold: Mapping[str, Reference] = field(default_factory=dict)
    answers: dict[str, Answer | str] = field(default_factory=dict)
    fault: str | None = None


class Effects(Closing):
    """Decides all corpora in the background whenever the rules change."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._project = bench, bench.project
        self._folder = TemporaryDirectory(prefix="ists-asp-")
        self._copies = Folder(Path(self._folder.name).resolve())
        # Rules of users come with the questions, so that faulty ones cost nothing else.
        setup = replace(bench.desks.setup(), rules=(), incremental=True)
        self._worker = Worker(setup, renewed=_RENEWED)
        self._copied = set[str]()
        self._corpora: dict[str, tuple[Stamps, Corpus]] = {}
        self._runs: dict[tuple[str, str], Run] = {}
        self._asked: tuple[State, ...] = ()
        self._busy: tuple[tuple[str, str], float] | None = None
        self._closed = threading.Event()
        self.under_way: dict[str, Any] | None = None
        for loop in (self._watch, self._decide_all):
            threading.Thread(target=loop, daemon=True).start()

    def close(self) -> None:
        """End what is under way."""
        self._closed.set()
        self._worker.close()
        self._folder.cleanup()

    def _watch(self) -> None:
        """See when there is something new, and end what keeps from it."""
        while not self._closed.wait(_LOOK):
            with suppress(IstsError, OSError):
                self._project.notice()
                key, since = self._busy or (None, time.monotonic())
                if key and time.monotonic() - since > _PATIENCE and not self._wanted(key):
                    self._worker.interrupt()

    def _decide_all(self) -> None:
        while not self._closed.is_set():
            with suppress(IstsError, OSError):
                if (lacking := self._lacking()) is not None:
                    self._run(*lacking)
                    continue
            self._closed.wait(_LOOK)

    def _lacking(self) -> tuple[State, str] | None:
        """A state and a corpus that are not decided yet, if there are any."""
        *_, before, now = (None, *self._project.states)
        # The current state comes first, then those that it is compared with.
        for state in filter(None, (now, *self._asked, before)):
            for name in self._project.corpora():
                run = self._runs.get((state.digest, name))
                if run is None or run.stamps != self._project.stamps(name):
                    return state, name
        return None

    def _wanted(self, key: tuple[str, str]) -> bool:
        """Whether the answers of a state to a corpus are what is lacking now."""
        state, name = self._lacking() or (None, "")
        return state is not None and not self._closed.is_set() and key == (state.digest, name)

    def _run(self, state: State, name: str) -> None:
        key, stamps = (state.digest, name), self._project.stamps(name)
        at = self.under_way = {"state": state.number, "corpus": name, "done": 0, "pairs": 0}
        try:
            corpus, rules = self.corpus(name), self._rules(state)
            at["pairs"], self._busy = len(corpus.pairs), (key, time.monotonic())
            runs = {key: Run(stamps, corpus.gold, self._decide(key, corpus.pairs, rules))}
        except SupersededError:
            return
        except IstsError as error:
            fault = self._bench.told(error).replace(f"{self._place(state)}/", "")
            runs = {key: Run(stamps, fault=fault)}
            if isinstance(error, SolveError):
                # Rules without an end have none for other pairs either.
                for other in {*self._project.corpora()} - {name}:
                    stamps = self._project.stamps(other)
                    runs[state.digest, other] = Run(stamps, fault=f"{name}: {fault}")
        finally:
            self.under_way = self._busy = None
        current = {state.digest for state in (*self._project.states[-_HELD:], *self._asked)}
        self._runs = {key: run for key, run in {**self._runs, **runs}.items() if key[0] in current}

    def _decide(
        self, key: tuple[str, str], pairs: Sequence[Pair], rules: Rules
    ) -> dict[str, Answer | str]:
        """The best answers, or the faults of pairs, as long as they are wanted."""
        ask = partial(self._worker.ask, wanted=lambda: self._wanted(key))
        ask(partial(_load, rules=rules))
        answers, lost = dict[str, Answer | str](), 0
        # After an edit the few pairs that it affects are decided together.
        size = TOGETHER if any(name == key[1] for _, name in self._runs) else BATCH
        for pair, answer in ask_each(ask, batches(pairs, size), partial(_decided, rules=rules)):
            if isinstance(answer, IstsError):
                lost += 1
                if lost > min(len(answers), _LOST):
                    answer.where = f"pair {shortened(pair.id)}"
                    raise answer
            answers[pair.id] = answer.found if isinstance(answer, IstsError) else answer
            assert self.under_way is not None
            self.under_way["done"] = len(answers)
        return answers

    def _place(self, state: State) -> Path:
        return self._copies.root / state.digest

    def _rules(self, state: State) -> Rules:
        names = {f"{state.digest}/{name}": state.files[name] for name in sorted(state.files)}
        new = {name: self._project.text_of(names[name]) for name in names.keys() - self._copied}
        self._copies.commit(new)
        self._copied |= new.keys()
        return tuple(self._copies.root / name for name in names)

    def corpus(self, name: str) -> Corpus:
        """A corpus with its pairs annotated; read again when its files have changed."""
        stamps = self._project.stamps(name)
        if name not in self._corpora or self._corpora[name][0] != stamps:
            corpus = self._project.corpus(name)
            pairs = self._bench.desks.desk().annotate(corpus.pairs)
            self._corpora[name] = stamps, replace(corpus, pairs=tuple(pairs))
        return self._corpora[name][1]

    def run(self, state: State, name: str) -> Run | None:
        """The answers of a state to a corpus; None, and they will come, if there are none yet."""
        run = self._runs.get((state.digest, name))
        if run is None and state not in self._asked:
            self._asked = (state, *self._asked)[:_ASKED]
        return run

    def compared(self, *states: State) -> Iterator[dict[str, Any]]:
        """How two states differ on each corpus, worst pairs first."""
        for name in self._project.corpora():
            old, new = runs = [self.run(state, name) for state in states]
            named = zip(states, runs, strict=True)
            failed = ((state, run.fault) for state, run in named if run and run.fault)
            faults = {f"state {state.number}": fault for state, fault in failed}
            comparison = _comparison(old, new) if old and new and not faults else {}
            yield {"name": name, "pending": None in runs, "faults": faults, **comparison}

    def pictures(self, name: str, identifier: str, *states: State) -> list[str | None]:
        """Answers to a pair as pictures, or why there is none; the last one is gold."""
        runs = [self.run(state, name) for state in states]
        answers = [run.answers.get(identifier) if run else None for run in runs]
        pictures = [picture(answer) if isinstance(answer, Answer) else answer for answer in answers]
        gold, last = self.corpus(name).gold.get(identifier), answers[-1]
        if gold is None or not isinstance(last, Answer):
            return [*pictures, None]
        return [*pictures, picture(replace(last, alignments=gold.alignments))]

    def causes(self, name: str, identifier: str, old: State, new: State) -> dict[str, Any]:
        """The differences in a pair between two states, and the edits behind them."""
        corpus = self.corpus(name)
        pair = corpus.pair(identifier)
        gold = {id_: lines for id_, lines in corpus.gold.items() if id_ == identifier}
        question = partial(_causes, old=self._rules(old), new=self._rules(new), gold=gold)
        text = json.dumps(self._worker.ask(question, [pair]))
        for state in (old, new):
            text = text.replace(f"{self._place(state)}/", "")
        return dict(json.loads(text)[0])


@lru_cache(_HELD)
def _comparison(old: Run, new: Run) -> dict[str, Any]:
    before, after = (
        {name: Answered.of(best) for name, best in run.answers.items() if isinstance(best, Answer)}
        for run in (old, new)
    )
    failed = [f"{name}: {fault}" for name, fault in new.answers.items() if isinstance(fault, str)]
    comparison: dict[str, Any] = {"pairs": len(new.answers), "failed": failed, "changed": []}
    if common := before.keys() & after.keys():
        gold = new.gold if common & new.gold.keys() else None
        comparison |= as_json(compare(before, after, gold), None)
        comparison["changed"].reverse()  # the worst comes first
    return comparison


def router(bench: Bench) -> APIRouter:
    """The routes of effects and states."""
    routes = APIRouter(prefix="/project/effects", tags=["effects"])
    effects, state = bench.closing.enter_context(Effects(bench)), bench.project.numbered

    @routes.get("", summary="How two states differ; by default the latest and the one before")
    def compared(before: int = 0, after: int = 0) -> dict[str, Any]:
        states = bench.project.states
        new = state(after or len(states))
        old = state(before or max(1, new.number - 1))
        listed = [{"number": item.number, "edit": item.edit, "when": item.when} for item in states]
        corpora = list(effects.compared(old, new))
        return {"before": old.number, "after": new.number, "states": listed, "corpora": corpora}

    @routes.get("/progress", summary="What is under way, and which state is the latest")
    def progress() -> dict[str, Any]:
        return {"under_way": effects.under_way, "latest": bench.project.state.number}

    @routes.get("/pair", summary="Both answers to a pair as pictures, and gold")
    def pair(corpus: str, pair: str, before: int, after: int) -> list[str | None]:
        return effects.pictures(corpus, pair, state(before), state(after))

    @routes.get("/causes", summary="What differs in a pair, and because of which edits")
    def causes(corpus: str, pair: str, before: int, after: int) -> dict[str, Any]:
        return effects.causes(corpus, pair, state(before), state(after))

    @routes.post("/corpus", summary="Add a table of pairs, or a .wa file, under a new name")
    def add(
        name: Annotated[str, Field(max_length=200)],
        data: Annotated[bytes, Body(media_type="application/octet-stream")],
    ) -> None:
        bench.project.folder.check_writable()
        bench.project.add_corpus(name, data)

    @routes.get("/corpus", summary="The files of a corpus in an archive")
    def files(name: str) -> Response:
        return Response(bench.project.archive(name), media_type="application/zip")

    @routes.post("/go-to", summary="Have the rules say what they said in an earlier state")
    def go_to(number: int) -> dict[str, int]:
        bench.project.folder.check_writable()
        return {"number": bench.project.go_to(number).number}

    return routes
