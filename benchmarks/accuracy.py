"""Accuracy and speed on the train sets of SemEval-2016 Task 2.

``python -m benchmarks.accuracy`` runs the whole pipeline on each set, with gold chunks and
with found ones, by the set's own profile and by the organisers' baseline, and prints
Markdown tables.

The weights of a profile are learned from these sets. Its accuracy is therefore that of a
cross-validation: weights are learned on four fifths of the pairs, in all that learning
chooses, and decide the others, which are neighbours. Where profiles correct common weights, those
are learned without them, too. Beside it stands what common weights alone decide that are learned
from the two other sets: what to expect of another kind of text. Times and soundness are of the
profile as shipped. What nothing takes away: the rules were written with these sets at hand.

``--pilot`` does the same for the train sets of the pilot of 2015, by its scheme.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.cases import SCENARIOS, Case, HoldOut, has_learned, measure
from benchmarks.options import (
    CARD,
    add_data,
    add_json,
    add_write,
    describe_machine,
    make_parser,
    positive,
    rewrite,
    write_json,
)
from benchmarks.sets import PILOT, SETS, find_data, read_pilot, read_set
from benchmarks.tables import accuracy_table, check_table, kinds_table, speed_table
from ists_asp import load
from ists_asp.errors import IstsError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from benchmarks.sets import PairSet

OWN = "own"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 where an answer is not sound."""
    options = _parser().parse_args(arguments)
    try:
        if options.write and _partial(options):
            raise UsageError(
                "the pages show all sets, profiles, pairs and five folds",
                expected="--write without --sets, --profiles, --limit, --folds",
            )
        cases = list(_run(options))
        _print(cases)
        figures = {"machine": describe_machine(), "cases": [case.as_dict() for case in cases]}
        write_json(options.json, figures)
        if options.write:
            _write_tables(cases, pilot=options.pilot)
    except IstsError as error:
        print(f"benchmarks.accuracy: {error}", file=sys.stderr)
        return error.exit_code
    if not all(case.sound for case in cases):
        print("benchmarks.accuracy: some answers are faulty or lose tokens", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = make_parser("accuracy", __doc__)
    add_data(parser)
    parser.add_argument(
        "--pilot", action="store_true", help="the sets of the pilot of 2015 instead"
    )
    parser.add_argument(
        "--profiles",
        nargs="+",
        default=(OWN, "baseline"),
        metavar="NAME",
        help=f"profiles; '{OWN}' is the profile called as the set (default: {OWN} baseline)",
    )
    parser.add_argument(
        "--folds",
        type=positive,
        default=5,
        metavar="K",
        help="parts of the cross-validation (default: 5)",
    )
    add_json(parser)
    add_write(parser)
    return parser


def _partial(options: argparse.Namespace) -> bool:
    defaults = _parser().parse_args([])
    return any(
        getattr(options, name) != getattr(defaults, name)
        for name in ("sets", "profiles", "limit", "folds")
    )


def _run(options: argparse.Namespace) -> Iterator[Case]:
    folder = find_data(options.data, pilot=options.pilot)
    sets = (
        [read_pilot(folder, name, options.limit) for name in PILOT]
        if options.pilot
        else [read_set(folder / name, options.limit) for name in SETS]
    )
    with HoldOut(sets, options.folds) as teaching:
        for data in sets:
            if options.pilot or data.name in options.sets:
                yield from _measured(data, options, teaching)


def _measured(data: PairSet, options: argparse.Namespace, teaching: HoldOut) -> Iterator[Case]:
    profiles = [data.name if profile == OWN else profile for profile in options.profiles]
    validated = {
        profile: teaching.cross_validate(profile, data.name)
        for profile in filter(has_learned, profiles)
    }
    others = validated and not options.pilot and teaching.leave_out(data.name)
    for place, scenario in enumerate(SCENARIOS):
        for profile in profiles:
            with load(profile) as system:
                case = measure(system, data, scenario)
            if profile in validated:
                found = validated[profile][place]
                case = replace(
                    case,
                    scores=found.overall,
                    chunking=found.chunking,
                    folds=found.folds,
                    left_out=others[place].overall if others else None,
                )
            yield case


def _print(cases: Sequence[Case]) -> None:
    print("F1 by the official measures, cross-validated where weights were learned\n")
    print(accuracy_table(cases))
    print("Cross-validated, and by common weights learned from the other sets\n")
    print(kinds_table(cases))
    print("Milliseconds a pair; p50, p95 and max are of grounding and solving together\n")
    print(speed_table(cases))
    print("Seconds altogether, and the written answers checked\n")
    print(check_table(cases))
    print(describe_machine())


def _write_tables(cases: Sequence[Case], *, pilot: bool) -> None:
    """The table of the pilot, or those of accuracy and speed."""
    if pilot:
        rewrite({"pilot": accuracy_table(cases)})
    else:
        own = [case for case in cases if case.profile == case.set]
        speed = f"{speed_table(own)}\n{describe_machine()}\n"
        rewrite({"accuracy": accuracy_table(cases), "speed": speed})
        rewrite({"kinds": kinds_table(own)}, CARD)


if __name__ == "__main__":
    sys.exit(main())
