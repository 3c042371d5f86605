"""``ists-asp rules ablate``: what each rule is worth on gold pairs."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ists_asp.cli import options
from ists_asp.cli.console import progress, write_output
from ists_asp.cli.files import GOLD, command
from ists_asp.cli.inputs import read_golds
from ists_asp.errors import UsageError
from ists_asp.terminal import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ists_asp.ablate import Ablation, Study
    from ists_asp.engine import Setup


@command("""
  ists-asp rules ablate --gold data/samples/headlines --profile headlines --evidence
  ists-asp rules ablate --gold train --profile images --only same_lemma --only synonyms
  ists-asp rules ablate --gold train --profile headlines --jobs 4 --top 20
  ists-asp rules ablate --gold train --rules my-rules --json -o worth.json
""")
@click.option(
    "--gold",
    "folders",
    type=GOLD,
    multiple=True,
    required=True,
    metavar="DIR",
    help="Folder with sent1.chunk.txt, sent2.chunk.txt and gold.wa; repeat it for more data.",
)
@options.setup_options()
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Leave out only this rule. Repeatable.",
)
@click.option(
    "--evidence",
    "features",
    is_flag=True,
    help="Leave out only rules that find evidence about alignments and labels.",
)
@click.option(
    "--found-chunks", is_flag=True, help="The rules find the chunks; otherwise gold gives them."
)
@options.number_option(
    "--top", text="Tell only the N rules that are worth most, and the N that harm most."
)
@options.number_option("--jobs", text="Processes that work at a time.", default=1)
@options.json_option
@options.output_option(".txt", ".md")
@options.quiet_option
def ablate(
    folders: tuple[Path, ...],
    setup: Setup,
    only: tuple[str, ...],
    features: bool,
    found_chunks: bool,
    top: int | None,
    jobs: int,
    as_json: bool,
    output: Path | None,
    quiet: bool,
) -> None:
    """Leave out each rule in turn, and see what it is worth on gold pairs.

    In: folders with gold chunks and gold alignments, as for ists-asp learn; a profile.

    Out: for each rule of lp_rules/ how often it fires and for how many pairs; how many
    alignments, labels and scores that rest on it are right and wrong; for how many pairs the
    measures differ without it; and what it adds to each of the four official F1, in
    hundredths: what is lost without it. The weights stay as they are: after a rule is gone,
    learn them anew. Best rules first.
    """
    from ists_asp.ablate import ablate as leave_out

    study = _study(folders, setup, found_chunks)
    wanted = _wanted(study, only, features)
    with ExitStack() as stack:

        def begin(total: int) -> Callable[[], None]:
            return stack.enter_context(progress(total, shown=not quiet))

        found = leave_out(study, wanted, jobs=jobs, begin=begin)
    write_output(output, found.as_dict() if as_json else _render(found, top))


def _study(folders: Sequence[Path], setup: Setup, found_chunks: bool) -> Study:
    """The rules, and the pairs, annotated."""
    from ists_asp.ablate import Study
    from ists_asp.cli.driver import working
    from ists_asp.model import Pair

    golds = read_golds(folders)
    pairs = [gold.pair for gold in golds]
    if found_chunks:
        pairs = [
            Pair(one.id, replace(one.sent1, chunks=None), replace(one.sent2, chunks=None))
            for one in pairs
        ]
    with working(setup) as run:
        annotated = run.system.annotate(pairs)
        items = [replace(gold, pair=pair) for gold, pair in zip(golds, annotated, strict=True)]
    return Study(items, setup)


def _wanted(study: Study, only: Sequence[str], features: bool) -> list[str]:
    """The rules to leave out."""
    for name in only:
        if name not in study.rules:
            close = get_close_matches(name, study.rules, n=1)
            raise UsageError(
                f"there is no rule '{name}' to leave out",
                where="--only",
                expected="a rule of lp_rules/ that derives something",
                hint=f"Did you mean '{close[0]}'?" if close else "See ists-asp rules list",
            )
    names = list(dict.fromkeys(only)) or list(study.rules)
    return [name for name in names if name in study.evidence] if features else names


def _render(found: Ablation, top: int | None) -> str:
    names = [name for name, _ in found.scores.named()]
    f1 = ", ".join(f"{name} {measure.f1:.4f}" for name, measure in found.scores.named())
    head = ["rule", "fires", "pairs", "right", "wrong", "changed", *names]
    rules = found.rules
    if top is not None and len(rules) > 2 * top:
        rules = (*rules[:top], *rules[-top:])
    rows = [
        [
            one.rule.name,
            *map(str, (tally.fires, tally.pairs, tally.right, tally.wrong, one.changed)),
            *map(_hundredths, one.worth.values()),
        ]
        for one in rules
        for tally in [one.tally]
    ]
    return f"F1 of all rules over {found.pairs} pairs: {f1}\n\n" + table([head, *rows])


def _hundredths(value: float) -> str:
    text = f"{100 * value:+.2f}"
    return text if text not in ("+0.00", "-0.00") else "0"
