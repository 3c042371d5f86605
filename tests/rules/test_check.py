"""Each kind of finding on the smallest rules that have it, and on the page of findings."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from docs.pages.findings import EXAMPLE, findings
from ists_asp.errors import RuleError, UsageError
from ists_asp.io.store import Store
from ists_asp.resources import rules_dir
from ists_asp.rules import load_program
from ists_asp.rules.catalogue import copy_rules
from ists_asp.rules.check import check_rules
from ists_asp.rules.check.model import SEVERITIES

from .conftest import write

GOOD = '%@rule like: "{X} is like {Y}"\nevidence(pair(X,Y),like,100) :- proposed(X,Y).\n'
NAMED = '%@rule a: "a"\n'
HEAD = "proposed(run(C,C),run(C,C)) :- chunk(1,C)"
CASES = {
    "all right": (GOOD, []),
    "a predicate declared as absent": (
        f"#defined medicine/1.\n{NAMED}proposed(C,C) :- medicine(C).\n",
        [],
    ),
    "what conditions of a choice use": (
        f'{NAMED}_pp(run(1,1)).\n%@rule b: "b"\n{{ proposed(C,C) : _pp(C) }} 1.\n',
        [],
    ),
    "what a syntax error hides": (
        f"_brand(X Y).\n{NAMED}proposed(run(C,C),run(D,D)) :- _brand(C,D).\n",
        [("syntax", "1:10: error: syntax error")],
    ),
    "all syntax errors": (
        f"{NAMED}evidence(pair(X,Y),a,100) :- proposed(X Y).\n\np :- 0.5.\n",
        [("syntax", "2:41: error: syntax error"), ("syntax", "4:6: error: ")],
    ),
    "all directives": (
        '%@rule a\n_pa(1).\n%@rule c: "{Z}"\n_pb(2).\n',
        [
            *(("directive", "1:1"), ("unused", "2:1"), ("nameless", "2:1")),
            *(("directive", "3:1"), ("unused", "4:1")),
        ],
    ),
    "no name": (f"{HEAD}, chunk(2,C).\n", [("nameless", "1:1: warning: ")]),
    "undefined": (
        f"{NAMED}evidence(pair(X,Y),like,100) :- propsed(X,Y), not lable(X,Y,equi).\n",
        [("undefined", "Did you mean proposed/2?"), ("undefined", "Did you mean label/3?")],
    ),
    "a wrong number of arguments": (
        f"{NAMED}proposed(run(C,C),run(C,C)) :- chunk(1,C,_).\n",
        [("undefined", "2:32: error: ")],
    ),
    "unused": (
        f"{NAMED}evidnce(pair(X,Y),like,100) :- proposed(X,Y).\n",
        [("misspelt", "Did you mean evidence/3?")],
    ),
    "unsafe": (
        f"{NAMED}proposed(D,V) :- chunk(1,C), not span(2,D).\n",
        [("unsafe", "the variables are unsafe: D, V")],
    ),
    "pooled negation": (
        f"{NAMED}{HEAD}, not punctuation_chunk((1;2),C).\n",
        [("pooled-negation", "2:44: ")],
    ),
    "reserved": (
        f'{NAMED}__p(1).\n%@rule b: "b"\nproposed(C,C) :- __p(C).\n',
        [("reserved", "2:1"), ("reserved", "4:18")],
    ),
    "a host function": (f"{NAMED}proposed(C,@f(C)) :- chunk(1,C).\n", [("syntax", "@f is")]),
    "a script": ("#script (python)\n#end.\n", [("syntax", "1:1")]),
    "the name of a shipped rule": (
        f'%@rule may_align: "a"\n{HEAD}.\n',
        [("name-twice", "asp/align.lp")],
    ),
    "private elsewhere": (f"{NAMED}{HEAD}, not _start(run(C,C),C).\n", [("private", "tie.lp")]),
    "evidence of what has none": (
        f"{NAMED}evidence(piar(X,Y),like,100) :- proposed(X,Y).\n",
        [("target", "Did you mean pair/2?")],
    ),
    "entries": (
        '%@rule t: "t"\nsame_meaning("a b","c"; "Up","on"; "x","x"; "y","").\n'
        '%@rule o: "o"\nopposite("c","a b").\n'
        '%@rule u: "u"\nproposed(run(1,1),run(1,1)) :- same_meaning("a b",_), opposite("c",_).\n',
        [
            ("entry", '2:14: warning: "a b" and "c" are opposites by'),
            *(("entry", '"Up"'), ("entry", '"x" stands on both'), ("entry", "empty")),
            ("entry", "4:10: warning: "),
        ],
    ),
}
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


def own_names(text, number):
    """A text whose rules have names that no other has."""
    return re.sub(r"%@rule (\w)\b", rf"%@rule \g<1>{number}", text)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The findings of each case: of one check of all, and of one where syntax errors hide names."""
    texts = {}
    for number, (name, (text, wanted)) in enumerate(CASES.items()):
        folder = "syntax" if "syntax" in dict(wanted) else "others"
        texts[f"{folder}/{name}.lp"] = own_names(text, number)
    rules = '%@rule k: "k"\n_my_kind(X,(np;vp)) :- span(1,X).\n%@rule f: "f"\n_fund("Fund").\n'
    rules += '%@rule u: "u"\nproposed(X,X) :- _my_kind(X,np), _fund("x").\n'
    for number, (body, *_) in enumerate(DOMAINS):
        head = body if body.startswith("forbidden") else "forbidden_pair(X,Y)"
        more = "" if body.startswith("forbidden") else f", {body}"
        rules += f'%@rule r{number}: "r"\n{head} :- proposed(X,Y){more}.\n'
    root = write(tmp_path_factory.mktemp("mine"), {**texts, "others/domains.lp": rules})
    findings = defaultdict(list)
    for folder in ("syntax", "others"):
        for one in check_rules([root / folder], ["baseline"])[1]:
            if one.kind != "unweighed":
                findings[Path(one.file).stem].append(one)
    return findings


