"""The page of commands and options, made from the command line's own help."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from ists_asp.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["commands"]

_HEAD = """\
# Commands

What `ists-asp --help`, and `--help` after each command, say. `python -m docs.pages` makes \
this page from the commands themselves.
"""


def commands() -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD, *_command(main, None)]).rstrip() + "\n"


def _command(command: click.Command, parent: click.Context | None) -> Iterator[str]:
    with click.Context(command, parent, info_name=command.name) as context:
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"## {context.command_path}\n"
        yield f"`{context.command_path} {usage}`\n"
        yield from _paragraphs(command.help or "")
        options = [option for option in command.params if isinstance(option, click.Option)]
        if options:
            yield from _table(options, context)
        yield from _examples(command.epilog or "")
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                if found is not None:
                    yield from _command(found, context)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in cleandoc(text).split("\n\n"):
        yield _escaped(" ".join(paragraph.split())) + "\n"


def _table(options: list[click.Option], context: click.Context) -> Iterator[str]:
    yield "| Option | Meaning |"
    yield "| --- | --- |"
    for option in options:
        record = option.get_help_record(context)
        if record is not None:
            names, meaning = (_escaped(" ".join(part.split())) for part in record)
            yield f"| `{names}` | {meaning} |"
    yield ""


def _examples(epilog: str) -> Iterator[str]:
    lines = [line for line in cleandoc(epilog.replace("\b", "")).splitlines() if line.strip()]
    if lines:
        yield "Examples:\n"
        yield "```console"
        yield from (line.strip() for line in lines if line.startswith(" "))
        yield "```\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
