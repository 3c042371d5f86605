"""What is told keeps the ledger of words; a text that would be too long is chosen, in time."""

import random
from collections import Counter

import pytest

from ists_asp.errors import UnsatisfiableError
from ists_asp.explain.explanation import text_facts
from ists_asp.explain.templates import load_templates
from ists_asp.io.pairs import read_pairs
from ists_asp.resources import rules_dir
from ists_asp.rules import Purpose
from tests.explain.ledger import faults
from tests.explain.reviewed import DATA, SETS, read_cases, read_table
from tests.sharing import load_shared
from tests.sharing import shared_system as system

SPANISH = DATA.parent / "sts-es-train"
EACH = 15
needs_data = pytest.mark.skipif(
    not (DATA.is_dir() and SPANISH.is_dir()), reason="the train data of SemEval is not here"
)
SETS = (*SETS, "es")
STRICT = """
%@rule all_are_audited: "breaches are looked for in all texts"
audited.
%@rule no_breach: "the ledger is broken"
:- breach(_,_,_).
"""
MANY = (
    "A man in a red shirt holds a black dog beside an old car on a wide street while a woman with "
    "a blue bag feeds a white cat near a small house under a tall tree",
    "A man in a green shirt holds a brown dog beside a new car on a narrow street while a woman "
    "with a yellow bag feeds a grey cat near a large house under a short tree",
)


@pytest.fixture
def integrity(tmp_path):
    """Writes the rules of integrity with more behind them, to be put over the shipped ones."""

    def write(more):
        shipped = (rules_dir() / "explanation" / "integrity.lp").read_text("utf-8")
        path = tmp_path / "integrity.lp"
        path.write_text(f"{shipped}\n{more}\n", "utf-8")
        return path

    return write


def drawn(name, chunked=False):
    """Two sentences each, of a train set, drawn by chance but always the same."""
    if name == "es":
        texts = (file.read_text("utf-8") for file in sorted(SPANISH.glob("*.news.tsv")))
        pairs = [line.split("\t")[1:3] for text in texts for line in text.splitlines()]
    else:
        kind = ".chunk.txt" if chunked else ".txt"
        files = (DATA / name / f"sent{side}{kind}" for side in (1, 2))
        pairs = [(pair.sent1, pair.sent2) for pair in read_pairs(*files, chunked=chunked)]
    return random.Random(33).sample(pairs, EACH)


def texts(loaded, pairs):
    """Explanations of pairs, which are decided together."""
    return list(loaded.explain_many(loaded.solve_many(pairs, rated=False)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", *SETS])
def test_no_pair_breaks_the_ledger(integrity, name):
    answers = [case.answer for case in read_cases() if case.profile == name]
    with load_shared(name, rules=[integrity(STRICT)]) as strict:
        # A pair that breaks it has no explanation: the error names the pair.
        assert len(list(strict.explain_many(answers))) == len(answers)
        if name != "default" and SPANISH.is_dir():
            pairs = [*drawn(name), *(() if name == "es" else drawn(name, chunked=True))]
            assert len(texts(strict, pairs)) == len(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["headlines", "es"])
def test_all_but_what_is_left_out_is_worked_out_by_grounding(profile):
    # Rules that wait for one another, through a "not", make batches of pairs take minutes.
    one = system(profile)
    answers = [case.answer for case in read_cases() if case.profile == profile]
    if not answers:
        answers = one.solve_many((row[:2] for row in read_table("spanish.tsv")), rated=False)
    program = one.program(Purpose.EXPLANATION)
    facts = text_facts(load_templates(one.profile.language))
    batches = program.solver._batches
    asked = [program.facts(*decided, facts) for decided in one.with_facts(answers)]
    ground = batches._ground(asked, batches._paired.settled)
    assert not {atom.symbol.name for atom in ground.symbolic_atoms if not atom.is_fact}


@pytest.mark.slow
def test_a_breach_is_an_error_where_the_rules_say_so(integrity):
    # The first pair of two sentences that differ: a word of theirs has no statement any more.
    broken = integrity(f'{STRICT}%@rule lost: "it is told nowhere"\nbreach(untold,1,1).')
    with load_shared("baseline", rules=[broken]) as strict, pytest.raises(UnsatisfiableError):
        strict.explain(strict.solve("a cat sits", "a dog sits"))


@pytest.mark.slow
def test_without_time_to_choose_the_verdict_is_told(integrity):
    headlines = system("headlines")
    usual = headlines.explain(headlines.solve(*MANY))
    # Pigeons for whose holes there are so many choices that none is ever proved best.
    endless = integrity(
        '%@rule holes: "each pigeon is in a hole"\n'
        "1 { in_hole(P,1..12) } 1 :- to_choose, P = 1..30.\n"
        '%@rule crowded: "pigeons share a hole"\n'
        "#minimize { (P*7+Q*5+H) \\ 11 + 1@9,P,Q,H : in_hole(P,H), in_hole(Q,H), P < Q }.\n"
    )
    with load_shared("headlines", rules=[endless], time_limit=1.0) as hurried:
        hasty = hurried.explain(hurried.solve(*MANY))
    # What a long text leaves out is counted.
    assert not all(statement.sentence for statement in usual.statements)
    assert usual.text.endswith(("more difference.", "more differences."))
    assert len(usual.text.split()) <= 60
    assert hasty.text.startswith(usual.text.partition(",")[0])
    assert [bool(statement.sentence) for statement in hasty.statements].count(True) == 2
    assert len(hasty.statements) == len(usual.statements)


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["headlines", "es"])
def test_a_text_does_not_depend_on_company(profile):
    one = system(profile)
    short = ("12 killed in bus accident", "10 killed in road accident")
    pairs = [MANY, ("a cat sits on a mat", "a dog lies on a red mat"), MANY[::-1], short]
    pairs.append((MANY[0], MANY[0]))
    answers = list(one.solve_many(pairs, rated=False))
    alone = {id(answer): one.explain(answer).text for answer in answers}
    for seed in range(3):
        company = random.Random(seed).sample(answers, len(answers))
        together = list(one.explain_many(company))
        assert [each.text for each in together] == [alone[id(answer)] for answer in company]


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_a_real_sentence_says_the_same_as_itself(name):
    for chunked in {False, name != "es"}:
        selves = [(side, side) for pair in drawn(name, chunked) for side in pair]
        for found in texts(system(name), selves):
            side = found.answer.pair.sent1.text
            assert not list(faults(side, side, found.text, "es" if name == "es" else "en"))


@needs_data
@pytest.mark.slow
def test_a_reader_finds_little_untold_and_little_that_is_false():
    counts = Counter()
    for name in SETS[:-1]:
        for found in texts(system(name), drawn(name)):
            pair = found.answer.pair
            counts.update(faults(pair.sent1.text, pair.sent2.text, found.text))
    assert (counts["empty"], counts["identical"]) == (0, 0)
    number = EACH * (len(SETS) - 1)
    assert counts["only"] / number <= 0.03
    assert (counts["form"] + counts["marks"]) / number <= 0.03
    assert counts["untold"] / (counts["told"] + counts["untold"]) <= 0.015
