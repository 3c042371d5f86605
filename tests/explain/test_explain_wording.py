from pathlib import Path
from string import Formatter

import pytest

from ists_asp.errors import DataError, RuleError, UsageError
from ists_asp.explain import load_templates
from ists_asp.explain.templates import languages, phrase, quoted, sentence
from ists_asp.resources import data_dir

ENGLISH = load_templates("en")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        *(("the bulb.", "the bulb"), ("in the U.S.", "in the U.S."), ("bulb C.", "bulb C")),
        *(("China 's debt", "China's debt"), ("$ 50", "$50"), ("5 %", "5%"), ("0 %d", "0 %d")),
        *(("police , army .", "police, army"), ('" bridge " is safe', '" bridge " is safe')),
        *(('" bridge', "bridge"), ("... ?", "...?"), (". l.", "l"), (".5 %", ".5%")),
        *(("Spain)", "Spain"), ("Bilbao (north", "Bilbao north"), ("a (b ] c)", "a (b c)")),
        ("minister (of Economy)", "minister (of Economy)"),
    ],
)
def test_words_are_put_together(words, text):
    assert phrase(words.split(), ENGLISH) == text


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        (quoted, "runs", "“runs”"),
        # Quotation marks are kept apart.
        (quoted, '" bridge " is safe', "“‘bridge’ is safe”"),
        (quoted, "he said “no”", "“he said ‘no’”"),
        (quoted, "`` no '' he said", "“‘no’ he said”"),
        (quoted, '5 " nails', "“5 nails”"),
        (quoted, 'bulb A""s path', '“bulb A""s path”'),
        # Sentences begin and end properly.
        (sentence, "they differ", "They differ."),
        (sentence, "“a” is opposed to “b”", "“a” is opposed to “b”."),
        (sentence, "10 men", "10 men."),
        (sentence, "in the U.S.", "In the U.S."),
    ],
)
def test_quotations_and_sentences(form, text, expected):
    assert form(text, ENGLISH) == expected


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        *(([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")),
        (["a, not b", "c"], "a, not b, and c"),
    ],
)
def test_lists_have_commas_and_and(parts, text):
    assert ENGLISH.join(parts) == text


def slots(text):
    return {field for _, field, _, _ in Formatter().parse(text) if field}


def test_all_languages_have_the_same_texts_with_the_same_slots():
    assert languages() == ("en", "es")
    other = load_templates("es")
    for table in ("marks", "joins", "words", "statements", "clauses"):
        assert getattr(other, table).keys() == getattr(ENGLISH, table).keys(), table
    for table in ("statements", "clauses"):
        for key, text in getattr(ENGLISH, table).items():
            assert slots(getattr(other, table)[key]) <= slots(text) | {"what"}, key


@pytest.fixture
def altered(tmp_path):
    """A copy of the English templates with a text replaced."""

    def write(old, new):
        text = (data_dir() / "templates" / "en.toml").read_text("utf-8")
        assert old in text
        path = tmp_path / "mine.toml"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[clauses]", "[causes]", "there is no table [clauses]"),
        ('end = "."', "end = 1", "marks.end: found 1; expected a text"),
        ('last = " and "', "", 'joins: the key "last" is missing'),
        ('["“", "”"]', '"“”"', "marks: found '“”'"),
        ("[marks]", "[marks", "mine.toml:4: the templates cannot be read: no TOML"),
        ("[marks]", f"{'a.' * 9000}a = 1\n[marks]", "mine.toml:4: the templates cannot be read: a"),
        ('["“", "”"]', '["“", 1]', "marks: found ['“', 1]"),
        ("[joins]", "contractions = 1\n[joins]", "marks.contractions: found 1"),
        ("[marks]", "contractions = 1\n[marks]", "contractions: found 1; expected a table"),
        ("[joins]", '[contractions]\n"" = "x"\n[joins]', "contractions: the key is empty"),
        ("both say {list}", "x" * 1001, "both_say: 1001 characters; expected 1000 at most"),
        ("[marks]", f"# {'x' * (1 << 16)}\n[marks]", "more than 64 kB"),
    ],
)
def test_faulty_templates_are_told_in_one_line(altered, old, new, message):
    with pytest.raises((DataError, RuleError)) as caught:
        load_templates(path=altered(old, new))
    told = str(caught.value)
    assert (message in told, "mine.toml" in told, "\n" in told) == (True, True, False), told


def test_texts_that_have_gone_or_are_missing_are_told_in_a_line_each(altered):
    told = []
    path = altered('both_say = "both say {list}"\n', 'common = "both have {list}"\nold = "x"\n')
    assert load_templates(path=path, warn=told.append).statements["common"] == "both have {list}"
    line = path.read_text("utf-8").splitlines().index('common = "both have {list}"') + 1
    for language in languages():
        path = data_dir() / "templates" / f"{language}.toml"
        load_templates(path=path, warn=told.append)
    unused, missing = told
    assert f"mine.toml:{line}: statements.common: no shipped rule uses this text and 1" in unused
    assert "mine.toml: statements.both_say: the file lacks this text; expected the keys" in missing


@pytest.mark.parametrize(
    "slot",
    [
        *("{list", "list}", "{}", "{0}", "{list[x]}", "{list:d}", "{list:>2000000000}"),
        *("{list.__class__.__mro__}", "{list!r}", "{ list }", "{{list}", "{List}"),
        "{{{list}}",
    ],
)
def test_slots_are_names_and_nothing_else(altered, slot):
    with pytest.raises(DataError, match=r"mine\.toml:\d+: statements\.both_say: '[{}]' begins or"):
        load_templates(path=altered("{list}", slot))


def test_brackets_can_be_written(altered):
    mine = load_templates(path=altered("{list}", "{{x}}{list}{{{list}}}"))
    assert mine.fill("statements", "both_say", {"list": "{y}"}) == "both say {x}{y}{{y}}"


@pytest.mark.parametrize("short", ["\\\\g<1>", "\\\\", "a el"])
def test_contractions_are_texts(altered, short):
    table = f'[contractions]\n"a el" = "{short}"\n"b" = "c c"\n"c" = "d d"\n"b b" = "e"\n[joins]'
    mine = load_templates(path=altered("[joins]", table))
    filled = mine.fill("statements", "both_say", {"list": "a el b b b"})
    # Each once, the longest first: what comes of one is no other's business.
    assert filled == f"both say {short.replace(chr(92) * 2, chr(92))} e c c"


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: load_templates("fr"), "no templates for the language 'fr'; expected en or es"),
        (lambda: load_templates(path=Path("none.toml")), "there is no such file of templates"),
        (lambda: load_templates(path=Path("/dev/zero")), "this is not a plain file"),
        (lambda: ENGLISH.fill("statements", "odd", {}), r'en\.toml:\d+: statements: .* text "odd"'),
        (
            lambda: ENGLISH.fill("statements", "both_say", {}),
            r"toml:\d+: statements\.both_say: noth",
        ),
    ],
)
def test_what_is_missing_is_told(work, message):
    with pytest.raises((DataError, RuleError, UsageError), match=message):
        work()
