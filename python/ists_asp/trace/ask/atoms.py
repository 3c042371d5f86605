"""An atom to ask about, ``alike(5,5,_,_)``: ``_`` stands for whatever there is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import SymbolType, parse_term

from ists_asp.errors import UsageError, shortened
from ists_asp.rules.check.vocabulary import suggestion
from ists_asp.syntax.changes import ANY
from ists_asp.syntax.ground import Ground
from ists_asp.trace.core.patterns import Pattern

if TYPE_CHECKING:
    from ists_asp.trace.core.trace import Trace

_ATOM = re.compile(r"\s*-?[a-z_][A-Za-z0-9_']*\(.*\)\s*", re.DOTALL)
_PART = re.compile(r"""(?P<string>"(?:[^"\\]|\\.)*")|(?P<any>(?<![\w'])_(?![\w']))""")


@dataclass(frozen=True, slots=True)
class AtomQuestion:
    """The atoms that somebody asks about: those that agree with a term but for its ``_``."""

    text: str
    term: Ground

    def matching(self, trace: Trace) -> tuple[Ground, ...]:
        """The atoms of the answer set that are meant, sorted."""
        found = trace.atoms(self.term.name)
        given = (atom for atom in trace.given if atom.name == self.term.name)
        return tuple(sorted({atom for atom in (*found, *given) if _agrees(self.term, atom)}))

    @property
    def pattern(self) -> Pattern:
        """The term as a pattern: an argument that is not wholly known counts as unknown."""
        parts = (None if ANY in str(part) else part for part in self.term.arguments)
        return Pattern(("" if self.term.positive else "-") + self.term.name, tuple(parts))


def is_atom_question(text: str) -> bool:
    """Whether somebody asks about an atom rather than about a decision."""
    return isinstance(text, str) and _ATOM.fullmatch(text) is not None


def read_atom_question(text: str, trace: Trace) -> AtomQuestion:
    """Read an atom.

    Raises:
        UsageError: it is malformed, or no rule and no fact has its predicate.
    """
    where = f"atom '{shortened(text)}'"
    written = _PART.sub(lambda found: found["string"] or ANY, text.strip())
    try:
        symbol = parse_term(written, logger=lambda _code, _text: None)
    except RuntimeError:
        symbol = None
    if symbol is None or symbol.type is not SymbolType.Function or not symbol.name:
        raise UsageError(
            "it is not an atom",
            where=where,
            expected="alike(5,5,_,_), with _ for what may be anything",
            hint='Words stand in double quotes: word(1,_,"cat")',
        )
    key = symbol.name, len(symbol.arguments)
    known = {(name, arity) for name, arity in trace.reified.deriving if not name.startswith("-")}
    known |= {(fact.name, len(fact.arguments)) for fact in (*trace.given, *trace.rewritten.known)}
    if key not in known:
        raise UsageError(
            f"no rule and no fact has the predicate {key[0]}/{key[1]}",
            where=where,
            hint=suggestion(key, known) or "See docs/vocabulary.md, or ists-asp facts",
        )
    return AtomQuestion(text, Ground(symbol))


def _agrees(term: Ground, atom: Ground) -> bool:
    """Whether an atom is one of those that a term stands for."""
    if term == atom or str(term) == ANY:
        return True
    return (
        term.type is atom.type is SymbolType.Function
        and term.name == atom.name
        and term.positive == atom.positive
        and len(term.arguments) == len(atom.arguments)
        and all(map(_agrees, term.arguments, atom.arguments))
    )
