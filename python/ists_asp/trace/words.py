"""A rule's sentence with words filled in: what a person reads in a trace."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from clingo import Number, Symbol, SymbolType

from ists_asp.trace.places import CHUNK, TOKEN, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.model import Pair
    from ists_asp.trace.places import Places
    from ists_asp.trace.probes import Probe

__all__ = ["Words"]

_FIELD = re.compile(r"(?P<before>\b(?:token|chunk|chunks|tokens) )?\{(?P<name>\w+)\}|\{\{|\}\}")


class Words:
    """The words of a pair, found by token, chunk and span.

    Args:
        pair: the pair.
        true: the atoms of an answer set; ``in_chunk/3`` and ``span_token/3`` are read.
        places: what the variables of the rules stand for.
    """

    def __init__(self, pair: Pair, true: Iterable[Symbol], places: Places) -> None:
        self._sentences = {1: pair.sent1, 2: pair.sent2}
        self._places = places
        self._chunks: dict[tuple[int, Symbol], list[int]] = defaultdict(list)
        self._spans: dict[tuple[int, Symbol], list[int]] = defaultdict(list)
        for atom in true:
            if atom.name == "in_chunk" and len(atom.arguments) == 3:
                side, chunk, token = atom.arguments
                self._chunks[side.number, chunk].append(token.number)
            elif atom.name == "span_token" and len(atom.arguments) == 3:
                side, span, token = atom.arguments
                self._spans[side.number, span].append(token.number)

    def tokens(self, kind: str, side: int, value: Symbol) -> tuple[int, ...]:
        """The token numbers of a token, chunk or span; empty if there is none such."""
        sentence = self._sentences.get(side)
        if sentence is None:
            return ()
        if kind == TOKEN:
            number = value.number if value.type is SymbolType.Number else 0
            return (number,) if 0 < number <= len(sentence.tokens) else ()
        if kind == CHUNK:
            return tuple(sorted(self._chunks.get((side, value), ())))
        return tuple(sorted(self._spans.get((side, value)) or self._proposed(side, value)))

    def _proposed(self, side: int, span: Symbol) -> list[int]:
        """The tokens of a span that the rules do not propose."""
        if span.type is not SymbolType.Function or span.name not in ("run", "gap"):
            return []
        chunks = [part.number for part in span.arguments if part.type is SymbolType.Number]
        if span.name == "run" and len(chunks) == 2:
            chunks = list(range(chunks[0], chunks[1] + 1))
        return [token for chunk in chunks for token in self._chunks.get((side, Number(chunk)), ())]

    def quoted(self, kind: str, side: int, value: Symbol) -> str | None:
        """The words of a token, chunk or span in quotes, if there is one such."""
        found = self.tokens(kind, side, value)
        return f'"{self._sentences[side].words(found)}"' if found else None

    def sentence(self, probe: Probe, values: Mapping[str, Symbol]) -> str:
        """What a rule says when it fires with these values."""
        template = probe.rule.sentence
        if template is None:
            return probe.rule.text
        places = self._places.of(probe)

        def value(match: re.Match[str]) -> str:
            name = match["name"]
            if name is None:
                return match[0][0]
            before = match["before"] or ""
            if name not in values:
                return before + name
            words = self._placed(places.get(name), values, values[name])
            if words is None:
                return before + _plain(values[name])
            return before + words

        return _FIELD.sub(value, template)

    def atom(self, atom: Symbol) -> str:
        """An atom with words for its tokens, chunks and spans: ``aligned("a cat","one cat")``."""
        return self._term(atom)

    def pattern(self, name: str, arguments: Sequence[Symbol | None]) -> str:
        """An atom some of whose arguments are not known, which are shown as ``_``."""
        known = self._places.arguments(name, len(arguments))
        shown = []
        for index, argument in enumerate(arguments):
            if argument is None:
                shown.append("_")
                continue
            words = None
            if index in known:
                kind, side = known[index]
                if not isinstance(side, int):
                    how, place = side
                    number = arguments[place]
                    numbered = number is not None and number.type is SymbolType.Number
                    side = number.number if number is not None and numbered else 0
                    side = 3 - side if how == "other" else side
                words = self.quoted(kind, side, argument)
            shown.append(words or self._term(argument))
        return f"{name}({','.join(shown)})"

    def _term(self, symbol: Symbol) -> str:
        if symbol.type is not SymbolType.Function or not symbol.arguments:
            return _plain(symbol) if symbol.type is SymbolType.Function else str(symbol)
        sign = "" if symbol.positive else "-"
        return sign + self.pattern(symbol.name, symbol.arguments)

    def _placed(
        self, place: Place | None, values: Mapping[str, Symbol], value: Symbol
    ) -> str | None:
        if place is None:
            return None
        side = place.side
        if isinstance(side, str):
            number = values.get(side)
            if number is None or number.type is not SymbolType.Number:
                return None
            side = 3 - number.number if place.other else number.number
        return self.quoted(place.kind, side, value)


def _plain(symbol: Symbol) -> str:
    """A value as people write it: text without quotes, ``_`` for what may be anything."""
    if symbol.type is SymbolType.String:
        return symbol.string
    text = str(symbol)
    return text.replace("__any", "_")
