"""The command: own rules get weights, which change answers."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp.io.wa import write_pair
from ists_asp.model import Label
from tests.sharing import alignments, make_pair, shared_system

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
NAMES = ("medicine", "headlines", "images")
PAIR = ("[ The clinic ] [ orders ] [ Plavix ]", "[ The clinic ] [ orders ] [ clopidogrel ]")


@pytest.fixture
def learn(run, samples):
    def call(*options):
        result = run("learn", "--gold", samples / "headlines", "--profile", "headlines", *options)
        assert result.exit_code == 0, result.stderr
        return result

    return call


@pytest.mark.long
def test_a_rule_of_ones_own_gets_a_weight_that_changes_an_answer(good, run, samples, tmp_path):
    good("rules", "copy", "my")
    with (tmp_path / "my" / "alignment" / "evidence.lp").open("a", encoding="utf-8") as file:
        file.write((HERE / "brands.lp").read_text("utf-8"))
    solve = ("solve", "--profile", "default", "--rules", "my", "--reader", "none", "--chunked")
    assert "Plavix      EQUI 5  clopidogrel" not in good(*solve, "--format", "text", *PAIR)
    corrections = tmp_path / "mine.lp"
    gold = [part for name in NAMES for part in ("--gold", samples / name)]
    learn = ("learn", *gold, "--profile", "default", "--rules", "my")
    result = run(*learn, "-o", corrections)
    assert re.search(r"\d+ corrections from 28 pairs\nGot none ", result.stderr)
    found = corrections.read_text("utf-8")
    assert re.search(r"^correction\(same_medicine,(align|equi),[1-9]\d*\)\. +% \d+: ", found, re.M)
    assert "\nweight(" not in found
    named = " ".join(f"--gold DATA/{name}" for name in NAMES)
    assert f"{named} --rules my --profile default" in found
    after = run(*solve, "--rules", corrections, "--format", "text", *PAIR)
    assert "Plavix      EQUI 5  clopidogrel" in after.stdout, after.stdout
    assert after.stderr == ""
    # A file of the profile's that is written anew plays no part; here it has all weights.
    english = tmp_path / "my" / "weights" / "english.lp"
    good(*learn, "-o", english)
    assert "\nweight(any_pair,align," in english.read_text("utf-8")


def test_weights_learned_from_nothing_take_the_place_of_the_profiles(learn, run, tmp_path):
    """A file of before, whatever it is called, is used as it was meant."""
    old, mine = tmp_path / "old.lp", tmp_path / "mine.lp"
    result = learn("--from-nothing", "-o", old.name)
    assert re.search(r"\d+ weights from 10 pairs\nGot none ", result.stderr)
    found = old.read_text("utf-8")
    assert "\nweight(any_pair,align," in found
    assert "--profile headlines --from-nothing -o" in found
    assert "\ncorrection(" not in found
    own = "lp_rules/weights/english.lp and lp_rules/weights/headlines.lp"
    result = run("solve", "--profile", "headlines", "--rules", "old.lp", "A storm", "The storm")
    assert result.stderr.count(f"old.lp: this file takes the place of {own}") == 1
    # What is learned then corrects them.
    learn("--rules", "old.lp", "--most", "2", "-o", mine.name)
    found = mine.read_text("utf-8")
    assert "--rules old.lp --profile headlines --most 2 -o" in found
    facts = re.findall(r"^(?:weight|correction)\(.*\)\.", found, re.M)
    assert sum(fact.count(";") + 1 for fact in facts) <= 2


def test_lines_that_are_kept(learn, tmp_path):
    (tmp_path / "kept.lp").write_text("correction(meaning,align,41). weight(mine,equi,7).\n")
    output = learn("--keep", "kept.lp").stdout
    assert "\ncorrection(meaning,align,41)." in output
    assert "\ncorrection(mine,equi,7)." in output
    assert "\nweight(mine,equi,7)." in learn("--keep", "kept.lp", "--from-nothing").stdout


def test_what_gets_no_weight_is_told_with_the_reason(learn, tmp_path):
    shutil.copy(HERE / "idle.lp", tmp_path)
    idle = ("--reader", "none", "--rules", "idle.lp")
    result = learn(*idle, "-o", "mine.lp")
    first, title, *rows, last = result.stderr.splitlines()
    assert re.fullmatch(r".+ corrections from 10 pairs\d+ in all; --json has them", first + last)
    assert title.split() == ["Got", "none", "for", "examples", "because"]
    assert len(rows) == 12
    told = [re.split(r"  +", row) for row in rows]
    reasons = {name: (decisions, count, why) for name, decisions, count, why in told}
    # Names of one's own come first.
    names = list(dict.fromkeys(name for name, *_ in told))
    assert names[:3] == ["always(here)", "never", "silent"]
    assert reasons["always(here)"][2].startswith("the same in all examples (z ")
    assert reasons["never"] == ("equi, rel", "0", "4 examples are needed")
    assert reasons["silent"][2] == "no argues/3 names it"
    assert learn(*idle, "-o", "mine.lp", "-q").stderr == ""

    result = learn(*idle, "--json", "-q")
    record = json.loads(result.stdout)
    assert result.stderr == ""
    without = {(one["name"], one["decision"]): one for one in record["without"]}
    assert without["never", "rel"]["reason"] == "4 examples are needed"
    found = {(one["name"], one["decision"]) for one in record["corrections"]}
    assert found.isdisjoint(without)
    assert 0 not in {one["value"] for one in record["corrections"]} != set()
    written = learn(*idle, "--json", "-o", "again.lp")
    assert json.loads(written.stdout) == record
    again, mine = ((tmp_path / name).read_text("utf-8") for name in ("again.lp", "mine.lp"))
    assert again.replace("again.lp", "mine.lp") == mine


def test_cross_validation_prints_four_measures_with_their_spread(learn, tmp_path):
    result = learn("--cross-validate", 2)
    figure = r"[01]\.\d{3} ± 0\.\d{3}"
    measures = ", ".join(rf"{name} {figure}" for name in ("alignment", "type", "score"))
    for line, chunks in zip(result.stdout.splitlines(), ("gold", "found"), strict=True):
        assert re.fullmatch(rf"{chunks} chunks: {measures}, type\+score {figure}", line)
    # Beside a file they go to standard error; those corrections that the profile has stay.
    result = learn("--cross-validate", 2, "--most", "0", "-o", "w.lp", "--seed", 5)
    assert result.stdout == ""
    assert re.search(r"(?s)gold chunks: alignment.*\d corrections from 10 pairs", result.stderr)
    assert "--profile headlines --most 0 --seed 5 -o" in (tmp_path / "w.lp").read_text("utf-8")


def test_too_little_gold(bad, tmp_path):
    for side in "12":
        (tmp_path / f"sent{side}.chunk.txt").write_text("[ Fire ]\n")
    pair = make_pair("Fire", "Fire")
    (tmp_path / "gold.wa").write_text(write_pair(pair, alignments("1~1 EQUI 5")))
    message = bad(1, "learn", "--gold", tmp_path)
    assert "no choice to learn from" in message
    assert "Give more gold pairs" in message


@pytest.mark.long
@pytest.mark.parametrize("label", [Label.EQUI, None])
def test_edits_stand_beside_weights_where_they_earn_themselves(label, run, tmp_path):
    verbs = ("sells", "buys", "builds", "moves", "shows", "paints", "sends")
    texts = [f"{verb} {thing}" for verb in verbs for thing in ("a car", "a door", "a train")]
    pairs = [(f"Opel {text}", f"Vauxhall {text} today") for text in texts]
    file, edits = tmp_path / "gold.wa", tmp_path / "edits.lp"
    with file.open("w") as stream:
        for number, answer in enumerate(shared_system("default").solve_many(pairs, rated=False)):
            lines = {line.sides: line for line in answer.alignments}
            maker = lines[(1,), (1,)]
            assert maker.label is not Label.EQUI
            if label:
                lines[maker.sides] = replace(maker, label=label, score=5.0)
            stream.write(write_pair(replace(answer.pair, id=str(number + 1)), lines.values()))
    options = "--most", "0", "--cross-validate", "2", "--edits", edits, "-o", "weights.lp"
    result = run("learn", "--gold", file, *options)
    assert result.exit_code == 0, result.stderr
    if label is None:
        assert f"no edit pays off on held-out pairs: {edits} is not written" in result.stderr
        assert not edits.exists()
        return
    assert re.search(r" 21 better, 0 worse out of fold, F1 \+[\d.]+: opel_vauxhall", result.stderr)
    found = edits.read_text("utf-8")
    assert '"opel","vauxhall"' in found
    assert "--most 0 --edits edits.lp" in found
    solve = ("solve", "--rules", edits, "--reader", "none", "--format", "text")
    told = run(*solve, "Opel rents a bus", "Vauxhall rents a bus").stdout
    assert re.search("Opel +EQUI 5  Vauxhall", told), told
