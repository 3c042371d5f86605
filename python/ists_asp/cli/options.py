"""The options of commands: what stands in several helps is said here, and read into one value.

A command gets ``inputs``, the pairs it is about, and ``setup``, all that says what to load and
how to decide.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ists_asp.cli.files import CACHE, INPUT, MODEL, OUTPUT, READ, RULES, SENTENCE, FileType
from ists_asp.cli.inputs import Inputs
from ists_asp.errors import UsageError, shortened
from ists_asp.resources import cache_dir

if TYPE_CHECKING:
    from ists_asp.io.formats import Format

Function: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Function], Function]

MEMORY = 4096
"""Megabytes of memory of a worker."""


def decorated(function: Function, decorators: tuple[Decorator, ...]) -> Function:
    """Give a command options, shown by its help in this order."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


# Options of commands of all kinds.


def output_option(
    *endings: str,
    text: str = "File to write; it appears whole or not at all. Default: standard output.",
    kind: FileType | None = None,
) -> Decorator:
    """The option ``-o``, by default for a file with such a name; the command gets ``output``."""
    kind = kind or FileType(written=True, endings=endings)
    return click.option("-o", "--output", type=kind, metavar="PATH", help=text)


def number_option(*names: str, text: str, default: int | None = None, least: int = 1) -> Decorator:
    """An option that takes a number, of ``least`` or more; ``text`` is its help."""
    kind = click.IntRange(min=least)
    return click.option(
        *names, type=kind, default=default, show_default=True, metavar="N", help=text
    )


def choice_option(flag: str, *choices: str, text: str, eager: bool = False) -> Decorator:
    """An option that takes one of some words, by default the first; ``text`` is its help."""
    kind = click.Choice(choices)
    return click.option(
        flag, type=kind, default=choices[0], is_eager=eager, show_default=True, help=text
    )


def file_option(flag: str, text: str) -> Decorator:
    """An option that names a file to read; ``text`` is its help."""
    return click.option(flag, type=READ, metavar="FILE", help=text)


def format_option(forms: Mapping[str, Format], otherwise: str) -> Decorator:
    """The option ``--format``, by default by the ending of ``-o``; the command gets ``form``."""
    from ists_asp.io.formats import describe

    text = describe(forms) + otherwise
    return click.option("--format", "form", type=click.Choice(list(forms)), help=text)


templates_option: Decorator = file_option(
    "--templates", "Wording of your own: a copy of data/templates/en.toml, edited."
)


def json_option(function: Function) -> Function:
    """Give a command ``--format`` and its short form ``--json``; it gets ``as_json``."""

    @wraps(function)
    def wrapper(*, form: str | None, as_json: bool, **rest: Any) -> None:  # noqa: ANN401
        function(as_json=as_json or form == "json", **rest)

    choice = click.option(
        "--format", "form", type=click.Choice(["text", "json"]), help="Text by default."
    )
    return decorated(wrapper, (choice, json_flag))


json_flag: Decorator = click.option(
    "--json", "as_json", is_flag=True, help="Short for --format with JSON."
)
quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="No progress bar and no summary."
)


_SECONDS = click.FloatRange(min=0, min_open=True)
_SECONDS.name = "seconds"


def _number(_context: click.Context, _option: click.Parameter, given: float) -> float:
    if math.isnan(given):
        raise click.BadParameter(f"'{given}' is no number of seconds.")
    return given


timeout_option: Decorator = click.option(
    "--timeout",
    type=_SECONDS,
    callback=_number,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Limit for a pair, in time of the processor: the best answer so far is taken then, if "
    "there is one. What cannot be stopped is killed 5 s later.",
)


# Where the pairs are.

