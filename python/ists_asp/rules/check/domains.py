"""Constants that a predicate never has: misspelt labels and tags, words not in lower case.

The domains of what comes from outside, and of what answers may hold, stand here; those of other
predicates are read off the rules: where all that derives a predicate has constants for an
argument, no other constant ever stands there.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Variable
from ists_asp.vocabulary import (
    ARGUES,
    CONTAINS,
    DIFFERS,
    FORBIDDEN_LABEL,
    FORBIDDEN_SCORE,
    LABEL,
    LABEL_WEIGHT,
    LANGUAGE,
    LEMMA,
    LICENSED,
    MULTIWORD,
    OPPOSITE,
    RELATION,
    RETAG,
    SAME_MEANING,
    SCORE,
    TAG,
    TAGGED,
    UPOS,
    WORD,
    Argument,
    all_predicates,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.rules.check.source import Atom, Checked, Read, Statement
    from ists_asp.syntax.trees import Signature
    from ists_asp.vocabulary import Predicate

_LABELS = ("equi", "oppo", "spe1", "spe2", "simi", "rel")
_UPOS = (
    *("adj", "adp", "adv", "aux", "cconj", "det", "intj", "noun", "num", "part"),
    *("pron", "propn", "punct", "sconj", "sym", "verb", "x"),
)
_KINDS = (
    *("synonym", "antonym", "hypernym", "hyponym", "cohyponym", "derivation"),
    *("similar", "part", "whole", "cause", "effect"),
)
_SIDES = ("1", "2")


class _Slot(NamedTuple):
    """An argument of a predicate."""

    key: Signature
    place: int


def _slot(predicate: Predicate, index: int) -> _Slot:
    return _Slot(predicate.signature, index)


_DECLARED: Mapping[_Slot, tuple[str, ...]] = {
    _slot(LABEL, 2): _LABELS,
    _slot(FORBIDDEN_LABEL, 2): _LABELS,
    _slot(LICENSED, 2): _LABELS,
    _slot(LABEL_WEIGHT, 2): _LABELS,
    _slot(UPOS, 2): _UPOS,
    _slot(TAGGED, 2): _UPOS,
    _slot(RETAG, 2): _UPOS,
    _slot(RELATION, 0): _KINDS,
    _slot(LANGUAGE, 0): ("en", "es"),
    _slot(DIFFERS, 2): ("fact", "pol"),
    _slot(TAG, 2): ("fact", "pol"),
    _slot(SCORE, 2): tuple("12345"),
    _slot(FORBIDDEN_SCORE, 2): tuple("1234"),
    _slot(ARGUES, 2): ("for", "against"),
    **{
        _slot(predicate, index): _SIDES
        for predicate in all_predicates()
        for index, argument in enumerate(predicate.arguments)
        if argument is Argument.SENTENCE
    },
}

_WORDS = frozenset(
    {
        *(_slot(WORD, 2), _slot(LEMMA, 2), _slot(CONTAINS, 2), _slot(MULTIWORD, 3)),
        *(_slot(table, side) for table in (SAME_MEANING, OPPOSITE) for side in (0, 1)),
    }
)
"""Where words stand: strings in lower case."""


_TABLES = frozenset({SAME_MEANING.signature, OPPOSITE.signature})


def check_domains(checked: Checked) -> Iterator[Finding]:
    """Look for constants, and variables that look like some, that cannot be there."""
    parts = checked.atoms
    derived = _derived(parts)
    words = _word_slots(parts)

    def tell(statement: Statement, atom: Atom, faults: Iterable[_Fault]) -> Iterator[Finding]:
        for found, hint in faults:
            yield checked.finding(
                Severity.WARNING,
                "domain",
                statement.path,
                atom.node,
                found,
                hint,
                statement.rule.name,
            )

    for path in checked.own:
        for statement, heads, body in parts[path]:
            for atom in (*heads, *body):
                yield from tell(statement, atom, (*_outside(atom), *_not_words(atom, words)))
            for atom in body:
                if atom.positive:
                    found = tell(statement, atom, _never(atom, derived))
                    # Shipped rules ask for what only some profiles derive.
                    yield from (one for one in found if not checked.is_others(one))


_Fault = tuple[str, str]
"""What was found, and what to do."""


def _outside(atom: Atom) -> Iterator[_Fault]:
    """What is not in a domain that is declared."""
    for index, term in enumerate(atom.arguments):
        domain = _DECLARED.get(_Slot(atom.key, index))
        if domain is None:
            continue
        if isinstance(term, Variable):
            # Somebody who writes upos(S,I,NOUN) means the tag: as a variable it is all of them.
            meant = term.lower()
            if len(term) > 1 and term.isupper() and meant in domain:
                yield f"{term} is a variable, which may be anything", f"Write {meant}"
        elif isinstance(term, Ground) and str(term) not in domain:
            found = f"{term} is never the {_ordinal(index)} argument of {_told(atom.key)}"
            yield found, _meant(str(term), domain)


def _not_words(atom: Atom, words: Collection[_Slot]) -> Iterator[_Fault]:
    """Words that no token has: not in lower case, or not in quotes."""
    for index, term in enumerate(atom.arguments):
        slot = _Slot(atom.key, index)
        if slot not in words or not isinstance(term, Ground):
            continue
        if term.type is SymbolType.String and term.string != term.string.lower():
            # The faults of tables are told with all that is wrong with their entries.
            if atom.key not in _TABLES:
                found = f"{term} matches no word: words are in lower case"
                yield found, f'Write "{term.string.lower()}"'
        elif term.type is not SymbolType.String and slot in _WORDS:
            yield f"{term} matches no word: words are strings", f'Write "{term}"'


def _never(atom: Atom, derived: Mapping[_Slot, frozenset[Ground] | None]) -> Iterator[_Fault]:
    """Constants that nothing derives."""
    for index, term in enumerate(atom.arguments):
        slot = _Slot(atom.key, index)
        known = derived.get(slot)
        if slot in _DECLARED or not known or not isinstance(term, Ground) or term in known:
            continue
        place = f"{_told(atom.key)} with {term} as its {_ordinal(index)} argument"
        yield f"no rule derives {place}", _meant(str(term), sorted(map(str, known)))


def _derived(
    parts: Mapping[Path, Sequence[Read]],
) -> Mapping[_Slot, frozenset[Ground] | None]:
    """The constants that stand in the heads of rules; None where anything may."""
    found: dict[_Slot, set[Ground] | None] = {}
    external = {predicate.signature for predicate in all_predicates()}
    for statements in parts.values():
        for statement, heads, _ in statements:
            open_ = statement.node.ast_type is not ASTType.Rule
            for atom in heads:
                for index, term in enumerate(atom.arguments):
                    slot = _Slot(atom.key, index)
                    known = found.setdefault(slot, set())
                    if open_ or not isinstance(term, Ground) or atom.key in external:
                        found[slot] = None
                    elif known is not None:
                        known.add(term)
    return {slot: None if known is None else frozenset(known) for slot, known in found.items()}


def _word_slots(
    parts: Mapping[Path, Sequence[Read]],
) -> frozenset[_Slot]:
    """Where words stand: in the given places, and in tables that rules look them up in."""
    found = set(_WORDS)
    while True:
        before = len(found)
        for statements in parts.values():
            for _, _, body in statements:
                shared = {
                    term
                    for atom in body
                    for index, term in enumerate(atom.arguments)
                    if isinstance(term, Variable) and _Slot(atom.key, index) in found
                }
                for atom in body if shared else ():
                    if atom.key.name == "token":
                        continue
                    for index, term in enumerate(atom.arguments):
                        if isinstance(term, Variable) and term in shared:
                            found.add(_Slot(atom.key, index))
        if len(found) == before:
            return frozenset(found)


def _meant(found: str, domain: Collection[str]) -> str:
    near = get_close_matches(found.strip('"').lower(), domain, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    told = ", ".join(list(domain)[:_TOLD])
    return f"It is one of {told}{', …' if len(domain) > _TOLD else ''}"


_TOLD = 12
"""Members of a domain that are told."""


def _told(key: Signature) -> str:
    return f"{key.name}/{key.arity}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"
