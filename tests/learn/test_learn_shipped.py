"""The shipped weights are what learn writes."""

import re
from pathlib import Path

import pytest
from clingo import parse_term

from ists_asp.engine import Setup
from ists_asp.learn import ExampleBuilder
from ists_asp.rules import list_profiles, load_profile

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "lp_rules" / "weights"
DATA = ROOT.parent / "shared" / "data" / "ists-2016-train"
FILES = sorted(
    file for file in WEIGHTS.glob("*.lp") if not file.name.startswith(("sts-", "reader-"))
)
READER = sorted(set(WEIGHTS.glob("reader-*.lp")) - set(WEIGHTS.glob("reader-sts-*.lp")))
BORROWED = {"baseline": "default", "es": "transfer", "sts-en": "default", "sts-es": "transfer"}
"""Profiles that count as another one does."""
FACT = re.compile(r"weight\((.+)\)\. +% (\d+)(?:: .+)?")
RATING = re.compile(r"^weight\((\w+),rating,(-?\d+)\)\.", re.M)
BUDGETS = {"boundary": 180, "align": 15, "label": 45, "score": 15}
MOST = 340
BASES = {"any_two_tokens", "any_pair", "any_link"}


def groups(path):
    """The lines of each kind of decision: the name, its weights by class, and its support."""
    for block in path.read_text("utf-8").split("\n\n")[1:]:
        title, *lines = block.splitlines()
        assert title.startswith("% ")
        found = []
        for line in lines:
            inside, support = FACT.fullmatch(line).groups()
            each = [one.rsplit(",", 2) for one in inside.split("; ")]
            (name,) = {name for name, _, _ in each}
            found.append((name, {decision: int(value) for _, decision, value in each}, support))
        yield found


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request):
    return request.param


def test_each_learned_profile_has_weights_of_its_own():
    profiles = {name: load_profile(name) for name in list_profiles()}
    learned = set()
    for name, profile in profiles.items():
        lender = BORROWED.get(name, name)
        weights, *sure = profile.answer.weights
        assert weights == f"weights/{lender}"
        assert sure in ([], [f"confidence/confidence-{lender}"])
        learned.add(lender)
    assert {path.stem for path in FILES} == learned


def test_the_pilots_weights_are_learned_from_the_pilot_only():
    """The train sets of 2016 have the pairs that the pilot was tested on."""
    pilots = [path for path in FILES if path.stem.startswith("pilot-")]
    assert len(pilots) == 2
    for path in pilots:
        (command,) = re.findall(r"ists-asp learn .*", path.read_text("utf-8"))
        gold = re.findall(r"--gold (\S+)", command)
        assert gold == [f"DATA/STSint.gs.{path.stem.removeprefix('pilot-2015-')}.wa"]


def kind(weights):
    """The decision that a line is about."""
    (found,) = {one if one in BUDGETS else "label" for one in weights}
    return found


def test_weights_are_few_and_one_name_a_line(file):
    lines = [line for group in groups(file) for line in group]
    assert sum(len(weights) for _, weights, _ in lines) <= MOST
    for group in groups(file):
        (what,) = {kind(weights) for _, weights, _ in group}
        names = [name for name, _, _ in group]
        assert len(set(names)) == len(names)
        counted = {name for name in names if name not in BASES and not name.startswith("label(")}
        assert len(counted) <= BUDGETS[what]
        order = [(-max(map(abs, weights.values())), name) for name, weights, _ in group]
        assert order == sorted(order)


def test_no_weight_speaks_against_the_sense_of_its_name(file):
    with ExampleBuilder(Setup(file.stem)) as teacher:
        senses = teacher.senses()
    checked = 0
    for name, weights, _ in (line for group in groups(file) for line in group):
        for decision, value in weights.items():
            if not name.startswith("label("):
                family = name.partition("(")[0]
                sense = senses.get((name, decision)) or senses[family, decision]
                assert sense[0] if value > 0 else sense[1], (name, decision, value)
                checked += 1
    assert checked > 100


