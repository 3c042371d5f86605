"""Weigh what the reader holds, beside the weights that all profiles share, and measure.

    python data/reader/train/weigh_reader.py --data DATA --work WORK -o weights/reader-english.lp

``WORK`` holds the models of ``train_reader.py``. The model of each fold reads the pairs of its
fold. Beside the sums of ``weights/english.lp`` one weight is fitted for what speaks for and
against a boundary, one for all labels, and a regression for scores; what the reader holds of
alignments counts as it should among the likely ones, see ``ALIGNED``.

``--measure`` learns all weights again without each fold, and without each kind of text, decides
what was left out, with the reader's opinions and without, and prints the official measures.
``--confidence FOLDER`` writes how often decisions of the folds were right, for each profile.

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
from ists_asp.learn.cross import (
    deal,
    fit_table,
    judge,
    learn_weights,
    render_rating_weights,
    render_table,
    render_weights,
)
from ists_asp.learn.examples import ExampleBuilder, read_gold, read_weights
from ists_asp.learn.fit import LABELS, SCORES, Settings, Weight, label_terms, score_terms
from ists_asp.learn.ratings import (
    RatingExampleBuilder,
    learn_ratings,
    mismatched,
    predict,
)
from ists_asp.model import Label

FOLDS = 5
ALIGNED = 200
"""What it is worth for an alignment that the reader holds it certain.

A logistic regression gives 75 to 165, which is right for all pairs together. Which of the likely
pairs are aligned, and rightly labelled, the reader knows better than that; but with 400 it leaves
out so much that alignment is better without it.
"""
ASKED = 20
"""How much more readily to align where the reader was asked: it sees more than words say."""
CORRECTIONS = {"answers-students": 80}
"""How many corrections the profile of a kind may have, if not 40."""
IMPOSSIBLE = -100_000
"""The sum of a label without a licence."""
LABEL_KEYS = [(f"reader({name})", name) for name in ("equi", "oppo", "simi", "rel")]
LABEL_KEYS.append(("reader(spe)", "this_spe"))
COMMON = "default"
"""The profile whose weights all English ones share."""
RATED = "sts-en"
"""The profile that rates pairs."""
DEFINITIONS = "OnWN"
"""Files of dictionary definitions: no weights are learned from them."""
RULES = Path(__file__).parents[3] / "lp_rules"


def bare(pair):
    """The pair without its chunks."""
    sides = {name: replace(getattr(pair, name), chunks=None) for name in ("sent1", "sent2")}
    return replace(pair, **sides)


def reader_of(work: Path, part: str) -> Path:
    """The folder of the model of a part, exported when it is first asked for."""
    folder = work / part
    if not (folder / "tokenizer.json").exists():
        export(work / f"{part}.pt", folder)
    return folder


def read(reader: Reader, pair) -> tuple[list[str], list[str]]:
    """What a model holds, by gold chunks and by those to be found; boundaries are open in both."""
    free = list(reader.read(bare(pair)))
    begins = [atom for atom in free if atom.startswith("reader_boundary")]
    return [*begins, *reader.read(pair)], free


def opinions(work: Path, golds, kind: str) -> dict[str, dict]:
    """For each pair its fold, and what its fold's model and that without its kind hold."""
    file = work / f"opinions-{kind}.json"
    if not file.exists():
        apart = Reader(reader_of(work, f"without-{kind}"))
        found = {gold.pair.id: {"apart": read(apart, gold.pair)} for gold in golds}
        for fold, (_, test) in enumerate(deal(golds, FOLDS, 1)):
            reader = Reader(reader_of(work, f"fold-{fold}"))
            for gold in test:
                found[gold.pair.id] |= {"fold": fold, "own": read(reader, gold.pair)}
        file.write_text(json.dumps(found))
    return json.loads(file.read_text())


@dataclass
class Judged:
    """An example with the weights that it is judged by beside the reader's."""

    example: object
    table: dict

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
    own = dict.fromkeys(LABEL_KEYS, 100)
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
    return dict.fromkeys(LABEL_KEYS, best)


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


def fit(judged) -> list[Weight]:
    """The weights of the reader's evidence."""
    table = {
        **fit_boundary(judged),
        ("reader_asked", "align"): ASKED,
        ("reader_for", "align"): ALIGNED,
        ("reader_against", "align"): -ALIGNED,
        **fit_label(judged),
        **fit_score(judged),
    }
    return [Weight(*key, value, 0) for key, value in table.items()]


