"""Constants that a predicate never has: misspelt labels and tags, words not in lower case.

The values of arguments that come from outside, and of what answers hold, are those of the
vocabulary; others are read off the rules: where all that derives a predicate has constants for an
argument, no other constant ever stands there.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
from clingo.ast import ASTType

from ists_asp import vocabulary as v
from ists_asp.errors import alike, suggest
from ists_asp.lang import languages
from ists_asp.rules.arguments import Atom, Read
from ists_asp.rules.check.model import Checked, Finding, Severity, Statement
from ists_asp.rules.tables import TABLES
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, Variable, is_written_number, parsed
from ists_asp.syntax.trees import STRING, Signature, reached

_Slot: TypeAlias = tuple[Signature, int]  # an argument of a predicate
_Fault: TypeAlias = tuple[str, str, str]  # the code of a finding, what was found, and what to do
_Domain: TypeAlias = "set[str] | None"  # constants, functions by their names; None for anything
_Source: TypeAlias = tuple[tuple[str, ...] | None, tuple[_Slot, ...]]
"""The constants that a term of a head may be; None for those that all these arguments have."""


class _Slots(NamedTuple):
    """Arguments by what rules say of them."""

    stated: list[tuple[_Slot, list[str]]]  # constants, whether the rules derive or ask
    heads: list[tuple[_Slot, list[_Source]]]
    same: list[tuple[_Slot, list[_Slot]]]  # those that have a variable of a body in common


LABELS = v.listed_constants()["L"]
_VALUES: Mapping[str, tuple[str, ...]] = {
    **v.listed_constants(),
    "S": ("1", "2"),
    "R": ("1", "2"),
    "Code": tuple(languages()),
    "Score": tuple("12345"),
    "LowerScore": tuple("1234"),
    "Decision": (
        *(*LABELS, "spe", "this_spe", "other_spe", "boundary", "align", "score", "rating"),
        *v.VERDICTS,
    ),
}
"""The values of arguments, by the names that comments of ``asp/`` give these."""

_DOMAINS: Mapping[_Slot, tuple[str, ...]] = {
    (predicate.signature, at): _VALUES[argument]
    for predicate in v.all_predicates()
    for at, argument in enumerate(predicate.arguments)
    if argument in _VALUES
}
_WORDS: frozenset[_Slot] = frozenset(
    (predicate.signature, at)
    for predicate in v.all_predicates()
    for at, meaning in enumerate(predicate.meanings)
    if meaning == ("word", 0)
)
_TOKEN_WORDS = frozenset(predicate.signature for predicate in (v.WORD, v.LEMMA, v.CONTAINS))
_EVIDENCE: _Slot = (v.EVIDENCE.signature, 1)
_PERCENT, _MOST = {(v.EVIDENCE.signature, 2), (Signature("alike", 4), 3)}, 100
_WEIGHTS = {(predicate.signature, 2) for predicate in v.WEIGHTS}
_NAMES = frozenset((predicate.signature, 0) for predicate in (*v.WEIGHTS, v.ARGUES, v.WORTH))
"""The arguments that are names of evidence, beside that of evidence itself."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_QUOTED = 12  # members of a domain that are quoted
_NAMED = re.compile(r",\s*([a-z]\w*)\s*\)\s*\.$")  # the last argument of a fact
_ENOUGH = 3  # constants of one sort that tell the sort of an argument
_SPELT_ALIKE = 0.8  # the least similarity of a misspelt constant


def check_constants(checked: Checked) -> Iterator[Finding]:
    """Look for constants, and variables that look like some, that cannot be there."""
    own = (atom for _, read in checked.own_reads for atom in (*read.derived, *read.used))
    asked = {_EVIDENCE, *(slot for atom in own for slot, _ in _slots(atom))}

    def slots_of(paths: Iterable[Path]) -> _Slots:
        return _slots_of(read for path in paths for _, read in checked.atoms_of(path))

    others = msgspec.convert(checked.of_others("slots", slots_of), _Slots)
    here = slots_of(checked.paths)
    derived = _derived((*others.heads, *here.heads), asked)
    same: dict[_Slot, set[_Slot]] = defaultdict(set)
    for slot, slots in (*others.same, *here.same):
        same[slot].update(slots)
    words, stated = reached(same, *_WORDS), dict(others.stated)
    # A licence may have the name of its rule.
    names = {statement.rule.name for statement, _ in checked.own_reads}
    for path in checked.paths:
        for statement, (heads, body, _) in (*checked.atoms_of(path), *_weights(checked, path)):
            for atom in (*heads, *body):
                queried = atom.positive and (atom in body or (atom.key, 0) in _NAMES)
                for code, found, hint in (
                    *_outside(atom),
                    *_not_words(atom, words),
                    *((queried and [*_underived(atom, derived)]) or _unlike(atom, stated, names)),
                ):
                    place, name = (statement, atom), statement.rule.name
                    finding = checked.finding(code, place, found, hint, name)
                    if code == "evidence" and checked.is_shipped(finding):
                        # The rule that found it has been taken away.
                        finding = replace(finding, severity=Severity.WARNING)
                    # Shipped rules ask for what only some profiles derive.
                    if not (queried and checked.is_others(finding)):
                        yield finding


