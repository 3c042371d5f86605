"""The shipped English models, loaded once for all tests of this folder."""

from __future__ import annotations

import pytest

from ists_asp.annotate import Annotator


@pytest.fixture(scope="session")
def annotator() -> Annotator:
    return Annotator()
