"""Texts of all kinds come back, and sides that change places change nothing else."""

import io
import json
from itertools import islice
from pathlib import Path

import pytest
from clingo import Control, Function, Number, String, parse_term
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ists_asp.engine.program import highest_rating
from ists_asp.errors import DataError
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.pairs import read_pairs, read_sts
from ists_asp.io.wa import read_wa, write_answer, write_pair
from ists_asp.model import Pair, Sentence, Token, Word
from ists_asp.rules import Purpose
from ists_asp.vocabulary import facts_text, pair_facts
from tests.sharing import pair_of, read_table, shared_system

FEWER = max(10, settings.default.max_examples // 4)
"""Examples that need Stanza and clingo."""

ODD = (
    *("<==>", "//", "</alignment>", "-not aligned-", "NIL", '"', "\\", "%*", "#script", "\u2028"),
    *("\u202e", "\u00a0", "\ufeff", "e\u0301", "👩‍💻", "ﷺ", "\ud83d", "\0", "\x85", "1/2", "$5m"),
    "[",
)
WORDS = st.sampled_from(("a", "cat", "dog", "12", "killed", "in", "Pakistan", "n't", ".", *ODD))
TEXTS = st.text(max_size=40) | st.lists(WORDS, max_size=12).map(" ".join)


@pytest.fixture(scope="module")
def system():
    return shared_system("images")


def read_pair(identifier, text1, text2):
    record = {"id": identifier, "sent1": text1, "sent2": text2}
    try:
        (pair,) = read_table(io.BytesIO(json.dumps(record).encode()), "jsonl")
    except (DataError, ValueError):
        # No token, or no id; or nothing at all, which is no row.
        assume(False)
    return pair


def check_again(pair, sentence):
    """Tokens and id of a pair are those of a sentence that was read again."""
    again = pair_of(sentence)
    assert again.id == " ".join(pair.id.split())
    for side, other in ((pair.sent1, again.sent1), (pair.sent2, again.sent2)):
        assert [token.form for token in side.tokens] == [token.form for token in other.tokens]


@settings(max_examples=FEWER, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, TEXTS, TEXTS)
@pytest.mark.slow
def test_any_two_strings_are_solved_and_come_back(system, tmp_path, identifier, text1, text2):
    pair = read_pair(identifier, text1, text2)
    (answer,) = system.solve_many([pair])
    file = tmp_path / "out.wa"
    file.write_text(write_answer(answer), "utf-8", newline="\n")
    assert check_file(file).correct
    (sentence,) = read_wa(file, strict=True)
    check_again(pair, sentence)
    lines = {(not one.tokens1, one.tokens1, one.tokens2): one for one in answer.alignments}
    assert sentence.to_alignments() == tuple(lines[key] for key in sorted(lines))
    covered = [number for line in answer.alignments for number in line.tokens1]
    assert sorted(covered) == list(range(1, len(pair.sent1.tokens) + 1))


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS)
def test_any_words_come_back_from_an_alignment_file(words, identifier):
    pair = read_pair(identifier, " ".join(words), words[0])
    (sentence,) = read_wa(io.BytesIO(write_pair(pair, []).encode()), strict=True)
    check_again(pair, sentence)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_facts_keep_every_string(text):
    word = Word(text, text, "NOUN", "NN")
    sentence = Sentence((Token(1, text, (word,)),))
    facts = pair_facts(Pair("1", sentence, sentence), (), "en")
    assert Function("token", [Number(1), Number(1), String(text)]) in facts
    control = Control()
    control.add(facts_text(facts))
    control.ground()
    assert {atom.symbol for atom in control.symbolic_atoms} == set(facts)
    assert parse_term(str(String(text))).string == text


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_what_no_fact_can_hold_is_refused(text):
    sentence = Sentence((Token(1, text, (Word("a", "a", "NOUN", "NN"),)),))
    with pytest.raises(DataError, match=r"pair 1: token 1 .* has a character"):
        pair_facts(Pair("1", sentence, sentence), (), "en")


@pytest.mark.parametrize("text", ["a\0b c", "a \ud800 b"])
def test_strings_given_in_python_are_cleaned(system, text):
    assert system.solve(text, "a b").pair.sent1.tokens[0].form == "a"


ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
SWAPPED = {"SPE1": "SPE2", "SPE2": "SPE1"}


def mirrored(pairs):
    return [Pair(pair.id, pair.sent2, pair.sent1) for pair in pairs]


def lines(answer, *, swap):
    for line in answer.alignments:
        label, sides = str(line.label), (line.tokens1, line.tokens2)
        yield (
            *(sides[::-1] if swap else sides),
            SWAPPED.get(label, label) if swap else label,
            *(line.score, line.tags),
        )


def different(folder, name, chunked):
    """How many of the first pairs have no answer that is the mirror image of the swapped one's."""
    ending = ".chunk.txt" if chunked else ".txt"
    files = (folder / name / f"sent{side}{ending}" for side in (1, 2))
    pairs = list(islice(read_pairs(*files, chunked=chunked), 300))
    system = shared_system(name)
    answers, others = (
        list(system.solve_many(given, rated=False)) for given in (pairs, mirrored(pairs))
    )
    return sum(
        set(lines(answer, swap=False)) != set(lines(other, swap=True))
        for answer, other in zip(answers, others, strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("chunked", [True, False], ids=["given", "found"])
@pytest.mark.parametrize("name", ["headlines", "images", "answers-students"])
@pytest.mark.parametrize("most", [0, pytest.param(6, marks=pytest.mark.long)])
def test_pairs_are_their_own_mirror_images(name, chunked, most):
    """Ties of train pairs may fall otherwise: of spans that are as good one has to come first."""
    folder = DATA / "ists-2016-train" if most else ROOT / "data" / "samples"
    if not folder.is_dir():
        pytest.skip(f"the train data is not in {folder}")
    assert different(folder, name, chunked) <= most


def highest(system):
    return highest_rating(system.program(Purpose.RATING).rules, system.constants)


def ratings(system, pairs):
    return [answer.rating.value for answer, *_ in system.decide(system.annotate(pairs), rated=True)]


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the ratings are not in {DATA}")
@pytest.mark.parametrize(
    ("profile", "options", "each"),
    [("sts-en", {}, 1), ("sts-en", {"reader": True}, 1), ("sts-es", {}, 4)],
)
def test_which_sentence_comes_first_makes_no_difference(profile, options, each):
    system = shared_system(profile, **options)
    files = sorted((DATA / f"{profile}-train").glob("*.tsv"))
    # From the middle of each file.
    pairs = [gold.pair for file in files for gold in islice(read_sts(file), 30, 30 + each)]
    assert len(pairs) >= 10
    rated = ratings(system, pairs)
    assert rated == ratings(system, mirrored(pairs))
    assert rated == [rating.value for rating in system.rate_many(system.solve_many(pairs))]
    doubled = [Pair(pair.id, side, side) for pair in pairs for side in (pair.sent1, pair.sent2)]
    assert set(ratings(system, doubled)) == {highest(system)}


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["sts-en", "sts-es"])
def test_sentences_without_a_word_may_be_the_same(profile):
    system = shared_system(profile)
    answers = [system.solve(*sides) for sides in (("...", "..."), ("!", "?"))]
    same, other = (rating.value for rating in system.rate_many(answers))
    assert other < same == highest(system)
