"""Claims at random about sample pairs: ``python -m tests.fuzz claims`` tries what ``fix`` proposes.

Whatever is proposed makes its claim hold when it stands in a file, and is as it is said to be with
the sentences swapped.
"""

import tempfile
from functools import cache
from pathlib import Path
from random import Random

from ists_asp import load
from ists_asp.evaluate.files import read_references
from ists_asp.fix.trial import fix
from ists_asp.resources import data_dir
from ists_asp.rules.examples import read_example
from ists_asp.run.claims import judged
from ists_asp.run.worker import with_rules

LABELS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL")
PROFILES = ("headlines", "images", "answers-students", "es")


loaded = cache(load)  # systems by their profiles


def claimed(random, profile, answer):
    """A claim about an answer that need not hold."""
    # Words with a gap between them do not stand so in their sentence.
    aligned = (line for line in answer.alignments if line.label.aligned)
    lines = [line for line in aligned if not any(map(_gapped, (line.tokens1, line.tokens2)))]
    tokens = [random.choice(chunks).tokens for chunks in (answer.chunks1, answer.chunks2)]
    if lines and random.random() < 0.8:
        line = random.choice(lines)
        tokens = line.tokens1, line.tokens2
    sides = answer.pair.sent1.words(tokens[0]), answer.pair.sent2.words(tokens[1])
    what = random.choice([*LABELS, "aligned", f"not {random.choice(LABELS)}", "not aligned", "3"])
    claim = "{} ~ {} {}".format(*map(_quoted, sides), what)
    rated = f"rating {random.choice('<>')} {random.randrange(1, 5)}"
    return random.choice([claim, claim, claim, claim, f"chunk {_quoted(sides[0])}", rated])


def _gapped(tokens):
    return tokens[-1] - tokens[0] >= len(tokens)


def _quoted(text):
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"'))


def faults_of(numbers):
    """What is wrong with the proposals for each claim."""
    for number in numbers:
        random = Random(number)
        profile = random.choice(PROFILES)
        folder = data_dir() / "samples" / ("spanish" if profile == "es" else profile)
        pairs = [one.pair for one in read_references(folder / "gold.wa").values()]
        system = loaded(profile)
        answer = next(system.solve_many([random.choice(pairs)], rated=False))
        claim = claimed(random, profile, answer)
        sides = answer.pair.sent1, answer.pair.sent2
        texts = (_quoted(" ".join(token.form for token in side.tokens)) for side in sides)
        example = read_example(f"{profile} {' | '.join(texts)}: {claim}")
        yield number, _fault(system, example, pairs)


def _fault(system, example, pairs):
    found = fix(system, [example], pairs, None)
    for one in found.proposals:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{one.proposal.name}{one.proposal.suffix}"
            file.write_text(one.proposal.text, "utf-8")
            (record,) = judged(with_rules(system, (file,)), [example])
        if [failure["swapped"] for failure in record["failures"]] != [True] * one.one_way:
            return f"{example.text}\n{one.proposal.text}\n{record['failures']}"
    return ""
