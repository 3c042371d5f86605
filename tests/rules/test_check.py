"""Each kind of finding on the smallest rules that have it; the shipped rules have none."""

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import load_program
from ists_asp.rules.catalogue import copy_rules
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


NAMED = '%@rule a: "a"\n'
HEAD = "proposed(run(C,C),run(C,C)) :- chunk(1,C)"
CASES = {
    "all right": (GOOD, []),
    "a predicate declared as absent": (
        f"#defined medicine/1.\n{NAMED}proposed(C,C) :- medicine(C).\n",
        [],
    ),
    "what conditions of a choice use": (
        f'{NAMED}_p(run(1,1)).\n%@rule b: "b"\n{{ proposed(C,C) : _p(C) }} 1.\n',
        [],
    ),
    "what a syntax error hides": (
        f"_brand(X Y).\n{NAMED}proposed(run(C,C),run(D,D)) :- _brand(C,D).\n",
        [("syntax", 1, "error: syntax error")],
    ),
    "no name": (f"{HEAD}, chunk(2,C).\n", [("nameless", 1, ":1:1: warning: ")]),
    "undefined": (
        f"{NAMED}evidence(pair(X,Y),like,100) :- propsed(X,Y), not lable(X,Y,equi).\n",
        [("undefined", 2, "Did you mean proposed/2?"), ("undefined", 2, "Did you mean label/3?")],
    ),
    "a wrong number of arguments": (
        f"{NAMED}proposed(run(C,C),run(C,C)) :- chunk(1,C,_).\n",
        [("undefined", 2, ":2:32: error: ")],
    ),
    "unused": (
        f"{NAMED}evidnce(pair(X,Y),like,100) :- proposed(X,Y).\n",
        [("misspelt", 2, "Did you mean evidence/3?")],
    ),
    "unsafe": (
        f"{NAMED}proposed(D,V) :- chunk(1,C), not span(2,D).\n",
        [("unsafe", 2, "the variables are unsafe: D, V")],
    ),
    "pooled negation": (
        f"{NAMED}{HEAD}, not punctuation_chunk((1;2),C).\n",
        [("pooled-negation", 2, ":2:44: ")],
    ),
    "a host function": (
        f"{NAMED}proposed(C,@f(C)) :- chunk(1,C).\n",
        [("syntax", 2, "@f is refused")],
    ),
    "a script": ("#script (python)\n#end.\n", [("syntax", 1, "")]),
    "the name of a shipped rule": (
        f'%@rule may_align: "a"\n{HEAD}.\n',
        [("name-twice", 2, "asp/align.lp")],
    ),
    "private elsewhere": (
        f"{NAMED}{HEAD}, not _start(run(C,C),C).\n",
        [("private", 2, "asp/tie.lp")],
    ),
    "evidence of what has none": (
        f"{NAMED}evidence(piar(X,Y),like,100) :- proposed(X,Y).\n",
        [("target", 2, "Did you mean pair/2?")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_findings(found, name):
    text, wanted = CASES[name]
    findings = found(text)
    assert kinds(findings) == [(kind, line) for kind, line, _ in wanted]
    for (_, _, one), (_, _, words) in zip(findings, wanted, strict=True):
        assert words in str(one)


def test_all_faulty_directives_are_told(found):
    findings = found('%@rule a\n_p(1).\n%@rule b: "{Z}"\n_p(2).\n')
    assert [place for kind, place, _ in findings if kind == "directive"] == [1, 3]


def test_syntax_errors_with_excerpt_and_caret_and_all_of_them(found):
    findings = found('%@rule a: "a"\nevidence(pair(X,Y),a,100) :- proposed(X Y).\n\np :- 0.5.\n')
    assert kinds(findings) == [("syntax", 2), ("syntax", 4)]
    assert findings[0][2].excerpt.endswith(
        "evidence(pair(X,Y),a,100) :- proposed(X Y).\n" + " " * 44 + "^"
    )
    assert str(findings[0][2]).startswith(f"{findings[0][2].file}:2:41: error: syntax error")


def test_names_that_are_reserved(found):
    findings = found('%@rule a: "a"\n__p(1).\n%@rule b: "b"\nproposed(C,C) :- __p(C).\n')
    assert ("reserved", 2) in kinds(findings)


WEIGHTS = "weight(like,align,12).\n"


def test_evidence_and_weights_that_miss_one_another(folder):
    more = '%@rule other: "o"\nevidence(pair(X,Y),other,100) :- proposed(X,Y).\n'
    more += '%@rule propose: "p"\nproposed(X,Y) :- span(1,X), span(2,Y).\n'
    weights = "weight(lik,align,7).\nweight(like,boundary,7).\nweight(label(simi),score,9).\n"
    findings = folder({"labels/a.lp": GOOD + more, "weights/w.lp": WEIGHTS + weights})
    assert [(kind, place, one.severity) for kind, place, one in findings] == [
        ("unweighed", "/labels/a.lp:4", "note"),
        ("evidence", "/weights/w.lp:2", "error"),
        ("unmade", "/weights/w.lp:3", "warning"),
    ]


def test_weights_and_corrections_that_are_given_twice(folder, tmp_path):
    more = "weight(like,align,13).\ncorrection(like,align,1).\ncorrection(like,align,2).\n"
    findings = folder({"labels/a.lp": GOOD, "weights/a.lp": WEIGHTS, "weights/b.lp": more})
    told = [(kind, place, one.severity) for kind, place, one in findings]
    assert told == [
        ("weight-twice", "/weights/b.lp:1", "error"),
        ("weight-twice", "/weights/b.lp:3", "error"),
    ]
    assert "is also given at" in str(findings[0][2])
    assert "weights/a.lp:1" in str(findings[0][2])
    assert "Write correction(like,align,N) to add N" in str(findings[0][2])


def test_a_correction_may_be_all_that_there_is(folder):
    files = {"labels/a.lp": GOOD, "weights/a.lp": "correction(like,(align;equi),12).\n"}
    assert kinds(folder(files)) == []
    assert kinds(folder({**files, "weights/b.lp": "correction(lik,align,7).\n"})) == [
        ("evidence", "/weights/b.lp:1")
    ]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"weights/w.lp": WEIGHTS + GOOD}, ("weights-file", "/weights/w.lp:3")),
        ({"more/b.lp": "p(1).\n"}, ("unloaded", "/more/b.lp:1")),
        # A faulty profile does not hide the others.
        (
            {
                "profiles/bad.toml": LABELS.replace("labels", "lables"),
                "labels/a.lp": "p(X) :- q.\n",
            },
            ("unsafe", "/labels/a.lp:1"),
        ),
    ],
)
def test_findings_of_folders(folder, files, wanted):
    found = kinds(folder({"labels/a.lp": GOOD, "weights/w.lp": WEIGHTS, **files}))
    assert wanted in found
    assert ("profile" in dict(found)) == ("profiles/bad.toml" in files)


