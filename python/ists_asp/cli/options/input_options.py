"""The options that say where the pairs are."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli.files import INPUT, SENTENCE
from ists_asp.cli.inputs import Inputs
from ists_asp.cli.options.common import decorated, id_option
from ists_asp.cli.options.completion import complete_file
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from ists_asp.cli.options.common import Decorator, Function

_INPUT: tuple[Decorator, ...] = (
    click.argument("sentences", nargs=-1, type=SENTENCE, metavar="[SENTENCE1 SENTENCE2]"),
    click.option(
        "--sent1",
        type=INPUT,
        metavar="FILE",
        shell_complete=complete_file,
        help="First sentences, one a line; - is stdin.",
    ),
    click.option(
        "--sent2",
        type=INPUT,
        metavar="FILE",
        shell_complete=complete_file,
        help="Second sentences, one a line; - is stdin.",
    ),
    click.option(
        "--tsv",
        type=INPUT,
        metavar="FILE",
        shell_complete=complete_file,
        help="Pairs: sentence TAB sentence, or id TAB sentence TAB sentence; no header.",
    ),
    click.option(
        "--jsonl",
        type=INPUT,
        metavar="FILE",
        shell_complete=complete_file,
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
    return decorated(_checked(function), _INPUT)


def optional_input_options(function: Function) -> Function:
    """As :func:`input_options`, but ``inputs`` is None where none are given."""
    return decorated(_checked(function, optional=True), _INPUT)


def _checked(function: Function, *, optional: bool = False) -> Function:
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


def question_options(function: Function) -> Function:
    """Give a command the input options and, as its last argument, a ``question``."""

    @wraps(function)
    def wrapper(*, sentences: tuple[str, ...], **rest: Any) -> None:  # noqa: ANN401
        if not sentences:
            raise UsageError(
                "there is no decision to ask about", expected='a line such as "4 5 <==> 3 4"'
            )
        *given, question = sentences
        inner(sentences=tuple(given), question=question, **rest)

    def asked(**values: Any) -> None:  # noqa: ANN401 (the options of any command)
        function(**values)

    inner = _checked(asked)
    argument = click.argument(
        "sentences", nargs=-1, type=SENTENCE, metavar="[SENTENCE1 SENTENCE2] DECISION"
    )
    return decorated(wrapper, (argument, *_INPUT[1:], id_option))
