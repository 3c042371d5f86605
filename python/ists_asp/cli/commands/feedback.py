"""``ists-asp feedback``: a table of students' answers in, the same with feedback out."""

from __future__ import annotations

import os.path
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TextIO

import click

from ists_asp.cli import options
from ists_asp.cli.console import note, reader_warnings, write_output
from ists_asp.cli.driver import Printed, make_parts, working
from ists_asp.cli.files import INPUT, command
from ists_asp.errors import DataError, IstsError, SolveError, UsageError, shortened
from ists_asp.io import columns as c
from ists_asp.io.columns import USUAL, folded, usual
from ists_asp.io.delimited import Row, Text, read_mark
from ists_asp.io.files import atomic_writer
from ists_asp.io.formats import Outcome
from ists_asp.io.tables import Table, writing_behind
from ists_asp.io.text import SKIP, Faults, Repairs, Warn, clean, make_sentence, plain, split_words
from ists_asp.io.workbooks import READ, kind_of
from ists_asp.lang import foreign
from ists_asp.limits import check_size, check_text
from ists_asp.model import Pair, Sentence
from ists_asp.pipeline.source import Source
from ists_asp.rules import Purpose
from ists_asp.rules.profiles import Profile

if TYPE_CHECKING:
    from ists_asp.engine import Setup, System
    from ists_asp.explain.feedback import Feedback, Submission
    from ists_asp.explain.templates import Templates
    from ists_asp.pipeline.cluster import Engine
    from ists_asp.pipeline.stages import Stages

_BATCH = 50  # answers that are judged together

_ROLES = {
    "id": "the answers' ids; by default the student, if unique, or the row",
    "question": "the questions; without it, words of the question count like others",
    "answer": "the answers",
    "reference": "the model answers; in the table of --references, if given",
}


@command("""
  ists-asp feedback answers.csv -o feedback.csv
  ists-asp feedback answers.xlsx --references key.xlsx --answer-col text -o out.xlsx
  ists-asp feedback answers.csv --marks-col points --group -o feedback.csv
  ists-asp feedback answers.csv --profile es -o feedback.csv
  ists-asp feedback answers.csv --engine dask -o feedback --jobs 2
  ists-asp feedback answers.csv --why 12
""")
@click.argument("table", type=INPUT, metavar="ANSWERS")
@options.file_option(
    "--references",
    "Table of model answers by question; a question may have several rows. Or a quiz (.gift, .xml "
    "of Moodle), or the only model answer in quotes.",
)
@partial(
    options.decorated,
    decorators=tuple(
        options.option(f"--{role}-col NAME", f"Column of {text}: title or number.")
        for role, text in _ROLES.items()
    ),
)
@options.option(
    "--marks-col NAME",
    "Column with your marks for ten answers or more; the others get suggested marks.",
)
@options.option(
    "--group",
    "Number the groups of answers that have and contradict the same points of the model "
    "answer, largest group first.",
)
@options.option("--why ID", "Show the rules behind the verdict on an answer.")
@options.option("--language CODE", "Language of the feedback, en or es. Default: the profile's.")
@options.templates_option
@options.setup_options(engine=True)
@options.output_option()
@options.encoding_option
@options.sheet_option
@options.skip_option
@options.language_option
@options.quiet_option
def feedback(
    table: str,
    references: Path | None,
    group: bool,
    why: str | None,
    language: str | None,
    setup: Setup,
    output: Path | None,
    encoding: str | None,
    sheet: str | None,
    skip_bad: bool,
    language_check: str | None,
    quiet: bool,
    jobs: int,
    engine: Engine | None,
    **columns: str | None,
) -> None:
    """Compare answers with model answers: similarity to a reference, not a mark.

    In: a table (.csv, .tsv, .jsonl, .xlsx, .ods or .parquet) with the columns id, question,
    answer and reference; the options choose others. A reference may list points, one per line or
    separated by semicolons.

    Out: the table with these columns added: best_reference, rating, verdict (correct,
    incomplete, contradictory, irrelevant or no_answer), right, missing, contradicts, extra,
    feedback (two or three sentences), sure (the percentage of such cases in which the verdict is
    right), check (yes where you should look) and points (how many are found). Counts of verdicts
    by question follow at the end. English is the default; for Spanish use --profile es.
    """
    from ists_asp.engine import System
    from ists_asp.explain import load_templates
    from ists_asp.explain.feedback import COLUMNS
    from ists_asp.pipeline.cluster import Job, kind_of_parts

    if language is not None and setup.templates is not None:
        raise UsageError("--language does not go with --templates")
    with reader_warnings() as warn:
        profile = setup.load_profile()
        wording = load_templates(language or profile.language, setup.templates, warn)
        reading = partial(_read_sheet, references=references, columns=columns, profile=profile)
        reading = partial(reading, skip_bad=skip_bad, language_check=language_check)
        titles = _titles(columns, key=False if references else None)
        opened = partial(Table, header=True, long=columns["answer_col"] is None, warn=warn)
        opened = partial(opened, encoding=encoding, sheet=sheet, titles=titles)
        if engine is not None:
            if why or group or columns["marks_col"]:
                raise UsageError("--engine dask goes without --why, --group and --marks-col")
            source = Source(files={"--table": table}, sheet=sheet, encoding=encoding, quiet=quiet)
            kind = kind_of_parts(source)
            written = kind if kind in ("csv", "tsv", "jsonl", "parquet") else "csv"
            key = str(references)
            if references is not None and os.path.isfile(references):  # noqa: PTH113 (it may be long)
                with references.open("rb") as stream:
                    key = file_digest(stream, "sha256").hexdigest()
            part = partial(_write_part, reading, wording, written)
            about = ["feedback", columns, key, language, skip_bad, language_check]
            ends = output, f".{written}", None, COLUMNS

            def open_table(head: BinaryIO) -> None:
                source.table = opened(head, kind, name=table)

            with System(setup) as system:
                job = Job(setup, source, part, about, *ends)
                make_parts(engine, job, system, jobs, open_table)
            return
        answer_sheet = reading(opened(Path(table)), warn=warn, quiet=quiet)
    if why is not None:
        by_id = {submission.id: submission for submission in answer_sheet.submissions}
        if why not in by_id:
            found, ids = f"there is no answer '{shortened(why)}'", shortened(", ".join(by_id))
            raise UsageError(found, where="--why", expected=ids)
        with working(setup) as run:
            write_output(output, run.ask(partial(_why, answer=by_id[why], wording=wording)))
        return
    like = answer_sheet.table.kind if answer_sheet.table.kind in ("csv", "tsv", "jsonl") else "csv"
    kind = like if output is None else kind_of(output, f"-o {output}")
    with working(setup) as run:
        # Faulty rules are no answer's failure.
        run.ask(_load)
        answers, question = answer_sheet.submissions, partial(System.judge_many, templates=wording)
        judged = run.ask_each(answers, question, size=_BATCH, quiet=quiet, searching=True)
        results = [result for _, result in judged]
    ours = _columns(answer_sheet, results, marked=columns["marks_col"] is not None, group=group)
    with ExitStack() as stack:
        target = Printed() if output is None else stack.enter_context(atomic_writer(output))
        _write(kind, target, answer_sheet, ours)
    if not quiet:
        _tell_counts(answer_sheet, ours, output)
    run.failures.end(len(results))


