"""Which pairs are decided together: those that are not long, so many tokens at a time."""

import pytest

from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.solver import batch
from ists_asp.solver.batch import short_pairs


def of_sizes(*sizes):
    """Pairs with so many tokens on each side."""
    return [
        (Pair(str(number), make_sentence(["a"] * size), make_sentence(["b"] * size)), ())
        for number, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("sizes", "batches"),
    [
        ((), []),
        ((5,), []),
        ((5, 5, 5), [[0, 1, 2]]),
        ((5, 100, 5), [[0, 2]]),
        ((100, 5), []),
        ((99, 1, 99, 99), [[0, 1, 2, 3]]),
    ],
)
def test_long_pairs_stay_alone_and_one_pair_is_no_batch(sizes, batches):
    assert short_pairs(of_sizes(*sizes)) == batches


def test_a_batch_has_so_many_tokens_at_most(monkeypatch):
    monkeypatch.setattr(batch, "TOKENS", 100)
    assert short_pairs(of_sizes(20, 20, 10, 30, 150, 10, 40, 40)) == [[0, 1, 2], [3, 5]]
