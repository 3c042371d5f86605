from pathlib import Path

import pytest

from ists_asp.knowledge.vectors import Vectors

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def vectors_file():
    return ROOT / "data" / "vectors" / "en.npz"


@pytest.fixture(scope="session")
def vectors(vectors_file):
    return Vectors(vectors_file)