def _load(system: System) -> None:
    system.program(Purpose.FEEDBACK).solver  # noqa: B018 (loaded when first asked for)


def _why(system: System, answer: Submission, wording: Templates) -> str:
    feedback = system.judge(answer, wording)
    columns = [f"{name}: {text}" for name, text in feedback.columns.items() if text]
    head = f"{feedback.verdict}, right in {feedback.sure} of 100 such cases: {feedback.text}"
    reasons = system.trace_verdict(feedback, wording).why("verdict(_)").text(depth=3)
    return "\n".join((head, *columns, "", reasons))


def _write_part(
    reading: Callable[..., _Sheet],
    wording: Templates,
    kind: str,
    source: Source,
    stages: Stages,
    target: TextIO,
    _traces: TextIO | None,
    warn: Warn,
) -> Iterator[Outcome]:
    from ists_asp.engine import System
    from ists_asp.run.pool import ask_each

    assert source.table is not None
    sheet = reading(source.table, warn=warn, quiet=True, whole=False)
    answers, question = sheet.submissions, partial(System.judge_many, templates=wording)
    batches = (answers[at : at + _BATCH] for at in range(0, len(answers), _BATCH))
    judged = ask_each(stages.ask, batches, question)
    results = [result.found if isinstance(result, IstsError) else result for _, result in judged]
    _write(kind, target, sheet, _columns(sheet, results, whole=False))
    for answer, result in zip(answers, results, strict=True):
        failure = SolveError(result) if isinstance(result, str) else None
        yield Outcome(Pair(answer.id, Sentence(()), Sentence(())), failure=failure)


