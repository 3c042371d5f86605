"""A language is one module of ``ists_asp.lang``, and one folder of rules."""

import sys
from pathlib import Path

import pytest

from ists_asp import lang
from ists_asp.annotate import Annotator
from ists_asp.errors import UsageError
from ists_asp.knowledge import Knowledge
from tests.sharing import load_shared

TOY = Path(__file__).with_name("toy")


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(lang, "__path__", [*lang.__path__, str(TOY / "lang")])
    lang.languages.cache_clear()
    yield TOY / "rules"
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
