"""``ists-asp learn``: gold in, weights out."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import stdev
from typing import TYPE_CHECKING

import click

from ists_asp.cli.completion import complete_profile
from ists_asp.cli.console import check_output, note, progress, table, warn, write_output
from ists_asp.cli.guard import isolate
from ists_asp.cli.options import PATH, output_option, quiet_option
from ists_asp.cli.system_options import cache_option, scripts_option, words_options
from ists_asp.errors import UsageError
from ists_asp.io.tsv import read_sts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.cli.choice import KnownWords
    from ists_asp.evaluate.pearson import Correlation
    from ists_asp.learn import CrossValidation, GoldPair

__all__ = ["learn"]

_PROFILES = {"ists": "default", "sts": "sts-en"}
"""Whose rules are weighed if nobody says."""

_SETS = "sets"
_LEAST = 4
"""Pairs of a data set in a part, for a correlation."""
SECONDS = 1800.0
"""Seconds that fitting the weights may take with rules of one's own."""

MEASURES = (
    ("alignment", "alignment"),
    ("type", "type"),
    ("score", "score"),
    ("type_score", "type+score"),
)


def _folds(
    _context: click.Context, _option: click.Parameter, given: str | None
) -> str | int | None:
    """A number of parts, or the word for data sets."""
    if given is None or given == _SETS:
        return given
    if not given.isdecimal() or int(given) < 2:
        raise click.BadParameter(f"'{given}' is neither a number from 2 nor the word {_SETS}.")
    return int(given)


@click.command(
    epilog="""\b
Examples:
  ists-asp learn --gold data/samples/headlines --profile headlines -o headlines.lp
  ists-asp learn --gold train/headlines --profile headlines --cross-validate 5
  ists-asp learn --gold mine --rules my-rules --profile images -o my-rules/weights/images.lp
  ists-asp learn --gold mine --profile images --semantic -o images-semantic.lp
  ists-asp learn --gold pilot.wa --profile pilot-2015-images -o pilot-2015-images.lp
  ists-asp learn --task sts --gold a.tsv --gold b.tsv --profile sts-en -o sts-en.lp
  ists-asp learn --task sts --gold a.tsv --gold b.tsv --profile sts-en --cross-validate sets
"""
)
@click.option(
    "--task",
    type=click.Choice(["ists", "sts"]),
    default="ists",
    show_default=True,
    help="ists: chunks, alignments, labels and scores; sts: ratings of whole pairs.",
)
@click.option(
    "--gold",
    type=PATH,
    multiple=True,
    required=True,
    metavar="PATH",
    help="Folder with sent1.chunk.txt, sent2.chunk.txt and gold.wa, or a .wa file of one-to-one "
    "alignments; with --task sts a file of rating TAB sentence TAB sentence, a data set of its "
    "own. Repeat it for more data.",
)
@click.option(
    "--profile",
    shell_complete=complete_profile,
    help="Whose rules to weigh.  [default: default; with --task sts sts-en]",
)
@click.option(
    "--rules",
    type=PATH,
    multiple=True,
    metavar="PATH",
    help="Rule folder or file to use in place of, or beside, the shipped ones.",
)
@scripts_option
@words_options
@click.option(
    "--vectors",
    "own",
    type=PATH,
    metavar="FILE",
    help="Compare words by these vectors in place of the shipped ones.",
)
@cache_option
@click.option(
    "--cross-validate",
    "folds",
    callback=_folds,
    metavar="K",
    help="Also learn on all but one of K parts and score the part left out, K times. With "
    '--task sts the word "sets" for K leaves each data set out as a whole.',
)
@click.option("--seed", type=int, default=0, show_default=True, help="Deals pairs into parts.")
@output_option("File to write the weights to. Default: standard output.")
@quiet_option
def learn(
    task: str,
    gold: tuple[Path, ...],
    profile: str | None,
    rules: tuple[Path, ...],
    scripts: bool,
    words: KnownWords,
    own: Path | None,
    cache: Path | None,
    folds: int | str | None,
    seed: int,
    output: Path | None,
    quiet: bool,
) -> None:
    """Learn the weights of a profile's features from gold pairs.

    In: gold chunks and gold alignments. The lines of a .wa file of one-to-one alignments, such
    as those of the 2015 pilot, say what the chunks are; others need chunk files. With
    --task sts files of gold ratings. Every feature that a rule derives is weighed, those of
    your own rules included; the profile's present weights play no part (with --task sts those
    of ratings do not).

    Out: a rule file of weight(Name,Decision,Integer) facts, for the profile's "weights", or
    with --semantic for its "semantic_weights"; with --task sts for its "rating_weights" or
    "semantic_rating_weights". The same data and seed give the same bytes. With
    --cross-validate and without -o, only what is reached on unseen parts is printed: the four
    official F1s, mean ± standard deviation over the parts, with gold chunks and with chunks to
    be found; with --task sts Pearson's correlation of each data set.
    """
    check_output(output)
    if own is not None and not words.vectors:
        raise UsageError("--vectors does not go with --no-vectors", hint="Leave one of them out")
    if own is not None and task == "sts":
        raise UsageError("--vectors does not go with --task sts", hint="Leave it out")
    source = _Source(
        gold, profile or _PROFILES[task], rules, scripts, words, own, cache, seed, quiet
    )
    if task == "sts":
        _learn_ratings(source, folds, output)
        return
    if isinstance(folds, str):
        raise UsageError(f"--cross-validate {folds} goes with --task sts only", expected="a number")
    _learn_alignments(source, folds, output)


