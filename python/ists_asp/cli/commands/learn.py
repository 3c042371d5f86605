"""``ists-asp learn``: gold in, weights out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import stdev
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ists_asp.cli import options
from ists_asp.cli.console import note, progress, reader_warnings, write_output
from ists_asp.cli.files import GOLD, RULES, FileType, Values, command
from ists_asp.errors import UsageError, of_pair
from ists_asp.io.text import SKIP, Faults, Warn
from ists_asp.terminal import table
from ists_asp.vocabulary import CORRECTION, WEIGHT

if TYPE_CHECKING:
    from ists_asp.engine import Setup
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.fix.selection import Selection
    from ists_asp.io.delimited import GoldScale
    from ists_asp.io.pairs import ScoredPair
    from ists_asp.learn.cross import CrossValidation
    from ists_asp.learn.fit import Weight
    from ists_asp.learn.ratings import Rated, RatedExample

SECONDS = 1800.0  # that fitting the weights may take with rules of your own
SETS = "sets"  # the word for parts that are data sets
MOST = 40  # corrections at most, by default
_MEASURES = ("alignment", "type", "score", "type_score")
LEAST, FOLDS = 20, 5  # pairs without which edits are chosen by chance, and their folds
_LEAST = 4  # pairs of a data set in a part, for a correlation
_PROFILES = {"ists": "default", "sts": "sts-en"}  # whose rules are weighed if nobody says


def _folds(_context: click.Context, _option: click.Parameter, text: str | None) -> str | int | None:
    if text is None or text == SETS:
        return text
    if not text.isdecimal() or int(text) < 2:
        raise click.BadParameter(f"'{text}' is neither a number from 2 nor the word {SETS}.")
    return int(text)


def _weights(values: Values) -> Collection[Path]:
    """The files that weights are learned for: they play no part while that is done."""
    from ists_asp.rules import load_profile, read_overlay

    base = read_overlay(values["rules"]).base
    profile = load_profile(values["profile"], base)
    deciding, rating = (
        () if part is None else (*part.weights, *part.reader_weights)
        for part in (profile.answer, profile.rating)
    )
    learned, read = (rating, deciding) if values["task"] == "sts" else (deciding, ())

    def files(names: Iterable[str]) -> set[Path]:
        return {(base / f"{name.removesuffix('.lp')}.lp").resolve() for name in names}

    others = {file.resolve() for file in (base / "weights").glob("*.lp")}
    return (others | files(learned)) - files(read)


@command(
    """
  ists-asp learn --gold thirty-pairs --profile headlines -o mine.lp
  ists-asp solve --rules mine.lp --profile headlines "A storm hits Cuba" "Cuba is hit by a storm"
  ists-asp learn --gold train/headlines --profile headlines --cross-validate 5
  ists-asp learn --gold train/headlines --profile headlines --from-nothing -o headlines.lp
  ists-asp learn --gold train/headlines --profile headlines --cross-validate 5 --confidence c.lp
  ists-asp learn --gold corrections/news.wa --profile headlines --edits edits.lp -o weights.lp
  ists-asp learn --gold pilot.wa --profile pilot-2015-images -o pilot-2015-images.lp
  ists-asp learn --task sts --gold a.tsv --gold b.tsv --profile sts-en -o sts-en.lp
  ists-asp learn --task sts --gold a.tsv --gold b.tsv --profile sts-en --cross-validate sets
