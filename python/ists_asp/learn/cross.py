"""Cross-validation: learn on some folds, let the solver decide the others, score officially.

Held-out decisions also give confidence. Those of a kind are sorted by lead, and steps that never
fall are fitted to the share of right ones (pool adjacent violators). A step has at least
:data:`_LEAST` decisions and rises by at least :data:`_RISE` percent; few decisions shrink towards
all like them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from statistics import fmean, stdev
from typing import TypeVar

from ists_asp.confidence import Kind, Lead, Leads
from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Chunking, Reference, Scores, compare_chunks, evaluate
from ists_asp.learn import fit
from ists_asp.learn.examples import Example, ExampleBuilder, Senses
from ists_asp.model import Answer, Label, Scheme
from ists_asp.terminal import unbroken
from ists_asp.vocabulary import CONFIDENCE, CORRECTION, RATING_MARGIN, WEIGHT

Decided = tuple[Reference, Answer, tuple["Judged", ...]]

_SECTIONS = {
    "boundary": "Chunk boundaries",
    "align": "Alignments",
    "label": "Labels",
    "score": "Scores, in hundredths of a point: where labels begin, and what is added or taken",
}
_ORDER = (
    *("boundary", "inside", "align", "alone", "equi", "oppo"),
    *("spe", "this_spe", "other_spe", "simi", "rel"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """Decisions that lead by ``lead`` or more: how many, and how many in 100 are right."""

    lead: int
    percent: int
    count: int


def render_weights(
    weights: Sequence[fit.Weight],
    sentences: Mapping[str, str],
    title: str,
    command: str,
    *,
    corrections: bool = False,
) -> str:
    """Return the text of a rule file, one name of evidence a line, the heaviest first.

    ``sentences`` are those of the rules that find evidence, by its name or family; ``command`` is
    the command line that writes the file again.
    """
    predicate, kind, about = WEIGHT, "Weights", "what evidence of the value 100"
    if corrections:
        predicate, kind, about = CORRECTION, "Corrections", "what is added to what evidence"
    purpose = (
        f"{about} is worth for (+) or against (-) a decision, in",
        "hundredths of a log-odds unit; behind it in how many examples there was any, and",
        "what the evidence is. A line may be changed by hand: learn --keep keeps it.",
    )
    lines: list[str] = []
    for section, heading in _SECTIONS.items():
        names: dict[str, list[fit.Weight]] = defaultdict(list)
        for weight in weights:
            if fit.decision_of(weight.decision) == section:
                names[weight.name].append(weight)
        if not names:
            continue
        lines += ["", f"% {heading}"]
        for name in sorted(names, key=lambda name: (-max(abs(w.value) for w in names[name]), name)):
            group = names[name]
            group.sort(key=lambda w: _ORDER.index(w.decision) if w.decision in _ORDER else -1)
            inside = "; ".join(f"{name},{weight.decision},{weight.value}" for weight in group)
            sentence = sentences.get(name) or sentences.get(name.partition("(")[0], "")
            support = max(weight.support for weight in group)
            fact = f"{predicate.name}({inside})."
            lines.append(f"{fact}  % {support}: {unbroken(sentence)}".rstrip(": "))
    return _file(f"{kind}: {title}", purpose, command, lines)


def render_rating_weights(weights: Sequence[fit.Weight], title: str, command: str) -> str:
    """Return the text of a rule file of what evidence is worth for a rating, strongest first."""
    purpose = (
        "how many thousandths of a point evidence adds to a rating, or takes from it,",
        "where there is all of it; behind each, in how many pairs there was some.",
    )
    ordered = sorted(weights, key=lambda weight: (-abs(weight.value), weight.name))
    facts = {f"{WEIGHT.name}({w.name},{w.decision},{w.value}).": w.support for w in ordered}
    width = max(map(len, facts), default=0)
    lines = ["", *(f"{fact:<{width}}  % {support}" for fact, support in facts.items())]
    return _file(f"Weights of ratings: {title}", purpose, command, lines)


def render_margins(margins: Iterable[tuple[int, int, int]], title: str, command: str) -> str:
    """Return the text of a rule file of how far ratings were from those of people."""
    purpose = (
        "from how many thousandths on ratings were how far from those of people in two of",
        "three pairs that no weight had seen; behind it of how many.",
    )
    lines = [f"{RATING_MARGIN.name}({band},{margin}).  % {n}" for band, margin, n in margins]
    return _file(f"Margins of ratings: {title}", purpose, command, ["", *lines])


def render_table(table: Mapping[Kind, Sequence[Step]], title: str, command: str) -> str:
    """Return the text of a rule file with a line for each kind of decision."""
    purpose = (
        "in how many of 100 cases decisions that lead so far are right, learned from pairs",
        "that no weight had seen; behind each kind how many decisions there were.",
    )
    lines: list[str] = []
    for chunks, kinds in groupby(table.items(), lambda item: item[0][1]):
        lines += ["", f"% Chunks that are {chunks}"]
        for (name, _), steps in kinds:
            inside = "; ".join(f"{name},{chunks},{step.lead},{step.percent}" for step in steps)
            lines.append(f"{CONFIDENCE.name}({inside}).  % {sum(step.count for step in steps)}")
    return _file(f"Confidence: {title}", purpose, command, lines)


def _file(title: str, purpose: Sequence[str], command: str, lines: Sequence[str]) -> str:
    """The text of a file of facts, below what it is and how it is made again."""
    first, *rest = (*purpose, "This writes the file again:", command)
    head = [f"% {unbroken(title)}, learned from gold.", "%", f"% Purpose: {first}"]
    return "\n".join([*head, *(f"%          {unbroken(line)}" for line in rest), *lines]) + "\n"


T = TypeVar("T")


def deal(items: Sequence[T], folds: int, seed: int) -> Iterator[tuple[list[T], list[T]]]:
    """Yield (train, test) for each fold; every item is in one test part."""
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)
    for fold in range(folds):
        test = set(order[fold::folds])
        yield (
            [item for number, item in enumerate(items) if number not in test],
            [item for number, item in enumerate(items) if number in test],
        )


def learn_weights(
    examples: Sequence[Example], senses: Senses, settings: fit.Settings
) -> list[fit.Weight]:
    """Fit corrections of the weights that there are, or weights where there are none."""
    fits = fit.fit_boundaries, fit.fit_alignments, fit.fit_labels, fit.fit_scores
    return [weight for fit in fits for weight in fit(examples, senses, settings)]


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Held-out answers of all folds scored in one go, and each fold by itself."""

    overall: Scores
    folds: tuple[Scores, ...]
    chunking: Chunking | None  # None where gold chunks were given
    judged: tuple[tuple[Judged, ...], ...] = ()  # of each fold, with how far they led

    def spread(self, measure: str) -> tuple[float, float]:
        """Mean and standard deviation over the folds of the F1 of a field of ``Scores``."""
        values = [getattr(fold, measure).f1 for fold in self.folds]
        return fmean(values), stdev(values)


