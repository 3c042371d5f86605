"""The command: own rules get weights, which change answers."""

import json
import re

import pytest

from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.model import Alignment, Label, Pair

pytestmark = pytest.mark.slow

RULES = """
%@rule brands: "a medicine by its brand and by what is in it"
_brand("nurofen","ibuprofen"; "ventolin","salbutamol"; "zocor","simvastatin"; "valium","diazepam";
    "prozac","fluoxetine"; "zyrtec","cetirizine"; "glucophage","metformin"; "plavix","clopidogrel").
%@rule propose_brand: "{B} is a brand of {M}"
linked(C,D,80) :- _brand(B,M), word(1,I,B), word(2,J,M), in_chunk(1,C,I), in_chunk(2,D,J).
%@rule same_medicine: "{B} is a brand of {M}"
evidence(pair(X,Y),same_medicine,100) :- proposed(X,Y), _brand(B,M), word(1,I,B), word(2,J,M),
    span_token(1,X,I), span_token(2,Y,J).
%@rule same_medicine_argues: "a brand and what is in it are counterparts, and the same"
argues(same_medicine,(align;equi),for).
"""
NAMES = ("medicine", "headlines", "images")
PAIR = ("[ The clinic ] [ orders ] [ Plavix ]", "[ The clinic ] [ orders ] [ clopidogrel ]")


@pytest.mark.long
def test_a_rule_of_ones_own_gets_a_weight_that_changes_an_answer(run, samples, tmp_path):
    assert run("rules", "copy", "my").exit_code == 0
    with (tmp_path / "my" / "alignment" / "evidence.lp").open("a", encoding="utf-8") as file:
        file.write(RULES)
    solve = ("solve", "--profile", "default", "--rules", "my", "--reader", "none", "--chunked")
    before = run(*solve, "--format", "text", *PAIR)
    assert "Plavix      EQUI 5  clopidogrel" not in before.stdout
    corrections = tmp_path / "mine.lp"
    gold = [part for name in NAMES for part in ("--gold", samples / name)]
    named = [f"--gold DATA/{name}" for name in NAMES]
    learn = ("learn", *gold, "--profile", "default", "--rules", "my")
    result = run(*learn, "-o", corrections)
    assert result.exit_code == 0, result.stderr
    assert re.match(r"\d+ corrections from 28 pairs\nGot none ", result.stderr)
    found = read(corrections)
    assert re.search(
        r"^correction\(same_medicine,(?:align|equi),[1-9]\d*\)\. +% \d+: ", found, re.M
    )
    assert "\nweight(" not in found
    assert f"{' '.join(named)} --rules my --profile default" in found
    after = run(*solve, "--rules", corrections, "--format", "text", *PAIR)
    assert "Plavix      EQUI 5  clopidogrel" in after.stdout, after.stdout
    assert after.stderr == ""
    # A file of the profile's that is written anew plays no part; here it has all weights.
    assert run(*learn, "-o", tmp_path / "my" / "weights" / "english.lp").exit_code == 0
    weights = read(tmp_path / "my" / "weights" / "english.lp")
    assert "\nweight(any_pair,align," in weights


FACTS = re.compile(r"^(?:weight|correction)\(.*\)\.", re.M)


def read(path):
    return path.read_text("utf-8")


def test_weights_learned_from_nothing_take_the_place_of_the_profiles(run, samples, tmp_path):
    """A file of before, whatever it is called, is used as it was meant."""
    learn = ("learn", "--gold", samples / "headlines", "--profile", "headlines")
    result = run(*learn, "--from-nothing", "-o", "old.lp")
    assert result.exit_code == 0, result.stderr
    assert re.match(r"\d+ weights from 10 pairs\nGot none ", result.stderr)
    found = read(tmp_path / "old.lp")
    assert "\nweight(any_pair,align," in found
    assert "--profile headlines --from-nothing -o" in found
    assert "\ncorrection(" not in found
    own = "lp_rules/weights/english.lp and lp_rules/weights/headlines.lp"
    told = f"old.lp: this file takes the place of {own}, as it weighs what they do"
    result = run("solve", "--profile", "headlines", "--rules", "old.lp", "A storm", "The storm")
    assert result.exit_code == 0
    assert result.stderr.count(told) == 1
    # What is learned then corrects them.
    result = run(*learn, "--rules", "old.lp", "--most", "2", "-o", "mine.lp")
    assert result.exit_code == 0
    found = read(tmp_path / "mine.lp")
    assert "--rules old.lp --profile headlines --most 2 -o" in found
    assert sum(one.count(";") + 1 for one in FACTS.findall(found)) <= 2


def test_lines_that_are_kept(run, samples, tmp_path):
    learn = ("learn", "--gold", samples / "headlines", "--profile", "headlines")
    (tmp_path / "kept.lp").write_text("correction(meaning,align,41). weight(mine,equi,7).\n")
    result = run(*learn, "--keep", "kept.lp")
    assert result.exit_code == 0, result.stderr
    assert "\ncorrection(meaning,align,41)." in result.stdout
    assert "\ncorrection(mine,equi,7)." in result.stdout
    result = run(*learn, "--keep", "kept.lp", "--from-nothing")
    assert "\nweight(mine,equi,7)." in result.stdout


