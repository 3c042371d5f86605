"""Constants that a predicate never has: misspelt labels and tags, words not in lower case.

The domains of what comes from outside, and of what answers may hold, stand here; those of other
predicates are read off the rules: where all that derives a predicate has constants for an
argument, no other constant ever stands there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from ists_asp import vocabulary
from ists_asp.lang import languages
from ists_asp.rules.arguments import Atom, Read
from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.tables import TABLES
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, Variable, parsed
from ists_asp.syntax.trees import Signature
from ists_asp.vocabulary import ARGUES, EVIDENCE, WEIGHTS, WORTH, all_predicates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ists_asp.rules.check.checked import Checked

_Slot: TypeAlias = tuple[Signature, int]
"""An argument of a predicate."""

_Fault: TypeAlias = tuple[str, str, str]
"""Of what kind it is, what was found, and what to do."""

_Domain: TypeAlias = "set[str] | None"
"""What an argument may be; functions by their names."""

LABELS = ("equi", "oppo", "spe1", "spe2", "simi", "rel")
_UPOS = (
    *("adj", "adp", "adv", "aux", "cconj", "det", "intj", "noun", "num", "part"),
    *("pron", "propn", "punct", "sconj", "sym", "verb", "x"),
)
RELATIONS = (
    *("synonym", "antonym", "hypernym", "hyponym", "cohyponym", "derivation"),
    *("similar", "part", "whole", "cause", "effect"),
)
CLASSES = (
    *("age", "animal", "body", "building", "city", "clothing", "colour", "communication"),
    *("container", "country", "device", "disease", "drink", "food", "furniture", "instrument"),
    *("language", "material", "money", "month", "motion", "number", "organization", "person"),
    *("place", "plant", "posture", "size", "sport", "time", "vehicle", "water", "weapon"),
    *("weather", "weekday"),
)
"""The broad classes that the lexicon knows."""

_DECISIONS = (*LABELS, "spe", "this_spe", "other_spe", "boundary", "align", "score", "rating")

MIRRORED = {"1": "2", "spe1": "spe2", "hypernym": "hyponym", "place_in": "place_of"}
MIRRORED |= {"part": "whole", "cause": "effect"}
MIRRORED |= {other: one for one, other in MIRRORED.items()}
"""What becomes what where the sentences are exchanged."""

_BY_NAME: Mapping[str, tuple[str, ...]] = {
    "S": ("1", "2"),
    "R": ("1", "2"),
    "L": LABELS,
    "Upos": _UPOS,
    "Relation": RELATIONS,
    "Class": CLASSES,
    "Code": tuple(languages()),
    "Aspect": ("fact", "pol"),
    "Score": tuple("12345"),
    "LowerScore": tuple("1234"),
    "Sense": ("for", "against"),
    "Decision": (*_DECISIONS, *vocabulary.VERDICTS),
}
"""The values of arguments, by the names that comments give these."""

_DOMAINS: Mapping[_Slot, tuple[str, ...]] = {
    (one.signature, at): _BY_NAME[argument]
    for one in all_predicates()
    for at, argument in enumerate(one.arguments)
    if argument in _BY_NAME
}

_NAMES = frozenset((one.signature, 0) for one in (*WEIGHTS, ARGUES, WORTH))
"""Where the names of evidence stand, beside evidence itself."""

_EVIDENCE: _Slot = (EVIDENCE.signature, 1)

_WORDS: frozenset[_Slot] = frozenset(
    (one.signature, at)
    for one in all_predicates()
    for at, meaning in enumerate(one.meanings)
    if meaning == ("word", 0)
)
"""Where words stand: strings in lower case."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")

_TOLD = 12
"""Members of a domain that are told."""


_NEAR = 0.8
"""How like a constant is that was misspelt."""


def check_domains(checked: Checked) -> Iterator[Finding]:
    """Look for constants, and variables that look like some, that cannot be there."""
    every = [read for found in checked.atoms.values() for read in found]
    derived = _derived(read for _, read in every)
    words = _word_slots(read for _, read in every)
    stated = _stated(checked)
    for path in checked.own:
        weighed = [
            (one, Read([Atom(Call(predicate, (parsed(name), parsed(decision), None)))], [], []))
            for (predicate, name, decision), (one, *_) in checked.weights.get(path, {}).items()
        ]
        for statement, (heads, body, _) in (*checked.atoms[path], *weighed):
            for atom in (*heads, *body):
                asked = atom.positive and (atom in body or atom.key in dict(_NAMES))
                for kind, told, hint in (
                    *_outside(atom),
                    *_not_words(atom, words),
                    *((asked and [*_never(atom, derived)]) or _unlike(atom, stated)),
                ):
                    name = statement.rule.name
                    found = checked.finding(kind, (statement, atom), told, hint, name)
                    if kind == "evidence" and checked.is_shipped(found):
                        # The rule that found it has been taken away.
                        found = replace(found, severity=Severity.WARNING)
                    # Shipped rules ask for what only some profiles derive.
                    if not (asked and checked.is_others(found)):
                        yield found


def _slots(atom: Atom) -> Iterator[tuple[_Slot, Term]]:
    """The arguments of an atom, each with where it stands."""
    for index, term in enumerate(atom.arguments):
        yield (atom.key, index), term


