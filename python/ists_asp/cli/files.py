"""Files that commands read and write: declared by types of options, compared at the start."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ists_asp.errors import UsageError, shortened
from ists_asp.io.files import Use, refuse_clashes
from ists_asp.pipeline.source import STDIN

if TYPE_CHECKING:
    from ists_asp.io.formats import Format

Values: TypeAlias = Mapping[str, Any]  # the values of a command's parameters, by name

_SHIPPED = ("lexicon", "reader", "report", "stanza", "templates", "vectors")  # folders of data


class FileType(click.Path):
    """A file or folder that a parameter names; with ``text`` its value stays a text.

    ``files`` are those read in a folder. An output that is ``written`` has one of the ``endings``,
    unless it is JSON.
    """

    def __init__(
        self,
        files: Callable[[Path], Iterable[Path]] = lambda _folder: (),
        *,
        text: bool = False,
        written: bool = False,
        endings: Sequence[str] = (),
    ) -> None:
        # The reader of a file tells best why it cannot be read.
        super().__init__(readable=False, path_type=None if text else Path)
        self.files, self.written, self.endings = files, written, endings

    def convert(
        self,
        value: Any,  # noqa: ANN401 (click's own signature)
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """A path; an address of fsspec as the text that it is."""
        return value if "://" in str(value) else super().convert(value, param, ctx)


def _rules(path: Path) -> Iterable[Path]:
    from ists_asp.rules.source import files_of_rules

    return files_of_rules(path)


def _gold(folder: Path) -> Iterable[Path]:
    from ists_asp.learn.examples import ALIGNMENTS, CHUNKS

    return (folder / name for name in (*CHUNKS, ALIGNMENTS))


def _cached(folder: Path) -> Iterable[Path]:
    from ists_asp.io.store import cache_files

    return cache_files(folder)


READ = FileType()  # a file that is read
INPUT = FileType(text=True)  # a file that is read, or ``-`` for standard input
SENTENCE = FileType(text=True)  # a sentence, or ``-`` for one from standard input
RULES = FileType(_rules)  # A rule file or folder that is read
GOLD = FileType(_gold)  # a file or folder of gold pairs
MODEL = FileType(lambda folder: folder.rglob("*"))  # a folder of models
CACHE = FileType(_cached, text=True)  # the folder of the cache, which is read and written
OUTPUT = FileType(written=True)  # a file that is written
OUTPUTS = FileType(written=True)  # the same, or a folder: the command looks at its files


class SharedOption(click.Option):
    """An option that many commands have; a help lists it behind the command's own."""


class Command(click.Command):
    """A command whose files are compared before it begins.

    ``examples`` are command lines for the help, each indented by two blanks. ``replaces`` gives
    the files of rule folders that the command may write although it is told to read these folders.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 (click's own signature)
        examples: str = "",
        replaces: Callable[[Values], Collection[Path]] = lambda _values: (),
        **extra: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **extra)
        self.epilog = f"\b\nExamples:{examples}"
        self.replaces = replaces

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options of the command, then those it shares with others."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        for heading, shared in (("Options", False), ("Common options", True)):
            listed = [option for option in options if isinstance(option, SharedOption) == shared]
            if records := list(filter(None, (option.get_help_record(ctx) for option in listed))):
                with formatter.section(heading):
                    formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run the command, unless a file would be lost, or an output could not be written."""
        outputs = [
            (kind, use, use.file)
            for kind, use in _named(ctx)
            if kind.written and isinstance(use.file, Path)
        ]
        for kind, use, file in outputs:
            # Parts of a run go to folders, which are made.
            if kind is not OUTPUTS and ctx.params.get("engine") != "dask":
                check_target(use.by, file)
        check_written(ctx, [use for _, use, _ in outputs])
        for kind, use, file in outputs:
            if kind.endings and not ctx.params.get("as_json"):
                json = file.suffix.lower() == ".json" and "as_json" in ctx.params
                known_ending(file, kind.endings, "Add --json for JSON" if json else None, use.by)
        return super().invoke(ctx)