IDLE = """
%@rule silent: "there is no argument"
evidence(link(X,Y),silent,100) :- viable(X,Y).
%@rule always: "all pairs have it"
evidence(link(X,Y),always(here),100) :- viable(X,Y).
%@rule never: "no pair has it"
evidence(link(X,Y),never,100) :- viable(X,Y), token(1,_,"Rumpelstiltskin").
%@rule what_they_argue: "what they may speak for"
argues(always,simi,for; never,(equi;rel),for).
"""


def test_what_gets_no_weight_is_told_with_the_reason(run, samples, tmp_path):
    (tmp_path / "idle.lp").write_text(IDLE)
    learn = ("learn", "--gold", samples / "headlines", "--profile", "headlines", "--reader", "none")
    result = run(*learn, "--rules", "idle.lp", "-o", "mine.lp")
    assert result.exit_code == 0, result.stderr
    first, title, *rows, last = result.stderr.splitlines()
    assert re.fullmatch(r"\d+ corrections from 10 pairs", first)
    assert title.split() == ["Got", "none", "for", "examples", "because"]
    assert re.fullmatch(r"\d+ in all; --json has them", last)
    assert len(rows) == 12
    told = [re.split(r"  +", row) for row in rows]
    reasons = {name: (decisions, count, why) for name, decisions, count, why in told}
    # Names of one's own come first.
    names = list(dict.fromkeys(name for name, *_ in told))
    assert names[:3] == ["always(here)", "never", "silent"]
    assert reasons["always(here)"][2].startswith("the same in all examples (z ")
    assert reasons["never"] == ("equi, rel", "0", "4 examples are needed")
    assert reasons["silent"][2] == "no argues/3 names it"
    assert run(*learn, "--rules", "idle.lp", "-o", "mine.lp", "-q").stderr == ""

    result = run(*learn, "--rules", "idle.lp", "--json", "-q")
    record = json.loads(result.stdout)
    assert result.stderr == ""
    without = {(one["name"], one["decision"]): one for one in record["without"]}
    assert without["never", "rel"]["reason"] == "4 examples are needed"
    found = {(one["name"], one["decision"]) for one in record["corrections"]}
    assert found
    assert not found & without.keys()
    assert all(one["value"] for one in record["corrections"])
    written = run(*learn, "--rules", "idle.lp", "--json", "-o", "again.lp")
    assert json.loads(written.stdout) == record
    assert read(tmp_path / "again.lp").replace("again.lp", "mine.lp") == read(tmp_path / "mine.lp")


def test_json_is_not_for_ratings(bad, tmp_path):
    (tmp_path / "a.tsv").write_text("5\ta cat\ta cat\n")
    assert "--json do not go with --task sts" in bad(
        2, "learn", "--task", "sts", "--gold", "a.tsv", "--json"
    )


def test_cross_validation_prints_four_measures_with_their_spread(run, samples):
    result = run(
        "learn", "--gold", samples / "headlines", "--profile", "headlines", "--cross-validate", 2
    )
    assert result.exit_code == 0, result.stderr
    figure = r"[01]\.\d{3} ± 0\.\d{3}"
    measures = ", ".join(rf"{name} {figure}" for name in ("alignment", "type", "score"))
    for line, chunks in zip(result.stdout.splitlines(), ("gold", "found"), strict=True):
        assert re.fullmatch(rf"{chunks} chunks: {measures}, type\+score {figure}", line)


def test_with_no_corrections_what_is_reached_without_any_is_measured(run, samples, tmp_path):
    learn = ("learn", "--gold", samples / "headlines", "--profile", "headlines")
    result = run(*learn, "--cross-validate", "2", "--most", "0", "-o", "none.lp")
    assert result.exit_code == 0
    assert "gold chunks: alignment" in result.stderr
    # Those that the profile has stay.
    assert re.search(r"[0-9]+ corrections from 10 pairs", result.stderr)


def test_figures_go_to_standard_error_when_weights_are_written(run, samples, tmp_path):
    gold = ("--gold", samples / "headlines", "--profile", "headlines")
    result = run("learn", *gold, "--cross-validate", 2, "-o", "w.lp", "--seed", 5)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "gold chunks: alignment" in result.stderr
    assert "--profile headlines --seed 5 -o" in read(tmp_path / "w.lp")


def test_options_that_cannot_be_learned_by(bad, samples, tmp_path):
    gold = ("learn", "--gold", samples / "headlines")
    assert "11 parts of 10 gold pairs" in bad(2, *gold, "--cross-validate", 11)
    assert "there is no sent1.chunk.txt" in bad(1, "learn", "--gold", tmp_path)
    assert 'Did you mean "headlines"?' in bad(2, *gold, "--profile", "headline")


def test_too_little_gold(bad, tmp_path):
    for side in "12":
        (tmp_path / f"sent{side}.chunk.txt").write_text("[ Fire ]\n")
    pair = Pair("1", make_sentence(["Fire"]), make_sentence(["Fire"]))
    (tmp_path / "gold.wa").write_text(write_pair(pair, [Alignment((1,), (1,), Label.EQUI, 5.0)]))
    message = bad(1, "learn", "--gold", tmp_path)
    assert "no choice to learn from" in message
    assert "Give more gold pairs" in message
