"""``ists-asp cache``: what is kept between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.cli.console import write_output
from ists_asp.cli.files import command, group
from ists_asp.cli.options import cache_option, json_option
from ists_asp.errors import UsageError
from ists_asp.io.store import Store
from ists_asp.terminal import table

if TYPE_CHECKING:
    from pathlib import Path


@group("""
  ists-asp cache info
  ists-asp cache info --cache my-cache --json
  ists-asp cache clear
""")
def cache() -> None:
    """Show or clear the cache.

    In: the cache directory. It holds Stanza's annotations, the encoder's output, parsed rules,
    answers, explanations and traces. A rerun starts neither Stanza nor torch, and after an edit
    of rules decides only the pairs that the edit can affect.

    Out: the size of the cache, or the number of entries removed.
    """


@command("""
  ists-asp cache info
  ists-asp cache info --cache my-cache --json
""")
@cache_option
@json_option
def info(cache: Path | None, as_json: bool) -> None:
    """Show the location and size of the cache.

    In: the cache directory.

    Out: the file, its size in bytes, and the number of its entries, of each kind as well:
    annotations of sentences, readings of pairs by a reader, results (rules, facts, answers and
    explanations) and traces.
    """
    found = Store(_there(cache)).info()
    if as_json:
        record = {"file": str(found.path), "size": found.size, "entries": found.entries}
        kinds = {kind: {"size": size, "entries": n} for kind, (n, size) in found.kinds.items()}
        write_output(None, {**record, "kinds": kinds})
        return
    rows = [("file", str(found.path)), ("size", f"{found.size} bytes")]
    rows += [("entries", str(found.entries))]
    rows += [(f"  {kind}", str(number)) for kind, (number, _) in sorted(found.kinds.items())]
    write_output(None, table(rows, left=True))


@command("""
  ists-asp cache clear
  ists-asp cache clear --cache my-cache
""")
@cache_option
def clear(cache: Path | None) -> None:
    """Empty the cache.

    In: the cache directory.

    Out: the number of entries removed, of all kinds.
    """
    gone = Store(_there(cache)).clear()
    write_output(None, f"{gone} entries removed\n")


cache.add_command(info)
cache.add_command(clear)


def _there(directory: Path | None) -> Path:
    if directory is None:
        raise UsageError(
            "there is no cache",
            where="--cache",
            expected="a directory that can be written to",
            hint="Name one with --cache DIR",
        )
    return directory