""",
    replaces=_weights,
)
@options.choice_option(
    *("--task", "ists", "sts"),
    text="ists: chunks, alignments, labels and scores; sts: ratings of whole pairs.",
    is_eager=True,
)
@options.option(
    "--gold PATH",
    "Folder with sent1.chunk.txt, sent2.chunk.txt and gold.wa, or a .wa file of one-to-one "
    "alignments. With --task sts: a file of rating TAB sentence TAB sentence, one data set each. "
    "Repeatable.",
    type=GOLD,
    multiple=True,
    required=True,
)
@options.with_setup
@click.option(
    "--profile",
    callback=lambda context, _option, options: options or _PROFILES[context.params["task"]],
    help="Profile whose evidence to weigh.  [default: default; with --task sts: sts-en]",
)
@options.rules_option
@options.reader_option("none")
@options.file_option("--vectors", "Word vectors to use instead of the shipped ones.")
@options.cache_option
@options.option(
    "--cross-validate K",
    "Also cross-validate with K folds. With --task sts, K may be the word sets, which leaves "
    "out one data set at a time.",
    name="folds",
    callback=_folds,
)
@options.option(
    "--keep FILE", "Rule file of weights to leave unchanged. Repeatable.", type=RULES, multiple=True
)
@options.option(
    "--from-nothing", "Learn all weights from scratch, instead of corrections of the profile's."
)
@options.number_option(
    "--most",
    "Maximum number of corrections (without --from-nothing); with 0, --cross-validate shows "
    "the results without corrections.",
    default=MOST,
    least=0,
)
@options.option(
    "--confidence FILE",
    "With --cross-validate K: rule file to write with the accuracy of held-out decisions by "
    "their margin; with --task sts, with the error of held-out ratings.",
    type=FileType(written=True, endings=[".lp"]),
)
@options.option(
    "--edits FILE",
    "Rule file to write with the edits, as fix proposes them, that together with the weights "
    "improve more than they worsen in held-out pairs.",
    type=FileType(written=True, endings=[".lp"]),
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the folds.")
@options.output_option(".lp", text="Output file for the weights. Default: standard output.")
@options.gold_column
@options.encoding_option
@options.sheet_option
@options.gold_scale
@options.json_option
@options.skip_option
@options.language_option
@options.quiet_option
def learn(
    task: str,
    folds: int | str | None,
    as_json: bool,
    **values: Any,  # noqa: ANN401 (what a lesson has)
) -> None:
    """Learn weights for the evidence of a profile from gold pairs.

    In: gold chunks and gold alignments. A .wa file of one-to-one alignments, such as those of
    the 2015 pilot, implies its chunks; others need chunk files. With --task sts: files of gold
    ratings.

    Out: a rule file of correction(Name,Decision,Integer) facts for --rules, which are added to
    the profile's weights. Only corrections that the data support are written. Evidence of your
    own rules has no weight yet and is corrected from 0. With --from-nothing: a file of
    weight(Name,Decision,Integer) facts for the "weights" of the profile's [answer]; with --task
    sts for those of its [rating], or with --reader for its "reader_weights". The same data and
    seed give the same bytes. Evidence without a weight is listed with the reason, your own names
    first: some of it on standard error, or with --json all of it on standard output. With
    --cross-validate and without -o, only held-out results are printed: the four official F1s,
    mean ± standard deviation over the folds, with gold chunks and with chunks found by rules;
    with --task sts, Pearson's correlation for each data set. With --edits: also a rule file of the
    edits that pay off, each with its effect on held-out pairs.
    """
    lesson = _Lesson(**values)
    if task == "sts":
        if lesson.setup.vectors is not None:
            raise UsageError("--vectors does not go with --task sts", hint="Leave it out")
        if lesson.keep or lesson.from_nothing or lesson.edits or as_json:
            wrong = "--keep, --from-nothing, --edits and --json do not go with --task sts"
            raise UsageError(wrong, hint="Leave them out")
    elif lesson.column or lesson.scale or lesson.sheet or lesson.encoding:
        raise UsageError("--gold-col, --gold-scale, --sheet and --encoding go with --task sts")
    elif lesson.setup.reader != "none":
        raise UsageError("--reader goes with --task sts only", hint="Leave it out")
    elif isinstance(folds, str):
        raise UsageError(f"--cross-validate {folds} goes with --task sts only", expected="a number")
    elif lesson.edits is not None and lesson.from_nothing:
        raise UsageError("--edits does not go with --from-nothing", hint="Leave one of them out")
    if lesson.confidence is not None and folds is None:
        raise UsageError("--confidence goes with --cross-validate", expected="--cross-validate 5")
    if task == "sts":
        _learn_ratings(lesson, folds)
    else:
        assert not isinstance(folds, str)
        _learn_alignments(lesson, folds, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Lesson:
    """The checked data and options of a lesson, and the output for its weights."""

    gold: tuple[Path, ...]
    setup: Setup
    keep: tuple[Path, ...]
    from_nothing: bool
    most: int
    confidence: Path | None
    edits: Path | None
    seed: int
    output: Path | None
    column: str | None
    encoding: str | None
    sheet: str | None
    scale: GoldScale | None
    skip_bad: bool
    language_check: str | None
    quiet: bool

    def in_language(self, golds: Iterable[Any], file: Path, warn: Warn) -> list[Any]:
        """Gold pairs in the language of the profile; others are refused, or only warned of."""
        from ists_asp.lang import foreign

        profile = self.setup.load_profile()
        about, check, accepted = (profile.language, profile.name), self.language_check, list[Any]()
        faults = Faults(warn if self.skip_bad else None, hint=SKIP)
        with faults:  # those of reading come at the end
            for gold in golds:
                where = getattr(gold, "where", "") or f"{file}: {of_pair(gold.pair.id)}"
                fault = foreign(gold.pair.sentences, *about, where)
                if fault is None or check in ("off", "warn"):
                    accepted.append(gold)
                    if fault is not None and check == "warn":
                        check = "off"
                        warn(str(fault))
                else:
                    faults.add(fault)
        faults.check()
        return accepted

    def head(self, task: str = "ists", folds: int | str | None = None) -> tuple[str, str]:
        """The title and command of a file of weights, or with ``folds`` of one of confidence."""
        setup = self.setup
        reader = "" if setup.reader == "none" else setup.reader
        parts = ["ists-asp learn"]
        parts += [f"--task {task}"] if task != "ists" else []
        parts += [f"--gold DATA/{path.resolve().name}" for path in self.gold]
        parts += [f"--rules {path.name}" for path in setup.rules]
        parts += [f"--profile {setup.profile}"]
        parts += [f"--reader {Path(reader).name}"] if reader else []
        parts += [f"--vectors {setup.vectors.name}"] if setup.vectors else []
        parts += [f"--keep {path.name}" for path in self.keep]
        parts += [f"--gold-col '{self.column}'"] if self.column else []
        parts += [f"--sheet '{self.sheet}'"] if self.sheet else []
        parts += [f"--encoding {self.encoding}"] if self.encoding else []
        parts += ["--gold-scale {:g}..{:g}".format(*self.scale)] if self.scale else []
        parts += ["--from-nothing"] if self.from_nothing else []
        parts += [f"--most {self.most}"] if self.most != MOST and not self.from_nothing else []
        parts += [f"--seed {self.seed}"] if self.seed else []
        parts += [f"--edits {self.edits.name}"] if self.edits else []
        name = f"{'reader-' if reader else ''}{setup.profile}.lp"
        if folds is not None:
            parts += [f"--cross-validate {folds}", f"--confidence confidence/confidence-{name}"]
        else:
            parts += [f"-o weights/{self.output.name if self.output else name}"]
        return f"profile {setup.profile}", " ".join(parts)

    def tell(self, report: str) -> bool:
        """Tell what is reached on unseen parts; say whether weights are wanted, too."""
        if self.output is None:
            write_output(None, report)
            return False
        for line in report.splitlines():
            note(line)
        return True

    def write(self, text: str, pairs: int, count: int, noun: str = "weights") -> None:
        write_output(self.output, text)
        if not self.quiet and self.output is not None:
            note(f"{self.output}: {count} {noun} from {pairs} pairs")

    def write_edits(self, file: Path, selection: Selection, pairs: int) -> None:
        if selection.edits:
            write_output(file, selection.text(*self.head()))
        if self.quiet:
            return
        gain = f"F1 {selection.gain:+.2f} in the {pairs} held out, one after the other"
        note(f"{selection.chosen} edits chosen in all folds, of {selection.tried}: {gain}")
        if not selection.edits:
            note(f"no edit pays off on held-out pairs: {file} is not written")
            return
        note(f"{len(selection.edits)} edits pay off, in {file}:")
        for choice in selection.edits:
            note(f"  {choice}: {choice.proposal.name}, {choice.proposal.scope}")


def _learn_alignments(lesson: _Lesson, folds: int | None, *, as_json: bool) -> None:
    from ists_asp.learn.cross import fit_table, render_table, render_weights
    from ists_asp.run.pool import apart

    golds = _read_golds(lesson)
    if lesson.edits is not None and len(golds) < LEAST:
        expected = f"{LEAST} or more, of which some can be held out"
        raise UsageError(f"{len(golds)} gold pairs", where="--edits", expected=expected)
    task = partial(_learned_alignments, lesson, golds, folds)
    # Nobody knows how many edits there will be to try.
    total = None if lesson.edits is not None else len(golds) * (3 if folds else 1)
    with progress(total, shown=not lesson.quiet) as step:
        learned = apart(task, SECONDS, foreign=bool(lesson.setup.rules), step=step)
    if lesson.edits is not None and learned.selection is not None:
        lesson.write_edits(lesson.edits, learned.selection, len(golds))
    if learned.results is not None:
        if lesson.confidence is not None:
            parts = (part for result in learned.results for part in result.judged)
            steps = fit_table(chain.from_iterable(parts))
            write_output(lesson.confidence, render_table(steps, *lesson.head(folds=folds)))
        if not lesson.tell(_report(learned.results)):
            return
    weights = [weight for weight in learned.weights if not weight.reason]
    lost = [weight for weight in learned.weights if weight.reason]
    corrections = learned.corrections
    text = render_weights(weights, learned.sentences, *lesson.head(), corrections=corrections)
    noun = "corrections" if corrections else "weights"
    if lesson.output is not None or not as_json:
        lesson.write(text, len(golds), len(weights), noun)
    if as_json:
        write_output(None, {noun: list(map(asdict, weights)), "without": list(map(asdict, lost))})
    elif not lesson.quiet:
        rows: dict[tuple[bool, str, str, str], list[str]] = {}
        for weight in lost:
            other = weight.name.partition("(")[0] not in learned.user_names
            key = other, weight.name, str(weight.support), weight.reason
            rows.setdefault(key, []).append(weight.decision)
        listed = [[key[1], ", ".join(rows[key]), *key[2:]] for key in sorted(rows)]
        titles = ["Got none", "for", "examples", "because"]
        for line in table([titles, *listed[:12]], left=True).splitlines():
            note(line)
        note(f"{len(listed)} in all; --json has them")


class _Learned(NamedTuple):
    """Results and weights, each if wanted; sentences of evidence, names in the user's rules."""

    results: Sequence[CrossValidation] | None
    weights: Sequence[Weight]
    sentences: Mapping[str, str]
    user_names: Collection[str]
    corrections: bool
    selection: Selection | None


