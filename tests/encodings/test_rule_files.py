"""What every shipped rule file keeps to, so that people and other programs can rely on it."""

import re

import pytest

from ists_asp.resources import rules_dir
from ists_asp.rules.check import check_rules


@pytest.fixture(scope="module")
def checked():
    return check_rules([rules_dir()], machine=True)


def test_the_shipped_rules_have_nothing_that_rules_check_finds(checked):
    """Headers, names, private predicates, pooled negation and the rest; for users, too."""
    assert [str(one) for one in checked[1] if one.kind != "unweighed"] == []


def test_all_files_of_the_machine_and_of_the_rules_were_looked_at(checked):
    looked_at = {checked[0].name(path) for path in checked[0].own}
    assert {
        "asp/align.lp",
        "lp_rules/labels/words.lp",
        "lp_rules/weights/default.lp",
    } <= looked_at
    # All but asp/settled.lp, which takes the place of rules of other files.
    assert len(looked_at) + 1 == sum(
        len(list(folder.rglob("*.lp"))) for folder in (rules_dir(), rules_dir().parent / "asp")
    )


def test_features_without_weights_are_few(checked):
    """Learning leaves out what is too rare; more than a handful would be a mistake."""
    names = [one.subject for one in checked[1] if one.kind == "unweighed"]
    assert len(names) == len(set(names)) < 40


def test_a_heading_names_the_private_predicates_that_its_file_has():
    header = re.compile(r"(%[^\n]*\n)*")
    listed = re.compile(r"% Private:((?:[^\n]*\n)(?:%  +[^\n]*\n)*)")
    looked_at = 0
    for file in rules_dir().rglob("*.lp"):
        text = file.read_text("utf-8")
        heading = header.match(text)[0]
        private = listed.search(heading)
        if private is None:
            continue
        rules = "\n".join(
            line for line in text[len(heading) :].splitlines() if not line.startswith("%")
        )
        used = set(re.findall(r"(?<!\w)(_[a-z]\w*)", re.sub(r'"(?:[^"\\]|\\.)*"', "", rules)))
        assert set(re.findall(r"(_\w+)/\d", private[1])) == used, file
        looked_at += 1
    assert looked_at > 50
