"""``ists-asp learn`` for alignments: gold pairs in, weights of features out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ists_asp.cli.console import note, progress, reader_warnings, write_output
from ists_asp.cli.options.training import SECONDS
from ists_asp.errors import UsageError, shortened
from ists_asp.sandbox.guard import isolate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ists_asp.cli.options.training import TrainingConfiguration
    from ists_asp.learn import CrossValidation, Example, GoldPair

_MEASURES = (
    ("alignment", "alignment"),
    ("type", "type"),
    ("score", "score"),
    ("type_score", "type+score"),
)


def learn_alignments(
    lesson: TrainingConfiguration,
    folds: int | None,
    output: Path | None,
    confidence: Path | None = None,
) -> None:
    """Learn the weights of a profile and write them, or what they reach on unseen parts.

    Args:
        lesson: what to learn from.
        folds: the number of parts to cross-validate on; None for no cross-validation.
        output: the file for the weights; standard output if None.
        confidence: the file for what the cross-validation says of confidence; None for none.

    Raises:
        UsageError: there are fewer pairs than parts.
        IstsError: the gold, a rule file or the profile is faulty.
    """
    from ists_asp.learn import (
        ExampleBuilder,
        Settings,
        cross_validate,
        fit_table,
        learn_weights,
        render_table,
        render_weights,
    )

    golds = list(_read(lesson.gold))
    if folds is not None and folds > len(golds):
        raise UsageError(
            f"there are only {len(golds)} gold pairs",
            where=f"--cross-validate {folds}",
            expected="a pair for each part, or more",
        )
    if lesson.rules:
        isolate(SECONDS)
    with ExampleBuilder(
        lesson.profile,
        lesson.rules,
        vectors=lesson.own,
        cache=lesson.cache,
    ) as teacher:
        settings = Settings(seed=lesson.seed, scheme=teacher.profile.scheme)
        if lesson.keep:
            settings = replace(settings, keep=teacher.weights(lesson.keep))
        if lesson.prior:
            penalties = {what: 10 * value for what, value in settings.penalties.items()}
            prior = teacher.weights(teacher.shipped)
            settings = replace(settings, prior=prior, penalties=penalties)
        examples = []
        with progress(len(golds), shown=not lesson.quiet) as step:
            for example in teacher.examples(golds):
                examples.append(example)
                step()
        if folds is not None:
            with progress(2 * len(golds), shown=not lesson.quiet) as step:
                results = cross_validate(teacher, examples, settings, folds=folds, tick=step)
            report = _report(results)
            if confidence is not None:
                judged = (one for result in results for part in result.judged for one in part)
                title = f"profile {lesson.profile}"
                command = lesson.command(folds=folds)
                write_output(confidence, render_table(fit_table(judged), title, command))
            if output is None:
                write_output(None, report)
                return
            for line in report.rstrip("\n").split("\n"):
                note(line)
        weights = learn_weights(examples, teacher.senses(), settings)
        sentences = teacher.sentences()
    title = f"profile {lesson.profile}"
    write_output(output, render_weights(weights, sentences, title, lesson.command()))
    if not lesson.quiet and output is not None:
        note(f"{len(weights)} weights from {len(golds)} pairs")
        dropped = sorted(_seen(examples) - {weight.name for weight in weights})
        if dropped:
            note(shortened(f"no weights for {len(dropped)} names: {', '.join(dropped)}", 400))


def _seen(examples: Sequence[Example]) -> set[str]:
    """The names of all evidence about spans."""
    return {
        name
        for example in examples
        for candidate in example.candidates
        for found in (candidate.pair, candidate.link, *candidate.sides)
        for name in found
    }


def _read(folders: Sequence[Path]) -> Iterator[GoldPair]:
    from ists_asp.learn import read_gold

    with reader_warnings() as warn:
        for number, folder in enumerate(folders, 1):
            for gold in read_gold(folder, warn):
                # Several folders count their pairs from 1.
                pair = replace(gold.pair, id=f"{number}.{gold.pair.id}")
                yield replace(gold, pair=pair)


def _report(results: Sequence[CrossValidation]) -> str:
    lines = []
    for scenario, result in zip(("gold chunks", "found chunks"), results, strict=True):
        parts = []
        for measure, name in _MEASURES:
            mean, spread = result.spread(measure)
            parts.append(f"{name} {mean:.3f} ± {spread:.3f}")
        lines.append(f"{scenario}: {', '.join(parts)}\n")
    return "".join(lines)