def _learned_alignments(lesson: _Lesson, golds: Sequence[Reference], folds: int | None) -> _Learned:
    from ists_asp.fix.selection import select
    from ists_asp.learn.cross import cross_validate, learn_weights, render_weights
    from ists_asp.learn.examples import ExampleBuilder, read_weights
    from ists_asp.learn.fit import Settings
    from ists_asp.run.worker import counted, step

    with ExampleBuilder(lesson.setup, lesson.output) as teacher:
        base = {} if lesson.from_nothing else teacher.weights(WEIGHT)
        fixed = read_weights(lesson.keep).items()
        settings = Settings(
            base=base,
            corrected=teacher.weights(CORRECTION) if base else {},
            keep={key: value - base.get(key, 0) for key, value in fixed}
            | (read_weights(lesson.keep, CORRECTION) if base else {}),
            corrections=lesson.most,
            seed=lesson.seed,
            scheme=teacher.profile.scheme,
        )
        examples = list(counted(teacher.examples(golds)))
        results = None
        if folds is not None:
            results = cross_validate(teacher, examples, settings, folds=folds, tick=step)
        weights: list[Weight] = []
        if folds is None or lesson.output is not None:
            weights = learn_weights(examples, teacher.senses(), replace(settings, reasons=True))
        selection = None
        if lesson.edits is not None:

            def learned(ids: Set[str]) -> str:
                part = [example for example in examples if example.gold.pair.id in ids]
                weights = learn_weights(part, teacher.senses(), settings)
                return render_weights(weights, {}, "a part", "learn", corrections=bool(base))

            rules = tuple(path for path in lesson.setup.rules if path != lesson.output)
            setup = replace(lesson.setup, rules=rules)
            selection = select(setup, golds, learned, folds=folds or FOLDS, seed=lesson.seed)
        about = teacher.sentences(), teacher.user_names()
        return _Learned(results, weights, *about, bool(base), selection)


