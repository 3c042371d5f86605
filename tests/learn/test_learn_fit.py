"""Gold folders; weights, and tables of confidence, fitted to a handful of examples."""

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import pytest
from clingo import parse_term

from ists_asp.errors import DataError, FaultyLinesError, RuleError, UsageError
from ists_asp.io.pairs import read_pairs
from ists_asp.io.wa import write_pair
from ists_asp.learn import fit as fits
from ists_asp.learn.cross import (
    Judged,
    cross_validate,
    deal,
    fit_table,
    learn_weights,
    render_table,
    render_weights,
)
from ists_asp.learn.examples import read_gold
from ists_asp.learn.fit import BUDGET, Settings, fit_alignments, label_terms
from ists_asp.model import Chunk, Label, Scheme
from ists_asp.vocabulary import WEIGHT
from tests.sharing import alignments, cases, make_pair, refused

SETTINGS = Settings()
KIND = ("equi", "given")


@pytest.fixture(scope="session")
def senses(teacher):
    return teacher.senses()


def sense(senses, name, decision):
    return senses.get((name, decision)) or senses[name.partition("(")[0], decision]


def fit(examples, senses, settings=SETTINGS):
    every = (fits.fit_boundaries, fit_alignments, fits.fit_labels, fits.fit_scores)
    return [weight for one in every for weight in one(examples, senses, settings)]


def test_examples_have_evidence_for_all_decisions(examples):
    (storm, *_) = examples
    assert {decision.taken for decision in storm.boundaries} == {True, False}
    golden = [one for one in storm.candidates if one.gold]
    assert {one.gold.label for one in golden} == {Label.EQUI, Label.SPE1}
    for one in storm.candidates:
        assert one.pair["any_pair"] == one.link["any_link"] == 100
        values = [value for found in (one.pair, *one.sides) for value in found.values()]
        assert 0 <= min(values) <= max(values) <= 100
        assert one.token_count > 0
    assert golden[0].link["neither_adds"] == 100


def test_weights_keep_to_the_senses_of_their_names_and_to_the_budgets(examples, senses):
    weights = fit(examples, senses)
    assert len(weights) > 20
    for weight in weights:
        if not weight.name.startswith("label("):
            assert sense(senses, weight.name, weight.decision)[weight.value <= 0]
            assert abs(weight.value) >= SETTINGS.smallest
    names = {one.name for one in weights if one.decision == "align"} - {"any_pair"}
    assert 0 < len(names) <= BUDGET["align"]


def test_fewer_weights_are_the_strongest_and_what_is_kept_is_not_learned(
    examples, senses, monkeypatch
):
    kept = {("overlap", "align"): 7, ("unheard_of", "align"): -3}
    weights = fit_alignments(examples, senses, replace(SETTINGS, keep=kept))
    assert kept.items() <= by_key(weights).items()
    monkeypatch.setitem(BUDGET, "align", 3)
    names = {one.name for one in fit_alignments(examples, senses, SETTINGS)}
    assert 1 < len(names) <= 4
    assert "any_pair" in names


@pytest.fixture(scope="session")
def base(teacher):
    return teacher.weights(WEIGHT)


def by_key(weights):
    return {(one.name, one.decision): one.value for one in weights}


def test_what_is_missed_costs_less_by_the_scheme_of_the_pilot(examples, senses):
    """Fewer doubtful pairs weigh enough to be aligned."""
    found = {}
    for scheme in Scheme:
        worth = by_key(fit_alignments(examples, senses, replace(SETTINGS, scheme=scheme)))
        sums = [
            sum(worth.get((name, "align"), 0) * value for name, value in candidate.pair.items())
            for example in examples
            for candidate in example.candidates
        ]
        found[scheme] = sum(one > 0 for one in sums), sum(sums)
    assert found[Scheme.Y2015][0] <= found[Scheme.Y2016][0]
    assert found[Scheme.Y2015][1] < found[Scheme.Y2016][1]


@pytest.mark.slow
@pytest.mark.parametrize("most", [6, 40])
def test_corrections_are_few_and_leave_each_name_its_sense(examples, senses, base, most):
    eager = replace(SETTINGS, base=base, corrections=most, earned=0.1)
    found = by_key(fit(examples, senses, eager))
    assert 0 < len(found) <= most
    for (name, decision), change in found.items():
        assert abs(change) >= SETTINGS.smallest
        worth = base.get((name, decision), 0) + change
        assert not worth or sense(senses, name, decision)[worth < 0]


