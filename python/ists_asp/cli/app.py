"""The command ``ists-asp``: its subcommands, and how errors end it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ists_asp.cli.cache import cache
from ists_asp.cli.check import check
from ists_asp.cli.chunk import chunk
from ists_asp.cli.console import error, fail, write_output
from ists_asp.cli.diff import diff
from ists_asp.cli.evaluate import evaluate
from ists_asp.cli.explain import explain
from ists_asp.cli.facts import facts
from ists_asp.cli.files import Group
from ists_asp.cli.interrupts import INTERRUPTED, heard
from ists_asp.cli.learn import learn
from ists_asp.cli.profiles import profiles
from ists_asp.cli.report import report
from ists_asp.cli.rules import rules
from ists_asp.cli.solve import solve
from ists_asp.cli.sts import sts
from ists_asp.cli.trace import trace
from ists_asp.cli.usage import usage_message
from ists_asp.cli.why import why, why_not
from ists_asp.edge import too_deep
from ists_asp.errors import IstsError, UsageError, told
from ists_asp.terminal import open_doors

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


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


for _command in (
    solve,
    sts,
    explain,
    report,
    trace,
    why,
    why_not,
    facts,
    chunk,
    evaluate,
    check,
    diff,
    rules,
    profiles,
    learn,
    cache,
):
    main.add_command(_command)
