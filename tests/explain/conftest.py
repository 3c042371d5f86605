"""Systems are loaded once for this folder."""

from functools import cache

import pytest

from tests.sharing import load_shared


@pytest.fixture(scope="session")
def system():
    load = cache(load_shared)
    yield load
    load.cache_clear()
