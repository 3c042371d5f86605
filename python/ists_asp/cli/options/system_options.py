"""The options that choose profile, rules and models."""

from __future__ import annotations

import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from platformdirs import user_cache_dir

from ists_asp.cli.files import CACHE, MODEL, RULES
from ists_asp.cli.options.choice import Choice
from ists_asp.cli.options.common import decorated
from ists_asp.cli.options.completion import complete_profile
from ists_asp.errors import UsageError, shortened

if TYPE_CHECKING:
    from ists_asp.cli.options.common import Decorator, Function


def _profile(default: str) -> Decorator:
    return click.option(
        "--profile",
        default=default,
        show_default=True,
        metavar="NAME",
        shell_complete=complete_profile,
        help="Kind of text; see ists-asp profiles.",
    )


_RULES: tuple[Decorator, ...] = (
    click.option(
        "--rules",
        "--words",
        "rules",
        multiple=True,
        type=RULES,
        metavar="PATH",
        help="Your rules: a folder made by ists-asp rules copy replaces the shipped one; a file "
        "replaces the one of its name or is added; any other folder is added. Or your words: a "
        ".tsv file of lines such as 'power = electricity' and 'pass <> reject'. Repeatable.",
    ),
)


def _reader(_context: click.Context, _option: click.Parameter, given: Path) -> str | None:
    """A word or the reader's folder; None for none."""
    return None if str(given) == "none" else str(given)


reader_option: Decorator = click.option(
    "--reader",
    type=MODEL,
    metavar="shipped|use|DIR|none",
    default="none",
    show_default=True,
    callback=_reader,
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

_SYSTEM: tuple[Decorator, ...] = (
    *_RULES,
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


def profile_options(function: Function) -> Function:
    """Give a command ``profile`` and ``rules``."""
    return decorated(function, (_profile("default"), *_RULES))


def system_options(function: Function, profile: str = "default") -> Function:
    """Give a command the options that choose profile, rules and models; it gets ``choice``.

    Args:
        function: the command.
        profile: the profile if nobody names one.
    """

    @wraps(function)
    def wrapper(
        *,
        profile: str,
        rules: tuple[Path, ...],
        constants: tuple[str, ...],
        stanza_dir: Path | None,
        reader: str | None,
        cache: Path | None,
        incremental: bool,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        values = dict(map(_constant, constants))
        choice = Choice(profile, rules, values, stanza_dir, reader, cache, incremental)
        function(choice=choice, **rest)

    return decorated(wrapper, (_profile(profile), *_SYSTEM))


def _constant(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise UsageError(
            f"'{shortened(text)}' is no constant",
            where="-c",
            expected="NAME=VALUE, as in -c highest=4",
        )
    from ists_asp.rules.values import check_constant

    name, value = name.strip(), value.strip()
    check_constant(name, value)
    return name, value
