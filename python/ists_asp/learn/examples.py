"""Examples: the features of every decision on a gold pair, with what people decided.

The rules are grounded on the pair with the fact ``learning``, which makes all proposed pairs
viable, so that labels and scores have features too. Nothing here knows a feature by name.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ists_asp.annotate import Annotator, Cache
from ists_asp.closing import Closing
from ists_asp.engine import System
from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.semantic import find_encoder
from ists_asp.knowledge.vectors import shipped
from ists_asp.model import Label
from ists_asp.rules import Purpose, load_profile, load_rules, program_sources, read_overlay
from ists_asp.solver import Solver, SolverOptions
from ists_asp.vocabulary import (
    BOUNDARY,
    CHUNKED,
    FEATURE,
    GIVEN_BOUNDARY,
    LEARNING,
    SPAN_TOKEN,
    TARGETS,
    TOKEN_COUNT,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from clingo import Symbol

    from ists_asp.learn.gold import GoldPair
    from ists_asp.model import Alignment, Answer, Pair

__all__ = ["Candidate", "Decision", "Example", "ExampleBuilder"]

_GIVEN = frozenset({CHUNKED.signature, GIVEN_BOUNDARY.signature})
_MIRRORED = {Label.SPE1: Label.SPE2, Label.SPE2: Label.SPE1}


@dataclass(frozen=True, slots=True)
class Decision:
    """The features that fired for a decision, and whether it was taken."""

    features: tuple[str, ...]
    taken: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed pair of spans.

    ``tokens1`` and ``tokens2`` are token numbers; ``mass`` is the number of tokens that
    aligning them carries; ``gold`` is the gold alignment of just these tokens, if any.
    """

    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    mass: int
    align: tuple[str, ...]
    link: tuple[str, ...]
    gold: Alignment | None


@dataclass(frozen=True, slots=True)
class Example:
    """One gold pair: its facts, its boundaries and its candidates.

    ``mirrored`` are the candidates of the same pair with its sentences in reverse order, where
    SPE1 and SPE2 change places; there are none where the profile is not symmetric.
    """

    gold: GoldPair
    facts: tuple[Symbol, ...]
    boundaries: tuple[Decision, ...]
    candidates: tuple[Candidate, ...]
    mirrored: tuple[Candidate, ...] = ()


class ExampleBuilder(Closing):
    """A profile without its weights, ready to turn gold pairs into examples.

    Use it as a context manager, or call :meth:`close`.

    Args:
        profile: the profile's name.
        rules: what ``--rules`` names; see :mod:`ists_asp.rules.overlay`.
        vectors: whether words are compared by the shipped word vectors, or the file of others.
        semantic: whether words are compared in context as well; see
            :func:`ists_asp.engine.load`.
        cache: the directory of the annotation cache; None for none.
        scripts: whether rules may hold scripts; see :func:`ists_asp.rules.load_rules`.

    Raises:
        UsageError: there is no such profile, or the rules do not go together.
        RuleError: a rule file is faulty.
        ResourceError: models, the lexicon or the vectors are missing, or the extra is.
    """

    def __init__(
        self,
        profile: str,
        rules: Sequence[Path] = (),
        *,
        vectors: bool | Path = True,
        semantic: bool | Path = False,
        cache: Path | None = None,
        scripts: bool = False,
    ) -> None:
        overlay = read_overlay(rules)
        self.profile = load_profile(profile, overlay.base)
        encoder = find_encoder(semantic, self.profile.language)
        bare = self.profile.unweighed(Purpose.ANSWER)
        sources = overlay.over(program_sources(bare, rules=overlay.base), Purpose.ANSWER)
        parsed = load_rules(sources, scripts=scripts)
        self._solver = Solver(parsed, SolverOptions(constants=bare.constants))
        knowledge = Knowledge(
            language=bare.language,
            vectors_path=shipped(bare.language) if vectors is True else vectors or None,
            encoder=encoder,
        )
        annotator = Annotator(bare.language, cache=Cache(cache) if cache else None)
        self._system = System(bare, parsed, annotator, knowledge, self._solver)

    def close(self) -> None:
        """Close the lexicon; the teacher cannot be used afterwards."""
        self._system.close()

    def examples(self, golds: Iterable[GoldPair]) -> Iterator[Example]:
        """Annotate and ground gold pairs, lazily and in their order."""
        kept = list(golds)
        examples = self._examples(kept)
        if not self.profile.symmetric:
            yield from examples
            return
        for example, mirror in zip(examples, self._examples(map(_mirror, kept)), strict=True):
            yield replace(example, mirrored=mirror.candidates)

    def _examples(self, golds: Iterable[GoldPair]) -> Iterator[Example]:
        kept = list(golds)
        annotated = self._system.facts(gold.pair for gold in kept)
        for gold, (pair, facts) in zip(kept, annotated, strict=True):
            atoms = self._solver.ground_atoms((*facts, LEARNING()))
            yield _example(replace(gold, pair=pair), facts, atoms)

    def solve(self, example: Example, weights: Sequence[Symbol], *, chunked: bool) -> Answer:
        """Decide an example's pair with weights, by its gold chunks or by chunks to be found."""
        pair, facts = example.gold.pair, example.facts
        if not chunked:
            pair = _without_chunks(pair)
            facts = tuple(fact for fact in facts if _signature(fact) not in _GIVEN)
        return self._solver.solve(pair, (*facts, *weights)).answers[0]


