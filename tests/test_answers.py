"""What an answer set must say to be an answer, and which rules are named if it does not."""

import pytest

from ists_asp.answers import read_answer, read_rating
from ists_asp.errors import AnswerError
from ists_asp.io.text import make_sentence
from ists_asp.model import Alignment, Label, Pair, Scheme, Tag
from ists_asp.syntax.ground import Ground

PAIR = Pair("7", make_sentence(["a", "cat", "sits", "."]), make_sentence(["a", "dog", "sits"]))
CHUNKS = "first(1,1,1) first(1,2,3) first(1,3,4) first(2,1,1) first(2,2,3)"
SPANS = (
    "span_token(1,run(1,1),1) span_token(1,run(1,1),2) span_token(1,run(2,2),3) "
    "span_token(2,run(1,1),1) span_token(2,run(1,1),2) span_token(2,run(2,2),3) "
    "span_token(1,run(1,2),1) span_token(1,run(1,2),2) span_token(1,run(1,2),3)"
)
ONE = "aligned(run(1,1),run(1,1)) label(run(1,1),run(1,1),simi) score(run(1,1),run(1,1),3)"
TWO = "aligned(run(2,2),run(2,2)) label(run(2,2),run(2,2),equi) score(run(2,2),run(2,2),5)"
GOOD = f"{CHUNKS} {SPANS} {ONE} {TWO} tag(run(1,1),run(1,1),pol) noali(1,3)"


def read(text, **how):
    return read_answer(PAIR, map(Ground, text.split()), (), True, **how)


def test_an_answer_is_read():
    assert read(GOOD).alignments == (
        Alignment((1, 2), (1, 2), Label.SIMI, 3.0, frozenset({Tag.POL})),
        Alignment((3,), (3,), Label.EQUI, 5.0),
        Alignment((4,), (), Label.NOALI, None),
    )


@pytest.mark.parametrize(
    "more",
    [
        "feature(1,2) rating(3) label(1) 3 (1,2) aligned label(a,b)",
        "-aligned(run(1,1),run(2,2)) -label(run(1,1),run(1,1),rel) -noali(1,1)",
        '"aligned(x" #inf f("label(1,2,3)",4)',
        f"{ONE} {CHUNKS}",
    ],
)
def test_what_else_is_shown_makes_no_difference(more):
    assert read(f"{GOOD} {more}") == read(GOOD)


