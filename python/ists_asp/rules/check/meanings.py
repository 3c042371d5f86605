"""What the arguments of predicates stand for, and what no rule can mean that mixes them up.

From what :mod:`~ists_asp.rules.arguments` finds come the predicate that fits best in the place of
an unknown one, rules of one direction only, and rules that can never fire.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from ists_asp import vocabulary
from ists_asp.io.store import Memo
from ists_asp.rules.arguments import Place, argument_types, placed
from ists_asp.rules.check.domains import MIRRORED
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, Variable
from ists_asp.syntax.trees import Signature
from ists_asp.vocabulary import EVIDENCE, Meaning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.rules.arguments import Atom, Meanings, Read
    from ists_asp.rules.check.checked import Checked
    from ists_asp.rules.check.finding import Finding


_SEEDS: Meanings = {
    one.signature: one.meanings
    for one in (*vocabulary.all_predicates(), *vocabulary.targets().values())
}
"""What is known of predicates: sentences, tokens, chunks, spans, and other kinds of values."""

_ONE_VALUE = {one.signature for one in (vocabulary.WORD, vocabulary.LEMMA, vocabulary.UPOS)}
"""What a token has one of."""

_HEADS = frozenset(
    ("pair", "link", "licensed", "alike", "forbidden_pair", "forbidden_label", "contrast", "means")
)
"""What is the same of two sentences in either order, and evidence about it."""

_COMPANY = 5
"""How much more a predicate counts that rules for the same thing ask for."""

_NEAR, _NEARER = 0.75, 0.85
"""How like a name is that was misspelt: with as many arguments, and with others."""


class Types:
    """What the arguments of the predicates of all rules stand for."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        others = [path for path in checked.files if path not in checked.own]
        hashes = [checked.files[path].sha256 for path in others]
        memo = Memo(checked.store, sha256("".join(hashes).encode()).hexdigest())
        constants = sorted(checked.constants)
        kept = memo.recall("meanings", constants, lambda: self._learned(others, _SEEDS))
        known = msgspec.convert(kept, dict[str, list[Meaning | None]])
        seeds = {Signature(key.partition("/")[0], len(of)): of for key, of in known.items()}
        self._known = self._learned(checked.own, {**_SEEDS, **seeds})

    def _learned(self, paths: Iterable[Path], seeds: Meanings) -> dict[str, list[Meaning | None]]:
        """What is known together with what the rules of some files tell of other predicates."""
        reads = (read for path in paths for _, read in self._checked.atoms[path])
        return argument_types(
            {str(number): read for number, read in enumerate(reads)}, seeds
        ).arguments

    @cached_property
    def company(self) -> Mapping[str, Counter[Signature]]:
        """Of each predicate in a body how often it stands there for what rules derive."""
        found: dict[str, Counter[Signature]] = defaultdict(Counter)
        for read in (read for of in self._checked.atoms.values() for _, read in of):
            for head in map(about, read.derived):
                found[head].update({atom.key for atom in read.used})
        return found

    @cached_property
    def often(self) -> Counter[Signature]:
        """How often rules ask for each predicate."""
        return sum(self.company.values(), Counter())

    def of(self, key: Signature, arguments: Sequence[Term]) -> list[Place | None]:
        """What the arguments of an atom stand for; of no sentence, 0, where none is sure."""
        found: list[Place | None] = []
        known = self._known.get(str(key)) or [None] * key.arity
        sentences = {one[1][1] for one in known if one and not isinstance(one[1], int)}
        # Where a predicate is tried in the place of another, there may be fewer than it has.
        beside = [*arguments, *[None] * key.arity]
        for at, meaning in enumerate(known):
            meaning = meaning or (("sentence", 0) if at in sentences else None)
            place = placed(meaning, beside) if meaning else None
            sure = place is not None and isinstance(place.side, int)
            found.append(place if sure or not meaning else Place(meaning[0], 0))
        return found

    def places(
        self, read: Read, but: Signature | None = None
    ) -> Iterator[tuple[Term, Place, Atom]]:
        """The terms of a rule that stand for something, but for those of one predicate."""
        targets = vocabulary.targets()
        for atom in (*read.derived, *read.used):
            if atom.key != but:
                inside = (one for one in atom.arguments if isinstance(one, Call))
                parts = [(one.signature, one.arguments) for one in inside if one.name in targets]
                for key, arguments in ((atom.key, atom.arguments), *parts):
                    for term, meaning in zip(arguments, self.of(key, arguments), strict=True):
                        if meaning is not None:
                            yield term, meaning, atom

    def of_variables(self, read: Read, but: Signature | None = None) -> Mapping[Term, set[Place]]:
        """What the variables of a rule stand for."""
        found: dict[Term, set[Place]] = defaultdict(set)
        for term, meaning, _ in self.places(read, but):
            if isinstance(term, Variable):
                found[term].add(meaning)
        return found

    def best(self, atom: Atom, read: Read, known: Iterable[tuple[str, int]]) -> Signature | None:
        """The predicate that fits best in the place of an unknown one; None if none does."""
        meant = self.of_variables(read, atom.key)
        company: Counter[Signature] = Counter()
        for one in read.derived if atom in read.used else ():
            company += self.company[about(one)]
        found = []
        for key in itertools.starmap(Signature, sorted(known)):
            agree = [
                any(one.kind == meaning.kind and {one.side, meaning.side} != {1, 2} for one in told)
                for term, meaning in zip(atom.arguments, self.of(key, atom.arguments), strict=False)
                if meaning
                and (told := meant.get(term) or {Place(one, 0) for one in _of_ground(term)})
            ]
            like = SequenceMatcher(None, atom.key.name, key.name).ratio()
            same = key.arity == atom.key.arity
            often = self.often[key] + _COMPANY * company[key]
            fits = same and len(agree) == key.arity > 0 and often > 0
            near = same and like >= _NEAR
            if all(agree) and (near or fits or like >= _NEARER):
                known_there = near and company[key] > 0
                found.append((known_there, like >= _NEARER, fits, often, like, key))
        return max(found)[-1] if found else None


