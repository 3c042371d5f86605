"""The tables of texts: each says everything that is marked, nothing else, with the same values."""

import re

import pytest

from ists_asp.resources import data_dir, template
from ists_asp.rules import list_profiles, load_profile
from ists_asp.texts import say, table
from ists_asp.workbench.app import VIEWS
from ists_asp.workbench.manual import PARTS

LANGUAGES = sorted({path.name.split(".")[0] for path in (data_dir() / "texts").glob("*.tsv")})
SLOT = re.compile(r"\{\w+(?::/\d+)?\}|%\(\w+\)s|</?\w+|%(?!\()")


def _pages():
    for page in (*data_dir().glob("workbench/*.html"), data_dir() / "report" / "page.html"):
        environment = template(page.parent.name, page.name).environment
        marked = environment.extract_translations(page.read_text("utf-8"))
        yield from (text for _, _, text in marked if text)
    yield from map(str.capitalize, VIEWS)
    yield from PARTS
    yield from (load_profile(name).description for name in list_profiles())


def _scripts():
    for script in (*data_dir().glob("workbench/static/*.js"), data_dir() / "report" / "report.js"):
        yield from re.findall(r'\bt\("((?:[^"\\]|\\.)+)"', script.read_text("utf-8"))


MARKED = {*_pages(), *_scripts()}


def values(text):
    return [{*SLOT.findall(form)} - {"{n}"} for form in text.split("|")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_all_that_is_marked_and_nothing_else(language):
    texts = table(language)
    assert not MARKED - texts.keys()
    assert not texts.keys() - MARKED
    for text, theirs in texts.items():
        forms = values(text)
        assert all(slots in forms for slots in values(theirs)), text


def test_a_number_has_its_form_and_what_no_table_has_is_english():
    assert say("es", "{n} line|{n} lines", n=1) == "1 línea"
    assert say("es", "{n} line|{n} lines", n=0) == "0 líneas"
    assert say("en", "{n} line|{n} lines", n=1) == "1 line"
    assert say("es", "none of them {n}", n=2) == "none of them 2"