def test_reasons_are_of_all_that_gets_nothing(examples, senses, base):
    settings = replace(SETTINGS, base=base, reasons=True)
    every = fit(examples, senses, settings)
    weights = [one for one in every if not one.reason]
    assert weights == fit(examples, senses, replace(settings, reasons=False))
    lost = by_key(one for one in every if one.reason)
    assert set(lost.values()) == {0}
    assert not lost.keys() & by_key(weights).keys()
    texts = {one.reason.partition(" (")[0] for one in every}
    assert texts >= {"4 examples are needed", "may be chance", "too little beside other evidence"}
    assert {one.support for one in every if one.reason.startswith("4 exam")} == {0, 1, 2, 3}
    shown = r"(may be chance|too little beside other evidence) \(z (-?\d+\.\d), 1 needed\)"
    for match in filter(None, (re.fullmatch(shown, one.reason) for one in every)):
        size = abs(float(match[2]))
        assert size <= 1 if match[1] == "may be chance" else size >= 1


def test_examples_may_contradict_what_a_name_argues(examples, senses):
    settings = replace(SETTINGS, reasons=True)
    against = {**senses, ("meaning", "align"): (False, True)}
    every = fit_alignments(examples, against, settings)
    (told,) = (one.reason for one in every if (one.name, one.decision) == ("meaning", "align"))
    assert told.startswith("examples contradict argues/3 (z ")
    unknown = {key: sense for key, sense in senses.items() if key[0] != "meaning"}
    (one,) = (one for one in fit_alignments(examples, unknown, settings) if one.name == "meaning")
    assert (one.value, one.reason) == (0, "no argues/3 names it")


def test_corrections_that_there_are_go_into_those_that_are_learned(examples, senses, base):
    there = {("overlap", "align"): 9000, ("meaning", "align"): 30, ("any_link", "rel"): 20}
    kept = {("meaning", "align"): 31, ("unheard_of", "align"): -3}
    settings = replace(SETTINGS, base=base, corrected=there, keep=kept, earned=0.1)
    found = by_key(fit_alignments(examples, senses, settings))
    assert kept.items() <= found.items()
    # What was far too much is taken back, and nothing is said of labels.
    assert found["overlap", "align"] < 9000
    assert {decision for _, decision in found} == {"align"}
    idle = replace(settings, earned=1000.0)
    assert by_key(fit(examples, senses, idle)) == {**there, **kept}
    # Each correction has to earn itself.
    idle = replace(SETTINGS, base=base, earned=1000.0)
    assert fit(examples, senses, idle) == []
    assert fit(examples, senses, replace(idle, base={})) != []


def test_swapped_sentences_swap_the_terms_of_specificity(examples):
    (storm, *_) = examples
    for one in storm.candidates:
        mirror = replace(one, sides=one.sides[::-1])
        assert sorted(label_terms(one, "spe1")) == sorted(label_terms(mirror, "spe2"))
        assert sorted(label_terms(one, "simi")) == sorted(label_terms(mirror, "simi"))


@pytest.mark.slow
def test_learning_twice_gives_the_same(examples, senses):
    weights = (learn_weights(examples[:4], senses, SETTINGS) for _ in range(2))
    one, two = (render_weights(found, {}, "x", "y") for found in weights)
    assert one == two
    assert "weight(any_pair,align," in one
    # Pairs without candidates do no harm.
    bare = [*examples, replace(examples[0], candidates=(), boundaries=())]
    assert fit(bare, senses) == fit(examples, senses)


def but(part, **fields):
    def spoilt(given):
        return replace(given, **{part: [replace(one, **fields) for one in getattr(given, part)]})

    return spoilt


def test_gold_without_a_choice_is_an_error(examples, senses):
    for spoilt, what in (
        (lambda given: replace(given, candidates=()), "alignments"),
        (but("candidates", gold=None), "alignments"),
        (but("candidates", pair={}), "alignments"),
        (lambda given: replace(given, boundaries=()), "chunk boundaries"),
        (but("boundaries", evidence={"any_two_tokens": 100}, taken=True), "chunk boundaries"),
        (but("boundaries", evidence={}), "chunk boundaries"),
    ):
        with pytest.raises(DataError, match=f"no choice to learn from: {what}"):
            fit(list(map(spoilt, examples)), senses)


