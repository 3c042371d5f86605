"""The numbers and measures in sentences, written in digits: what they are worth.

Number words are for the rules.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ists_asp.syntax.ground import quoted
from ists_asp.vocabulary import DECIMAL, MEASURE, NUMERAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ists_asp.model import Pair

_DIGIT = re.compile("[0-9]")

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

_MEASURE = re.compile(
    r"""
    (?P<number>[$€£¥]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)
    -?
    (?P<unit>[a-z]+(?:-[a-z]+)*)\.?
    """,
    re.VERBOSE | re.IGNORECASE,
)

_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{3})+(?![0-9.])")
_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
_AMERICAN = re.compile(r"[^0-9]*[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?[^0-9]*")
_ORDINAL = re.compile(r"(?<=[0-9])\.?(?:[ºª°]|er|[rdtvm][oa])", re.IGNORECASE)


def numbers(pair: Pair, written: Callable[[str], str]) -> Iterator[str]:
    """Tokens that are numbers, numbers with letters, and large values as smaller ones.

    Atoms of ``asp/input.lp`` as text. A token counts as a whole or without the punctuation that
    was split from it. ``written`` writes its digits as English does.
    """
    measures: list[str] = []
    values: set[str] = set()
    for sentence, tokens in ((1, pair.sent1.tokens), (2, pair.sent2.tokens)):
        for token in tokens:
            if not _DIGIT.search(token.form):
                continue
            forms = [written(token.form)]
            parts = [word.form for word in token.words if any(map(str.isalnum, word.form))]
            if len(parts) == 1:
                forms.append(written(parts[0]))
            value = next(filter(None, map(numeral, forms)), None)
            if value is not None:
                values.add(value)
                yield NUMERAL.text(sentence, token.index, quoted(value))
            found = next(filter(None, map(measure, forms)), None)
            if found is not None:
                values.add(found[0])
                measures.append(MEASURE.text(sentence, token.index, *map(quoted, found)))
    yield from measures
    for value in sorted(values):
        number, zeros = decimal(value)
        if zeros:
            yield DECIMAL.text(quoted(value), quoted(number), zeros)


def from_spanish(form: str) -> str:
    """A Spanish word in digits as :func:`numeral` and :func:`measure` read it.

    ``10.000`` becomes ``10000``, ``2,5`` becomes ``2.5``, ``3.er`` and ``1º`` lose their endings.
    Both ways of writing are in use: three digits behind a comma are thousands, as in
    Mexico, unless a zero or a point of thousands stands before them.
    """
    plain = form.translate({ord("\u00a0"): None, ord("\u202f"): None})
    if _THOUSANDS.search(plain):
        plain = _COMMA.sub(".", _THOUSANDS.sub(lambda found: found[0].replace(".", ""), plain))
    elif not _AMERICAN.fullmatch(plain):
        plain = _COMMA.sub(".", plain)
    ending = _ORDINAL.search(plain)
    return plain[: ending.start()] if ending and ending.end() == len(plain) else plain


def numeral(form: str) -> str | None:
    """The canonical value of a word in digits, or None if it is not simply a number.

    Commas between thousands, a plus sign, a currency or percent sign, the ending of an
    ordinal, and zeros that change nothing are dropped: ``1,000`` is ``1000``, ``$3.20``
    is ``3.2``, ``50%`` is ``50``, ``3rd`` is ``3``, ``-05`` is ``-5``. A number with a
    unit or magnitude (``10m`` may be metres or millions), a range (``5-4``), a time
    (``10:30``) and a decimal comma (``2,5`` may be a list) have no single value here.
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


def measure(form: str) -> tuple[str, str] | None:
    """The value and the unit of a number that letters follow in the same word, or None.

    ``250-M`` is 250 and ``m``, ``6.3-magnitude`` 6.3 and ``magnitude``, ``10-year-old`` 10
    and ``year-old``. What has a value of its own, such as ``3rd``, is no measure. What the
    letters mean is for the rules.
    """
    match = _MEASURE.fullmatch(form)
    if match is None or numeral(form) is not None:
        return None
    value = numeral(match["number"])
    return None if value is None else (value, match["unit"].lower())


def decimal(value: str) -> tuple[str, int]:
    """A canonical value as a number below 1000 and how many zeros, in threes, it loses so.

    ``389000000`` is 389 with 6 zeros, ``1500`` is 1.5 with 3, ``0.25`` is itself with none.
    """
    sign, digits = ("-", value[1:]) if value.startswith("-") else ("", value)
    whole, _, fraction = digits.partition(".")
    zeros = 3 * ((len(whole) - 1) // 3)
    point = len(whole) - zeros
    rest = (whole[point:] + fraction).rstrip("0")
    return sign + whole[:point] + (f".{rest}" if rest else ""), zeros
