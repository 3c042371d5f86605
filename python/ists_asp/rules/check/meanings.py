"""What the arguments of predicates stand for, and what no rule can mean that mixes them up.

Known for the predicates of ``asp/``; for all others the rules vote, whose variables stand for
what they stand for elsewhere in the same rule. From that come the predicate that fits best in the
place of an unknown one, rules of one direction only, and rules that can never fire.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from ists_asp import vocabulary
from ists_asp.io.store import Memo
from ists_asp.rules.check.domains import MIRRORED, kind_of
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Variable
from ists_asp.syntax.trees import Signature
from ists_asp.vocabulary import EVIDENCE, TARGETS, Argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.rules.check.checked import Atom, Checked, Read
    from ists_asp.rules.check.finding import Finding
    from ists_asp.syntax.terms import Term


class Meaning(NamedTuple):
    """A kind of thing, and of which sentence: the atom's own (0), the other one (3), or any (4)."""

    kind: str
    side: int = 0


_MEANINGS: Mapping[Argument, Meaning] = {
    one: Meaning(one.name.strip("12").removeprefix("OTHER_").lower(), side)
    for one, side in zip(Argument, (0, 0, 3, 1, 2, 0, 0, 1, 2, 0), strict=True)
    if one is not Argument.VALUE
}
_ONE_VALUE = {one.signature for one in (vocabulary.WORD, vocabulary.LEMMA, vocabulary.UPOS)}
"""What a token has one of."""

_HEADS = frozenset(("pair", "link", "licensed", "alike", "forbidden_pair", "forbidden_label"))
"""What is the same of two sentences in either order, and evidence about it."""

_RELATIVE = {(own, side): 4 for own in (0, 1, 2) for side in (0, 1, 2)}
_RELATIVE |= {(1, 1): 0, (2, 2): 0, (1, 2): 3, (2, 1): 3}

_MOSTLY = 0.9
"""Votes of which an argument stands for one thing."""

_COMPANY = 5
"""How much more a predicate counts that rules for the same thing ask for."""

_NEAR, _NEARER = 0.75, 0.85
"""How like a name is that was misspelt: with as many arguments, and with others."""


class Meanings:
    """What the arguments of the predicates of all rules stand for."""

    def __init__(self, kept: Sequence[Any] = ()) -> None:
        self._known = {
            (one.signature, at): meaning
            for one in (*vocabulary.all_predicates(), *TARGETS.values())
            for at, argument in enumerate(one.arguments)
            if (meaning := _MEANINGS.get(argument) or _of_slot(one.signature, at))
        }
        # Of each predicate in a body how often it stands there for what rules derive.
        self.company: dict[str, Counter[Signature]] = defaultdict(Counter)
        for key, at, meaning in kept[0] if kept else ():
            self._known[Signature(*key), at] = Meaning(*meaning)
        for head, key, count in kept[1] if kept else ():
            self.company[head][Signature(*key)] = count

    @cached_property
    def often(self) -> Counter[Signature]:
        """How often rules ask for each predicate."""
        return sum(self.company.values(), Counter())

    @property
    def kept(self) -> list[Any]:
        """All that is known, as whatever JSON can write."""
        known = [([*key], at, [*meaning]) for (key, at), meaning in self._known.items()]
        company = [
            (head, [*key], count) for head, of in self.company.items() for key, count in of.items()
        ]
        return [known, company]

    def learn(self, every: Iterable[Read]) -> None:
        """Let rules vote about the predicates that nothing is known of."""
        reads, known = [read for read in every if read.used], dict(self._known)
        for _ in range(3):
            votes: dict[tuple[Signature, int], Counter[Meaning]] = defaultdict(Counter)
            for read in reads:
                meant = self.of_variables(read)
                for atom in (*read.derived, *read.used):
                    own = self._own(atom.key, atom.arguments)
                    for at, term in enumerate(atom.arguments):
                        if (atom.key, at) not in known:
                            for kind, side in meant.get(term, ()):
                                of = side or 4 if own is None else _RELATIVE[own, side]
                                votes[atom.key, at][Meaning(kind, of)] += 1
            self._known = {
                **known,
                **{slot: won for slot, of in votes.items() if (won := _won(of))},
            }
        for read in reads:
            for head in map(about, read.derived):
                self.company[head].update({atom.key for atom in read.used})

    def of(self, key: Signature, arguments: Sequence[Term]) -> list[Meaning | None]:
        """What the arguments of an atom stand for."""
        own = self._own(key, arguments) or 0
        sides = {0: own, 3: 3 - own if own else 0, 4: 0}
        found = [self._known.get((key, at)) for at in range(key.arity)]
        return [one and one._replace(side=sides.get(one.side, one.side)) for one in found]

    def _own(self, key: Signature, arguments: Sequence[Term]) -> int | None:
        """The sentence that an atom says that it is about, 0 for any; None if it says none."""
        if self._known.get((key, 0), Meaning("")).kind != "sentence":
            return None
        return int(str(arguments[0])) if arguments[:1] in (("1",), ("2",)) else 0

    def places(
        self, read: Read, but: Signature | None = None
    ) -> Iterator[tuple[Term, Meaning, Atom]]:
        """The terms of a rule that stand for something, but for those of one predicate."""
        for atom in (*read.derived, *read.used):
            if atom.key != but:
                inside = (one for one in atom.arguments if isinstance(one, Call))
                parts = [(one.signature, one.arguments) for one in inside if one.name in TARGETS]
                for key, arguments in ((atom.key, atom.arguments), *parts):
                    for term, meaning in zip(arguments, self.of(key, arguments), strict=True):
                        if meaning is not None:
                            yield term, meaning, atom

    def of_variables(self, read: Read, but: Signature | None = None) -> Mapping[Term, set[Meaning]]:
        """What the variables of a rule stand for."""
        found: dict[Term, set[Meaning]] = defaultdict(set)
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
                if meaning and (told := meant.get(term) or _of_ground(term))
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


