"""What is looked up in order to cut tokens and to clean them for the tagger.

The tables of a language are one :class:`Tables`. English clitics are cut as the
English treebanks of Universal Dependencies cut them. Spanish ones (``del``, ``hacerlo``)
stay in one piece, as no cut would leave two words; the models know them whole.
"""

from __future__ import annotations

from dataclasses import dataclass

OPENERS = frozenset("\"'`´“”„«»‘’‚‹›([{<¡¿.,;:!?…")
"""Cut off at the front of a token, where at least one letter or digit follows."""

CLOSERS = frozenset("\"'`´“”«»‘’‹›)]}>.,;:!?…")
"""Cut off at the end of a token."""

STAND_INS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´ʼ′＇", "'"),
        **dict.fromkeys("“”„‟«»″＂", '"'),
        **dict.fromkeys("‹", "<"),
        **dict.fromkeys("›", ">"),
        **dict.fromkeys("‐‑‒−－", "-"),
        "…": "...",
        "ﬀ": "ff",
        "ﬁ": "fi",
        "ﬂ": "fl",
        "ﬃ": "ffi",
        "ﬄ": "ffl",
    }
)
"""What the tagger is shown instead of characters that its treebanks hardly have."""

BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}
"""Brackets and quotes as the Penn Treebank writes them."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one language, in lower case and with straight apostrophes.

    Attributes:
        abbreviations: words whose final period is part of them, without that period.
        clitics: endings that are words of their own, longest first.
        contractions: whole tokens that are cut though nothing in them shows where,
            with the length of their first part.
        dashes: marks that are cut off at both ends, but not before a digit; Spanish
            puts them round an insertion (``-dijo-``).
        elisions: words that begin with an apostrophe, which is then no quote.
    """

    abbreviations: frozenset[str] = frozenset()
    clitics: tuple[str, ...] = ()
    contractions: tuple[tuple[str, int], ...] = ()
    dashes: frozenset[str] = frozenset()
    elisions: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH_CLITICS = ("n't", "'re", "'ve", "'ll", "'s", "'d", "'m")

_TABLES = {
    "en": Tables(
        abbreviations=_words(
            "mr mrs ms messrs dr prof sen rep gov gen lt col capt cmdr sgt rev hon st"
            " jr sr inc ltd co corp bros vs etc approx dept est ave blvd rd mt ft"
            " jan feb mar apr jun jul aug sep sept oct nov dec"
        ),
        clitics=_ENGLISH_CLITICS,
        contractions=(
            ("cannot", 3),
            ("gonna", 3),
            ("gotta", 3),
            ("wanna", 3),
            # As students type them; "cant" and "wont" are also words, but rarer ones.
            ("arent", 3),
            ("cant", 2),
            ("couldnt", 5),
            ("didnt", 3),
            ("doesnt", 4),
            ("dont", 2),
            ("hasnt", 3),
            ("havent", 4),
            ("isnt", 2),
            ("shouldnt", 6),
            ("wasnt", 3),
            ("werent", 4),
            ("wont", 2),
            ("wouldnt", 5),
        ),
        elisions=frozenset(
            {*_ENGLISH_CLITICS, "'em", "'til", "'cause", "'tis", "'twas", "'n'", "'n", "'t"}
        ),
    ),
    "es": Tables(
        abbreviations=_words(
            "sr sra srta sres dr dra dres d dña ud uds vd vds prof profa gral gob pdte cnel"
            " tte sgto cap lic ing arq mons fr sto sta st mr mrs jr"
            " pág págs pp núm art arts vol ed ej fig cf etc aprox depto dpto"
            " av avda tel cía hnos ltda"
        ),
        dashes=frozenset("-–—―"),
    ),
}


def tables(lang: str) -> Tables:
    """Return the tables of a language; one that has none gets empty tables."""
    return _TABLES.get(lang, Tables())
