from ists_asp.knowledge.spelling import Prefixed, prefixed


def test_a_word_with_letters_before_it_is_found_in_either_sentence():
    assert list(prefixed(["The", "Unlocked"], ["locked"])) == [Prefixed("unlocked", "locked", "un")]
    assert list(prefixed(["true"], ["non-true"])) == [Prefixed("non-true", "true", "non-")]


def test_short_words_and_long_prefixes_are_none():
    assert not list(prefixed(["at"], ["hat"]))
    assert not list(prefixed(["man"], ["superman"]))


def test_a_word_is_no_prefix_of_itself():
    assert not list(prefixed(["locked"], ["locked"]))
