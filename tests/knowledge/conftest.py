from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ists_asp.knowledge.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def lexicon_folder() -> Path:
    return ROOT / "data" / "lexicon"


@pytest.fixture(scope="session")
def lexicon(lexicon_folder: Path) -> Iterator[Lexicon]:
    with Lexicon(lexicon_folder / "wordnet.sqlite") as opened:
        yield opened
