"""The cases of ``pairs.txt``."""

import re
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from ists_asp.io.chunks import read_chunks
from ists_asp.io.given import given_answer
from ists_asp.model import Alignment, Answer, Label, Pair, Tag

FILE = Path(__file__).with_name("pairs.txt")
_LINE = re.compile(r"([\d,]+)-([\d,]+) ([A-Z0-9]+)((?:_[A-Z]+)*) (\d)")


@dataclass(frozen=True)
class Case:
    profile: str
    sent1: str
    sent2: str
    lines: str
    text: str
    answer: Answer


def read_cases():
    blocks = [
        [line for line in block.splitlines() if not line.startswith("#")]
        for block in FILE.read_text("utf-8").split("\n\n")
    ]
    return [_case(block) for block in blocks if block]


def make_answer(sent1, sent2, lines):
    """An answer from two lines of chunks and alignments such as ``1,2-3 SPE1_POL 4``."""
    pair = Pair("1", *(next(read_chunks(BytesIO(s.encode()), name="x")) for s in (sent1, sent2)))
    alignments = []
    for numbers1, numbers2, label, tags, score in _LINE.findall(lines):
        tokens = [
            tuple(
                token
                for number in numbers.split(",")
                for token in sentence.chunks[int(number) - 1].tokens
            )
            for numbers, sentence in ((numbers1, pair.sent1), (numbers2, pair.sent2))
        ]
        marks = frozenset(Tag(tag) for tag in tags.split("_") if tag)
        alignments.append(Alignment(*tokens, Label(label), float(score), marks))
    for side, sentence in enumerate((pair.sent1, pair.sent2)):
        used = {token for line in alignments for token in ((line.tokens1, line.tokens2)[side])}
        for chunk in sentence.chunks:
            if not used & set(chunk.tokens):
                tokens = [(), ()]
                tokens[side] = chunk.tokens
                alignments.append(Alignment(*tokens, Label.NOALI, None))
    return given_answer(pair, alignments)


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


def write_texts(texts):
    """Write what is said now, for review after the wording has changed."""
    cases = [replace(case, text=text) for case, text in zip(read_cases(), texts, strict=True)]
    head = "".join(f"{line}\n" for line in FILE.read_text("utf-8").splitlines()[:2])
    blocks = [
        "\n".join(line for line in (c.profile, c.sent1, c.sent2, c.lines or "-", f"> {c.text}"))
        for c in cases
    ]
    FILE.write_text(head + "\n" + "\n\n".join(blocks) + "\n", encoding="utf-8")


def _case(block):
    text = block.pop().removeprefix("> ") if block[-1].startswith("> ") else ""
    profile, sent1, sent2, *rest = block
    lines = rest[0].removeprefix("-") if rest else ""
    return Case(profile, sent1, sent2, lines, text, make_answer(sent1, sent2, lines))
