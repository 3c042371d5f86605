"""The options of commands: what stands in several helps is said here, and read into one value.

A command gets ``inputs``, the pairs it is about, and ``setup``, all that says what to load and
how to decide.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import click
from platformdirs import user_cache_dir

from ists_asp.cli.files import CACHE, INPUT, MODEL, OUTPUT, RULES, SENTENCE, FileType
from ists_asp.cli.inputs import Inputs
from ists_asp.errors import UsageError, shortened

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


def number_option(flag: str, text: str, *, default: int | None = None, least: int = 1) -> Decorator:
    """An option that takes a number, of ``least`` or more; ``text`` is its help."""
    return click.option(
        flag,
        type=click.IntRange(min=least),
        default=default,
        show_default=True,
        metavar="N",
        help=text,
    )


def scheme_option(text: str) -> Decorator:
    """``--scheme``: the task of 2016 or the pilot of 2015; ``text`` is its help."""
    return click.option(
        "--scheme",
        type=click.Choice(["2016", "2015"]),
        default="2016",
        show_default=True,
        help=text,
    )


id_option: Decorator = click.option(
    "--id", "identifier", metavar="ID", help="Only the pair with this id."
)
json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="No progress bar and no summary."
)


class _Seconds(click.FloatRange):
    """A time that somebody can wait for."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(
        self,
        value: Any,  # noqa: ANN401 (whatever click passes on)
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return seconds


timeout_option: Decorator = click.option(
    "--timeout",
    type=_Seconds(),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Limit for a pair, in time of the processor: the best answer so far is taken then, if "
    "there is one. What cannot be stopped is killed 5 s later.",
)


# Where the pairs are.

_INPUT: tuple[Decorator, ...] = (
    click.argument("sentences", nargs=-1, type=SENTENCE, metavar="[SENTENCE1 SENTENCE2]"),
    click.option(
        "--sent1", type=INPUT, metavar="FILE", help="First sentences, one a line; - is stdin."
    ),
    click.option(
        "--sent2", type=INPUT, metavar="FILE", help="Second sentences, one a line; - is stdin."
    ),
    click.option(
        "--tsv",
        type=INPUT,
        metavar="FILE",
        help="Pairs: sentence TAB sentence, or id TAB sentence TAB sentence; no header.",
    ),
    click.option(
        "--jsonl",
        type=INPUT,
        metavar="FILE",
        help='Pairs: {"sent1": …, "sent2": …}, one a line; if you like with "id" and with '
        '"chunks1" and "chunks2" as [[first, last], …]. Other keys are ignored.',
    ),
    click.option(
        "--chunked",
        is_flag=True,
        help="Brackets give the chunks: [ the bulb ] [ is ] [ on ]. Otherwise chunks are found.",
    ),
    click.option(
        "--raw", is_flag=True, help="Stanza tokenises; otherwise blanks separate the tokens."
    ),
    click.option(
        "--strict", is_flag=True, help="Faults of the input that can be repaired are errors."
    ),
)


def input_options(function: Function) -> Function:
    """Give a command the input options; it gets checked ``inputs``."""
    return decorated(_with_inputs(function), _INPUT)


def optional_input_options(function: Function) -> Function:
    """As :func:`input_options`, but ``inputs`` is None where none are given."""
    return decorated(_with_inputs(function, optional=True), _INPUT)


def question_options(function: Function) -> Function:
    """Give a command the input options and, as its last argument, a ``question``."""
    inner = _with_inputs(function)

    @wraps(function)
    def wrapper(*, sentences: tuple[str, ...], **rest: Any) -> None:  # noqa: ANN401
        if not sentences:
            raise UsageError(
                "there is no decision to ask about", expected='a line such as "4 5 <==> 3 4"'
            )
        *given, question = sentences
        inner(sentences=tuple(given), question=question, **rest)

    argument = click.argument(
        "sentences", nargs=-1, type=SENTENCE, metavar="[SENTENCE1 SENTENCE2] DECISION"
    )
    return decorated(wrapper, (argument, *_INPUT[1:], id_option))


def _with_inputs(function: Function, *, optional: bool = False) -> Function:
    @wraps(function)
    def wrapper(
        *,
        sentences: tuple[str, ...],
        sent1: str | None,
        sent2: str | None,
        tsv: str | None,
        jsonl: str | None,
        chunked: bool,
        raw: bool,
        strict: bool,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        inputs = Inputs(sentences, sent1, sent2, tsv, jsonl, chunked, raw, strict)
        if optional and inputs == Inputs():
            function(inputs=None, **rest)
            return
        inputs.check()
        function(inputs=inputs, **rest)

    return wrapper


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

reader_option: Decorator = click.option(
    "--reader",
    type=MODEL,
    metavar="shipped|use|DIR|none",
    default="none",
    show_default=True,
    callback=lambda _context, _option, given: None if str(given) == "none" else str(given),
    help="Let what a fine-tuned encoder holds count as well: the shipped one, or one of your own; "
    "in Spanish profiles use, the encoder of the extra [spanish], counts for ratings.",
)


def _cache(_context: click.Context, _option: click.Parameter, given: str | None) -> Path | None:
    """The cache's directory: the one given, or by default one of the user's, where possible."""
    if given is not None:
        return None if given == "none" else Path(given)
    folder = Path(user_cache_dir("ists-asp", appauthor=False))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


cache_option: Decorator = click.option(
    "--cache",
    type=CACHE,
    metavar="DIR|none",
    callback=_cache,
    help="Directory of the cache, which spares a rerun Stanza, the parsing of rules, and pairs "
    "that no edit touches; none for none. Default: ists-asp in your cache directory; see ists-asp "
    "cache info.",
)

_SETUP: tuple[Decorator, ...] = (
    _RULES,
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
    reader_option,
    cache_option,
    click.option(
        "--no-incremental",
        "incremental",
        flag_value=False,
        default=True,
        help="Decide all pairs again. Otherwise answers are kept in the cache, and after an edit "
        "of rules, words or constants only pairs are decided that it can touch.",
    ),
)

_RUN: tuple[Decorator, ...] = (
    number_option("--jobs", "Workers that decide pairs at the same time.", default=1),
    timeout_option,
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


def profile_options(function: Function) -> Function:
    """Give a command ``setup`` by the options that choose rules, without a system's."""
    return decorated(
        _with_setup(function), (_profile("default"), _RULES, reader_option, cache_option)
    )


def setup_options(
    profile: str = "default", *, timeout: bool = False, run: bool = False
) -> Decorator:
    """Give a command ``setup``."""
    more = _RUN if run else (timeout_option,) if timeout else ()
    options = (_profile(profile), *_SETUP, *more)
    return lambda function: decorated(_with_setup(function), options)


def _with_setup(function: Function) -> Function:
    @wraps(function)
    def wrapper(
        *,
        profile: str,
        rules: tuple[Path, ...],
        constants: tuple[str, ...] = (),
        stanza_dir: Path | None = None,
        reader: str | None,
        cache: Path | None,
        incremental: bool = True,
        timeout: float = 10.0,
        memory: int | None = None,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        from ists_asp.engine import Limits, Setup

        setup = Setup(
            profile,
            rules,
            dict(map(_constant, constants)),
            reader,
            stanza_dir,
            cache=cache,
            # No system counts further; more than it has is no limit in any case.
            limits=Limits(timeout, min((memory or MEMORY) << 20, sys.maxsize)),
            incremental=incremental,
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
