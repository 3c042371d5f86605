"""Whatever rules for explanations show, it is said, or refused in a line that names the rule."""

import re

import pytest

from ists_asp.engine.program import Program, reading_for
from ists_asp.errors import DataError, RuleError, SolveError
from ists_asp.explain.explanation import explained, text_facts
from ists_asp.explain.templates import load_templates
from ists_asp.rules import Purpose, find_rules, load_rules
from ists_asp.solver import SolverOptions
from ists_asp.solver.batch import raising
from tests.explain.reviewed import make_answer
from tests.sharing import rows

ANSWER = make_answer("[ a cat ] [ sits ]", "[ a dog ] [ sits ]", "1-1 SIMI 3\n2-2 EQUI 5")
SHOWN = """\
#show statement/2.
#show uses/2.
#show piece/4.
#show choice/3.
#show told_at/5.
%@rule say_identical: "they are the same"
statement(a,identical).
told_at(a,1,1,whole,1).
"""
MOST = 2**31 - 1
WORDS = """%@rule say_tense: "tense"
statement(w,tense). told_at(w,2,1,differ,1). piece(w,first,at(1,1,word(1,1,lower)),plain). """


@pytest.fixture
def explain(tmp_path):
    """Explain an answer by the rules above and others below, which begin on line 9."""

    def make(text):
        (tmp_path / "mine.lp").write_text(SHOWN + text, encoding="utf-8")
        rules = load_rules(find_rules(tmp_path / "mine.lp", "mine.lp"))
        program = Program(rules, SolverOptions(), reading_for(Purpose.EXPLANATION, rules, {}))
        texts = text_facts(load_templates("en"))
        (solution,) = raising(program.run([program.facts(ANSWER, (), texts)]))
        return explained(ANSWER, *solution.answers, load_templates("en"), program.named).text

    return make


UNSPEAKABLE = """
statement("x",1) statement(x,"y") statement(x,f(y)) statement(x,-y) statement(x,(y,z))
statement(a,paraphrase) uses(a,0) uses(a,-1) uses(a,3) uses(a,"x") uses(a,#sup) choice(a,1,2)
choice(a,"x",first) choice(a,x,f(y)) piece(1,2,3,4) piece(a,x,at(1,1,dots),1)
piece(a,x,at(1,1,dots),"plain") piece(a,1,at(1,1,dots),plain) piece(a,f(1,2),at(1,1,dots),plain)
piece(a,-f(1),at(1,1,dots),plain) piece(a,x,at(1,dots),plain) piece(a,x,to(1,1,dots),plain)
piece(a,x,at(1,1,1),plain) piece(a,x,at(1,1,"dots"),plain) piece(a,x,at(1,1,other),plain)
piece(a,x,at(1,1,word(3,1,lower)),plain) piece(a,x,at(1,1,word(1,0,lower)),plain)
piece(a,x,at(1,1,word(1,4,lower)),plain) piece(a,x,at(1,1,word(1,x,lower)),plain)
piece(a,x,at(1,1,word(1,1,2)),plain) piece(a,x,at(1,1,key(1)),plain)
piece(a,x,at(1,1,key(f(g(h)))),plain) told_at(x,1,1,whole,1) told_at(a,x,1,whole,1)
told_at(a,1,#inf,whole,1) told_at(a,1,1,1,1) told_at(a,1,1,also(1),1) told_at(a,1,1,also(f(x)),1)
told_at(a,1,1,f(whole),1) told_at(a,1,1,whole,(1,2))
"""


@pytest.mark.parametrize("atom", UNSPEAKABLE.split())
def test_what_cannot_be_said_names_its_rule(explain, atom):
    with pytest.raises(RuleError) as caught:
        explain(f"{atom}.\n")
    message = str(caught.value)
    assert message.startswith("pair 1: the rules show an atom that cannot be put into words; ")
    assert f"{atom} comes from mine.lp:9" in message or "comes from say_identical" in message
    assert f"; expected {atom.partition('(')[0]}(" in message
    assert "\n" not in message


PASSED_OVER = """
#show foo.
#show 5.
#show "x".
#show (1,2). #show #inf.
#show -statement/2. -statement(1,2).
statement(1). #show statement/1.
#show place(1,2).
uses(nobody,1).
choice(nobody,side,nothing).
piece(nobody,x,at(1,1,key(nothing)),plain).
p(X) :- X = 1..2. q(1,(2 - 2)..3). p(2**99). p(1/0).
"""
DEEP = f"piece(a,x,at({'(1,' * 200}1{')' * 200},1,dots),plain)."


@pytest.mark.parametrize("text", [*PASSED_OVER.strip().splitlines(), DEEP])
def test_what_is_about_no_statement_is_passed_over(explain, text):
    assert explain(text) == "They say the same."


OVERFLOW = f"{{ p(1..9) }} = 5. #maximize {{ {MOST}@1,X : p(X); {MOST}@1,b,X : p(X) }}."
LACKING = """
statement(x,nosuch). told_at(x,1,1,whole,1). | statements: there is no text "nosuch"
told_at(a,1,1,nosuch,1). | clauses: there is no text "nosuch"
choice(a,side,nosuch). | words: there is no text "nosuch"
piece(a,x,at(1,1,key(f(y))),plain). | words: there is no text "f_y"
WORDS | statements.tense: nothing fills the slot {second}; expected first
told_at(a,1,2,whole,1). statement(b,tense). told_at(b,1,1,same,1). | nothing fills
"""
"""What the templates lack, of which the message names their line."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, rf"^en\.toml:\d+: .*{re.escape(words)}") for text, words in rows(LACKING)),
        (":- not foo.", "^pair 1: the rules admit no answer set.*hold: mine.lp:9"),
        (OVERFLOW, "^pair 1: .*arithmetic overflow"),
    ],
)
def test_nothing_ends_in_a_traceback(explain, text, message):
    with pytest.raises((DataError, RuleError, SolveError), match=message) as caught:
        explain(text.replace("WORDS", WORDS))
    assert "\n" not in str(caught.value)


def test_pieces_stand_in_any_order_of_terms(explain):
    at = ["(2,1)", "1", "b", '"a"', "(1,9)", "0"]
    pieces = " ".join(
        f"piece(w,second,at({one},1,word(2,{1 + number % 2},as_is)),plain)."
        for number, one in enumerate(at)
    )
    assert explain(WORDS + pieces) == (
        "They say the same. They differ in the tense (a against dog dog dog a a a)."
    )
