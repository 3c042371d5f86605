"""``ists-asp learn``: gold in, weights out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ists_asp.cli.files import GOLD, OUTPUT, READ, RULES, Command, check_ending
from ists_asp.cli.jobs.learning import learn_alignments
from ists_asp.cli.jobs.rating_learning import learn_rating_weights
from ists_asp.cli.options.common import output_option, quiet_option
from ists_asp.cli.options.completion import complete_profile
from ists_asp.cli.options.system_options import cache_option, reader_option
from ists_asp.cli.options.training import SETS, TrainingConfiguration
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from ists_asp.cli.files import Values

_PROFILES = {"ists": "default", "sts": "sts-en"}
"""Whose rules are weighed if nobody says."""


def _folds(
    _context: click.Context, _option: click.Parameter, given: str | None
) -> str | int | None:
    """A number of parts, or the word for data sets."""
    if given is None or given == SETS:
        return given
    if not given.isdecimal() or int(given) < 2:
        raise click.BadParameter(f"'{given}' is neither a number from 2 nor the word {SETS}.")
    return int(given)


def _weights(values: Values) -> Collection[Path]:
    """The files that weights are learned for: they play no part while that is done."""
    from ists_asp.rules import load_profile, read_overlay

    task = values["task"]
    base = read_overlay(values["rules"]).base
    profile = load_profile(values["profile"] or _PROFILES[task], base)
    deciding, rating = (
        () if part is None else (*part.weights, *part.reader_weights)
        for part in (profile.answer, profile.rating)
    )
    learned, read = (rating, deciding) if task == "sts" else (deciding, ())

    def files(names: Iterable[str]) -> set[Path]:
        return {(base / f"{name.removesuffix('.lp')}.lp").resolve() for name in names}

    others = {file.resolve() for file in (base / "weights").glob("*.lp")}
    return (others | files(learned)) - files(read)


@click.command(
    cls=Command,
    replaces=_weights,
    epilog="""\b
Examples:
  ists-asp learn --gold data/samples/headlines --profile headlines -o headlines.lp
  ists-asp learn --gold train/headlines --profile headlines --cross-validate 5
  ists-asp learn --gold train/headlines --profile headlines --cross-validate 5 --confidence c.lp
  ists-asp learn --gold mine --rules my-rules --profile images -o my-rules/weights/images.lp
  ists-asp learn --gold thirty-pairs --profile headlines --prior -o mine.lp
  ists-asp learn --gold pilot.wa --profile pilot-2015-images -o pilot-2015-images.lp
  ists-asp learn --task sts --gold a.tsv --gold b.tsv --profile sts-en -o sts-en.lp
  ists-asp learn --task sts --gold a.tsv --gold b.tsv --profile sts-en --cross-validate sets
""",
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
    type=GOLD,
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
    type=RULES,
    multiple=True,
    metavar="PATH",
    help="Rule folder or file to use in place of, or beside, the shipped ones.",
)
@reader_option
@click.option(
    "--vectors",
    "own",
    type=READ,
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
@click.option(
    "--keep",
    type=RULES,
    multiple=True,
    metavar="FILE",
    help="Rule file of weights that are not learned but kept as they are. Repeatable.",
)
@click.option(
    "--prior",
    is_flag=True,
    help="Start from the profile's present weights and stay near them: 30 pairs are enough.",
)
@click.option(
    "--confidence",
    type=OUTPUT,
    metavar="FILE",
    help="With --cross-validate K: write how often decisions on the parts left out were right, by "
    "how far they led, to this rule file, for the weights of the profile.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Deals pairs into parts.")
@output_option("File to write the weights to. Default: standard output.")
@quiet_option
def learn(
    task: str,
    gold: tuple[Path, ...],
    profile: str | None,
    rules: tuple[Path, ...],
    reader: str | None,
    own: Path | None,
    cache: Path | None,
    folds: int | str | None,
    keep: tuple[Path, ...],
    prior: bool,
    confidence: Path | None,
    seed: int,
    output: Path | None,
    quiet: bool,
) -> None:
    """Learn the weights of a profile's evidence from gold pairs.

    In: gold chunks and gold alignments. The lines of a .wa file of one-to-one alignments, such
    as those of the 2015 pilot, say what the chunks are; others need chunk files. With
    --task sts files of gold ratings. All evidence that argues for something is weighed, that
    of your own rules included; the profile's present weights play no part (with --task sts those
    of ratings do not).

    Out: a rule file of weight(Name,Decision,Integer) facts, for the "weights" of the profile's
    [answer]; with --task sts for those of its [rating], or with --reader for its
    "reader_weights". The same data and seed give the same bytes. With
    --cross-validate and without -o, only what is reached on unseen parts is printed: the four
    official F1s, mean ± standard deviation over the parts, with gold chunks and with chunks to
    be found; with --task sts Pearson's correlation of each data set.
    """
    check_ending(output, ".lp")
    if reader is not None and task != "sts":
        raise UsageError("--reader goes with --task sts only", hint="Leave it out")
    if own is not None and task == "sts":
        raise UsageError("--vectors does not go with --task sts", hint="Leave it out")
    lesson = TrainingConfiguration(
        gold,
        profile or _PROFILES[task],
        rules,
        reader,
        own,
        cache,
        seed,
        quiet,
        keep,
        prior,
    )
    if task == "sts" and (keep or prior or confidence):
        raise UsageError(
            "--keep, --prior and --confidence do not go with --task sts", hint="Leave them out"
        )
    if task == "sts":
        learn_rating_weights(lesson, folds, output)
        return
    if isinstance(folds, str):
        raise UsageError(f"--cross-validate {folds} goes with --task sts only", expected="a number")
    if confidence is not None and folds is None:
        raise UsageError("--confidence goes with --cross-validate", expected="--cross-validate 5")
    check_ending(confidence, ".lp")
    learn_alignments(lesson, folds, output, confidence)
