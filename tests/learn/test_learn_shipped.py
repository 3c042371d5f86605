"""The shipped weights are what learn writes; what evidence is worth, learned from ratings."""

import re
from collections import Counter
from pathlib import Path

import pytest
from clingo import parse_term

from ists_asp.engine import Setup
from ists_asp.evaluate.ratings import correlation
from ists_asp.io.pairs import ScoredPair
from ists_asp.io.text import make_sentence
from ists_asp.learn import ratings
from ists_asp.learn.examples import ExampleBuilder
from ists_asp.learn.ratings import Evidence, RatedExample, learn_ratings, predict
from ists_asp.model import Pair
from ists_asp.rules import Purpose, list_profiles, load_profile
from tests.sharing import cases, load_shared

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


def example(gold, data_set="a", **evidence):
    found = (Evidence(name, value) for name, value in evidence.items())
    return RatedExample(data_set, gold, tuple(found))


GOLD = [
    example(level + 3 * words / 1000 - 1.0 * (conflict / 1000), name, words=words, odds=-conflict)
    for name, level in (("a", 0.0), ("b", 1.5))
    for words in range(0, 1001, 50)
    for conflict in (0, 1000)
]


def test_weights_are_what_evidence_was_worth_whatever_the_level_of_a_data_set():
    found = {weight.name: weight.value for weight in learn_ratings(GOLD)}
    assert found["words"] == pytest.approx(3000, rel=0.05)
    assert found["odds"] == pytest.approx(1000, rel=0.05)
    assert found.get(ratings.BASE, 0) == 0


def test_evidence_that_would_count_the_wrong_way_counts_nothing():
    values = [one.evidence[0].thousandths for one in GOLD]
    wrong = [example(5 - value / 250, words=value) for value in values]
    assert [weight.name for weight in learn_ratings(wrong)] == [ratings.BASE]


def test_the_scale_is_fixed_at_both_ends():
    unrelated = [example(0, words=value) for value in range(100)]
    weights = learn_ratings(GOLD, unrelated)
    full, low, none = predict([example(0, words=n) for n in (1000, 95, 0)], weights)
    assert (full, low) == pytest.approx((5, 1), abs=0.002)
    assert none < 1
    (full,) = predict([example(0, words=1000)], learn_ratings(GOLD, unrelated, 4), 4)
    assert full == pytest.approx(4, abs=0.002)


def test_cross_validation_by_data_set_and_by_parts():
    found = ratings.cross_validate_ratings(GOLD, folds=None)
    assert found.keys() == {"a", "b"}
    # Not 1: what is below 0 is rated 0.
    assert all(correlation(one.gold, one.predicted).r > 0.97 for (one,) in found.values())
    parts = ratings.cross_validate_ratings(GOLD, folds=3)
    assert [len(found) for found in parts.values()] == [3, 3]
    assert sum(len(one.gold) for found in parts.values() for one in found) == len(GOLD)


def test_margins_say_what_two_of_three_were_within():
    found = [0.1] * 30 + [2.6] * 30 + [4.9] * 5
    gold = [0.1] * 20 + [0.9] * 10 + [2.6 + number / 100 for number in range(30)] + [4.9] * 5
    assert ratings.fit_margins([ratings.Rated("a", gold, found)]) == ((0, 0, 30), (2500, 190, 30))


def test_predictions_stay_within_the_scale_and_bounds():
    weights = learn_ratings(GOLD)
    assert predict([example(0, odds=-1000), example(0, words=9000)], weights) == [0, 5]
    bounds = (Evidence("same", 4500), Evidence("differs", -2000))
    some = [RatedExample("a", 0, (), found) for found in ((), bounds[:1], bounds)]
    assert predict(some, ()) == [0, 4.5, 2]


def scored(number):
    first, second = (make_sentence([f"{side}{number}"]) for side in "xy")
    return ScoredPair(Pair(str(number), first, second), 3.0)


def test_mismatched_pairs_are_of_different_pairs_of_one_data_set():
    many = [scored(number) for number in range(1000)]
    few = [scored(number) for number in range(1000, 1007)]
    found = ratings.mismatched([many, few])
    assert len(found) == 143 + 7
    for one in found:
        first, second = (int(sentence.text[1:]) for sentence in (one.pair.sent1, one.pair.sent2))
        assert (first == second, first < 1000, one.score) == (False, second < 1000, 0)
    assert len({one.pair.id for one in found}) == len(found)


@pytest.mark.slow
def test_every_evidence_of_the_rules_is_collected(tmp_path):
    rule = 'speaks_for(mine,700) :- word(1,_,"x1").\nspeaks_against(theirs,20) :- word(2,_,"y1").\n'
    (tmp_path / "conflicts.lp").write_text(rule)
    with ratings.RatingExampleBuilder(Setup("sts-en", (tmp_path / "conflicts.lp",))) as teacher:
        assert teacher.highest == 5
        one, two = teacher.examples("a", [scored(1), scored(2)])
    assert {Evidence("mine", 700), Evidence("theirs", -20)} <= set(one.evidence)
    assert not {"mine", "theirs"} & {item.name for item in two.evidence}


def test_what_speaks_against_a_rating_is_negative():
    pair = Pair("1", make_sentence(["9", "men", "died"]), make_sentence(["7", "men", "died"]))
    with load_shared("sts-en") as system:
        program = system.program(Purpose.RATING)
        items = (program.facts(*decided) for decided in system.decided([pair]))
        (best,) = program.solver.best_of_all(items)
        found, _ = ratings.evidence_of(best.atoms)
    values = {one.name: one.thousandths for one in found}
    assert values["numbers_differ"] == -1000
    assert max(values.values()) > 0
