"""What the shell offers where click cannot know: names of profiles, rules and languages, and files.

``eval "$(_ISTS_ASP_COMPLETE=bash_source ists-asp)"`` switches completion on; click brings it
for bash, zsh and fish.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from ists_asp.errors import IstsError
from ists_asp.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import click

_DEFAULT = "default"


def complete_file(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Any file; the shell itself lists them."""
    return [CompletionItem(begun, type="file")]


def complete_profile(
    context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The profiles of the rules that the command line names."""
    from ists_asp.rules import list_profiles, load_profile, read_overlay

    try:
        base = read_overlay(_rules(context)).base
        return _items(
            ((name, load_profile(name, base).description) for name in list_profiles(base)), begun
        )
    except IstsError:
        # A half-written command line is no place for errors.
        return []


def complete_rule(
    context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The named rules of the profile and the rules that the command line names."""
    from ists_asp.rules import rule_sentences

    try:
        found = rule_sentences(context.params.get("profile") or _DEFAULT, _rules(context))
    except IstsError:
        return []
    return _items(sorted(found.items()), begun)


def complete_language(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The languages that answers can be explained in."""
    from ists_asp.explain.templates import languages

    return [CompletionItem(name) for name in languages() if name.startswith(begun)]


def _items(described: Iterable[tuple[str, str]], begun: str) -> list[CompletionItem]:
    """What begins so, with its description; the shell prints both as they are.

    Names that a terminal would obey are not offered: shown otherwise they name nothing.
    """
    return [
        CompletionItem(name, help=one_line(text))
        for name, text in described
        if name.startswith(begun) and one_line(name) == name
    ]


def _rules(context: click.Context) -> Sequence[Path]:
    """The rules that a command line names, with ``--rules`` or as what it is about."""
    if "given" in context.params:
        # While an option is being completed click leaves the arguments as words.
        return context.params["given"] or [Path(word) for word in context.args]
    return context.params.get("rules") or ()
