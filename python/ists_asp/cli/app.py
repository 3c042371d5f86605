"""The command ``ists-asp``: its subcommands, its version, and how errors end it."""

from __future__ import annotations

import platform
import sys
from collections import UserDict
from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NoReturn

import click

from ists_asp import cli, limits
from ists_asp._version import __version__
from ists_asp.cli import INTERRUPTED, commands
from ists_asp.cli.commands.config import NAME, use_config
from ists_asp.cli.console import error, fail, write_output
from ists_asp.cli.options import option
from ists_asp.errors import IstsError, UsageError, alike, os_message, too_deep
from ists_asp.resources import asp_dir, data_dir, rules_dir
from ists_asp.terminal import Door, one_line, open_doors, table

_MODULES = {name: name for _, name, _ in iter_modules(commands.__path__) if "_" not in name}
_MODULES |= {"cache": "config", "check": "evaluate", "chunk": "facts", "explain": "solve"}
_MODULES |= {"profiles": "config", "sts": "solve", "why": "trace", "why-not": "trace"}
"""Commands, each with its module: most are called like it."""


class _Commands(UserDict[str, click.Command]):
    """The subcommands, each imported on demand."""

    def __getitem__(self, name: str) -> click.Command:
        if name in _MODULES:
            module = import_module(f"ists_asp.cli.commands.{_MODULES[name]}")
            self.data[name] = getattr(module, name.replace("-", "_"))
        return self.data[name]


class _Application(click.Group):
    """A group that reports every expected error as one line and an exit code."""

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,  # noqa: ANN401 (click's own signature)
    ) -> NoReturn:
        open_doors()
        try:
            try:
                code = super().main(args, prog_name, standalone_mode=False, **extra)
            except click.exceptions.NoArgsIsHelpError as bare:
                # A group alone asks for its help, as --help does.
                write_output(None, f"{bare.ctx.get_help()}\n")
                code = 0
        except click.ClickException as fault:
            error(_usage_message(fault))
            code = fault.exit_code
        except IstsError as fault:
            fail(fault)
            code = fault.exit_code
        except (RecursionError, OSError) as fault:
            code = 1
            # The reader of a broken pipe has left.
            if not isinstance(fault, BrokenPipeError):
                error(os_message(fault) if isinstance(fault, OSError) else str(too_deep()))
        except (click.Abort, KeyboardInterrupt):
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run a command; click would print an empty line where that is interrupted."""
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except (Exception, KeyboardInterrupt) as fault:
            # Code that does not expect an interrupt may make something else of it.
            if cli.interrupted or isinstance(fault, KeyboardInterrupt):
                raise click.exceptions.Exit(INTERRUPTED) from None
            raise


def _show_version(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        details = _details() if context.params["verbose"] else ""
        write_output(None, f"ists-asp {__version__}\n{details}")
        context.exit()


def _colour(_context: click.Context, _option: click.Parameter, value: str) -> None:
    Door.colours = {"always": True, "never": False}.get(value)
    open_doors()


def _limit_tables(_context: click.Context, _option: click.Parameter, text: str) -> None:
    limits.table_limits = limits.TableLimits.parse(text)


@click.group(
    "ists-asp",
    cls=_Application,
    commands=_Commands({name: click.Command(name) for name in _MODULES}),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  ists-asp solve "12 killed in bus accident" "10 killed in road accident"
  ists-asp solve --sent1 a.txt --sent2 b.txt --profile headlines -o out.wa
  ists-asp evaluate gold.wa out.wa
  ists-asp rules copy my-rules
""",
)
@option(
    "--verbose", "With --version: also show the models, rules and weights in use.", is_eager=True
)
@option("--version", "Show the version and exit.", expose_value=False, callback=_show_version)
@click.option(
    "--config/--no-config",
    "configured",
    default=True,
    help=f"Read options from the nearest {NAME}, or ignore it; see ists-asp config.",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    expose_value=False,
    callback=_colour,
    help="Use colours; auto: on terminals, unless NO_COLOR is set.  [default: auto]",
)
@option(
    "--table-limits NAME=N,...",
    "Raise limits of the tables that are read: rows, columns, cell, blank, unpacked, ratio, "
    "seconds and memory, such as rows=2000000.",
    default="",
    expose_value=False,
    callback=_limit_tables,
)
@click.pass_context
def main(context: click.Context, verbose: bool, configured: bool) -> None:
    """Explain how similar two sentences are.

    ists-asp splits both sentences into chunks, aligns the chunks, and gives each alignment a
    label (EQUI, OPPO, SPE1, SPE2, SIMI, REL) and a score from 0 to 5. You can read and change
    the rules behind every decision.

    Data goes to standard output; progress, warnings and errors go to standard error. Exit
    codes: 0 success; 1 faulty data, or no answer for a pair given on the command line; 2 wrong
    usage; 3 some pairs of a file have no answer.
    """
    if verbose:
        raise UsageError("--verbose without --version", hint="See ists-asp --version --verbose")
    use_config(context, configured)


def _details() -> str:
    from importlib.metadata import version as installed

    from ists_asp.annotate.stanza import find
    from ists_asp.engine.answer import file_digest, provenance
    from ists_asp.knowledge.reader import reader_digest, shipped_reader
    from ists_asp.lang import language
    from ists_asp.rules import list_profiles, read_profile_rules

    rows = [("python", platform.python_version())]
    rows += [(name, installed(name)) for name in ("clingo", "stanza")]
    rows += [("machine", str(asp_dir())), ("rules", str(rules_dir()))]
    rows.append(("lexicon", file_digest(data_dir() / "lexicon" / "wordnet.sqlite")))
    profiles = [
        provenance(files.profile, files.all_files, find(files.profile.language))
        for files in map(read_profile_rules, list_profiles())
    ]
    languages = sorted({profile.stanza.partition(" ")[0] for profile in profiles})
    rows += [
        (f"vectors {code}", file_digest(file))
        for code in languages
        if (file := language(code).vectors) is not None
    ]
    rows.append(("reader", reader_digest(shipped_reader())))
    rows += [("models", stanza) for stanza in dict.fromkeys(profile.stanza for profile in profiles)]
    for profile in profiles:
        weights = ", ".join(profile.weights) or "none"
        rows.append((f"profile {profile.profile}", f"rules {profile.rules}, weights {weights}"))
    return table(rows, left=True)


def _usage_message(fault: click.ClickException) -> str:
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
    text = f"No such option '{name}'"
    names = list(_options(context.command))
    root, owners = context.find_root(), list[str]()
    commands = [(root.command_path, root.command)]
    for path, command in commands:
        owners += [path] * (name in _options(command))
        if isinstance(command, click.Group):
            commands += ((f"{path} {name}", child) for name, child in command.commands.items())
    if len(owners) > 3:
        # So many are no hint.
        return text
    if owners:
        return f"{text}, which is one of {' and '.join(owners)}"
    # So alike that --raw is not what --format was meant to be.
    close = alike(name, names, 2, 0.75)
    return f"{text}. Did you mean {' or '.join(close)}?" if close else text


def _options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)