def _tell_counts(sheet: _Sheet, ours: Mapping[str, Sequence[object]], output: Path | None) -> None:
    """Note how many answers have which verdict, by question, and how many are to be checked."""
    total = f"{len(sheet.rows)} answer{'s' * (len(sheet.rows) != 1)}"
    total = total if output is None else f"{output}: {total}"
    counts = defaultdict[str, Counter[object]](Counter)
    to_check = Counter[str]()
    judged = zip(sheet.submissions, ours["verdict"], ours["check"], strict=True)
    for answer, verdict, check in judged:
        for question in dict.fromkeys(("", plain(answer.question).strip())):
            counts[question][verdict or "without a verdict"] += 1
            to_check[question] += check == "yes"
    for question, verdicts in counts.items() if len(counts) > 2 else [("", counts[""])]:
        text = ", ".join(f"{number} {name}" for name, number in verdicts.most_common())
        note(f"{shortened(question, 60) or total}: {text}; {to_check[question]} to check")


def _write(kind: str, target: Text, sheet: _Sheet, ours: Mapping[str, Sequence[object]]) -> None:
    with writing_behind(kind, target, list(ours), sheet.table) as put:
        judged = enumerate(zip(sheet.rows, *ours.values(), strict=True))
        lines = [(at + 0.5, row, cells) for at, (row, *cells) in judged]
        lines += [(at, row, [None] * len(ours)) for at, row in sheet.left]
        for _, row, cells in sorted(lines, key=lambda line: line[0]):
            put(row, cells)


class _Sheet(NamedTuple):
    """A table with what was answered in each row, the marks, and whether the language is known."""

    table: Table
    rows: list[Row]
    submissions: list[Submission]
    marks: list[float | None]
    judgeable: list[bool]
    left: list[tuple[int, Row]]  # out, each before the row of that place


def _read_sheet(
    table: Table,
    *,
    references: Path | None,
    columns: Mapping[str, str | None],
    profile: Profile,
    skip_bad: bool,
    language_check: str | None,
    warn: Warn,
    quiet: bool,
    whole: bool = True,
) -> _Sheet:
    """Read all answers with their references; report every fault before any work is done.

    With ``skip_bad`` faulty rows are warned of and left out. Answers in another language than
    that of the profile are faulty then; otherwise they are warned of, and by default not judged.
    """
    from ists_asp.explain.feedback import Submission, has_words

    models_by_question = dict[str, list[str]]()
    key = table
    text = str(references or "")
    named = Path(text).suffix.lower() in READ or os.path.isfile(text)  # noqa: PTH113
    only_model = [text] if " " in text and not named else []
    if only_model:
        references = None
    elif references is not None:
        opened = partial(Table, header=True, encoding=table.text.encoding, warn=warn)
        key = opened(references, titles=_titles(columns, key=True))
    needed = {"answer", *(() if only_model else ("reference", *["question"] * bool(references)))}
    places = {
        role: _find(key if role == "reference" else table, role, columns, role in needed, key)
        for role in _ROLES
    }
    if columns["answer_col"] and len(c.groups(table.columns)) > 1:
        warn(f"{table.name}: one question is read; without --answer-col all are, each a row")
    at = usual(table.columns, USUAL["student"]) if whole and places["id"] is None else None
    students = [row.text(at) for row in table.rows() if at is not None and row.fault is None]
    if at is not None and len({*students, ""}) > len(students):
        places["id"] = at
        if not quiet:
            note(f"{table.name}: {table.columns[at]} is the id")
    faults, repairs = Faults(warn if skip_bad else None, hint=SKIP), Repairs(warn)

    def check_texts(source: Table, row: Row, *roles: str) -> None:
        if row.fault is not None:
            raise row.fault
        for role in roles:
            if (column := places[role]) is not None:
                text, where = row.text(column), source.place(row, column)
                check_text(plain(text, row.where, repairs), where)
                for line in text.splitlines():
                    clean(line, row.where, repairs)  # to tell of it
                check_size(make_sentence(split_words(text) or ["-"]), where)

    if references is not None:
        by = _find(key, "question", columns, True, table)
        key.tell_of(by, places["reference"])
        for row in key.rows():
            with faults:
                check_texts(key, row, "reference")
                question, model = folded(plain(row.text(by))), row.text(places["reference"])
                models_by_question.setdefault(question, []).append(model)
    marks = columns["marks_col"]
    marked = None if marks is None else table.column(marks, "--marks-col")
    table.tell_of(*(at for role, at in places.items() if key is table or role != "reference"))
    table.tell_of(marked)
    # With one model answer and no questions, an empty cell is a student who has not answered.
    texts = ("question", "answer", *(() if references or only_model else ("reference",)))
    used = [places[role] for role in texts if places["question"] is not None or not only_model]
    sheet, ids = _Sheet(table, [], [], [], [], []), set[str]()
    blank, unread = list[str](), list[str]()
    for row in table.rows():
        sheet.left.append((len(sheet.rows), row))
        with faults:
            if used and row.fault is None and not any(map(row.text, used)):
                blank.append(f"{row.where}: no question and no answer; left out")
                continue
            check_texts(table, row, "question", "answer", *([] if references else ["reference"]))
            identifier = row.text(places["id"]) or str(row.number)
            question, answer = (row.text(places[role]) for role in ("question", "answer"))
            models = only_model or [row.text(places["reference"])]
            if references is not None:
                models = models_by_question.get(folded(plain(question)), [])
            models = list(dict.fromkeys(filter(has_words, models)))
            if not models or identifier in ids:
                found = f"the id {shortened(identifier)} again" if models else "no model answer"
                expected = None if models else "words in the column of references"
                raise DataError(found, where=row.where, expected=expected)
            # Of 2 / 3 the first.
            cell = "" if marked is None else row.text(marked).partition("/")[0]
            place = "" if marked is None else table.place(row, marked)
            mark = read_mark(cell, place) if cell else None
            words = make_sentence(split_words(answer))
            fault = foreign((words, words), profile.language, profile.name, row.where)
            if fault is not None and language_check != "off":
                if skip_bad or language_check == "error":
                    raise fault
                if language_check is None:
                    unread.append(f"{fault}; the answer is not judged")
                else:
                    warn(str(fault))
            if language_check and fault is not None:
                fault, language_check = None, "off"
            ids.add(identifier)
            sheet.left.pop()
            sheet.judgeable.append(fault is None)
            sheet.submissions.append(Submission(identifier, question, answer, tuple(models)))
            sheet.rows.append(row)
            sheet.marks.append(mark)
    faults.check()
    for first, *rest in filter(None, (blank, unread)):
        warn(first + (f", and {len(rest)} more such row{'s'[: len(rest) - 1]}" if rest else ""))
    return sheet


