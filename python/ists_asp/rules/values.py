"""Values for ``#const``: terms that stand for themselves, read without clingo.

clingo evaluates the values that it is given, and some end the process: ``-2147483648/-1`` divides
as the processor does. So there is no arithmetic here, and nothing but this looks at such a value
before it has been read.
"""

from __future__ import annotations

import re

from ists_asp.errors import UsageError, shortened

EXPECTED = (
    "an integer of 32 bits, a name in lower case, a text in double quotes, or a term of these"
)

_LONGEST = 200
"""Characters of a name or a value: clingo's parser crashes on terms that are nested deeply."""

_INT32 = 2**31
_NAME = re.compile(r"_*[a-z][A-Za-z0-9_']*")
_MARK = re.compile(
    r"\s*(?:(?P<number>-?(?:0|[1-9][0-9]*)(?![A-Za-z0-9_]))"
    r'|(?P<text>"(?:[^"\\\n]|\\["\\n])*")'
    r"|(?P<limit>\#(?:inf|sup)(?![A-Za-z0-9_]))"
    rf"|(?P<name>-?{_NAME.pattern})|(?P<open>\()|(?P<close>\))|(?P<comma>,))\s*"
)


def is_name(text: str) -> bool:
    """Whether a text can be the name of a constant."""
    return len(text) <= _LONGEST and _NAME.fullmatch(text) is not None and text != "not"


def is_value(text: str) -> bool:
    """Whether a text is a term without variables and arithmetic, of at most 200 characters."""
    if len(text) > _LONGEST or not text.isprintable():
        return False
    position, depth = 0, 0
    # What came last: nothing yet, a whole term, a name that may have arguments, or a comma.
    before = "comma"
    while position < len(text):
        match = _MARK.match(text, position)
        if match is None:
            return False
        position, kind = match.end(), match.lastgroup
        if kind == "number" and not -_INT32 <= int(match["number"]) < _INT32:
            return False
        if kind == "name" and match["name"].removeprefix("-") == "not":
            return False
        if kind == "open":
            if before not in ("name", "comma", "open"):
                return False
            depth += 1
        elif kind == "close":
            if depth == 0 or before == "comma":
                return False
            depth -= 1
            kind = "term"
        elif kind == "comma":
            if depth == 0 or before in ("comma", "open"):
                return False
        elif before not in ("comma", "open"):
            return False
        before = kind if kind in ("name", "open", "comma") else "term"
    return depth == 0 and before in ("name", "term")


def check_constant(name: str, value: str) -> None:
    """Refuse what is no value for a ``#const``.

    Raises:
        UsageError: the name or the value is none.
    """
    if not is_name(name):
        raise UsageError(
            f"'{shortened(name)}' is no name of a constant",
            where="-c",
            expected="a name in lower case, as in -c highest=4",
        )
    if not is_value(value):
        raise UsageError(
            f"found '{shortened(value)}'", where=f"-c {shortened(name)}", expected=EXPECTED
        )
