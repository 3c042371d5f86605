"""What the shell offers where click cannot know: names of profiles, and files.

``eval "$(_ISTS_ASP_COMPLETE=bash_source ists-asp)"`` switches completion on; click brings it
for bash, zsh and fish.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from ists_asp.errors import IstsError

if TYPE_CHECKING:
    import click

__all__ = ["complete_file", "complete_profile"]


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
        base = read_overlay(context.params.get("rules") or ()).base
        return [
            CompletionItem(name, help=load_profile(name, base).description)
            for name in list_profiles(base)
            if name.startswith(begun)
        ]
    except IstsError:
        # A half-written command line is no place for errors.
        return []
