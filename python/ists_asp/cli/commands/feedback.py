"""``ists-asp feedback``: a table of students' answers in, the same with feedback out."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli import options
from ists_asp.cli.console import note, reader_warnings, write_output
from ists_asp.cli.files import INPUT, command
from ists_asp.errors import DataError, UsageError, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.engine import Setup
    from ists_asp.engine.feedback import Feedback, Submission
    from ists_asp.io.tables import Row, Table
    from ists_asp.run.watch import Failed

_COLUMNS = (
    *("best_reference", "rating", "verdict", "right", "missing", "contradicts", "extra"),
    *("feedback", "sure"),
)
_ROLES = {
    "id": "the id of an answer; by default its row",
    "question": "the question; without it, words of the question count like others",
    "answer": "the answer",
    "reference": "the model answer; in the table of --references, if there is one",
}


def _column_options(function: options.Function) -> options.Function:
    return options.decorated(
        function,
        tuple(
            click.option(
                f"--{role}-col", metavar="NAME", help=f"Column of {text}: its title or number."
            )
            for role, text in _ROLES.items()
        ),
    )


@command("""
  ists-asp feedback answers.csv -o feedback.csv
  ists-asp feedback answers.xlsx --references key.xlsx --answer-col text -o out.xlsx
  ists-asp feedback answers.csv --marks-col points --group -o feedback.csv
  ists-asp feedback answers.csv --profile es -o feedback.csv
  ists-asp feedback answers.csv --why 12
""")
@click.argument("table", type=INPUT, metavar="ANSWERS")
@options.file_option(
    "--references",
    "Table of model answers by question; several rows of a question are several model answers.",
)
@_column_options
@click.option(
    "--marks-col",
    metavar="NAME",
    help="Column of marks that you gave to ten answers or more: one is suggested for each answer.",
)
@click.option(
    "--group",
    is_flag=True,
    help="Number the answers that say the same of the same parts of the model answer, the biggest "
    "group first.",
)
@click.option(
    "--why", "asked", metavar="ID", help="Say which rules decided the verdict of an answer."
)
@click.option(
    "--language", metavar="CODE", help="Language of the feedback, en or es. Default: the profile's."
)
@options.file_option(
    "--templates", "Wording of your own: a copy of data/templates/en.toml, edited."
)
@options.setup_options("answers-students")
@options.output_option()
@options.quiet_option
def feedback(
    table: str,
    references: Path | None,
    marks_col: str | None,
    group: bool,
    asked: str | None,
    language: str | None,
    templates: Path | None,
    setup: Setup,
    output: Path | None,
    quiet: bool,
    **columns: str | None,
) -> None:
    """Compare answers with model answers: likeness to a reference, not a mark.

    In: a table with the columns id, question, answer and reference, or as the options say:
    .csv, .tsv, .jsonl, .xlsx, .ods or .parquet. A reference may have points, one a line or
    between semicolons.

    Out: the table with columns behind its own: best_reference, rating, verdict (correct,
    incomplete, contradictory, irrelevant or no_answer), what is right, missing, contradicts
    the model answer and is extra; feedback in two sentences; and sure, how often in 100 such
    cases the verdict is right. The default profile suits electric circuits: choose default for
    other English, es for Spanish.
    """
    from ists_asp.cli.driver import working
    from ists_asp.engine.feedback import give_feedback, pair_of, why
    from ists_asp.explain import load_templates
    from ists_asp.run.watch import Failed

    if language is not None and templates is not None:
        raise UsageError("--language does not go with --templates")
    with reader_warnings() as warn:
        sheet = _read(Path(table), references, columns, marks_col)
        code = language or setup.load_profile().language
        wording = load_templates(code, templates, warn)
    if asked is not None:
        one = next((each for each in sheet.submissions if each.id == asked), None)
        if one is None:
            raise UsageError(f"there is no answer '{shortened(asked)}'", where="--why")
        with working(setup) as run:
            write_output(output, why(run.system, one, wording))
        return
    kind = _kind(output, sheet.table)
    with working(setup) as run:
        run.system.judge  # noqa: B018 (faulty rules are no answer's failure)
        found = list(
            run.on_each(
                sheet.submissions,
                lambda some: give_feedback(run.system, some, wording),
                pair_of,
                quiet=quiet,
            )
        )
        highest = run.system.rater.highest
    given = [None if isinstance(one, Failed) else one for one in found]
    names, more = _more(sheet, given, highest, group=group, quiet=quiet)
    _write(output, kind, sheet, names, [_cells(one) for one in found], more)
    if not quiet:
        note("verdicts say how like a reference an answer is; they are no marks")
    run.failures.end(len(found))


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A table with what was answered in each row, and the marks that there are."""

    table: Table
    rows: list[Row]
    submissions: list[Submission]
    marks: list[float | None] | None