def _report(results: Sequence[CrossValidation]) -> str:
    lines = []
    for scenario, result in zip(("gold chunks", "found chunks"), results, strict=True):
        spreads = ((name, *result.spread(name)) for name in _MEASURES)
        measures = (f"{name.replace('_', '+')} {mean:.3f} ± {sd:.3f}" for name, mean, sd in spreads)
        lines.append(f"{scenario}: {', '.join(measures)}\n")
    return "".join(lines)


def _learn_ratings(lesson: _Lesson, folds: int | str | None) -> None:
    from ists_asp.io.pairs import read_sts
    from ists_asp.learn import ratings
    from ists_asp.learn.cross import render_margins, render_rating_weights
    from ists_asp.run.pool import apart

    with reader_warnings() as warn:
        read = partial(read_sts, warn=warn, skip_bad=lesson.skip_bad, column=lesson.column)
        read = partial(read, encoding=lesson.encoding, sheet=lesson.sheet, scale=lesson.scale)
        golds = {file: lesson.in_language(read(file), file, warn) for file in lesson.gold}
        for file, pairs in golds.items():
            least = min((pair.score for pair in pairs), default=0)
            if lesson.scale is None and least >= 1:
                found = f"gold ratings begin at {least:g}, the profile's scale at 0"
                warn(f"{file}: {found}; if theirs is another, say so: --gold-scale {least:.0f}..N")
    count = sum(map(len, golds.values()))
    where = f"--cross-validate {folds}"
    if folds == SETS and len(golds) < 2:
        raise UsageError("there is one data set only", where=where, expected="two or more")
    if isinstance(folds, int) and folds * _LEAST > min(map(len, golds.values())):
        expected = f"{_LEAST} pairs for each part, or more"
        raise UsageError("a data set has too few pairs", where=where, expected=expected)
    task = partial(_rating_examples, lesson.setup, golds, lesson.scale)
    with progress(count + ratings.UNRELATED, shown=not lesson.quiet) as step:
        foreign = bool(lesson.setup.rules)
        examples, unrelated, highest = apart(task, SECONDS, foreign=foreign, step=step)
    if folds is not None:
        parts = None if isinstance(folds, str) else folds
        results = ratings.cross_validate_ratings(
            examples, unrelated, highest=highest, folds=parts, seed=lesson.seed
        )
        if lesson.confidence is not None:
            margins = ratings.fit_margins(chain.from_iterable(results.values()))
            write_output(lesson.confidence, render_margins(margins, *lesson.head("sts", folds)))
        if not lesson.tell(_correlations(results)):
            return
    weights = ratings.learn_ratings(examples, unrelated, highest)
    lesson.write(render_rating_weights(weights, *lesson.head("sts")), count, len(weights))


