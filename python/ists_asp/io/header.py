"""A first line that names columns, as tables often have one; ours are known by their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ists_asp.errors import FormatError, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBERED = re.compile(
    r"(s|sen|sent|sentence|text|question|headline|caption|string|str|input)[ _.-]?[12ab]",
    re.IGNORECASE,
)
"""Names of columns with sentences, as data sets have them: ``sentence1``, ``text_a``, ``S1``."""

_UNNUMBERED = re.compile(r"sentence|text|premise|hypothesis|source|target", re.IGNORECASE)

_ID = re.compile(r"#|id|index|idx|(pair|sentence|item)[ _.-]?(id|index|idx|no|nr)", re.IGNORECASE)


def check_no_header(columns: Sequence[str], where: str) -> None:
    """Refuse the first line of a table (or of a file of sentences) if it names its columns.

    Raises:
        FormatError: it does.
    """
    names = [column.strip() for column in columns]
    sides = sum(1 for name in names if _NUMBERED.fullmatch(name))
    if len(names) > 1:
        sides += sum(1 for name in names if _UNNUMBERED.fullmatch(name))
    if sides >= min(2, len(names)) or (len(names) == 3 and _ID.fullmatch(names[0])):
        raise FormatError(
            f"the line names columns ({shortened(', '.join(names))})",
            where=where,
            expected="sentences from the first line on, in columns that are known by their places",
            hint="Take this line out, for instance with tail -n +2",
        )
