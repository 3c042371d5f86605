"""Learn what evidence weighs for verdicts on students' answers, and measure.

    python data/feedback/weigh_feedback.py --data DATA --work WORK -o lp_rules/weights

``DATA`` holds ``sra-2013-train/``: ``answers.tsv`` and ``references.tsv``. Evidence is collected
once, into ``WORK/evidence.jsonl``; a run that is stopped goes on there. Two files are written:
``feedback.lp`` with weights for evidence of any kind of text, and ``feedback-answers-students.lp``
with weights for words of electric circuits besides, each in relation to the model answer. Printed
is what cross-validation gives, by leaving out one question after the other, and by leaving out
answers to questions that are known.
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
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, confusion_matrix, f1_score
from sklearn.model_selection import KFold

from ists_asp.engine import Setup, System
from ists_asp.explain import load_templates
from ists_asp.explain.feedback import Attempt, Submission
from ists_asp.rules import Purpose

VERDICTS = {
    "correct": "correct",
    "contradictory": "contradictory",
    "partially_correct_incomplete": "incomplete",
    "irrelevant": "irrelevant",
    "non_domain": "no_answer",
}
NAMES = list(VERDICTS.values())
ORDER = ["no_answer", "correct", "contradictory", "incomplete", "irrelevant"]
PROFILE = "answers-students"
SCRIPT = "data/feedback/weigh_feedback.py"
STRENGTH = 0.3
"""The inverse strength of the penalty on weights."""
WORDS = ("both_say", "lacks", "instead", "joins")
"""Names of evidence from words."""
ALONE, RUN, INSTEAD, RUN_INSTEAD = 100, 70, 50, 30
"""The values of evidence from words, as `lp_rules/feedback/evidence.lp` has them."""
LEAST = 6
"""Answers that evidence from words must have been found in."""
KEPT = 2500
"""Words and pairs of words that have weights at most."""
WHOLE = {"break_long_words": False, "break_on_hyphens": False}
SMALLEST = 8
"""Weights that are smaller, in hundredths, are left out."""
FOLDS = 10
BATCH = 50


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table with tabs, by the names of its columns."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def collect(data: Path, kept: Path) -> list[dict]:
    """The evidence of each answer: names and values, plain rules, lemmas of both sides."""
    rows = read(data / "sra-2013-train" / "answers.tsv")
    references = {
        row["question_id"]: row["reference"]
        for row in read(data / "sra-2013-train" / "references.tsv")
    }
    kept.touch()
    found = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    if len(found) == len(rows):
        return found
    templates = load_templates("en")
    with System(Setup(PROFILE)) as system, kept.open("a", encoding="utf-8") as stream:
        rest = iter(rows[len(found) :])
        while some := list(islice(rest, BATCH)):
            attempts = []
            for row in some:
                # Each is one point: none has a semicolon.
                reference = references[row["question_id"]]
                answer = Submission(row["id"], row["question"], row["answer"], (reference,))
                attempts.append(Attempt(answer, reference))
            items = system.point_items(attempts, templates)
            solver = system.program(Purpose.FEEDBACK).solver
            for row, best in zip(some, solver.best_of_all(items), strict=True):
                atoms = best.atoms
                one = {
                    "question": row["question_id"],
                    "verdict": VERDICTS[row["verdict"]],
                    "evidence": {
                        str(atom.arguments[1]): atom.arguments[2].number
                        for atom in atoms.get("evidence", ())
                        if atom.arguments[0] == "answer" and not atom.arguments[1].startswith(WORDS)
                    },
                    "plain": {
                        str(atom.arguments[0]): str(atom.arguments[1])
                        for atom in atoms.get("plain", ())
                    },
                    "barred": [str(atom.arguments[0]) for atom in atoms.get("barred", ())],
                    "says": _by_side(atoms.get("says", ())),
                    "next": _by_side(atoms.get("says_next", ())),
                }
                found.append(one)
                stream.write(json.dumps(one) + "\n")
            stream.flush()
            print(f"{len(found)} of {len(rows)}", flush=True)
    return found


def _by_side(atoms: list) -> list[list[str]]:
    """What the answer says, and what the model answer."""
    return [
        sorted(
            ",".join(map(str, atom.arguments[1:])) for atom in atoms if atom.arguments[0] == side
        )
        for side in ("1", "2")
    ]


def _words(one: dict) -> dict[str, int]:
    """The evidence from words of one answer, with its values."""
    (mine, others), (runs, told) = (map(set, one[name]) for name in ("says", "next"))
    joined = [run for run in runs - told if not others.isdisjoint(_parts(run))]
    return (
        {f"both_say({word})": ALONE for word in mine & others}
        | {f"lacks({word})": ALONE for word in others - mine}
        | {f"instead({a},{b})": INSTEAD for a in mine - others for b in others - mine}
        | {f"instead({run},{b})": RUN_INSTEAD for run in runs - told for b in others - mine}
        | {f"both_say({run})": RUN for run in runs & told}
        | {f"lacks({run})": RUN for run in told - runs}
        | {f"joins({run})": RUN for run in joined}
    )


def _parts(run: str) -> list[str]:
    """The two words of a run, whatever their letters."""
    return [f'"{word}"' for word in run[1:-1].split('","')]


class Features:
    """What is weighed, as a matrix: values from 0 to 1; names as rules have them."""

    def __init__(self, examples: list[dict], *, words: bool) -> None:
        general = [one["evidence"] for one in examples]
        self.matrix, self.names = _matrix(general, 4)
        self.general = len(self.names)
        if words:
            part, names = _matrix([_words(one) for one in examples], LEAST)
            self.matrix = hstack([self.matrix, part]).tocsr()
            self.names += names


def _matrix(rows: list[dict[str, int]], least: int) -> tuple[csr_matrix, list[str]]:
    often = Counter(name for row in rows for name in row)
    names = sorted(name for name, number in often.items() if number >= least)
    place = {name: number for number, name in enumerate(names)}
    cells = [
        (at, place[name], value / 100)
        for at, row in enumerate(rows)
        for name, value in row.items()
        if name in place
    ]
    at, column, value = zip(*cells, strict=True)
    return csr_matrix((value, (at, column)), shape=(len(rows), len(names))), names


def learn(
    features: Features, wanted: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weights in hundredths, a column a verdict, and that of every answer; few words have any."""

    def fit(columns: np.ndarray) -> LogisticRegression:
        model = LogisticRegression(C=STRENGTH, max_iter=200)
        return model.fit(features.matrix[rows][:, columns], wanted[rows])

    every = np.arange(len(features.names))
    model = fit(every)
    if len(every) > features.general + KEPT:
        strength = np.abs(model.coef_).max(axis=0)
        strength[: features.general] = np.inf
        every = np.sort(np.argsort(-strength, kind="stable")[: features.general + KEPT])
        model = fit(every)
    weights = np.zeros((len(features.names), len(NAMES)))
    weights[every] = np.round(100 * model.coef_.T)
    weights[np.abs(weights) < SMALLEST] = 0
    return weights, np.round(100 * model.intercept_)


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
        plain = [ORDER.index(verdict) for verdict in one["plain"].values()]
        if plain:
            found[at] = NAMES.index(ORDER[min(plain)])
    return found


