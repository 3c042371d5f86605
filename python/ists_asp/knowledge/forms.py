"""Tokens without what was split from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ists_asp.model import Pair, Token

__all__ = ["all_spoken", "plain_form"]


def plain_form(token: Token) -> str:
    """The token without what was split from it, such as a full stop."""
    return token.words[0].form if token.words else token.form


def all_spoken(pair: Pair) -> tuple[list[str], list[str]]:
    """What is spoken of the tokens of both sentences."""
    first = [_spoken(token) for token in pair.sent1.tokens]
    return first, [_spoken(token) for token in pair.sent2.tokens]


def _spoken(token: Token) -> str:
    """The token without the punctuation that was split from it; empty if it is nothing else."""
    forms = [word.form for word in token.words] or [token.form]
    return " ".join(form for form in forms if any(map(str.isalnum, form)))
