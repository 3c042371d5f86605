"""Word tables: lines such as ``power = electricity`` and ``pass <> reject`` as facts of rules.

A table is read as a rule file of one fact for each line, so that whatever names a rule by file
and line names the entry.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ists_asp.errors import RuleError, shortened
from ists_asp.vocabulary import OPPOSITE, SAME_MEANING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUFFIX = ".tsv"
"""What the names of word tables end in."""

_LONGEST = 60
"""Characters of an entry at most."""

_SIGN = re.compile(r"(=|<>)")
_PREDICATES = {"=": SAME_MEANING, "<>": OPPOSITE}


def table_rules(text: str, name: str) -> str:
    """A word table as the text of a rule file with as many lines.

    Lines are ``A = B`` or ``A <> B``, also in two columns of which the first ends in the sign;
    blank lines, letter case and what follows ``#`` do not count.
    """
    return "\n".join(_rules(text, name)) + "\n"


def _rules(text: str, name: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), start=1):
        entry = line.partition("#")[0].strip().removeprefix("\ufeff")
        if not entry:
            yield ""
            continue
        # Nothing here takes more time than the line is long.
        parts = [" ".join(part.lower().split()) for part in _SIGN.split(entry)]
        sides = parts[::2]
        if not _is_entry(sides):
            raise RuleError(
                f"'{shortened(entry)}' is not an entry of a word table",
                where=f"{name}:{number}",
                expected="two different words or short phrases, A = B or A <> B",
            )
        left, right = (side.replace("\\", "\\\\").replace('"', '\\"') for side in sides)
        yield f'{_PREDICATES[parts[1]].name}("{left}","{right}").'


def _is_entry(sides: Sequence[str]) -> bool:
    if len(sides) != len(set(sides)) or len(sides) != 2:
        return False
    return all(side and len(side) <= _LONGEST and not set(side) & set("<>") for side in sides)
