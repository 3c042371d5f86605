"""Arguments that are mixed up, conditions that contradict, sums and sets that reach too far.

What an argument stands for is known from the vocabulary, and variables pass it on from rule to rule
(:mod:`~ists_asp.rules.arguments`). From that comes also the predicate that fits best in the place
of an unknown one.
"""

from __future__ import annotations

import itertools
import re
from collections import ChainMap, Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

import msgspec
from clingo.ast import AST, AggregateFunction, ASTType, Sign

from ists_asp import vocabulary as v
from ists_asp.errors import LONGEST_NAME, MOST
from ists_asp.rules.arguments import Atom, Meanings, Place, Read, argument_types, placed
from ists_asp.rules.check.domains import LABELS
from ists_asp.rules.check.model import Checked, Finding, Statement
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, Variable, is_written_number, written
from ists_asp.syntax.trees import (
    STRING,
    Signature,
    derives_atom,
    is_atom,
    reached,
    variable_names,
    walk,
)
from ists_asp.vocabulary import Meaning

_LONG = re.compile(r"(?<![\w'])[A-Z][\w']+")  # variables of more than a letter
_VARIABLE = re.compile(r"(?<![\w\"'])_*[A-Z][\w']*")
_SUMS = (AggregateFunction.Sum, AggregateFunction.SumPlus)
_NOTHING = {AggregateFunction.Max: ("#inf", 0), AggregateFunction.Min: ("#sup", 100)}
_SEEDS: Meanings = {
    predicate.signature: predicate.meanings
    for predicate in (*v.all_predicates(), *v.targets().values())
}

MIRRORED = {"1": "2", "spe1": "spe2", "hypernym": "hyponym", "place_in": "place_of"}
MIRRORED |= {"part": "whole", "cause": "effect"}
MIRRORED |= {other: value for value, other in MIRRORED.items()}
"""Constants, and what they become where the sentences are exchanged."""

_ONE_VALUE = {entry.signature for entry in (v.WORD, v.LEMMA, v.UPOS)}  # a token has one of each
_HOLDS = {"=": eq, "!=": ne, "<": lt, ">": gt, "<=": le, ">=": ge}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_CUTS = (str(v.MUST_SPLIT), str(v.MUST_JOIN), f"{v.EVIDENCE} about boundary")  # decide on chunks
_PLAIN = {Variable, Ground}  # what is compared as it stands
_TRIED = 50_000  # values of the variables of a rule that are tried
_UNORDERED = frozenset(
    ("pair", "link", "licensed", "alike", "forbidden_pair", "forbidden_label", "contrast", "means")
)
"""Predicates that hold in either order of the sentences, and targets of evidence."""

_NAMED = frozenset(("sentence", "token", "word"))
"""The kinds of arguments that the comments of all rule files tell by their names."""

_SIMILAR, _VERY_SIMILAR = 0.75, 0.85  # of misspelt predicates of the same arity, and of another
_COMPANY = 5  # how much more a predicate counts that rules for the same thing ask for


