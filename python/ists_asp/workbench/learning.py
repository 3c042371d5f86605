"""Learning from corrections in a worker, as ``ists-asp learn`` does: measured, then adopted."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ists_asp.engine import Setup
from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Reference
from ists_asp.learn.cross import cross_validate, learn_weights, render_weights
from ists_asp.learn.examples import ExampleBuilder
from ists_asp.learn.fit import Settings
from ists_asp.model import Answer
from ists_asp.resources import Closing
from ists_asp.rules import NO_READER
from ists_asp.run.pool import Limit, Worker
from ists_asp.run.worker import Question, counted, step
from ists_asp.vocabulary import CORRECTION, WEIGHT
from ists_asp.workbench.corrections import Corrections
from ists_asp.workbench.desk import Bench
from ists_asp.workbench.project import CORRECTIONS, RULES

LEAST = 10  # corrected pairs without which nothing is learned; and two for each part
_SECONDS = 1800.0  # seconds of the processor between two signs of life of a lesson

_MEASURES = "alignment", "type", "score", "type_score"
_LEARNED = re.compile(r"learned-(\d+)\.lp")


class Lesson(BaseModel):
    """The data of a lesson, and the number of folds."""

    corpora: Annotated[list[str], Field(max_length=100)]
    folds: Annotated[int, Field(ge=2, le=20)] = 5


def _learned(
    setup: Setup, golds: Sequence[Reference], folds: int, command: str
) -> tuple[str, dict[str, Any]]:
    """The rule file of what is learned, and a report; a pair takes five steps."""
    with ExampleBuilder(setup) as teacher:
        base = teacher.weights(WEIGHT)
        corrected = teacher.weights(CORRECTION) if base else {}
        settings = Settings(base=base, corrected=corrected, scheme=teacher.profile.scheme)
        examples = list(counted(teacher.examples(golds)))
        report: dict[str, Any] = {"pairs": len(golds)}
        for name, most in (("before", 0), ("after", settings.corrections)):
            with_most = replace(settings, corrections=most)
            both = cross_validate(teacher, examples, with_most, folds=folds, tick=step)
            report[name] = {
                kind: {measure: validation.spread(measure) for measure in _MEASURES}
                for kind, validation in zip(("gold", "found"), both, strict=True)
            }
        weights = learn_weights(examples, teacher.senses(), settings)
        report["corrections"] = len(weights)
        title, sentences = f"profile {teacher.profile.name}", teacher.sentences()
        return render_weights(weights, sentences, title, command, corrections=bool(base)), report


class Learning(Closing):
    """The lesson of a project, one at a time, and what came of the last one."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._project = bench, bench.project
        self._corrections = Corrections(bench.project)
        self._steps, self._text = 0, ""
        self._worker: Worker | None = None
        self.job: dict[str, Any] = {"running": False}
        self.found: dict[str, Any] | None = None

    def state(self) -> dict[str, Any]:
        """The lesson with its progress and result, and how many pairs of corpora were corrected."""
        pairs = self.job.get("pairs")
        job = {**self.job, "percent": 20 * self._steps // pairs if pairs else 0}
        corrected = self._corrections.counts()
        counts = {name: corrected.get(name, 0) for name in self._project.corpora()}
        return {"job": job, "counts": counts, "found": self.found}

    def start(self, lesson: Lesson) -> dict[str, Any]:
        """Begin to learn; a UsageError if there are too few corrections, or a lesson under way."""
        mended = {name: self._corrections.mended(name) for name in lesson.corpora}
        answers = [answer for runs in mended.values() for run in runs for answer in run.values()]
        folds, least = lesson.folds, max(LEAST, 2 * lesson.folds)
        if len(answers) < least:
            found = f"{len(answers)} corrected pairs are too few to learn from in {folds} parts"
            hint = "Correct more pairs, or choose fewer parts"
            raise UsageError(found, expected=f"{least} or more", hint=hint)
        if self.job["running"]:
            raise UsageError("a lesson is under way", hint="Wait, or cancel it")
        setup, name = self._bench.desks.setup(), self._project.name
        # Learned rules are learned again, from all corrections.
        rules = tuple(path for path in setup.rules if not _LEARNED.fullmatch(name(path)))
        command = ["ists-asp", "learn", "--profile", setup.profile]
        command += [f"--rules={RULES}/{name(path)}" for path in rules]
        command += [f"--gold={CORRECTIONS}/{corpus}.wa" for corpus in mended if any(mended[corpus])]
        self._steps, self._worker, self.found = 0, Worker(None), None
        self.job = {"running": True, "pairs": len(answers), "fault": None}
        setup = replace(setup, rules=rules, reader=NO_READER)
        task = partial(_learned, setup, folds=folds, command=shlex.join(command))
        arguments = self._worker, answers, task
        threading.Thread(target=self._learn, args=arguments, daemon=True).start()
        return self.job

    def _learn(self, worker: Worker, answers: list[Answer], task: Question) -> None:
        def count() -> None:
            self._steps += 1

        fault = None
        try:
            numbered = enumerate((answer.pair_in_chunks for answer in answers), 1)
            pairs = [replace(pair, id=str(number)) for number, pair in numbered]
            annotated = self._bench.desks.desk().annotate(pairs)
            golds = list(map(Reference, annotated, [answer.alignments for answer in answers]))
            limit = Limit.of_work(_SECONDS)
            self._text, self.found = worker.ask(partial(task, golds=golds), limit=limit, step=count)
        except Exception as error:  # there is nobody else to tell
            fault = self._bench.told(error if worker is self._worker else "cancelled")
        finally:
            worker.close()
            self.job = {"running": False, "fault": fault}

    def cancel(self) -> None:
        """End the lesson."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    close = cancel

    def adopt(self) -> str:
        """Have what was learned, if anything was, as a rule file in place of the one before."""
        if self.found is None:
            raise UsageError("nothing was learned yet")
        names = {name for state in self._project.states for name in state.files}
        numbers = [int(match[1]) for match in map(_LEARNED.fullmatch, names) if match]
        name = f"learned-{max(numbers, default=0) + 1}.lp"
        # Two files of corrections would contradict one another.
        old = filter(_LEARNED.fullmatch, self._project.state.files)
        texts = {**dict.fromkeys(old), name: self._text}
        self._project.put(texts, f"learned from {self.found['pairs']} corrected pairs: {name}")
        self.found = None
        return name


def router(bench: Bench) -> APIRouter:
    """The routes of learning."""
    routes = APIRouter(prefix="/project/learning", tags=["learning"])
    learning = bench.closing.enter_context(Learning(bench))

    routes.get("", summary="How far the lesson is, and what came of it")(learning.state)

    @routes.post("", summary="Begin to learn from corrections")
    def start(lesson: Lesson) -> dict[str, Any]:
        bench.project.folder.check_writable()
        return learning.start(lesson)

    @routes.post("/cancel", summary="End the lesson")
    def cancel() -> dict[str, Any]:
        learning.cancel()
        return learning.job

    @routes.post("/adopt", summary="Have what was learned as a rule file")
    def adopt() -> dict[str, str]:
        bench.project.folder.check_writable()
        return {"name": learning.adopt()}

    return routes
