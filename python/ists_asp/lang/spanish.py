"""Spanish: a thesaurus for its lexicon, stems, points of thousands, accents that hardly count."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from ists_asp.lang import Language

_PLAIN = str.maketrans("áéíóúüÁÉÍÓÚÜ", "aeiouuAEIOUU")
_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{3})+(?![0-9.])")
_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
_AMERICAN = re.compile(r"[^0-9]*[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?[^0-9]*")
_ORDINAL = re.compile(r"(?<=[0-9])\.?(?:[ºª°]|er|[rdtvm][oa])", re.IGNORECASE)


@lru_cache(maxsize=100_000)
def plain(word: str) -> str:
    """A word without acute accents and diaereses; ``ñ`` is a letter of its own."""
    return word.translate(_PLAIN)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A word without its endings, by the Snowball stemmer (Porter 2001)."""
    return plain(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:  # noqa: ANN401 (the library has no types)
    # Imported at the first stem: nothing else needs it.
    import snowballstemmer

    return snowballstemmer.stemmer("spanish")


def digits(form: str) -> str:
    """A word in digits as English writes it: ``10000`` for ``10.000``, ``2.5`` for ``2,5``.

    Also ``3th`` for ``3.er``. Three digits behind a comma are thousands, as in Mexico, unless a
    zero or a point of thousands stands before them.
    """
    text = form.translate({ord("\u00a0"): None, ord("\u202f"): None})
    if _THOUSANDS.search(text):
        text = _COMMA.sub(".", _THOUSANDS.sub(lambda match: match[0].replace(".", ""), text))
    elif not _AMERICAN.fullmatch(text):
        text = _COMMA.sub(".", text)
    ending = _ORDINAL.search(text)
    return text[: ending.start()] + "th" if ending and ending.end() == len(text) else text


LANGUAGE = Language(
    code="es",
    lexicon="spanish.sqlite",
    thesaurus=True,
    has_vectors=True,
    encoder="use",
    plain=plain,
    stem=stem,
    has_endings=True,
    digits=digits,
    samples=("spanish",),
)