class Types:
    """The kinds of the arguments of all predicates."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        stored = checked.of_others("meanings", lambda paths: self._learned(paths, _SEEDS))
        learned = msgspec.convert(stored, dict[str, list[Meaning | None]])
        seeds = {Signature(key.partition("/")[0], len(of)): of for key, of in learned.items()}
        self._known = self._learned(checked.paths, {**_SEEDS, **seeds})

    def _learned(self, paths: Iterable[Path], seeds: Meanings) -> dict[str, list[Meaning | None]]:
        """The seeds, and what rules and comments of some files say of other predicates."""
        paths = [*paths]
        reads = (read for path in paths for _, read in self._checked.atoms_of(path))
        numbered = {str(number): read for number, read in enumerate(reads)}
        learned = argument_types(numbered, seeds).arguments
        texts = (self._checked.text(path).text for path in paths)
        for doc in (doc for text in texts for doc in v.documented(text)):
            meanings = v.meanings(v.signature_parts(doc.signature)[1])
            # Other letters, which asp/ has for chunks, spans and labels, stand for anything here.
            meanings = [kind if kind and kind[0] in _NAMED else None for kind in meanings]
            pairs = zip(learned.get(doc.name) or [None] * len(meanings), meanings, strict=True)
            learned[doc.name] = [inferred or documented for inferred, documented in pairs]
        return learned

    @cached_property
    def written(self) -> Mapping[str, str]:
        """The documented predicates as their comments have them, with names for the arguments."""
        texts = (self._checked.text(path).text for path in self._checked.files)
        return {doc.name: doc.signature for text in texts for doc in v.documented(text)}

    @cached_property
    def company(self) -> Mapping[str, Counter[Signature]]:
        """How often each predicate stands in a body, by what the rules derive."""
        counts: dict[str, Counter[Signature]] = defaultdict(Counter)
        for _, read in self._checked.reads:
            for head in map(_about, read.derived):
                counts[head].update({atom.key for atom in read.used})
        return counts

    @cached_property
    def often(self) -> Counter[Signature]:
        """How often rules ask for each predicate."""
        return sum(self.company.values(), Counter())

    def of(self, key: Signature, arguments: Sequence[Term]) -> list[Place | None]:
        """The kinds of the arguments of an atom; of no sentence, 0, where that is unsure."""
        meanings = self._known.get(str(key)) or [None] * key.arity
        sentences = {kind[1][1] for kind in meanings if kind and not isinstance(kind[1], int)}
        # A predicate that is tried in the place of another may have more arguments than this has.
        filled = [*arguments, *[None] * key.arity]
        places: list[Place | None] = []
        for index, meaning in enumerate(meanings):
            meaning = meaning or (("sentence", 0) if index in sentences else None)
            place = placed(meaning, filled) if meaning else None
            sure = place is not None and isinstance(place.side, int)
            places.append(place if sure or not meaning else Place(meaning[0], 0))
        return places

    def places(
        self, read: Read, but: Signature | None = None
    ) -> Iterator[tuple[Term, Place, Atom]]:
        """The terms of a rule that stand for something, but for those of one predicate."""
        targets = v.targets()
        for atom in (atom for atom in (*read.derived, *read.used) if atom.key != but):
            calls = (term for term in atom.arguments if isinstance(term, Call))
            inside = ((call.signature, call.arguments) for call in calls if call.name in targets)
            for key, arguments in ((atom.key, atom.arguments), *inside):
                for term, place in zip(arguments, self.of(key, arguments), strict=True):
                    if place is not None:
                        yield term, place, atom

    def of_variables(self, read: Read, but: Signature | None = None) -> Mapping[Term, set[Place]]:
        """The kinds of the variables of a rule."""
        places: dict[Term, set[Place]] = defaultdict(set)
        for term, place, _ in self.places(read, but):
            if isinstance(term, Variable):
                places[term].add(place)
        return places

    def best(self, atom: Atom, read: Read, keys: Iterable[tuple[str, int]]) -> Signature | None:
        """The predicate that fits best in the place of an unknown one; None if none does."""
        meant = self.of_variables(read, atom.key)
        company: Counter[Signature] = Counter()
        for head in read.derived if atom in read.used else ():
            company += self.company[_about(head)]
        candidates = []
        for key in itertools.starmap(Signature, sorted(keys)):
            agree = [
                any(place.kind == kin.kind and {place.side, kin.side} != {1, 2} for kin in others)
                for term, place in zip(atom.arguments, self.of(key, atom.arguments), strict=False)
                if place
                and (others := meant.get(term) or {Place(kind, 0) for kind in _ground_kinds(term)})
            ]
            like = likeness(atom.key.name, key.name)
            same = key.arity == atom.key.arity
            often = self.often[key] + _COMPANY * company[key]
            fits = same and len(agree) == key.arity > 0 and often > 0
            near = like >= (_SIMILAR if same else _VERY_SIMILAR)
            if all(agree) and (near or fits):
                together = near and same and company[key] > 0
                candidates.append((together, near, fits, often, like, key))
        return max(candidates)[-1] if candidates else None


def likeness(name: str, other: str) -> float:
    """The similarity of two names, 0 to 1, also with the words of each in order."""
    both = name[:LONGEST_NAME], other[:LONGEST_NAME]
    pairs = both, ["_".join(sorted(part.split("_"))) for part in both]
    return max(SequenceMatcher(None, *pair).ratio() for pair in pairs)


types_of = lru_cache(1)(Types)  # the kinds of the arguments of all predicates of a check


def _ground_kinds(term: Term) -> set[str]:
    """The kinds that a term without variables may have; empty for any."""
    if isinstance(term, Call) and term.name in ("run", "gap"):
        return {"span"}
    if isinstance(term, Ground) and term.isdecimal():
        return {"token", "chunk", "sentence", "score"}
    return {"word"} if isinstance(term, Ground) and term[0] == '"' else set()


def _about(atom: Atom) -> str:
    """The name of what a rule derives; of evidence, of what that is about."""
    first = atom.arguments[0] if atom.key == v.EVIDENCE.signature else None
    return first.name if isinstance(first, Call) else atom.key.name


def check_meanings(checked: Checked) -> Iterator[Finding]:
    """Look for mixed up arguments, rules of one direction, and rules that can never fire."""
    types = types_of(checked)
    mirrored = {id(read): _marks(types, read, exchanged=True) for _, read in checked.own_reads}
    sizes = {(mark[0], len(mark)) for marks in mirrored.values() for mark in marks}
    stated = {
        mark
        # A run does not tell of rules of one direction.
        for _, read in (() if checked.runs else checked.reads)
        if any((_about(head), len(read.used) + 1) in sizes for head in read.derived)
        for mark in _marks(types, read, exchanged=False)
    }
    for path in (path for path in checked.paths if path not in checked.faulty):
        faults = [_never(read) for _, read in checked.atoms_of(path)]
        rules = [*zip(checked.atoms_of(path), faults, strict=True)]
        # Of a statement with pools, some alternatives may be meant to hold nowhere.
        fires = {id(statement) for (statement, _), why in rules if not why}
        for (statement, read), why in rules:
            name = statement.rule.name
            for atom, found, hint in _mixed(types, read):
                yield checked.finding("mixed", (statement, atom), found, hint, name)
            if why and id(statement) not in fires:
                found, hint = f"this rule never fires: {why}", "Correct or remove it"
                yield checked.finding("never-fires", statement, found, hint, name)
            if not stated.issuperset(mirrored[id(read)]):
                found = "this rule is one-directional: no rule says the same with sentences 1 and "
                found += "2 exchanged"
                hint = "Add that rule, or write this one for S and R with other(S,R)"
                finding = checked.finding("one-direction", statement, found, hint, name)
                # Its mirror image may be of another profile.
                if not checked.is_others(finding):
                    yield finding


def check_sums(checked: Checked) -> Iterator[Finding]:
    """Look for what keeps alignments from being weighed, or forbidden, before the search.

    What that rests on may not be chosen, nor rest on it or its own absence: clingo never ends.
    """

    def edges(paths: Iterable[Path]) -> list[tuple[str, str]]:
        reads = (read for path in paths for _, read in checked.atoms_of(path))
        both = ((map(_node, read.derived), map(_node, read.used)) for read in reads)
        return [*dict.fromkeys(edge for sides in both for edge in itertools.product(*sides))]

    below, above = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for head, part in (*checked.of_others("edges", edges), *edges(checked.paths)):
        below[head].add(part)
        above[part].add(head)
    weighed, leads_to = (reached(edges, str(v.ALIGN_WEIGHT)) for edges in (below, above))
    viable, viably = (reached(edges, str(v.VIABLE)) for edges in (below, above))
    parts = ("the sums of evidence rest on", weighed, leads_to)
    others = ("which pairs are viable rests on", viable, viably)
    for statement, read in checked.own_reads:
        heads, body = sorted({*map(_node, read.derived)}), read.used
        for (text, rests_on, above_it), head in itertools.product((parts, others), heads):
            if head not in rests_on:
                continue
            found, hint = f"{text} {head}", "Derive it from facts, or prefer, :~ … [N@4]"
            denied = {_node(atom) for atom in body if atom.denied}
            if circle := sorted(above_it.intersection(map(_node, body))):
                found += f", and that on {circle[0]}: a circle"
                hint = "Ask for proposed(X,Y) and span_token(S,X,I), or find evidence on link(X,Y)"
                hint = "Ask for words and tags instead" if head in _CUTS else hint
            elif head not in weighed and (circle := sorted(reached(above, head) & denied)):
                found += f", and that on the absence of {circle[0]}, which rests on it: a circle"
            elif not derives_atom(statement.node):
                found += ", which is chosen here, and must be known before anything is chosen"
            else:
                continue
            yield checked.finding("sums", statement, found, hint, statement.rule.name)
            break


def _node(atom: Atom) -> str:
    """A predicate; of evidence, with what that is about, for each target has sums of its own."""
    about = f" about {_about(atom)}" if atom.key == v.EVIDENCE.signature else ""
    return f"{atom.key}{about}"


def _mixed(types: Types, read: Read) -> Iterator[tuple[Atom, str, str]]:
    """Terms that stand for two things: the atom, what was found, and what to do."""
    first: dict[Term, tuple[Place, Atom]] = {}
    for term, place, atom in types.places(read):
        if atom in read.derived:
            place = Place(place.kind, 0)
        elif not (atom.needed or atom.denied):
            # A condition may have a variable of the same name for itself.
            continue
        if not isinstance(term, Variable):
            kinds = _ground_kinds(term)
            if kinds and place.kind not in kinds:
                term_name = str(term) if isinstance(term, Ground) else "a span"
                found = f"{term_name} is not a {place.kind}, which {atom.key} has there"
                chunk = place.kind == "span" and "chunk" in kinds
                run = f"The span of one chunk is run({term},{term})" if chunk else ""
                yield atom, found, run or "See the vocabulary"
            continue
        earlier, other = first.setdefault(term, (place, atom))
        if not earlier.side and earlier.kind == place.kind:
            first[term] = place, atom
        # Words may be those of both sentences, and numbers of tokens and chunks compared.
        apart = earlier.kind == "span" and 0 != earlier.side != place.side != 0
        if apart or earlier.kind != place.kind:
            chunks = {earlier.kind, place.kind} == {"chunk", "span"}
            hint = f"The span of one chunk is run({term},{term})" if chunks else "Use two variables"
            if not (apart or chunks):
                names = (str(mixed.key) for mixed in (other, atom))
                written = (types.written.get(name, name) for name in names)
                hint += f", or mind the order: {' and '.join(written)}"
            found = f"{term} is {_described(earlier)} in {other.key}, and {_described(place)} in "
            yield atom, f"{found}{atom.key}", hint
    for left, operator, right in read.compared:
        for term, number in ((left, right), (right, left)):
            if is_written_number(number) and term in first and first[term][0].kind == "word":
                atom = first[term][1]
                comparison = f"{left} {operator} {right} compares no numbers"
                found = f"{term} is a string in {atom.key}, and {comparison}"
                yield atom, found, f'Write "{number}", or take the number from amount(S,I,J,V,Z)'


def _described(place: Place) -> str:
    return f"a {place.kind}" + (f" of sentence {place.side}" if place.side else "")


def _never(read: Read) -> str:
    """Why the body of a rule can never hold; empty if it may."""
    values: dict[object, Term] = {}
    denied = {atom.call for atom in read.used if atom.denied and None not in atom.arguments}
    for atom in (atom for atom in read.used if atom.needed):
        if atom.call in denied:
            return f"it requires {atom.key} and its absence"
        if atom.key in _ONE_VALUE and isinstance(atom.arguments[2], Ground):
            *token, value = atom.arguments
            earlier = values.setdefault((atom.key, *token), value)
            if earlier != value and None not in token:
                return f"no token has both {earlier} and {value} as its {atom.key.name}"
    plain = (comparison for comparison in read.compared if {*map(type, comparison[::2])} <= _PLAIN)
    compared = [comparison for comparison in plain if comparison[1] in _HOLDS]
    if _may_hold(compared):
        return ""
    for comparison in compared:
        others = [other for other in compared if other is not comparison]
        compared = compared if _may_hold(others) else others
    return f"{', '.join(' '.join(map(str, terms)) for terms in compared)} never holds"


def _may_hold(compared: Sequence[tuple[Term, str, Term]]) -> bool:
    """Whether variables have values for which plain comparisons hold."""
    terms = {term for left, _, right in compared for term in (left, right)}
    names = [term for term in terms if isinstance(term, Variable)]
    # What is no number is greater than all numbers, but for the least of all terms.
    others = sorted(terms.difference(names), key=lambda term: (str(term) == "#sup", str(term)))
    numbers = {
        term: int(term)
        if is_written_number(term)
        else 2 * MOST * (-1 if str(term) == "#inf" else rank)
        for rank, term in enumerate(others, 1)
    }
    offsets = range(-len(names), len(names) + 1)
    tried = {number + offset for number in (0, *numbers.values()) for offset in offsets}
    return len(tried) ** len(names) > _TRIED or any(
        all(_HOLDS[sign](assigned[left], assigned[right]) for left, sign, right in compared)
        for values in itertools.product(tried, repeat=len(names))
        for assigned in [dict(zip([*numbers, *names], [*numbers.values(), *values], strict=True))]
    )


def _marks(types: Types, read: Read, *, exchanged: bool) -> set[tuple[str, ...]]:
    """A rule in a form that can be compared; variables count by what they stand for."""
    heads = [head for head in read.derived if _about(head) in _UNORDERED]
    ordered = MIRRORED.keys() - {"1", "2"}
    if not read.used or any(ordered & {*map(str, head.arguments)} for head in heads):
        return set()
    meant = types.of_variables(read)

    def sides(term: Term) -> set[str]:
        return {str(place.side) for place in meant.get(term, ())}

    def mark(term: Term, own: Place | None, beside: set[str]) -> str:
        if isinstance(term, Variable):
            own_sides = sides(term) or {"0"}
            return f"V{max(MIRRORED.get(side, side) if exchanged else side for side in own_sides)}"
        if not isinstance(term, Ground):
            return ""
        # What stands beside a variable of that sentence is its number.
        sentence = own.kind == "sentence" if own is not None else term in beside
        named = not term.isdecimal() or sentence
        return MIRRORED.get(term, term) if exchanged and named else term

    def marks(atom: Atom) -> str:
        beside = set[str]().union(*map(sides, atom.arguments))
        places = types.of(atom.key, atom.arguments)
        terms = zip(atom.arguments, places, strict=True)
        parts = sorted(mark(term, own, beside) for term, own in terms)
        return f"{atom.key.name} {atom.positive} {parts}"

    body = sorted(map(marks, read.used))
    return {(_about(head), *body) for head in heads}


def check_scope(checked: Checked) -> Iterator[Finding]:
    """Look for weights that count once, sets that run over everything, labels all forbidden."""
    yield from _without_label(checked)
    for statement, read in checked.own_reads:
        rule, node = statement.rule, statement.node
        if node.ast_type not in (ASTType.Rule, ASTType.Minimize):
            continue
        gains = "#maximize" in checked.text(statement.path).line(rule.line)
        for code, oddities in (
            ("counted-once", _once(node, gains=gains)),
            ("loose-set", _loose(node)),
            ("empty-set", _empty(node, read)),
            ("never-fires", _uncounted(node, checked.constants)),
        ):
            for found, hint in oddities:
                yield checked.finding(code, statement, found, hint, rule.name)
        written = Counter(_LONG.findall(STRING.sub('""', rule.text)))
        for name in (name for name, times in written.items() if times == 1):
            if f"{{{name}}}" not in (rule.sentence or ""):
                found = f"{name} stands only once in this rule, as a variable that matches anything"
                hint = f'Correct its spelling, or write "{name.lower()}" for a word, or _'
                yield checked.finding("variable", statement, found, hint, rule.name)


def _without_label(checked: Checked) -> Iterator[Finding]:
    """Rules that between them forbid all labels where the conditions of one hold."""
    bars: dict[frozenset[str], dict[Term, Statement]] = defaultdict(dict)
    for statement, read in checked.own_reads:
        parts = [f"{atom.positive} {written(atom.call)}" for atom in read.used]
        text = "\n".join([*parts, *(" ".join(map(str, terms)) for terms in read.compared)])
        for head in (atom for atom in read.derived if atom.key == v.FORBIDDEN_LABEL.signature):
            # Variables are called by the order in which they come.
            order = dict.fromkeys([*map(str, head.arguments[:2]), *_VARIABLE.findall(text)])
            names = {name: f"V{number}" for number, name in enumerate(order)}
            body = _VARIABLE.sub(lambda match, names=names: names[match[0]], text)  # type: ignore[misc]
            bars[frozenset(body.split("\n"))][head.arguments[2]] = statement
    for where, own_labels in bars.items():
        barred = ChainMap(*[bars[body] for body in reversed(bars) if body <= where])
        if not barred.keys() >= {*LABELS}:
            continue
        rules = ", ".join(sorted({statement.rule.name for statement in barred.values()}))
        found, hint = f"no label is left by {rules}", "Leave SIMI, or write forbidden_pair(X,Y)"
        for statement in {id(statement): statement for statement in own_labels.values()}.values():
            yield checked.finding("no-label", statement, found, hint, statement.rule.name)


def unsafe_inside(node: AST, name: str) -> str:
    """Where a variable has a value only inside a condition or set of a body, if it has one."""
    for part in itertools.chain.from_iterable(map(walk, getattr(node, "body", ()))):
        inside = part.ast_type in (ASTType.ConditionalLiteral, ASTType.BodyAggregateElement)
        for literal in part.condition if inside else ():
            if is_atom(literal, Sign.NoSign) and name in variable_names(literal):
                before = getattr(part, "literal", None)
                limit = f"only {before} belongs to it" if before else "it is not known outside"
                return f"{name} has a value only in the condition of {part}, and {limit}"
    return ""


def _uncounted(node: AST, constants: Container[str]) -> Iterator[tuple[str, str]]:
    """Costs that are names, which clingo leaves out of its sum."""
    weight = str(node.weight).lstrip("-") if node.ast_type is ASTType.Minimize else ""
    if weight[:1].islower() and weight.isidentifier() and weight not in constants:
        hint = f"Write a number, or define {weight} by #const"
        yield f"this cost never counts: {weight} is not a number", hint


def _once(node: AST, *, gains: bool) -> Iterator[tuple[str, str]]:
    """Weights that all cases of a condition share: what was found, and what to do."""
    if node.ast_type is ASTType.Minimize:
        told_apart = set[str]().union(*map(variable_names, (node.weight, *node.terms)))
        varying = sorted(set[str]().union(*map(variable_names, node.body)))
        if varying and not told_apart:
            # clingo has #maximize as costs.
            weight = f"{str(node.weight).removeprefix('-' * gains)}@{node.priority}"
            hint = f"Tell the cases apart: {','.join([weight, *varying])}"
            yield f"all cases together count once: {weight} has none of the variables", hint
        return
    for part in itertools.chain.from_iterable(map(walk, node.body)):
        adds = part.ast_type is ASTType.BodyAggregate and part.function in _SUMS
        for element in part.elements if adds else ():
            first, *others = element.terms
            names = set[str]().union(*map(variable_names, element.condition))
            loose = sorted(names - variable_names(first) - _outside(node, part))
            if loose and not others:
                hint = f"Tell the cases apart: {','.join([str(first), *loose])} : …"
                yield f"all cases of the same {first} count once in this sum", hint


def _empty(node: AST, read: Read) -> Iterator[tuple[str, str]]:
    """Least or greatest values that become numbers or weights although there may be none."""
    numeric = variable_names(node.weight) if node.ast_type is ASTType.Minimize else set[str]()
    for head in read.derived:
        kinds = zip(head.arguments, _SEEDS.get(head.key, ()), strict=False)
        numeric |= {str(term) for term, kind in kinds if kind in (None, ("score", 0))}
    for literal in node.body:
        aggregate = getattr(literal, "atom", literal)
        if aggregate.ast_type is not ASTType.BodyAggregate or aggregate.function not in _NOTHING:
            continue
        value, number = _NOTHING[aggregate.function]
        names = (aggregate.left_guard and variable_names(aggregate.left_guard.term)) or set()
        below, above = ("<", "<="), (">", ">=")
        below, above = (below, above) if value == "#inf" else (above, below)
        compared = {(str(one), sign) for one, sign, _ in read.compared}
        compared |= {(str(two), _TURNED[sign]) for _, sign, two in read.compared if sign in _TURNED}
        needed = {str(term) for atom in read.used if atom.needed for term in atom.arguments}
        safe = {name for name, sign in compared if sign in (*above, "!=", "=")}
        several = all(len(element.condition) > 1 for element in aggregate.elements)
        risky = {name for name, sign in compared if several and sign in below} - safe
        risky |= numeric - {name for name, sign in compared if sign in _HOLDS}
        whole = any(not element.condition for element in aggregate.elements)
        for name in [] if whole else sorted(names & risky - needed):
            found = f"{name} is {value} and no number where its set is empty"
            yield found, f"Say what it is then, such as {{{number}; …}}, or add {name} != {value}"


def _outside(node: AST, aggregate: AST) -> set[str]:
    """The variables of a rule that have a value outside one of its sets."""
    literals = (part for part in node.body if aggregate not in (part, getattr(part, "atom", None)))
    return set[str]().union(*map(variable_names, (node.head, *literals)))


def _loose(node: AST) -> Iterator[tuple[str, str]]:
    """Sets whose members seem to be about one thing, and are about any."""
    for aggregate in (getattr(literal, "atom", literal) for literal in getattr(node, "body", ())):
        if aggregate.ast_type is ASTType.Aggregate:
            elements = [variable_names(element, local=True) for element in aggregate.elements]
            loose = set[str]().union(*elements) - _outside(node, aggregate)
            if common := sorted(name for name in loose if sum(name in e for e in elements) > 1):
                listed = " and ".join(common)
                yield (
                    f"this set runs over all {listed} together: nothing outside it has {listed}",
                    f"Add an atom with {listed} to the body, such as aligned({','.join(common)})",
                )
