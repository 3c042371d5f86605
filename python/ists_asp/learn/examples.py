"""Gold pairs, and the evidence for every decision on them, with what people decided.

The rules are grounded on the pair with the fact ``learning``, which makes all proposed pairs
viable, so that labels and scores have evidence too. Nothing here knows evidence by name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from clingo import Number, Symbol, SymbolType
from clingo.ast import ASTType

from ists_asp import vocabulary as v
from ists_asp.confidence import Leads, Weights, leads_of
from ists_asp.engine import Setup, System
from ists_asp.errors import DataError, RuleError, inside, of_pair, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import Faults, Warn, ignore
from ists_asp.io.wa import given_answer
from ists_asp.model import Alignment, Answer, Pair
from ists_asp.resources import Closing
from ists_asp.rules import NO_READER, find_program, find_rules, load_rules
from ists_asp.rules.parsing import SHIPPED, weighed
from ists_asp.rules.weights import weights_of
from ists_asp.solver.batch import batches
from ists_asp.solver.search import Item
from ists_asp.syntax.trees import Signature, atoms, signature
from ists_asp.vocabulary import Predicate

CHUNKS = ("sent1.chunk.txt", "sent2.chunk.txt")
ALIGNMENTS = "gold.wa"

# A name of evidence and a class of decision; whether a name may argue for, and whether against;
# the senses of names, or of what the names of a family begin with; values, 0 to 100, by name.
Key: TypeAlias = tuple[str, str]
Sense: TypeAlias = tuple[bool, bool]
Senses: TypeAlias = Mapping[Key, Sense]
Evidence: TypeAlias = "Mapping[str, int]"

_INFORMATIVENESS = Signature("informativeness", 3)
_PREDICATES = (v.EVIDENCE, v.FORBIDDEN_LABEL, v.LICENSED, v.SPAN_TOKEN, v.TOKEN_COUNT)
_SIGNATURES = (*(predicate.signature for predicate in _PREDICATES), _INFORMATIVENESS)
_CHUNK_FACTS = frozenset({v.CHUNKED.signature, v.GIVEN_BOUNDARY.signature})


@dataclass(frozen=True, slots=True)
class Decision:
    """The evidence for a decision, and whether it was taken."""

    evidence: Evidence
    taken: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed pair of spans."""

    tokens1: tuple[int, ...]  # token numbers
    tokens2: tuple[int, ...]
    token_count: int  # how many tokens aligning them carries
    pair: Evidence  # evidence about the alignment
    link: Evidence  # evidence about both sides
    sides: tuple[Evidence, Evidence]  # evidence about each side
    labels: frozenset[str]  # licensed and not forbidden, in lower case
    gold: Alignment | None  # of just these tokens


@dataclass(frozen=True, slots=True)
class Example:
    """A pair with gold chunks and its gold alignments: its facts, boundaries and candidates."""

    gold: Reference
    facts: tuple[Symbol, ...]
    boundaries: tuple[Decision, ...]
    candidates: tuple[Candidate, ...]