_FILES = {
    "--table": "Pairs in a table: .csv, .tsv, .jsonl, .xlsx, .ods or .parquet, also with .gz, .bz2 "
    "or .xz behind it; its other columns come back unchanged. Or in a .wa file.",
    "--tsv": "As --table, whatever its name is: columns separated by tabs; - is stdin.",
    "--jsonl": 'As --table, whatever its name is: objects {"sent1": …, "sent2": …}, one a line; if '
    'you like with "id" and with "chunks1" and "chunks2" as [[first, last], …]; - is stdin.',
    "--sent1": "First sentences, one a line, as tokens separated by blanks; - is stdin.",
    "--sent2": "Second sentences, one a line; - is stdin.",
}
_COLUMNS = {
    "sent1": "Column of first sentences, by its title, or by its number from 1. Default: by usual "
    "names such as sentence1, text_a, premise or answer, or by their places.",
    "sent2": "Column of second sentences.",
    "id": "Column of ids. Default: id or the like, or else the number of the line.",
}
_FLAGS = {
    "--header": "The first row names the columns, whatever they are called. Otherwise it does if "
    "some of the names are usual ones.",
    "--skip-bad": "Leave out faulty rows, and warn of them; otherwise they are an error.",
    "--chunked": "Brackets give the chunks: [ the bulb ] [ is ] [ on ]. Otherwise chunks are "
    "found.",
    "--raw": "The sentences are text, which Stanza tokenises: so are those of tables and of the "
    "command line without this.",
    "--tokens": "Blanks separate the tokens: so they do in --sent1, --sent2 and .wa without this.",
    "--strict": "Faults of the input that can be repaired are errors.",
}


def input_options(
    function: Function, *, optional: bool = False, question: bool = False, names: bool = False
) -> Function:
    """Give a command the input options; it gets checked ``inputs``.

    There may be none if they are ``optional``. Arguments behind the sentences can be a
    ``question``, those before them ``names``.
    """

    @wraps(function)
    def wrapper(*, sentences: tuple[str, ...], **rest: Any) -> None:  # noqa: ANN401
        filed = any(rest[flag.strip("-")] is not None for flag in _FILES)
        if question:
            if not sentences:
                raise UsageError(
                    "there is no decision to ask about", expected='a line such as "4 5 <==> 3 4"'
                )
            # The sentences come first.
            given = 0 if filed else min(2, len(sentences) - 1)
            sentences, rest["question"] = sentences[:given], sentences[given:]
        elif names:
            # They come last; --all goes without names.
            least = 0 if rest["everything"] else 1
            given = len(sentences) if filed else max(least, len(sentences) - 2)
            rest["names"], sentences = sentences[:given], sentences[given:]
        files = {flag: rest.pop(flag.strip("-")) for flag in _FILES}
        inputs = Inputs(
            sentences,
            {flag: name for flag, name in files.items() if name is not None},
            **{name: rest.pop(name) for name in (one[2:].replace("-", "_") for one in _FLAGS)},
            encoding=rest.pop("encoding"),
            identifier=rest.pop("identifier"),
            quiet=rest.pop("quiet"),
            columns={name: title for name in _COLUMNS if (title := rest.pop(f"{name}_col"))},
        )
        if inputs.given or not optional:
            inputs.check()
        function(inputs=inputs, **rest)

    metavar = "NAME... " * names + "[SENTENCE1 SENTENCE2]" + " DECISION..." * question
    return decorated(
        wrapper,
        (
            click.argument("sentences", nargs=-1, type=SENTENCE, metavar=metavar),
            *(click.option(flag, type=INPUT, metavar="FILE", help=_FILES[flag]) for flag in _FILES),
            *(click.option(f"--{one}-col", metavar="COL", help=_COLUMNS[one]) for one in _COLUMNS),
            click.option(
                "--encoding",
                metavar="NAME",
                help="That of a table of text, such as cp1252. Default: UTF-8, or UTF-16 with its "
                "mark.",
            ),
            *(click.option(flag, is_flag=True, help=_FLAGS[flag]) for flag in _FLAGS),
            click.option("--id", "identifier", metavar="ID", help="Only the pair with this id."),
            quiet_option,
        ),
    )


# What to load, and how to decide.


def _profile(default: str) -> Decorator:
    return click.option(
        "--profile",
        default=default,
        show_default=True,
        metavar="NAME",
        help="Kind of text; see ists-asp profiles.",
    )


_RULES: Decorator = click.option(
    "--rules",
    "--words",
    "rules",
    multiple=True,
    type=RULES,
    metavar="PATH",
    help="Your rules: a folder made by ists-asp rules copy replaces the shipped one; a file "
    "replaces the one of its name or is added; any other folder is added. Or your words: a "
    ".tsv file of lines such as 'power = electricity' and 'pass <> reject'. Repeatable.",
)


def reader_option(default: str | None = None) -> Decorator:
    """The option ``--reader``; None stands for the reader that the profile names."""
    return click.option(
        "--reader",
        type=MODEL,
        metavar="shipped|use|DIR|none",
        default=default,
        show_default=default or "what the profile names",
        callback=lambda _context, _option, given: given if given is None else str(given),
        help="Whose opinions count as well: those of the shipped fine-tuned encoder, of one of "
        "your own, or none; in Spanish profiles use, the encoder of the extra [spanish], counts "
        "for ratings.",
    )


