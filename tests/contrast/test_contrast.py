"""Explanations tell the truth: what differs is never called the same, and what is the same is.

A file ``NAME.tsv`` beside this one has a line for each pair of sentences that differ in one thing,
or say one thing in two ways; ``miss`` marks one that the rules are known to take wrongly::

    same|differ<TAB>kind<TAB>profile<TAB>first sentence<TAB>second sentence[<TAB>miss]

The pairs of ``own.tsv`` are what a tester would try; some may be taken wrongly. ``ratings.tsv`` has
for each sentence one that says the same and one that does not::

    sentence<TAB>paraphrase<TAB>contradiction<TAB>class<TAB>profile
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sharing import shared_system

SAME_WORDS = ("say the same", "dicen lo mismo", "dicen las mismas")
ORDER_WORDS = ("another order", "otro orden")


class Contrast(NamedTuple):
    """A pair of sentences and where it stands."""

    where: str
    verdict: str
    kind: str
    profile: str
    sent1: str
    sent2: str
    miss: str = ""

    def __str__(self):
        return f"{self.where}: {self.sent1} | {self.sent2}"

    @property
    def same(self):
        return self.verdict == "same"

    @property
    def group(self):
        return f"{self.where.partition('.')[0]}-{self.kind}-{self.verdict}"


def read(file):
    """The fields of each line, and before them where it is."""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            yield f"{file.name}:{number}", *line.split("\t")


FILES = {file.stem: file for file in sorted(Path(__file__).parent.glob("*.tsv"))}
TRIPLES = [
    (
        Contrast(where, "same", kind, profile, sentence, paraphrase),
        Contrast(where, "differ", kind, profile, sentence, contradiction),
    )
    for where, sentence, paraphrase, contradiction, kind, profile in read(FILES.pop("ratings"))
]
SAMPLE = [Contrast(*row) for row in read(FILES.pop("own"))]
PAIRS = [Contrast(*row) for file in FILES.values() for row in read(file)]
FIRSTS = {pair.group: pair for pair in reversed(PAIRS)}
LONG = (pytest.mark.slow, pytest.mark.long)


def ask(pairs, question):
    """What systems say of pairs; many together take a tenth of the time."""
    found = {}
    for profile in {pair.profile for pair in pairs}:
        own = [pair for pair in pairs if pair.profile == profile]
        system, sides = shared_system(profile), ((pair.sent1, pair.sent2) for pair in own)
        answers = list(system.solve_many(sides, tokens=True, rated=False))
        found |= zip(own, getattr(system, question)(answers), strict=True)
    return found


def tell(pairs):
    return {pair: explanation.text for pair, explanation in ask(pairs, "explain_many").items()}


def says_the_same(text):
    return any(words in text.lower() for words in SAME_WORDS)


def tells_a_difference(text):
    """Whether a sentence says more than what both have or in which order."""
    return any(
        said
        and not any(words in said for words in ORDER_WORDS)
        and not re.match(r"both |ambas |they have in common", said)
        for said in re.split(r"(?<=[.;])\s+", text.lower())
    )


def check(pairs, told):
    wrong = {pair for pair in pairs if says_the_same(told[pair]) != pair.same}
    new = [f"{pair}\n    {told[pair]}" for pair in pairs if pair in wrong and not pair.miss]
    mended = [str(pair) for pair in pairs if pair.miss and pair not in wrong]
    assert not new, "taken wrongly:\n" + "\n".join(new)
    assert not mended, "no longer a miss, take the mark away:\n" + "\n".join(mended)


@pytest.fixture(scope="module")
def told_of_all():
    return tell(PAIRS)


@pytest.mark.slow
@pytest.mark.parametrize("group", sorted(FIRSTS))
def test_says_the_same_only_where_it_holds(told_of_all, group):
    check([pair for pair in PAIRS if pair.group == group], told_of_all)


@pytest.mark.slow
def test_says_the_same_only_where_it_holds_of_the_first_of_each_kind():
    assert len(FIRSTS) > 50
    check(FIRSTS.values(), tell(FIRSTS.values()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pairs", "differing", "same"),
    [
        pytest.param(SAMPLE[::4], 8, 5, id="quarter"),
        pytest.param(SAMPLE, 18, 14, id="all", marks=LONG),
    ],
)
def test_few_pairs_of_the_sample_are_taken_wrongly(pairs, differing, same):
    told = tell(pairs)
    wrong = {
        pair: text
        for pair, text in told.items()
        if says_the_same(text) != pair.same or not (pair.same or tells_a_difference(text))
    }
    lines = "\n".join(f"{pair}\n    {text}" for pair, text in wrong.items())
    assert sum(not pair.same for pair in wrong) <= differing, lines
    assert sum(pair.same for pair in wrong) <= same, lines


@pytest.mark.slow
def test_identical_sentences_say_the_same():
    told = tell([pair._replace(sent2=pair.sent1) for pair in PAIRS[::8]])
    assert not [str(pair) for pair, text in told.items() if not says_the_same(text)]


def test_no_pair_stands_twice_and_each_line_is_whole():
    pairs = PAIRS + SAMPLE
    assert len({(pair.profile, pair.sent1, pair.sent2) for pair in pairs}) == len(pairs)
    assert {pair.verdict for pair in pairs} == {"same", "differ"}
    assert {pair.miss for pair in pairs} <= {"", "miss"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("triples", "most"),
    [pytest.param(TRIPLES[::5], 1, id="fifth"), pytest.param(TRIPLES, 8, id="all", marks=LONG)],
)
def test_what_contradicts_is_rated_below_what_says_the_same(triples, most):
    found = ask([pair for triple in triples for pair in triple], "rate_many")
    rated = {pair: rating.value for pair, rating in found.items()}
    wrong = [(a, b) for a, b in triples if rated[a] <= rated[b]]
    assert len(wrong) <= most, "\n".join(f"{a} {rated[a]} | {b} {rated[b]}" for a, b in wrong)
