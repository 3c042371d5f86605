"""The trace of an answer: which rules fired, for which atoms, with what weights, in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from string import Formatter
from typing import ClassVar

from clingo import Control, Symbol, SymbolType

from ists_asp.errors import TraceError, of_pair
from ists_asp.lang import say, texts_of
from ists_asp.model import Answer, Label, Pair
from ists_asp.rules.arguments import CHUNK, SPAN, TOKEN, ArgumentTypes, Place
from ists_asp.solver import Best
from ists_asp.syntax.ground import Ground, plain
from ists_asp.syntax.terms import reread, written
from ists_asp.syntax.trees import ANY
from ists_asp.trace.grounding import Grounding, Group, RuleInstance
from ists_asp.trace.instances import RuleInstances, agrees
from ists_asp.trace.probes import Probe
from ists_asp.trace.reified import ReifiedRules, Rewritten
from ists_asp.vocabulary import CALLED, IN_CHUNK, LABEL, SPAN_TOKEN, Predicate

_LABELS = frozenset(label.lower() for label in Label)


class Words:
    """The words of a pair, by token, chunk and span, for the sentences of rules."""

    # ``places`` are what the variables of the rules stand for.

    READ: ClassVar = {IN_CHUNK.name: CHUNK, SPAN_TOKEN.name: SPAN}
    """The names of the atoms that are read, with what they are about."""

    def __init__(self, pair: Pair, true: Iterable[Ground], places: ArgumentTypes) -> None:
        self.called: dict[Ground, str] = {}
        self._sentences = {1: pair.sent1, 2: pair.sent2}
        self._places = places
        self._known: dict[tuple[str, int, Ground], list[int]] = defaultdict(list)
        self._quoted: dict[tuple[str, int, Ground], str | None] = {}
        self._terms: dict[Ground, str] = {}
        for atom in true:
            if len(atom.arguments) == 3:
                # Users' rules may derive such atoms of anything.
                first, value, last = atom.arguments
                side = _number(first)
                self._known[self.READ[atom.name], side, value] += self.tokens(TOKEN, side, last)

    def tokens(self, kind: str, side: int, value: Ground) -> tuple[int, ...]:
        """The token numbers of a token, chunk or span; empty if there is none such."""
        sentence = self._sentences.get(side)
        if sentence is None:
            return ()
        if kind == TOKEN:
            number = _number(value)
            return (number,) if 0 < number <= len(sentence.tokens) else ()
        tokens = self._known.get((kind, side, value))
        return tuple(sorted(tokens or (self._proposed(side, value) if kind == SPAN else ())))

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
            tokens = self.tokens(*key)
            self._quoted[key] = f'"{self._sentences[side].words(tokens)}"' if tokens else None
        return self._quoted[key]

    def sentence(self, probe: Probe, values: Mapping[str, Ground]) -> str:
        """The sentence of a rule that fires with these values."""
        template = probe.rule.sentence
        if template is None:
            return probe.rule.text
        places = self._places.variables.get(probe.name, {})
        text = ""
        for words, name, divisor in _slots(template):
            text += words
            if (value := values.get(name)) is None:
                text += "…" if name else ""
            elif divisor and value.type is SymbolType.Number:
                text += f"{value.number / divisor:g}"
            else:
                words = f'"{plain(value)}"' if value.type is SymbolType.String else plain(value)
                label = value.upper() if value in _LABELS else self.called.get(value, words)
                text += self._placed(places.get(name), values, value) or label
        return text

    def atom(self, atom: Ground) -> str:
        """An atom with words for its parts, ``aligned("a cat",_)``; ``_`` may be anything."""
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
            number = inside.count(",") + 1 if inside else 0
            if f"{name}/{number}" not in self._places.arguments:
                return term  # nothing in it stands for words
        if not term.arguments:
            return plain(term)
        parts = [self.quoted(*what, part) or self.atom(part) for what, part in self._parts(term)]
        return f"{'' if term.positive else '-'}{term.name}({','.join(parts)})"

    def about(self, term: Ground) -> set[tuple[int, int]]:
        """The tokens that an atom is about, each with its sentence."""
        tokens: set[tuple[int, int]] = set()
        for (kind, side), part in self._parts(term):
            named = {(side, token) for token in self.tokens(kind, side, part)}
            tokens |= named or self.about(part)
        return tokens

    def _parts(self, term: Ground) -> Iterator[tuple[tuple[str, int], Ground]]:
        """The arguments of a term, each with what it is, and of which sentence; of none it is 0."""
        parts = term.arguments
        meanings = self._places.arguments.get(f"{term.name}/{len(parts)}", [None] * len(parts))
        for part, meaning in zip(parts, meanings, strict=True):
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
    """The value of a number; 0, which is neither a side nor a token, for all else."""
    return value.number if value is not None and value.type is SymbolType.Number else 0


@lru_cache(1 << 12)
def _slots(template: str) -> tuple[tuple[str, str, int], ...]:
    """The texts of a template, each with the variable after it, and what its value is divided by.

    ``{V}`` gives ("", "V", 0), ``{V:/10}`` gives ("", "V", 10).
    """
    parts = Formatter().parse(template)
    return tuple((words, name or "", int((spec or "/0")[1:])) for words, name, spec, _ in parts)


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the objective that counts in an answer: less is better."""

    priority: int
    weight: int
    terms: tuple[Ground, ...]  # its tuple, which tells it from others of the same weight
    firings: tuple[RuleInstance, ...] = field(compare=False)