@pytest.mark.parametrize("odd", ["evidence(pair(1,2),mine,foo)", "span_token(one,run(1,1),1)"])
def test_what_no_number_can_be_read_from_is_one_line(teacher, examples, monkeypatch, odd):
    monkeypatch.setattr(
        teacher._system.solver, "derivable", lambda pairs, _: ([parse_term(odd)] for _ in pairs)
    )
    with pytest.raises(RuleError, match=f"pair {examples[0].gold.pair.id}: .*"):
        list(teacher.examples([examples[0].gold]))


def test_further_facts_of_a_pair_count(teacher, examples):
    gold = examples[0].gold
    more = {gold.pair.id: [parse_term("evidence(boundary(1,2),mine,7)")]}
    (example,) = teacher.examples([gold], more)
    assert [one.evidence["mine"] for one in example.boundaries if "mine" in one.evidence] == [7]
    assert not any("mine" in one.evidence for one in examples[0].boundaries)


def test_each_item_is_tested_once_in_no_more_parts_than_there_are(teacher, examples):
    items = list(range(11))
    parts = list(deal(items, 4, seed=3))
    assert sorted(item for _, test in parts for item in test) == items
    assert all(sorted(train + test) == items for train, test in parts)
    assert parts == list(deal(items, 4, seed=3))
    assert parts != list(deal(items, 4, seed=4))
    with pytest.raises(UsageError, match="1 parts of 10 gold pairs"):
        cross_validate(teacher, examples, SETTINGS, folds=1)


@pytest.mark.long
def test_cross_validation_scores_held_out_answers(teacher, examples):
    ticks = []
    results = cross_validate(teacher, examples, SETTINGS, folds=3, tick=lambda: ticks.append(None))
    assert len(ticks) == 2 * len(examples)
    with_gold, with_found = results
    assert with_gold.chunking is None
    assert with_found.chunking.sentences == 2 * len(examples)
    for result in results:
        total = sum(fold.alignment.total_gold for fold in result.folds)
        assert result.overall.alignment.total_gold == pytest.approx(total)
        f1s = [fold.type_score.f1 for fold in result.folds]
        assert len(f1s) == 3
        assert result.spread("type_score") == pytest.approx((fmean(f1s), stdev(f1s)))
        assert 0 <= fmean(f1s) <= result.spread("alignment")[0] <= 1


def judged(*groups):
    return [
        Judged(KIND, lead, number < right) for lead, right, of in groups for number in range(of)
    ]


@cases("""
groups= | steps=
[(0, 100, 400), (100, 300, 400), (200, 390, 400)] | [(0, 25), (100, 75), (200, 97)]
[(0, 200, 400), (100, 100, 400), (300, 400, 400), (310, 0, 5)] | [(0, 38), (300, 98)]
""")
def test_shares_that_rise_are_steps_and_few_go_with_their_neighbours(groups, steps):
    (found,) = fit_table(judged(*groups)).values()
    assert [(step.lead, step.percent) for step in found] == steps
    assert sum(step.count for step in found) == sum(count for *_, count in groups)


def test_no_step_says_that_it_is_certain_and_few_lean_to_the_others():
    table = fit_table([*judged((0, 900, 900)), *[Judged(("rel", "given"), 0, False)] * 4])
    assert table[KIND][0].percent == 99
    assert 40 < table["rel", "given"][0].percent < 60
    # A table is a rule file.
    text = render_table(fit_table(judged((0, 100, 400), (100, 300, 400))), "mine", "a command")
    assert "confidence(equi,given,0,25; equi,given,100,75).  % 800\n" in text


@pytest.mark.slow
def test_cross_validation_writes_a_table_that_can_be_used(good, samples, tmp_path):
    gold = ("learn", "--gold", samples / "headlines", "--profile", "headlines")
    good(*gold, "--cross-validate", "2", "--confidence", "table.lp", "-q")
    text = (tmp_path / "table.lp").read_text("utf-8")
    assert re.search(r"^confidence\(align,found,-?\d+,\d+", text, re.M)
    assert "--cross-validate 2 --confidence confidence/confidence-headlines.lp" in text


