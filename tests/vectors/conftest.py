from __future__ import annotations

from pathlib import Path

import pytest

from ists_asp.knowledge.vectors import Vectors

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def vectors_file() -> Path:
    return ROOT / "data" / "vectors" / "en.npz"


@pytest.fixture(scope="session")
def vectors(vectors_file: Path) -> Vectors:
    return Vectors(vectors_file)
