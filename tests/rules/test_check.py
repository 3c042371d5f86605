"""Each kind of finding on the smallest rules that have it; the shipped rules have none."""

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules.check import check_rules

from .conftest import write

GOOD = '%@rule like: "{X} is like {Y}"\nevidence(pair(X,Y),like,100) :- proposed(X,Y).\n'
LABELS = """\
description = "Small"
language = "en"
[answer]
rules = ["labels"]
weights = ["weights"]
"""


@pytest.fixture
def found(tmp_path):
    """Check one rule file beside those of the small profile baseline; return kinds and places."""

    def check(text, name="extra.lp"):
        folder = write(tmp_path / "mine", {name: text})
        _, findings = check_rules([folder], ["baseline"])
        return [(one.kind, one.line, one) for one in findings if one.kind != "unweighed"]

    return check


@pytest.fixture
def folder(tmp_path):
    """Check a rule folder with a profile of its own; return kinds and places."""

    def check(files):
        root = write(tmp_path / "rules", {"profiles/small.toml": LABELS, **files})
        _, findings = check_rules([root])
        return [
            (one.kind, f"{one.file.removeprefix(str(root))}:{one.line}", one) for one in findings
        ]

    return check


def kinds(findings):
    return [(kind, place) for kind, place, _ in findings]


def test_rules_that_are_all_right(found):
    assert found(GOOD) == []


def test_syntax_errors_with_excerpt_and_caret_and_all_of_them(found):
    findings = found('%@rule a: "a"\nevidence(pair(X,Y),a,100) :- proposed(X Y).\n\np :- 0.5.\n')
    assert kinds(findings) == [("syntax", 2), ("syntax", 4)]
    assert findings[0][2].excerpt.endswith(
        "evidence(pair(X,Y),a,100) :- proposed(X Y).\n" + " " * 44 + "^"
    )
    assert str(findings[0][2]).startswith(f"{findings[0][2].file}:2:41: error: syntax error")


def test_what_a_syntax_error_hides_is_not_called_undefined(found):
    findings = found('_brand(X Y).\n%@rule a: "a"\nproposed(run(C,C),run(D,D)) :- _brand(C,D).\n')
    assert kinds(findings) == [("syntax", 1)]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("%@rule a: {X}\nlinked(1,1,1).\n", 1, "malformed directive"),
        ('%@rule a: "a"\n', 1, "no rule follows this directive"),
        ('%@rule a: "{Z}"\nproposed(run(C,C),run(C,C)) :- chunk(1,C).\n', 1, "no variable {Z}"),
        ('%@rulle a: "a"\nlinked(1,1,1).\n', 1, "unknown directive"),
    ],
)
def test_faulty_directives(found, text, line, words):
    findings = found(text)
    assert ("directive", line) in kinds(findings)
    assert words in next(str(one) for kind, _, one in findings if kind == "directive")


def test_all_faulty_directives_are_told(found):
    findings = found('%@rule a\n_p(1).\n%@rule b: "{Z}"\n_p(2).\n')
    assert [place for kind, place, _ in findings if kind == "directive"] == [1, 3]


def test_rules_without_a_name(found):
    findings = found("proposed(run(C,C),run(C,C)) :- chunk(1,C), chunk(2,C).\n")
    assert kinds(findings) == [("nameless", 1)]
    assert findings[0][2].severity == "warning"


def test_undefined_predicates_and_what_was_meant(found):
    findings = found(
        '%@rule a: "a"\nevidence(pair(X,Y),like,100) :- propsed(X,Y), not lable(X,Y,equi).\n'
    )
    assert kinds(findings) == [("undefined", 2), ("undefined", 2)]
    assert [one.hint for *_, one in findings] == [
        "Did you mean proposed/2?",
        "Did you mean label/3?",
    ]
    assert findings[0][2].column == 33


def test_predicates_that_have_another_name_now(found):
    body = "proposed(X,Y), tells(1,1,_), mark(1,_)"
    rule = f'%@rule like: "{{X}}"\nevidence(pair(X,Y),like,100) :- {body}.\n'
    assert {one.hint for kind, _, one in found(rule) if kind == "undefined"} == {
        "It is called informativeness/3 now",
        "It is called punctuation_chunk/2 now",
    }


def test_a_predicate_with_the_wrong_number_of_arguments(found):
    ((kind, _, finding),) = found('%@rule a: "a"\nproposed(run(C,C),run(C,C)) :- chunk(1,C,_).\n')
    assert kind == "undefined"
    assert finding.hint == "Did you mean chunk/2? It has 3 arguments here"