def _outside(atom: Atom) -> Iterator[_Fault]:
    """What is not in a domain that is declared."""
    for slot, term in _slots(atom):
        domain = _DOMAINS.get(slot, ())
        if domain and isinstance(term, Variable):
            # Somebody who writes upos(S,I,NOUN) means the tag: as a variable it is all of them.
            meant = term.lower()
            if len(term) > 1 and term.isupper() and meant in domain:
                found = f"{term} is a variable, which may be anything"
                yield "variable", found, f"Write {meant}"
        elif domain and isinstance(term, Ground) and str(term) not in domain:
            place = f"{_ordinal(slot[1])} argument of {atom.key}"
            yield "domain", f"{term} is never the {place}", _meant(str(term), domain)


def _not_words(atom: Atom, words: Collection[_Slot]) -> Iterator[_Fault]:
    """Words that no token has: not in lower case, or not in quotes."""
    for slot, term in _slots(atom):
        if slot not in words or not isinstance(term, Ground):
            continue
        if term[0] == '"' and term != term.lower():
            # The faults of tables are told with all that is wrong with their entries.
            if atom.key not in TABLES:
                found = f"{term} matches no word: words are in lower case"
                yield "word-form", found, f"Write {term.lower()}"
        elif term[0] != '"' and slot in _WORDS:
            yield "word-form", f"{term} matches no word: words are strings", f'Write "{term}"'


def _never(atom: Atom, derived: Mapping[_Slot, _Domain]) -> Iterator[_Fault]:
    """Constants that nothing derives."""
    for slot, term in _slots(atom):
        known = derived.get(_EVIDENCE if slot in _NAMES else slot)
        one = term.name if isinstance(term, Call) else term if isinstance(term, Ground) else ""
        if slot in _DOMAINS or not known or not one or one in known:
            continue
        hint = _meant(one, sorted(known))
        if slot in _NAMES or slot == _EVIDENCE:
            yield "evidence", f"no rule finds evidence called {one}", hint
        else:
            place = f"{one} as its {_ordinal(slot[1])} argument"
            yield "domain", f"no rule derives {atom.key} with {place}", hint


def _stated(checked: Checked) -> Mapping[_Slot, set[str]]:
    """The constants that other files than those asked about have, whether they derive or ask."""
    found: dict[_Slot, set[str]] = defaultdict(set)
    others = chain.from_iterable(checked.atoms[path] for path in checked.files.keys() - checked.own)
    for _, read in others:
        for atom in (*read.derived, *read.used):
            for slot, term in _slots(atom):
                if isinstance(term, Ground) and term.isidentifier():
                    found[slot].add(term)
    return found


def _unlike(atom: Atom, stated: Mapping[_Slot, set[str]]) -> Iterator[_Fault]:
    """Constants that no other file has there, but one that is written much like it."""
    for slot, term in _slots(atom):
        known = stated.get(slot, set())
        plain = isinstance(term, Ground) and term.isidentifier() and slot not in _DOMAINS
        if plain and term not in known and slot not in _NAMES and slot != _EVIDENCE:
            near = get_close_matches(str(term), known, 1, _NEAR)
            if near:
                found = f"{term} is nowhere else the {_ordinal(slot[1])} argument of {atom.key}"
                yield "domain", found, f"Did you mean {near[0]}?"


def _derived(every: Iterable[Read]) -> Mapping[_Slot, _Domain]:
    """The constants that stand in the heads of rules, or come there; None where anything may."""
    external = {one.signature for one in all_predicates()} - {_EVIDENCE[0]}
    heads: dict[_Slot, list[tuple[Term, Read]]] = defaultdict(list)
    for read in every:
        for atom in read.derived:
            for slot, term in _slots(atom):
                if atom.key[0] in ("speaks_for", "speaks_against"):
                    slot = (_EVIDENCE[0], slot[1] + 1)
                heads[slot].append((term, read))
        # What core rules ask for by name.
        worth = (atom.arguments[0] for atom in read.used if atom.key == WORTH.signature)
        heads[_EVIDENCE] += [(term, read) for term in worth if isinstance(term, Call | Ground)]
    found: dict[_Slot, _Domain] = {slot: set() for slot in heads if slot[0] not in external}

    def held(term: Term, read: Read) -> _Domain:
        """The constants that a term of a head may be."""
        if isinstance(term, Call):
            return {term.name} if term.name.isidentifier() else None
        if isinstance(term, Ground):
            return {term}
        if term is None:
            return None
        equal = {two for one, sign, two in read.compared if one == term and sign == "="}
        if equal and all(isinstance(two, Ground) for two in equal):
            return {str(two) for two in equal}
        slots = (pair for atom in read.used if atom.needed for pair in _slots(atom))
        asked = (found.get(slot) for slot, one in slots if one == term and slot[0] != _EVIDENCE[0])
        # Strings and numbers may be computed, or come from anywhere.
        plain = (
            one
            for one in asked
            if one is not None and all(name[0].isalpha() or name[0] == "_" for name in one)
        )
        return min(plain, key=len, default=None)

    before: dict[_Slot, _Domain] = {}
    while before != found:
        before = dict(found)
        for slot in [slot for slot, known in found.items() if known is not None]:
            parts = [held(*head) for head in heads[slot]]
            found[slot] = None if None in parts else set[str]().union(*filter(None, parts))
    return found


def _word_slots(every: Iterable[Read]) -> frozenset[_Slot]:
    """Where words stand: in the given places, and in tables that rules look them up in."""
    bodies = [[pair for atom in one.used for pair in _slots(atom)] for one in every]
    found = set(_WORDS)
    before = 0
    while len(found) > before:
        before = len(found)
        for body in bodies:
            shared = {one for slot, one in body if slot in found and isinstance(one, Variable)}
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
