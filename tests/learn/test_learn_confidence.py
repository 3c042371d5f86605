"""Tables of confidence are the shares of right decisions, in steps that never fall."""

import re

import pytest

from ists_asp.learn.cross import Judged, fit_table, render_table

KIND = ("equi", "given")


def judged(*groups):
    return [
        Judged(KIND, lead, number < right) for lead, right, of in groups for number in range(of)
    ]


def test_shares_that_rise_are_steps():
    (steps,) = fit_table(judged((0, 100, 400), (100, 300, 400), (200, 390, 400))).values()
    assert [(step.lead, step.percent) for step in steps] == [(0, 25), (100, 75), (200, 97)]
    assert sum(step.count for step in steps) == 1200


def test_what_falls_is_pooled_and_few_go_with_their_neighbours():
    (steps,) = fit_table(
        judged((0, 200, 400), (100, 100, 400), (300, 400, 400), (310, 0, 5))
    ).values()
    assert [(step.lead, step.percent) for step in steps] == [(0, 38), (300, 98)]


def test_no_step_says_that_it_is_certain_and_few_lean_to_the_others():
    table = fit_table(
        [*judged((0, 900, 900)), *(Judged(("rel", "given"), 0, False) for _ in range(4))]
    )
    assert table[KIND][0].percent == 99
    assert 40 < table["rel", "given"][0].percent < 60


def test_a_table_is_a_rule_file():
    text = render_table(fit_table(judged((0, 100, 400), (100, 300, 400))), "mine", "a command")
    assert "confidence(equi,given,0,25; equi,given,100,75).  % 800\n" in text


@pytest.mark.slow
def test_cross_validation_writes_a_table_that_can_be_used(good, samples, tmp_path):
    gold = ("learn", "--gold", samples / "headlines", "--profile", "headlines")
    good(*gold, "--cross-validate", "2", "--confidence", "table.lp", "-q")
    text = (tmp_path / "table.lp").read_text("utf-8")
    assert re.search(r"^confidence\(align,found,-?\d+,\d+", text, re.M)
    assert "--cross-validate 2 --confidence confidence/confidence-headlines.lp" in text