def _weights(checked: Checked, path: Path) -> Iterator[tuple[Statement, Read]]:
    for (predicate, name, decision), (statement, *_) in checked.weights.get(path, {}).items():
        value = _NAMED.search(statement.rule.text)
        named = value and value[1] not in checked.constants and Ground(value[1])
        weight = Call(predicate, (parsed(name), parsed(decision), named or None))
        yield statement, Read([Atom(weight, weight.signature)], [], [])


def _slots(atom: Atom) -> list[tuple[_Slot, Term]]:
    key = atom.key
    return [((key, index), term) for index, term in enumerate(atom.arguments)]


def _outside(atom: Atom) -> Iterator[_Fault]:
    """Constants that are not in a domain of the vocabulary."""
    for slot, term in _slots(atom):
        domain = _DOMAINS.get(slot, ())
        if domain and isinstance(term, Variable):
            # upos(S,I,NOUN) means the tag: as a variable it is all of them.
            meant = term.lower()
            if len(term) > 1 and term.isupper() and meant in domain:
                yield "variable", f"{term} is a variable and matches anything", f"Write {meant}"
        elif domain and isinstance(term, Ground) and str(term) not in domain:
            found = f"{term} is never the {_ordinal(slot[1])} argument of {atom.key}"
            yield "domain", found, _meant(str(term), domain)
        elif slot in _PERCENT and is_written_number(term) and not 0 <= int(term) <= _MOST:
            found = f"{term} is no value of {atom.key.name}"
            yield "domain", found, f"Write a number from 0 to {_MOST}"
        elif slot in _WEIGHTS and isinstance(term, Ground) and not is_written_number(term):
            found = f"{term} is not a number, so that this {atom.key.name} never counts"
            yield "domain", found, f"Write a number, or define {term} by #const"


def _not_words(atom: Atom, words: Collection[_Slot]) -> Iterator[_Fault]:
    """Words that no token has: not in lower case, or not in quotes."""
    for slot, term in _slots(atom):
        if slot not in words or not isinstance(term, Ground):
            continue
        # The faults of tables are reported with everything else about their entries.
        if term[0] == '"' and term != term.lower() and atom.key not in TABLES:
            found = f"{term} matches no word: words are in lower case"
            yield "word-form", found, f"Write {term.lower()}"
        elif " " in term and atom.key in _TOKEN_WORDS:
            hint = "Ask for multiword(S,I,J,…) or entry_token(S,I,J,…)"
            yield "word-form", f"{term} matches no word: a word has no blanks", hint
        elif term[0] != '"' and slot in _WORDS:
            word = term.strip("'")
            yield "word-form", f"{term} matches no word: words are strings", f'Write "{word}"'


def _underived(atom: Atom, derived: Mapping[_Slot, _Domain]) -> Iterator[_Fault]:
    for slot, term in _slots(atom):
        domain = derived.get(_EVIDENCE if slot in _NAMES else slot)
        name = term.name if isinstance(term, Call) else term if isinstance(term, Ground) else ""
        if slot in _DOMAINS or not domain or not name or name in domain:
            continue
        hint = _meant(name, sorted(domain))
        if slot in _NAMES or slot == _EVIDENCE:
            yield "evidence", f"no rule derives evidence called {name}", hint
        else:
            place = f"{name} as its {_ordinal(slot[1])} argument"
            yield "domain", f"no rule derives {atom.key} with {place}", hint


def _slots_of(reads: Iterable[Read]) -> _Slots:
    speaks = {v.SPEAKS_FOR.signature, v.SPEAKS_AGAINST.signature}
    stated: dict[_Slot, set[str]] = defaultdict(set)
    heads: dict[_Slot, dict[_Source, None]] = defaultdict(dict, {_EVIDENCE: {}})
    same: dict[_Slot, set[_Slot]] = defaultdict(set)
    for read in reads:
        places: dict[Term, set[_Slot]] = defaultdict(set)
        for slot, term in itertools.chain.from_iterable(map(_slots, read.used)):
            if isinstance(term, Variable):
                places[term].add(slot)
            elif isinstance(term, Ground):
                stated[slot].add(str(term))
        for slots in places.values():
            others = {slot for slot in slots if slot[0].name != "token"}
            for slot in slots:
                same[slot] |= others
        for atom in read.derived:
            for slot, term in _slots(atom):
                if isinstance(term, Ground):
                    stated[slot].add(str(term))
                slot = (_EVIDENCE[0], slot[1] + 1) if atom.key in speaks else slot
                heads[slot][_source(term, read)] = None
        # Evidence that core rules ask for by name.
        worths = (atom.arguments[0] for atom in read.used if atom.key == v.WORTH.signature)
        named = (_source(term, read) for term in worths if isinstance(term, Call | Ground))
        heads[_EVIDENCE].update(dict.fromkeys(named))
    items = ([(slot, [*its]) for slot, its in part.items()] for part in (stated, heads, same))
    return _Slots(*items)


