"""``ists-asp config`` (options that ``ists-asp.toml`` has), ``profiles`` and ``cache``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli.console import note, write_output
from ists_asp.cli.files import RULES, command, group
from ists_asp.cli.options import cache_option, json_option, option
from ists_asp.errors import DataError, UsageError
from ists_asp.io.text import TomlError, key_lines, literal, parse_toml
from ists_asp.terminal import table

if TYPE_CHECKING:
    from ists_asp.io.store import Store
    from ists_asp.rules import Profile

NAME = "ists-asp.toml"

_EXPECTED: dict[type[Any], str] = {
    **{str: 'a text such as "headlines"', int: "a whole number", float: "a number"},
    **{list: 'a list of paths such as ["my-rules"]', dict: "a table of names and values"},
}
_NAMES = ["profile", "rules", "constants", "timeout", "memory", "jobs", "language", "templates"]
_TYPES = (str, list, dict, float, int, int, str, str)
_KINDS: dict[str, type[Any]] = dict(zip(_NAMES, _TYPES, strict=True))
"""Settings of a file. It names no models, readers or caches: those must be typed."""


def find_config(folder: Path) -> Path | None:
    """The file of a folder, or of the nearest one above it."""
    files = (path / NAME for path in (folder, *folder.parents))
    return next((file for file in files if file.is_file()), None)


def read_config(file: Path) -> dict[str, Any]:
    """The settings of a file, as values of options by their names; paths begin at its folder."""
    try:
        with file.open("rb") as stream:
            text, settings = parse_toml(stream.read(1 << 16))
    except TomlError as fault:
        raise DataError(fault.found, where=f"{file}:{fault.line}") from None
    except OSError as fault:
        raise DataError(f"cannot be read: {fault.strerror or fault}", where=str(file)) from None
    lines = key_lines(text)
    for name, value in settings.items():
        kind = _KINDS.get(name)
        where = f"{file}:{lines.get(('', name)) or lines.get((name, ''), 1)}"
        if kind is None:
            raise DataError(f"'{name}' is not a setting", where=where, expected=", ".join(_KINDS))
        if kind is float and type(value) is int:
            value = settings[name] = float(value)
        items = value if isinstance(value, list) else ()
        if type(value) is not kind or not all(isinstance(item, str) for item in items):
            raise DataError(f"{name} = {literal(value)}", where=where, expected=_EXPECTED[kind])
        if name == "rules":
            settings[name] = [str(file.parent / path) for path in items]
        elif name == "templates":
            settings[name] = str(file.parent / value)
        elif name == "constants":
            settings[name] = [f"{constant}={term}" for constant, term in value.items()]
    return settings


class Defaults(dict[str, Any]):
    """The same values for each command, whatever group it is in."""

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401
        """A value, or for the name of a command these values again."""
        return super().get(key, default) if key in _KINDS else self


class _OfCommands(Defaults):
    """The same, where only names of commands are asked for: rules is one."""

    def get(self, _key: str, _default: Any = None) -> Any:  # noqa: ANN401
        return Defaults(self)


def use_config(context: click.Context, enabled: bool) -> None:
    """Let a command have what the file says, and tell which one, unless it is not wanted."""
    file = find_config(Path.cwd()) if enabled else None
    if file is None:
        return
    context.default_map = _OfCommands(read_config(file))
    if context.invoked_subcommand != "config":
        note(f"{file} is in use; --no-config leaves it out")


@command("""
  ists-asp config
  ists-asp --no-config solve "a cat" "one cat"
""")
@json_option
@click.pass_context
def config(context: click.Context, as_json: bool) -> None:
    """Show the ists-asp.toml in effect and its settings.

    In: the file of the working folder, or of the nearest one above it. It may have: profile, rules
    (a list of paths), constants (a table), timeout, memory, jobs, language, templates. Options
    on the command line take precedence. Rules that it names are confined like all user rules; it
    cannot name models, readers or caches.

    Out: the file and the options that it sets; all others have their defaults.
    """
    file = find_config(Path.cwd())
    values = dict((context.parent and context.parent.default_map) or {})
    if as_json:
        write_output(None, {"file": None if file is None else str(file), "settings": values})
    elif not values:
        write_output(None, f"There is no {NAME} here, or it says nothing.\n")
    else:
        rows = [
            (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
            for name, value in values.items()
        ]
        write_output(None, f"{file}\n{table(rows, left=True)}")


@command("""
  ists-asp profiles
  ists-asp profiles --rules my-rules --json
""")
@option("--rules DIR", "A folder made by ists-asp rules copy to list instead.", type=RULES)
@json_option
def profiles(rules: Path | None, as_json: bool) -> None:
    """List the profiles.

    In: the shipped rules, or a copy of them.

    Out: the name of each profile (for --profile), its language and its purpose.
    """
    from ists_asp.rules import list_profiles, load_profile, read_overlay

    base = read_overlay([] if rules is None else [rules]).base
    listed = [load_profile(name, base) for name in list_profiles(base)]
    rows = [(profile.name, profile.language, profile.description) for profile in listed]
    write_output(None, list(map(_record, listed)) if as_json else table(rows, left=True))


def _record(profile: Profile) -> dict[str, object]:
    from ists_asp.rules import Purpose

    return {
        "name": profile.name,
        "language": profile.language,
        "description": profile.description,
        **{str(purpose): asdict(part) for purpose in Purpose if (part := profile.files(purpose))},
        "constants": profile.constants,
        "scheme": str(profile.scheme),
        "attached_punctuation": profile.attached_punctuation,
    }


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

    Out: the file, its size in bytes, and the number of its entries, in all and of each kind:
    rules, annotations of sentences, readings of pairs by a reader, facts, answers, explanations,
    traces.
    """
    store = _store(cache)
    kinds = store.info()
    total, size = sum(entries for entries, _ in kinds.values()), store.size
    if as_json:
        record = {"file": str(store.path), "size": size, "entries": total}
        named = {kind: {"size": size, "entries": n} for kind, (n, size) in kinds.items()}
        write_output(None, {**record, "kinds": named})
        return
    rows = [("file", str(store.path)), ("size", f"{size} bytes"), ("entries", str(total))]
    rows += [(f"  {kind}", str(entries)) for kind, (entries, _) in sorted(kinds.items())]
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
    write_output(None, f"{_store(cache).clear()} entries removed\n")


cache.add_command(info)
cache.add_command(clear)


def _store(directory: Path | None) -> Store:
    from ists_asp.io.store import Store

    if directory is None:
        expected, hint = "a directory that can be written to", "Name one with --cache DIR"
        raise UsageError("there is no cache", where="--cache", expected=expected, hint=hint)
    return Store(directory)
