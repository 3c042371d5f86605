from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ists_asp.errors import ResourceError
from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.pair_knowledge import (
    Acronym,
    Decimal,
    Initials,
    Measure,
    Multiword,
    Numeral,
    PairKnowledge,
    Spelling,
    WordClass,
)
from ists_asp.knowledge.relation import Relation
from ists_asp.knowledge.spelling import Glued
from ists_asp.model import Pair, Sentence, Token, Word

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def knowledge() -> Iterator[Knowledge]:
    with Knowledge() as opened:
        yield opened


def word(text: str) -> Word:
    form, lemma, upos = (text.split("|") + [""] * 2)[:3]
    return Word(form, lemma or form, upos or "X", "")


def sentence(*tokens: str) -> Sentence:
    """Tokens as ``form|lemma|UPOS``; ``+`` joins the words of one token."""
    made = []
    for number, text in enumerate(tokens, start=1):
        words = tuple(word(part) for part in text.split("+"))
        made.append(Token(number, "".join(part.form for part in words), words))
    return Sentence(tuple(made))


def pair(first: Sentence, second: Sentence) -> Pair:
    return Pair("1", first, second)


def test_a_pair(knowledge: Knowledge) -> None:
    found = knowledge.relations(
        pair(
            sentence("The|the|DET", "Dogs|dog|NOUN", "saw|see|VERB", "1,000|1,000|NUM", "battarys"),
            sentence("An|a|DET", "animal|animal|NOUN", "batterys", "3|3|NUM+.|.|PUNCT"),
        )
    )
    assert found.relations == (Relation("hyponym", "dog", "animal", 2),)
    assert found.classes == (WordClass("animal", "animal"), WordClass("dog", "animal"))
    assert found.spellings == (Spelling("battarys", "batterys", 87),)
    assert found.glued == ()
    assert found.numerals == (Numeral(1, 4, "1000"), Numeral(2, 4, "3"))
    assert found.multiwords == ()


def test_function_words_are_not_looked_up(knowledge: Knowledge) -> None:
    # "at" and "he" are astatine and helium for WordNet.
    found = knowledge.relations(pair(sentence("at|at|ADP"), sentence("he|he|PRON")))
    assert found.relations == ()
    assert found.classes == ()


def test_multiword_entries(knowledge: Knowledge) -> None:
    found = knowledge.relations(
        pair(
            sentence("United|United|PROPN", "States|States|PROPN+'s|'s|PART", "ships|ship|NOUN"),
            sentence("US|US|PROPN", "prime|prime|ADJ", "ministers|minister|NOUN"),
        )
    )
    assert found.multiwords == (
        Multiword(1, 1, 2, "united states"),
        Multiword(2, 2, 3, "prime minister"),
    )
    assert Relation("synonym", "united states", "us", 0) in found.relations
    assert WordClass("prime minister", "person") in found.classes


def test_a_multiword_entry_does_not_cross_punctuation(knowledge: Knowledge) -> None:
    found = knowledge.relations(
        pair(sentence("prime|prime|ADJ+,|,|PUNCT", "minister|minister|NOUN"), sentence("a"))
    )
    assert found.multiwords == ()


def test_glued_words_are_found_beside_punctuation(knowledge: Knowledge) -> None:
    found = knowledge.relations(pair(sentence("Thebulb+."), sentence("the", "bulb+.")))
    assert found.glued == (Glued(1, 1, 1),)


def test_numerals_by_token(knowledge: Knowledge) -> None:
    tokens = ("50+%", "$+3.2", "5+-+4", "10+-+year", "five", "2012+.")
    found = knowledge.relations(pair(sentence(*tokens), sentence("a")))
    assert found.numerals == (
        Numeral(1, 1, "50"),
        Numeral(1, 2, "3.2"),
        Numeral(1, 6, "2012"),
    )


def test_sentences_without_words(knowledge: Knowledge) -> None:
    found = knowledge.relations(
        pair(Sentence((Token(1, "battary"),)), Sentence((Token(1, "battery"), Token(2, "7"))))
    )
    assert found.spellings == (Spelling("battary", "battery", 85),)
    assert found.numerals == (Numeral(2, 2, "7"),)
    assert found.relations == ()


def test_empty_pair(knowledge: Knowledge) -> None:
    found = knowledge.relations(pair(Sentence(()), Sentence(())))
    assert found == PairKnowledge()


def test_a_lexicon_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="there is no lexicon here"):
        Knowledge(tmp_path / "mine.sqlite")


def test_amounts(knowledge: Knowledge) -> None:
    found = knowledge.relations(
        pair(sentence("$|$|SYM+25bn|25bn|NUM", "2,000|2,000|NUM"), sentence("25|25|NUM"))
    )
    assert found.measures == (Measure(1, 1, "25", "bn"),)
    assert found.decimals == (Decimal("2000", "2", 3),)


def test_only_initials_of_acronyms_of_the_other_sentence(knowledge: Knowledge) -> None:
    found = knowledge.relations(
        pair(
            sentence("BoE", "and", "Bank", "of", "England"),
            sentence("Bank", "of", "England", "and", "European", "Union"),
        )
    )
    assert found.acronyms == (Acronym(1, 1, "boe"),)
    assert found.initials == (Initials(2, 1, 3, "boe"),)
