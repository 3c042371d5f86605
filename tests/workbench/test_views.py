"""What the views ask of the server: words, rules, effects, reports, corrections, lessons."""

import json
import os
import shutil
import time

import pytest

from ists_asp.evaluate.files import evaluate_files
from ists_asp.learn.examples import read_gold
from tests.serving import serving

pytestmark = pytest.mark.slow
CORRECTIONS = "/project/corrections/images"
LEARNING = "/project/learning"


def wait_for(condition, seconds=200):
    ends = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < ends, "nothing happened"
        time.sleep(0.1)
    return found


def test_entries_touch_pairs_by_lemmas_and_phrases(served, written):
    written("rules/terms.tsv", "storm <> thousand\nnorthern spain = spain\nbase = ball\n")
    lines = served.send("/project/words/pairs?corpus=headlines")[2].splitlines()
    touched = [pair for line in lines for pair in json.loads(line)["touched"].items()]
    assert sorted((place, len(ids)) for place, ids in touched if place.startswith("terms")) == [
        ("terms.tsv:1", 1),
        ("terms.tsv:2", 1),
    ]


@pytest.mark.parametrize(("left", "right"), [("same", "Same"), ("a = b", "c"), ("x", "")])
def test_what_is_no_entry_is_refused_in_a_line_and_not_written(served, written, left, right):
    path = written("rules/terms.tsv", "big = large\n")
    tables = {one["name"]: one["digest"] for one in served.asked("/project/words")["tables"]}
    body = {"name": "terms.tsv", "before": tables["terms.tsv"], "left": left, "right": right}
    status, answered = served.ask("/project/words", body)
    assert (status, "entry" in answered["error"]) == (400, True)
    assert path.read_text("utf-8") == "big = large\n"


def test_a_faulty_line_is_told_with_its_place(served, written):
    written("rules/terms.tsv", "big = large\nnonsense\n")
    (own,) = (one for one in served.asked("/project/words")["tables"] if "terms" in one["name"])
    assert [(row["line"], "fault" in row) for row in own["rows"]] == [(1, False), (2, True)]
    assert "terms.tsv:2: 'nonsense' is not" in served.asked("/project/rules/loaded")["fault"]

    def faults():
        return [one["faults"] for one in served.asked("/project/effects")["corpora"]]

    wait_for(lambda: "terms.tsv:2: 'nonsense' is not" in str(faults()))


def test_hostile_rules_keep_nobody_waiting_for_ever(served, written):
    given = {"name": "hostile.lp", "text": f"p({'x' * 900_000}"}
    (found,) = served.asked("/project/rules/check", given)
    assert (found["kind"], len(found["text"]) < 1000) == ("syntax", True)
    given["text"] = '%@rule hostile: "{X}"\ncounted(X+1) :- counted(X).\ncounted(1).\n'
    assert served.ask("/project/rules/check", given)[0] == 200
    written("rules/hostile.lp", given["text"])
    assert "hostile.lp" in served.asked("/project/rules/loaded")["fault"]
    # The rules before go on.
    assert served.asked("/api/solve", {"sent1": "a dog", "sent2": "a cat"})["alignments"]


def test_where_a_rule_fires_is_told_with_its_words(served):
    text = served.send("/project/rules/where?rule=same_by_table&corpus=images")[2].decode()
    assert "means the same as" in text
    assert "fired for" in json.loads(text.splitlines()[-1])["verdict"]
    found = served.ask("/project/rules/where?rule=no_such_rule&corpus=images")[1]
    assert "no rule that decides answers is called" in found["error"]


def test_reasons_are_those_of_the_rules_that_decided(served, written):
    served.ask("/project/report/decide?corpus=images")
    why = "/project/report/why?corpus=images&pair=0&line=0"
    assert served.asked(why)["decisions"]
    written("rules/report_view.lp", "% nothing yet\n")
    status, answered = served.ask(why)
    assert (status, "rules have changed" in answered["error"]) == (400, True)


@pytest.mark.long
def test_rules_without_an_end_are_told_and_the_server_stays_usable(tmp_path):
    # It has an end, but none that anybody lives to see.
    endless = "_endless(0). _endless(N+1) :- _endless(N), N < 2000000000, word(_,_,_).\n"
    with serving(tmp_path / "project", "--profile", "headlines") as server:
        (server.folder / "rules" / "endless.lp").write_text(endless)
        wait_for(lambda: server.asked("/project/effects")["after"] == 2)
        assert server.asked("/api/solve", {"sent1": "a dog", "sent2": "a cat"})["picture"]
        wait_for(lambda: "no answer within 10 s" in str(server.asked("/project/effects")), 600)


def test_all_pairs_are_accepted_as_they_are_and_make_gold(served, correct):
    names = served.asked(CORRECTIONS)["ids"]
    for name in names:
        correct("accept", name)
    assert served.asked(CORRECTIONS)["mended"] == names
    wa = served.folder / "corrections" / "images.wa"
    gold = served.folder / "corpora" / "images" / "gold.wa"
    assert evaluate_files(gold, wa).overall.alignment.f1 > 0.5
    assert len(read_gold(wa)) == 10
    assert served.send(f"{CORRECTIONS}/export")[2] == wa.read_bytes()


def test_a_lesson_is_cancelled_and_not_begun_with_too_few_corrections(served, correct):
    lesson = {"corpora": ["images"], "folds": 2}
    status, answered = served.ask(LEARNING, lesson)
    assert (status, "0 corrected pairs are too few" in answered["error"]) == (400, True)
    assert "expected 10 or more" in answered["error"]
    for name in served.asked(CORRECTIONS)["ids"]:
        correct("accept", name)
    assert served.asked(LEARNING, lesson)["running"]
    served.asked(f"{LEARNING}/cancel", {})
    wait_for(lambda: not served.asked(LEARNING)["job"]["running"])
    ended = served.asked(LEARNING)
    assert (ended["job"]["fault"], ended["found"]) == ("cancelled", None)


@pytest.mark.parametrize("name", [os.fsdecode(b"\xff\xfe"), "\u202e\u2066gnp.exe", "a\nb"])
def test_a_name_that_cannot_be_shown_is_no_part_of_the_project(served, written, name):
    written(f"rules/{name}.lp", "not even a rule\n")
    corpus = served.folder / "corpora" / name
    shutil.copytree(served.folder / "corpora" / "images", corpus)
    try:
        for view in ("rules", "words", "effects", "correct", "learn", "report"):
            assert served.send(f"/{view}")[0] == 200
        assert list(served.asked("/project/rules")["files"]) == ["words.tsv"]
        corpora = served.asked("/project/effects")["corpora"]
        assert [one["name"] for one in corpora] == ["headlines", "images"]
    finally:
        shutil.rmtree(corpus)
