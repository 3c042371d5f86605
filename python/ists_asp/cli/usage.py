"""Wrong usage, in one line that says what to type instead."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from ists_asp.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSE = 0.75
"""How alike two names must be: ``--raw`` is not what ``--format`` was meant to be."""

_OWNERS = 3
"""More commands than this that have an option are no hint."""

_FORMATS = {
    "--format": ("--json", "It prints text, or JSON with --json"),
    "--json": ("--format", "JSON is printed with --format jsonl"),
}
"""Two ways to ask for a format, by commands: the option that is here, and what to say of it."""


def usage_message(fault: click.ClickException) -> str:
    """A usage error as one line that names the command whose help tells more."""
    context = fault.ctx if isinstance(fault, click.UsageError) else None
    if isinstance(fault, click.NoSuchOption) and context is not None:
        text = one_line(_no_such_option(fault.option_name, context))
    else:
        text = " ".join(fault.format_message().split())
    if context is None:
        return text
    end = "" if text.endswith("?") else "."
    return f"{text.rstrip('.')}{end} See {context.command_path} --help"


def _no_such_option(name: str, context: click.Context) -> str:
    """What is said of an unknown option: one that is nearly the same, or who has it."""
    text = f"No such option '{name}'"
    known = list(_options(context.command))
    here, meant = _FORMATS.get(name, ("", ""))
    if here in known:
        return f"{text}. {meant}"
    owners = [path for path, command in _commands(context.find_root()) if name in _options(command)]
    if len(owners) > _OWNERS:
        return text
    if owners:
        return f"{text}, which is one of {' and '.join(owners)}"
    close = get_close_matches(name, known, n=2, cutoff=_CLOSE)
    return f"{text}. Did you mean {' or '.join(close)}?" if close else text


def _commands(root: click.Context) -> Iterator[tuple[str, click.Command]]:
    """All commands, with what is typed for them."""
    waiting = [(root.command_path, root.command)]
    while waiting:
        path, command = waiting.pop(0)
        yield path, command
        if isinstance(command, click.Group):
            waiting += [(f"{path} {name}", child) for name, child in command.commands.items()]


def _options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)