def show(title: str, wanted: np.ndarray, found: np.ndarray) -> None:
    """Print how good verdicts are, and which are taken for which."""
    three = [np.minimum(each, 2) for each in (_threes(wanted), _threes(found))]
    print(f"\n{title}")
    print(f"  accuracy of three verdicts {np.mean(three[0] == three[1]):.3f}")
    print(f"  accuracy of five           {np.mean(wanted == found):.3f}")
    print(f"  macro F1 of five           {f1_score(wanted, found, average='macro'):.3f}")
    print(f"  kappa of five              {cohen_kappa_score(wanted, found):.3f}")
    print("  " + " ".join(f"{name:>13}" for name in ("gold \\ found", *NAMES)))
    for name, row in zip(NAMES, confusion_matrix(wanted, found), strict=True):
        print("  " + " ".join(f"{cell:>13}" for cell in (name, *row)))


def _threes(verdicts: np.ndarray) -> np.ndarray:
    """Correct, contradictory, the rest."""
    return np.array([{"correct": 0, "contradictory": 1}.get(NAMES[each], 2) for each in verdicts])


def plain_rules(examples: list[dict]) -> dict[str, tuple[int, int]]:
    """How often each plain rule fired, and how often it was right."""
    found: dict[str, tuple[int, int]] = {}
    for one in examples:
        for name, verdict in one["plain"].items():
            fired, right = found.get(name, (0, 0))
            found[name] = fired + 1, right + (verdict == one["verdict"])
    return found


