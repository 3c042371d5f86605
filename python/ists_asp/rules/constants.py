"""Constants of rules: what ``-c name=value`` and a profile may set, and what ``#const`` defines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clingo import SymbolType, parse_term
from clingo.ast import ASTType

from ists_asp.errors import IstsError, UsageError, shortened
from ists_asp.io.toml import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.rules.loader import RuleSet

LARGEST = 1_000_000
"""The largest number that a constant may be; sums with it stay within 32 bits."""

_LONGEST = 200
"""Characters of a name or a value: clingo's parser crashes on terms that are nested deeply."""

_BITS = 64
"""Python refuses to write numbers of thousands of digits; constants have 32 bits."""

_NAME = re.compile(r"(?!not$)_*[a-z][A-Za-z0-9_']*")
# No operators, some of which end clingo's process, and no letters that do.
_TERM = re.compile(r"""(?:"(?:[^"\\]|\\["\\n])*+"|(?!not\b)[\w']++|[ (),#-])++""", re.ASCII)


def check_constant(
    name: str, value: object, place: str = "-c ", error: type[IstsError] = UsageError
) -> str:
    """The text of a value for a ``#const``; an error for anything else.

    A value is a term without variables and arithmetic, of at most 200 characters.
    """
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise error(
            f'"{shortened(name)}" is no name of a constant',
            where=place[:-1],
            expected="a name in lower case, as in highest",
        )
    text = str(value) if type(value) is int and value.bit_length() < _BITS else value
    if not isinstance(text, str) or not _is_value(text):
        raise error(
            f"found {shown(value)}",
            where=f"{place}{shortened(name)}",
            expected="an integer of 32 bits, a name in lower case, a text in double quotes, or a "
            "term of these",
        )
    return text


def _is_value(text: str) -> bool:
    if len(text) > _LONGEST or not text.isprintable() or not _TERM.fullmatch(text):
        return False
    try:
        symbol = parse_term(text, logger=lambda _code, _text: None)
    except RuntimeError:
        return False
    # What is not as it was written has been computed, or has more than 32 bits.
    return str(symbol).replace(" ", "") == text.replace(" ", "")


def check_kinds(values: Mapping[str, str], rules: RuleSet) -> set[str]:
    """Refuse values that are no numbers where the rules have one; return the known constants."""
    kinds: dict[str, bool] = rules.remembered.recall("constants", [], lambda: _kinds(rules))
    for name, value in values.items():
        # A value is a term: what has no more than digits is a number.
        number = int(value) if kinds.get(name) and re.fullmatch(r"-?\d+", value) else None
        if kinds.get(name) and (number is None or abs(number) > LARGEST):
            raise UsageError(
                f"found '{shortened(value)}'",
                where=f"the constant {name}",
                expected=f"an integer from -{LARGEST} to {LARGEST}",
            )
    return set(kinds)


def _kinds(rules: RuleSet) -> dict[str, bool]:
    """The constants that ``#const`` defines, and whether each is a number."""
    return {
        node.name: node.value.ast_type is ASTType.SymbolicTerm
        and node.value.symbol.type is SymbolType.Number
        for node in rules.statements
        if node.ast_type is ASTType.Definition
    }