def table_of(weights) -> dict:
    return {(one.name, one.decision): one.value for one in weights}


class Lessons:
    """The examples of each kind by the rules of profiles, and what is learned from some."""

    def __init__(self, options) -> None:
        self.golds = {
            kind: [
                replace(gold, pair=replace(gold.pair, id=f"{kind}.{gold.pair.id}"))
                for gold in read_gold(options.data / "ists-2016-train" / kind)
            ]
            for kind in KINDS
        }
        self.held = {
            name: one
            for kind, golds in self.golds.items()
            for name, one in opinions(options.work, golds, kind).items()
        }
        self.cache = options.cache
        self.teachers, self.known = {}, {}

    def teacher(self, profile: str) -> ExampleBuilder:
        if profile not in self.teachers:
            setup = Setup(profile, (RULES / "reader",), reader="none", cache=self.cache)
            self.teachers[profile] = ExampleBuilder(setup)
        return self.teachers[profile]

    def examples(self, profile: str, kind: str, which: str = "own") -> list:
        """With what the model of the fold holds, or that of what lies ``apart``."""
        key = profile, kind, which
        if key not in self.known:
            facts = {
                gold.pair.id: [parse_term(atom) for atom in self.held[gold.pair.id][which][0]]
                for gold in self.golds[kind]
            }
            self.known[key] = list(self.teacher(profile).examples(self.golds[kind], facts))
        return self.known[key]

    def senses(self, profile: str) -> dict:
        """Of the rules' own evidence."""
        every = self.teacher(profile).senses().items()
        return {key: sense for key, sense in every if not key[0].startswith("reader")}

    def left(self, fold: int | None, profile: str, kind: str) -> list:
        """The examples that are not of a fold."""
        every = self.examples(profile, kind)
        return [one for one in every if self.held[one.gold.pair.id]["fold"] != fold]

    def learned(self, kinds, fold: int | None) -> tuple[list[Weight], list[Weight]]:
        """The weights of all profiles, and those of the reader's evidence."""
        examples = [one for kind in kinds for one in self.left(fold, COMMON, kind)]
        base = learn_weights(examples, self.senses(COMMON), Settings())
        return base, fit([Judged(one, table_of(base)) for one in examples])

    def corrections(self, kind: str, fold: int | None, base) -> list[Weight]:
        settings = Settings(base=table_of(base), corrections=CORRECTIONS.get(kind, 40))
        return learn_weights(self.left(fold, kind, kind), self.senses(kind), settings)

    def decide(self, profile, examples, which, *some):
        """Answers with gold chunks and with found ones, and what is to be said of their sureness.

        Of ``some`` weights the first are whole, the second corrections, the others the reader's;
        without these its opinions are left out.
        """
        base, own, *reading = some
        text = render_weights(base, {}, "a fold", "learn")
        text += render_weights(own, {}, "a fold", "learn", corrections=True)
        text += "".join(render_weights(one, {}, "a fold", "learn") for one in reading)
        posed = []
        for chunked, place in ((True, 0), (False, 1)):
            for one in examples:
                own_facts = (fact for fact in one.facts if not fact.name.startswith("reader_"))
                atoms = self.held[one.gold.pair.id][which][place] if reading else ()
                facts = (*own_facts, *map(parse_term, atoms))
                posed.append((replace(one, facts=facts), chunked))
        found = list(self.teacher(profile).decide(text, posed))
        return found[: len(examples)], found[len(examples) :]


def tell(name: str, golds, decided) -> None:
    """Print the official measures."""
    for what, answers in zip(("gold chunks", "found chunks"), decided, strict=True):
        gold = {one.pair.id: one for one in golds}
        system = {
            one.pair.id: Reference(one.pair, answer.alignments)
            for one, (answer, _) in zip(golds, answers, strict=True)
        }
        scores = evaluate(gold, system).overall
        fields = ("alignment", "type", "score", "type_score")
        told = ", ".join(f"{field} {getattr(scores, field).f1:.4f}" for field in fields)
        print(f"{name}, {what}: {told}", flush=True)
    sides = [
        pair
        for gold, (answer, _) in zip(golds, decided[1], strict=True)
        for pair in (
            (gold.pair.sent1.chunks or (), answer.chunks1),
            (gold.pair.sent2.chunks or (), answer.chunks2),
        )
    ]
    print(compare_chunks(sides), flush=True)


