"""Learn what evidence weighs for verdicts on students' answers, and measure.

    python data/feedback/weigh_feedback.py --data DATA --work WORK -o lp_rules

``DATA`` holds ``sra-2013-train/``: ``answers.tsv`` and ``references.tsv``; ``ten-subjects.csv``
and ``more-subjects.csv`` lie beside this file. Evidence is collected once, into
``WORK/evidence.jsonl``; a run that is stopped goes on there. The reader learns verdicts from the
answers about circuits alone, so that those in other subjects tell how far to trust it elsewhere;
what it gives each of them is from readers that have not seen its question. Written are that part
of the reader, ``weights/feedback.lp``, and ``feedback/precision.lp``, how often plain rules are
right. Printed is what cross-validation gives, by leaving out one question after the other, and by
leaving out answers to questions that are known.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from itertools import islice
from pathlib import Path
from textwrap import wrap

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import StandardScaler

from ists_asp.engine import Setup, System
from ists_asp.explain import load_templates
from ists_asp.explain.feedback import Submission
from ists_asp.knowledge.reader import Reader, shipped_reader
from ists_asp.model import Pair
from ists_asp.rules import Purpose
from ists_asp.vocabulary import VERDICTS as READ

VERDICTS = {
    "correct": "correct",
    "contradictory": "contradictory",
    "partially_correct_incomplete": "incomplete",
    "irrelevant": "irrelevant",
    "non_domain": "no_answer",
}
NAMES = list(VERDICTS.values())
ORDER = ["no_answer", "contradictory", "correct", "incomplete", "irrelevant"]
SUBJECTS = ("ten-subjects.csv", "more-subjects.csv")
SCRIPT = "data/feedback/weigh_feedback.py"
PROFILES = {"en": "default", "es": "es"}
STRENGTH = 0.3  # the inverse strength of the penalty on weights
READER_STRENGTH = 1e-3  # and on those of the reader
OWN = 7  # an answer in other subjects counts as so many about circuits, where all of them are used
LEAST = 30  # answers that evidence must be found in
MOST = 120  # numbers that are kept, the largest
FOLDS = 10
BATCH = 50


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table, by the names of its columns."""
    kind = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if path.suffix == ".tsv" else {}
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, **kind))


def answers(data: Path, every: int) -> list[dict[str, str]]:
    """Graded answers: those in other subjects, and one of so many about circuits."""
    folder = data / "sra-2013-train"
    references = {row["question_id"]: row["reference"] for row in read(folder / "references.tsv")}
    rows = [
        {**row, "of": "subjects", "verdict": row["teacher"]}
        for name in SUBJECTS
        for row in read(Path(__file__).with_name(name))
    ]
    return rows + [
        {
            **row,
            "of": "circuits",
            "language": "en",
            "reference": references[row["question_id"]],
            "verdict": VERDICTS[row["verdict"]],
        }
        for row in read(folder / "answers.tsv")[::every]
    ]


def collect(rows: list[dict[str, str]], kept: Path) -> list[dict]:
    """The evidence of each answer: names and values, plain rules, verdicts that are barred."""
    kept.touch()
    done = {(one["of"], one["id"]): one for one in map(json.loads, kept.open(encoding="utf-8"))}
    for code, profile in PROFILES.items():
        own = [
            row for row in rows if row["language"] == code and (row["of"], row["id"]) not in done
        ]
        if not own:
            continue
        templates = load_templates(code)
        with System(Setup(profile)) as system, kept.open("a", encoding="utf-8") as stream:
            rest = iter(own)
            while some := list(islice(rest, BATCH)):
                attempts = [
                    (Submission(row["id"], row["question"], row["answer"], ()), row["reference"])
                    for row in some
                ]
                items = system.feedback_items(attempts, templates)
                solver = system.program(Purpose.FEEDBACK).solver
                for row, best in zip(some, solver.best_of_all(items), strict=True):
                    atoms = best.atoms
                    one = {
                        **{key: row[key] for key in ("of", "id", "question", "verdict")},
                        "evidence": {
                            str(atom.arguments[1]): atom.arguments[2].number
                            for atom in atoms.get("evidence", ())
                            if str(atom.arguments[0]) == "answer"
                        },
                        "plain": {
                            str(a.arguments[0]): str(a.arguments[1]) for a in atoms.get("plain", ())
                        },
                        "barred": [str(atom.arguments[0]) for atom in atoms.get("barred", ())],
                    }
                    done[one["of"], one["id"]] = one
                    stream.write(json.dumps(one) + "\n")
                stream.flush()
                print(f"{len(done)} of {len(rows)}", flush=True)
    return [done[row["of"], row["id"]] for row in rows]


