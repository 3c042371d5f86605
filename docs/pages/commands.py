"""The page of commands and options, made from the command line's own help."""

from __future__ import annotations

from collections import Counter
from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from ists_asp.cli.app import main

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEAD = """\
# Commands

What `ists-asp --help`, and `--help` after each command, say. `python -m docs.pages` makes \
this page from the commands themselves. Options that many commands have stand at its end.
"""

_MANY = 3
"""What more commands than this have is said once."""


def commands() -> str:
    """The page as Markdown."""
    found = list(_contexts(main, None))
    count = Counter(record for context in found for record in _records(context))
    common = [record for record, owners in count.items() if owners > _MANY]
    lines = [_HEAD]
    for context in found:
        lines += _command(context, common)
    return "\n".join([*lines, "## Options of many commands\n", *_table(common)]).rstrip() + "\n"


def _contexts(command: click.Command, parent: click.Context | None) -> Iterator[click.Context]:
    """A command and those below it, each with what is typed for it."""
    context = click.Context(command, parent, info_name=command.name)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from _contexts(found, context)


def _records(context: click.Context) -> Iterator[tuple[str, str]]:
    """The options of a command: names, and meaning."""
    for option in context.command.params:
        if isinstance(option, click.Option) and (record := option.get_help_record(context)):
            yield record


def _command(context: click.Context, common: list[tuple[str, str]]) -> Iterator[str]:
    usage = " ".join(context.command.collect_usage_pieces(context))
    yield f"## {context.command_path}\n"
    yield f"`{context.command_path} {usage}`\n"
    for paragraph in cleandoc(context.command.help or "").split("\n\n"):
        yield _escaped(paragraph) + "\n"
    records = list(_records(context))
    if own := [record for record in records if record not in common]:
        yield from _table(own)
    if shared := [f"`{record[0]}`" for record in records if record in common]:
        yield f"[Also](#options-of-many-commands) {', '.join(shared)}.\n"
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