def _cache(context: click.Context, _option: click.Parameter, given: str | None) -> object:
    if (
        given is not None
        and "://" in given
        and "incremental" in (one.name for one in context.command.params)
    ):
        return given
    return cache_dir(True if given is None else given)


cache_option: Decorator = click.option(
    "--cache",
    type=CACHE,
    metavar="DIR|none",
    callback=_cache,
    help="Directory of the cache, which spares a rerun Stanza, the parsing of rules, and pairs "
    "that no edit touches; none for none. At an address of fsspec many machines share what Stanza "
    "and readers say. Default: ists-asp in your cache directory; see ists-asp "
    "cache info.",
)

_SETUP: tuple[Decorator, ...] = (
    _RULES,
    timeout_option,
    click.option(
        "-c",
        "constants",
        multiple=True,
        metavar="NAME=VALUE",
        help="Value of a #const in the rules, as for clingo: highest=4. Repeatable.",
    ),
    click.option(
        "--stanza-dir",
        type=MODEL,
        metavar="DIR",
        help="Stanza models instead of the shipped ones, one package of them.",
    ),
    reader_option(),
    cache_option,
    click.option(
        "--no-incremental",
        "incremental",
        flag_value=False,
        default=True,
        help="Decide all pairs again. Otherwise answers are kept in the cache, and after an edit "
        "of rules, words or constants only pairs are decided that it can touch.",
    ),
    click.option(
        "--lax",
        is_flag=True,
        help="Go on where your rules have a name that exists nowhere, such as that of a misspelt "
        "predicate, and warn of it; otherwise that is an error, with exit code 2.",
    ),
)

_RUN: tuple[Decorator, ...] = (
    number_option("--jobs", text="Workers that decide pairs at the same time.", default=1),
    click.option(
        "--memory",
        type=click.IntRange(min=256),
        metavar="MB",
        help=f"Limit for a worker.  [default: {MEMORY}]",
    ),
    click.option(
        "--fail-fast/--keep-going",
        default=False,
        help="End with the first pair that gets no answer, or go on (the default) and name the "
        "pairs at the end, with exit code 3.",
    ),
    click.option(
        "--trace",
        "traces",
        type=OUTPUT,
        metavar="FILE",
        help="File for the traces of all pairs, a JSON object a line; takes a few times as long. "
        "What came second to a decision is told by ists-asp trace only.",
    ),
)

_ENGINE: tuple[Decorator, ...] = (
    choice_option(
        *("--engine", "local", "dask"),
        text="What runs the pairs: this machine, or workers of dask.distributed, which read and "
        "write folders of parts, also at addresses of fsspec such as s3://bucket/pairs.parquet; "
        "-o names the folder. A run that was stopped goes on where it was.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="With --engine dask, the scheduler of a cluster, such as tcp://host:8786. Whoever "
        "reaches it runs code. Default: --jobs workers on 127.0.0.1.",
    ),
    number_option("--partition", text="Pairs of a part with --engine dask.", default=1000),
)


def profile_options(function: Function) -> Function:
    """Give a command ``setup`` by the options that choose rules, without a system's."""
    return decorated(
        with_setup(function), (_profile("default"), _RULES, reader_option(), cache_option)
    )


def setup_options(
    profile: str = "default", *, run: bool = False, engine: bool = False
) -> Decorator:
    """Give a command ``setup``; one that runs any number of pairs gets what says how, too.

    With ``engine`` alone that is what says where, how many workers, and their memory.
    """
    more = (*_RUN, *_ENGINE) if run else (*_RUN[:2], *_ENGINE) if engine else ()
    options = (_profile(profile), *_SETUP, *more)
    return lambda function: decorated(with_setup(function), options)


_FIELDS = (
    *("profile", "rules", "stanza_dir", "reader", "vectors", "cache", "incremental", "lax"),
    "shared",
)
"""Options that are passed on as they are."""


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
                from ists_asp.cli.cluster import Engine

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
        raise UsageError(
            f"'{shortened(text)}' is no constant",
            where="-c",
            expected="NAME=VALUE, as in -c highest=4",
        )
    from ists_asp.rules.constants import check_constant

    name, value = name.strip(), value.strip()
    check_constant(name, value)
    return name, value
