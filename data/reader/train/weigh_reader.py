"""Weigh what the reader holds: opinions about pairs it has not seen, on top of the rules' weights.

    python data/reader/train/weigh_reader.py --data DATA --work WORK --profile headlines -o FILE

``WORK`` holds the models of ``train_reader.py``. The model of each fold reads the pairs of its
fold; the profile's own weights are learned without that fold. On the sums of both, the weights of
the reader's evidence are fitted: a logistic regression for boundaries, one weight for all labels,
a regression for scores. Alignments have the same weight in all profiles; how readily to align is
what gives the best type+score F1.
What is printed for a fold comes from weights that were fitted on the other folds.

With ``--profile sts-en`` weights of ratings are learned, with what the model of each fold holds
about the files of ratings that it has not seen.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from clingo import parse_term
from export_reader import export
from scipy.optimize import minimize_scalar
from train_reader import KINDS, RATING_PARTS

from ists_asp.engine import Setup
from ists_asp.evaluate.ratings import correlation, weighted_mean
from ists_asp.evaluate.scorer import Reference, compare_chunks, evaluate
from ists_asp.io.pairs import read_sts
from ists_asp.knowledge.reader import Reader
from ists_asp.learn.cross import best_candidates, best_shift, deal, scored
from ists_asp.learn.examples import ExampleBuilder, read_gold
from ists_asp.learn.fit import (
    LABELS,
    SCORES,
    Settings,
    Weight,
    fit_alignments,
    fit_boundaries,
    fit_labels,
    fit_scores,
    label_terms,
    score_terms,
)
from ists_asp.learn.ratings import (
    RatingExampleBuilder,
    learn_ratings,
    mismatched,
    predict,
)
from ists_asp.learn.rendering import render_rating_weights, render_weights
from ists_asp.model import Label

FOLDS = 5
BASE = ("any_pair", "align")
ASKED = ("reader_asked", "align")
ALIGNED = 400
"""What it is worth for an alignment that the reader holds it certain, in all profiles.

A logistic regression gives 75 to 165, which is right for all pairs together. Which of the likely
pairs are aligned, and rightly labelled, the reader knows better than that.
"""
SHIFTS = range(-50, 301, 25)
"""How much more readily to align where the reader was asked, in hundredths: what is tried."""
IMPOSSIBLE = -100_000
"""The sum of a label without a licence."""
LABEL_KEYS = [(f"reader({name})", name) for name in ("equi", "oppo", "simi", "rel")]
LABEL_KEYS.append(("reader(spe)", "this_spe"))
RATED = "sts-en"
"""The profile that rates pairs."""
DEFINITIONS = "OnWN"
"""Files of dictionary definitions: no weights are learned from them."""


def bare(pair):
    """The pair without its chunks."""
    sides = {name: replace(getattr(pair, name), chunks=None) for name in ("sent1", "sent2")}
    return replace(pair, **sides)


def fold_reader(work: Path, fold: int) -> Path:
    """The folder of the model of a fold, exported when it is first asked for."""
    folder = work / f"fold-{fold}"
    if not (folder / "tokenizer.json").exists():
        export(work / f"fold-{fold}.pt", folder)
    return folder


def opinions(work: Path, golds, kind: str) -> dict[str, tuple[list, list]]:
    """For each pair the facts of what its fold's model holds, by gold chunks and by found ones."""
    file = work / f"opinions-{kind}.json"
    if not file.exists():
        found = {}
        for fold, (_, test) in enumerate(deal(golds, FOLDS, 1)):
            reader = Reader(fold_reader(work, fold))
            for gold in test:
                free = reader.read(bare(gold.pair))
                begins = [atom for atom in free if atom.startswith("reader_boundary")]
                given = [*begins, *reader.read(gold.pair)]
                found[gold.pair.id.partition(".")[2]] = [given, free]
        file.write_text(json.dumps(found))
    known = json.loads(file.read_text())
    return {
        gold.pair.id: tuple(
            [parse_term(atom) for atom in atoms] for atoms in known[gold.pair.id.partition(".")[2]]
        )
        for gold in golds
    }