def write(
    target: Path, title: str, features: Features, weights: np.ndarray, base: np.ndarray
) -> None:
    """Write a file of weights."""
    lines = [
        f"% Weights of verdicts: {title}, learned from graded answers.",
        "%",
        "% Purpose: how many hundredths of log-odds evidence adds to a verdict where there is all",
        "%          of it. This writes the file again:",
        f"%          python {SCRIPT} --data DATA --work WORK -o lp_rules/weights",
        "",
    ]
    for verdict, weight in zip(NAMES, base, strict=True):
        lines.append(f"weight(base,{verdict},{int(weight)}).")
    order = sorted(
        range(len(features.names)), key=lambda at: (at >= features.general, features.names[at])
    )
    for at in order:
        name, own = features.names[at], weights[at]
        parts = [
            f"{name},{verdict},{int(weight)}"
            for verdict, weight in zip(NAMES, own, strict=True)
            if weight
        ]
        if parts:
            lines += wrap(f"weight({'; '.join(parts)}).", 120, subsequent_indent="    ", **WHOLE)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def count(target: Path, rules: dict[str, tuple[int, int]]) -> None:
    """Write how often plain rules are right."""
    lines = [
        "% How often plain rules are right, counted on graded answers.",
        "%",
        f"% Purpose: what is said of how sure their verdicts are. {SCRIPT} writes the file.",
        "",
    ]
    for name, (fired, right) in sorted(rules.items()):
        lines.append(f'%@rule counted_{name}: "right in {right} of {fired} answers"')
        lines.append(f"right_in({name},{round(100 * (right + 1) / (fired + 2))}).")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Collect, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    examples = collect(given.data, given.work / "evidence.jsonl")
    wanted = np.array([NAMES.index(one["verdict"]) for one in examples])
    questions = np.array([one["question"] for one in examples])
    rules = plain_rules(examples)
    for name, (fired, right) in sorted(rules.items()):
        print(f"plain rule {name}: {right} of {fired} right")
    count(given.output.parent / "feedback" / "precision.lp", rules)
    every = np.arange(len(examples))
    left_out = [every[questions == one] for one in sorted(set(questions))]
    dealt = [test for _, test in KFold(FOLDS, shuffle=True, random_state=0).split(every)]
    for words, name in ((False, "feedback"), (True, "feedback-answers-students")):
        features = Features(examples, words=words)
        for title, parts in (("questions left out", left_out), ("answers left out", dealt)):
            found = np.empty(len(every), dtype=int)
            for test in parts:
                weights, base = learn(features, wanted, np.setdiff1d(every, test))
                found[test] = decide(examples, features, weights, base)[test]
            show(f"{name}: {title}", wanted, found)
        weights, base = learn(features, wanted, every)
        title = "any kind of text" if not words else f"profile {PROFILE}"
        write(given.output / f"{name}.lp", title, features, weights, base)


if __name__ == "__main__":
    main()