def _of_slot(key: Signature, at: int) -> Meaning | None:
    kind = kind_of(key, at)
    return Meaning(kind) if kind else None


def _won(votes: Counter[Meaning]) -> Meaning | None:
    """What most votes are for, and the sentence that most of those are for that know one."""
    kinds: Counter[str] = Counter()
    sides: Counter[int] = Counter()
    for (kind, side), count in votes.items():
        kinds[kind] += count
        sides[side] += count if side != 4 else 0
    kind, count = max(kinds.items(), key=lambda one: one[1], default=("", 0))
    side, sure = max(sides.items(), key=lambda one: one[1], default=(4, 0))
    if not count or count < _MOSTLY * kinds.total():
        return None
    return Meaning(kind, side if sure and sure >= _MOSTLY * sides.total() else 4)


def _agree(one: Meaning, other: Meaning) -> bool:
    # Words may be those of both sentences, and numbers of tokens and chunks compared.
    sides = {one.side, other.side} if one.kind == "span" else ()
    return one.kind == other.kind and (len(sides) < 2 or 0 in sides)


def _of_ground(term: Term) -> set[Meaning]:
    """What a term without variables may stand for; nothing where it may be anything."""
    if isinstance(term, Call) and term.name in ("run", "gap"):
        return {Meaning("span")}
    if isinstance(term, Ground) and term.isdecimal():
        return {Meaning(one) for one in ("token", "chunk", "sentence", "score")}
    return {Meaning("word")} if isinstance(term, Ground) and term[0] == '"' else set()


def about(atom: Atom) -> str:
    """What a rule derives; of evidence what it is about."""
    first = atom.arguments[0] if atom.key == EVIDENCE.signature else None
    return first.name if isinstance(first, Call) else atom.key.name


@lru_cache(1)
def meanings_of(checked: Checked) -> Meanings:
    """What the arguments of the predicates of all rules of a check stand for."""

    def told() -> list[object]:
        others = Meanings()
        others.learn(
            read for path, of in checked.atoms.items() if path not in checked.own for _, read in of
        )
        return others.kept

    others = [file.sha256 for path, file in checked.files.items() if path not in checked.own]
    digest = sha256("".join([*others, *sorted(checked.constants)]).encode()).hexdigest()
    meanings = Meanings(Memo(checked.store, digest).recall("meanings", [], told))
    meanings.learn(read for path in checked.own for _, read in checked.atoms[path])
    return meanings