@dataclass(frozen=True, slots=True)
class _Source:
    """What to learn from, checked."""

    gold: tuple[Path, ...]
    profile: str
    rules: tuple[Path, ...]
    scripts: bool
    words: KnownWords
    own: Path | None
    cache: Path | None
    seed: int
    quiet: bool


def _learn_alignments(source: _Source, folds: int | None, output: Path | None) -> None:
    from ists_asp.learn import Settings, Teacher, cross_validate, learn_weights, render_weights

    golds = list(_read(source.gold))
    if folds is not None and folds > len(golds):
        raise UsageError(
            f"there are only {len(golds)} gold pairs",
            where=f"--cross-validate {folds}",
            expected="a pair for each part, or more",
        )
    if source.rules:
        isolate(SECONDS)
    with Teacher(
        source.profile,
        source.rules,
        vectors=source.own or source.words.vectors,
        semantic=source.words.semantic,
        cache=source.cache,
        scripts=source.scripts,
    ) as teacher:
        settings = Settings(seed=source.seed, scheme=teacher.profile.scheme)
        examples = []
        with progress(len(golds), shown=not source.quiet) as step:
            for example in teacher.examples(golds):
                examples.append(example)
                step()
        if folds is not None:
            with progress(2 * len(golds), shown=not source.quiet) as step:
                results = cross_validate(teacher, examples, settings, folds=folds, tick=step)
            report = _report(results)
            if output is None:
                write_output(None, report)
                return
            note(report.rstrip("\n"))
        weights = learn_weights(examples, settings)
    title = f"profile {source.profile}"
    write_output(output, render_weights(weights, title, _command(source)))
    if not source.quiet and output is not None:
        note(f"{len(weights)} weights from {len(golds)} pairs")


def _learn_ratings(source: _Source, folds: int | str | None, output: Path | None) -> None:
    from ists_asp.learn.ratings import (
        UNRELATED,
        RatingTeacher,
        cross_validate_ratings,
        learn_ratings,
        mismatched,
    )
    from ists_asp.learn.weights_file import render_rating_weights

    golds = {file: list(read_sts(file, warn=warn)) for file in source.gold}
    count = sum(map(len, golds.values()))
    if folds == _SETS and len(golds) < 2:
        raise UsageError(
            "there is one data set only", where=f"--cross-validate {_SETS}", expected="two or more"
        )
    if isinstance(folds, int) and folds * _LEAST > min(map(len, golds.values())):
        raise UsageError(
            "a data set has too few pairs",
            where=f"--cross-validate {folds}",
            expected=f"{_LEAST} pairs for each part, or more",
        )
    if source.rules:
        isolate(SECONDS)
    with (
        RatingTeacher(
            source.profile,
            source.rules,
            vectors=source.words.vectors,
            semantic=source.words.semantic,
            cache=source.cache,
            scripts=source.scripts,
        ) as teacher,
        progress(count + UNRELATED, shown=not source.quiet) as step,
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
            examples, unrelated, highest=highest, folds=parts, seed=source.seed
        )
        report = _correlations(results)
        if output is None:
            write_output(None, report)
            return
        note(report.rstrip("\n"))
    weights = learn_ratings(examples, unrelated, highest)
    text = render_rating_weights(weights, f"profile {source.profile}", _command(source, "sts"))
    write_output(output, text)
    if not source.quiet and output is not None:
        note(f"{len(weights)} weights from {count} pairs")


def _correlations(results: Mapping[str, Sequence[Correlation]]) -> str:
    from ists_asp.evaluate.pearson import weighted_mean

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


def _read(folders: Sequence[Path]) -> Iterator[GoldPair]:
    from dataclasses import replace

    from ists_asp.learn import read_gold

    for number, folder in enumerate(folders, 1):
        for gold in read_gold(folder, warn):
            # Several folders count their pairs from 1.
            pair = replace(gold.pair, id=f"{number}.{gold.pair.id}")
            yield replace(gold, pair=pair)


def _command(source: _Source, task: str = "ists") -> str:
    """The command for the head of the file, the same wherever the data and rules lie."""
    parts = ["ists-asp learn"]
    parts += [f"--task {task}"] if task != "ists" else []
    parts += [f"--gold DATA/{path.resolve().name}" for path in source.gold]
    parts += [f"--rules {path.name}" for path in source.rules]
    parts += [f"--profile {source.profile}"]
    parts += source.words.options
    parts += [f"--vectors {source.own.name}"] if source.own else []
    parts += [f"--seed {source.seed}"] if source.seed else []
    suffix = "-semantic" if source.words.semantic else ""
    return " ".join([*parts, f"-o weights/{source.profile}{suffix}.lp"])


def _report(results: Sequence[CrossValidation]) -> str:
    lines = []
    for scenario, result in zip(("gold chunks", "found chunks"), results, strict=True):
        parts = []
        for measure, name in MEASURES:
            mean, spread = result.spread(measure)
            parts.append(f"{name} {mean:.3f} ± {spread:.3f}")
        lines.append(f"{scenario}: {', '.join(parts)}\n")
    return "".join(lines)
