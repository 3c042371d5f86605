"""Time by stage and by length: pairs of sentences of 7, 15, 24, 36 and 62 tokens.

``python -m benchmarks.lengths`` needs no data: sentences of the shipped samples stand one behind
the other until they are long enough. All times are of the processor.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from itertools import count, cycle, islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.options import add_json, add_profile, describe_machine, make_parser, write_json
from benchmarks.sets import SAMPLES, SETS, read_set
from benchmarks.tables import markdown
from ists_asp import load
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

LENGTHS = (7, 15, 24, 36, 62)
"""Tokens of each sentence."""

PAIRS = 40


@dataclass(frozen=True, slots=True)
class Length:
    """Milliseconds a pair of sentences with so many tokens.

    ``recalled`` is what a second look at the same pairs takes.
    """

    tokens: int
    knowledge: float
    recalled: float
    deciding: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser("lengths", __doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, metavar="N")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="TOKENS")
    add_profile(parser, "default")
    add_json(parser)
    options = parser.parse_args(arguments)
    found = list(measure(options.lengths, options.pairs, options.profile))
    print(length_table(found))
    print(describe_machine())
    write_json(options.json, [asdict(one) for one in found])
    return 0


def length_table(found: Sequence[Length]) -> str:
    """A Markdown table; the last column compares with the first row."""
    rows = [
        [
            str(one.tokens),
            f"{one.knowledge:.1f}",
            f"{one.recalled:.1f}",
            f"{one.deciding:.1f}",
            f"{one.deciding / found[0].deciding:.1f}",
        ]
        for one in found
    ]
    header = ["Tokens a side", "Knowledge and facts", "Kept", "Grounding and solving", "Ratio"]
    return markdown(header, rows, texts=0)


def measure(lengths: Iterable[int], pairs: int, profile: str) -> Iterator[Length]:
    """Measure pairs of each length, chunks found, annotated beforehand."""
    with TemporaryDirectory() as cache:
        for tokens in lengths:
            yield _measured(tokens, pairs, profile, cache)


def _measured(tokens: int, pairs: int, profile: str, cache: str) -> Length:
    with load(profile, cache=cache) as system:
        annotated = list(system.annotate(islice(of_length(tokens), pairs)))
        # What is read once belongs to no pair.
        list(system.decide(list(system.annotate(islice(of_length(6), 2)))))
        fresh = _seconds(lambda: system.facts(annotated))
        recalled = _seconds(lambda: system.facts(annotated))
        decided = _seconds(lambda: system.decide(annotated))
    return Length(
        tokens,
        1000 * fresh / pairs,
        1000 * recalled / pairs,
        1000 * (decided - recalled) / pairs,
    )


def _seconds(work: Callable[[], Iterable[object]]) -> float:
    """What it takes of the processor to get all there is."""
    began = time.process_time()
    for _ in work():
        pass
    return time.process_time() - began


def of_length(tokens: int) -> Iterator[Pair]:
    """Pairs without an end whose sentences have so many tokens; each set is cut elsewhere."""
    samples = [pair for name in SETS for pair in read_set(SAMPLES / name).plain]
    sides = [
        cycle([token.form for sentence in sentences for token in sentence.tokens])
        for sentences in zip(*((pair.sent1, pair.sent2) for pair in samples), strict=True)
    ]
    for number in count(1):
        first, second = (make_sentence(list(islice(side, tokens))) for side in sides)
        yield Pair(str(number), first, second)


if __name__ == "__main__":
    sys.exit(main())
