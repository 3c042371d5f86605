import pytest

from ists_asp.errors import ResourceError
from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.words import Phrases
from ists_asp.model import Pair, Sentence, Token, Word


@pytest.fixture(scope="module")
def knowledge():
    with Knowledge() as opened:
        yield opened


def word(text):
    form, lemma, upos = (text.split("|") + [""] * 2)[:3]
    return Word(form, lemma or form, upos or "X", "")


def sentence(*tokens):
    """Tokens as ``form|lemma|UPOS``; ``+`` joins the words of one token."""
    made = []
    for number, text in enumerate(tokens, start=1):
        words = tuple(word(part) for part in text.split("+"))
        made.append(Token(number, "".join(part.form for part in words), words))
    return Sentence(tuple(made))


def facts(knowledge, first, second, *names):
    """What is known about a pair; only atoms of these names if there are any."""
    found = knowledge.facts(Pair("1", first, second))
    return [atom for atom in found if not names or atom.partition("(")[0] in names]


def test_a_pair(knowledge):
    found = facts(
        knowledge,
        sentence("The|the|DET", "Dogs|dog|NOUN", "saw|see|VERB", "1,000|1,000|NUM", "battarys"),
        sentence("An|a|DET", "animal|animal|NOUN", "batterys", "3|3|NUM+.|.|PUNCT"),
    )
    assert found == [
        *('relation(hyponym,"dog","animal",2)', 'class("animal",animal)', 'class("dog",animal)'),
        *('verb_usage("dog",6)', 'verb_usage("see",100)', 'spelling("battarys","batterys",87)'),
        *("letters_shared(212)", 'numeral(1,4,"1000")', 'numeral(2,4,"3")'),
        *('decimal("1000",1,3)', 'decimal("3",3,0)'),
    ]


def test_tokens_without_words_and_function_words_are_not_looked_up(knowledge):
    # "at" and "he" are astatine and helium for WordNet.
    assert facts(knowledge, sentence("at|at|ADP"), sentence("he|he|PRON")) == []
    assert facts(knowledge, Sentence(()), Sentence(())) == []
    one, two = (Sentence((Token(1, form),)) for form in ("battary", "battery7"))
    assert facts(knowledge, one, two, "spelling", "relation", "numeral") == []
    assert facts(knowledge, one, Sentence((Token(1, "battery"), Token(2, "7"))), "numeral") == [
        'numeral(2,2,"7")'
    ]


def test_a_lexicon_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("ists_asp.knowledge.data_dir", lambda: tmp_path)
    with pytest.raises(ResourceError, match="there is no lexicon here"):
        Knowledge()


def test_multiword_entries(knowledge):
    found = facts(
        knowledge,
        sentence("United|United|PROPN", "States|States|PROPN+'s|'s|PART", "ships|ship|NOUN"),
        sentence("US|US|PROPN", "prime|prime|ADJ", "ministers|minister|NOUN"),
    )
    assert [atom for atom in found if atom.startswith("multiword")] == [
        'multiword(1,1,2,"united states")',
        'multiword(2,2,3,"prime minister")',
    ]
    assert 'relation(synonym,"united states","us",0)' in found
    assert 'class("prime minister",person)' in found


@pytest.mark.parametrize(
    ("entry", "first", "found"),
    [
        ("kick the bucket", "He kicked|kick|VERB the bucket+.", [(2, 4)]),
        ("kick the bucket", "He kicked|kick|VERB the red bucket", []),
        ("turn down", "turned|turn|VERB a b c d e f down", [(1, 8, 8)]),
        ("turn down", "turned|turn|VERB a b c d e f g down", []),
        ("turn down", "turn+n't down", []),
        ("dar a luz", "dio|dar|VERB+lo|lo|PRON anoche a luz", [(1, 3, 4)]),
        # An entry may be a token that annotation splits, or several that the tokeniser cuts.
        ("don't", "I do|do|AUX+n't|not|PART know", [(2, 2)]),
        ('20"', 'a 20 " screen', [(2, 3)]),
        ("pay us$ now", "paid|pay|VERB US $ now", [(1, 4)]),
        ("wi-fi", "Wi-Fi", []),
    ],
)
def test_entries_of_tables_match_word_by_word(entry, first, found):
    whole, split = Phrases([entry]).find(sentence(*first.split()).tokens)
    assert [place[:-1] for place in (*whole, *split)] == found


@pytest.mark.parametrize(
    ("first", "second", "name", "found"),
    [
        # An entry of several words does not cross punctuation, and words are found beside it.
        ("prime|prime|ADJ+,|,|PUNCT minister|minister|NOUN", "a", "multiword", []),
        ("Thebulb+.", "the bulb+.", "glued", ["glued(1,1,1)"]),
        (
            "50+% $+3.2 5+-+4 10+-+year five 2012+.",
            "a",
            "numeral",
            ['numeral(1,1,"50")', 'numeral(1,2,"3.2")', 'numeral(1,6,"2012")'],
        ),
        ("$|$|SYM+25bn|25bn|NUM 2,000|2,000|NUM", "25", "measure", ['measure(1,1,"25","bn")']),
        (
            "$|$|SYM+25bn|25bn|NUM 2,000|2,000|NUM",
            "25",
            "decimal",
            ['decimal("2000",2,3)', 'decimal("25",25,0)'],
        ),
        ("BoE and Bank of England", "Bank of England", "acronym", ['acronym(1,1,"boe")']),
        # Initials are only sought of acronyms of the other sentence.
        (
            "BoE and Bank of England",
            "Bank of England and European Union",
            "initials",
            ['initials(2,1,3,"boe")'],
        ),
    ],
)
def test_facts(knowledge, first, second, name, found):
    sides = (sentence(*text.split()) for text in (first, second))
    assert facts(knowledge, *sides, name) == found


def test_spanish():
    one = sentence("Fallecieron|fallecer|VERB", "1.500|1500|NUM")
    two = sentence("murieron|morir|VERB", "mil|mil|NUM")
    with Knowledge("es") as spanish:
        assert facts(spanish, one, two, "relation", "numeral", "stem") == [
            'relation(synonym,"fallecer","morir",0)',
            'stem(1,1,"fallec")',
            'numeral(1,2,"1500")',
        ]
