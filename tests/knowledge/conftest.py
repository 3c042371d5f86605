from pathlib import Path

import pytest

from ists_asp.knowledge.lexicon import Lexicon

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def lexicon_folder():
    return ROOT / "data" / "lexicon"


@pytest.fixture(scope="session")
def lexicon(lexicon_folder):
    with Lexicon(lexicon_folder / "wordnet.sqlite") as opened:
        yield opened