def cross_validate(
    teacher: ExampleBuilder,
    examples: Sequence[Example],
    settings: fit.Settings,
    *,
    folds: int,
    tick: Callable[[], None] = lambda: None,
) -> tuple[CrossValidation, CrossValidation]:
    """Learn from all but one of ``folds`` parts of examples, from 2, and :func:`validate`."""
    if not 2 <= folds <= len(examples):
        expected = "two parts or more, and a pair for each of them"
        raise UsageError(f"{folds} parts of {len(examples)} gold pairs", expected=expected)
    senses = teacher.senses()
    dealt = deal(examples, folds, settings.seed + 1)
    parts = ((learned_rules(train, senses, settings), test) for train, test in dealt)
    return validate(teacher, parts, settings.scheme, tick)


def learned_rules(examples: Sequence[Example], senses: Senses, settings: fit.Settings) -> str:
    """Return weights that are learned, or those that there are and corrections, as rules."""
    base = [fit.Weight(*key, value, 0) for key, value in settings.base.items()]
    learned = learn_weights(examples, senses, settings)
    text = render_weights(learned, {}, "a part", "learn", corrections=bool(base))
    return render_weights(base, {}, "before", "learn") + text


def validate(
    teacher: ExampleBuilder,
    weighed: Iterable[tuple[str, Sequence[Example]]],
    scheme: Scheme,
    tick: Callable[[], None] = lambda: None,
) -> tuple[CrossValidation, CrossValidation]:
    """Decide parts with gold chunks and with found chunks, in this order, and score the answers.

    A part comes with rules of weights that have not seen it. ``tick`` is called after each answer.
    """
    scenarios: dict[bool, list[list[Decided]]] = {True: [], False: []}
    for text, test in weighed:
        decided = teacher.decide(text, [(gold, chunked) for chunked in scenarios for gold in test])
        for parts in scenarios.values():
            parts.append([])
            for example in test:
                answer, leads = next(decided)
                judged = tuple(judge(example.gold, answer, leads))
                parts[-1].append((example.gold, answer, judged))
                tick()
    with_gold, with_found = (
        CrossValidation(
            _score(chain.from_iterable(parts), scheme),
            tuple(_score(part, scheme) for part in parts),
            None
            if chunked
            else compare_chunks(
                (sentence.chunks or (), chunks)
                for gold, answer, _ in chain.from_iterable(parts)
                for sentence, chunks in zip(gold.pair.sentences, answer.chunks, strict=True)
            ),
            tuple(tuple(chain.from_iterable(judged for *_, judged in part)) for part in parts),
        )
        for chunked, parts in scenarios.items()
    )
    return with_gold, with_found


