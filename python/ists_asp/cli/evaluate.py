"""``ists-asp evaluate``: answers against a gold standard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ists_asp.cli.console import show_json, warn, write_output
from ists_asp.cli.options import PATH, json_option, scheme_option

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["evaluate"]


@click.command(
    epilog="""\b
Examples:
  ists-asp evaluate gold.wa out.wa
  ists-asp evaluate gold.wa out.wa --by-pair
  ists-asp evaluate gold.wa out.wa --scheme 2015 --json > scores.json
"""
)
@click.argument("gold", type=PATH, metavar="GOLD.wa")
@click.argument("system", type=PATH, metavar="SYS.wa")
@scheme_option("The official scorer of which year; that of 2015 is kinder to wrong types.")
@click.option("--by-pair", is_flag=True, help="Also the F1 of each pair (JSON always has them).")
@json_option
def evaluate(gold: Path, system: Path, scheme: str, by_pair: bool, as_json: bool) -> None:
    """Measure answers against a gold standard.

    In: two files of word alignments; pairs are matched by their ids.

    Out: F1, precision and recall of alignment (Ali), type, score, and type with score
    (Typ+Sco), over all pairs, and a table of gold labels against answered ones.
    """
    from ists_asp.evaluate.files import evaluate_files
    from ists_asp.evaluate.report import render_evaluation
    from ists_asp.model import Scheme

    evaluation = evaluate_files(gold, system, Scheme(scheme), warn=warn)
    if as_json:
        show_json(evaluation.as_dict())
    else:
        write_output(None, render_evaluation(evaluation, by_pair))