@pytest.mark.parametrize("name", CASES)
def test_findings(found, name):
    every = found[name]
    assert [one.kind for one in every] == [kind for kind, _ in CASES[name][1]]
    for one, (_, words) in zip(every, CASES[name][1], strict=True):
        assert words in str(one)


def test_syntax_errors_have_an_excerpt_and_a_caret(found):
    one, _ = found["all syntax errors"]
    rule = "evidence(pair(X,Y),a,100) :- proposed(X Y)."
    assert one.excerpt == f"    {rule}\n" + " " * 44 + "^"


@pytest.mark.slow
@pytest.mark.parametrize(("body", "words", "hint"), DOMAINS)
def test_constants_outside_their_domains(found, body, words, hint):
    every = [one for one in found["domains"] if one.kind in ("domain", "word-form", "variable")]
    (one,) = {one.kind: one for one in every if words in one.found and one.hint == hint}.values()
    assert (one.severity == "error") == (one.kind == "domain"), body


WEIGHTS = "weight(like,align,12).\n"
LABELS = """\
description = "Small"
language = "en"
[answer]
rules = ["labels"]
weights = ["weights"]
"""
OTHER = """\
%@rule other: "o"
evidence(pair(X,Y),other,100) :- proposed(X,Y).
%@rule propose: "p"
proposed(X,Y) :- span(1,X), span(2,Y).
"""


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (
            {
                "labels/a.lp": GOOD + OTHER,
                "weights/w.lp": WEIGHTS
                + "weight(lik,align,7).\nweight(like,boundary,7).\nweight(label(simi),score,9).\n",
            },
            [
                ("unweighed", "/labels/a.lp:4:1: note"),
                ("evidence", "/weights/w.lp:2:1: error"),
                ("unmade", "/weights/w.lp:3:1: warning"),
            ],
        ),
        (
            {
                "weights/x.lp": "weight(like,align,13).\n"
                "correction(like,align,1).\ncorrection(like,align,2).\n"
            },
            [
                ("weight-twice", "/weights/x.lp:1:1: error: weight(like,align,…) is also given at"),
                ("weight-twice", "/weights/x.lp:3:1: error"),
            ],
        ),
        ({"weights/w.lp": "correction(like,(align;equi),12).\n"}, []),
        (
            {
                "weights/w.lp": "correction(like,(align;equi),12).\n",
                "weights/x.lp": "correction(lik,align,7).\n",
            },
            [("evidence", "/weights/x.lp:1:1: error")],
        ),
        ({"weights/w.lp": WEIGHTS + GOOD}, [("weights-file", "/weights/w.lp:3:1")]),
        (
            {"more/b.lp": "p(1).\n"},
            [("nameless", "/more/b.lp:1:1"), ("unloaded", "/more/b.lp:1:1")],
        ),
    ],
)
def test_findings_of_folders(tmp_path, files, wanted):
    whole = {"profiles/small.toml": LABELS, "labels/a.lp": GOOD, "weights/w.lp": WEIGHTS, **files}
    _, every = check_rules([write(tmp_path, whole)])
    named = [one for one in every if one.kind != "name-twice"]
    assert [one.kind for one in named] == [kind for kind, _ in wanted]
    assert all(words in str(one) for one, (_, words) in zip(named, wanted, strict=True))


