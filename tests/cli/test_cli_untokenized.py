"""Text that is not tokenised is warned of, where its profile does not say that it is meant so."""

from pathlib import Path

import pytest

from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import make_sentence
from ists_asp.model import Chunk, Pair, Sentence
from ists_asp.pipeline.source import Attached
from ists_asp.rules import list_profiles, load_profile

SAMPLES = Path(__file__).parents[2] / "data" / "samples"


def warnings_of(texts, profile="default", chunked=False):
    attached = Attached()
    for number, text in enumerate(texts, 1):
        sentence = make_sentence(text.split())
        if chunked:
            sentence = Sentence(sentence.tokens, (Chunk(1, len(sentence.tokens)),))
        attached.add(Pair(str(number), sentence, make_sentence(["x"])))
    warnings = []
    attached.warn(load_profile(profile), warnings.append)
    return warnings


@pytest.mark.parametrize(
    "text",
    [
        *("a guitar.", "a guitar, and", "Update: new", "who?", "go!", "so; then", "¿Qué hora?"),
        "日本語。 x, 日本:",
    ],
)
def test_punctuation_attached_to_a_word_is_noticed(text):
    (warning,) = warnings_of(["a cat", text, text])
    assert warning.startswith("2 sentences have punctuation that is part of a word, such")
    assert " in pair 2; the profile default expects it to be a token of its own" in warning


@pytest.mark.parametrize(
    "text",
    [
        *("a guitar .", "the U.S.", "Mr. Smith Inc. said", "at 9:30", "J.", "...", "'' , ;", ": x"),
        "5,000",
    ],
)
def test_tokens_that_have_marks_are_tokens(text):
    assert warnings_of([text]) == []


def test_the_advice_is_what_can_be_done():
    (warning,) = warnings_of(["a guitar."])
    assert warning.endswith(": put a blank before it, or add --raw")
    (warning,) = warnings_of(["a guitar."], chunked=True)
    assert warning.endswith(": put a blank before it")
    (warning,) = warnings_of(["a" * 1000 + ","])
    assert len(warning) < 300


def test_profiles_say_where_it_is_meant():
    meant = {name for name in list_profiles() if load_profile(name).attached_punctuation}
    assert meant == {"answers-students", "sts-en", "sts-es"}
    for name in list_profiles():
        assert bool(warnings_of(["a guitar."], name)) is (name not in meant)


@pytest.mark.parametrize("name", ["headlines", "images", "answers-students"])
def test_the_samples_suit_their_profiles(name):
    attached = Attached()
    for pair in read_pairs(SAMPLES / name / "sent1.txt", SAMPLES / name / "sent2.txt"):
        attached.add(pair)
    warnings = []
    attached.warn(load_profile(name), warnings.append)
    assert warnings == []


PAIR = ("A man plays a guitar.", "A man plays it .")


@pytest.mark.parametrize(
    ("command", "options"),
    [("solve", PAIR), ("chunk", PAIR), ("facts", PAIR), ("why", (*PAIR, "1: 1 2"))],
)
def test_commands_warn_once(run, command, options):
    result = run(command, "--tokens", "--profile", "baseline", *options)
    told = [line for line in result.stderr.splitlines() if "'guitar.'" in line]
    assert (result.exit_code, len(told)) == (0, 1)
    assert told[0].startswith("warning: 1 sentence has punctuation")


def test_stanza_and_profiles_of_such_texts_need_no_warning(run):
    assert run("chunk", *PAIR).stderr == ""
    assert run("chunk", "--tokens", "--profile", "answers-students", *PAIR).stderr == ""
