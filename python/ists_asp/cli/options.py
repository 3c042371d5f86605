"""The options of commands: what stands in several helps is said here, and read into one value.

A command gets ``source``, its pairs, and ``setup``, which says what to load and how to decide.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ists_asp.cli import files
from ists_asp.errors import UsageError, shortened
from ists_asp.pipeline.source import Source
from ists_asp.resources import cache_dir

if TYPE_CHECKING:
    from ists_asp.io.formats import Format

Function: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Function], Function]

MEMORY = 4096  # megabytes of memory of a worker


def decorated(function: Function, decorators: tuple[Decorator, ...]) -> Function:
    """Give a command options, shown by its help in this order."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


# Options of commands of all kinds.


def option(usage: str, text: str, *, name: str | None = None, **more: Any) -> Decorator:  # noqa: ANN401
    """An option such as ``-o --output PATH``, or a flag; a command gets it by its last ``name``."""
    *names, value = usage.split(" ")
    if value.startswith("-"):
        names, more = [*names, value], more | {"is_flag": True}
    else:
        more["metavar"] = value
    return click.option(*names, *([name] if name else []), help=text, **more)


_shared = partial(option, cls=files.SharedOption)


def output_option(
    *endings: str,
    text: str = "Output file, written atomically. Default: standard output.",
    kind: files.FileType | None = None,
) -> Decorator:
    """The option ``-o``, by default for a file with such a name; the command gets ``output``."""
    kind = kind or files.FileType(written=True, endings=endings)
    return option("-o --output PATH", text, type=kind)


def number_option(flag: str, text: str, *, least: int = 1, **more: Any) -> Decorator:  # noqa: ANN401
    """An option that takes a number, of ``least`` or more; ``text`` is its help."""
    return option(f"{flag} N", text, type=click.IntRange(min=least), show_default=True, **more)


def choice_option(flag: str, *choices: str, text: str, **more: Any) -> Decorator:  # noqa: ANN401
    """An option that takes one of some words, by default the first; ``text`` is its help."""
    kind, default = click.Choice(choices), choices[0]
    return click.option(flag, type=kind, default=default, show_default=True, help=text, **more)


def file_option(flag: str, text: str) -> Decorator:
    """An option that names a file to read; ``text`` is its help."""
    return option(f"{flag} FILE", text, type=files.READ)


def format_option(forms: Mapping[str, Format], otherwise: str) -> Decorator:
    """The option ``--format``, by default by the ending of ``-o``; the command gets ``form``."""
    from ists_asp.io.formats import describe

    text = describe(forms) + otherwise
    return click.option("--format", "form", type=click.Choice(list(forms)), help=text)


templates_option: Decorator = file_option(
    "--templates", "Your own wording: an edited copy of data/templates/en.toml."
)


def json_option(function: Function) -> Function:
    """Give a command ``--format`` and its short form ``--json``; it gets ``as_json``."""

    @wraps(function)
    def wrapper(*, form: str | None, as_json: bool, **rest: Any) -> None:  # noqa: ANN401
        function(as_json=as_json or form == "json", **rest)

    forms = click.Choice(["text", "json"])
    choice = click.option("--format", "form", type=forms, help="Default: text.")
    return decorated(wrapper, (choice, json_flag))


json_flag = option("--json", "Same as --format with JSON.", name="as_json")
quiet_option: Decorator = _shared("-q --quiet", "Hide the progress bar and the summary.")

_SECONDS = click.FloatRange(min=0, min_open=True)
_SECONDS.name = "seconds"


