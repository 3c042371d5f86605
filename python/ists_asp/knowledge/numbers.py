"""The values of numbers that are written in digits."""

from __future__ import annotations

import re

__all__ = ["numeral"]

_NUMERAL = re.compile(
    r"""
    (?P<sign>[-+\N{MINUS SIGN}])?
    [$€£¥]?
    (?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?
    (?:\.(?P<fraction>[0-9]+))?
    (?P<end>[%€$£¥]|(?:st|nd|rd|th))?
    """,
    re.VERBOSE | re.IGNORECASE,
)


def numeral(form: str) -> str | None:
    """The canonical value of a word in digits, or None if it is not simply a number.

    Commas between thousands, a plus sign, a currency or percent sign, the ending of an
    ordinal, and zeros that change nothing are dropped: ``1,000`` is ``1000``, ``$3.20``
    is ``3.2``, ``50%`` is ``50``, ``3rd`` is ``3``, ``-05`` is ``-5``. A number with a
    unit or magnitude (``10m`` may be metres or millions), a range (``5-4``), a time
    (``10:30``) and a decimal comma (``2,5`` may be a list) have no single value here.
    Number words are for the rules.
    """
    match = _NUMERAL.fullmatch(form)
    if match is None:
        return None
    whole, fraction, end = match["whole"], match["fraction"], match["end"]
    if whole is None and fraction is None:
        return None
    if end and end.isalpha() and (whole is None or fraction is not None):
        return None
    digits = (whole or "").replace(",", "").lstrip("0") or "0"
    decimals = (fraction or "").rstrip("0")
    value = f"{digits}.{decimals}" if decimals else digits
    return f"-{value}" if match["sign"] not in (None, "+") and value != "0" else value
