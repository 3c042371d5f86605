"""All contrast pairs, explained once: one batch a profile."""

import pytest

import ists_asp
from tests.contrast.pairs import by_profile, read_contrasts


@pytest.fixture(scope="session")
def told():
    """What is said of each pair, as text."""
    texts = {}
    for profile, pairs in by_profile(read_contrasts()).items():
        with ists_asp.load(profile) as system:
            answers = list(system.solve_many((pair.sent1, pair.sent2) for pair in pairs))
            explained = system.explain_many(answers)
            texts |= {pair: one.text for pair, one in zip(pairs, explained, strict=True)}
    return texts