def _number(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter(f"'{value}' is not a number of seconds.")
    return value


timeout_option: Decorator = _shared(
    "--timeout SECONDS",
    "CPU-time limit per pair; the best answer so far counts.",
    type=_SECONDS,
    callback=_number,
    default=10.0,
    show_default=True,
)
# Where the pairs are.

_FILES = {
    "--table": "Table (.csv, .tsv, .jsonl, .xlsx, .ods, .parquet; also .gz, .bz2, .xz) or .wa.",
    "--tsv": "Tab-separated table in a file of any name; - is stdin.",
    "--jsonl": 'One object {"sent1": …, "sent2": …} per line, in a file of any name; - is stdin.',
    "--aligned": "Alignments to keep: a .wa file, or links i-j (fast_align) for other pairs.",
    "--sent1": "First sentences, one per line, tokens separated by spaces; - is stdin.",
    "--sent2": "Second sentences, one per line; - is stdin.",
}
_COLUMNS = {
    "sent1": "Column of first sentences, by title or number. Default: a common title or 1.",
    "sent2": "Column of second sentences.",
    "id": "Column of ids. Default: id or a similar title, or the line number.",
}
_FLAGS = {
    "--header": "The first row has column titles. Default: if some are common ones.",
    "--skip-bad": "Skip faulty rows with a warning. Without it, they are errors.",
    "--chunked": "Brackets mark the chunks: [ a cat ] [ sits ]. Default: rules find them.",
    "--raw": "Let Stanza tokenise. Default for tables and the command line.",
    "--tokens": "Spaces separate the tokens. Default for --sent1, --sent2 and .wa.",
    "--strict": "Report repairable faults of the input as errors.",
}

_FIELDS_OF_SOURCE = ("encoding", "sheet", "identifier", "quiet", "language_check")

sheet_option: Decorator = _shared(
    "--sheet NAME",
    "Sheet of a workbook, by name or number. Default: the first with the columns.",
)
encoding_option: Decorator = _shared(
    "--encoding NAME", "Encoding of a text table, such as cp1252. Default: UTF-8 or UTF-16."
)
gold_column: Decorator = option(
    "--gold-col COL", "With --task sts: column of gold ratings, by title or number.", name="column"
)


def _scale(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(".."))
    except ValueError:
        low = high = 0.0
    if not -math.inf < low < high < math.inf:
        raise UsageError(f"'{text}' is not a scale", where="--gold-scale", expected="such as 0..1")
    return low, high


gold_scale: Decorator = option(
    "--gold-scale LOW..HIGH",
    "With --task sts: scale of the gold ratings, such as 0..1. Default: 0..5, or the profile's.",
    name="scale",
    callback=_scale,
)
skip_option: Decorator = _shared("--skip-bad", _FLAGS["--skip-bad"])
language_option: Decorator = _shared(
    "--language-check error|warn|off",
    "Text in another language than the profile's. Default: error; warn on the command line.",
    type=click.Choice(["error", "warn", "off"]),
)


def input_options(
    function: Function, *, optional: bool = False, question: bool = False, names: bool = False
) -> Function:
    """Give a command the input options, maybe ``optional``; it gets checked ``source``.

    Arguments behind the sentences can be a ``question``, those before them ``names``.
    """

    @wraps(function)
    def wrapper(*, sentences: tuple[str, ...], **values: Any) -> None:  # noqa: ANN401
        filed = any(values[flag.strip("-")] is not None for flag in _FILES)
        if names and values["gold"] is not None and not filed:
            filed, values["table"] = True, str(values["gold"])
        if question:
            # The sentences come first.
            count = 0 if filed else 2
            if len(sentences) <= count:
                found = f"{len(sentences)} argument{'s' * (len(sentences) != 1)}"
                expected = "" if filed else "two sentences and "
                expected += 'a decision to ask about, such as "4 5 <==> 3 4"'
                raise UsageError(found, expected=expected)
            sentences, values["question"] = sentences[:count], sentences[count:]
        elif names:
            # They come last; --all goes without names.
            least = 0 if values["everything"] else 1
            count = len(sentences) if filed else max(least, len(sentences) - 2)
            values["names"], sentences = sentences[:count], sentences[count:]
        named = {flag: values.pop(flag.strip("-")) for flag in _FILES}
        beside = any(named[flag] is not None for flag in _FILES if flag != "--aligned")
        links = named.pop("--aligned") if beside else None
        source = Source(
            sentences,
            {flag: name for flag, name in named.items() if name is not None},
            links,
            **{name: values.pop(name) for name in (flag[2:].replace("-", "_") for flag in _FLAGS)},
            **{name: values.pop(name) for name in _FIELDS_OF_SOURCE},
            columns={name: title for name in _COLUMNS if (title := values.pop(f"{name}_col"))},
        )
        if source.has_input or not optional:
            source.check()
        function(source=source, **values)

    metavar = "NAME... " * names + "[SENTENCE1 SENTENCE2]" + " DECISION..." * question
    return decorated(
        wrapper,
        (
            click.argument("sentences", nargs=-1, type=files.SENTENCE, metavar=metavar),
            *(_shared(f"{flag} FILE", _FILES[flag], type=files.INPUT) for flag in _FILES),
            *(_shared(f"--{key}-col COL", _COLUMNS[key]) for key in _COLUMNS),
            encoding_option,
            sheet_option,
            *(_shared(flag, _FLAGS[flag]) for flag in _FLAGS),
            language_option,
            _shared("--id ID", "Only the pair with this id.", name="identifier"),
            quiet_option,
        ),
    )


# What to load, and how to decide.


def _profile(default: str) -> Decorator:
    return _shared(
        "--profile NAME",
        "Profile for the kind of text; see ists-asp profiles.",
        default=default,
        show_default=True,
    )


rules_option: Decorator = _shared(
    "--rules --words PATH",
    "Your rule file, rule folder or word table; see ists-asp rules. Repeatable.",
    name="rules",
    multiple=True,
    type=files.RULES,
)


def reader_option(default: str | None = None) -> Decorator:
    """The option ``--reader``; None stands for the reader that the profile names."""
    return _shared(
        "--reader shipped|use|DIR|none",
        "Encoder used as evidence; use: for Spanish ratings.",
        type=files.MODEL,
        default=default,
        show_default=default or "the profile's",
        callback=lambda _context, _option, value: value if value is None else str(value),
    )


def _cache(context: click.Context, _option: click.Parameter, value: str | None) -> object:
    shares = "incremental" in (parameter.name for parameter in context.command.params)
    if value is not None and "://" in value and shares:
        return value
    return cache_dir(True if value is None else value)


cache_option: Decorator = _shared(
    "--cache DIR|none",
    "Cache directory, none, or an fsspec URL to share; see ists-asp cache info.",
    type=files.CACHE,
    callback=_cache,
)

_SETUP: tuple[Decorator, ...] = (
    rules_option,
    timeout_option,
    _shared(
        "-c NAME=VALUE",
        "Set a #const of the rules, as in clingo: highest=4. Repeatable.",
        name="constants",
        multiple=True,
    ),
    _shared(
        "--stanza-dir DIR",
        "Stanza models to use instead of the shipped ones; one package.",
        type=files.MODEL,
    ),
    reader_option(),
    cache_option,
    _shared(
        "--no-incremental",
        "Decide every pair again, also those that no edit affects.",
        name="incremental",
        flag_value=False,
        default=True,
    ),
    _shared("--lax", "Only warn about unknown names in your rules. Default: exit code 2."),
)

_RUN: tuple[Decorator, ...] = (
    number_option("--jobs", "Number of worker processes.", default=1, cls=files.SharedOption),
    _shared(
        "--memory MB",
        f"Memory limit per worker.  [default: {MEMORY}]",
        type=click.IntRange(min=256),
    ),
    click.option(
        "--fail-fast/--keep-going",
        cls=files.SharedOption,
        default=False,
        help="Stop at the first failure, or go on (default) and exit with code 3.",
    ),
    _shared(
        "--trace FILE",
        "Output file for the traces of all pairs, one JSON object per line; takes longer.",
        name="traces",
        type=files.OUTPUT,
    ),
)

_ENGINE: tuple[Decorator, ...] = (
    choice_option(
        *("--engine", "local", "dask"),
        text="Process pairs here or by Dask workers; -o is a folder or URL.",
        cls=files.SharedOption,
    ),
    _shared(
        "--scheduler ADDRESS",
        "With --engine dask: tcp://host:8786 of a scheduler. Default: --jobs local workers.",
    ),
    number_option(
        "--partition", "With --engine dask: pairs per part.", default=1000, cls=files.SharedOption
    ),
)


def profile_options(function: Function) -> Function:
    """Give a command ``setup`` by the options that choose rules, without a system's."""
    decorators = (_profile("default"), rules_option, reader_option(), cache_option)
    return decorated(with_setup(function), decorators)


def setup_options(
    profile: str = "default", *, run: bool = False, engine: bool = False
) -> Decorator:
    """Give a command ``setup``; to ``run`` any number of pairs, or on an ``engine``, says how."""
    more = (*_RUN, *_ENGINE) if run else (*_RUN[:2], *_ENGINE) if engine else ()
    return lambda function: decorated(with_setup(function), (_profile(profile), *_SETUP, *more))


# Options that are passed on unchanged.
_FIELDS = (
    *("profile", "rules", "stanza_dir", "reader", "vectors"),
    *("cache", "shared", "incremental", "lax", "templates"),
)


def with_setup(function: Function) -> Function:
    """Give a command ``setup`` by whichever of these options it has."""

    @wraps(function)
    def wrapper(
        *,
        constants: tuple[str, ...] = (),
        timeout: float = 10.0,
        memory: int | None = None,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        from ists_asp.engine import Limits, Setup

        if isinstance(rest.get("cache"), str):
            rest["cache"], rest["shared"] = cache_dir(True), rest["cache"]
        if "engine" in rest:
            where = {name: rest.pop(name) for name in ("scheduler", "partition")}
            if rest["engine"] == "dask":
                from ists_asp.pipeline.cluster import Engine

                rest["engine"] = Engine(**where)
            elif where["scheduler"]:
                raise UsageError("--scheduler without --engine dask")
            else:
                rest["engine"] = None
        setup = Setup(
            constants=dict(map(_constant, constants)),
            # No system counts further; more than it has is no limit in any case.
            limits=Limits(timeout, min((memory or MEMORY) << 20, sys.maxsize)),
            **{name: rest.pop(name) for name in _FIELDS if name in rest},
        )
        function(setup=setup, **rest)

    return wrapper


def _constant(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        found, expected = f"'{shortened(text)}' is not a constant", "NAME=VALUE, as in -c highest=4"
        raise UsageError(found, where="-c", expected=expected)
    from ists_asp.rules.profiles import check_constant

    name, value = name.strip(), value.strip()
    check_constant(name, value)
    return name, value
