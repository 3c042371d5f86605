"""A language is one module of ``ists_asp.lang``, and one folder of rules."""

import sys

import pytest

from ists_asp import lang
from ists_asp.annotate import Annotator
from ists_asp.errors import UsageError
from ists_asp.knowledge import Knowledge
from tests.sharing import load_shared

MODULE = """
from ists_asp.lang import Language

LANGUAGE = Language(code="toy", stanza="en", plain=lambda word: word.replace("oo", "u"))
"""
PROFILE = """
description = "Toys"
language = "toy"
[answer]
rules = ["toy"]
"""
RULES = """
%@rule toy_pair: "{V} sounds like {W}"
proposed(run(I,I),run(J,J)) :- spelling(V,W,100), word(1,I,V), word(2,J,W).
%@rule toy_worth: "an alignment is worth a token"
token_count(run(C,C),run(D,D),1) :- proposed(run(C,C),run(D,D)).
%@rule toy_like: "they sound alike"
evidence(pair(X,Y),sound,100) :- proposed(X,Y).
%@rule toy_weight: "what that is worth"
weight(sound,align,1).
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "toy.py").write_text(MODULE)
    for name, text in (("profiles/toy.toml", PROFILE), ("toy/toy.lp", RULES)):
        (tmp_path / "rules" / name).parent.mkdir(parents=True)
        (tmp_path / "rules" / name).write_text(text)
    monkeypatch.setattr(lang, "__path__", [*lang.__path__, str(tmp_path / "modules")])
    lang.languages.cache_clear()
    yield tmp_path / "rules"
    lang.languages.cache_clear()
    sys.modules.pop("ists_asp.lang.toy", None)


def test_a_module_and_a_folder_of_rules_add_a_language(toy):
    with load_shared("toy", rules=toy) as system:
        answer = system.solve("boook", "buok")
    assert [str(line.label) for line in answer.alignments] == ["EQUI"]


def test_a_language_that_is_not_there_is_refused():
    for use in (Knowledge, Annotator):
        with pytest.raises(UsageError, match="there is no language 'fr'; expected en or es"):
            use("fr")
