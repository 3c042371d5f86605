"""Learning from corrections: ``ists-asp learn`` says what it gains before anything is adopted."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ists_asp.errors import UsageError
from ists_asp.io.chunks import format_chunks
from ists_asp.io.files import atomic_writer
from ists_asp.io.wa import write_pair
from ists_asp.workbench.corrections import Corrections
from ists_asp.workbench.jobs import Job
from ists_asp.workbench.project import CORRECTIONS, HISTORY

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.model import Answer
    from ists_asp.workbench.bench import Bench

LEAST = 10
"""Corrected pairs without which nothing is learned; and two for each part."""

_LEARNED = re.compile(r"learned-(\d+)\.lp")
_REACHED = re.compile(r"(gold|found) chunks: (.*)")
_MEASURE = re.compile(r"([a-z+]+) ([\d.]+) ± ([\d.]+)")
_COUNT = re.compile(r"(\d+) corrections from")


class Lesson(BaseModel):
    """What to learn from, and in how many parts it is cross-validated."""

    corpora: Annotated[list[str], Field(max_length=100)]
    folds: Annotated[int, Field(ge=2, le=20)] = 5


class Learning:
    """The lesson of a project, one at a time, and what came of the last one."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._project = bench, bench.project
        self._corrections = Corrections(bench.project)
        self._output = bench.project.root / HISTORY / "learned.lp"
        self.job = Job()
        self.found: dict[str, Any] | None = None

    def counts(self) -> dict[str, int]:
        """How many pairs of each corpus were corrected."""
        return {name: len(self._corrections.mended(name)) for name in self._project.corpora()}

    def start(self, lesson: Lesson) -> None:
        """Begin to learn.

        Raises:
            UsageError: there are too few corrections, or a job is running.
        """
        each = map(self._corrections.mended, lesson.corpora)
        answers = [answer for mended in each for answer in mended.values()]
        least = max(LEAST, 2 * lesson.folds)
        if len(answers) < least:
            raise UsageError(
                f"{len(answers)} corrected pairs are too few to learn from in {lesson.folds} parts",
                expected=f"{least} or more",
                hint="Correct more pairs, or choose fewer parts",
            )
        setup, folds = self._bench.desks.setup(), str(lesson.folds)
        command = ["learn", "--profile", setup.profile, "--cross-validate", folds]
        command += ["--gold", str(self._gold(answers)), "--cache", str(setup.cache or "none")]
        for path in setup.rules:
            # What was learned before is learned anew, from all corrections.
            if not _LEARNED.fullmatch(self._project.name(path)):
                command += ["--rules", str(path)]

        def done(said: list[str]) -> None:
            before, after = map(_reached, said)
            (count,) = _COUNT.findall(said[1])
            self.found = {"pairs": len(answers), "corrections": int(count)}
            self.found |= {"before": before, "after": after}

        self.job.start(
            {
                "what the rules reach": [*command, "--most", "0"],
                "learning": [*command, "-o", str(self._output)],
            },
            done,
        )
        self.found = None

    def _gold(self, answers: list[Answer]) -> Path:
        """The corrections as ``--gold`` takes them, several chunks on a line included."""
        folder = self._project.root / HISTORY / CORRECTIONS
        folder.mkdir(exist_ok=True)
        pairs = [one.pair.with_chunks(one.chunks1, one.chunks2) for one in answers]
        for side in ("sent1", "sent2"):
            with atomic_writer(folder / f"{side}.chunk.txt") as stream:
                stream.writelines(f"{format_chunks(getattr(pair, side))}\n" for pair in pairs)
        with atomic_writer(folder / "gold.wa") as stream:
            for number, one in enumerate(answers, 1):
                stream.write(write_pair(replace(one.pair, id=str(number)), one.alignments))
        return folder

    def adopt(self) -> str:
        """Have what was learned as a rule file, in place of what was learned before.

        Raises:
            UsageError: nothing was learned.
        """
        if self.found is None:
            raise UsageError("nothing was learned yet")
        names = {name for state in self._project.states for name in state.files}
        numbers = [int(match[1]) for match in map(_LEARNED.fullmatch, names) if match]
        name = f"learned-{max(numbers, default=0) + 1}.lp"
        # Two files of corrections would contradict one another.
        old = filter(_LEARNED.fullmatch, self._project.state.files)
        texts = {**dict.fromkeys(old), name: self._output.read_text("utf-8")}
        self._project.put(texts, f"learned from {self.found['pairs']} corrected pairs: {name}")
        self.found = None
        return name


def _reached(text: str) -> dict[str, dict[str, tuple[float, float]]]:
    """What ``--cross-validate`` prints: by chunks the mean F1s, and how far parts differ."""
    return {
        kind: {name: (float(mean), float(spread)) for name, mean, spread in _MEASURE.findall(told)}
        for kind, told in _REACHED.findall(text)
    }


def router(bench: Bench) -> APIRouter:
    """The routes of learning."""
    routes = APIRouter(prefix="/project/learning", tags=["learning"])
    learning = Learning(bench)
    bench.closing.enter_context(learning.job)

    @routes.get("", summary="How far the lesson is, and what came of it")
    def state() -> dict[str, Any]:
        return {"job": learning.job.state, "counts": learning.counts(), "found": learning.found}

    @routes.post("", summary="Begin to learn from corrections")
    def start(lesson: Lesson) -> dict[str, Any]:
        bench.check_writable()
        learning.start(lesson)
        return learning.job.state

    @routes.post("/cancel", summary="End the lesson")
    def cancel() -> dict[str, Any]:
        learning.job.cancel()
        return learning.job.state

    @routes.post("/adopt", summary="Have what was learned as a rule file")
    def adopt() -> dict[str, str]:
        bench.check_writable()
        return {"name": learning.adopt()}

    return routes
