"""No test touches the user's own annotation cache; more examples with a profile of hypothesis."""

import os

import pytest
from hypothesis import settings

settings.register_profile("thorough", max_examples=4000)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    # Child processes inherit it.
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
