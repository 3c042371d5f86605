from pathlib import Path

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import (
    Purpose,
    load_profile,
    load_program,
    read_overlay,
)
from ists_asp.rules.programs import given_warnings, program_sources

from .conftest import PROFILE, write


def names(profile, given):
    chosen = read_overlay(given)
    sources = chosen.over(
        program_sources(load_profile(profile, chosen.base), rules=chosen.base), Purpose.ANSWER
    )
    return [source.name for source in sources]


SMALL = [
    *("asp/decide.lp", "lp_rules/labels/tags.lp", "lp_rules/labels/types.lp", "lp_rules/words.lp"),
    "lp_rules/weights/small.lp",
]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(
        Path("mine"),
        {
            "words.lp": "my_words.",
            "new.lp": "new.",
            "choose.lp": "my_choice.",
            "tags.lp": "my_tags.",
            "labels/tags.lp": "my_label_tags.",
            "notes.txt": "",
            "words/extra.lp": "extra.",
        },
    )


def test_a_file_of_the_same_name_takes_the_place_and_others_are_added(shipped, mine):
    assert names("small", []) == SMALL
    expected = [name.replace("lp_rules/words.lp", "mine/words.lp") for name in SMALL]
    assert names("small", [mine / "words.lp"]) == expected
    given = [mine / "new.lp", mine / "choose.lp"]
    assert names("small", given) == [*SMALL, "mine/new.lp", "mine/choose.lp"]
    assert names("small", [mine / "words"]) == [*SMALL, "mine/words/extra.lp"]


def test_the_folders_name_tells_files_of_one_name_apart(shipped, mine):
    given = names("wide", [mine / "labels/tags.lp"])
    assert "mine/labels/tags.lp" in given
    assert "lp_rules/labels/tags.lp" not in given
    assert "lp_rules/chunking/tags.lp" in given


def test_an_ambiguous_file_is_refused(shipped, mine):
    with pytest.raises(UsageError) as caught:
        names("wide", [mine / "tags.lp"])
    assert "expected lp_rules/labels/tags.lp or lp_rules/chunking/tags.lp" in str(caught.value)


def test_a_rule_folder_takes_the_place_of_all(shipped, mine):
    base = write(
        Path("copy"),
        {
            "labels.lp": "l.",
            "words.lp": "w.",
            "weights/small.lp": "x.",
            "profiles/small.toml": PROFILE,
        },
    )
    assert names("small", [mine / "new.lp", base]) == [
        *("asp/decide.lp", "copy/labels.lp", "copy/words.lp", "copy/weights/small.lp"),
        "mine/new.lp",
    ]


def test_two_rule_folders_are_refused(shipped):
    with pytest.raises(UsageError, match="two rule folders"):
        read_overlay([shipped / "lp_rules", shipped / "lp_rules"])


def test_what_is_no_rule_file(shipped, mine):
    with pytest.raises(UsageError, match=r"--rules mine/notes\.txt: this is not a rule file"):
        read_overlay([mine / "notes.txt"])
    with pytest.raises(RuleError, match=r"mine/none\.lp: there is no such rule file"):
        read_overlay([mine / "none.lp"])


def test_the_rules_are_loaded(shipped, mine):
    _, rules = load_program("small", [mine / "words.lp"])
    assert "my_words." in [str(statement) for statement in rules.statements]
    assert "words." not in [str(statement) for statement in rules.statements]


WHOLE = "weight(any_pair,align,-3). weight(a,align,1)."


@pytest.fixture
def weighed(shipped, tmp_path, monkeypatch):
    """A profile with weights that others have, too, and with corrections of its own."""
    monkeypatch.chdir(tmp_path)
    profile = PROFILE.replace('"weights/small"', '"weights/all", "weights/own", "weights/sure"')
    own = "correction(a,align,2; b,equi,3)."
    files = {"all.lp": WHOLE + " weight(b,equi,2).", "own.lp": own, "sure.lp": "confidence(1)."}
    write(shipped / "lp_rules" / "weights", files)
    write(shipped / "lp_rules", {"profiles/own.toml": profile})
    return write(
        Path("mine"),
        {
            "old.lp": WHOLE,
            "all.lp": WHOLE,
            "folder/old.lp": WHOLE,
            "folder/rule.lp": "r(1).",
            "few.lp": "correction(c,align,2).",
            "more.lp": "correction(b,equi,1; c,align,2; a,align,7).",
            "two.lp": "correction(b,equi,1).",
            "three.lp": "r(1).\nweight(a,align,4).",
            "odd.lp": "weight(any_pair,align,",
        },
    )


@pytest.mark.parametrize(
    ("given", "used", "told"),
    [
        ("old.lp", "old sure", "all.lp and lp_rules/weights/own.lp, as it weighs what they do"),
        ("all.lp", "all sure", "all.lp and lp_rules/weights/own.lp, as it weighs what they do"),
        ("folder", "old sure rule", "all.lp and lp_rules/weights/own.lp, as it weighs"),
        ("more.lp", "all more sure", "own.lp, as it weighs what they do"),
        ("few.lp", "all own sure few", None),
    ],
)
def test_weights_take_the_place_of_those_that_they_are_meant_for(weighed, given, used, told):
    profile, rules = load_program("own", [weighed / given])
    assert [file.path.stem for file in rules.files][-len(used.split()) :] == used.split()
    warnings = [str(one) for one in given_warnings(rules, profile, [weighed / given])]
    assert len(warnings) == (told is not None)
    assert all(f"this file takes the place of lp_rules/weights/{told}" in one for one in warnings)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("two.lp", r"two\.lp:1:1: correction\(b,equi,…\) is also given at .*/own\.lp:1"),
        (
            "three.lp",
            r"three\.lp:2:1: weight\(a,align,…\) is also given at .*/all\.lp:1\. Write cor",
        ),
        ("odd.lp", r"odd\.lp:1:\d+: the file ends in the middle of a rule"),
    ],
)
def test_weights_that_are_few_are_no_others(weighed, given, told):
    with pytest.raises(RuleError, match=told):
        load_program("own", [weighed / given])
