"""Answers that people correct: gold of their own, to measure and to learn from.

``corrections/.log.jsonl`` has a record of each action: the corrected answer, or an undo or redo. It
belongs to the text of a pair, as rows may move and ids change; equal texts are numbered. Each
corpus has ``CORPUS.jsonl``, as of ``solve --format jsonl``, and ``CORPUS.wa`` for ``evaluate`` and
``learn``. Corrections whose pair has left the corpus come last.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, count
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias
from unicodedata import normalize

import msgspec
from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from ists_asp.answers import check_answer
from ists_asp.compare.agreement import compare_annotators
from ists_asp.compare.comparison import Answered
from ists_asp.errors import DataError, UsageError
from ists_asp.evaluate.files import read_references
from ists_asp.io.formats import answer_record, read_record
from ists_asp.io.text import Repairs, clean
from ists_asp.io.wa import given_answer, write_pair
from ists_asp.model import HIGHEST, Alignment, Answer, Label, Pair, Tag
from ists_asp.report.picture import picture
from ists_asp.rules import load_profile
from ists_asp.workbench.desk import Bench, Step
from ists_asp.workbench.folder import Folder, Stamp
from ists_asp.workbench.project import CORRECTIONS, Project

_LOG, _UNDO, _REDO = f"{CORRECTIONS}/.log.jsonl", "undo", "redo"
_SETTLED = "settle"
_RECENT = 100  # actions among which is the one that is undone

Key: TypeAlias = tuple[str, str, int]
"""What a pair says, and which of those it is that say the same, from 1."""

_NEW = Label.SIMI, 3.0  # label and score of a new alignment

Tokens: TypeAlias = Annotated[list[Annotated[int, Field(ge=1, le=1000)]], Field(max_length=1000)]


class Action(BaseModel):
    """A user's action on the answer to a pair; tokens are those of a line, or of chunks."""

    id: Annotated[str, Field(max_length=200)]
    do: Literal["accept", "join", "part", "label", "score", "tag", "settle"]
    tokens1: Tokens = []
    tokens2: Tokens = []
    label: Label | None = None
    score: Annotated[float, Field(ge=1, le=HIGHEST)] | None = None
    tag: Tag | None = None
    several: bool = Field(False, description="Whether a chunk joins the alignments that there are.")
    second: bool = Field(False, description="Whether a pair is settled as the second one has it.")


def act(answer: Answer, action: Action) -> Answer:
    """The answer after an action, not yet checked; other chunks stay as they were, or NOALI."""
    sides = tuple(sorted({*action.tokens1})), tuple(sorted({*action.tokens2}))
    aligned = [line for line in answer.alignments if line.label.aligned]
    if action.do in ("accept", "settle"):
        return _complete(answer, aligned)
    if action.do == "join":
        first, second = map(set, sides)
        touching = [line for line in aligned if first & {*line.tokens1} or second & {*line.tokens2}]
        new = Alignment(*sides, *_NEW)
        if action.several and touching:
            tokens1 = tuple(sorted(first.union(*(line.tokens1 for line in touching))))
            tokens2 = tuple(sorted(second.union(*(line.tokens2 for line in touching))))
            new = replace(touching[0], tokens1=tokens1, tokens2=tokens2)
        return _complete(answer, [new, *(line for line in aligned if line not in touching)])
    line = next((line for line in aligned if line.sides == sides), None)
    if line is None:
        raise UsageError("this is not an alignment", hint="Choose one first")
    others = [other for other in aligned if other is not line]
    return _complete(answer, others if action.do == "part" else [*others, _judged(line, action)])


def _judged(line: Alignment, action: Action) -> Alignment:
    if action.tag is not None:
        return replace(line, tags=line.tags ^ {action.tag})
    label, score = action.label or line.label, action.score or line.score or _NEW[1]
    if action.label is not None:
        score = float(HIGHEST) if label is Label.EQUI else min(score, HIGHEST - 1.0)
    return replace(line, label=label, score=score)


