"""``ists-asp cache``: what is kept between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.cli.console import write_output
from ists_asp.cli.files import command, group
from ists_asp.cli.options import cache_option, json_option
from ists_asp.errors import UsageError
from ists_asp.io.store import FOLDER, TRACES, Store
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

    Out: the file, its size in bytes, and how many texts each set of models has annotated, and
    how many pairs each reader has read; the folder with what was worked out about rules and with
    answers, and that with traces: its size and how many entries it has.
    """
    from ists_asp.io.cache import Cache

    with Cache(_there(cache)) as opened:
        found = opened.info()
    folders = {name: Store(found.path.parent, name).info() for name in (FOLDER, TRACES)}
    if as_json:
        record: dict[str, object] = {
            "file": str(found.path),
            "size": found.size,
            "entries": found.entries,
            "models": dict(found.models),
        }
        for name, one in folders.items():
            record[name] = {"folder": str(one.path), "size": one.size, "entries": one.entries}
        write_output(None, record)
        return
    rows: list[tuple[str, str]] = []
    for what, one in (("file", found), *(("folder", one) for one in folders.values())):
        rows += [(what, str(one.path)), ("size", f"{one.size} bytes")]
        rows += [("entries", str(one.entries))]
        rows += [(f"  {name}", str(count)) for name, count in sorted(one.models.items())]
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
    from ists_asp.io.cache import Cache

    # Where the disk is full, these make room for SQLite, which needs some to read its file.
    gone = sum(Store(_there(cache), name).clear() for name in (FOLDER, TRACES))
    with Cache(_there(cache)) as opened:
        gone += opened.clear()
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