def _score(decided: Iterable[Decided], scheme: Scheme) -> Scores:
    gold, system = {}, {}
    for right, answer, _ in decided:
        gold[right.pair.id] = right
        system[answer.pair.id] = Reference(answer.pair, answer.alignments)
    return evaluate(gold, system, scheme).overall


_LEAST = 20
_RISE = 3
_LEANING = 4.0
_ROUND = 10
_SUREST = 99


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision: its kind, how far it led, and whether people had decided so."""

    kind: Kind
    lead: int
    right: bool


def judge(gold: Reference, answer: Answer, leads: Leads) -> Iterator[Judged]:
    """Compare decisions of an answer with gold; labels and scores only of right alignments."""

    def judged(lead: Lead, *, right: bool) -> Judged:
        return Judged((lead[0], leads.chunks), lead[1], right)

    golden = {line.sides: line for line in gold.alignments}
    for line, (aligned, label, score) in zip(answer.alignments, leads.lines, strict=True):
        gold_line = golden.get(line.sides)
        if aligned is not None:
            yield judged(aligned, right=gold_line is not None)
        if gold_line is not None and label is not None:
            yield judged(label, right=line.label == gold_line.label)
        if gold_line is not None and score is not None and score != label:
            yield judged(score, right=line.score == gold_line.score)
    golds, chunks = gold.pair.sentences, answer.chunks
    for sentence, side, boundaries in zip(golds, chunks, leads.boundaries, strict=True):
        ours, theirs = ({chunk.first for chunk in runs} for runs in (side, sentence.chunks or ()))
        for token, lead in enumerate(boundaries, 2):
            yield judged(lead, right=(token in ours) == (token in theirs))


def fit_table(judged: Iterable[Judged]) -> dict[Kind, tuple[Step, ...]]:
    """Fit steps that never fall to the share of right decisions, for each kind."""
    by_kind: dict[Kind, list[Judged]] = defaultdict(list)
    alike: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for decision in judged:
        by_kind[decision.kind].append(decision)
        alike[_family(decision.kind)].append(decision.right)
    return {
        kind: _steps(by_kind[kind], fmean(alike[_family(kind)]))
        for kind in sorted(by_kind, key=_place)
    }


def _family(kind: Kind) -> tuple[str, str]:
    # All labels are alike, and all scores.
    name, chunks = kind
    family = "label" if name.upper() in Label.__members__ or name == "spe" else name
    return family.partition("(")[0], chunks


def _place(kind: Kind) -> tuple[str, int, str]:
    name, chunks = kind
    return chunks, _ORDER.index(name) if name in _ORDER else len(_ORDER), name


def _steps(judged: Sequence[Judged], base: float) -> tuple[Step, ...]:
    """Pool adjacent violators, then what is too small, or hardly rises, with its neighbour."""
    # Leads are rounded down, so that a table does not rest on single units.
    values: dict[int, list[bool]] = defaultdict(list)
    for decision in judged:
        values[decision.lead // _ROUND * _ROUND].append(decision.right)
    blocks: list[tuple[int, int, int]] = []

    def pool(place: int) -> None:
        (lead, right, count), (_, added, others) = blocks[place - 1 : place + 1]
        blocks[place - 1 : place + 1] = [(lead, right + added, count + others)]

    for lead, verdicts in sorted(values.items()):
        blocks.append((lead, sum(verdicts), len(verdicts)))
        while len(blocks) > 1 and (
            blocks[-2][2] < _LEAST or blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]
        ):
            pool(len(blocks) - 1)
    while len(blocks) > 1:
        shares = [_share(right, count, base) for _, right, count in blocks]
        rise, place = min((b - a, n) for n, (a, b) in enumerate(pairwise(shares), 1))
        if 100 * rise < _RISE:
            pool(place)
        elif blocks[-1][2] < _LEAST:
            pool(len(blocks) - 1)
        else:
            break
    return tuple(
        Step(lead, min(_SUREST, round(100 * _share(right, count, base))), count)
        for lead, right, count in blocks
    )


def _share(right: int, count: int, base: float) -> float:
    return (right + _LEANING * base) / (count + _LEANING)
