"""The page of commands and options, made from the command line's own help."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from ists_asp.cli.app import main
from ists_asp.cli.files import SharedOption

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEAD = """\
# Commands

What `ists-asp --help`, and `--help` after each command, say. `python -m docs.pages` makes \
this page from the commands themselves. Options that many commands have stand at its end.
"""


def commands() -> str:
    """The page as Markdown."""
    lines, common = [_HEAD], dict[tuple[str, str], None]()
    for context in _contexts(main, None):
        lines += _command(context)
        common |= dict.fromkeys(_records(context, shared=True))
    return "\n".join([*lines, "## Common options\n", *_table(common)]).rstrip() + "\n"


def _contexts(command: click.Command, parent: click.Context | None) -> Iterator[click.Context]:
    """A command and those below it, each with what is typed for it."""
    context = click.Context(command, parent, info_name=command.name)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from _contexts(found, context)


def _records(context: click.Context, *, shared: bool) -> Iterator[tuple[str, str]]:
    """Names and meaning of the options that a command shares with others, or of its own."""
    for option in context.command.params:
        if isinstance(option, click.Option) and isinstance(option, SharedOption) == shared:
            yield from filter(None, (option.get_help_record(context),))


def _command(context: click.Context) -> Iterator[str]:
    usage = " ".join(context.command.collect_usage_pieces(context))
    yield f"## {context.command_path}\n"
    yield f"`{context.command_path} {usage}`\n"
    for paragraph in cleandoc(context.command.help or "").split("\n\n"):
        yield _escaped(paragraph) + "\n"
    if own := list(_records(context, shared=False)):
        yield from _table(own)
    if shared := [f"`{names}`" for names, _ in _records(context, shared=True)]:
        yield f"[Also](#common-options) {', '.join(shared)}.\n"
    lines = cleandoc((context.command.epilog or "").replace("\b", "")).splitlines()
    if examples := [line.strip() for line in lines if line.startswith(" ")]:
        yield "\n".join(("Examples:\n", "```console", *examples, "```\n"))


def _table(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield "| Option | Meaning |"
    yield "| --- | --- |"
    for names, meaning in records:
        yield f"| `{_escaped(names)}` | {_escaped(meaning)} |"
    yield ""


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
