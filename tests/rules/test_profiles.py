import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import list_profiles, load_profile, load_program
from ists_asp.rules.catalogue import copy_rules
from ists_asp.rules.programs import program_sources

from .conftest import PROFILE, write


def test_a_profile_as_written(shipped):
    profile = load_profile("small")
    assert list_profiles() == ("small", "wide")
    assert profile.name == "small"
    assert profile.file == "lp_rules/profiles/small.toml"
    assert (profile.description, profile.language) == ("Small", "en")
    assert profile.answer.rules == ("labels", "words.lp")
    assert profile.constants == {"max_span": "2", "domain": "news"}


def test_its_files_in_order_each_once(shipped):
    write(shipped, {"lp_rules/profiles/small.toml": PROFILE.replace("labels", "labels/types")})
    names = [source.name for source in program_sources(load_profile("small"))]
    assert names == [
        *("asp/decide.lp", "lp_rules/labels/types.lp", "lp_rules/words.lp"),
        "lp_rules/weights/small.lp",
    ]


def test_weights_and_constants_may_be_absent(shipped):
    profile, rules = load_program("small")
    assert (profile.name, len(rules.files)) == ("small", 5)
    text = 'description = "Few"\nlanguage = "en"\n[answer]\nrules = ["labels"]\n'
    write(shipped, {"lp_rules/profiles/few.toml": text})
    profile = load_profile("few")
    assert (profile.answer.weights, profile.constants) == ((), {})
    assert (profile.rating, profile.explanation) == (None, None)
    assert not profile.attached_punctuation


def test_an_unknown_profile_lists_the_known_ones(shipped):
    with pytest.raises(UsageError) as caught:
        load_profile("smal")
    assert str(caught.value) == (
        'lp_rules/profiles: there is no profile "smal"; expected small, wide. Did you mean "small"?'
    )


@pytest.mark.parametrize("name", ["../profiles/small", "", "small.toml"])
def test_only_names_name_profiles(shipped, name):
    with pytest.raises(UsageError):
        load_profile(name)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"Small"', "Small", "small.toml:1: the profile cannot be read: no TOML"),
        ('"Small"', "3", "small.toml: description: found 3; expected a text"),
        ('language = "en"\n', "", 'small.toml: the key "language" is missing'),
        ("rules =", "rule =", 'unknown key "rule"; expected'),
        ("rules =", "rule =", 'Did you mean "rules"?'),
        ('["weights/small"]', '"small"', "answer.weights: found 'small'; expected a list"),
        ('["weights/small"]', "[3]", "answer.weights: found [3]; expected a list of file names"),
        ('["weights/small"]', '[""]', "answer.weights: found ['']; expected a list of file names"),
        ('["weights/small"]', str(["a"] * 201), "201 entries; expected 200 at most"),
        ('["labels", "words.lp"]', "[]", "answer.rules: the list is empty"),
        ('rules = ["labels", "words.lp"]\n', "", 'answer: the key "rules" is missing'),
        ("[answer]", "[answers]", 'unknown key "answers"; expected'),
        ("[answer]", "[rating]", 'small.toml: the key "answer" is missing'),
        ('language = "en"', 'language = "en"\nrating = 3', "rating: found 3; expected a table"),
        ('language = "en"', 'language = "en"\nscheme = "2014"', "scheme: found '2014'; expected"),
        ('language = "en"', 'language = "en"\nname = "x"', 'unknown key "name"'),
        ('language = "en"', 'language = "fr"', 'language: found \'fr\'; expected "en" or "es"'),
        (
            'language = "en"',
            'language = "en"\nattached_punctuation = 1',
            "small.toml: attached_punctuation: found 1",
        ),
        ("max_span = 2", "max_span = 0.5", "constants.max_span: found 0.5"),
        ("max_span = 2", "max_span = 3000000000", "expected an integer of 32 bits"),
        ("max_span = 2", "max_span = true", "found True"),
        ("max_span = 2", 'max_span = "a b"', "found 'a b'"),
        ("max_span = 2", "Max = 2", '"Max" is not a name of a constant'),
        ('{ max_span = 2, domain = "news" }', "2", "constants: found 2"),
    ],
)
def test_faulty_profiles_name_file_and_key(shipped, old, new, words):
    assert old in PROFILE
    write(shipped, {"lp_rules/profiles/small.toml": PROFILE.replace(old, new)})
    with pytest.raises(RuleError) as caught:
        load_profile("small")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("nowhere", 'small.toml: answer.rules: there is no "nowhere" in lp_rules'),
        ("../asp/choose", 'there is no "../asp/choose" in lp_rules'),
        ("double", '"double" is both a folder and a file'),
        ("profiles", "lp_rules/profiles: the folder has no rule files"),
    ],
)
def test_files_that_a_profile_cannot_have(shipped, entry, words):
    write(
        shipped,
        {
            "lp_rules/profiles/small.toml": PROFILE.replace("labels", entry),
            "lp_rules/double.lp": "d.",
            "lp_rules/double/d.lp": "d.",
        },
    )
    with pytest.raises(RuleError) as caught:
        program_sources(load_profile("small"))
    assert words in str(caught.value)


def weights(profile, folder=None, *, reader):
    sources = program_sources(load_profile(profile, folder), rules=folder, reader=reader)
    return [source.path.name for source in sources if source.path.parent.name == "weights"]


def test_reader_weights_take_the_place_of_weights(shipped):
    assert weights("small", reader=True) == ["small.lp"]
    write(
        shipped,
        {
            "lp_rules/weights/reader-small.lp": "weight(b,2).\n",
            "lp_rules/profiles/small.toml": PROFILE + 'reader_weights = ["weights/reader-small"]\n',
        },
    )
    assert weights("small", reader=False) == ["small.lp"]
    assert weights("small", reader=True) == ["reader-small.lp"]
    _, rules = load_program("small", reader="shipped")
    assert rules.files[-1].name == "lp_rules/weights/reader-small.lp"


def test_a_copy_has_reader_weights_too(shipped, tmp_path):
    write(
        shipped,
        {
            "lp_rules/weights/reader-small.lp": "weight(b,2).\n",
            "lp_rules/profiles/small.toml": PROFILE + 'reader_weights = ["weights/reader-small"]\n',
        },
    )
    mine = tmp_path / "mine"
    copy_rules(mine)
    _, rules = load_program("small", [mine], reader="shipped")
    assert rules.files[-1].name == f"{mine}/weights/reader-small.lp"
    other = write(tmp_path / "other", {"reader-small.lp": "weight(b,3).\n"})
    _, rules = load_program("small", [mine, other / "reader-small.lp"], reader="shipped")
    assert rules.files[-1].path == other / "reader-small.lp"
