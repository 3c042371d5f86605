"""``ists-asp learn --task sts``: gold ratings in, what evidence is worth out."""

from __future__ import annotations

from statistics import stdev
from typing import TYPE_CHECKING

from ists_asp.cli.console import note, progress, reader_warnings, table, write_output
from ists_asp.cli.options.training import SECONDS, SETS
from ists_asp.errors import UsageError
from ists_asp.io.pairs import read_sts
from ists_asp.sandbox.guard import isolate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ists_asp.cli.options.training import TrainingConfiguration
    from ists_asp.evaluate.ratings import Correlation

_LEAST = 4
"""Pairs of a data set in a part, for a correlation."""


def learn_rating_weights(
    lesson: TrainingConfiguration, folds: int | str | None, output: Path | None
) -> None:
    """Learn what evidence is worth and write it, or how well that does on unseen parts.

    Args:
        lesson: what to learn from.
        folds: the number of parts of each data set, or the word :data:`SETS`; None for no
            cross-validation.
        output: the file for the weights; standard output if None.

    Raises:
        UsageError: there are too few pairs or data sets.
        IstsError: the gold, a rule file or the profile is faulty.
    """
    from ists_asp.learn.ratings import (
        UNRELATED,
        RatingExampleBuilder,
        cross_validate_ratings,
        learn_ratings,
        mismatched,
    )
    from ists_asp.learn.weights_file import render_rating_weights

    with reader_warnings() as warn:
        golds = {file: list(read_sts(file, warn=warn)) for file in lesson.gold}
    count = sum(map(len, golds.values()))
    if folds == SETS and len(golds) < 2:
        raise UsageError(
            "there is one data set only", where=f"--cross-validate {SETS}", expected="two or more"
        )
    if isinstance(folds, int) and folds * _LEAST > min(map(len, golds.values())):
        raise UsageError(
            "a data set has too few pairs",
            where=f"--cross-validate {folds}",
            expected=f"{_LEAST} pairs for each part, or more",
        )
    if lesson.rules:
        isolate(SECONDS)
    with (
        RatingExampleBuilder(
            lesson.profile,
            lesson.rules,
            reader=lesson.reader,
            cache=lesson.cache,
        ) as teacher,
        progress(count + UNRELATED, shown=not lesson.quiet) as step,
    ):
        examples = []
        for file, pairs in golds.items():
            for example in teacher.examples(file.stem, pairs):
                examples.append(example)
                step()
        unrelated = []
        for example in teacher.examples("", mismatched(list(golds.values()))):
            unrelated.append(example)
            step()
        highest = teacher.highest
    if folds is not None:
        parts = None if isinstance(folds, str) else folds
        results = cross_validate_ratings(
            examples, unrelated, highest=highest, folds=parts, seed=lesson.seed
        )
        report = _correlations(results)
        if output is None:
            write_output(None, report)
            return
        for line in report.rstrip("\n").split("\n"):
            note(line)
    weights = learn_ratings(examples, unrelated, highest)
    text = render_rating_weights(weights, f"profile {lesson.profile}", lesson.command("sts"))
    write_output(output, text)
    if not lesson.quiet and output is not None:
        note(f"{len(weights)} weights from {count} pairs")


def _correlations(results: Mapping[str, Sequence[Correlation]]) -> str:
    from ists_asp.evaluate.ratings import weighted_mean

    rows = [["", "Pairs", "Pearson"]]
    means = []
    for name, parts in results.items():
        mean = weighted_mean(parts)
        means.append(mean)
        spread = f" ± {stdev([part.r for part in parts]):.4f}" if len(parts) > 1 else ""
        rows.append([name, str(mean.pairs), f"{mean.r:.4f}{spread}"])
    total = weighted_mean(means)
    rows.append(["mean", str(total.pairs), f"{total.r:.4f}"])
    return table(rows)
