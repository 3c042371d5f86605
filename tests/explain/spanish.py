"""Explanations of twenty Spanish pairs, read one by one.

``spanish.tsv`` has a line a pair: sentence, sentence, explanation. ``python -m
tests.explain.spanish`` explains the same pairs again and writes the file anew, to be read again.
"""

from pathlib import Path

import ists_asp

FILE = Path(__file__).with_name("spanish.tsv")


def read_lines():
    """Sentence 1, sentence 2 and what was said of them when somebody read it."""
    return [tuple(line.split("\t")) for line in FILE.read_text("utf-8").splitlines()]


def explained(system, sent1, sent2):
    return system.explain(system.solve(sent1, sent2)).text


if __name__ == "__main__":
    with ists_asp.load("es") as system:
        FILE.write_text(
            "".join(
                f"{sent1}\t{sent2}\t{explained(system, sent1, sent2)}\n"
                for sent1, sent2, *_ in read_lines()
            ),
            "utf-8",
        )