def _complete(answer: Answer, aligned: list[Alignment]) -> Answer:
    """The answer with these alignments, and lines for the other chunks."""
    lines = [replace(line, confidence=None) for line in aligned]
    old = {line.sides: line for line in answer.alignments}
    for side, chunks in enumerate(answer.chunks):
        used = {token for line in aligned for token in line.sides[side]}
        for tokens in (chunk.tokens for chunk in chunks if not {*chunk.tokens} & used):
            sides = (tokens, ()) if side == 0 else ((), tokens)
            lines.append(old.get(sides) or Alignment(sides[0], sides[1], Label.NOALI, None))
    lines.sort(key=lambda line: (not line.tokens1, line.tokens1, line.tokens2))
    return Answer(answer.pair, answer.chunks1, answer.chunks2, tuple(lines), (), optimal=True)


class _Head(msgspec.Struct):
    """A record of the log; that of an action has an answer beside it."""

    corpus: str
    action: str
    id: str
    pair: Key | None = None
    sent1: str = ""
    sent2: str = ""


class _Done(NamedTuple):
    """An action on a pair, and what it has made of it."""

    key: Key
    id: str
    action: str
    answer: Answer


def _says(sent1: str, sent2: str) -> tuple[str, str]:
    """The sentences, normalised, without the blanks between their tokens."""
    first, second = ("".join(normalize("NFC", text).split()) for text in (sent1, sent2))
    return first, second


def keyed(pairs: Iterable[Pair]) -> dict[Key, Pair]:
    """Pairs by what they say, and by which of those they are that say the same."""
    counts = Counter[tuple[str, str]]()
    by_key: dict[Key, Pair] = {}
    for pair in pairs:
        says = _says(pair.sent1.text, pair.sent2.text)
        counts[says] += 1
        by_key[*says, counts[says]] = pair
    return by_key


def _sound(answer: Answer) -> Answer:
    """An answer of the log that has alignments."""
    if not answer.alignments:
        raise DataError("this is not a correction", expected="alignments")
    return answer


