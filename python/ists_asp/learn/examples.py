"""Gold pairs, and the evidence for every decision on them, with what people decided.

The rules are grounded on the pair with the fact ``learning``, which makes all proposed pairs
viable, so that labels and scores have evidence too. Nothing here knows evidence by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

from clingo import Number
from clingo.ast import ASTType

from ists_asp.confidence import leads_of
from ists_asp.engine import Setup, System
from ists_asp.errors import DataError, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import Faults, ignore
from ists_asp.model import Chunk
from ists_asp.resources import Closing
from ists_asp.rules import (
    Purpose,
    find_rules,
    load_rules,
    program_sources,
    read_overlay,
    weights_of,
)
from ists_asp.syntax.terms import atoms
from ists_asp.syntax.trees import Signature
from ists_asp.vocabulary import (
    ARGUES,
    BOUNDARY,
    CHUNKED,
    EVIDENCE,
    FORBIDDEN_LABEL,
    GIVEN_BOUNDARY,
    LEARNING,
    LICENSED,
    SPAN_TOKEN,
    TARGETS,
    TOKEN_COUNT,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.confidence import Leads, Weights
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.io.text import Warn
    from ists_asp.model import Alignment, Answer, Pair, Sentence
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Solver

CHUNKS = ("sent1.chunk.txt", "sent2.chunk.txt")
ALIGNMENTS = "gold.wa"

Key: TypeAlias = tuple[str, str]
"""A name of evidence and a class of decision."""

Sense: TypeAlias = tuple[bool, bool]
"""Whether a name may argue for, and whether it may argue against."""

Senses: TypeAlias = Mapping[Key, Sense]
"""The senses of names, or of what the names of a family begin with."""


_INFORMATIVENESS = Signature("informativeness", 3)
_READ = (
    EVIDENCE.signature,
    FORBIDDEN_LABEL.signature,
    LICENSED.signature,
    SPAN_TOKEN.signature,
    TOKEN_COUNT.signature,
    _INFORMATIVENESS,
)
"""What examples are made of."""

_GIVEN = frozenset({CHUNKED.signature, GIVEN_BOUNDARY.signature})
Evidence: TypeAlias = "Mapping[str, int]"
"""The values of evidence, 0 to 100, by name."""


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair with gold chunks, and its gold alignments (unaligned chunks included)."""

    pair: Pair
    alignments: tuple[Alignment, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The evidence for a decision, and whether it was taken."""

    evidence: Evidence
    taken: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed pair of spans.

    ``tokens1`` and ``tokens2`` are token numbers; ``token_count`` is how many tokens aligning
    them carries; ``pair``, ``link`` and ``sides`` are the evidence about the alignment, about
    both sides, and about each; ``labels`` are those that have a licence and that no rule
    forbids, in lower case; ``gold`` is the gold alignment of just these tokens, if any.
    """

    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    token_count: int
    pair: Evidence
    link: Evidence
    sides: tuple[Evidence, Evidence]
    labels: frozenset[str]
    gold: Alignment | None


@dataclass(frozen=True, slots=True)
class Example:
    """One gold pair: its facts, its boundaries and its candidates."""

    gold: GoldPair
    facts: tuple[Symbol, ...]
    boundaries: tuple[Decision, ...]
    candidates: tuple[Candidate, ...]


class ExampleBuilder(Closing):
    """A profile without its weights, ready to turn gold pairs into examples.

    Use it as a context manager, or call :meth:`close`.

    Args:
        setup: the profile and what else to load; readers play no part.

    Raises:
        IstsError: as for :func:`ists_asp.load`.
    """

    def __init__(self, setup: Setup) -> None:
        self.profile = setup.load_profile()
        overlay = read_overlay(setup.rules)
        self.shipped = tuple(
            overlay.base / f"{name.removesuffix('.lp')}.lp" for name in self.profile.answer.weights
        )
        bare = self.profile.unweighed(Purpose.ANSWER)
        self._sources = overlay.over(program_sources(bare, rules=overlay.base), Purpose.ANSWER)
        self._system = System(setup, (bare, load_rules(self._sources)))

    def close(self) -> None:
        """Close the lexicon; the teacher cannot be used afterwards."""
        self._system.close()

    def senses(self) -> dict[Key, Sense]:
        """What each name of evidence may argue for and against, by the rules' ``argues/3``."""
        found: dict[Key, Sense] = {}
        for atom in self._system.solver.ground_atoms(()):
            if _signature(atom) == ARGUES.signature:
                name, decision, sense = map(str, atom.arguments)
                pro, contra = found.get((name, decision), (False, False))
                found[name, decision] = pro or sense == "for", contra or sense == "against"
        return found

    def weights(self, files: Iterable[Path]) -> dict[Key, int]:
        """The weights in rule files, by name and class."""
        sources = [source for file in files for source in find_rules(file)]
        found = weights_of(load_rules(sources).statements, {}) if sources else ()
        return {(str(name), str(decision)): value for name, decision, value in found}

    def sentences(self) -> dict[str, str]:
        """What the rules say that find evidence, by its name or what its names begin with."""
        found: dict[str, str] = {}
        rules = self._system.rules
        for statement, rule in zip(rules.statements, rules.rules, strict=True):
            if statement.ast_type is not ASTType.Rule or rule.sentence is None:
                continue
            for atom in atoms(statement.head):
                if (atom.name, len(atom.arguments)) == EVIDENCE.signature:
                    name = str(atom.arguments[1]).partition("(")[0]
                    found.setdefault(name, rule.sentence)
                    found.setdefault(str(atom.arguments[1]), rule.sentence)
        return found

    def examples(
        self, golds: Iterable[GoldPair], more: Mapping[str, Sequence[Symbol]] | None = None
    ) -> Iterator[Example]:
        """Annotate and ground gold pairs, lazily and in their order.

        Args:
            golds: the pairs.
            more: further facts of pairs, by their ids, such as what a reader holds.
        """
        kept = list(golds)
        annotated = (
            (pair, (*facts, *(more or {}).get(pair.id, ())))
            for pair, facts in self._system.facts(gold.pair for gold in kept)
        )
        known, learned = tee(annotated)
        open_pairs = ((pair, (*facts, LEARNING())) for pair, facts in learned)
        derived = self._system.solver.derivable(open_pairs, _READ)
        for gold, (pair, facts), derivable in zip(kept, known, derived, strict=True):
            yield _example(replace(gold, pair=pair), facts, derivable)

    def decider(self, weights: str) -> Decider:
        """Decide examples by the rules with weights.

        Args:
            weights: the text of a rule file.
        """
        with TemporaryDirectory(prefix="ists-asp-") as folder:
            file = Path(folder, "weights.lp")
            file.write_text(weights, encoding="utf-8")
            rules = load_rules((*self._sources, *find_rules(file)))
        return Decider(self._system.solver, rules)


class Decider:
    """Decides the pairs of examples with weights that were learned from others."""

    def __init__(self, solver: Solver[Answer], rules: RuleSet) -> None:
        self._solver = solver.with_rules(rules, self._note)
        self._leads: dict[str, Leads] = {}

    def solve(
        self, examples: Sequence[Example], *, chunked: bool
    ) -> Iterator[tuple[Answer, Leads]]:
        """Decide pairs by their gold chunks or by chunks to be found, in their order, lazily.

        Each answer comes with how far its decisions lead.
        """
        for solution in self._solver.solve_all(_posed(one, chunked) for one in examples):
            (answer,) = solution.answers
            yield answer, self._leads.pop(answer.pair.id)

    def _note(self, answer: Answer, weights: Weights) -> Answer:
        self._leads[answer.pair.id] = leads_of(answer, weights)
        return answer


def _posed(example: Example, chunked: bool) -> tuple[Pair, Sequence[Symbol]]:
    pair, facts = example.gold.pair, example.facts
    if chunked:
        return pair, facts
    return _without_chunks(pair), [fact for fact in facts if _signature(fact) not in _GIVEN]


def _example(gold: GoldPair, facts: tuple[Symbol, ...], atoms: Iterable[Symbol]) -> Example:
    evidence: dict[Symbol, dict[str, int]] = defaultdict(dict)
    tokens: dict[tuple[int, Symbol], list[int]] = defaultdict(list)
    counts: dict[tuple[Symbol, Symbol], int] = {}
    licensed: dict[tuple[Symbol, Symbol], set[str]] = defaultdict(set)
    forbidden: dict[tuple[Symbol, Symbol], set[str]] = defaultdict(set)
    spoken: set[tuple[int, int]] = set()
    for atom in atoms:
        match _signature(atom):
            case EVIDENCE.signature:
                target, name, value = atom.arguments
                evidence[target][str(name)] = value.number
            case SPAN_TOKEN.signature:
                side, span, index = atom.arguments
                tokens[side.number, span].append(index.number)
            case TOKEN_COUNT.signature:
                span1, span2, carried = atom.arguments
                counts[span1, span2] = carried.number
            case LICENSED.signature:
                span1, span2, label, _ = atom.arguments
                licensed[span1, span2].add(str(label))
            case FORBIDDEN_LABEL.signature:
                span1, span2, label = atom.arguments
                forbidden[span1, span2].add(str(label))
            case ("informativeness", 3):
                side, index, _ = atom.arguments
                spoken.add((side.number, index.number))
    golden = {
        (_kept(a.tokens1, 1, spoken), _kept(a.tokens2, 2, spoken)): a
        for a in gold.alignments
        if a.label.aligned
    }
    candidates = []
    for (span1, span2), count in counts.items():
        side1 = tuple(sorted(tokens[1, span1]))
        side2 = tuple(sorted(tokens[2, span2]))
        candidates.append(
            Candidate(
                side1,
                side2,
                count,
                evidence[TARGETS["pair"](span1, span2)],
                evidence[TARGETS["link"](span1, span2)],
                (
                    evidence[TARGETS["side"](Number(1), span1, span2)],
                    evidence[TARGETS["side"](Number(2), span1, span2)],
                ),
                frozenset(licensed[span1, span2] - forbidden[span1, span2]),
                golden.get((_kept(side1, 1, spoken), _kept(side2, 2, spoken))),
            )
        )
    candidates.sort(key=lambda candidate: (candidate.tokens1, candidate.tokens2))
    return Example(gold, facts, tuple(_boundaries(gold.pair, evidence)), tuple(candidates))


def _boundaries(pair: Pair, evidence: Mapping[Symbol, Evidence]) -> Iterator[Decision]:
    starts = {
        (side, chunk.first)
        for side, sentence in ((1, pair.sent1), (2, pair.sent2))
        for chunk in sentence.chunks or ()
    }
    for target in sorted(symbol for symbol in evidence if symbol.name == BOUNDARY.name):
        side, index = target.arguments
        yield Decision(evidence[target], (side.number, index.number) in starts)


def _kept(tokens: tuple[int, ...], side: int, spoken: set[tuple[int, int]]) -> tuple[int, ...]:
    """The tokens that say something: gold is not consistent about punctuation marks."""
    return tuple(token for token in tokens if (side, token) in spoken)


def _without_chunks(pair: Pair) -> Pair:
    return replace(
        pair, sent1=replace(pair.sent1, chunks=None), sent2=replace(pair.sent2, chunks=None)
    )


def _signature(symbol: Symbol) -> tuple[str, int]:
    return symbol.name, len(symbol.arguments)


def read_gold(path: Path, warn: Warn = ignore) -> list[GoldPair]:
    """Read gold pairs.

    Args:
        path: a folder with ``sent1.chunk.txt``, ``sent2.chunk.txt`` and ``gold.wa``; or a
            ``.wa`` file of one-to-one alignments, such as the 2015 pilot's, in which each
            side of a line is a chunk.
        warn: receives one line of text for each repair.

    Raises:
        DataError: a file is missing or faulty, or the pairs of the files do not match.
    """
    golds = _read_lines(path, warn) if path.is_file() else _read_folder(path, warn)
    if not golds:
        raise DataError("no pairs", where=str(path), expected="at least one gold pair")
    return golds


def _read_lines(file: Path, warn: Warn) -> list[GoldPair]:
    golds, faults = [], Faults()
    for reference in read_references(file, warn=warn).values():
        pair, lines = reference.pair, tuple(reference.alignments)
        where = f"{file}: pair {shortened(pair.id)}"
        with faults:
            chunks1 = _chunks(pair.sent1, [line.tokens1 for line in lines], f"{where}, sentence 1")
            chunks2 = _chunks(pair.sent2, [line.tokens2 for line in lines], f"{where}, sentence 2")
            sent1, sent2 = replace(pair.sent1, chunks=chunks1), replace(pair.sent2, chunks=chunks2)
            golds.append(GoldPair(replace(pair, sent1=sent1, sent2=sent2), lines))
    faults.check()
    return golds


def _chunks(sentence: Sentence, sides: list[tuple[int, ...]], where: str) -> tuple[Chunk, ...]:
    """The sides of the lines as chunks, which have to cut the sentence into runs of tokens."""
    found = sorted(side for side in sides if side)
    numbers = [number for side in found for number in side]
    if numbers != [token.index for token in sentence.tokens]:
        raise DataError(
            f"the sides of the lines are {shortened(', '.join(map(str, map(list, found))))}",
            where=where,
            expected="each token on one line, and neighbours on each side",
            hint="Lines that merge chunks do not tell them apart: give a folder with chunk "
            f"files, {CHUNKS[0]} and {CHUNKS[1]}",
        )
    return tuple(Chunk(side[0], side[-1]) for side in found)


def _read_folder(folder: Path, warn: Warn) -> list[GoldPair]:
    for name in (*CHUNKS, ALIGNMENTS):
        if not (folder / name).is_file():
            raise DataError(
                f"there is no {name}",
                where=str(folder),
                expected=f"a folder with {', '.join(CHUNKS)} and {ALIGNMENTS}",
                hint="Name such a folder with --gold, or a .wa file of one-to-one alignments",
            )
    references = read_references(folder / ALIGNMENTS, warn=warn)
    golds, faults = [], Faults()
    for pair in read_pairs(folder / CHUNKS[0], folder / CHUNKS[1], chunked=True, warn=warn):
        with faults:
            alignments = _alignments(pair, references.get(pair.id), folder)
            golds.append(GoldPair(pair, alignments))
    faults.check()
    return golds


def _alignments(pair: Pair, reference: Reference | None, folder: Path) -> tuple[Alignment, ...]:
    """The alignments of a pair of the chunk files."""
    where = str(folder / ALIGNMENTS)
    if reference is None:
        raise DataError(
            f"pair {shortened(pair.id)} of the chunk files is not in it",
            where=where,
            expected="the alignments of every pair",
        )
    found, chunked = _sizes(reference.pair), _sizes(pair)
    if found != chunked:
        raise DataError(
            f"pair {shortened(pair.id)} has {found[0]} and {found[1]} tokens",
            where=where,
            expected=f"{chunked[0]} and {chunked[1]}, as in the chunk files",
            hint="Check that line N of the chunk files is the pair with the id N",
        )
    return reference.alignments


def _sizes(pair: Pair) -> tuple[int, int]:
    return len(pair.sent1.tokens), len(pair.sent2.tokens)
