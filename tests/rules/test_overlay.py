"""Rules of a user over the shipped ones: what takes whose place, and what is added."""

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import Purpose, load_profile, load_program, read_overlay
from ists_asp.rules.programs import given_warnings, program_sources
from tests.tables import rows

from .conftest import PROFILE, write

SMALL = "asp/decide.lp labels/tags.lp labels/types.lp words.lp weights/small.lp"
WHOLE = "weight(any_pair,align,-3). weight(a,align,1)."
MINE = {
    **dict.fromkeys(("words.lp", "new.lp", "choose.lp", "tags.lp", "labels/tags.lp"), "mine."),
    **{"notes.txt": "", "words/extra.lp": "extra."},
    **dict.fromkeys(("copy/labels.lp", "copy/words.lp"), "w."),
    **{"copy/weights/small.lp": "x.", "copy/profiles/small.toml": PROFILE},
    # Weights.
    **dict.fromkeys(("old.lp", "all.lp", "folder/old.lp"), WHOLE),
    **{"folder/rule.lp": "r(1).", "few.lp": "correction(c,align,2)."},
    **{"more.lp": "correction(b,equi,1; c,align,2; a,align,7).", "two.lp": "correction(b,equi,1)."},
    **{"three.lp": "r(1).\nweight(a,align,4).", "odd.lp": "weight(any_pair,align,"},
}


@pytest.fixture
def mine(shipped, tmp_path, monkeypatch):
    """Files of a user, and a profile with weights and corrections of its own."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "mine", MINE)
    weights = '"weights/all", "weights/own", "weights/sure"'
    files = {
        "weights/all.lp": WHOLE + " weight(b,equi,2).",
        "weights/own.lp": "correction(a,align,2; b,equi,3).",
        "weights/sure.lp": "confidence(1).",
        "profiles/own.toml": PROFILE.replace('"weights/small"', weights),
    }
    write(shipped / "lp_rules", files)
    return tmp_path / "mine"


PLACES = f"""
small | words.lp | {SMALL.replace("words.lp", "mine/words.lp")}
small | new.lp choose.lp | {SMALL} mine/new.lp mine/choose.lp
small | words | {SMALL} mine/words/extra.lp
wide | labels/tags.lp | asp/decide.lp mine/labels/tags.lp labels/types.lp chunking/tags.lp words.lp
    weights/small.lp
small | new.lp copy | asp/decide.lp mine/copy/labels.lp mine/copy/words.lp
    mine/copy/weights/small.lp mine/new.lp
"""
"""Profiles, files over them, and the files that are loaded: a file takes the place of the one of
its name, which its folder's name may tell apart; a rule folder that of all; others are added."""


@pytest.mark.parametrize(
    ("profile", "given", "names"), [(*row[:2], row[2:]) for row in rows(PLACES)]
)
def test_files_take_the_place_of_those_of_their_name(mine, profile, given, names):
    overlay = read_overlay([mine / name for name in given.split()])
    sources = program_sources(load_profile(profile, overlay.base), rules=overlay.base)
    sources = overlay.over(sources, Purpose.ANSWER)
    found = [source.name.removeprefix("lp_rules/") for source in sources]
    assert [name.replace(f"{mine}/", "mine/") for name in found] == " ".join(names).split()


def test_files_that_cannot_take_a_place_are_refused(mine, shipped):
    overlay = read_overlay([mine / "tags.lp"])
    with pytest.raises(UsageError, match=r"expected .*labels/tags\.lp or .*chunking/tags\.lp"):
        overlay.over(program_sources(load_profile("wide")), Purpose.ANSWER)
    with pytest.raises(UsageError, match="two rule folders"):
        read_overlay([shipped / "lp_rules", shipped / "lp_rules"])
    with pytest.raises(UsageError, match=r"--rules .*mine/notes\.txt: this is not a rule file"):
        read_overlay([mine / "notes.txt"])
    with pytest.raises(RuleError, match=r"mine/none\.lp: there is no such rule file"):
        read_overlay([mine / "none.lp"])


@pytest.mark.parametrize(
    ("given", "used", "replaced"),
    [
        ("old.lp", "old sure", "all.lp and lp_rules/weights/own.lp, as it weighs what they do"),
        ("all.lp", "all sure", "all.lp and lp_rules/weights/own.lp, as it weighs what they do"),
        ("folder", "old sure rule", "all.lp and lp_rules/weights/own.lp, as it weighs"),
        ("more.lp", "all more sure", "own.lp, as it weighs what they do"),
        ("few.lp", "all own sure few", None),
    ],
)
def test_weights_take_the_place_of_those_that_they_are_meant_for(mine, given, used, replaced):
    profile, rules = load_program("own", [mine / given])
    assert [file.path.stem for file in rules.files][-len(used.split()) :] == used.split()
    warnings = [str(warning) for warning in given_warnings(rules, profile, [mine / given])]
    assert len(warnings) == (replaced is not None)
    words = f"this file takes the place of lp_rules/weights/{replaced}"
    assert all(words in warning for warning in warnings)


REFUSED = r"""
two.lp   | two\.lp:1:1: correction\(b,equi,…\) is also given at .*/own\.lp:1
three.lp | three\.lp:2:1: weight\(a,align,…\) is also given at .*/all\.lp:1\. Write cor
odd.lp   | odd\.lp:1:\d+: the file ends in the middle of a rule
"""


@pytest.mark.parametrize(("given", "message"), rows(REFUSED))
def test_weights_that_are_few_are_no_others(mine, given, message):
    with pytest.raises(RuleError, match=message):
        load_program("own", [mine / given])
