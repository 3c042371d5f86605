"""Texts for people in a language, by the English ones: a table a language in ``data/texts``."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@cache
def table(language: str, kind: str = "texts") -> Mapping[str, str]:
    """The texts of a language by English ones, or its sentences of ``rules``, or ``degrees``."""
    path = data_dir() / "texts" / f"{language}.{kind}.tsv"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else ()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def say(language: str, text: str, /, **values: object) -> str:
    """A text in a language, with values for its {names}; of "one|many" the one that fits n."""
    one, _, many = table(language).get(text, text).partition("|")
    return (many if many and values.get("n") != 1 else one).format_map(values)


def by_degree(language: str, text: str) -> str:
    """A reason with words of degree for its percentages and points."""
    for pattern, steps in table(language, "degrees").items():
        limits = [step.partition(" ") for step in steps.split("|")]

        def word(found: re.Match[str], limits: Sequence[tuple[str, str, str]] = limits) -> str:
            degree = int(found["n"] or 0)
            return found.expand(next(words for limit, _, words in limits if degree < int(limit)))

        text = re.sub(pattern, word, text)
    return text
