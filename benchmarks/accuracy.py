"""Accuracy and speed on the train sets of SemEval-2016 Task 2.

``python -m benchmarks.accuracy`` runs the whole pipeline on each set, with gold chunks and
with found ones, by the set's own profile and by the organisers' baseline, and prints
Markdown tables.

The weights of a profile are learned from these sets. Its accuracy is therefore that of a
cross-validation: weights are learned on four fifths of the pairs, in all that learning
chooses, and decide the others. Times and soundness are of the profile as shipped. What no
cross-validation takes away: the rules were written with these sets at hand.

``--pilot`` does the same for the train sets of the pilot of 2015, by its scheme.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.cases import SCENARIOS, Case, held_out, measure
from benchmarks.machine import describe_machine
from benchmarks.options import (
    add_data,
    add_json,
    add_write,
    make_parser,
    positive,
    rewrite,
    write_json,
)
from benchmarks.sets import PILOT, find_data, read_pilot, read_set
from benchmarks.tables import accuracy_table, check_table, speed_table
from ists_asp import load
from ists_asp.errors import IstsError, UsageError
from ists_asp.rules import load_profile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

__all__ = ["main"]

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
    for name in PILOT if options.pilot else options.sets:
        data = (
            read_pilot(folder, name, options.limit)
            if options.pilot
            else read_set(folder / name, options.limit)
        )
        profiles = [name if profile == OWN else profile for profile in options.profiles]
        validated = {
            profile: held_out(profile, data, options.folds)
            for profile in profiles
            if _has_own_weights(profile)
        }
        systems = [load(profile) for profile in profiles]
        for scenario in SCENARIOS:
            for system in systems:
                case = measure(system, data, scenario)
                if system.profile.name in validated:
                    scores, chunking, folds = validated[system.profile.name][scenario]
                    case = replace(case, scores=scores, chunking=chunking, folds=folds)
                yield case
        for system in systems:
            system.close()


def _has_own_weights(profile: str) -> bool:
    """Whether weights were learned for the profile's rules, rather than lent by another."""
    return f"weights/{profile}" in load_profile(profile).answer.weights


def _print(cases: Sequence[Case]) -> None:
    print("F1 by the official measures, cross-validated where weights were learned\n")
    print(accuracy_table(cases))
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


if __name__ == "__main__":
    sys.exit(main())