def _titles(columns: Mapping[str, str | None], *, key: bool | None) -> list[str]:
    """The columns that are wanted of a table, or of that of answers or references alone."""
    others = {None: (), True: ("id_col", "answer_col", "marks_col"), False: ("reference_col",)}[key]
    return [title for role, title in columns.items() if title and role not in others]


def _find(
    table: Table,
    role: str,
    columns: Mapping[str, str | None],
    needed: bool,
    other: Table | None = None,
) -> int | None:
    """The column of a role; a title of ``other``, the table beside it, is not looked for here."""
    title = columns[f"{role}_col"]
    beside = other is not None and title in other.columns and title not in table.columns
    if title is not None and not beside:
        return table.column(title, f"--{role}-col")
    if (column := usual(table.columns, USUAL[role])) is None and needed:
        others = [name for part, names in USUAL.items() if part != role for name in names]
        hint = table.likely(USUAL[role], f"--{role}-col", others) or f"Name it with --{role}-col."
        if role == "reference" and usual(table.columns, USUAL["answer"]) is not None:
            hint += " Or give model answers with --references"
        found, expected = f"no column is called {role}", ", ".join(table.titles)
        raise UsageError(found, where=table.name, expected=expected, hint=hint)
    return column


def _columns(
    sheet: _Sheet,
    results: list[Feedback | str],
    *,
    marked: bool = False,
    group: bool = False,
    whole: bool = True,
) -> dict[str, list[object]]:
    """The columns added to the table, by name; those of an answer in another language are empty."""
    from ists_asp.evaluate.ratings import KAPPA, suggest_marks
    from ists_asp.explain.feedback import COLUMNS, Feedback, groups

    pairs = zip(sheet.judgeable, results, strict=True)
    judged = [r if judgeable and isinstance(r, Feedback) else None for judgeable, r in pairs]
    ours: dict[str, list[object]] = {
        name: [result and result.cell(name) for result in judged] for name in COLUMNS
    }
    ours["check"] = [cell if cell is not None else "yes" for cell in ours["check"]]
    for at, result in enumerate(results):
        if isinstance(result, str):
            ours["feedback"][at] = f"failed: {result}"
    if whole and not any(ours["points"]):
        del ours["points"]
    if marked:
        features = [None if result is None else result.features for result in judged]
        scale = suggest_marks(features, sheet.marks, sheet.table.name)
        agreement = (
            f"by {scale.marked} of your marks, leaving one out: kappa {scale.kappa:.2f} "
            f"(weighted by squares), mean error {scale.error:.2f}"
        )
        if scale.kappa < KAPPA:
            note(f"no marks are suggested: they agree too little with yours; {agreement}")
        else:
            ours["suggested"] = list(scale.suggested)
            note(f"marks are suggested {agreement}")
    if group:
        ours["group"] = list(groups(judged))
    return ours