class ExampleBuilder(Closing):
    """A profile without weights and readers, ready to turn gold pairs into examples."""

    # The output, a file that is written again, plays no part.

    def __init__(self, setup: Setup, output: Path | None = None) -> None:
        self.profile, sources = find_program(setup.profile, setup.rules, reader=NO_READER)
        written = output and output.resolve()
        rules = load_rules(source for source in sources if source.path != written)
        self._weighing = rules.statements
        self._constants = {**self.profile.constants, **setup.constants}
        # Weights that have a name are rules.
        bare = rules.only(lambda node, rule: rule.sentence is not None or not any(weighed(node)))
        self._system = System(replace(setup, reader=NO_READER), (self.profile, bare))

    def close(self) -> None:
        """Close the lexicon; the teacher cannot be used afterwards."""
        self._system.close()

    def senses(self) -> dict[Key, Sense]:
        """The senses of each name of evidence, by the rules' ``argues/3``."""
        senses: dict[Key, Sense] = {}
        for atom in self._system.solver.ground_atoms(()):
            if signature(atom) == v.ARGUES.signature:
                name, decision, sense = map(str, atom.arguments)
                pro, contra = senses.get((name, decision), (False, False))
                senses[name, decision] = pro or sense == "for", contra or sense == "against"
        return senses

    def weights(self, predicate: Predicate) -> dict[Key, int]:
        """The weights, or the corrections, that there are for the profile."""
        return weights_of(self._weighing, self._constants, [predicate])

    def sentences(self) -> dict[str, str]:
        """The sentences of rules that find evidence, by its name or what its names begin with."""
        sentences: dict[str, str] = {}
        for statement, rule in self._system.rules.both:
            if statement.ast_type is not ASTType.Rule or rule.sentence is None:
                continue
            for atom in atoms(statement.head):
                if (atom.name, len(atom.arguments)) == v.EVIDENCE.signature:
                    name = str(atom.arguments[1])
                    sentences.setdefault(name.partition("(")[0], rule.sentence)
                    sentences.setdefault(name, rule.sentence)
        return sentences

    def user_names(self) -> frozenset[str]:
        """All names in the rules that are not shipped."""
        user = (rule.text for rule in self._system.rules.rules if not rule.file.startswith(SHIPPED))
        return frozenset(re.findall(r"\w+", " ".join(user)))

    def examples(
        self, golds: Iterable[Reference], extra: Mapping[str, Sequence[Symbol]] | None = None
    ) -> Iterator[Example]:
        """Annotate and ground gold pairs, lazily; ``extra`` facts are a reader's, by pair ids."""
        golds = list(golds)
        items = self._system.facts(gold.pair for gold in golds)
        inputs = ((pair, (*facts, *(extra or {}).get(pair.id, ()))) for pair, facts in items)
        for batch in batches(zip(golds, inputs, strict=True)):
            learning = [(pair, (*facts, v.LEARNING())) for _, (pair, facts) in batch]
            atoms = self._system.solver.derivable(learning, _SIGNATURES)
            for (gold, (pair, facts)), derivable in zip(batch, atoms, strict=True):
                with inside(pair):
                    example = _example(replace(gold, pair=pair), facts, derivable)
                yield example

    def decide(
        self, weights: str, examples: Iterable[tuple[Example, bool]]
    ) -> Iterator[tuple[Answer, Leads]]:
        """Decide held-out pairs with learned weights, the text of a rule file, lazily, in order.

        An example comes with whether its gold chunks are given, an answer with its leads.
        """
        leads: dict[int, Leads] = {}

        def note(answer: Answer, weights: Weights) -> Answer:
            leads[id(answer)] = leads_of(answer, weights)
            return answer

        rules = self._system.rules
        with TemporaryDirectory(prefix="ists-asp-") as folder:
            file = Path(folder, "weights.lp")
            file.write_text(weights, encoding="utf-8")
            learned = load_rules(find_rules(file))
        rules = replace(
            rules,
            files=(*rules.files, *learned.files),
            statements=(*rules.statements, *learned.statements),
            rules=(*rules.rules, *learned.rules),
        )
        solver = self._system.solver.with_rules(rules, note)
        for solution in solver.solve_all(_solver_input(*example) for example in examples):
            (answer,) = solution.answers
            yield answer, leads.pop(id(answer))


def read_weights(files: Iterable[Path], predicate: Predicate = v.WEIGHT) -> dict[Key, int]:
    """The weights, or the corrections, in rule files, by name and class."""
    sources = [source for file in files for source in find_rules(file)]
    return weights_of(load_rules(sources).statements, {}, [predicate]) if sources else {}


def _solver_input(example: Example, chunked: bool) -> Item:
    pair, facts = example.gold.pair, example.facts
    if chunked:
        return pair, facts
    bare = [fact for fact in facts if signature(fact) not in _CHUNK_FACTS]
    return pair.with_chunks(None, None), bare


def _example(gold: Reference, facts: tuple[Symbol, ...], atoms: Iterable[Symbol]) -> Example:
    by_predicate: dict[Signature, list[Sequence[Symbol]]] = defaultdict(list)
    for atom in atoms:
        by_predicate[signature(atom)].append(atom.arguments)
    evidence: dict[Symbol, dict[str, int]] = defaultdict(dict)
    for target, name, value in by_predicate[v.EVIDENCE.signature]:
        if value.type is not SymbolType.Number:
            found = f"evidence({target},{name},{value}) has no number"
            raise RuleError(found, expected="a value from 0 to 100")
        evidence[target][str(name)] = value.number
    tokens: dict[tuple[int, Symbol], list[int]] = defaultdict(list)
    for side, span, index in by_predicate[v.SPAN_TOKEN.signature]:
        tokens[side.number, span].append(index.number)
    labels: dict[tuple[Symbol, Symbol], set[str]] = defaultdict(set)
    for span1, span2, label, _ in by_predicate[v.LICENSED.signature]:
        labels[span1, span2].add(str(label))
    for span1, span2, label in by_predicate[v.FORBIDDEN_LABEL.signature]:
        labels[span1, span2].discard(str(label))
    informative = {(side.number, index.number) for side, index, _ in by_predicate[_INFORMATIVENESS]}

    def key(tokens1: Iterable[int], tokens2: Iterable[int]) -> tuple[tuple[int, ...], ...]:
        """The tokens that say something: gold is not consistent about punctuation marks."""
        return tuple(
            tuple(token for token in tokens if (side, token) in informative)
            for side, tokens in ((1, tokens1), (2, tokens2))
        )

    aligned = (line for line in gold.alignments if line.label.aligned)
    golden = {key(*line.sides): line for line in aligned}
    candidates = [
        Candidate(
            sides[0],
            sides[1],
            count.number,
            evidence[v.PAIR(span1, span2)],
            evidence[v.LINK(span1, span2)],
            (evidence[v.SIDE(Number(1), span1, span2)], evidence[v.SIDE(Number(2), span1, span2)]),
            frozenset(labels[span1, span2]),
            golden.get(key(*sides)),
        )
        for span1, span2, count in by_predicate[v.TOKEN_COUNT.signature]
        for sides in [(tuple(sorted(tokens[1, span1])), tuple(sorted(tokens[2, span2])))]
    ]
    candidates.sort(key=lambda candidate: (candidate.tokens1, candidate.tokens2))
    starts = {
        (side, chunk.first)
        for side, sentence in enumerate(gold.pair.sentences, 1)
        for chunk in sentence.chunks or ()
    }
    targets = sorted(symbol for symbol in evidence if symbol.name == v.BOUNDARY.name)
    boundaries = (
        Decision(evidence[target], tuple(place.number for place in target.arguments) in starts)
        for target in targets
    )
    return Example(gold, facts, tuple(boundaries), tuple(candidates))


