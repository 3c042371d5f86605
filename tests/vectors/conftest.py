import pytest

from ists_asp.knowledge.vectors import Vectors
from ists_asp.lang import language


@pytest.fixture(scope="session")
def vectors_file():
    return language("en").vectors


@pytest.fixture(scope="session")
def vectors(vectors_file):
    return Vectors(vectors_file)