def test_rules_can_derive_every_weighed_name(file):
    """By its name, which rules must mention outside of comments and of the weights."""
    files = [path for path in (ROOT / "lp_rules").rglob("*.lp") if path.parent != WEIGHTS]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    rules = "\n".join(line for line in lines if not line.startswith("%"))
    mentioned = set(re.findall(r"[a-z]\w*", rules)) | {"label"}
    names = {parse_term(name).name for group in groups(file) for name, _, _ in group}
    assert names - mentioned == set()


def test_the_head_says_how_to_write_the_file_again(file):
    text = file.read_text("utf-8")
    options = rf"--profile {file.stem}( --vectors \S+)?( --seed \d+)?"
    assert re.search(rf"{options} -o weights/{file.stem}\.lp$", text, re.M)


def test_what_the_reader_holds_counts_in_its_sense():
    answers = [load_profile(name).answer for name in list_profiles()]
    names = {name for one in answers for name in one.reader_weights if "reader" in name}
    assert {f"weights/{path.stem}" for path in READER} == names
    with ExampleBuilder(Setup("headlines", (ROOT / "lp_rules" / "reader",))) as teacher:
        senses = teacher.senses()
    for path in READER:
        found = re.findall(r"^weight\((.+),(\w+),(-?\d+)\)\.$", path.read_text("utf-8"), re.M)
        assert len(found) > 10
        for name, decision, value in found:
            pro, contra = senses.get((name, decision)) or senses[name.partition("(")[0], decision]
            assert pro if int(value) > 0 else contra, (path, name)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("sts-en", "learn --task sts .*--profile sts-en"),
        ("reader-sts-en", "weigh_reader.py .*--profile sts-en"),
        ("sts-es", "learn --task sts .*--profile sts-es"),
        ("reader-sts-es", "learn --task sts .*--profile sts-es --reader use"),
    ],
)
def test_weights_of_ratings_are_learned_few_and_sorted(name, made):
    """What speaks for likeness adds, what speaks against it takes away: none is negative."""
    text = (WEIGHTS / f"{name}.lp").read_text("utf-8")
    assert re.search(rf"{made} -o weights/{name}\.lp$", text, re.M)
    found = [(int(value), evidence) for evidence, value in RATING.findall(text)]
    assert 0 < len(found) == text.count("\nweight(") <= 15
    assert found == sorted(found, key=lambda fact: (-abs(fact[0]), fact[1]))
    assert all(value > 0 for value, evidence in found if evidence != "base")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not (DATA / "answers-students").is_dir(),
    reason=f"the train data of SemEval-2016 Task 2 is not in {DATA}",
)
def test_learning_again_gives_the_same_weights(good, tmp_path):
    """The smallest set stands for all: it takes a minute or two, the others several.

    The same machine writes the same bytes. Another one rounds other sums, and a weight or two of
    a thousand that lie between two integers become the other one.
    """
    name = "answers-students"
    again = tmp_path / "again.lp"
    good("learn", "--gold", DATA / name, "--profile", name, "-o", again)
    learned, shipped = (
        path.read_text("utf-8").splitlines() for path in (again, WEIGHTS / f"{name}.lp")
    )
    assert learned[:6] == shipped[:6]
    mine, theirs = (
        {
            (name, decision): value
            for group in groups(path)
            for name, weights, _ in group
            for decision, value in weights.items()
        }
        for path in (again, WEIGHTS / f"{name}.lp")
    )
    assert len(theirs) > 200
    differ = [key for key in mine.keys() | theirs.keys() if mine.get(key, 0) != theirs.get(key, 0)]
    assert len(differ) <= len(theirs) // 50
    assert all(abs(mine.get(key, 0) - theirs.get(key, 0)) <= 4 for key in differ)