@pytest.mark.slow
def test_word_tables_need_no_names(tmp_path):
    table = tmp_path / "words.tsv"
    table.write_text("power = electricity\nhawkish <> dovish\n", encoding="utf-8")
    assert check_rules([table])[1] == ()


@pytest.mark.slow
def test_each_faulty_line_of_a_table_is_told(tmp_path):
    table = tmp_path / "words.tsv"
    table.write_text("cat = cats\nbulb lamp\nx y z\n= three\n", encoding="utf-8")
    assert [(one.kind, one.line) for one in check_rules([table])[1]] == [
        *(("file", 2), ("file", 3), ("file", 4))
    ]
    with pytest.raises(RuleError, match=r"words\.tsv:2: "):
        load_program("default", [table])


def test_nothing_to_check_and_an_unknown_profile(tmp_path):
    with pytest.raises(RuleError, match="there is no such rule file or folder"):
        check_rules([tmp_path / "nowhere"])
    write(tmp_path / "mine", {"a.lp": GOOD})
    with pytest.raises(UsageError, match='no profile "headline"'):
        check_rules([tmp_path / "mine"], ["headline"])


def test_entries_that_match_nothing_or_contradict(found):
    table = '%@rule t: "t"\nsame_meaning("a b","c"; "Up","on"; "x","x"; "y","").\n'
    other = '%@rule o: "o"\nopposite("c","a b").\n'
    use = '%@rule u: "u"\nproposed(X,X) :- same_meaning(X,_), opposite(X,_).\n'
    told = [one.found for kind, _, one in found(table + other + use) if kind == "entry"]
    parts = (
        '"a b" and "c" are opposites by',
        '"Up"',
        '"x" stands on both',
        "empty",
        "are the same",
    )
    assert [part in one for part, one in zip(parts, told, strict=True)] == [True] * 5


