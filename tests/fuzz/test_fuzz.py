"""Rules that nobody should write cost no pair more than its own answer; no input is misread."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp.model import Alignment, Answer, Label
from ists_asp.resources import asp_dir, rules_dir

from . import inputs, tables
from .inputs import KINDS, damaged, seeds, tried
from .rules import MARKED, PROFILES, answer_faults, generate, read_pairs, vocabulary


@pytest.mark.long
@pytest.mark.parametrize("profile", PROFILES)
def test_rule_files_cost_no_pair_more_than_its_own_answer(profile):
    command = [sys.executable, "-m", "tests.fuzz", f"rules-{profile}", "--count", "8"]
    home = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=home, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "all of 8, 0 with faults" in done.stdout) == (0, True), done.stdout


@pytest.mark.slow
def test_an_input_and_a_file_can_be_made_again():
    assert all(damaged(kind, 7) == damaged(kind, 7) for kind in KINDS)
    assert len({damaged("wa", number) for number in range(50)}) > 40
    assert generate("es", 7) == generate("es", 7) != generate("es", 8)


def test_what_is_lost_is_seen(tmp_path, monkeypatch):
    # The harness itself: a reader that skips what it does not understand is a fault.
    monkeypatch.setattr(inputs, "read_pairs", lambda *_files, **_how: [])
    whole = next(n for n in range(1000) if damaged("chunks", n) in seeds("chunks"))
    assert "pairs of" in tried("chunks", whole, tmp_path)


@pytest.mark.slow
def test_hostile_tables_end_in_their_time_and_memory(tmp_path):
    found = {number: tables.tried(number, tmp_path) for number in range(15)}
    assert not {number: wrong for number, (_, wrong) in found.items() if wrong}


@pytest.mark.slow
def test_a_thousand_files_are_about_every_predicate_of_the_sources():
    every = vocabulary()
    assert len(every) > 1000
    for place in range(1000, len(every)):
        assert every[place].name in "\n".join(generate("headlines", place - 1000))
    known = {(each.name, len(each.arguments)) for each in every}
    assert {("aligned", 2), ("label", 3), ("same_sentences", 0), ("rating", 1)} <= known
    for root in (asp_dir(), rules_dir()):
        for path in root.rglob("*.lp"):
            shown = re.findall(r"^#(?:defined|show) (\w+)/(\d+)\.", path.read_text(), re.MULTILINE)
            assert {(name, int(arity)) for name, arity in shown} <= known


def test_one_pair_has_the_marker():
    for language, marker in (("en", "bomb"), ("es", "bomba")):
        marked = [marker in pair.sent1.text.split() for pair in read_pairs(language)]
        assert [place for place, has in enumerate(marked) if has] == [MARKED]


def test_what_counts_as_a_fault():
    answer = Answer(read_pairs("en")[0], (), (), (), (), True)
    assert list(answer_faults(answer)) == ["a sentence without chunks"]
    lines = [Alignment((1,), (), Label.EQUI, 4.0)] * 2
    found = set(answer_faults(replace(answer, alignments=lines)))
    assert {"EQUI for (1,) and ()", "EQUI with the score 4.0"} < found
    assert any("on several lines" in fault for fault in found)