def test_a_faulty_profile_does_not_hide_the_others(tmp_path):
    files = {
        "profiles/small.toml": LABELS,
        "profiles/bad.toml": LABELS.replace("labels", "lables"),
        "labels/a.lp": "p(X) :- q.\n",
        "weights/w.lp": WEIGHTS,
    }
    _, every = check_rules([write(tmp_path, files)])
    assert {"profile", "unsafe"} <= {one.kind for one in every}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ("power = electricity\nhawkish <> dovish\n", []),
        ("cat = cats\nbulb lamp\nx y z\n= three\n", [("file", 2), ("file", 3), ("file", 4)]),
    ],
)
def test_word_tables_need_no_names_and_tell_each_faulty_line(tmp_path, table, wanted):
    file = write(tmp_path, {"words.tsv": table}) / "words.tsv"
    assert [(one.kind, one.line) for one in check_rules([file])[1]] == wanted
    if wanted:
        with pytest.raises(RuleError, match=r"words\.tsv:2: "):
            load_program("default", [file])


def test_nothing_to_check_and_an_unknown_profile(tmp_path):
    with pytest.raises(RuleError, match="there is no such rule file or folder"):
        check_rules([tmp_path / "nowhere"])
    write(tmp_path / "mine", {"a.lp": GOOD})
    with pytest.raises(UsageError, match='no profile "headline"'):
        check_rules([tmp_path / "mine"], ["headline"])


@pytest.mark.slow
def test_files_of_the_name_of_shipped_ones_and_taken_names(tmp_path):
    mine = write(tmp_path / "mine", {"baseline/links.lp": GOOD}) / "baseline" / "links.lp"
    (one,) = (one for one in check_rules([mine], ["baseline"])[1] if one.kind == "replaces")
    assert "takes the place of lp_rules/baseline/links.lp" in one.found
    assert one.file.endswith("links.lp")
    # Files are read in the order of their names; the finding is at the one that is not shipped.
    copy_rules(tmp_path / "copy")
    rule = '%@rule identical_tokens: "s"\nforbidden_pair(X,Y) :- proposed(X,Y), 1 > 2.\n'
    (tmp_path / "copy" / "baseline" / "aaa.lp").write_text(rule)
    _, every = check_rules([tmp_path / "copy"], ["baseline"])
    (one,) = (one for one in every if one.kind == "name-twice")
    assert one.file.endswith("baseline/aaa.lp")
    assert "links.lp" in one.found


SOURCE = (rules_dir().parent / "docs/pages/findings.md").read_text("utf-8")
SECTIONS = {
    code: [match.groups() for match in EXAMPLE.finditer(body)]
    for code, _, body in (part.partition("\n") for part in SOURCE.split("\n## ")[1:])
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
@pytest.mark.parametrize("code", [code for code, files in SECTIONS.items() if files])
def test_each_example_of_the_page_has_its_finding_and_the_corrected_one_none(tmp_path, store, code):
    for number, (name, text) in enumerate(SECTIONS[code]):
        file = write(tmp_path, {name: text}) / name
        _, every = check_rules([file], ["baseline"], store=store)
        assert {one.kind for one in every} == ({code} if number == 0 else set())


def test_the_page_tells_all_codes():
    page = findings()
    assert all(f"## `{code}`\n\n*{severity}*" in page for code, severity in SEVERITIES.items())