def test_predicates_declared_as_absent_are_not_undefined(found):
    assert found('#defined medicine/1.\n%@rule a: "a"\nproposed(C,C) :- medicine(C).\n') == []


def test_predicates_that_nothing_uses(found):
    findings = found('%@rule a: "a"\nevidnce(pair(X,Y),like,100) :- proposed(X,Y).\n')
    assert kinds(findings) == [("unused", 2)]
    assert findings[0][2].severity == "warning"
    assert findings[0][2].hint == "Did you mean evidence/3?"


def test_what_conditions_of_a_choice_use_is_used(found):
    assert found('%@rule a: "a"\n_p(1).\n%@rule b: "b"\n{ proposed(C,C) : _p(C) } 1.\n') == []


def test_unsafe_variables_are_named(found):
    findings = found('%@rule a: "a"\nproposed(D,V) :- chunk(1,C), not chunk(2,D).\n')
    assert kinds(findings) == [("unsafe", 2)]
    assert findings[0][2].found == "the variables are unsafe: D, V"


def test_pooled_negation(found):
    findings = found(
        '%@rule a: "a"\n'
        "proposed(run(C,C),run(C,C)) :- chunk(1,C), not punctuation_chunk((1;2),C).\n"
    )
    assert kinds(findings) == [("pooled-negation", 2)]
    assert findings[0][2].column == 44


def test_functions_of_a_host_language(found):
    findings = found('%@rule a: "a"\nproposed(C,@f(C)) :- chunk(1,C).\n')
    assert kinds(findings) == [("syntax", 2)]


def test_scripts(found):
    assert kinds(found("#script (python)\n#end.\n")) == [("syntax", 1)]


def test_names_that_are_reserved(found):
    findings = found('%@rule a: "a"\n__p(1).\n%@rule b: "b"\nproposed(C,C) :- __p(C).\n')
    assert ("reserved", 2) in kinds(findings)


def test_names_that_a_shipped_rule_has(found):
    findings = found('%@rule may_align: "a"\nproposed(run(C,C),run(C,C)) :- chunk(1,C).\n')
    assert kinds(findings) == [("name-twice", 2)]
    assert "asp/align.lp" in findings[0][2].found
    assert findings[0][2].severity == "error"


def test_private_predicates_of_another_file(found):
    findings = found('%@rule a: "a"\nproposed(run(C,C),run(C,C)) :- chunk(1,C), not _start(C,C).\n')
    assert kinds(findings) == [("private", 2)]
    assert "asp/tie.lp" in findings[0][2].found


def test_features_of_what_has_none(found):
    findings = found('%@rule a: "a"\nevidence(piar(X,Y),like,100) :- proposed(X,Y).\n')
    assert kinds(findings) == [("target", 2)]
    assert findings[0][2].hint.startswith("Did you mean pair/2?")


def test_features_and_weights_that_miss_one_another(folder):
    findings = folder(
        {
            "labels/a.lp": GOOD
            + '%@rule other: "o"\nevidence(pair(X,Y),other,100) :- proposed(X,Y).\n'
            + '%@rule propose: "p"\nproposed(X,Y) :- span(1,X), span(2,Y).\n',
            "weights/w.lp": "weight(like,align,12).\nweight(lik,align,7).\n"
            "weight(like,boundary,7).\nweight(label(simi),score,9).\n",
        }
    )
    assert kinds(findings) == [
        ("unweighed", "/labels/a.lp:4"),
        ("unmade", "/weights/w.lp:2"),
        ("unmade", "/weights/w.lp:3"),
    ]
    assert [one.severity for *_, one in findings] == ["note", "warning", "warning"]


def test_rules_among_weights(folder):
    findings = folder({"labels/a.lp": GOOD, "weights/w.lp": "weight(like,align,12).\n" + GOOD})
    assert ("weights-file", "/weights/w.lp:3") in kinds(findings)


def test_a_file_that_no_profile_loads(folder):
    findings = folder(
        {"labels/a.lp": GOOD, "weights/w.lp": "weight(like,align,12).\n", "more/b.lp": "p(1).\n"}
    )
    assert ("unloaded", "/more/b.lp:1") in kinds(findings)