def check_meanings(checked: Checked) -> Iterator[Finding]:
    """Look for mixed up arguments, rules of one direction, and rules that can never fire."""
    meanings = meanings_of(checked)
    exchanged = {
        mark
        for path in checked.own
        for _, read in checked.atoms[path]
        for mark in _marks(meanings, read, {1: 2, 2: 1})
    }
    sizes = {(mark[0], len(mark)) for mark in exchanged}
    there = {
        mark
        for found in checked.atoms.values()
        for _, read in found
        if any((about(one), len(read.used) + 1) in sizes for one in read.derived)
        for mark in _marks(meanings, read)
    }
    for path in checked.own:
        for statement, read in checked.atoms[path]:
            name = statement.rule.name
            for atom, told, hint in _mixed(meanings, read):
                yield checked.finding("mixed", (statement, atom), told, hint, name)
            if why := _never(read):
                told, hint = f"this rule never fires: {why}", "Mend its conditions, or remove it"
                yield checked.finding("never-fires", statement, told, hint, name)
            if not there.issuperset(_marks(meanings, read, {1: 2, 2: 1})):
                told = "this rule holds in one order of the sentences only: no rule says the same "
                told += "with sentences 1 and 2 exchanged"
                hint = "Add that rule, or write this one for S and R with other(S,R)"
                yield checked.finding("one-direction", statement, told, hint, name)


def _mixed(meanings: Meanings, read: Read) -> Iterator[tuple[Atom, str, str]]:
    first: dict[Term, tuple[Meaning, Atom]] = {}
    for term, meaning, atom in meanings.places(read):
        if atom in read.derived:
            meaning = meaning._replace(side=0)
        elif not (atom.needed or atom.denied):
            # A condition may have a variable of the same name for itself.
            continue
        if not isinstance(term, Variable):
            told = {one.kind for one in _of_ground(term)}
            if told and meaning.kind not in told:
                what = f"{term} is no {meaning.kind}" if isinstance(term, Ground) else "a span is"
                yield atom, f"{what}, as {_text(atom)} has there", "See the vocabulary"
            continue
        known, where = first.setdefault(term, (meaning, atom))
        if not known.side and known.kind == meaning.kind:
            first[term] = meaning, atom
        if not _agree(known, meaning):
            chunks = {known.kind, meaning.kind} == {"chunk", "span"}
            hint = f"The span of one chunk is run({term},{term})" if chunks else "Use two variables"
            found = f"{term} is {_told(known)} in {_text(where)}, and {_told(meaning)} in "
            yield atom, f"{found}{_text(atom)}", hint


def _told(meaning: Meaning) -> str:
    return f"a {meaning.kind}" + (f" of sentence {meaning.side}" if meaning.side else "")


def _text(atom: Atom) -> str:
    return f"{atom.key.name}/{atom.key.arity}"


def _never(read: Read) -> str:
    """Why the body of a rule can never hold; empty if it may."""
    values: dict[object, Term] = {}
    denied = {one[:2] for one in read.used if one.denied and None not in one.arguments}
    for atom in (one for one in read.used if one.needed):
        if atom[:2] in denied:
            return f"it asks for {_text(atom)} and for its absence"
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


def _marks(
    meanings: Meanings, read: Read, sides: Mapping[int, int] | None = None
) -> set[tuple[str, ...]]:
    """What a rule says of heads of which the order of the sentences makes no difference.

    Variables count by what they stand for; with ``sides`` for the sentences exchanged.
    """
    heads = [one for one in read.derived if about(one) in _HEADS]
    if not read.used or any(
        MIRRORED.keys() & {*map(str, one.arguments)} - {"1", "2"} for one in heads
    ):
        return set()
    meant = meanings.of_variables(read)

    def mark(atom: Atom) -> str:
        found = []
        for term, own in zip(atom.arguments, meanings.of(atom.key, atom.arguments), strict=True):
            if (
                isinstance(term, Ground)
                and sides
                and (not term.isdecimal() or (own and own.kind == "sentence"))
            ):
                found.append(MIRRORED.get(term, term))
            elif isinstance(term, Variable):
                of = {(sides or {}).get(one.side, one.side) for one in meant.get(term, ())}
                found.append(f"V{max(of, default=0)}")
            else:
                found.append(str(term) if isinstance(term, Ground) else "")
        return f"{atom.key.name} {atom.positive} {sorted(found)}"

    body = sorted(map(mark, read.used))
    return {(about(head), *body) for head in heads}
