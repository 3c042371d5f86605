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

``--pilot`` does the same for the train sets of the pilot of 2015, by its scheme. ``--archive``
takes the organisers' archives, of test sets as well, and measures the weights as shipped.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import COMMON, SCENARIOS, Case, HoldOut, has_learned, measure
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
from benchmarks.sets import PILOT, SETS, find_data, read_archives, read_pilot, read_set
from benchmarks.tables import accuracy_table, check_table, kinds_table, speed_table
from ists_asp import load
from ists_asp.errors import IstsError, UsageError
from ists_asp.rules import list_profiles

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from benchmarks.sets import PairSet

OWN = "own"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 where an answer is not sound."""
    parser = _parser()
    options = parser.parse_args(arguments)
    partial = ("sets", "profiles", "limit", "folds", "archive")
    try:
        if options.write and any(getattr(options, x) != parser.get_default(x) for x in partial):
            raise UsageError(
                "the pages show all sets, profiles, pairs and five folds",
                expected="--write without --sets, --profiles, --limit, --folds, --archive",
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
    return int(not cases)


def _parser() -> argparse.ArgumentParser:
    parser = make_parser("accuracy", __doc__)
    add_data(parser)
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--pilot", action="store_true", help="the pilot of 2015 instead")
    text = "the sets in these archives of the organisers instead, by weights as shipped"
    others.add_argument("--archive", nargs="+", type=Path, metavar="FILE", help=text)
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


def _run(options: argparse.Namespace) -> Iterator[Case]:
    if options.archive:
        for data in read_archives(options.archive, options.limit):
            own = data.name if data.name in list_profiles() else COMMON
            chosen = data.name in options.sets or data.name not in SETS
            for profile in options.profiles if chosen else ():
                with load(own if profile == OWN else profile, cache=None) as system:
                    for scenario in SCENARIOS if data.chunked else SCENARIOS[1:]:
                        yield measure(system, data, scenario)
        return
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
            with load(profile, cache=None) as system:
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
    validated = any(case.folds for case in cases)
    how = "cross-validated where weights were learned" if validated else "as shipped"
    print(f"F1 by the official measures, {how}\n")
    print(accuracy_table(cases))
    if validated:
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
