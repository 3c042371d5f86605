"""``ists-asp explain``: pairs in, their answers in words out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ists_asp.cli import options
from ists_asp.cli.console import reader_warnings, write_output
from ists_asp.cli.files import command
from ists_asp.errors import DataError, UsageError, shortened
from ists_asp.run.watch import Failed, isolate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup
    from ists_asp.explain import Explanation
    from ists_asp.model import Answer, Pair


@command("""
  ists-asp explain "12 killed in bus accident" "10 killed in road accident"
  ists-asp explain --sent1 a.txt --sent2 b.txt --profile headlines --id 3
  ists-asp explain --sent1 a.txt --sent2 b.txt --answers gold.wa -o words.txt
  ists-asp explain --json "a cat sits" "two cats sit"
  ists-asp explain --language es "12 killed in bus accident" "10 killed in road accident"
""")
@options.input_options
@options.setup_options()
@options.file_option(
    "--answers",
    "Explain the alignments in this .wa file, of whatever origin, instead of solving.",
)
@click.option(
    "--language",
    metavar="CODE",
    help="Language of the explanation, en or es; the sentences' own words stay as they are. "
    "Default: that of the profile.",
)
@options.file_option(
    "--templates", "Wording of your own: a copy of data/templates/en.toml, edited."
)
@options.json_option
@options.output_option(".txt", ".md")
def explain(
    inputs: Inputs,
    setup: Setup,
    answers: Path | None,
    language: str | None,
    templates: Path | None,
    as_json: bool,
    output: Path | None,
) -> None:
    """Say in words what two sentences share and how they differ.

    In: pairs of sentences, as for ists-asp solve. With --answers their alignments are read
    from a file, otherwise they are found.

    Out: for each pair a text of a few sentences; where there are several pairs, its id stands
    in front. With --json the statements it is made of as well: each with its kind, its
    alignments and tokens, and the rule that decided it; a list where there are several pairs.
    """
    from ists_asp.cli.driver import working
    from ists_asp.explain import load_templates

    if language is not None and templates is not None:
        raise UsageError(
            "--language does not go with --templates", hint="A file of templates is in one language"
        )
    pairs = inputs.read()
    given = _given(answers, pairs) if answers is not None else None
    if templates:
        # They hold a regular expression, which may look for ever.
        isolate()
    with reader_warnings() as warn:
        wording = (
            load_templates(language or "en", templates, warn) if language or templates else None
        )
    with working(setup) as run:
        system = run.system
        system.explainer  # noqa: B018 (faulty rules are no pair's failure)

        def explained(some: Iterator[Pair]) -> Iterator[Explanation]:
            known = system.answered(inputs.tokenized(system, some))
            return system.explain_many((one.answer for one in known), wording)

        if given is None:
            inputs.warn_untokenized(system, pairs)
            found = list(run.on_each(pairs, explained, lambda pair: pair, quiet=inputs.quiet))
        else:
            found = list(
                run.on_each(
                    given,
                    lambda some: system.explain_many(some, wording),
                    lambda answer: answer.pair,
                    quiet=inputs.quiet,
                )
            )
    single = inputs.one
    write_output(output, _records(found, single) if as_json else _text(found, single))
    run.failures.end(len(found))


def _given(path: Path, pairs: Sequence[Pair]) -> list[Answer]:
    """The answers for the pairs, read from a file."""
    from ists_asp.io.text import Faults
    from ists_asp.io.wa import given_answer, read_wa

    with reader_warnings() as warn:
        known = {entry.id: entry for entry in read_wa(path, warn=warn)}
    found, faults = [], Faults()
    for pair in pairs:
        with faults:
            if pair.id not in known:
                raise DataError(
                    f"there are no alignments for pair {shortened(pair.id)}",
                    where=str(path),
                    expected=f'<sentence id="{shortened(pair.id)}" …>',
                )
            found.append(given_answer(pair, known[pair.id].to_alignments()))
    faults.check()
    return found


def _text(found: Sequence[Explanation | Failed], single: bool) -> str:
    told = [one for one in found if not isinstance(one, Failed)]
    if single:
        return "".join(f"{one.text}\n" for one in told)
    return "".join(f"{one.answer.pair.id}: {one.text}\n" for one in told)


def _records(found: Sequence[Explanation | Failed], single: bool) -> object:
    from ists_asp.io.formats import failure_record

    records = [
        failure_record(one.pair, one.reason) if isinstance(one, Failed) else one.to_dict()
        for one in found
    ]
    return records[0] if single else records