def measure(lessons: Lessons, folder: Path | None) -> None:
    """Print what is reached on folds and on kinds left out, and write tables of sureness."""
    cases = {(profile, read): ([], ([], [])) for profile in (COMMON, *KINDS) for read in (0, 1)}
    for fold in range(FOLDS):
        base, reading = lessons.learned(KINDS, fold)
        for profile in (COMMON, *KINDS):
            own = [] if profile == COMMON else lessons.corrections(profile, fold, base)
            test = [
                one
                for kind in (KINDS if profile == COMMON else [profile])
                for one in lessons.examples(profile, kind)
                if lessons.held[one.gold.pair.id]["fold"] == fold
            ]
            for read in (0, 1):
                found = lessons.decide(profile, test, "own", base, own, *[reading][:read])
                golds, decided = cases[profile, read]
                golds += [one.gold for one in test]
                for some, more in zip(decided, found, strict=True):
                    some += more
    for (profile, read), (golds, decided) in cases.items():
        name = f"{profile}, {'with' if read else 'without'} the reader"
        tell(f"{name}, folds", golds, decided)
        if folder is not None:
            judged = [
                one
                for answers in decided
                for gold, (answer, leads) in zip(golds, answers, strict=True)
                for one in judge(gold, answer, leads)
            ]
            file = folder / f"confidence-{profile}{'-reader' if read else ''}.lp"
            head = f"profile {name}", f"{COMMAND} --confidence confidence"
            file.write_text(render_table(fit_table(judged), *head))
    for kind in KINDS:
        base, reading = lessons.learned([one for one in KINDS if one != kind], None)
        test = lessons.examples(COMMON, kind, "apart")
        for read in (0, 1):
            found = lessons.decide(COMMON, test, "apart", base, [], *[reading][:read])
            name = f"{kind} left out, {'with' if read else 'without'} the reader"
            tell(name, [one.gold for one in test], found)


COMMAND = "python data/reader/train/weigh_reader.py --data DATA --work WORK"


def weigh_ratings(options) -> None:
    """Weights of ratings, with what models hold about files of ratings that they have not seen."""
    files = {one.stem: one for one in sorted((options.data / "sts-en-train").glob("*.tsv"))}
    golds = {name: list(read_sts(file)) for name, file in files.items()}
    unrelated = {name: [] for name in golds}
    for gold in mismatched(list(golds.values())):
        # Their ids begin with the number of their file.
        unrelated[list(golds)[int(gold.pair.id.partition(".")[0]) - 1]].append(gold)
    readers = {
        name: reader_of(options.work, f"fold-{fold}")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--profile", choices=(COMMON, RATED), default=COMMON)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--measure", action="store_true", help="decide what is left out")
    parser.add_argument("--confidence", type=Path, metavar="FOLDER", help="measure, and write here")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.profile == RATED:
        weigh_ratings(options)
        return
    lessons = Lessons(options)
    if options.output:
        base = read_weights([RULES / "weights" / "english.lp"])
        examples = [one for kind in KINDS for one in lessons.examples(COMMON, kind)]
        weights = fit([Judged(one, base) for one in examples])
        write(options.output, table_of(weights))
    if options.measure or options.confidence:
        measure(lessons, options.confidence)


def write(output: Path, weights) -> None:
    """Write the weights as facts."""
    title = (
        "% Weights: of what the reader holds, fitted to opinions about pairs it had not seen.\n%\n"
        "% Purpose: what evidence of the reader of the value 100 is worth for (+) or against (-)\n"
        "%          a decision, in hundredths of log-odds, for scores of a point. These come\n"
        "%          on top of the weights of all English profiles. This writes the file again:\n"
        f"%          {COMMAND} -o weights/{output.name}\n"
        "\n"
    )
    order = ["boundary", "align", "label", "this_spe", "score"]
    rows = sorted(
        weights.items(), key=lambda one: order.index(one[0][1]) if one[0][1] in order else 2
    )
    output.write_text(
        title + "".join(f"weight({name},{what},{value}).\n" for (name, what), value in rows)
    )


if __name__ == "__main__":
    main()