class Corrections:
    """The corrections of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._second: tuple[list[Stamp], dict[str, Answer]] = [], {}
        self._scheme = load_profile(project.profile).scheme

    def counts(self) -> dict[str, int]:
        """The number of corrected pairs of each corpus that has any."""
        histories = self._histories().items()
        return {corpus: len({action.key for action in done}) for corpus, (done, _) in histories}

    def mended(self, corpus: str) -> tuple[dict[str, Answer], dict[str, Answer]]:
        """The corrected pairs of a corpus, by id, and those that it has no more."""
        return self._by_id(self._history(corpus)[0], self._project.corpus(corpus).pairs)

    def change(
        self, corpus: str, identifier: str, correct: Callable[[Answer | None], Answer], action: str
    ) -> Answer:
        """Mend a pair: make something of the correction that there is; it is on disk then."""
        with self._lock:
            loaded, (done, _) = self._project.corpus(corpus), self._history(corpus)
            pairs, pair = loaded.pairs, loaded.pair(identifier)
            key = next(key for key, other in keyed(pairs).items() if other is pair)
            after = check_answer(correct(self._by_id(done, pairs)[0].get(identifier)), self._scheme)
            done.append(_Done(key, identifier, action, after))
            self._write(corpus, pairs, done, done[-1], answer_record(after) | {"action": action})
            return after

    def step(self, corpus: str, *, back: bool) -> dict[str, str]:
        """Undo the last action, or redo what was undone last, on disk: its pair, and the action."""
        with self._lock:
            pairs, (done, undone) = self._project.corpus(corpus).pairs, self._history(corpus)
            source, target, name = (done, undone, _UNDO) if back else (undone, done, _REDO)
            if not source:
                raise UsageError(f"there is nothing to {name}")
            last = source.pop()
            target.append(last)
            self._write(corpus, pairs, done, last, {"action": name})
            pair = keyed(pairs).get(last.key)
            return {"id": pair.id if pair else last.id, "action": last.action}

    def second(self, corpus: str) -> dict[str, Answer]:
        """The answers of the second annotator, if there is one, by the ids that pairs have here."""
        if (folder := self._project.second) is None:
            return {}
        names = f"{corpus}.jsonl", f"{corpus}.wa"
        seen = [*folder.stamps(*names), *self._project.stamps(corpus)]
        with self._reading:
            if self._second[0] != seen:
                self._second = seen, self._read_second(folder, corpus, *names)
            return self._second[1]

    def _read_second(self, folder: Folder, corpus: str, name: str, wa: str) -> dict[str, Answer]:
        answers = list[Answer]()
        if folder.stamps(name):

            def parse(line: bytes) -> Answer:
                return _sound(read_record(msgspec.json.decode(line), self._scheme))

            answers = folder.records(name, parse)
        elif folder.stamps(wa):
            with folder.open(wa) as stream:
                references = read_references(stream, warn=folder.tell, skip_bad=True)
            for reference in references.values():
                try:
                    answers.append(given_answer(reference.pair, reference.alignments))
                except DataError as fault:
                    folder.tell(f"{wa}: {fault}; left out")
        theirs = dict(zip(keyed(answer.pair for answer in answers), answers, strict=True))
        pairs = keyed(self._project.corpus(corpus).pairs) if answers else {}
        return {
            pair.id: replace(theirs[key], pair=replace(theirs[key].pair, id=pair.id))
            for key, pair in pairs.items()
            if key in theirs
        }

    def disagreements(self, corpus: str) -> dict[str, Any]:
        """How far the second annotator agrees, and where not, but for what is settled."""
        mine, theirs = self.mended(corpus)[0], self.second(corpus)
        both = [name for name in mine if name in theirs]
        if not both:
            return {"pairs": 0, "disagreements": []}
        first, second = ({name: Answered.of(run[name]) for name in both} for run in (mine, theirs))
        agreement = compare_annotators(first, second, self._scheme).as_dict()
        last = {done.key: done.action for done in self._history(corpus)[0]}
        by_key = keyed(self._project.corpus(corpus).pairs).items()
        settled = {pair.id for key, pair in by_key if last.get(key, "").startswith(_SETTLED)}
        rows = [row for row in agreement["disagreements"] if row["id"] not in settled]
        return {**agreement, "disagreements": rows}

    def _by_id(
        self, done: Iterable[_Done], pairs: Iterable[Pair]
    ) -> tuple[dict[str, Answer], dict[str, Answer]]:
        latest, by_key = {action.key: action.answer for action in done}, keyed(pairs)
        mended = {pair.id: latest.pop(key) for key, pair in by_key.items() if key in latest}
        ids, lost = {pair.id for pair in by_key.values()}, dict[str, Answer]()
        series = dict[str, Iterator[str]]()
        for answer in latest.values():
            # Another pair may have its id now.
            old = " ".join(clean(answer.pair.id, "", Repairs()).split()) or "pair"
            names = series.setdefault(old, chain([old], map(f"{old}-{{}}".format, count(2))))
            lost[next(name for name in names if name not in ids and name not in lost)] = answer
        mended, lost = (
            {
                name: replace(answer, pair=replace(answer.pair, id=name))
                for name, answer in run.items()
            }
            for run in (mended, lost)
        )
        return mended, lost

    def _history(self, corpus: str) -> tuple[list[_Done], list[_Done]]:
        return self._histories()[corpus]

    def _histories(self) -> dict[str, tuple[list[_Done], list[_Done]]]:
        """For each corpus the actions that stand, in their order, and those undone, last last."""

        def parse(line: bytes) -> tuple[_Head, Answer | None]:
            record = msgspec.json.decode(line)
            head = msgspec.convert(record, _Head)
            step = head.action in (_UNDO, _REDO)
            return head, None if step else _sound(read_record(record, self._scheme))

        histories = defaultdict[str, tuple[list[_Done], list[_Done]]](lambda: ([], []))
        numbers = defaultdict[tuple[str, str, str], dict[str, int]](dict)
        for head, answer in self._project.folder.records(_LOG, parse):
            done, undone = histories[head.corpus]
            if answer is None:
                source, target = (done, undone) if head.action == _UNDO else (undone, done)
                # It is the last one, unless lines of the log are spoilt.
                for at in reversed(range(len(source))[-_RECENT:]):
                    if head.pair == source[at].key or (not head.pair and head.id == source[at].id):
                        target.append(source.pop(at))
                        break
                continue
            undone.clear()
            # Older logs have no more than ids to tell apart what says the same.
            says = _says(head.sent1, head.sent2)
            same = numbers[head.corpus, *says]
            number = same.setdefault(head.id, len(same) + 1)
            done.append(_Done(head.pair or (*says, number), head.id, head.action, answer))
        return histories

    def _write(
        self,
        corpus: str,
        pairs: Iterable[Pair],
        done: Iterable[_Done],
        last: _Done,
        record: dict[str, Any],
    ) -> None:
        """Write the files that follow from actions, and the record of the last one, to the log."""
        answers = [answer for group in self._by_id(done, pairs) for answer in group.values()]
        lines = (msgspec.json.encode(answer_record(answer)).decode() for answer in answers)
        texts = {
            f"{CORRECTIONS}/{corpus}.jsonl": "".join(f"{line}\n" for line in lines) or None,
            f"{CORRECTIONS}/{corpus}.wa": _as_wa(answers) or None,
        }
        about = {"when": time.time(), "corpus": corpus, "id": last.id, "pair": last.key}
        self._project.folder.commit(texts, _LOG, {**record, **about})


def _as_wa(answers: Iterable[Answer]) -> str:
    return "".join(write_pair(answer.pair, answer.alignments) for answer in answers)


def router(bench: Bench) -> APIRouter:
    """The routes of corrections."""
    routes = APIRouter(prefix="/project/corrections", tags=["corrections"])
    corrections = Corrections(bench.project)

    def answered(name: str, identifier: str) -> Answer:
        """The answer of the current rules to a pair."""
        pair, desk = bench.project.corpus(name).pair(identifier), bench.desks.desk()
        return desk.decide(desk.pair(pair.sent1, pair.sent2, pair.id))

    def record(name: str, answer: Answer, mended: bool) -> dict[str, Any]:
        drawn = picture(answer, active=True)
        theirs = corrections.second(name).get(answer.pair.id)
        second = None if theirs is None else picture(theirs)
        return {**answer_record(answer), "picture": drawn, "mended": mended, "second": second}

    @routes.get("/{name}", summary="The pairs of a corpus, and which of them were corrected")
    def listed(name: str) -> dict[str, Any]:
        mended, lost = corrections.mended(name)
        ids = [pair.id for pair in bench.project.corpus(name).pairs]
        return {"ids": ids, "mended": list(mended), "lost": list(lost)}

    @routes.get("/{name}/pair", summary="The correction of a pair so far, or its answer")
    def pair(name: str, id: str) -> dict[str, Any]:
        mended = corrections.mended(name)[0].get(id)
        return record(name, mended or answered(name, id), mended is not None)

    @routes.get("/{name}/second", summary="How far the second annotator agrees, and where not")
    def second(name: str) -> dict[str, Any]:
        return corrections.disagreements(name)

    @routes.post("/{name}", summary="Correct a pair; it is then in the .wa file")
    def mend(name: str, action: Action) -> dict[str, Any]:
        bench.project.folder.check_writable()
        values = action.model_dump(exclude_unset=True, exclude={"id"}, mode="json")
        text = " ".join(str(value) for value in values.values())
        theirs = corrections.second(name).get(action.id) if action.second else None
        if action.second and theirs is None:
            raise UsageError("the second annotator has no answer to this pair")
        corrected = corrections.change(
            name,
            action.id,
            lambda now: act(theirs or now or answered(name, action.id), action),
            text,
        )
        return record(name, corrected, mended=True)

    @routes.post("/{name}/{step}", summary="Undo the last action, or redo what was undone last")
    def step(name: str, step: Step) -> dict[str, Any]:
        bench.project.folder.check_writable()
        return corrections.step(name, back=step == "undo")

    @routes.get("/{name}/export", summary="The corrections as a .wa file")
    def export(name: str) -> PlainTextResponse:
        """Those whose pair is not in the corpus any more stand last; the header ``lost`` counts."""
        mended, lost = corrections.mended(name)
        answers = (*mended.values(), *lost.values())
        return PlainTextResponse(_as_wa(answers), headers={"lost": str(len(lost))})

    return routes
