"""Options that commands of all kinds share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import click

from ists_asp.cli.files import OUTPUT, FileType

Function: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Function], Function]


def output_option(
    text: str = "File to write; it appears whole or not at all. Default: standard output.",
    kind: FileType = OUTPUT,
) -> Decorator:
    """The option ``-o``; the command gets ``output``."""
    return click.option("-o", "--output", type=kind, metavar="PATH", help=text)


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

id_option: Decorator = click.option(
    "--id", "identifier", metavar="ID", help="Only the pair with this id."
)

quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="No progress bar and no summary."
)


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


json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def decorated(function: Function, decorators: tuple[Decorator, ...]) -> Function:
    """Give a command options, shown by its help in this order."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function
