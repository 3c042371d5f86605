"""What made an answer is told by the hashes of all files that had a part in it."""

import pytest

from ists_asp.annotate.stanza import find
from ists_asp.engine.answer import provenance
from ists_asp.engine.preparation import sums
from ists_asp.resources import rules_dir
from ists_asp.rules import read_profile_rules


def told(given=(), name="sts-en"):
    files = read_profile_rules(name, given)
    return provenance(files.profile, files.every, find("en"))


@pytest.mark.parametrize(
    ("place", "field"), [("weights/reader-sts-en.lp", "weights"), ("sts/coverage.lp", "rules")]
)
def test_what_rates_pairs_is_told(tmp_path, place, field):
    shipped = rules_dir() / place
    edited = tmp_path / shipped.parent.name / shipped.name
    edited.parent.mkdir()
    edited.write_text(shipped.read_text("utf-8") + "% edited\n", "utf-8")
    before, after = told(), told([edited])
    assert getattr(before, field) != getattr(after, field)
    old, new = read_profile_rules("sts-en"), read_profile_rules("sts-en", [edited])
    assert sums(old.rating) != sums(new.rating)


def test_files_that_decide_and_rate_count_once():
    files = read_profile_rules("sts-en")
    both = {file.path for file in files.deciding} & {file.path for file in files.rating}
    assert both
    every = files.every
    once = tuple({file.path: file for file in every}.values())
    assert len(once) == len(every) - len(both)
    models = find("en")
    assert provenance(files.profile, every, models) == provenance(files.profile, once, models)


def test_a_profile_that_does_not_rate_has_no_such_files():
    assert read_profile_rules("baseline").rating == ()