@dataclass
class Judged:
    """An example with the sums that the profile's own weights give."""

    example: object
    table: dict
    found: list
    fold: int

    def sums(self, terms) -> float:
        return sum(self.table.get(key, 0) * value for key, value in terms) / 100


def fit_boundary(judged) -> dict:
    """One weight for what speaks for a boundary and against it, 0 to 1000."""
    rows = [
        (one.sums(((name, "boundary"), value) for name, value in d.evidence.items()), d)
        for one in judged
        for d in one.example.boundaries
    ]
    offsets = np.array([offset for offset, _ in rows])
    sign = np.array([1 if d.taken else -1 for _, d in rows])
    opinions = np.array(
        [d.evidence.get("reader_begins", 0) - d.evidence.get("reader_joins", 0) for _, d in rows]
    )

    def loss(weight):
        return np.logaddexp(0, -sign * (offsets / 100 + weight * opinions / 100)).sum()

    weight = round(100 * minimize_scalar(loss, bounds=(0, 10), method="bounded").x)
    return {("reader_begins", "boundary"): weight, ("reader_joins", "boundary"): -weight}


def fit_label(judged):
    sums, doubts, truth, counts = [], [], [], []
    own = dict.fromkeys(LABEL_KEYS, -100)
    for one in judged:
        for c in one.example.candidates:
            if c.gold:
                terms = [list(label_terms(c, label)) for label in LABELS]
                open_to = c.labels or LABELS
                sums.append(
                    [
                        one.sums(t) if label in open_to else IMPOSSIBLE
                        for label, t in zip(LABELS, terms, strict=True)
                    ]
                )
                doubts.append([sum(own.get(k, 0) * v for k, v in t) / 100 for t in terms])
                truth.append(LABELS.index(c.gold.label.value.lower()))
                counts.append(c.token_count)
    sums, doubts, counts = np.array(sums) / 100, np.array(doubts) / 100, np.array(counts)

    def hits(weight):
        total = sums + weight / 100 * doubts
        shown = total - total.max(1, keepdims=True)
        logs = shown - np.log(np.exp(shown).sum(1, keepdims=True))
        rows = np.arange(len(truth))
        # Sums are trained for decisions as well as for likelihood: so is their companion.
        right = (total.argmax(1) == truth) * counts
        likely = np.maximum(logs[rows, truth], -10) * counts
        return right.sum() / counts.sum() + 0.05 * likely.sum() / counts.sum()

    best = max(range(0, 1001, 50), key=hits)
    return dict.fromkeys(LABEL_KEYS, -best)


def fit_score(judged):
    rows, rest, counts = [], [], []
    for one in judged:
        for c in one.example.candidates:
            gold = c.gold
            if gold and gold.label is not Label.EQUI and gold.score is not None:
                if "reader_scores" not in c.link:
                    continue
                points = one.sums(score_terms(c, gold.label.value.lower()))
                rest.append(100 * min(max(round(gold.score), SCORES[0]), SCORES[-1]) - points)
                rows.append(
                    [1, c.link.get("reader_closer", 0) / 100, c.link.get("reader_farther", 0) / 100]
                )
                counts.append(c.token_count)
    x, y, w = np.array(rows), np.array(rest), np.sqrt(np.array(counts, float))
    found = np.linalg.lstsq(x * w[:, None], y * w, rcond=None)[0]
    return {
        ("reader_scores", "score"): round(found[0]),
        ("reader_closer", "score"): max(0, round(found[1])),
        ("reader_farther", "score"): min(0, round(found[2])),
    }


def measure(judged, answers):
    gold = {one.example.gold.pair.id: one.example.gold for one in judged}
    system = {
        one.example.gold.pair.id: Reference(one.example.gold.pair, tuple(lines))
        for one, lines in zip(judged, answers, strict=True)
    }
    return evaluate(gold, system).overall


def fit(judged):
    """All weights, without a shift."""
    return {
        **fit_boundary(judged),
        ASKED: 0,
        ("reader_for", "align"): ALIGNED,
        ("reader_against", "align"): -ALIGNED,
        **fit_label(judged),
        **fit_score(judged),
    }


