"""The shipped weights are what learn writes."""

import re
from collections import Counter
from pathlib import Path

import pytest
from clingo import parse_term

from ists_asp.engine import Setup
from ists_asp.learn.examples import ExampleBuilder
from ists_asp.rules import list_profiles, load_profile
from tests.sharing import cases

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "lp_rules" / "weights"
DATA = ROOT.parent / "shared" / "data" / "ists-2016-train"
FILES = sorted(
    file
    for file in WEIGHTS.glob("*.lp")
    if not file.name.startswith(("sts-", "reader-", "feedback"))
)
EACH_FILE = pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
CORRECTED = {"headlines": 40, "images": 40, "answers-students": 80}
"""Profiles that correct what all English ones share, by so many weights at most."""
READER = WEIGHTS / "reader-english.lp"
LENT = {
    **{name: ["english"] for name in ("default", "baseline", "sts-en")},
    **{name: ["english", name] for name in CORRECTED},
    **{name: ["transfer"] for name in ("es", "sts-es")},
}
"""The files of profiles that count by others than one of their own name."""
FACT = re.compile(r"(?:weight|correction)\((.+)\)\. +% \d+(?:: .+)?")
RATING = re.compile(r"^weight\((\w+),rating,(-?\d+)\)\.", re.M)
BUDGETS = {"boundary": 360, "align": 20, "label": 60, "score": 15}
"""How many names a kind of decision has at most."""
MOST = 260  # weights of a file, beside those of boundaries
BYTES = 45_000
BASES = {"any_two_tokens", "any_pair", "any_link"}


def groups(path):
    """The lines of each kind of decision: the name and its weights by class."""
    for block in path.read_text("utf-8").split("\n\n")[1:]:
        title, *lines = block.splitlines()
        assert title.startswith("% ")
        found = []
        for line in lines:
            each = [one.rsplit(",", 2) for one in FACT.fullmatch(line)[1].split("; ")]
            (name,) = {name for name, _, _ in each}
            found.append((name, {decision: int(value) for _, decision, value in each}))
        yield found


def test_english_profiles_share_their_weights_and_few_are_corrected():
    profiles = {name: load_profile(name) for name in list_profiles()}
    named = set()
    for name, profile in profiles.items():
        lent = LENT.get(name, [name])
        weights = [f"weights/{file}" for file in lent]
        answer = profile.answer
        assert list(answer.weights[: len(lent)]) == weights
        assert list(answer.weights[len(lent) :]) in ([], [f"confidence/confidence-{name}"])
        assert not answer.reader_weights or list(answer.reader_weights[: len(lent) + 1]) == [
            *weights,
            f"weights/{READER.stem}",
        ]
        named.update(lent)
    assert {path.stem for path in FILES} == named
    shared = [WEIGHTS / f"{name}.lp" for name in ("english", *CORRECTED)]
    assert sum(path.stat().st_size for path in shared) <= BYTES
    for path in FILES:
        facts = set(re.findall(r"^(\w+)\(", path.read_text("utf-8"), re.M))
        assert facts == {"correction" if path.stem in CORRECTED else "weight"}


def test_the_pilots_weights_are_learned_from_the_pilot_only():
    """The train sets of 2016 have the pairs that the pilot was tested on."""
    pilots = [path for path in FILES if path.stem.startswith("pilot-")]
    assert len(pilots) == 2
    for path in pilots:
        (command,) = re.findall(r"ists-asp learn .*", path.read_text("utf-8"))
        gold = re.findall(r"--gold (\S+)", command)
        assert gold == [f"DATA/STSint.gs.{path.stem.removeprefix('pilot-2015-')}.wa"]


@EACH_FILE
def test_weights_are_few_and_one_name_a_line(file):
    counts = Counter()
    for group in groups(file):
        decisions = [decision for _, weights in group for decision in weights]
        (what,) = {one if one in BUDGETS else "label" for one in decisions}
        counts[what] += len(decisions)
        names = [name for name, _ in group]
        assert len(set(names)) == len(names)
        counted = {name for name in names if name not in BASES and not name.startswith("label(")}
        assert len(counted) <= BUDGETS[what]
        order = [(-max(map(abs, weights.values())), name) for name, weights in group]
        assert order == sorted(order)
    beside = counts.total() - counts["boundary"]
    assert counts.total() <= CORRECTED[file.stem] if file.stem in CORRECTED else beside <= MOST