@dataclass(eq=False)
class Trace:
    """Why an answer is as it is. Made by :class:`ists_asp.trace.Tracer`."""

    reified: ReifiedRules
    answer: Answer
    best: Best[Answer]
    facts: tuple[Symbol, ...]
    firings: RuleInstances
    rewritten: Rewritten
    true: frozenset[Ground]
    inputs: frozenset[Ground]
    ground: Control | None = None
    rating: Trace | None = None  # of how the answer is rated, if that was asked for
    seconds: float = 0.0  # to decide and to trace; shared by pairs traced together
    _reasons: dict[Ground, tuple[RuleInstance, ...]] = field(default_factory=dict)

    @property
    def tables(self) -> RuleInstances:
        """The firings that derive the facts of every pair."""
        return self.rewritten.tables

    @property
    def cost(self) -> dict[int, int]:
        """The cost of the answer, by priority."""
        return dict(zip(self.best.found.priorities, self.best.found.cost, strict=True))

    @cached_property
    def words(self) -> Words:
        """The pair's words, for sentences about it."""
        atoms = chain.from_iterable(map(self.atoms, Words.READ))
        words = Words(self.answer.pair, atoms, self.reified.places)
        texts = texts_of(self.reified.rules.language)
        called = ((atom.arguments[0], plain(atom.arguments[1])) for atom in self.beginning(CALLED))
        words.called = {value: texts.get(name, name) for value, name in called}
        return words

    def atoms(self, name: str) -> tuple[Ground, ...]:
        """The atoms of the answer set with a name, however many arguments they have."""
        return (*self.best.atoms.get(name, ()), *self.rewritten.known_by_name.get(name, ()))

    def matching(self, patterns: Iterable[Ground]) -> Iterator[Ground]:
        """The atoms of the answer set that negated atoms speak of, or others with :data:`ANY`."""
        for pattern in patterns:
            yield from (atom for atom in self.atoms(pattern.name) if agrees(pattern, atom))

    def beginning(self, predicate: Predicate, *start: Ground | None) -> Iterator[Ground]:
        """The atoms of a predicate whose first arguments are these."""
        return (
            atom
            for atom in self.atoms(predicate.name)
            if len(atom.arguments) == predicate.arity and atom.arguments[: len(start)] == start
        )

    def label_of(self, spans: Sequence[Ground]) -> Ground | None:
        """The label of an alignment."""
        return next((atom.arguments[2] for atom in self.beginning(LABEL, *spans)), None)

    @cached_property
    def control(self) -> Control:
        """The rewritten program, ground over the answer set of this pair alone."""
        return self.ground or self.rewritten.ground(self.best.atoms)

    def says(self, firing: RuleInstance) -> str:
        """The sentence of a firing."""
        return self.words.sentence(firing.probe, firing.values)

    def tell(self, text: str, /, **values: object) -> str:
        """A text in the language of the rules; see :func:`ists_asp.lang.say`."""
        return say(self.reified.rules.language, text, **values)

    @cached_property
    def objective(self) -> tuple[Term, ...]:
        """The terms of the objective, highest priority and heaviest first; equal ones once."""
        by_term: dict[tuple[Ground, ...], list[RuleInstance]] = defaultdict(list)
        for firing in self.firings.objective:
            by_term[firing.head.arguments].append(firing)
        terms = (
            Term(priority.number, weight.number, rest.arguments, tuple(reasons))
            for (weight, priority, rest), reasons in by_term.items()
        )
        return tuple(sorted(terms, key=lambda term: (-term.priority, term.weight, str(term.terms))))

    def reasons(self, atom: Ground) -> tuple[RuleInstance, ...]:
        """The firings that derive an atom, the primary one first; none for what was given."""
        if atom not in self._reasons:
            tables = self.tables.firings(atom) if atom in self.rewritten.known else ()
            self._reasons[atom] = (*tables, *self.firings.firings(atom))
        return self._reasons[atom]

    def deriving(self, atom: Ground) -> str:
        """The sentences of the rules that may derive an atom, or the atom; empty if none may."""
        sentences: dict[str, None] = {}
        parts = [reread(part, frozenset({ANY})) for part in atom.arguments]
        for probe, bound in self.reified.matching(atom.partition("(")[0], parts):
            if probe.is_fact or probe.rule.sentence is None:
                return self.described(atom)
            values = {name: Ground(written(value)) for name, value in bound.items()}
            sentences[self.words.sentence(probe, values).removesuffix(": …")] = None
        listed = (atom.partition("(")[0], len(parts)) in self.reified.deriving
        alike = (other for other in self.atoms(atom.name) if len(other.arguments) == len(parts))
        if not sentences and not listed and any(alike):
            return self.words.atom(atom)
        first, others = [*sentences][:2], ["…"] * (len(sentences) > 2)
        return f", {self.tell('or')} ".join([*first, *others])

    def described(self, atom: Ground) -> str:
        """An atom behind what the documentation of its predicate says, if there is any."""
        text = self.reified.docs.get(f"{atom.name}/{len(atom.arguments)}", "")
        return ": ".join(filter(None, (text, self.words.atom(atom))))

    def groups(self, firing: RuleInstance) -> tuple[Group, ...]:
        """The aggregates and conditional literals of a firing, with their elements."""
        return self._all(firing).groups(firing)

    def rests_on(self, firing: RuleInstance) -> tuple[Ground, ...]:
        """The atoms that a firing needs, those in its aggregates and conditions included."""
        if not firing.probe.companions:
            return firing.positive
        return (*firing.positive, *self._all(firing).counted(firing))

    def _all(self, firing: RuleInstance) -> RuleInstances:
        return self.firings if self.is_own(firing) else self.tables

    def is_own(self, firing: RuleInstance) -> bool:
        """Whether a firing is of this pair, rather than the same for every pair."""
        return firing.probe.name not in self.rewritten.table_probes

    def rank(self, atom: Ground) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: what it rests on ranks lower."""
        if atom in self.rewritten.known and atom not in self.inputs:
            return self.tables.rank(atom)
        return self.firings.rank(atom)


def check(trace: Trace) -> None:
    """Check that a trace accounts for its answer, or raise a TraceError.

    Every atom has a derivation or was given, no constraint fired, and weights sum to the cost.
    """
    where = of_pair(trace.answer.pair.id)
    if lacking := trace.true - trace.inputs - trace.firings.by_head.keys() - trace.rewritten.known:
        found = f"{len(lacking)} atoms have no derivation, such as {min(lacking)}"
        raise TraceError(found, where=where)
    for firing in trace.firings.violated:
        rule = firing.probe.rule
        raise TraceError(f"the constraint at {rule.file}:{rule.line} fired", where=where)
    sums, cost = Counter[int](), trace.cost
    for term in trace.objective:
        sums[term.priority] += term.weight
    for priority in sums.keys() | cost.keys():
        if sums[priority] != (expected := cost.get(priority, 0)):
            found = f"the weights at priority {priority} sum to {sums[priority]}"
            raise TraceError(found, where=where, expected=f"the cost {expected}")


def look_ahead(traces: Iterable[Trace]) -> None:
    """Look for the elements of all firings of traces at once, which takes less than one by one."""
    wanted: dict[Grounding, list[RuleInstance]] = defaultdict(list)
    for trace in traces:
        firings = trace.firings
        wanted[firings.grounding] += chain(firings.deriving, firings.objective)
    for grounding, instances in wanted.items():
        grounding.want(instances)