def _mirror(gold: GoldPair) -> GoldPair:
    pair = replace(gold.pair, sent1=gold.pair.sent2, sent2=gold.pair.sent1)
    return replace(gold, pair=pair, alignments=tuple(map(_mirrored, gold.alignments)))


def _mirrored(alignment: Alignment) -> Alignment:
    return replace(
        alignment,
        tokens1=alignment.tokens2,
        tokens2=alignment.tokens1,
        label=_MIRRORED.get(alignment.label, alignment.label),
    )


def _example(gold: GoldPair, facts: tuple[Symbol, ...], atoms: Iterable[Symbol]) -> Example:
    features: dict[Symbol, list[str]] = defaultdict(list)
    tokens: dict[tuple[int, Symbol], list[int]] = defaultdict(list)
    masses: dict[tuple[Symbol, Symbol], int] = {}
    spoken: set[tuple[int, int]] = set()
    for atom in atoms:
        match _signature(atom):
            case FEATURE.signature:
                target, name = atom.arguments
                features[target].append(str(name))
            case SPAN_TOKEN.signature:
                side, span, index = atom.arguments
                tokens[side.number, span].append(index.number)
            case TOKEN_COUNT.signature:
                span1, span2, mass = atom.arguments
                masses[span1, span2] = mass.number
            case ("informativeness", 3):
                side, index, _ = atom.arguments
                spoken.add((side.number, index.number))
    golden = {
        (_kept(a.tokens1, 1, spoken), _kept(a.tokens2, 2, spoken)): a
        for a in gold.alignments
        if a.label.aligned
    }
    candidates = []
    for (span1, span2), carried in masses.items():
        side1 = tuple(sorted(tokens[1, span1]))
        side2 = tuple(sorted(tokens[2, span2]))
        candidates.append(
            Candidate(
                side1,
                side2,
                carried,
                tuple(sorted(features[TARGETS["pair"](span1, span2)])),
                tuple(sorted(features[TARGETS["link"](span1, span2)])),
                golden.get((_kept(side1, 1, spoken), _kept(side2, 2, spoken))),
            )
        )
    candidates.sort(key=lambda candidate: (candidate.tokens1, candidate.tokens2))
    return Example(gold, facts, tuple(_boundaries(gold.pair, features)), tuple(candidates))


def _boundaries(pair: Pair, features: dict[Symbol, list[str]]) -> Iterator[Decision]:
    starts = {
        (side, chunk.first)
        for side, sentence in ((1, pair.sent1), (2, pair.sent2))
        for chunk in sentence.chunks or ()
    }
    for target in sorted(symbol for symbol in features if symbol.name == BOUNDARY.name):
        side, index = target.arguments
        taken = (side.number, index.number) in starts
        yield Decision(tuple(sorted(features[target])), taken)


def _kept(tokens: tuple[int, ...], side: int, spoken: set[tuple[int, int]]) -> tuple[int, ...]:
    """The tokens that say something: gold is not consistent about punctuation marks."""
    return tuple(token for token in tokens if (side, token) in spoken)


def _without_chunks(pair: Pair) -> Pair:
    return replace(
        pair, sent1=replace(pair.sent1, chunks=None), sent2=replace(pair.sent2, chunks=None)
    )


def _signature(symbol: Symbol) -> tuple[str, int]:
    return symbol.name, len(symbol.arguments)
