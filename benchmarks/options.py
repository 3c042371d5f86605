"""Options that several benchmarks have, what they ran on, and where figures go."""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path

import clingo

from benchmarks import ROOT
from benchmarks.sets import SETS
from benchmarks.tables import replace_between
from ists_asp.io.files import atomic_writer

CARD = ROOT / "lp_rules" / "weights" / "README.md"
PAGE = ROOT / "docs" / "explanation" / "accuracy.md"


def make_parser(name: str, page: str | None) -> argparse.ArgumentParser:
    """A parser for ``python -m benchmarks.NAME``, described by the first line of its docstring."""
    return argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}", description=(page or "").partition("\n")[0]
    )


def add_data(parser: argparse.ArgumentParser, limit: int | None = None) -> None:
    """Add what chooses pairs of the train sets; all of them where there is no ``limit``."""
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with ists-2016-train/ in it (default: shared/data beside the checkout)",
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="default: all")
    parser.add_argument(
        "--limit",
        type=positive,
        default=limit,
        metavar="N",
        help=f"the first N pairs of each set (default: {limit or 'all'})",
    )


def add_profile(parser: argparse.ArgumentParser, default: str = "headlines") -> None:
    """Add the profile that decides."""
    parser.add_argument("--profile", default=default, help=f"default: {default}")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add a file for the figures, see :func:`write_json`."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")


def add_write(parser: argparse.ArgumentParser) -> None:
    """Add whether tables go into the documentation, see :func:`rewrite`."""
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")


def positive(text: str) -> int:
    """Read a number from 1.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1, found '{text}'")
    return number


def write_json(path: Path | None, figures: object) -> None:
    """Write figures, if a file was named for them."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


def rewrite(tables: dict[str, str], page: Path = PAGE) -> None:
    """Put tables into a page, each at the place of its name.

    Raises:
        DataError: the page has no such place.
    """
    text = page.read_text("utf-8")
    for name, table in tables.items():
        text = replace_between(text, name, table)
    with atomic_writer(page) as stream:
        stream.write(text)


def describe_machine(jobs: int = 1) -> str:
    """One line: versions, processor, cores, processes and the limit on threads."""
    threads = os.environ.get("OMP_NUM_THREADS", "not set")
    processes = "one process" if jobs == 1 else f"{jobs} processes"
    return (
        f"Python {platform.python_version()}, clingo {clingo.__version__}, "
        f"{platform.machine()}, {os.cpu_count()} cores, {processes}, OMP_NUM_THREADS {threads}"
    )
