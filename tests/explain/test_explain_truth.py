"""What an explanation says is so: each case is a class of falsehoods that were once told."""

import pytest

from tests.explain.golden import explain_all, make_answer

CASES = {
    "an infinitive in both announces in both": (
        "headlines",
        "[ Oslo ] [ to host ] [ games ]",
        "[ Oslo ] [ wins ] [ race ] [ to host ] [ games ]",
        "1-1 EQUI 5, 2-4 EQUI 5, 3-5 EQUI 5",
        ["Only the second says “wins race”"],
        ["to come"],
    ),
    "a place behind close to is no infinitive": (
        "images",
        "[ A man ] [ on the grass ]",
        "[ A liner ] [ close to coast ]",
        "",
        [],
        ["to come"],
    ),
    "a bound is no relation": (
        "headlines",
        "[ At least 40 miners ] [ die ]",
        "[ Dozens ] [ of miners ] [ die ]",
        "1-2 SPE1 4, 2-3 EQUI 5",
        [],
        ["the relation", ": least 40", "“least"],
    ),
    "a noun before a noun has no relation of its own": (
        "headlines",
        "[ Car ] [ crashes ] [ into bar ]",
        "[ Car ] [ in bar crash ]",
        "1-1 EQUI 5, 2,3-2 EQUI 5",
        [],
        ["the relation"],
    ),
    "a particle is no relation": (
        "images",
        "[ A bus ] [ taking on ] [ passengers ]",
        "[ A bus ] [ picking up ] [ more passengers ]",
        "1-1 EQUI 5",
        [],
        ["the relation"],
    ),
    "a noun behind an article does not happen": (
        "images",
        "[ A moped ] [ in front of ruins ]",
        "[ White bus ] [ parked ] [ in front of houses ]",
        "1-2 SIMI 2, 2-3 EQUI 5",
        [],
        ["what happens"],
    ),
    "what a month names is certain": (
        "headlines",
        "[ Housing ] [ starts ] [ rise ] [ in May ]",
        "[ May Housing ] [ starts ] [ rise ]",
        "1-1 EQUI_FACT 5, 2-2 EQUI 5, 3-3 EQUI 5",
        [],
        ["less certain"],
    ),
    "who owns it is not left out": (
        "headlines",
        "[ Peru ] [ 's new president ] [ resigns ]",
        "[ Peru ] [ 's new president ] [ smiles ]",
        "1-1 EQUI 5, 2-2 EQUI 5",
        ["Both are about Peru's new president."],
        [" 's"],
    ),
    "what belongs to somebody is not more general": (
        "headlines",
        "[ Chilean military ] [ drills ]",
        "[ Peru ] [ 's military ] [ rests ]",
        "1-2 SPE1 4",
        [],
        ["more specific", "Both mention"],
    ),
    "a joining word adds nothing": (
        "headlines",
        "[ Police ] [ catch ] [ the thief ]",
        "[ Police ] [ catch ] [ the thief but ] [ lose ] [ the money ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5",
        [],
        ["more specific", "thief but"],
    ),
    "worth adds nothing": (
        "headlines",
        "[ Thief ] [ steals ] [ $ 5 million ] [ of gold ]",
        "[ Robber ] [ steals ] [ $ 5 million worth ] [ of gold ]",
        "2-2 EQUI 5, 3-3 SPE2 4, 4-4 EQUI 5",
        [],
        ["more specific"],
    ),
    "what something is about is no place": (
        "headlines",
        "[ Army ] [ cracks down ] [ on Brotherhood ]",
        "[ Army ] [ cracks down ] [ on Sunni Brotherhood ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SPE2 4",
        [],
        ["about the place"],
    ),
    "a prisoner's release leaves the prisoner": (
        "headlines",
        "[ Judge ] [ approves ] [ old prisoners release ]",
        "[ Judge ] [ frees ] [ old prisoners ]",
        "1-1 EQUI 5, 3-3 SIMI 3",
        [],
        ["belongs to"],
    ),
    "a city is not new": (
        "headlines",
        "[ Two firemen ] [ hurt ] [ in New York fire ]",
        "[ Two New York firemen ] [ hurt ] [ in fire ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5",
        [],
        ["belongs to"],
    ),
    "hyphens and full stops make no other name": (
        "headlines",
        "[ France ] [ hails ] [ U.S.-China Pact ]",
        "[ France ] [ hails ] [ US-China Pact ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5",
        ["say the same"],
        ["differ"],
    ),
    "a hyphen makes no other kind": (
        "images",
        "[ A flat-screen TV ] [ on a wall ]",
        "[ A flat screen TV ] [ on a wall ]",
        "1-1 SIMI 4, 2-2 EQUI 5",
        [],
        ["the kind of", "similar"],
    ),
    "what moves and what is missing are no opposites": (
        "headlines",
        "[ Cruise passengers ] [ hit ] [ by flu ]",
        "[ Missing ] [ cruise passengers ] [ found ]",
        "1-2 EQUI 5, 2-1 OPPO 4",
        [],
        ["opposite"],
    ),
    "opposite verbs of other things are not told": (
        "images",
        "[ A chair ] [ sitting ] [ by a wall ]",
        "[ A sheep ] [ stands ] [ in a pasture ]",
        "",
        [],
        ["opposite"],
    ),
    "prepositions of other nouns are no opposites": (
        "headlines",
        "[ Senate ] [ sets ] [ off debate ]",
        "[ Senate ] [ votes ] [ on bill ]",
        "1-1 EQUI 5",
        [],
        ["opposite"],
    ),
    "nothing is not any": (
        "answers-students",
        "[ the battery ] [ touches ] [ nothing ]",
        "[ the battery ] [ does not touch ] [ any wire ]",
        "1-1 EQUI 5, 2-2 SIMI 3",
        [],
        ["how many it holds of"],
    ),
    "contained adds nothing": (
        "answers-students",
        "[ A and C ] [ are contained ] [ in different paths ]",
        "[ A and C ] [ are ] [ in different paths ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5",
        ["say the same"],
        ["more specific"],
    ),
    "a preposition makes nothing more specific": (
        "headlines",
        "[ Talks ] [ amid budget crisis ]",
        "[ Path ] [ out ] [ of budget crisis ]",
        "2-3 SPE1 4",
        [],
        ["more specific"],
    ),
    "a word that is also in the other sentence is not only in one": (
        "headlines",
        "[ Malawi ] [ warns ] [ Zambia ]",
        "[ Zambia ] [ thanks ] [ Malawi president ]",
        "",
        [],
        ["Only the first says “Malawi”"],
    ),
    "an adjective is not more specific than a noun of two words": (
        "headlines",
        "[ Citizens ] [ vote ] [ on divisive constitution ]",
        "[ Citizens ] [ vote ] [ on constitution change ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SPE1 4",
        [],
        ["more specific"],
    ),
    "another magnitude is not more specific": (
        "headlines",
        "[ 6.2 magnitude quake ] [ hits ] [ Chile ]",
        "[ 4.3-magnitude earthquake ] [ hits ] [ Chile ]",
        "1-1 SPE1 4, 2-2 EQUI 5, 3-3 EQUI 5",
        [],
        ["more specific", "say that a 4.3"],
    ),
    "what precedes a possessor is not said of both": (
        "headlines",
        "[ Senate ] [ confirms ] [ Jones ] [ as bank head ]",
        "[ Senate ] [ confirms ] [ Jones ] [ as bank ] [ 's head ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5, 4-4 SPE1 4",
        [],
        ["as a bank.", "not just"],
    ),
    "the passive is not the active": (
        "headlines",
        "[ Afghan police ] [ kill ] [ 5 rebels ]",
        "[ 5 rebels ] [ , ] [ Afghan police ] [ killed ] [ in ambush ]",
        "1-3 EQUI 5, 2-4 EQUI 5, 3-1 EQUI 5",
        [],
        ["“Afghan police kill"],
    ),
    "same as one is not all different": (
        "answers-students",
        "[ A and C ] [ are not ] [ on the same path ] [ as B ]",
        "[ A, B and C ] [ are ] [ in different paths ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5",
        [],
        ["say the same"],
    ),
    "his head and its head are no difference": (
        "images",
        "[ A dog ] [ rests ] [ his head ] [ on a bed ]",
        "[ A dog ] [ rests ] [ its head ] [ on a bed ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5, 4-4 EQUI 5",
        [],
        ["more specific"],
    ),
    "one cat is a cat": (
        "images",
        "[ Two dogs and one cat ] [ on a bed ]",
        "[ Two dogs and a cat ] [ on a bed ]",
        "1-1 SIMI 4, 2-2 EQUI 5",
        [],
        ["similar"],
    ),
    "an older man may be an elderly gentleman": (
        "images",
        "[ An elderly man ] [ works ]",
        "[ Older gentleman ] [ works ]",
        "1-1 SIMI 4, 2-2 EQUI 5",
        [],
        ["who is meant"],
    ),
    "a kind that no table knows is only probably another": (
        "headlines",
        "[ Parliament ] [ allows ] [ gay marriage ]",
        "[ Parliament ] [ allows ] [ same-sex marriage ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SIMI 3",
        ["the kind of marriage (probably gay marriage against same-sex marriage)"],
        [],
    ),
    "one and four are five": (
        "images",
        "[ A red bird and four other birds ] [ in the snow ]",
        "[ Five birds ] [ in the snow ]",
        "1-1 SIMI 3, 2-2 EQUI 5",
        [],
        ["the number"],
    ),
    "on the back and in front are no opposites": (
        "images",
        "[ A woman ] [ rides ] [ on the back ] [ of a bike ]",
        "[ Boats ] [ lie ] [ in front ] [ of a mountain ]",
        "",
        [],
        ["opposite"],
    ),
    "years count nothing": (
        "headlines",
        "[ Jury ] [ gives ] [ the 2012 Peace Prize ]",
        "[ Jury ] [ gives ] [ the 2013 Peace Prize ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SIMI 4",
        [],
        ["the number"],
    ),
}

