"""Texts for people in a language, by the English ones: a table a language in ``data/texts``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def table(language: str, kind: str = "texts") -> Mapping[str, str]:
    """The texts of a language by English ones, or the sentences of ``rules``; none of English."""
    path = data_dir() / "texts" / f"{language}.{kind}.tsv"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else ()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def say(language: str, text: str, /, **values: object) -> str:
    """A text in a language, with values for its {names}; of "one|many" the one that fits n."""
    one, _, many = table(language).get(text, text).partition("|")
    return (many if many and values.get("n") != 1 else one).format_map(values)
