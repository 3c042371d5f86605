"""Where the reader is not heard: each silence is a rule, and without it the reader speaks."""

import re
from pathlib import Path

import clingo
import pytest

FOLDER = Path(__file__).parents[2] / "lp_rules" / "reader"

# A chunk on each side, of one token, which the reader takes for no counterparts.
UNLIKELY = """
first(1..2,1,1). last(1..2,1,1). span(1..2,run(1,1)). single(1..2,run(1,1)).
span_chunk(1..2,run(1,1),1). span_token(1..2,run(1,1),1). of(1..2,run(1,1),run(1,1),1).
content(1..2,1). reader_span(1..2,1,1). proposed(run(1,1),run(1,1)).
"""
LIKELY = f"""{UNLIKELY}
viable(run(1,1),run(1,1)). reader_link(tokens(1,1),tokens(1,1),95,300).
reader_label(tokens(1,1),tokens(1,1),simi,78,-25). reader_score(tokens(1,1),tokens(1,1),200).
"""
SAME = "overlap(run(1,1),run(1,1),100)."
HEADS = "span_head(1..2,run(1,1),run(1,1),1). alike(1,1,antonym,100)."
WORDS = "licensed(run(1,1),run(1,1),equi,word_by_word)."
SYNONYMS = f"{WORDS} alike(1,1,synonym,100)."
# Of two words a table knows one to mean the same as a word of the other side.
LISTED = f"""{WORDS} alike(1,1,same_meaning,100).
span_token(1,run(1,1),2). of(1,run(1,1),run(1,1),2). content(1,2)."""
GENERAL = "head_link(run(1,1),run(1,1),hypernym). one_word_each(run(1,1),run(1,1))."

SILENCES = {
    "settled_by_same_words": ("reader_against", UNLIKELY, SAME),
    "settled_by_dictionary": ("reader_against", UNLIKELY, HEADS),
    "told_of_opposites": ("reader(simi)", LIKELY, "opposites(run(1,1),run(1,1))."),
    "told_of_contradiction": ("reader(simi)", LIKELY, "contradicts(run(1,1),run(1,1))."),
    "told_of_sameness": ("reader(simi)", LIKELY, SYNONYMS),
    "told_by_table": ("reader(simi)", LIKELY, LISTED),
    "told_of_specificity": ("reader(simi)", LIKELY, GENERAL),
}


DOUBTED = "reader_link(tokens(1,1),tokens(1,1),12,-200)."


def evidence(facts, without=None):
    """The names of what the reader's rules find, a rule left out or none."""
    control = clingo.Control(["--warn=none"])
    for path in sorted(FOLDER.glob("*.lp")):
        text = path.read_text("utf-8")
        if without is not None:
            text = re.sub(rf"%@rule {without}:.*?(?=\n%|\n\n|\Z)", "", text, flags=re.DOTALL)
        control.add("base", [], text)
    control.add("base", [], facts)
    control.ground([("base", [])])
    return {
        str(atom.symbol.arguments[1]) for atom in control.symbolic_atoms.by_signature("evidence", 3)
    }


def test_of_the_same_words_the_reader_may_prefer_others():
    """Of two spans with the same words it speaks against one only for the other."""
    twice = """
        first(2,2,2). last(2,2,2). span(2,run(2,2)). single(2,run(2,2)). span_chunk(2,run(2,2),2).
        reader_span(2,2,2). proposed(run(1,1),run(2,2)). overlap(run(1,1),run(2,2),100)."""
    assert "reader_against" not in evidence(UNLIKELY + SAME + twice)
    likely = "reader_link(tokens(1,1),tokens(2,2),95,300)."
    assert "reader_against" in evidence(UNLIKELY + SAME + twice + likely)


@pytest.mark.parametrize("rule", ["settled_by_same_words", "settled_by_dictionary"])
def test_doubts_are_not_told_either(rule):
    name, facts, known = SILENCES[rule]
    assert name not in evidence(facts + known + DOUBTED)
    assert name in evidence(facts + known + DOUBTED, without=rule)


@pytest.mark.parametrize("rule", SILENCES)
def test_it_is_silent_and_speaks_without_the_rule(rule):
    name, facts, known = SILENCES[rule]
    assert name in evidence(facts)
    assert name not in evidence(facts + known)
    assert name in evidence(facts + known, without=rule)
