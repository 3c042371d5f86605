"""Tokens without what was split from them, and without what is too long to be known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ists_asp.limits import LONGEST_WORD
from ists_asp.model import Pair, Token, Word

if TYPE_CHECKING:
    from ists_asp.model import Sentence

_UNKNOWN = "_"
"""Stands for a word that nothing is known about: it has no letters and no digits."""


def knowable(pair: Pair) -> Pair:
    """The pair with a stand-in for each token of more than ``LONGEST_WORD`` characters.

    Such a token is in no lexicon, and to compare it letter by letter may take for ever. That two
    of them are equal is told by their forms, which the rules see.
    """
    sent1, sent2 = _knowable(pair.sent1), _knowable(pair.sent2)
    same = sent1 is pair.sent1 and sent2 is pair.sent2
    return pair if same else Pair(pair.id, sent1, sent2)


def _knowable(sentence: Sentence) -> Sentence:
    if all(len(token.form) <= LONGEST_WORD for token in sentence.tokens):
        return sentence
    unknown = (Word(_UNKNOWN, _UNKNOWN, "X", _UNKNOWN),)
    tokens = (
        token if len(token.form) <= LONGEST_WORD else Token(token.index, _UNKNOWN, unknown)
        for token in sentence.tokens
    )
    return replace(sentence, tokens=tuple(tokens))


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