def _of_ground(term: Term) -> set[str]:
    """What a term without variables may stand for; nothing where it may be anything."""
    if isinstance(term, Call) and term.name in ("run", "gap"):
        return {"span"}
    if isinstance(term, Ground) and term.isdecimal():
        return {"token", "chunk", "sentence", "score"}
    return {"word"} if isinstance(term, Ground) and term[0] == '"' else set()


def about(atom: Atom) -> str:
    """What a rule derives; of evidence what it is about."""
    first = atom.arguments[0] if atom.key == EVIDENCE.signature else None
    return first.name if isinstance(first, Call) else atom.key.name


meanings_of = lru_cache(1)(Types)
"""What the arguments of the predicates of all rules of a check stand for."""


def check_meanings(checked: Checked) -> Iterator[Finding]:
    """Look for mixed up arguments, rules of one direction, and rules that can never fire."""
    meanings = meanings_of(checked)
    exchanged = {
        id(read): _marks(meanings, read, exchanged=True)
        for path in checked.own
        for _, read in checked.atoms[path]
    }
    sizes = {(mark[0], len(mark)) for marks in exchanged.values() for mark in marks}
    there = {
        mark
        for found in checked.atoms.values()
        for _, read in found
        if any((about(one), len(read.used) + 1) in sizes for one in read.derived)
        for mark in _marks(meanings, read, exchanged=False)
    }
    for path in (path for path in checked.own if path not in checked.faulty):
        for statement, read in checked.atoms[path]:
            name = statement.rule.name
            for atom, told, hint in _mixed(meanings, read):
                yield checked.finding("mixed", (statement, atom), told, hint, name)
            if why := _never(read):
                told, hint = f"this rule never fires: {why}", "Mend its conditions, or remove it"
                yield checked.finding("never-fires", statement, told, hint, name)
            if not there.issuperset(exchanged[id(read)]):
                told = "this rule holds in one order of the sentences only: no rule says the same "
                told += "with sentences 1 and 2 exchanged"
                hint = "Add that rule, or write this one for S and R with other(S,R)"
                found = checked.finding("one-direction", statement, told, hint, name)
                # Its mirror image may be of another profile.
                if not checked.is_others(found):
                    yield found


