"""What is told keeps the ledger of words; a text that would be too long is chosen, in time."""

import random
import re
from collections import Counter

import pytest
import snowballstemmer

from ists_asp.errors import UnsatisfiableError
from ists_asp.explain.explanation import text_facts
from ists_asp.explain.templates import load_templates
from ists_asp.io.pairs import read_pairs
from ists_asp.resources import rules_dir
from ists_asp.rules import Purpose
from tests.explain.reviewed import DATA, SETS, read_cases, read_table
from tests.sharing import load_shared
from tests.sharing import shared_system as system

SPANISH = DATA.parent / "sts-es-train"
EACH = 15
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
    assert len(usual.text.split()) <= 80
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


SAME = ("say the same", "another order")
SMALL = """
    a an and are as at be been being but by did do does for from had has have he her him his if in
    is it its no nor not of on or she so than that the their them then there these they this those
    to was we were what when which who will with without would you your any both each some all very
    only also just can could may might must shall should up out down off over under into onto about
    after before because while near between through during
"""
"""What a word or two of grammar say is passed over."""
stem = snowballstemmer.stemmer("english").stemWord


def stems(text):
    """The stems of words, by which they are compared."""
    found = re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", text.lower())
    long = (word for word in found if len(word) > 1 or word.isdigit())
    return [stem(word) for word in long if word not in SMALL.split()]


def faults(sent1, sent2, text):
    """What a reader finds wrong with an explanation who has the two sentences and the text only.

    The kinds of faults, and of each word whether it is told or untold.
    """
    sides = [stems(sent) for sent in (sent1, sent2)]
    same = any(phrase in text.lower() for phrase in SAME)
    if not text.strip():
        yield "empty"
    if sent1.split() == sent2.split() and not same:
        yield "identical"
    if not same and max(len(sent1.split()), len(sent2.split())) <= 25:
        told = set(stems(text))
        yield from ("told" if word in told else "untold" for side in sides for word in side)
    only = r"(?i)\bonly the (\w+)((?:[^.;“]|“[^”]*”)*)"
    for side, rest in re.findall(only, text):
        # What is told as a whole phrase may have words of the other sentence among its own.
        quoted = [set(stems(words)) for words in re.findall("“[^”]*”", rest)]
        if any(words and words <= set(sides[side == "first"]) for words in quoted):
            yield "only"
    if re.search(r" [,.;:?!)](?: |$)|“ | ”|[.,;]”|\b(an?|the) (an?|the)\b", text):
        yield "form"
    if text.count("“") != text.count("”"):
        yield "marks"


@pytest.mark.skipif(not DATA.is_dir(), reason="the train data of SemEval is not here")
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
