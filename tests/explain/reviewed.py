"""Explanations that were read one by one, and the answers that they are about.

``pairs.txt`` has given alignments. ``spanish.tsv`` has a line a pair: sentence, sentence,
explanation. ``train.tsv`` has sixty pairs of the train sets, drawn by chance: set, id, explanation;
their sentences are read where the train data of SemEval-2016 Task 2 is. After a change of wording
``python -m tests.explain.reviewed`` writes all three anew, to be read again.

``truth.tsv`` has classes of falsehoods, and what must and must not be said.

``judged.tsv`` has what somebody who did not write the rules said of the explanations of sixty pairs
of the development sets, drawn by chance: by version 0.2.0 and as they were on 26 November 2026,
read side by side without knowing which was which.

``read.tsv`` has pairs drawn by chance, with the fault for which a reader called an explanation bad,
before and after phrases were told whole, on 28 November 2026; fresh pairs were read once; later
ones before and after scraps of what both say were left out, by whoever changed the rules. Those of
a reader who wrote no rule are of 29 November 2026; a second agreed on 35 of 40 (kappa .78).
"""

import random
import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import ists_asp
from ists_asp.io.pairs import parse_chunks, read_pairs
from ists_asp.io.wa import given_answer
from ists_asp.model import Alignment, Label, Pair, Tag

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data" / "ists-2016-train"
SETS = ("headlines", "images", "answers-students")
SEED, EACH = 1, 20
_LINE = re.compile(r"([\d,]+)-([\d,]+) ([A-Z0-9]+)((?:_[A-Z]+)*) (\d)")


class Case(NamedTuple):
    profile: str
    sent1: str
    sent2: str
    lines: str
    text: str

    @property
    def answer(self):
        return make_answer(self.sent1, self.sent2, self.lines)


def read_table(name):
    """The lines of a file of this folder, cut at tabs; comments are left out."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


def read_cases():
    for block in (HERE / "pairs.txt").read_text("utf-8").split("\n\n")[1:]:
        *pair, lines, text = (line for line in block.splitlines() if not line.startswith("#"))
        yield Case(*pair, lines.removeprefix("-"), text.removeprefix("> "))


def make_answer(sent1, sent2, lines):
    """An answer from two lines of chunks and alignments such as ``1,2-3 SPE1_POL 4``."""
    sides = list(map(parse_chunks, (sent1, sent2)))
    free = [[chunk.tokens for chunk in side.chunks] for side in sides]
    alignments = []
    for *numbers, label, tags, score in _LINE.findall(lines):
        tokens = []
        for side, own, chosen in zip(sides, free, numbers, strict=True):
            runs = [side.chunks[int(number) - 1].tokens for number in chosen.split(",")]
            tokens.append(tuple(chain.from_iterable(runs)))
            own[:] = [run for run in own if run not in runs]
        marks = frozenset(Tag(tag) for tag in tags.split("_") if tag)
        alignments.append(Alignment(*tokens, Label(label), float(score), marks))
    alignments += [Alignment(run, (), Label.NOALI, None) for run in free[0]]
    alignments += [Alignment((), run, Label.NOALI, None) for run in free[1]]
    return given_answer(Pair("1", *sides), alignments)


def explain_all(system, cases):
    """Explanations of answers, by key; those of a profile are made together.

    Args:
        system: loads a profile.
        cases: profile and answer, by key.
    """
    found = {}
    for name in {profile for profile, _ in cases.values()}:
        own = [key for key, (profile, _) in cases.items() if profile == name]
        explained = system(name).explain_many(cases[key][1] for key in own)
        found |= zip(own, explained, strict=True)
    return found


def explained_pairs(system, rows):
    """What is said of rows of a table that begin with two sentences."""
    answers = list(system.solve_many((row[:2] for row in rows), tokens=True, rated=False))
    return [each.text for each in system.explain_many(answers)]


def explained_set(system, name):
    """What is said of pairs of a train set, the same ones whenever they are drawn, by their ids."""
    pairs = list(read_pairs(DATA / name / "sent1.txt", DATA / name / "sent2.txt"))
    answers = list(system.solve_many(random.Random(SEED).sample(pairs, EACH), rated=False))
    return {each.answer.pair.id: each.text for each in system.explain_many(answers)}


def _write(system):
    """Write what is said now."""
    head = "".join((HERE / "pairs.txt").read_text("utf-8").splitlines(keepends=True)[:2])
    blocks = [
        "\n".join((c.profile, c.sent1, c.sent2, c.lines or "-", f"> {text}"))
        for c in read_cases()
        for text in [system(c.profile).explain(c.answer).text]
    ]
    (HERE / "pairs.txt").write_text(head + "\n" + "\n\n".join(blocks) + "\n", "utf-8")
    rows = read_table("spanish.tsv")
    told = explained_pairs(system("es"), rows)
    spanish = [(*row[:2], text) for row, text in zip(rows, told, strict=True)]
    train = [(name, *each) for name in SETS for each in explained_set(system(name), name).items()]
    for name, rows in (("spanish.tsv", spanish), ("train.tsv", train)):
        (HERE / name).write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    _write(cache(ists_asp.load))
