"""What rules are worth: the same as if they were deleted, found faster."""

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp.ablate import Study, ablate
from ists_asp.engine import Setup
from ists_asp.evaluate.scorer import Reference
from ists_asp.learn import read_gold
from ists_asp.model import Pair
from tests.sharing import shared_folder, shared_system

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
# For alignments, made of others, and for labels as well.
FEATURES = ["any_pair", "meaning_alike", "sentences_alike"]
OTHER = "same_word"
PAIRS = 2


def make(folder, profile, bare=False):
    golds = read_gold(SAMPLES / folder)[:PAIRS]
    pairs = [gold.pair for gold in golds]
    if bare:
        sides = ((replace(one, chunks=None) for one in (pair.sent1, pair.sent2)) for pair in pairs)
        pairs = [Pair(pair.id, *both) for pair, both in zip(pairs, sides, strict=True)]
    annotated = list(shared_system(profile).annotate(pairs))
    items = [Reference(pair, gold.alignments) for pair, gold in zip(annotated, golds, strict=True)]
    return Study(items, Setup(profile, cache=shared_folder(), incremental=False))


@pytest.fixture(scope="module")
def study():
    return make("headlines", "headlines")


@pytest.fixture(scope="module")
def places(study):
    return range(len(study.golds))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_switched_off_is_as_good_as_its_rule_deleted(study, places, name):
    surveyed = study.survey(places, {name})
    fast = [one.without.get(name, one.scores) for one in surveyed]
    assert fast == study.without(name)
    assert fast != [one.scores for one in surveyed]


@pytest.mark.slow
@pytest.mark.long
def test_chunks_that_the_rules_find_are_kept_while_features_are_left_out():
    study = make("images", "images", bare=True)
    surveyed = study.survey([0, 1], {"any_pair"})
    fast = [one.without.get("any_pair", one.scores) for one in surveyed]
    assert fast == study.without("any_pair")[:2]


def test_worth_is_what_is_lost_without_the_rule(study, places):
    wanted = [*FEATURES[:2], OTHER]
    found = ablate(study, wanted)
    base = study.survey(places, ())
    assert found.pairs == len(base)
    assert found.scores == sum((one.scores for one in base[1:]), base[0].scores)
    assert {one.rule.name for one in found.rules} == set(wanted)
    worth = [one.worth["Typ+Sco"] for one in found.rules]
    assert worth == sorted(worth, reverse=True)
    (other,) = (one for one in found.rules if one.rule.name == OTHER)
    without = study.without(OTHER)
    total = sum(without[1:], without[0])
    lost = found.scores.type_score.f1 - total.type_score.f1
    assert other.worth["Typ+Sco"] == pytest.approx(lost)
    assert other.changed == sum(without[place] != base[place].scores for place in places)


@pytest.mark.slow
@pytest.mark.long
def test_several_processes_find_the_same(study):
    wanted = [FEATURES[0], OTHER]
    assert ablate(study, wanted, jobs=2) == ablate(study, wanted)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells processes of this")
def test_processes_end_with_a_command_that_is_killed():
    command = ["-m", "ists_asp", "rules", "ablate", "--jobs", "2", "--profile", "headlines"]
    process = subprocess.Popen(
        [sys.executable, *command, "--gold", str(SAMPLES / "headlines"), "--cache", "none"],
        stderr=subprocess.PIPE,
        text=True,
    )

    def below(parent):
        """A process's children and theirs: the command may work in a child of its own."""
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            yield child
            yield from below(child)

    def workers():
        found = [Path("/proc", child, "cmdline") for child in below(process.pid)]
        return sum(b"spawn_main" in path.read_bytes() for path in found)

    ends = time.monotonic() + 120
    while workers() < 2:
        assert process.poll() is None
        assert time.monotonic() < ends, "no workers"
        time.sleep(0.02)
    process.kill()
    # The workers hold standard error: that this returns at all says that they have ended.
    process.communicate(timeout=30)


@pytest.mark.slow
@pytest.mark.long
def test_decisions_are_right_or_wrong_by_gold(study):
    """By its own answers as gold all decisions are right, by other gold all are wrong."""
    (trace,) = study.system.trace_annotated([study.golds[0].pair])
    answer = trace.answer
    for gold, count in ((answer.alignments, (True, False)), ((), (False, True))):
        items = [Reference(answer.pair, tuple(gold))]
        (one,) = Study(items, study.setup).survey([0], ())
        told = one.tallies["any_pair"]
        assert (told.right > 0, told.wrong > 0) == count
        assert told.fires >= told.pairs == 1
    aligned = sum(line.label.aligned for line in answer.alignments)
    # Each alignment is an alignment, a label and a score; EQUI has no choice of scores.
    assert max(one.right + one.wrong for one in one.tallies.values()) <= 3 * aligned


@pytest.mark.slow
@pytest.mark.long
def test_the_command_tells_and_writes(good, bad):
    gold = SAMPLES / "headlines"
    args = ["rules", "ablate", "--gold", gold, "--profile", "headlines", "--cache", "none"]
    args += [f"--only={name}" for name in FEATURES]

    found = json.loads(good(*args, "--json"))
    assert {one["name"] for one in found["rules"]} == set(FEATURES)
    assert found["pairs"] == len(read_gold(gold))
    assert set(found["rules"][0]["worth"]) == set(found["f1"])
    lines = good(*args, "--top", "1").splitlines()
    assert lines[0].startswith(f"F1 of all rules over {found['pairs']} pairs: Ali 0.")
    ends = [found["rules"][place]["name"] for place in (0, -1)]
    assert [line.split()[0] for line in lines[2:]] == ["rule", *ends]
    assert "Did you mean 'any_pair'?" in bad(2, *args, "--only", "any_pairs")


@pytest.mark.slow
@pytest.mark.long
def test_a_constraint_is_left_out_like_a_rule(study, tmp_path, places):
    rules = tmp_path / "mine.lp"
    rules.write_text(
        '%@rule nothing: "nothing is aligned"\n:- aligned(_,_).\n'
        '%@rule never: "nothing is opposed to itself"\n:- label(X,X,oppo).\n'
    )
    restrained = Study(study.golds, Setup("headlines", (rules,)))
    found = ablate(restrained, ["nothing", "never"])
    by_name = {one.rule.name: one for one in found.rules}
    assert by_name["nothing"].changed == len(places)
    assert by_name["never"].changed == 0
    assert by_name["nothing"].worth["Ali"] < 0