def _source(term: Term, read: Read) -> _Source:
    if isinstance(term, Ground):
        return (str(term),), ()
    if isinstance(term, Call) or term is None:
        return ((term.name,) if term and term.name.isidentifier() else None), ()
    equal = {other for name, sign, other in read.compared if name == term and sign == "="}
    if equal and all(isinstance(other, Ground) for other in equal):
        return tuple(sorted(map(str, equal))), ()
    slots = itertools.chain.from_iterable(_slots(atom) for atom in read.used if atom.needed)
    return None, tuple(at for at, other in slots if other == term and at[0] != _EVIDENCE[0])


def _sort(constant: Ground) -> str:
    plain = "a number" if is_written_number(constant) else "a name"
    return "a string" if constant[0] == '"' else plain


def _unlike(
    atom: Atom, stated: Mapping[_Slot, Sequence[str]], names: Container[str]
) -> Iterator[_Fault]:
    """Constants that no other file has there: of another sort, or spelt much like one of them."""
    for slot, term in _slots(atom):
        elsewhere = {*map(Ground, stated.get(slot, ()))}
        named = slot in _DOMAINS or slot in _NAMES or slot == _EVIDENCE
        if named or not isinstance(term, Ground) or term in elsewhere or term in names:
            continue
        place = f"the {_ordinal(slot[1])} argument of {atom.key}"
        sorts = {_sort(constant) for constant in elsewhere}
        if len(elsewhere) >= _ENOUGH and _sort(term) not in sorts and slot not in _WORDS:
            others = " or ".join(sorted(sorts))
            found = f"{term} is {_sort(term)}, and {place} is {others} elsewhere"
            hint = f"Mind the order of the arguments; {min(elsewhere)} may stand there"
            if near := _meant(term, elsewhere, ""):
                hint = near if term[0] != '"' else f"Write {term[1:-1].lower()}"
            yield "mixed", found, hint
        constants = [constant for constant in elsewhere if constant.isidentifier()]
        word = term.isidentifier() and slot[0].name not in ("retag", "xpos")  # few tags are asked
        if word and (similar := alike(term, constants, 1, _SPELT_ALIKE)):
            yield "domain", f"{term} is nowhere else {place}", f"Did you mean {similar[0]}?"


def check_shadows(checked: Checked) -> Iterator[Finding]:
    """Look for ``#const`` with a name that rules have as a constant: it would replace that."""
    others = [checked.all_by_file[path] for path in checked.files if path not in checked.paths]
    shipped = [*itertools.chain.from_iterable(others)]
    shared = {other.node.name for other in shipped if other.rule.text.startswith("#const")}
    shared = shared.union(*(program.profile.constants for program in checked.programs), LABELS)
    for statement in (item for path in checked.paths for item in checked.all_by_file[path]):
        name = statement.node.name if statement.node.ast_type is ASTType.Definition else ""
        if not name or name in shared:
            continue
        stands = re.compile(rf"(?<![\w\"']){name}(?![\w(\"'])")
        rules = (other.rule for other in shipped)
        if rule := next((r for r in rules if stands.search(STRING.sub('""', r.text))), None):
            found = f"#const {name} would replace {name} elsewhere, as at {rule.file}:{rule.line}"
            yield checked.finding("shadows", statement, found, "Choose another name", name)


def _derived(
    sources: Iterable[tuple[_Slot, Sequence[_Source]]], asked: Collection[_Slot]
) -> Mapping[_Slot, _Domain]:
    """The constants that stand in the heads of rules, or get there through variables."""
    external = {predicate.signature for predicate in v.all_predicates()} - {_EVIDENCE[0]}
    heads: dict[_Slot, list[_Source]] = defaultdict(list)
    for slot, its in sources:
        heads[slot] += its
    known = {slot for slot in heads if slot[0] not in external}
    domains: dict[_Slot, _Domain] = {slot: set() for slot in heads if slot in known & {*asked}}

    def constants(stated: Sequence[str] | None, same: Iterable[_Slot]) -> _Domain:
        """The constants that a term of a head may be."""
        if stated is not None:
            return {*stated}
        bounds = (domains.setdefault(at, set()) if at in known else None for at in same)
        # Strings and numbers may be computed, or come from anywhere.
        plain = (
            domain
            for domain in bounds
            if domain is not None and all(name[0].isalpha() or name[0] == "_" for name in domain)
        )
        return min(plain, key=len, default=None)

    before: dict[_Slot, _Domain] = {}
    while before != domains:
        before = dict(domains)
        for slot in [slot for slot, domain in domains.items() if domain is not None]:
            parts = [constants(*head) for head in heads[slot]]
            domains[slot] = None if None in parts else set[str]().union(*filter(None, parts))
    return domains


def _meant(constant: str, domain: Collection[str], more: str = ", …") -> str:
    if len(constant) == 1 and constant.islower():
        return f"Did you mean the variable {constant.upper()}?"
    quoted = ", ".join([*domain][:_QUOTED]) + (more if len(domain) > _QUOTED else "")
    return suggest(constant.strip('"').lower(), domain, more and f"It is one of {quoted}")


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"