GRAMMAR = {
    "a participle makes no clause": (
        "headlines",
        "[ Anna Berg ] [ sworn in ] [ as mayor ]",
        "[ Anna Berg ] [ sworn in ] [ as mayor ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SPE1 4",
        ["say the same"],
        ["Both say that"],
    ),
    "the auxiliary of the other sentence helps": (
        "headlines",
        "[ Anna Berg ] [ crowned ] [ queen ] [ again ]",
        "[ Anna Berg ] [ is crowned ] [ queen ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5",
        ["Anna Berg is crowned"],
        [],
    ),
    "a finite verb is no topic": (
        "headlines",
        "[ Tokyo shares ] [ close ] [ lower ] [ on Friday ]",
        "[ Tokyo shares ] [ close ] [ higher ] [ on Monday ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 OPPO 4, 4-4 SIMI 3",
        ["the day (Friday against Monday)"],
        ["about Tokyo shares close"],
    ),
    "what is said is something": (
        "headlines",
        "[ Iran ] [ says ] [ talks ] [ resume ]",
        "[ Iran ] [ says ] [ tests ] [ end ]",
        "1-1 EQUI 5, 2-2 EQUI 5",
        ["Iran says something"],
        ["Iran says."],
    ),
    "a share is no object": (
        "headlines",
        "[ Shares ] [ close ] [ 0.39 % ] [ higher ]",
        "[ Shares ] [ close ] [ 0.31 % ] [ higher ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SIMI 3, 4-4 EQUI 5",
        [],
        ["close something", "number of %"],
    ),
    "next to is a preposition": (
        "images",
        "[ A woman ] [ is standing ] [ next to a car ]",
        "[ A woman ] [ is standing ] [ next to a small van ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SPE2 4",
        ["Both say that a woman is standing"],
        ["standing something"],
    ),
    "a noun without its article is quoted": (
        "headlines",
        "[ Purge plan ] [ shocks ] [ Lima ]",
        "[ Purge plan ] [ shocks ] [ Quito ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 SIMI 3",
        [],
        ["that purge plan"],
    ),
    "sets on fire without an article": (
        "headlines",
        "[ A man ] [ sets ] [ himself ] [ on fire ]",
        "[ A man ] [ sets ] [ himself ] [ on fire ] [ in Oslo ]",
        "1-1 EQUI 5, 2-2 EQUI 5, 3-3 EQUI 5, 4-4 EQUI 5",
        ["on fire"],
        ["a fire"],
    ),
    "sheep may be many": (
        "images",
        "[ A group ] [ of sheep ] [ grazing ]",
        "[ A group ] [ of sheep ] [ are ] [ on a hill ]",
        "1-1 EQUI 5, 2-2 EQUI 5",
        ["a group of sheep"],
        ["of a sheep"],
    ),
    "who does it is no topic": (
        "headlines",
        "[ Man ] [ who ] [ fought ] [ fire ] [ dies ]",
        "[ Chief ] [ who ] [ fought ] [ fire ] [ dies ]",
        "1-1 REL 3, 2-2 EQUI 5, 3-3 EQUI 5, 4-4 EQUI 5, 5-5 EQUI 5",
        [],
        ["about who"],
    ),
    "marks are said once": (
        "images",
        "[ A lamp , ] [ red chair ] [ , and sofa ]",
        "[ A dog ]",
        "",
        [],
        [",,"],
    ),
    "what comes is spoken of once": (
        "answers-students",
        "[ it ] [ will light ] [ but ] [ it ] [ will not burn ]",
        "[ a bulb ] [ is ] [ damaged ]",
        "",
        [],
        ["and only the first speaks"],
    ),
    "a shared noun has its words": (
        "images",
        "[ A room ] [ with wood furniture ]",
        "[ A hall ] [ full ] [ with wooden furniture ]",
        "2-3 EQUI 5",
        ["furniture"],
        ["mention ."],
    ),
}


