"""The shipped English models, loaded once for all tests of this folder."""

import pytest

from ists_asp.annotate import Annotator


@pytest.fixture(scope="session")
def annotator():
    return Annotator()
