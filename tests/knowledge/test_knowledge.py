"""What is known about pairs, looked up once, in each language that is there."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp import lang
from ists_asp.annotate import Annotator
from ists_asp.engine import Setup
from ists_asp.engine.preparation import Preparation
from ists_asp.errors import DataError, ResourceError, UsageError
from ists_asp.io.pairs import parse_chunks
from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.words import Phrases
from ists_asp.lang import language
from ists_asp.model import Pair, Sentence, Token, Word
from tests.sharing import cases, damage, load_shared, refused

VECTORS = language("en").vectors


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
    refused(ResourceError, "there is no lexicon here", Knowledge)


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


# An entry may be a token that annotation splits, or several that the tokeniser cuts.
@cases("""
entry           | first                              | found=
kick the bucket | He kicked|kick|VERB the bucket+.   | [(2, 4)]
kick the bucket | He kicked|kick|VERB the red bucket | []
turn down       | turned|turn|VERB a b c d e f down  | [(1, 8, 8)]
turn down       | turned|turn|VERB a b c d e f g down | []
turn down       | turn+n't down                      | []
dar a luz       | dio|dar|VERB+lo|lo|PRON anoche a luz | [(1, 3, 4)]
don't           | I do|do|AUX+n't|not|PART know      | [(2, 2)]
20"             | a 20 " screen                      | [(2, 3)]
pay us$ now     | paid|pay|VERB US $ now             | [(1, 4)]
wi-fi           | Wi-Fi                              | []
""")
def test_entries_of_tables_match_word_by_word(entry, first, found):
    whole, split = Phrases([entry]).find(sentence(*first.split()).tokens)
    assert [place[:-1] for place in (*whole, *split)] == found


# An entry of several words crosses no punctuation, words are found beside it; initials are only
# sought of acronyms of the other sentence.
@cases("""
first | second | name | found=
prime|prime|ADJ+,|,|PUNCT minister|minister|NOUN | a | multiword | []
Thebulb+. | the bulb+. | glued | ["glued(1,1,1)"]
50+% $+3.2 5+-+4 10+-+year five 2012+. | a | numeral
    ['numeral(1,1,"50")', 'numeral(1,2,"3.2")', 'numeral(1,6,"2012")']
$|$|SYM+25bn|25bn|NUM 2,000|2,000|NUM | 25 | measure | ['measure(1,1,"25","bn")']
$|$|SYM+25bn|25bn|NUM 2,000|2,000|NUM | 25 | decimal | ['decimal("2000",2,3)', 'decimal("25",25,0)']
BoE and Bank of England | Bank of England | acronym | ['acronym(1,1,"boe")']
BoE and Bank of England | Bank of England and European Union | initials
    ['initials(2,1,3,"boe")']
""")
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


def nouns(text):
    return sentence(*(f"{form}|{form}|NOUN" for form in text.split()))


PAIRS = [
    Pair("1", nouns("12 killed in a car crash"), nouns("10 die in an automobile accident")),
    Pair("2", nouns('says " \\ and ü'), nouns("the U.N. report")),
    Pair("3", nouns("thebulb is red"), nouns("the bulb is blue")),
]


@pytest.fixture
def prepare(tmp_path):
    """Facts of annotated pairs, from a system that begins anew each time."""

    def facts(pairs, *, phrases=(), vectors=VECTORS, look=True):
        knowledge = Knowledge(phrases=phrases, vectors_path=vectors)
        if not look:
            knowledge.facts = refuse  # type: ignore[method-assign]
        made = Preparation(Setup("headlines", cache=tmp_path))
        made._knowledge = knowledge
        found = list(made.facts_of(pairs))
        knowledge.close()
        return found

    return facts


def refuse(_pair):
    raise AssertionError("looked up again")


def test_a_second_run_over_the_same_pairs_looks_up_nothing(prepare):
    first = prepare(PAIRS)
    assert prepare(PAIRS, look=False) == first
    assert all(len(facts) > 20 for _, facts in first)


def test_the_id_of_a_pair_does_not_matter_and_its_words_do(prepare):
    prepare(PAIRS)
    others = [replace(pair, id=f"x{pair.id}") for pair in PAIRS]
    assert [pair.id for pair, _ in prepare(others, look=False)] == ["x1", "x2", "x3"]
    assert [pair.id for pair, _ in prepare([others[2], others[0]], look=False)] == ["x3", "x1"]
    with pytest.raises(AssertionError, match="again"):
        prepare([PAIRS[0], replace(PAIRS[1], sent1=PAIRS[0].sent1)], look=False)


def test_other_sources_and_chunks_have_entries_of_their_own(prepare):
    prepare(PAIRS)
    chunks = parse_chunks("[ 12 ] [ killed ] [ in a car crash ]").chunks
    chunked = replace(PAIRS[0], sent1=replace(PAIRS[0].sent1, chunks=chunks))
    others = ((PAIRS, {"phrases": ("car crash",)}), (PAIRS, {"vectors": None}), ([chunked], {}))
    for pairs, options in others:
        refused(AssertionError, "again", prepare, pairs, look=False, **options)


def test_a_faulty_pair_is_told_each_time(prepare):
    bad = Pair("bad", nouns("nul\0l"), nouns("b"))
    for _ in range(2):
        refused(DataError, "no string of clingo", prepare, [PAIRS[0], bad])


def test_damage_costs_a_look(prepare, tmp_path):
    first = prepare(PAIRS)
    damage(tmp_path)
    assert prepare(PAIRS) == first


TOY = Path(__file__).with_name("toy")


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(lang, "__path__", [*lang.__path__, str(TOY / "lang")])
    lang.languages.cache_clear()
    yield TOY / "rules"
    lang.languages.cache_clear()
    sys.modules.pop("ists_asp.lang.toy", None)


def test_a_module_and_a_folder_of_rules_add_a_language(toy):
    with load_shared("toy", rules=toy) as system:
        answer = system.solve("boook", "buok")
    assert [str(line.label) for line in answer.alignments] == ["EQUI"]


def test_a_language_that_is_not_there_is_refused():
    for use in (Knowledge, Annotator):
        refused(UsageError, "there is no language 'fr'; expected en or es", use, "fr")