def command(
    examples: str,
    **extra: Any,  # noqa: ANN401 (what click.command takes)
) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command that is called like it, with examples in its help."""
    return click.command(cls=Command, examples=examples, **extra)


def group(examples: str) -> Callable[[Callable[..., None]], click.Group]:
    """Make a function a group of commands."""
    return click.group(epilog=f"\b\nExamples:{examples}")


def check_written(context: click.Context, outputs: Sequence[Use]) -> None:
    """Refuse outputs by which a file would be lost."""
    named = [(kind, use) for kind, use in _named(context) if not kind.written]
    folders = [(use.by, use.file) for kind, use in named if kind is CACHE]
    caches = [Use(by, file) for by, at in folders if isinstance(at, Path) for file in _cached(at)]
    filed = any(use.by.startswith("-o ") for use in outputs)
    printed = [] if filed else [Use("standard output", 1)]
    reads = [use for kind, use in named if kind is not CACHE]
    refuse_clashes(reads, (*caches, *outputs, *printed))
    if existing := [use for use in outputs if os.path.lexists(use.file)]:
        refuse_clashes(_in_folders(context, named), existing)


def _named(context: click.Context) -> Iterator[tuple[FileType, Use]]:
    for parameter in context.command.params:
        kind = parameter.type
        if not isinstance(kind, FileType):
            continue
        option = isinstance(parameter, click.Option)
        name = parameter.opts[0] if option else parameter.make_metavar(context).strip("[].")
        values = context.params[parameter.name or ""]
        for value in values if isinstance(values, tuple) else (values,):
            if value == STDIN:
                yield kind, Use("standard input", 0)
            elif value is not None and kind is not SENTENCE and "://" not in str(value):
                yield kind, Use(f"{name} {value}", Path(value))


def _in_folders(context: click.Context, named: Iterable[tuple[FileType, Use]]) -> Iterator[Use]:
    """Files that are read of the folders that are named, and of those that ists-asp has."""
    from ists_asp.resources import asp_dir, data_dir, rules_dir

    shipped = (asp_dir(), rules_dir(), *(data_dir() / name for name in _SHIPPED))
    command = context.command
    replaced = command.replaces(context.params) if isinstance(command, Command) else ()
    for kind, use in (*named, *((MODEL, Use("ists-asp itself", folder)) for folder in shipped)):
        for file in kind.files(use.file) if isinstance(use.file, Path) else ():
            if Path(os.path.realpath(file)) not in replaced:
                yield Use(use.by, file)


def check_target(where: str, target: Path) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    try:
        exists = target.exists()
    except OSError as error:
        found, hint = f"not a valid file name: {error.strerror}", "Choose another name"
        raise UsageError(found, where=shortened(where, 40), hint=hint) from None
    folder = Path(os.path.realpath(target)).parent
    if target.is_dir():
        raise UsageError("this is a folder", where=where, expected="the name of a file")
    if not folder.is_dir():
        found = f"there is no folder '{target.parent}'"
        raise UsageError(found, where=where, hint="Create it first")
    places = (target, folder) if target.is_file() else (target if exists else folder,)
    if not all(os.access(place, os.W_OK) for place in places):
        raise UsageError("may not be written", where=where, hint="Choose another place")


def known_ending(
    output: Path | None, endings: Collection[str], hint: str | None = None, where: str | None = None
) -> str:
    """The ending of an output, one of these; nothing where a name does not say what is in it."""
    if output is None or not output.suffix or (output.exists() and not output.is_file()):
        return ""
    ending = output.suffix.lower()
    if ending not in endings:
        *first, last = endings
        expected = f"{', '.join(first)} or {last}" if first else last
        found, where = f"this command writes no {output.suffix}", where or f"-o {output}"
        raise UsageError(found, where=where, expected=expected, hint=hint)
    return ending


def choose_format(
    forms: Mapping[str, Format], name: str | None, output: Path | str | None, default: str
) -> Format:
    """The format that was named, or that which goes with the output."""
    if name is not None:
        return forms[name]
    endings = {form.ending: form for form in forms.values()}
    hint = "Choose another ending, or name the format with --format"
    path = None if output is None else Path(output)
    return endings.get(known_ending(path, endings, hint), forms[default])
