"""Contrast pairs explained, in one batch a profile."""

from contextlib import ExitStack

import pytest

import ists_asp
from tests.contrast.pairs import by_profile


@pytest.fixture(scope="session")
def tell():
    """Returns, for pairs, what is said of each, as text."""
    systems = {}
    with ExitStack() as stack:

        def told(pairs):
            texts = {}
            for profile, some in by_profile(pairs).items():
                if profile not in systems:
                    systems[profile] = stack.enter_context(ists_asp.load(profile))
                system = systems[profile]
                answers = list(system.solve_many((pair.sent1, pair.sent2) for pair in some))
                explained = system.explain_many(answers)
                texts |= {pair: one.text for pair, one in zip(some, explained, strict=True)}
            return texts

        yield told
