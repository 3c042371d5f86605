"""Two annotators of the same pairs: how far they agree, and where they differ.

Source: Cohen (1960), "A coefficient of agreement for nominal scales". Labels are compared where
both align the same tokens. Where only lines are known, chunks are the runs of tokens on a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ists_asp.compare.comparison import Answered, ChangeKind, PairComparison, compare, read_answered
from ists_asp.errors import DataError
from ists_asp.evaluate.files import confusion_table
from ists_asp.evaluate.scorer import DECIMALS, Chunking, Evaluation, compare_chunks, evaluate
from ists_asp.io.text import Warn, ignore
from ists_asp.io.wa import given_answer
from ists_asp.model import Chunk, Label, Scheme
from ists_asp.terminal import table

_COLUMNS = ("id", "f1", "decision", "words", "a", "b")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two annotators, A and B, on the pairs of both."""

    only: tuple[tuple[str, ...], ...]  # ids that A or B alone has
    evaluation: Evaluation
    labels: Counter[tuple[Label, Label]]  # of A and B, of common alignments
    chunking: Chunking
    differing: tuple[PairComparison, ...]  # worst first, each with its changes from A to B

    @property
    def same(self) -> float:
        """The share of common alignments with the same label; 0 without any."""
        equal = sum(count for (first, second), count in self.labels.items() if first is second)
        return round(equal / max(self.labels.total(), 1), DECIMALS)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of the labels; None where there is one label only, or none."""
        first, second = (Counter(both[side] for both in self.labels.elements()) for side in (0, 1))
        chance = sum(first[label] * second[label] for label in first)
        rest = (total := self.labels.total() ** 2) - chance
        return round((self.same * total - chance) / rest, DECIMALS) if rest else None

    def as_dict(self) -> dict[str, Any]:
        """Everything, in a form that ``json.dumps`` takes."""
        rows = chain.from_iterable(map(self._rows, self.differing))
        overall = self.evaluation.overall.named()
        return {
            "pairs": len(self.evaluation.pairs),
            "only": self.only,
            "f1": {name: round(measure.f1, DECIMALS) for name, measure in overall},
            "labels": {"count": self.labels.total(), "same": self.same, "kappa": self.kappa},
            "chunks": self.chunking.as_dict(),
            "disagreements": [dict(zip(_COLUMNS, row, strict=True)) for row in rows],
        }

    def text(self, most: int) -> str:
        """The figures and the ``most`` pairs on which they differ most, as text."""
        chunking, pairs = self.chunking, self.evaluation.pairs
        alone = (f", only in {name}: {len(ids)}" for name, ids in zip("AB", self.only, strict=True))
        overall = self.evaluation.overall.named()
        parts = [
            f"Pairs of both: {len(pairs)}{''.join(alone)}\n",
            table([["", "F1"], *([name, f"{measure.f1:.4f}"] for name, measure in overall)]),
            f"Labels of {self.labels.total()} common alignments: {self.same:.1%} the same, "
            f"kappa {'undefined' if self.kappa is None else f'{self.kappa:.4f}'}\n"
            f"Chunk boundaries: F1 {chunking.boundaries.f1:.4f}; "
            f"{chunking.exact} of {chunking.sentences} sentences have the same chunks\n",
            confusion_table(self.evaluation, "A", "B"),
        ]
        if worst := self.differing[:most]:
            rows = [["Pair", "Typ+Sco", "Decision", "Words", "A", "B"]]
            cells = chain.from_iterable(map(self._rows, worst))
            rows += [[str(cell or "-") for cell in row] for row in cells]
            title = f"They differ on {len(self.differing)} of {len(pairs)} pairs, worst first"
            parts.append(f"{title}\n{table(rows, left=True)}")
        return "\n".join(parts)

    def _rows(self, pair: PairComparison) -> Iterator[tuple[object, ...]]:
        f1 = round(self.evaluation.pairs[pair.pair.id].type_score.f1, DECIMALS)
        for change in pair.changes:
            sides = (pair.pair.sent1, change.tokens1), (pair.pair.sent2, change.tokens2)
            words = " ~ ".join(sentence.words(tokens) for sentence, tokens in sides if tokens)
            if change.kind is ChangeKind.BOUNDARY:
                words = f"{1 if change.tokens1 else 2}: {words}"
            yield pair.pair.id, f1, change.kind, words, change.old, change.new


def agreement(
    path1: Path,
    path2: Path,
    scheme: Scheme = Scheme.Y2016,
    *,
    warn: Warn = ignore,
    skip_bad: bool = False,
) -> Agreement:
    """Compare two annotators: each a ``.wa`` or ``.jsonl`` file, or a folder of such."""
    first, second = (_read_annotator(path, warn, skip_bad) for path in (path1, path2))
    if first.keys().isdisjoint(second):
        expected = f"ids such as '{next(iter(first), '1')}'"
        raise DataError(f"no pair in common with {path1}", where=str(path2), expected=expected)
    return compare_annotators(first, second, scheme)


def compare_annotators(
    run1: Mapping[str, Answered], run2: Mapping[str, Answered], scheme: Scheme
) -> Agreement:
    """Compare two annotators, whose pairs come by id with chunks; some are of both."""
    runs = run1, run2
    names = [name for name in run1 if name in run2]
    only = tuple(tuple(name for name in run if name not in names) for run in runs)
    first, second = ({name: run[name] for name in names} for run in runs)
    # What is not aligned follows from the other lines.
    differing = (
        replace(pair, changes=changes)
        for pair in reversed(compare(first, second, first).changed)
        if (changes := tuple(c for c in pair.changes if c.kind is not ChangeKind.UNALIGNED))
    )
    labels: Counter[tuple[Label, Label]] = Counter()
    chunks: list[Sequence[tuple[Chunk, ...]]] = []
    for name in names:
        lines = {line.sides: line.label for line in second[name].alignments}
        for line in first[name].alignments:
            other = lines.get(line.sides, Label.NOALI)
            labels[line.label, other] += line.label.aligned and other.aligned
        chunks += zip(first[name].chunks or (), second[name].chunks or (), strict=True)
    chunking = compare_chunks((run1, run2) for run1, run2 in chunks)
    return Agreement(only, evaluate(first, second, scheme), +labels, chunking, tuple(differing))


def _read_annotator(path: Path, warn: Warn, skip_bad: bool) -> dict[str, Answered]:
    """The pairs of an annotator, by id, with chunks; in a folder the ids begin with file names."""
    files = {path.stem: path}
    if path.is_dir():
        # Corrections of the workbench are in both formats; only JSON Lines know their chunks.
        listed = (sorted(path.glob(f"[!.]*{end}")) for end in (".wa", ".jsonl"))
        files = {file.stem: file for file in chain.from_iterable(listed)}
        if not files:
            raise DataError("no file .wa or .jsonl", where=str(path), expected="corrections")
    run: dict[str, Answered] = {}
    for stem, file in files.items():
        for name, answered in read_answered(file, warn=warn, skip_bad=skip_bad).items():
            identifier = f"{stem}: {name}" if path.is_dir() else name
            pair = replace(answered.pair, id=identifier)
            if answered.chunks is None:
                answered = Answered.of(given_answer(pair, answered.alignments))
            run[identifier] = replace(answered, pair=pair)
    return run
