"""Explanations of sixty pairs of the train sets, drawn by chance and read one by one.

``train.tsv`` has a line a pair: set, id, explanation. The sentences are not in it; they are read
where the train data of SemEval-2016 Task 2 is. ``python -m tests.explain.train`` explains the same
pairs again and writes the file anew, to be read again.
"""

import random
from pathlib import Path

import ists_asp
from ists_asp.io.pairs import read_pairs

FILE = Path(__file__).with_name("train.tsv")
DATA = Path(__file__).parents[3] / "shared" / "data" / "ists-2016-train"
SETS = ("headlines", "images", "answers-students")
SEED, EACH = 1, 20


def drawn(name):
    """Pairs of a set, the same ones whenever they are drawn."""
    pairs = list(read_pairs(DATA / name / "sent1.txt", DATA / name / "sent2.txt"))
    return random.Random(SEED).sample(pairs, EACH)


def explained(name):
    """What is said of them, by their ids."""
    with ists_asp.load(name) as system:
        answers = list(system.solve_many(drawn(name)))
        return {each.answer.pair.id: each.text for each in system.explain_many(answers)}


def read_texts():
    """What was said when somebody read it, by set and id."""
    lines = (line.split("\t") for line in FILE.read_text("utf-8").splitlines())
    return {(name, identifier): text for name, identifier, text in lines}


if __name__ == "__main__":
    FILE.write_text(
        "".join(
            f"{name}\t{identifier}\t{text}\n"
            for name in SETS
            for identifier, text in explained(name).items()
        ),
        "utf-8",
    )