@pytest.mark.parametrize(
    ("gone", "come", "message"),
    [
        ("", "label(run(1,1),run(1,1),rel)", "an alignment has 2 labels: rel, simi"),
        ("", 'label(run(1,1),run(1,1),"s")', 'an alignment has 2 labels: "s", simi'),
        ("label(run(1,1),run(1,1),simi)", "", "an alignment has no label"),
        ("simi)", "noali)", "an alignment has no such label"),
        ("simi)", "SIMI)", "an alignment has no such label"),
        ("simi)", '"simi")', "an alignment has no such label"),
        ("", "score(run(1,1),run(1,1),4)", "an alignment has 2 scores: 3, 4"),
        ("score(run(1,1),run(1,1),3)", "", "an alignment has no score"),
        ("run(1,1),3)", "run(1,1),6)", "a score of SIMI is out of range"),
        ("run(1,1),3)", "run(1,1),-1)", "a score of SIMI is out of range"),
        ("run(1,1),3)", 'run(1,1),"3")', "a score of SIMI is out of range"),
        ("run(2,2),5)", "run(2,2),4)", "a score of EQUI is out of range"),
        (",pol)", ",equi)", "an alignment has no such tag"),
        (",pol)", ',"pol")', "an alignment has no such tag"),
        ("", "tag(run(1,1),run(2,2),fact)", "a tag is given to spans that are not aligned"),
        ("", "label(1,1,simi)", "a label is given to spans that are not aligned"),
        ("", "score(x,y,3)", "a score is given to spans that are not aligned"),
        ("", "noali(1,1)", "a chunk is on two lines"),
        ("", "alic(1,3)", "a chunk is on two lines"),
        ("noali(1,3)", "", "a chunk is neither aligned nor NOALI nor ALIC"),
        ("noali(1,3)", "noali(1,0) noali(1,3)", "there is no such chunk"),
        ("noali(1,3)", "noali(1,4) noali(1,3)", "there is no such chunk"),
        ("noali(1,3)", 'noali(1,"3")', "a term stands where a number belongs"),
        ("noali(1,3)", "noali(3,3)", "there is something of a third sentence"),
        ("noali(1,3)", 'noali("x",3)', "there is something of a third sentence"),
        ("first(1,1,1)", "", "the chunks do not cover sentence 1"),
        ("first(1,1,1)", "first(1,1,2)", "the chunks do not cover sentence 1"),
        ("first(2,2,3)", "first(2,2,4)", "the chunks do not cover sentence 2"),
        ("first(2,2,3)", "first(2,3,3)", "the chunks do not cover sentence 2"),
        ("first(2,2,3)", "first(2,1,3)", "the chunks do not cover sentence 2"),
        ("", "first(1,99,3)", "the chunks do not cover sentence 1"),
        ("", "first(1,4,3)", "the chunks do not cover sentence 1"),
        ("", "first(3,1,1)", "there is something of a third sentence"),
        ("", "first(1,a,3)", "a term stands where a number belongs"),
        ("", "first(1,#sup,3)", "a term stands where a number belongs"),
        ("", 'aligned("x",1)', "an alignment has no label"),
        ("", "span_token(1,run(1,1),3)", "a chunk is on two lines"),
        ("", "span_token(1,run(2,2),1)", "an aligned span is not made of chunks"),
        ("", "span_token(1,run(1,1),5)", "sentence 1 has no such token"),
        ("", "span_token(1,run(9,9),0)", "sentence 1 has no such token"),
        ("", "span_token(1,run(9,9),a)", "sentence 1 has no such token"),
        ("", "span_token(a,b,c)", "there is something of a third sentence"),
        ("span_token(2,run(1,1),1)", "", "an aligned span is not made of chunks"),
        (
            "",
            "aligned(run(1,2),run(2,2)) label(run(1,2),run(2,2),rel) score(run(1,2),run(2,2),2)",
            "a chunk is on two lines",
        ),
        (
            "",
            'aligned("x",y) label("x",y,rel) score("x",y,2)',
            "an aligned span is not made of chunks",
        ),
    ],
)
def test_what_is_no_answer_is_refused(gone, come, message):
    with pytest.raises(AnswerError) as caught:
        read(GOOD.replace(gone, f"{come} ", 1))
    assert caught.value.found == message
    assert caught.value.atoms


def test_the_pilot_of_2015_has_one_chunk_on_each_side():
    merged = GOOD.replace(ONE, "").replace("noali(1,3)", "noali(1,3) noali(2,1)")
    merged = merged.replace("run(2,2),run(2,2)", "run(1,2),run(2,2)").replace("tag", "other")
    assert len(read(merged).alignments) == 3
    with pytest.raises(AnswerError, match="an aligned span has several chunks"):
        read(merged, scheme=Scheme.Y2015)
    assert read(GOOD, scheme=Scheme.Y2015) == read(GOOD)


def rate(text, **how):
    return read_rating(PAIR, map(Ground, text.split()), (), True, **how).rating


def test_a_rating_is_read():
    found = rate("rating(4100) contribution(base,5000) contribution(f(1),-900) label(1)")
    assert found.thousandths == 4100
    assert [part.name for part in found.contributions] == ["base", "f(1)"]


@pytest.mark.parametrize(
    ("text", "highest", "message"),
    [
        ("", 5, "there are 0 ratings"),
        ("rating(0) rating(1)", 5, "there are 2 ratings"),
        ("rating(5001) contribution(a,5001)", 5, "the rating is not on the scale"),
        ("rating(4001) contribution(a,4001)", 4, "the rating is not on the scale"),
        ("rating(-1) contribution(a,-1)", 5, "the rating is not on the scale"),
        ("rating(x)", 5, "a term stands where a number belongs"),
        ('rating(1) contribution(a,"1")', 5, "a term stands where a number belongs"),
        ("rating(1) contribution(a,2)", 5, "the rating is not the sum of its contributions"),
        ("rating(1,2)", 5, "there are 0 ratings"),
    ],
)
def test_what_is_no_rating_is_refused(text, highest, message):
    with pytest.raises(AnswerError) as caught:
        rate(text, highest=highest)
    assert caught.value.found == message
