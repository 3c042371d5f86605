"""Systems are loaded once for this folder."""

from functools import cache

import pytest

import ists_asp


@pytest.fixture(scope="session")
def system():
    load = cache(ists_asp.load)
    yield load
    load.cache_clear()
