"""A rule's sentence with words filled in: what a person reads in a trace."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from string import Formatter
from typing import TYPE_CHECKING

from clingo import SymbolType

from ists_asp.rules.arguments import CHUNK, SPAN, TOKEN, ArgumentTypes, Place
from ists_asp.syntax.changes import ANY
from ists_asp.syntax.ground import Ground, plain
from ists_asp.vocabulary import IN_CHUNK, SPAN_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ists_asp.model import Pair
    from ists_asp.trace.probes import Probe


class Words:
    """The words of a pair, found by token, chunk and span.

    Of the atoms of an answer set, ``true``, ``in_chunk/3`` and ``span_token/3`` are read;
    ``places`` are what the variables of the rules stand for.
    """

    READ = (IN_CHUNK.name, SPAN_TOKEN.name)
    """The names of the atoms that are read."""

    def __init__(self, pair: Pair, true: Iterable[Ground], places: ArgumentTypes) -> None:
        self._sentences = {1: pair.sent1, 2: pair.sent2}
        self._places = places
        self._known: dict[tuple[str, int, Ground], list[int]] = defaultdict(list)
        self._quoted: dict[tuple[str, int, Ground], str | None] = {}
        self._terms: dict[Ground, str] = {}
        kinds = {IN_CHUNK.name: CHUNK, SPAN_TOKEN.name: SPAN}
        for atom in true:
            if len(atom.arguments) == 3:
                # Users' rules may derive such atoms of anything.
                first, value, last = atom.arguments
                side = _number(first)
                self._known[kinds[atom.name], side, value] += self.tokens(TOKEN, side, last)

    def tokens(self, kind: str, side: int, value: Ground) -> tuple[int, ...]:
        """The token numbers of a token, chunk or span; empty if there is none such."""
        sentence = self._sentences.get(side)
        if sentence is None:
            return ()
        if kind == TOKEN:
            number = _number(value)
            return (number,) if 0 < number <= len(sentence.tokens) else ()
        found = self._known.get((kind, side, value))
        return tuple(sorted(found or (self._proposed(side, value) if kind == SPAN else ())))

    def _proposed(self, side: int, span: Ground) -> list[int]:
        """The tokens of a span that the rules do not propose."""
        if span.type is not SymbolType.Function or span.name not in ("run", "gap"):
            return []
        chunks = [part.number for part in span.arguments if part.type is SymbolType.Number]
        if span.name == "run" and len(chunks) == 2:
            chunks = list(range(chunks[0], chunks[1] + 1))
        return [token for chunk in chunks for token in self.tokens(CHUNK, side, Ground(chunk))]

    def quoted(self, kind: str, side: int, value: Ground) -> str | None:
        """The words of a token, chunk or span in quotes, if there is one such."""
        key = kind, side, value
        if key not in self._quoted:
            found = self.tokens(*key)
            self._quoted[key] = f'"{self._sentences[side].words(found)}"' if found else None
        return self._quoted[key]

    def sentence(self, probe: Probe, values: Mapping[str, Ground]) -> str:
        """What a rule says when it fires with these values."""
        template = probe.rule.sentence
        if template is None:
            return probe.rule.text
        places = self._places.variables.get(probe.name, {})
        found = []
        for words, name in _slots(template):
            found.append(words)
            if (value := values.get(name)) is not None:
                found.append(self._placed(places.get(name), values, value) or plain(value))
            else:
                found.append(name)
        return "".join(found)

    def atom(self, atom: Ground) -> str:
        """An atom with words for its tokens, chunks and spans: ``aligned("a cat","one cat")``.

        What may be anything is shown as ``_``.
        """
        if atom not in self._terms:
            self._terms[atom] = self._term(atom)
        return self._terms[atom]

    def _term(self, term: Ground) -> str:
        if term == ANY:
            return "_"
        if term.type is not SymbolType.Function:
            return term
        name, _, inside = term.partition("(")
        if not any(mark in inside for mark in ("(", '"', ANY)):
            # Nothing in it stands for words.
            number = inside.count(",") + 1 if inside else 0
            if f"{name}/{number}" not in self._places.arguments:
                return term
        if not term.arguments:
            return plain(term)
        shown = [self.quoted(*what, part) or self.atom(part) for what, part in self._parts(term)]
        return f"{'' if term.positive else '-'}{term.name}({','.join(shown)})"

    def about(self, term: Ground) -> set[tuple[int, int]]:
        """The tokens that an atom is about, each with its sentence."""
        found: set[tuple[int, int]] = set()
        for (kind, side), part in self._parts(term):
            found |= {(side, token) for token in self.tokens(kind, side, part)} or self.about(part)
        return found

    def _parts(self, term: Ground) -> Iterator[tuple[tuple[str, int], Ground]]:
        """The arguments of a term, each with what it is, and of which sentence; of none it is 0."""
        parts = term.arguments
        known = self._places.arguments.get(f"{term.name}/{len(parts)}", [None] * len(parts))
        for part, meaning in zip(parts, known, strict=True):
            kind, side = meaning or ("", 0)
            if not isinstance(side, int):
                how, place = side
                side = _number(parts[place])
                side = 3 - side if how == "other" else side
            yield (kind, side), part

    def _placed(
        self, place: Place | None, values: Mapping[str, Ground], value: Ground
    ) -> str | None:
        if place is None:
            return None
        side = place.side
        if isinstance(side, str):
            number = _number(values.get(side))
            side = 3 - number if place.other else number
        return self.quoted(place.kind, side, value)


def _number(value: Ground | None) -> int:
    """What a number is worth; 0, which is neither a side nor a token, for all else."""
    return value.number if value is not None and value.type is SymbolType.Number else 0


@lru_cache(1 << 12)
def _slots(template: str) -> tuple[tuple[str, str], ...]:
    """The texts of a template, each with the variable that comes after it, if one does."""
    return tuple((words, name or "") for words, name, *_ in Formatter().parse(template))
