"""The pages of the documentation that are made from the code: predicates and commands."""

from pathlib import Path

__all__ = ["PAGES", "ROOT", "write"]

ROOT = Path(__file__).parents[2]

PAGES = ("vocabulary.md", "commands.md")
"""What :func:`write` writes, in ``docs/``."""


def write(folder: Path) -> None:
    """Write :data:`PAGES` into a folder."""
    from docs.pages.commands import commands
    from docs.pages.vocabulary import vocabulary

    for name, text in zip(PAGES, (vocabulary(ROOT), commands()), strict=True):
        (folder / name).write_text(text, encoding="utf-8")
