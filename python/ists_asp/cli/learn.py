"""``ists-asp learn``: gold in, weights out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import check_output, note, progress, warn, write_output
from ists_asp.cli.options import (
    PATH,
    KnownWords,
    cache_option,
    output_option,
    quiet_option,
    words_options,
)
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ists_asp.learn import CrossValidation, GoldPair

__all__ = ["learn"]

MEASURES = (
    ("alignment", "alignment"),
    ("type", "type"),
    ("score", "score"),
    ("type_score", "type+score"),
)


@click.command(
    epilog="""\b
Examples:
  ists-asp learn --gold data/samples/headlines --profile headlines -o headlines.lp
  ists-asp learn --gold train/headlines --profile headlines --cross-validate 5
  ists-asp learn --gold mine --rules my-rules --profile images -o my-rules/weights/images.lp
  ists-asp learn --gold mine --profile images --semantic -o images-semantic.lp
"""
)
@click.option(
    "--gold",
    "folders",
    type=PATH,
    multiple=True,
    required=True,
    metavar="DIR",
    help="Folder with sent1.chunk.txt, sent2.chunk.txt and gold.wa; repeat it for more data.",
)
@click.option("--profile", default="default", show_default=True, help="Whose rules to weigh.")
@click.option(
    "--rules",
    type=PATH,
    multiple=True,
    metavar="PATH",
    help="Rule folder or file to use in place of, or beside, the shipped ones.",
)
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
    type=click.IntRange(min=2),
    metavar="K",
    help="Also learn on all but one of K parts and score the part left out, K times.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Deals pairs into parts.")
@output_option("File to write the weights to. Default: standard output.")
@quiet_option
def learn(
    folders: tuple[Path, ...],
    profile: str,
    rules: tuple[Path, ...],
    words: KnownWords,
    own: Path | None,
    cache: Path | None,
    folds: int | None,
    seed: int,
    output: Path | None,
    quiet: bool,
) -> None:
    """Learn the weights of a profile's features from gold pairs.

    In: folders with gold chunks and gold alignments. Every feature that a rule derives is
    weighed, those of your own rules included; the profile's present weights play no part.

    Out: a rule file of weight(Name,Decision,Integer) facts, for the profile's "weights", or
    with --semantic for its "semantic_weights". The
    same data and seed give the same bytes. With --cross-validate and without -o, only the
    four official F1s on unseen parts are printed: mean ± standard deviation over the parts,
    with gold chunks and with chunks to be found.
    """
    from ists_asp.learn import Settings, Teacher, cross_validate, learn_weights, render_weights

    check_output(output)
    if own is not None and not words.vectors:
        raise UsageError("--vectors does not go with --no-vectors", hint="Leave one of them out")
    golds = list(_read(folders))
    if folds is not None and folds > len(golds):
        raise UsageError(
            f"there are only {len(golds)} gold pairs",
            where=f"--cross-validate {folds}",
            expected="a pair for each part, or more",
        )
    settings = Settings(seed=seed)
    with Teacher(
        profile, rules, vectors=own or words.vectors, semantic=words.semantic, cache=cache
    ) as teacher:
        examples = []
        with progress(len(golds), shown=not quiet) as step:
            for example in teacher.examples(golds):
                examples.append(example)
                step()
        if folds is not None:
            with progress(2 * len(golds), shown=not quiet) as step:
                results = cross_validate(teacher, examples, settings, folds=folds, tick=step)
            report = _report(results)
            if output is None:
                write_output(None, report)
                return
            note(report.rstrip("\n"))
        weights = learn_weights(examples, settings)
    command = _command(folders, profile, rules, words, own, seed)
    write_output(output, render_weights(weights, f"profile {profile}", command))
    if not quiet and output is not None:
        note(f"{len(weights)} weights from {len(golds)} pairs")


def _read(folders: Sequence[Path]) -> Iterator[GoldPair]:
    from dataclasses import replace

    from ists_asp.learn import read_gold

    for number, folder in enumerate(folders, 1):
        for gold in read_gold(folder, warn):
            # Several folders count their pairs from 1.
            pair = replace(gold.pair, id=f"{number}.{gold.pair.id}")
            yield replace(gold, pair=pair)


def _command(
    folders: Sequence[Path],
    profile: str,
    rules: Sequence[Path],
    words: KnownWords,
    own: Path | None,
    seed: int,
) -> str:
    """The command for the head of the file, the same wherever the data and rules lie."""
    parts = ["ists-asp learn"]
    parts += [f"--gold DATA/{folder.resolve().name}" for folder in folders]
    parts += [f"--rules {path.name}" for path in rules]
    parts += [f"--profile {profile}"]
    parts += words.options
    parts += [f"--vectors {own.name}"] if own else []
    parts += [f"--seed {seed}"] if seed else []
    suffix = "-semantic" if words.semantic else ""
    return " ".join([*parts, f"-o weights/{profile}{suffix}.lp"])


def _report(results: Sequence[CrossValidation]) -> str:
    lines = []
    for scenario, result in zip(("gold chunks", "found chunks"), results, strict=True):
        parts = []
        for measure, name in MEASURES:
            mean, spread = result.spread(measure)
            parts.append(f"{name} {mean:.3f} ± {spread:.3f}")
        lines.append(f"{scenario}: {', '.join(parts)}\n")
    return "".join(lines)