def readiest(judged, weights) -> int:
    """How much readier to align where the reader was asked, each example weighed by its fold."""
    tables = {one.fold: {**one.table, **weights[one.fold]} for one in judged}
    found = [scored(tables[one.fold], one.example.candidates) for one in judged]

    def quality(shift):
        scores = measure(judged, [decide(candidates, shift) for candidates in found])
        return scores.type_score.f1 + scores.alignment.f1 / 3, -abs(shift)

    return max(SHIFTS, key=quality)


def decide(found, shift) -> tuple:
    """The alignments that are best together, before the solver."""
    return best_candidates(
        [one.alignment for one in found],
        [
            (one.worth + shift * (ASKED[0] in one.candidate.pair)) * one.candidate.token_count
            for one in found
        ],
    )


def as_weights(table: dict) -> list[Weight]:
    return [Weight(*key, value, 0) for key, value in table.items()]


def without(judged) -> dict:
    """Weights that take no notice of the reader, aligning as readily as is best."""
    tables = {one.fold: one.table for one in judged}
    shift = best_shift([(one.example, scored(one.table, one.example.candidates)) for one in judged])
    return {fold: {BASE: table[BASE] + shift} for fold, table in tables.items()}


def shifted(weights: dict, shift: int) -> dict:
    """The weights, aligning so much more readily."""
    return {**weights, ASKED: weights[ASKED] + shift}


def line(name, scores):
    parts = [
        f"{key} {getattr(scores, key).f1:.4f}"
        for key in ("alignment", "type", "score", "type_score")
    ]
    return f"{name}: {', '.join(parts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--solve", action="store_true", help="measure with the solver as well")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.profile == RATED:
        weigh_ratings(options)
        return
    kinds = [options.profile] if options.profile in KINDS else list(KINDS)
    golds, known, folds = [], {}, {}
    for number, kind in enumerate(kinds, 1):
        own = [
            replace(gold, pair=replace(gold.pair, id=f"{number}.{gold.pair.id}"))
            for gold in read_gold(options.data / "ists-2016-train" / kind)
        ]
        known.update(opinions(options.work, own, kind))
        for fold, (_, test) in enumerate(deal(own, FOLDS, 1)):
            folds.update((gold.pair.id, fold) for gold in test)
        golds += own
    reading = Path(__file__).parents[3] / "lp_rules" / "reader"
    with ExampleBuilder(Setup(options.profile, (reading,), cache=options.cache)) as teacher:
        examples = list(teacher.examples(golds, {key: both[0] for key, both in known.items()}))
        senses = {
            key: sense for key, sense in teacher.senses().items() if not key[0].startswith("reader")
        }
        judged = []
        for fold in range(FOLDS):
            train = [one for one in examples if folds[one.gold.pair.id] != fold]
            test = [one for one in examples if folds[one.gold.pair.id] == fold]
            file = options.work / f"linear-{options.profile}-{fold}.json"
            if not file.exists():
                # How readily to align is decided below, with the reader.
                weights = [
                    weight
                    for learn in (fit_boundaries, fit_alignments, fit_labels, fit_scores)
                    for weight in learn(train, senses, Settings())
                ]
                file.write_text(json.dumps([[w.name, w.decision, w.value] for w in weights]))
            table = {(name, what): value for name, what, value in json.loads(file.read_text())}
            judged += [Judged(one, table, known[one.gold.pair.id][1], fold) for one in test]
        crossed = {fold: fit([one for one in judged if one.fold != fold]) for fold in range(FOLDS)}
        shift = readiest(judged, crossed)
        crossed = {fold: shifted(found, shift) for fold, found in crossed.items()}
        weights = shifted(fit(judged), shift)
        print(shift, weights, flush=True)
        if options.output:
            write(options, weights)
        if options.solve:
            print("with the reader")
            solve(teacher, judged, crossed)
            print("without it")
            solve(teacher, judged, without(judged))