DOMAINS = [
    ("forbidden_label(X,Y,equii)", "equii is never the third argument", "Did you mean equi?"),
    ("forbidden_score(X,Y,5)", "5 is never the third argument", "It is one of 1, 2, 3, 4"),
    ('word(1,1,"Storm")', "words are in lower case", 'Write "storm"'),
    ("word(1,1,storm)", "words are strings", 'Write "storm"'),
    ("upos(1,1,nuon)", "nuon is never the third argument", "Did you mean noun?"),
    ("upos(1,1,NOUN)", "NOUN is a variable", "Write noun"),
    ("upos(3,1,noun)", "3 is never the first argument", "It is one of 1, 2"),
    ("_my_kind(X,pp)", "no rule derives _my_kind/2 with pp", "It is one of np, vp"),
    ("word(1,1,W), _fund(W)", '"Fund" matches no word', 'Write "fund"'),
]


def test_constants_outside_their_domains(found):
    rules = '%@rule k: "k"\n_my_kind(X,(np;vp)) :- span(1,X).\n%@rule f: "f"\n_fund("Fund").\n'
    rules += '%@rule u: "u"\nproposed(X,X) :- _my_kind(X,np), _fund("x").\n'
    for number, (body, *_) in enumerate(DOMAINS):
        rule = f"{body} :- proposed(X,Y)."
        if not body.startswith("forbidden"):
            rule = f"forbidden_pair(X,Y) :- proposed(X,Y), {body}."
        rules += f'%@rule r{number}: "r"\n{rule}\n'
    findings = [one for kind, _, one in found(rules) if kind in ("domain", "word-form", "variable")]
    for _, words, hint in DOMAINS:
        told = [one for one in findings if words in one.found and one.hint == hint]
        assert [one.severity == "error" for one in told] == [told[0].kind == "domain"]


def test_a_file_that_takes_the_place_of_another_is_announced(tmp_path):
    root = write(tmp_path / "mine", {"baseline/links.lp": GOOD})
    _, findings = check_rules([root / "baseline" / "links.lp"], ["baseline"])
    (told,) = (one for one in findings if one.kind == "replaces")
    assert "takes the place of lp_rules/baseline/links.lp" in told.found
    assert told.file.endswith("links.lp")


@pytest.mark.slow
def test_a_name_that_is_taken_is_blamed_on_the_file_that_is_not_shipped(tmp_path):
    copy_rules(tmp_path / "copy")
    # Files are read in the order of their names.
    rule = '%@rule identical_tokens: "s"\nforbidden_pair(X,Y) :- proposed(X,Y), 1 > 2.\n'
    (tmp_path / "copy" / "baseline" / "aaa.lp").write_text(rule)
    _, findings = check_rules([tmp_path / "copy"], ["baseline"])
    (told,) = (one for one in findings if one.kind == "name-twice")
    assert told.file.endswith("baseline/aaa.lp")
    assert "links.lp" in told.found