def _rating_examples(
    setup: Setup, golds: Mapping[Path, list[ScoredPair]], scale: GoldScale | None
) -> tuple[list[RatedExample], list[RatedExample], int]:
    from ists_asp.learn import ratings
    from ists_asp.run.worker import counted

    with ratings.RatingExampleBuilder(setup) as teacher:
        for file, pairs in golds.items():
            pairs[:] = ratings.scaled(pairs, scale, teacher.highest, str(file))
        sets = (teacher.examples(file.stem, pairs) for file, pairs in golds.items())
        examples = list(counted(chain.from_iterable(sets)))
        mismatched = ratings.mismatched(list(golds.values()))
        return examples, list(counted(teacher.examples("", mismatched))), teacher.highest


def _correlations(results: Mapping[str, Sequence[Rated]]) -> str:
    from ists_asp.evaluate.ratings import correlation, weighted_mean

    rows = [["", "Pairs", "Pearson"]]
    means = []
    for name, rated in results.items():
        parts = [correlation(part.gold, part.predicted, name) for part in rated]
        means.append(mean := weighted_mean(parts))
        spread = f" ± {stdev([part.r for part in parts]):.4f}" if len(parts) > 1 else ""
        rows.append([name, str(mean.pairs), f"{mean.r:.4f}{spread}"])
    total = weighted_mean(means)
    rows.append(["mean", str(total.pairs), f"{total.r:.4f}"])
    return table(rows, left=True)


def _read_golds(lesson: _Lesson) -> list[Reference]:
    """Gold pairs; the ids of those of several folders, which all count from 1, tell them apart."""
    from ists_asp.learn.examples import read_gold

    with reader_warnings() as warn:
        read = partial(read_gold, warn=warn, skip_bad=lesson.skip_bad)
        if len(lesson.gold) == 1:
            return lesson.in_language(read(lesson.gold[0]), lesson.gold[0], warn)
        return [
            replace(gold, pair=replace(gold.pair, id=f"{number}.{gold.pair.id}"))
            for number, path in enumerate(lesson.gold, 1)
            for gold in lesson.in_language(read(path), path, warn)
        ]
