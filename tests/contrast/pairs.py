"""Contrast pairs: two sentences that differ in one thing, or say one thing in two ways.

A file ``NAME.tsv`` beside this one has a line a pair, in fields that tabs separate::

    kind<TAB>same|differ<TAB>first sentence<TAB>second sentence[<TAB>miss]

``miss`` marks a pair that the rules are known to take wrongly. A line ``# profile NAME`` says which
profile the lines behind it are for; other lines that begin with ``#`` are comments. A line may also
name its profile itself::

    same|differ<TAB>kind<TAB>profile<TAB>first sentence<TAB>second sentence[<TAB>miss]

The pairs of ``own.tsv`` are what a tester would try; some may be taken wrongly.

``ratings.tsv`` has for each sentence one that says the same and one that does not::

    sentence<TAB>paraphrase<TAB>contradiction<TAB>class<TAB>profile
"""

import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

FOLDER = Path(__file__).parent
SAME_WORDS = ("say the same", "dicen lo mismo", "dicen las mismas")
ORDER_WORDS = ("another order", "otro orden")
SAMPLE = "own.tsv"
RATINGS = "ratings.tsv"
_PROFILE = "# profile "


@dataclass(frozen=True)
class Contrast:
    file: str
    line: int
    profile: str
    kind: str
    same: bool
    sent1: str
    sent2: str
    miss: bool

    def __str__(self):
        return f"{self.file}:{self.line}: {self.sent1} | {self.sent2}"


def read_contrasts():
    files = (file for file in sorted(FOLDER.glob("*.tsv")) if file.name not in (SAMPLE, RATINGS))
    return [pair for file in files for pair in _read(file)]


def read_sample():
    return list(_read(FOLDER / SAMPLE))


def read_triples():
    """Two pairs for each line of ``ratings.tsv``: one that says the same and one that does not."""
    for number, line in enumerate((FOLDER / RATINGS).read_text("utf-8").splitlines(), 1):
        sentence, paraphrase, contradiction, kind, profile = line.split("\t")
        yield tuple(
            Contrast(RATINGS, number, profile, kind, other == paraphrase, sentence, other, False)
            for other in (paraphrase, contradiction)
        )


def says_the_same(text):
    return any(words in text.lower() for words in SAME_WORDS)


def tells_a_difference(text):
    """Whether a sentence says more than what both have or in which order."""
    said = re.split(r"(?<=[.;])\s+", text.lower())
    return any(
        one
        and not any(words in one for words in ORDER_WORDS)
        and not re.match(r"both |ambas |they have in common", one)
        for one in said
    )


def by_profile(pairs):
    def profile(pair):
        return pair.profile

    return {name: list(some) for name, some in groupby(sorted(pairs, key=profile), profile)}


def _read(file):
    profile = ""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if line.startswith(_PROFILE):
            profile = line.removeprefix(_PROFILE).strip()
        elif line and not line.startswith("#"):
            where = f"{file.name}:{number}"
            fields = line.split("\t")
            if fields[0] in ("same", "differ"):
                verdict, kind, here, *fields = fields
            else:
                kind, verdict, *fields = fields
                here = profile
            sent1, sent2, *miss = fields
            assert here, f"{where}: no profile"
            assert verdict in ("same", "differ"), f"{where}: {verdict}"
            assert miss in ([], ["miss"]), f"{where}: {miss}"
            same = verdict == "same"
            yield Contrast(file.name, number, here, kind, same, sent1, sent2, bool(miss))
