"""Systems are loaded once for this folder."""

import pytest

from tests.sharing import shared_system


@pytest.fixture(scope="session")
def system():
    return shared_system
