"""Constants that a predicate never has: misspelt labels and tags, words not in lower case.

The domains of what comes from outside, and of what answers may hold, stand here; those of other
predicates are read off the rules: where all that derives a predicate has constants for an
argument, no other constant ever stands there.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp import vocabulary
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Variable
from ists_asp.syntax.trees import Signature

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ists_asp.rules.check.checked import Atom, Checked, Read, Statement
    from ists_asp.rules.check.finding import Finding
    from ists_asp.syntax.terms import Term

_Slot: TypeAlias = tuple[Signature, int]
"""An argument of a predicate."""

_Fault: TypeAlias = tuple[str, str]
"""What was found, and what to do."""

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

_DECLARED: Mapping[_Slot, tuple[str, ...]] = {
    (vocabulary.LABEL.signature, 2): _LABELS,
    (vocabulary.FORBIDDEN_LABEL.signature, 2): _LABELS,
    (vocabulary.LICENSED.signature, 2): _LABELS,
    (vocabulary.LABEL_WEIGHT.signature, 2): _LABELS,
    (vocabulary.UPOS.signature, 2): _UPOS,
    (vocabulary.TAGGED.signature, 2): _UPOS,
    (vocabulary.RETAG.signature, 2): _UPOS,
    (vocabulary.RELATION.signature, 0): _KINDS,
    (vocabulary.LANGUAGE.signature, 0): ("en", "es"),
    (vocabulary.DIFFERS.signature, 2): ("fact", "pol"),
    (vocabulary.TAG.signature, 2): ("fact", "pol"),
    (vocabulary.SCORE.signature, 2): tuple("12345"),
    (vocabulary.FORBIDDEN_SCORE.signature, 2): tuple("1234"),
    (vocabulary.ARGUES.signature, 2): ("for", "against"),
    **{
        (predicate.signature, index): _SIDES
        for predicate in vocabulary.all_predicates()
        for index, argument in enumerate(predicate.arguments)
        if argument is vocabulary.Argument.SENTENCE
    },
}

_TABLES = frozenset({vocabulary.SAME_MEANING.signature, vocabulary.OPPOSITE.signature})
_WORDS: frozenset[_Slot] = frozenset(
    {
        (vocabulary.WORD.signature, 2),
        (vocabulary.LEMMA.signature, 2),
        (vocabulary.CONTAINS.signature, 2),
        (vocabulary.MULTIWORD.signature, 3),
    }
    | {(table, side) for table in _TABLES for side in (0, 1)}
)
"""Where words stand: strings in lower case."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")

_TOLD = 12
"""Members of a domain that are told."""


def check_domains(checked: Checked) -> Iterator[Finding]:
    """Look for constants, and variables that look like some, that cannot be there."""
    every = [read for found in checked.atoms.values() for read in found]
    derived = _derived(every)
    words = _word_slots(read for _, read in every)
    for path in checked.own:
        for statement, (heads, body) in checked.atoms[path]:
            name = statement.rule.name
            for atom in (*heads, *body):
                for fault in (*_outside(atom), *_not_words(atom, words)):
                    yield checked.finding("domain", atom.node, *fault, name)
            for atom in body:
                for fault in _never(atom, derived) if atom.positive else ():
                    found = checked.finding("domain", atom.node, *fault, name)
                    # Shipped rules ask for what only some profiles derive.
                    if not checked.is_others(found):
                        yield found


def _slots(atom: Atom) -> Iterator[tuple[_Slot, Term]]:
    """The arguments of an atom, each with where it stands."""
    for index, term in enumerate(atom.arguments):
        yield (atom.key, index), term


def _outside(atom: Atom) -> Iterator[_Fault]:
    """What is not in a domain that is declared."""
    for slot, term in _slots(atom):
        domain = _DECLARED.get(slot, ())
        if domain and isinstance(term, Variable):
            # Somebody who writes upos(S,I,NOUN) means the tag: as a variable it is all of them.
            meant = term.lower()
            if len(term) > 1 and term.isupper() and meant in domain:
                yield f"{term} is a variable, which may be anything", f"Write {meant}"
        elif domain and isinstance(term, Ground) and str(term) not in domain:
            place = f"{_ordinal(slot[1])} argument of {atom.key.name}/{atom.key.arity}"
            yield f"{term} is never the {place}", _meant(str(term), domain)


def _not_words(atom: Atom, words: Collection[_Slot]) -> Iterator[_Fault]:
    """Words that no token has: not in lower case, or not in quotes."""
    for slot, term in _slots(atom):
        if slot not in words or not isinstance(term, Ground):
            continue
        if term.type is SymbolType.String and term.string != term.string.lower():
            # The faults of tables are told with all that is wrong with their entries.
            if atom.key not in _TABLES:
                found = f"{term} matches no word: words are in lower case"
                yield found, f'Write "{term.string.lower()}"'
        elif term.type is not SymbolType.String and slot in _WORDS:
            yield f"{term} matches no word: words are strings", f'Write "{term}"'


def _never(atom: Atom, derived: Mapping[_Slot, set[Ground] | None]) -> Iterator[_Fault]:
    """Constants that nothing derives."""
    for slot, term in _slots(atom):
        known = derived.get(slot)
        if slot in _DECLARED or not known or not isinstance(term, Ground) or term in known:
            continue
        place = f"{atom.key.name}/{atom.key.arity} with {term} as its {_ordinal(slot[1])} argument"
        yield f"no rule derives {place}", _meant(str(term), sorted(map(str, known)))


def _derived(every: Iterable[tuple[Statement, Read]]) -> Mapping[_Slot, set[Ground] | None]:
    """The constants that stand in the heads of rules; None where anything may."""
    found: dict[_Slot, set[Ground] | None] = {}
    external = {predicate.signature for predicate in vocabulary.all_predicates()}
    for statement, (heads, _) in every:
        open_ = statement.node.ast_type is not ASTType.Rule
        for atom in heads:
            for slot, term in _slots(atom):
                known = found.setdefault(slot, set())
                if open_ or not isinstance(term, Ground) or atom.key in external:
                    found[slot] = None
                elif known is not None:
                    known.add(term)
    return found


def _word_slots(every: Iterable[Read]) -> frozenset[_Slot]:
    """Where words stand: in the given places, and in tables that rules look them up in."""
    bodies = [
        [(slot, term) for atom in body for slot, term in _slots(atom) if isinstance(term, Variable)]
        for _, body in every
    ]
    found = set(_WORDS)
    before = 0
    while len(found) > before:
        before = len(found)
        for body in bodies:
            shared = {term for slot, term in body if slot in found}
            found |= {slot for slot, term in body if term in shared and slot[0].name != "token"}
    return frozenset(found)


def _meant(found: str, domain: Collection[str]) -> str:
    near = get_close_matches(found.strip('"').lower(), domain, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    told = ", ".join(list(domain)[:_TOLD])
    return f"It is one of {told}{', …' if len(domain) > _TOLD else ''}"


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"
