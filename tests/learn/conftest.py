"""Gold to learn from, small enough to learn in seconds."""

import shutil
from pathlib import Path

import pytest

from ists_asp.engine import Setup
from ists_asp.learn.examples import ExampleBuilder, read_gold

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def samples():
    return ROOT / "data" / "samples"


@pytest.fixture
def gold(samples, tmp_path):
    return Path(shutil.copytree(samples / "headlines", tmp_path / "gold"))


@pytest.fixture(scope="session")
def teacher():
    with ExampleBuilder(Setup("headlines")) as made:
        yield made


@pytest.fixture(scope="session")
def examples(teacher, samples):
    return list(teacher.examples(read_gold(samples / "headlines")))
