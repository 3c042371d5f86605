"""``ists-asp explain``: pairs in, their answers in words out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli import options
from ists_asp.cli.files import choose_format, command
from ists_asp.errors import UsageError
from ists_asp.io.formats import EXPLAINED, EXPLANATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.engine import Setup
    from ists_asp.pipeline.source import Source


@command("""
  ists-asp explain "12 killed in bus accident" "10 killed in road accident"
  ists-asp explain --table pairs.csv -o explained.csv
  ists-asp explain --engine dask --table pairs.jsonl -o explained --format jsonl
  ists-asp explain --sent1 a.txt --sent2 b.txt --profile headlines --id 3
  ists-asp explain --sent1 a.txt --sent2 b.txt --answers gold.wa -o words.txt
  ists-asp explain --json "a cat sits" "two cats sit"
  ists-asp explain --language es "12 killed in bus accident" "10 killed in road accident"
""")
@options.input_options
@options.setup_options(run=True)
@options.file_option(
    "--answers", "Explain the alignments in this .wa file, from any system, instead of solving."
)
@click.option(
    "--language",
    metavar="CODE",
    help="Language of the explanation, en or es; quoted words stay as they are. Default: the "
    "profile's.",
)
@options.templates_option
@options.format_option(EXPLANATIONS, ", or text.")
@options.json_flag
@options.output_option()
def explain(
    source: Source,
    setup: Setup,
    answers: Path | None,
    language: str | None,
    templates: Path | None,
    form: str | None,
    as_json: bool,
    output: Path | None,
    **run: Any,  # noqa: ANN401 (how to run any number of pairs)
) -> None:
    """Say in words what two sentences share and how they differ.

    In: pairs of sentences, as for ists-asp solve. With --answers, alignments are read from a
    file instead of decided.

    Out: for each pair a text of a few sentences, after its id if there are several pairs. With
    --json, one object per line, which also lists the statements: each with its kind, alignments,
    tokens, and the rule behind it.
    """
    from ists_asp.cli.driver import solve_pairs
    from ists_asp.explain.templates import languages
    from ists_asp.rules import Purpose

    if answers is not None and run["traces"] is not None:
        raise UsageError("--trace does not go with --answers", hint="Given answers have no trace")
    if language is not None and templates is not None:
        raise UsageError(
            "--language does not go with --templates", hint="A file of templates is in one language"
        )
    if language is not None and language not in languages():
        expected = " or ".join(languages())
        raise UsageError(f"there are no templates for the language '{language}'", expected=expected)
    setup.check_has(Purpose.EXPLANATION)
    shape = choose_format(EXPLANATIONS, "jsonl" if as_json else form, output, "text")
    setup = replace(setup, explained=True, language=language, templates=templates, answers=answers)
    solve_pairs(source, setup, shape, output, EXPLAINED, **run)