def values(path):
    return {
        (name, decision): value
        for group in groups(path)
        for name, weights in group
        for decision, value in weights.items()
    }


def senses(profile, *rules):
    with ExampleBuilder(Setup(profile, rules)) as teacher:
        known = teacher.senses()
    return lambda name, decision: (
        known.get((name, decision)) or known[name.partition("(")[0], decision]
    )


@pytest.mark.slow
@EACH_FILE
def test_no_weight_speaks_against_the_sense_of_its_name(file):
    """A correction may, as far as the weight that it corrects does not."""
    sense = senses({"english": "default"}.get(file.stem, file.stem))
    base = values(WEIGHTS / "english.lp") if file.stem in CORRECTED else {}
    found = {key: value for key, value in values(file).items() if not key[0].startswith("label(")}
    assert len(found) > (10 if base else 100)
    for key, value in found.items():
        (pro, contra), worth = sense(*key), value + base.get(key, 0)
        assert pro if worth > 0 else contra or not worth, (key, worth)


@EACH_FILE
def test_rules_can_derive_every_weighed_name(file):
    """By its name, which rules must mention outside of comments and of the weights."""
    files = [path for path in (ROOT / "lp_rules").rglob("*.lp") if path.parent != WEIGHTS]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    rules = "\n".join(line for line in lines if not line.startswith("%"))
    mentioned = set(re.findall(r"[a-z]\w*", rules)) | {"label"}
    names = {parse_term(name).name for group in groups(file) for name, _ in group}
    assert names - mentioned == set()


@EACH_FILE
def test_the_head_says_how_to_write_the_file_again(file):
    text = file.read_text("utf-8")
    profile = {"english": "default"}.get(file.stem, file.stem)
    kind, options = "Weights", r" --from-nothing( --vectors \S+)?"
    if file.stem in CORRECTED:
        kind, options = "Corrections", rf"( --most {CORRECTED[file.stem]})?"
    assert text.startswith(f"% {kind}: profile {profile}, learned from gold.\n")
    options = f"--profile {profile}{options}"
    assert re.search(rf"{options} -o weights/{file.stem}\.lp$", text, re.M)


def test_what_the_reader_holds_counts_in_its_sense():
    """One file for all profiles, whose head says how to write it again."""
    assert set(WEIGHTS.glob("reader-*.lp")) - set(WEIGHTS.glob("reader-sts-*.lp")) == {READER}
    text = READER.read_text("utf-8")
    assert re.search(rf"weigh_reader\.py .*-o weights/{READER.stem}\.lp\b", text)
    sense = senses("headlines", ROOT / "lp_rules" / "reader")
    found = re.findall(r"^weight\((.+),(\w+),(-?\d+)\)\.$", text, re.M)
    assert len(found) > 10
    for name, decision, value in found:
        assert sense(name, decision)[int(value) <= 0], name


@cases("""
name          | made
sts-en        | learn --task sts .*--profile sts-en
reader-sts-en | weigh_reader.py .*--profile sts-en
sts-es        | learn --task sts .*--profile sts-es
reader-sts-es | learn --task sts .*--profile sts-es --reader use
""")
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
    (empty := tmp_path / f"{name}.lp").touch()
    again = tmp_path / "again.lp"
    options = ("--gold", DATA / name, "--profile", name, "--most", CORRECTED[name])
    good("learn", *options, "--rules", empty, "-o", again)
    shipped = WEIGHTS / f"{name}.lp"
    heads = {tuple(path.read_text("utf-8").splitlines()[:6]) for path in (again, shipped)}
    assert len(heads) == 1
    mine, theirs = values(again), values(shipped)
    assert len(theirs) > 50
    differ = [key for key in mine.keys() | theirs.keys() if mine.get(key, 0) != theirs.get(key, 0)]
    assert len(differ) <= len(theirs) // 25
    assert all(abs(mine.get(key, 0) - theirs.get(key, 0)) <= 4 for key in differ)
