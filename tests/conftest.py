"""No test touches the user's own annotation cache."""

import os

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    # Child processes inherit it.
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