@pytest.fixture(scope="module")
def explained(system):
    """The explanation of each case, by its name."""
    cases = (CASES | GRAMMAR).items()
    return explain_all(system, {name: (case[0], make_answer(*case[1:4])) for name, case in cases})


@pytest.mark.parametrize("name", [*CASES, *GRAMMAR])
def test_what_is_said_is_so(explained, name):
    *_, said, unsaid = (CASES | GRAMMAR)[name]
    text = explained[name].text
    assert [words for words in said if words not in text] == [], text
    assert [words for words in unsaid if words in text] == [], text


def test_long_lists_are_summarised(system):
    ones = ["Chile", "Peru", "Kenya", "Spain", "France", "Italy", "Japan", "China", "India"]
    others = ["Cuba", "Ghana", "Nepal", "Oman", "Qatar", "Sudan", "Togo", "Yemen", "Malta"]
    sent1, sent2 = (" ".join(f"[ in {name} ]" for name in names) for names in (ones, others))
    lines = ", ".join(f"{i}-{i} SIMI 3" for i in range(1, 10))
    text = system("default").explain(make_answer(sent1, sent2, lines)).text
    assert text.endswith(" and four more.")
    assert text.count(" against ") == 5


def test_many_shared_things_are_summarised(system):
    things = ["apples", "pears", "plums", "leeks", "eggs", "nuts", "figs", "dates"]
    sent1 = " ".join(f"[ {thing} ]" for thing in things)
    sent2 = " ".join(f"[ {thing} ]" for thing in reversed(things))
    lines = ", ".join(f"{i}-{9 - i} EQUI 5" for i in range(1, 9))
    text = system("default").explain(make_answer(sent1, sent2 + " [ here ]", lines)).text
    assert "eggs and three more" in text


def test_long_quotations_are_shortened(system):
    words = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "k",
        "l",
        "m",
        "n",
        "o",
        "p",
        "q",
        "r",
        "s",
        "t",
        "u",
        "v",
        "w",
        "x",
        "y",
        "z",
    ]
    sent1 = "[ Rain ] [ " + " ".join(f"stone{word}" for word in words * 2) + " ]"
    text = system("default").explain(make_answer(sent1, "[ Rain ] [ falls ]", "1-1 EQUI 5")).text
    assert "…" in text
    assert len(text.split()) < 40