def solve(teacher, judged, crossed) -> None:
    """Measure with the solver, gold chunks and found ones."""
    answers = {True: [], False: []}
    for fold in range(FOLDS):
        test = [one for one in judged if one.fold == fold]
        weights = as_weights({**test[0].table, **crossed[fold]})
        text = render_weights(weights, {}, "a fold", "learn")
        given = [one.example for one in test]
        free = [
            replace(
                one.example,
                facts=(
                    *(fact for fact in one.example.facts if not fact.name.startswith("reader_")),
                    *one.found,
                ),
            )
            for one in test
        ]
        posed = [*((one, True) for one in given), *((one, False) for one in free)]
        decided = [answer for answer, _ in teacher.decide(text, posed)]
        answers[True] += decided[: len(test)]
        answers[False] += decided[len(test) :]
    for chunked, name in ((True, "gold chunks"), (False, "found chunks")):
        print(line(name, measure(judged, [one.alignments for one in answers[chunked]])))
    sides = [
        pair
        for one, answer in zip(judged, answers[False], strict=True)
        for pair in (
            (one.example.gold.pair.sent1.chunks or (), answer.chunks1),
            (one.example.gold.pair.sent2.chunks or (), answer.chunks2),
        )
    ]
    print(compare_chunks(sides), flush=True)


def weigh_ratings(options) -> None:
    """Weights of ratings, with what models hold about files of ratings that they have not seen."""
    files = {one.stem: one for one in sorted((options.data / "sts-en-train").glob("*.tsv"))}
    golds = {name: list(read_sts(file)) for name, file in files.items()}
    unrelated = {name: [] for name in golds}
    for gold in mismatched(list(golds.values())):
        # Their ids begin with the number of their file.
        unrelated[list(golds)[int(gold.pair.id.partition(".")[0]) - 1]].append(gold)
    readers = {
        name: fold_reader(options.work, fold)
        for fold, names in enumerate(RATING_PARTS)
        for name in names
    }
    for read in (False, True):
        found, odd = {}, []
        for name in golds:
            reader = str(readers[name]) if read else None
            setup = Setup(options.profile, reader=reader, cache=options.cache)
            with RatingExampleBuilder(setup) as teacher:
                found[name] = list(teacher.examples(name, golds[name]))
                odd += teacher.examples("", unrelated[name])
                highest = teacher.highest
        train = [one for name in golds if DEFINITIONS not in name for one in found[name]]
        results = {}
        for name in golds:
            weights = learn_ratings([one for one in train if one.data_set != name], odd, highest)
            rated = predict(found[name], weights, highest)
            results[name] = correlation([one.gold for one in found[name]], rated, name)
        print("with it" if read else "without it", {n: round(r.r, 4) for n, r in results.items()})
        print("mean", round(weighted_mean(results.values()).r, 4), flush=True)
    if options.output:
        command = (
            "python data/reader/train/weigh_reader.py --data DATA --work WORK"
            f" --profile {RATED} -o weights/reader-{RATED}.lp"
        )
        options.output.write_text(
            render_rating_weights(
                learn_ratings(train, odd, highest), f"profile {RATED} with a reader", command
            )
        )


def write(options, weights) -> None:
    """Write the weights as facts."""
    title = (
        f"% Weights: profile {options.profile}, of what the reader holds, fitted to opinions about"
        " pairs it had not seen.\n%\n"
        "% Purpose: what evidence of the reader of the value 100 is worth for (+) or against (-)\n"
        "%          a decision, in hundredths of log-odds, for scores of a point. These come\n"
        "%          on top of the profile's weights. This writes the file again:\n"
        "%          python data/reader/train/weigh_reader.py --data DATA --work WORK"
        f" --profile {options.profile} -o weights/reader-{options.profile}.lp\n"
        "\n"
    )
    order = ["boundary", "align", "label", "this_spe", "score"]
    rows = sorted(
        weights.items(), key=lambda one: order.index(one[0][1]) if one[0][1] in order else 2
    )
    options.output.write_text(
        title + "".join(f"weight({name},{what},{value}).\n" for (name, what), value in rows)
    )


if __name__ == "__main__":
    main()
