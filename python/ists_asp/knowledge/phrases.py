"""Phrases of word tables in sentences: each of their words by its form or its lemma."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ists_asp.knowledge.words import plain_form
from ists_asp.model import Token

MAX_BETWEEN = 6  # so many tokens at most stand between the first word of a phrase and the others
MAX_PIECES = 4  # so many tokens at most are a word of a phrase that the tokeniser cuts
_SPLIT_OFF = frozenset({"PRON", "DET"})

_Ways: TypeAlias = "dict[str, tuple[int, bool]]"
"""What is written from a token on: how many tokens that takes, and whether more may follow."""


class Phrases:
    """Entries of word tables that are more than a word in letters: ``step down``, ``US$``."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = sorted(entries)
        self._by_word = defaultdict[str, list[tuple[str, list[str]]]](list)
        for entry in self.entries:
            first, *rest = entry.split()
            self._by_word[first].append((entry, rest))

    def find(
        self, tokens: Sequence[Token]
    ) -> tuple[list[tuple[int, int, str]], list[tuple[int, int, int, str]]]:
        """The phrases in a sentence, and those whose first word stands apart from the others.

        The former are first token, last token and entry, the latter first token, first and last
        token of the rest, and entry. Each word is the token's form or lemma, or the forms of
        several tokens without blanks (``US``, ``$``). Single words are left to the rules.
        """
        whole, split = [], []
        ways = [_ways(tokens, start) for start in range(len(tokens))]
        for start, written in enumerate(ways):
            for word in written.keys() & self._by_word.keys():
                size, goes_on = written[word]
                for entry, rest in self._by_word[word]:
                    begin = start + size
                    if not rest and word != plain_form(tokens[start]).lower():
                        whole.append((start + 1, begin, entry))
                    for there in range(begin, begin + 1 + MAX_BETWEEN) if rest and goes_on else ():
                        if end := _end(ways, there, rest):
                            if there == begin:
                                whole.append((start + 1, end, entry))
                            elif size == 1:
                                split.append((start + 1, there + 1, end, entry))
                            break
        return whole, sorted(split)


def _ways(tokens: Sequence[Token], start: int) -> _Ways:
    token = tokens[start]
    # A pronoun or an article that was split from a word is no part of a phrase.
    goes_on = all(word.upos in _SPLIT_OFF and word.form.isalpha() for word in token.words[1:])
    texts = (plain_form(token), *(word.lemma for word in token.words[:1]))
    ways = {text.lower(): (1, goes_on) for text in texts}
    joined = ""
    for size, piece in enumerate(tokens[start : start + MAX_PIECES], 1):
        joined += piece.form.lower()
        if size == 1 or not joined.isalpha():
            ways.setdefault(joined, (size, True))
    return ways


def _end(ways: Sequence[_Ways], start: int, rest: Sequence[str]) -> int:
    """The last token of words from a place on, counted from 1; 0 if they do not stand there."""
    goes_on = True
    for word in rest:
        if not goes_on or start >= len(ways) or word not in ways[start]:
            return 0
        size, goes_on = ways[start][word]
        start += size
    return start
