"""The shipped models, loaded once for all tests of this folder."""

import pytest

from ists_asp.annotate import Annotator


@pytest.fixture(scope="session")
def annotators():
    return {code: Annotator(code) for code in ("en", "es")}


@pytest.fixture(scope="session")
def annotator(annotators):
    return annotators["en"]
