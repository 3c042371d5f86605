"""The command ``ists-asp``: its subcommands, and how errors end it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ists_asp.cli.console import error, fail, write_output
from ists_asp.cli.interrupts import INTERRUPTED, heard
from ists_asp.cli.options.files import Group
from ists_asp.cli.usage import usage_message
from ists_asp.edge import too_deep
from ists_asp.errors import IstsError, UsageError, told
from ists_asp.terminal import open_doors

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = (
    "solve",
    "sts",
    "explain",
    "report",
    "trace",
    "why",
    "facts",
    "chunk",
    "evaluate",
    "check",
    "diff",
    "rules",
    "profiles",
    "learn",
    "cache",
)
"""Commands that are called like their modules."""


class _Commands(MutableMapping[str, click.Command]):
    """The subcommands, each imported when somebody asks for it.

    Args:
        places: for each name its module in this package and what it is called there.
    """

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        self._places = dict(places)
        self._known: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._known:
            module, attribute = self._places[name]
            self._known[name] = getattr(import_module(f"ists_asp.cli.commands.{module}"), attribute)
        return self._known[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._known[name] = command

    def __delitem__(self, name: str) -> None:
        self._places.pop(name, None)
        self._known.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._places, *self._known)))

    def __len__(self) -> int:
        return len({*self._places, *self._known})


class _Application(Group):
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
                # Whoever types a group alone asks what there is, and asks no less than by --help.
                write_output(None, f"{bare.ctx.get_help()}\n")
                code = 0
        except click.ClickException as fault:
            error(usage_message(fault))
            code = fault.exit_code
        except IstsError as fault:
            fail(fault)
            code = fault.exit_code
        except RecursionError:
            error(str(too_deep()))
            code = 1
        except BrokenPipeError:
            # Nobody reads to the end.
            code = 1
        except OSError as fault:
            error(told(fault))
            code = 1
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
            if heard() or isinstance(fault, KeyboardInterrupt):
                raise click.exceptions.Exit(INTERRUPTED) from None
            raise


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from ists_asp.cli.version import version

    write_output(None, version(verbose=context.params["verbose"]))
    context.exit()


@click.group(
    "ists-asp",
    cls=_Application,
    commands=_Commands(
        {
            **{name: (name, name) for name in _NAMES},
            "why-not": ("why", "why_not"),
        }
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  ists-asp solve "12 killed in bus accident" "10 killed in road accident"
  ists-asp solve --sent1 a.txt --sent2 b.txt --profile headlines -o out.wa
  ists-asp evaluate gold.wa out.wa
  ists-asp rules copy my-rules
""",
)
@click.option(
    "--verbose",
    is_flag=True,
    is_eager=True,
    help="With --version, also say which models, rules and weights are in use.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main(verbose: bool) -> None:
    """Explain how similar two sentences are.

    Both sentences are cut into chunks, the chunks are aligned, and each alignment gets a
    label (EQUI, OPPO, SPE1, SPE2, SIMI, REL) and a score from 0 to 5. Rules that you can
    read and change decide.

    Data goes to standard output; progress, warnings and errors go to standard error. The
    exit code is 0 for success, 1 for faulty data (or where the only pair, given on the command
    line, has no answer), 2 for wrong usage, and 3 where some pairs of a file have no answer.
    """
    if verbose:
        raise UsageError("--verbose without --version", hint="See ists-asp --version --verbose")