def _read(
    path: Path, references: Path | None, wanted: dict[str, str | None], marks: str | None
) -> _Sheet:
    """Read all answers with their references; every fault is told before any work is done."""
    from ists_asp.engine.feedback import Submission
    from ists_asp.io.tables import Table
    from ists_asp.io.text import Faults

    named = {role: wanted[f"{role}_col"] for role in _ROLES}
    table = Table(path, header=True)
    known: dict[str, list[str]] = {}
    if references is not None:
        key = Table(references, header=True)
        by, told = (_find(key, role, named[role], True) for role in ("question", "reference"))
        for row in key.rows():
            known.setdefault(_text(row, by), []).append(_text(row, told))
    places = {
        role: _find(
            table,
            role,
            named[role] if role != "reference" or references is None else None,
            role == "answer" or role == ("reference" if references is None else "question"),
        )
        for role in _ROLES
    }
    marked = None if marks is None else table.column(marks, "--marks-col")
    faults, found, rows, values, ids = Faults(), [], [], [], set()
    for row in table.rows():
        with faults:
            if row.fault is not None:
                raise row.fault
            question = _text(row, places["question"])
            own = _text(row, places["id"]) or str(row.number)
            told_by = known.get(question, []) if references else [_text(row, places["reference"])]
            told_by = list(dict.fromkeys(filter(None, told_by)))
            if not told_by:
                raise DataError(
                    f"no model answer to '{shortened(question)}'"
                    if references
                    else "no model answer",
                    where=row.where,
                    expected="a text in the column of references",
                )
            if own in ids:
                raise DataError(f"the id {shortened(own)} again", where=row.where)
            ids.add(own)
            found.append(Submission(own, question, _text(row, places["answer"]), tuple(told_by)))
            values.append(_mark(row, marked))
            rows.append(row)
    faults.check()
    return _Sheet(table, rows, found, None if marked is None else values)


def _find(table: Table, role: str, wanted: str | None, needed: bool) -> int | None:
    """The column of a role: the one that is wanted, or one with a usual name."""
    from ists_asp.io.columns import USUAL, usual

    if wanted is not None:
        return table.column(wanted, f"--{role}-col")
    place = usual(table.columns, USUAL[role])
    if place is None and needed:
        raise UsageError(
            f"no column is called {role}",
            where=table.name,
            expected=", ".join(table.titles),
            hint=f"Name it with --{role}-col",
        )
    return place


def _text(row: Row, place: int | None) -> str:
    from ists_asp.io.tables import ABSENT

    cell = None if place is None else row.cells[place]
    return "" if cell is None or cell is ABSENT else str(cell).strip()


def _mark(row: Row, place: int | None) -> float | None:
    text = _text(row, place).replace(",", ".")
    try:
        return float(text) if text else None
    except ValueError:
        raise DataError(
            f"'{shortened(text)}' is no mark", where=row.where, expected="a number, or nothing"
        ) from None


def _kind(output: Path | None, table: Table) -> str:
    from ists_asp.io.tables import kind_of

    if output is None:
        return table.kind if table.kind in ("csv", "tsv", "jsonl") else "csv"
    return kind_of(output, f"-o {output}")


def _cells(one: Feedback | Failed) -> list[object]:
    from ists_asp.run.watch import Failed

    if isinstance(one, Failed):
        return [None, None, None, None, None, None, None, f"failed: {one.reason}", None]
    listed = ["; ".join(one.columns[name]) for name in _COLUMNS[3:7]]
    return [
        one.reference, round(one.rating, 3), one.verdict, *listed, one.text, one.sure,
    ]  # fmt: skip


def _more(
    sheet: _Sheet, given: Sequence[Feedback | None], highest: int, *, group: bool, quiet: bool
) -> tuple[list[str], list[list[object]]]:
    """Columns that not every table gets: points, suggested marks, groups."""
    from ists_asp.engine.feedback import groups
    from ists_asp.evaluate.marks import suggest_marks
    from ists_asp.vocabulary import VERDICTS

    more: dict[str, list[Any]] = {}
    if any(one is not None and one.points > 1 for one in given):
        more["points"] = [
            f"{one.found} of {one.points} points" if one is not None and one.points > 1 else None
            for one in given
        ]
    if sheet.marks is not None:
        features = [
            [0.0] * (2 + len(VERDICTS))
            if one is None
            else [
                one.rating / highest,
                one.found / one.points,
                *(float(one.verdict == name) for name in VERDICTS),
            ]
            for one in given
        ]
        scale = suggest_marks(features, sheet.marks, sheet.table.name)
        more["suggested"] = list(scale.suggested)
        if not quiet:
            note(
                f"marks suggested by {scale.marked} of yours; leaving one out: kappa "
                f"{scale.kappa:.2f} (weighted by squares), mean error {scale.error:.2f}"
            )
    if group:
        more["group"] = list(groups(given))
    return list(more), [list(cells) for cells in zip(*more.values(), strict=True)]


def _write(
    output: Path | None,
    kind: str,
    sheet: _Sheet,
    names: list[str],
    cells: list[list[object]],
    more: list[list[object]],
) -> None:
    """The table with our columns behind its own."""
    import io

    from ists_asp.io.files import atomic_writer
    from ists_asp.io.tables import added, harmless, writing

    titles = sheet.table.titles
    columns = [*titles, *added(titles, [*_COLUMNS, *names])]
    with ExitStack() as stack:
        text = io.StringIO()
        target = text if output is None else stack.enter_context(atomic_writer(output))
        put = stack.enter_context(writing(kind, target, columns, like=sheet.table))
        for number, (row, ours) in enumerate(zip(sheet.rows, cells, strict=True)):
            rest = more[number] if more else []
            put([*row.cells, *map(harmless, (*ours, *rest))])
    if output is None:
        write_output(None, text.getvalue())