def test_a_faulty_profile_does_not_hide_the_others(folder):
    findings = folder(
        {
            "profiles/bad.toml": LABELS.replace("labels", "lables"),
            "labels/a.lp": "p(X) :- q.\n",
            "weights/w.lp": "weight(like,align,12).\n",
        }
    )
    found = kinds(findings)
    assert "profile" in dict(found)
    assert ("unsafe", "/labels/a.lp:1") in found


@pytest.mark.slow
def test_word_tables_need_no_names(tmp_path):
    table = tmp_path / "words.tsv"
    table.write_text("power = electricity\nhawkish <> dovish\n", encoding="utf-8")
    assert check_rules([table])[1] == ()


def test_nothing_to_check(tmp_path):
    with pytest.raises(RuleError, match="there is no such rule file or folder"):
        check_rules([tmp_path / "nowhere"])


def test_an_unknown_profile(tmp_path):
    write(tmp_path / "mine", {"a.lp": GOOD})
    with pytest.raises(UsageError, match='no profile "headline"'):
        check_rules([tmp_path / "mine"], ["headline"])


@pytest.mark.parametrize(
    ("body", "words", "hint"),
    [
        ("forbidden_label(X,Y,equii)", "equii is never the third argument", "Did you mean equi?"),
        ("forbidden_score(X,Y,5)", "5 is never the third argument", "It is one of 1, 2, 3, 4"),
        ('word(1,1,"Storm")', "words are in lower case", 'Write "storm"'),
        ("word(1,1,storm)", "words are strings", 'Write "storm"'),
        ("upos(1,1,nuon)", "nuon is never the third argument", "Did you mean noun?"),
        ("upos(1,1,NOUN)", "NOUN is a variable", "Write noun"),
        ("upos(3,1,noun)", "3 is never the first argument", "It is one of 1, 2"),
        ("_kind(X,pp)", "no rule derives _kind/2 with pp", "It is one of np, vp"),
        ("word(1,1,W), _fund(W)", '"Fund" matches no word', 'Write "fund"'),
    ],
)
def test_constants_outside_their_domains(found, body, words, hint):
    rule = '%@rule a: "a"\n'
    if body.startswith("forbidden"):
        rule += f"{body} :- proposed(X,Y).\n"
    else:
        rule += f"forbidden_pair(X,Y) :- proposed(X,Y), {body}.\n"
    tables = '%@rule k: "k"\n_kind(X,(np;vp)) :- span(1,X).\n%@rule f: "f"\n_fund("Fund").\n'
    used = '%@rule u: "u"\nproposed(X,X) :- _kind(X,np), _fund("x").\n'
    findings = [one for kind, _, one in found(rule + tables + used) if kind == "domain"]
    told = [one for one in findings if words in one.found]
    assert [one.hint for one in told] == [hint]
    assert told[0].severity == "warning"


def test_entries_that_match_nothing_or_contradict(found):
    table = '%@rule t: "t"\nsame_meaning("a b","c"; "Up","on"; "x","x"; "y","").\n'
    other = '%@rule o: "o"\nopposite("c","a b").\n'
    use = '%@rule u: "u"\nproposed(X,X) :- same_meaning(X,_), opposite(X,_).\n'
    told = [one.found for kind, _, one in found(table + other + use) if kind == "entry"]
    assert len(told) == 5
    for part, one in zip(
        (
            *('"a b" and "c" are opposites by', '"Up"', '"x" stands on both', "empty"),
            "are the same by",
        ),
        told,
        strict=True,
    ):
        assert part in one


def test_a_file_that_takes_the_place_of_another_is_announced(tmp_path):
    root = write(tmp_path / "mine", {"baseline/links.lp": GOOD})
    _, findings = check_rules([root / "baseline" / "links.lp"], ["baseline"])
    (told,) = (one for one in findings if one.kind == "replaces")
    assert "takes the place of lp_rules/baseline/links.lp" in told.found
    assert told.file.endswith("links.lp")


def test_a_name_that_is_taken_is_blamed_on_the_file_that_is_not_shipped(tmp_path):
    from ists_asp.rules import copy_rules

    copy_rules(tmp_path / "copy")
    # Files are read in the order of their names.
    rule = '%@rule same_lemma: "s"\nforbidden_pair(X,Y) :- proposed(X,Y), 1 > 2.\n'
    (tmp_path / "copy" / "words" / "aaa.lp").write_text(rule)
    _, findings = check_rules([tmp_path / "copy"], ["headlines"])
    (told,) = (one for one in findings if one.kind == "name-twice")
    assert told.file.endswith("words/aaa.lp")
    assert "similarity.lp" in told.found