def _mixed(meanings: Types, read: Read) -> Iterator[tuple[Atom, str, str]]:
    first: dict[Term, tuple[Place, Atom]] = {}
    for term, meaning, atom in meanings.places(read):
        if atom in read.derived:
            meaning = Place(meaning.kind, 0)
        elif not (atom.needed or atom.denied):
            # A condition may have a variable of the same name for itself.
            continue
        if not isinstance(term, Variable):
            told = _of_ground(term)
            if told and meaning.kind not in told:
                what = str(term) if isinstance(term, Ground) else "a span"
                yield (
                    atom,
                    f"{what} is no {meaning.kind}, as {atom.key} has there",
                    "See the vocabulary",
                )
            continue
        known, where = first.setdefault(term, (meaning, atom))
        if not known.side and known.kind == meaning.kind:
            first[term] = meaning, atom
        # Words may be those of both sentences, and numbers of tokens and chunks compared.
        apart = known.kind == "span" and 0 != known.side != meaning.side != 0
        if apart or known.kind != meaning.kind:
            chunks = {known.kind, meaning.kind} == {"chunk", "span"}
            hint = f"The span of one chunk is run({term},{term})" if chunks else "Use two variables"
            found = f"{term} is {_told(known)} in {where.key}, and {_told(meaning)} in "
            yield atom, f"{found}{atom.key}", hint


def _told(meaning: Place) -> str:
    return f"a {meaning.kind}" + (f" of sentence {meaning.side}" if meaning.side else "")


def _never(read: Read) -> str:
    """Why the body of a rule can never hold; empty if it may."""
    values: dict[object, Term] = {}
    denied = {one.call for one in read.used if one.denied and None not in one.arguments}
    for atom in (one for one in read.used if one.needed):
        if atom.call in denied:
            return f"it asks for {atom.key} and for its absence"
        if atom.key in _ONE_VALUE and isinstance(atom.arguments[2], Ground):
            *of, value = atom.arguments
            known = values.setdefault((atom.key, *of), value)
            if known != value and None not in of:
                return f"no token has both {known} and {value} as its {atom.key.name}"
    for one, sign, other in read.compared:
        both = isinstance(one, Ground) and isinstance(other, Ground)
        if (one == other and one and sign in ("!=", "<", ">")) or (
            both and one != other and sign == "="
        ):
            return f"{one} {sign} {other} never holds"
        name, value = (one, other) if isinstance(one, Variable) else (other, one)
        fixed = sign == "=" and isinstance(name, Variable) and isinstance(value, Ground)
        if fixed and values.setdefault(name, value) != value:
            return f"{name} cannot be both {values[name]} and {value}"
    return ""


def _marks(meanings: Types, read: Read, *, exchanged: bool) -> set[tuple[str, ...]]:
    """What a rule says, or would say with the sentences exchanged, of heads that have no order.

    Variables count by what they stand for.
    """
    heads = [one for one in read.derived if about(one) in _HEADS]
    ordered = MIRRORED.keys() - {"1", "2"}
    if not read.used or any(ordered & {*map(str, one.arguments)} for one in heads):
        return set()
    meant = meanings.of_variables(read)

    def mark(term: Term, own: Place | None) -> str:
        if isinstance(term, Variable):
            sides = {str(one.side) for one in meant.get(term, ())}
            return f"V{max(MIRRORED.get(one, one) if exchanged else one for one in sides or '0')}"
        if not isinstance(term, Ground):
            return ""
        named = not term.isdecimal() or (own is not None and own.kind == "sentence")
        return MIRRORED.get(term, term) if exchanged and named else term

    def marks(atom: Atom) -> str:
        found = sorted(map(mark, atom.arguments, meanings.of(atom.key, atom.arguments)))
        return f"{atom.key.name} {atom.positive} {found}"

    body = sorted(map(marks, read.used))
    return {(about(head), *body) for head in heads}
