"""Generated tables in a Markdown file, between ``<!-- name -->`` and ``<!-- /name -->``."""

from __future__ import annotations

from ists_asp.errors import DataError

__all__ = ["replace_between"]


def replace_between(text: str, name: str, content: str) -> str:
    r"""Put ``content`` (ending with ``\n``) between the marks called ``name``.

    Raises:
        DataError: the text does not have both marks, each once and in this order.
    """
    opening, closing = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = text.partition(opening)
    _, ended, after = rest.partition(closing)
    if not found or not ended or opening in after or closing in before + after:
        raise DataError(
            f"no place for the table '{name}'",
            expected=f"a line {opening.strip()} and below it a line {closing}, each once",
        )
    return f"{before}{opening}{content}{closing}{after}"