def read_gold(path: Path, warn: Warn = ignore, *, skip_bad: bool = False) -> list[Reference]:
    """Read pairs with gold chunks, and their gold alignments, unaligned chunks included.

    The path is a folder with ``sent1.chunk.txt``, ``sent2.chunk.txt`` and ``gold.wa``, or a ``.wa``
    file of one-to-one alignments, such as the 2015 pilot's, whose sides are the chunks. ``warn``
    gets repairs, and with ``skip_bad`` the faulty pairs, which are left out.
    """
    missing = [name for name in (*CHUNKS, ALIGNMENTS) if not (path / name).is_file()]
    if missing and not path.is_file():
        expected = f"a folder with {', '.join(CHUNKS)} and {ALIGNMENTS}"
        hint = "Name such a folder with --gold, or a .wa file of one-to-one alignments"
        raise DataError(f"there is no {missing[0]}", where=str(path), expected=expected, hint=hint)
    file = path if path.is_file() else path / ALIGNMENTS
    references = read_references(file, warn=warn, skip_bad=skip_bad)
    golds, faults = [], Faults(warn if skip_bad else None)
    if file is path:
        for gold in references.values():
            with faults:
                golds.append(replace(gold, pair=_chunked(gold, file)))
    else:
        chunks = (path / name for name in CHUNKS)
        for pair in read_pairs(*chunks, chunked=True, warn=warn, skip_bad=skip_bad):
            with faults:
                golds.append(Reference(pair, _alignments(pair, references.get(pair.id), file)))
    faults.check()
    if not golds:
        raise DataError("no pairs", where=str(path), expected="at least one gold pair")
    return golds


def _chunked(gold: Reference, file: Path) -> Pair:
    """A pair with the sides of its lines as chunks: they have to cut both sentences into runs."""
    answer = given_answer(gold.pair, gold.alignments)
    for number, chunks in enumerate(answer.chunks, 1):
        sides = (line.tokens1 if number == 1 else line.tokens2 for line in gold.alignments)
        sorted_sides = sorted(filter(None, sides))
        if sorted_sides != [chunk.tokens for chunk in chunks]:
            listed = shortened(", ".join(str(list(side)) for side in sorted_sides))
            where = f"{file}: {of_pair(gold.pair.id)}, sentence {number}"
            found = f"the sides of the lines are {listed}"
            expected = "each token on one line, and neighbours on each side"
            hint = "Lines that merge chunks do not tell them apart: give a folder with chunk files"
            hint += f", {CHUNKS[0]} and {CHUNKS[1]}"
            raise DataError(found, where=where, expected=expected, hint=hint)
    return answer.pair


def _alignments(pair: Pair, reference: Reference | None, file: Path) -> tuple[Alignment, ...]:
    if reference is None:
        found = f"{of_pair(pair.id)} of the chunk files is not in it"
        raise DataError(found, where=str(file), expected="the alignments of every pair")
    if reference.pair.sizes != pair.sizes:
        found = "{} has {} and {} tokens".format(of_pair(pair.id), *reference.pair.sizes)
        expected = "{} and {}, as in the chunk files".format(*pair.sizes)
        hint = "Check that line N of the chunk files is the pair with the id N"
        raise DataError(found, where=str(file), expected=expected, hint=hint)
    return reference.alignments
