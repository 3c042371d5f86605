"""The tables of texts: each says everything that is marked, nothing else, with the same values."""

import ast
import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

import ists_asp
from ists_asp.lang import by_degree, say, texts_of, translated
from ists_asp.resources import data_dir, template
from ists_asp.rules import list_profiles, load_profile
from ists_asp.rules.loader import load_rules
from ists_asp.rules.profiles import Purpose
from ists_asp.rules.programs import find_program
from ists_asp.workbench.app import PARTS, VIEWS
from tests.sharing import cases

LANGUAGES = sorted({path.name.split(".")[0] for path in (data_dir() / "texts").glob("*.texts.tsv")})
TRACE = Path(ists_asp.__file__).parent / "trace"
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


def _strings(node):
    constants = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


@cache
def marked():
    """All that is marked, and the trees of the modules of traces."""
    traces = [ast.parse(path.read_text("utf-8")) for path in TRACE.glob("*.py")]
    calls = (node for node in chain(*map(ast.walk, traces)) if isinstance(node, ast.Call))
    told = [_strings(node.args[0]) for node in calls if ast.unparse(node.func).endswith("tell")]
    return {*_pages(), *_scripts()}.union(*told), traces


def programs(language):
    """The rules of the profiles of a language, with the sentences that they were written with."""
    for name in list_profiles():
        profile = load_profile(name)
        for purpose in Purpose if profile.language == language else ():
            if profile.files(purpose) is not None:
                yield from load_rules(find_program(name, purpose=purpose)[1]).rules


def values(text):
    return [{*SLOT.findall(form)} - {"{n}"} for form in text.split("|")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_all_that_is_marked_and_nothing_else(language):
    texts, rules = texts_of(language), [rule.text for rule in programs(language)]
    quoted = {rule: re.findall(r'"([^"]+)"', rule) for rule in rules}
    called = {name for rule in rules if rule.startswith("called(") for name in quoted[rule]}
    every, traces = marked()
    assert not (every | called) - texts.keys()
    assert not texts.keys() - every.union(*map(_strings, traces), *quoted.values())
    for text, theirs in texts.items():
        forms = values(text)
        assert all(slots in forms for slots in values(theirs)), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_is_that_of_a_rule_with_its_variables(language):
    rules = texts_of(language, "rules")
    assert not rules.keys() - {rule.sentence for rule in programs(language)}
    assert not [text for text, theirs in rules.items() if values(text) != values(theirs)]


def test_a_number_has_its_form_and_what_no_table_has_is_english():
    assert say("es", "{n} line|{n} lines", n=1) == "1 línea"
    assert say("es", "{n} line|{n} lines", n=0) == "0 líneas"
    assert say("en", "{n} line|{n} lines", n=1) == "1 line"
    assert say("es", "none of them {n}", n=2) == "none of them 2"


@cases("""
language | text | words
en | the heads are {n} % similar    | hardly, hardly, a little, fairly, very, extremely
en | the reader gives SIMI {n} %    | hardly, hardly, half, reader expects, expects, sure
en | the reader gives REL {n} %, SIMI {n} % | hardly, hardly, half, rather, rather, surely
en | the match is at least {n} points better | a little, clearly, clearly, far, far, far
en | matched only loosely: {n} %; b | loosely;, loosely;, loosely;, loosely;, loosely;, loosely;
es | los núcleos se parecen un {n} % | muy poco, muy poco, un poco, bas, mucho, muchí
""")
def test_a_reason_is_told_in_words_of_degree(language, text, words):
    for n, word in zip((0, 20, 40, 60, 84, 100), words.split(", "), strict=True):
        told = by_degree(language, text.format(n=n))
        assert word in told
        assert not re.search(r"\d|%", told)


def _program():
    """The strings of the program, and an expression for those with values."""
    plain, composed = set(), set()
    for path in Path(ists_asp.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            plain |= (
                {text.lstrip(", ") for text in _strings(node)}
                if isinstance(node, ast.Constant)
                else set()
            )
            if isinstance(node, ast.JoinedStr):
                parts = [
                    one.value if isinstance(one, ast.Constant) else None for one in node.values
                ]
                if re.search("[a-z]{2}", "".join(filter(None, parts))):
                    composed.add("".join(".*?" if one is None else re.escape(one) for one in parts))
    return plain, re.compile("|".join(composed))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_is_one_of_the_program_with_its_values(language):
    messages, (plain, composed) = texts_of(language, "errors"), _program()
    told = messages.keys() - plain - {"expected {what}"}
    assert not [text for text in told if not composed.fullmatch(text)]
    assert not [text for text, theirs in messages.items() if values(text) != values(theirs)]


@cases("""
message                                        | theirs
odd; expected a sentence. Ask again            | odd; lo esperado: una frase. Vuelve a preguntar
pair 1, sentence 2: a sentence of 300 tokens   | par 1, frase 2: una frase de 300 palabras
r.lp:3: nothing uses p/1. Ask again            | r.lp:3: nada usa p/1. Vuelve a preguntar
this is not UTF-8 at all                       | this is not UTF-8 at all
""")
def test_a_message_is_translated_part_by_part(message, theirs):
    assert translated("es", message) == theirs
    assert translated("en", message) == message