PILOT = Path(__file__).parents[3] / "shared" / "data" / "ists-2015-train"


def test_pairs_have_chunks_and_alignments_in_the_order_of_the_files(samples):
    golds = read_gold(samples / "headlines")
    assert [gold.pair.id for gold in golds] == [str(number) for number in range(1, 11)]
    assert all(gold.pair.sent1.chunks and gold.pair.sent2.chunks for gold in golds)
    labels = " ".join(line.label.value for line in golds[2].alignments)
    assert labels == "EQUI OPPO EQUI NOALI NOALI"


def test_lines_of_one_chunk_on_each_side_say_what_the_chunks_are(tmp_path):
    file = tmp_path / "pilot.wa"
    pair = make_pair("Old â ship", "ship sinks")
    lines = alignments("3~1 EQUI 5; 1,2~ ALIC; ~2 NOALI")
    # As in the pilot's own files, which are not UTF-8 throughout.
    file.write_bytes(write_pair(pair, lines).encode("latin-1"))
    (gold,) = read_gold(file)
    assert gold.pair.sent1.tokens == pair.sent1.tokens
    assert gold.pair.sent1.chunks == (Chunk(1, 2), Chunk(3, 3))
    assert gold.pair.sent2.chunks == (Chunk(1, 1), Chunk(2, 2))
    assert set(gold.alignments) == set(lines)


def test_lines_that_do_not_cut_a_sentence_into_chunks_are_refused(samples):
    with pytest.raises(DataError, match=r"gold\.wa: pair 3, sentence 2: .*folder with chunk files"):
        read_gold(samples / "answers-students" / "gold.wa")


@pytest.mark.skipif(not PILOT.is_dir(), reason=f"the pilot's train data is not in {PILOT}")
@pytest.mark.parametrize(("name", "pairs"), [("headlines", 378), ("images", 375)])
def test_the_pilots_files_have_the_chunks_of_its_chunk_files(name, pairs):
    golds = read_gold(PILOT / f"STSint.gs.{name}.wa")
    files = (PILOT / f"{name}.sent{side}.chunk.derived.txt" for side in (1, 2))
    assert [gold.pair for gold in golds] == list(read_pairs(*files, chunked=True))
    assert len(golds) == pairs


def test_a_missing_file_is_named(gold):
    for name in ("gold.wa", "sent2.chunk.txt", "sent1.chunk.txt"):
        (gold / name).unlink()
        refused(DataError, f"there is no {name}; .* --gold", read_gold, gold)


def test_all_pairs_without_alignments_are_named(gold):
    file = gold / "gold.wa"
    file.write_text(file.read_text().replace('id="4"', 'id="44"').replace('id="2"', 'id="22"'))
    with pytest.raises(FaultyLinesError) as caught:
        read_gold(gold)
    for number, message in zip("24", caught.value.messages, strict=True):
        assert f"gold.wa: pair {number} of the chunk files is not in it" in message


def test_faulty_pairs_are_left_out(gold):
    chunks, file = gold / "sent1.chunk.txt", gold / "gold.wa"
    first, _, *rest = chunks.read_text().splitlines(keepends=True)
    chunks.write_text("".join([first, "[ open\n", *rest]))
    file.write_text(file.read_text().replace('id="4"', 'id="44"'))
    told = []
    left = [pair.pair.id for pair in read_gold(gold, told.append, skip_bad=True)]
    assert left == [str(number) for number in range(1, len(rest) + 3) if number not in (2, 4)]
    assert [line.rpartition("; ")[2] for line in told if "left out" in line] == ["left out"] * 2


def test_chunk_files_that_do_not_fit_are_refused(gold):
    for name in ("sent1.chunk.txt", "sent2.chunk.txt"):
        first, second, *rest = (gold / name).read_text().splitlines(keepends=True)
        (gold / name).write_text("".join([second, first, *rest]))
    refused(DataError, "pair 1 has 8 and 7 tokens; expected 7 and 9", read_gold, gold)
    file = gold / "sent2.chunk.txt"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    refused(DataError, "sent1", read_gold, gold)
    for file in gold.glob("sent?.chunk.txt"):
        file.write_text("")
    refused(DataError, r"no pairs|empty", read_gold, gold)