def states(rows: list[dict[str, str]]) -> np.ndarray:
    """The states of each answer in the reader, a row each; NaN in Spanish, which it cannot read."""
    texts = [
        Submission(row["id"], row["question"], row["answer"], ()).beside(row["reference"])
        for row in rows
    ]
    listed = sorted({text or "." for pair in texts for text in pair})
    with System(Setup(PROFILES["en"])) as system:
        cut = dict(zip(listed, system.tokenize(listed), strict=True))
    reader = Reader(shipped_reader())
    seen = [
        reader.compared(Pair("", *(cut[text or "."] for text in pair)))[0]
        if row["language"] == "en"
        else None
        for row, pair in zip(rows, texts, strict=True)
    ]
    size = next(len(one) for one in seen if one is not None)
    return np.array([np.full(size, np.nan) if one is None else one for one in seen])


def learn_verdicts(
    seen: np.ndarray, wanted: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The reader's weights, a row a verdict, and its biases."""
    scaler = StandardScaler().fit(seen[rows])
    model = LogisticRegression(C=READER_STRENGTH, tol=1e-3, max_iter=300)
    model.fit(scaler.transform(seen[rows]), wanted[rows])
    weights = model.coef_ / scaler.scale_
    return weights, model.intercept_ - weights @ scaler.mean_


def read_verdicts(
    examples: list[dict], graded: list[dict], seen: np.ndarray, splits: list[np.ndarray], by: str
) -> list[dict]:
    """The examples with what readers give them that have not seen their part, by id or question."""
    read = [dict(one) for one in examples]
    wanted = np.array([NAMES.index(row["verdict"]) for row in graded])
    places = {(row["of"], row["id"]): place for place, row in enumerate(graded)}
    for part in splits:
        hidden = {examples[at][by] for at in part}
        known = [
            place
            for place, row in enumerate(graded)
            if row["of"] == "circuits" and row[by] not in hidden
        ]
        weights, biases = learn_verdicts(seen, wanted, np.array(known))
        for at in part:
            state = seen[places[examples[at]["of"], examples[at]["id"]]]
            about = examples[at]["of"] == "circuits"
            if about and "short_fact" not in examples[at]["evidence"]:
                odds = np.exp(weights @ state + biases)
                shares = 5 * np.round(20 * odds / odds.sum())
                given = {
                    f"reader_gives({name})": share
                    for name, share in zip(NAMES, shares, strict=True)
                }
                read[at]["evidence"] = {**examples[at]["evidence"], **given}
    return read


class Features:
    """What is weighed, as a matrix: values from 0 to 1; names as rules have them."""

    def __init__(self, examples: list[dict], names: list[str] | None = None) -> None:
        often = Counter(name for one in examples for name in one["evidence"])
        self.names = names or sorted(name for name, number in often.items() if number >= LEAST)
        self.matrix = np.array(
            [[one["evidence"].get(name, 0) / 100 for name in self.names] for one in examples]
        )


def learn(
    features: Features, wanted: np.ndarray, counted: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weights in hundredths, a column a verdict, and that of every answer; the largest are kept.

    What the reader gives a verdict counts for this verdict alone, and is learned last, so that
    nothing else weighs less where the reader is not asked.
    """
    columns = {name: column for column, name in enumerate(features.names)}
    given = [columns.get(f"reader_gives({name})") for name in NAMES]
    others = [column for column in range(len(columns)) if column not in given]
    matrix = features.matrix[rows]
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit(matrix[:, others], wanted[rows], sample_weight=counted[rows])
    weights = np.zeros((len(columns), len(NAMES)))
    weights[np.ix_(others, model.classes_)] = np.round(100 * model.coef_.T)
    base = np.zeros(len(NAMES))
    base[model.classes_] = np.round(100 * model.intercept_)
    smallest = np.sort(np.abs(weights), axis=None)[-(MOST - 2 * len(NAMES))]
    weights[np.abs(weights) < max(smallest, 1)] = 0
    if None not in given:
        known = matrix @ weights / 100 + base / 100
        shares, places = matrix[:, given], np.arange(len(rows))

        def loss(slopes: np.ndarray) -> float:
            odds = known + shares * slopes
            right = odds[places, wanted[rows]] - logsumexp(odds, axis=1)
            return slopes @ slopes / 2 / STRENGTH - counted[rows] @ right

        weights[given, range(len(NAMES))] = np.round(100 * minimize(loss, np.zeros(len(NAMES))).x)
    return weights, base


def decide(
    examples: list[dict], features: Features, weights: np.ndarray, base: np.ndarray
) -> np.ndarray:
    """Verdicts, as ``asp/judge.lp`` has them but for rounding; plain rules come first."""
    first = [NAMES.index(name) for name in ORDER]
    sums = features.matrix @ weights + base
    for at, one in enumerate(examples):
        sums[at, [NAMES.index(verdict) for verdict in one["barred"]]] = -np.inf
    found = np.array(first)[sums[:, first].argmax(axis=1)]
    for at, one in enumerate(examples):
        if one["plain"]:
            found[at] = NAMES.index(ORDER[min(map(ORDER.index, one["plain"].values()))])
    return found


def show(title: str, wanted: np.ndarray, found: np.ndarray) -> None:
    """Print how good verdicts are, and which are taken for which."""
    three = [np.minimum(verdicts, 2) for verdicts in (wanted, found)]
    wrong = np.mean(np.isin(wanted, (1, 3, 4)) & (found == 0))
    harsh = np.mean((wanted == 0) & (found == 1))
    print(f"\n{title}: {len(wanted)} answers")
    print(f"  accuracy of three verdicts {np.mean(three[0] == three[1]):.3f}")
    print(f"  accuracy of five           {np.mean(wanted == found):.3f}")
    print(f"  macro F1 of five           {f1_score(wanted, found, average='macro'):.3f}")
    print(f"  wrong called correct {100 * wrong:.1f} %, right contradictory {100 * harsh:.1f} %")
    print("  " + " ".join(f"{name:>13}" for name in ("gold \\ found", *NAMES)))
    for name, row in zip(NAMES, confusion_matrix(wanted, found, labels=range(5)), strict=True):
        print("  " + " ".join(f"{cell:>13}" for cell in (name, *row)))


def plain_rules(examples: list[dict]) -> dict[str, tuple[int, int]]:
    """How often each plain rule fired, and how often it was right."""
    found: dict[str, tuple[int, int]] = {}
    for one in examples:
        for name, verdict in one["plain"].items():
            fired, right = found.get(name, (0, 0))
            found[name] = fired + 1, right + (verdict == one["verdict"])
    return found


def only_open(examples: list[dict]) -> tuple[int, int]:
    """How often a single verdict was left to weigh, and how often it was right."""
    fired = right = 0
    for one in examples:
        left = set(NAMES) - set(one["barred"])
        if not one["plain"] and len(left) == 1:
            number = OWN if one["of"] == "subjects" else 1
            fired, right = fired + number, right + number * (one["verdict"] in left)
    return fired, right


def head(title: str, purpose: str) -> list[str]:
    """The comment at the top of a file that is written here."""
    return [
        f"% {title}",
        "%",
        f"% Purpose: {purpose}. This writes the file again:",
        f"%          python {SCRIPT} --data DATA --work WORK -o lp_rules",
        "",
    ]


def write(target: Path, features: Features, weights: np.ndarray, base: np.ndarray) -> None:
    """Write the file of weights."""
    lines = head(
        "Weights of verdicts, learned from graded answers.",
        "how many hundredths of log-odds evidence adds to a verdict where there is all of it",
    )
    cells = [
        f"{name},{verdict},{int(weight)}"
        for name, row in zip(("base", *features.names), (base, *weights), strict=True)
        for verdict, weight in zip(NAMES, row, strict=True)
        if weight
    ]
    lines += wrap(
        f"weight({'; '.join(cells)}).", 120, break_on_hyphens=False, subsequent_indent="    "
    )
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def count(target: Path, rules: dict[str, tuple[int, int]]) -> None:
    """Write how often plain rules are right."""
    lines = head(
        "How often plain rules are right, counted on graded answers.",
        "what is said of how sure their verdicts are",
    )
    shares = [
        f"{name},{round(100 * (right + 1) / (fired + 2))}"
        for name, (fired, right) in sorted(rules.items())
    ]
    lines.append('%@example "Vienna" | "Vienna" | "Where was the congress?": verdict correct')
    lines.append('%@rule counted_on_graded_answers: "so many of 100 such verdicts are right"')
    lines += wrap(f"right_in({'; '.join(shares)}).", 120, subsequent_indent="    ")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Collect, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="one of so many answers is used")
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    rows = answers(given.data, given.every)
    examples = collect(rows, given.work / "evidence.jsonl")
    for one in examples:
        for name in NAMES:
            one["evidence"].pop(f"reader_gives({name})", None)
    wanted = np.array([NAMES.index(one["verdict"]) for one in examples])
    questions = np.array([one["question"] for one in examples])
    own = np.array([one["of"] == "subjects" for one in examples])
    counted = np.where(own, OWN / given.every, 1.0)
    open_to = np.flatnonzero(
        [not one["plain"] and one["verdict"] not in one["barred"] for one in examples]
    )
    # How often a rule is right in other subjects says more than about circuits alone.
    rules = plain_rules(examples)
    rules |= plain_rules([one for one in examples if one["of"] == "subjects"])
    for name, (fired, right) in sorted(rules.items()):
        print(f"plain rule {name}: {right} of {fired} right")
    rules["only_open"] = only_open(examples)
    graded = answers(given.data, 1)
    seen = states(graded)
    every = np.arange(len(examples))
    splits = {
        "questions left out": GroupKFold(FOLDS).split(every, groups=questions),
        "answers left out": KFold(FOLDS, shuffle=True, random_state=0).split(every),
    }
    for title, split in splits.items():
        parts = [test for _, test in split]
        by = "question" if title == "questions left out" else "id"
        read = read_verdicts(examples, graded, seen, parts, by)
        if title == "questions left out":
            features = Features(read)
        tested = Features(read, features.names)
        found = np.empty(len(every), dtype=int)
        for test in parts:
            known = np.setdiff1d(open_to, test)
            found[test] = decide(read, tested, *learn(features, wanted, counted, known))[test]
        for name, kind in (("circuits", ~own), ("other subjects", own)):
            show(f"{name}, {title}", wanted[kind], found[kind])
    count(given.output / "feedback" / "precision.lp", rules)
    write(
        given.output / "weights" / "feedback.lp",
        features,
        *learn(features, wanted, counted, open_to),
    )
    heads = shipped_reader() / "heads.npz"
    with np.load(heads) as arrays:
        learned = dict(arrays)
    circuits = np.flatnonzero([row["of"] == "circuits" for row in graded])
    verdicts = np.array([READ.index(row["verdict"]) for row in graded])
    weights, biases = learn_verdicts(seen, verdicts, circuits)
    learned |= {"verdict.weight": weights, "verdict.bias": biases}
    np.savez_compressed(heads, **{name: one.astype(np.float16) for name, one in learned.items()})


if __name__ == "__main__":
    main()
