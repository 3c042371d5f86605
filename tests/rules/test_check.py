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
from ists_asp.rules.check import check_rules
from ists_asp.rules.check.model import SEVERITIES
from ists_asp.rules.profiles import list_profiles
from tests.sharing import cases, refused, rows, shared_store

from .conftest import write

GOOD = '%@rule like: "{X} is like {Y}"\nevidence(pair(X,Y),like,100) :- proposed(X,Y).\n'
# The name of a rule file, its text, and below it the kinds and words of its findings.
ROWS = Path(__file__).with_name("findings.txt").read_text("utf-8")
USED = 'opposite("c","a b").\n%@rule u: "u"\nproposed(run(1,1),run(1,1)) :- same_meaning("a b",_)'
USED += ', opposite("c",_).'
CASES = {
    name: (text.replace(r"\n", "\n").replace("USED", USED), expected)
    for name, text, *expected in rows(ROWS)
}
DOMAINS = """
forbidden_label(X,Y,equii) | equii is never the third argument | Did you mean equi?
forbidden_score(X,Y,5) | 5 is never the third argument | It is one of 1, 2, 3, 4
word(1,1,"Storm") | words are in lower case | Write "storm"
word(1,1,"of state") | a word has no blanks | Ask for multiword(S,I,J,…) or entry_token(S,I,J,…)
word(1,1,storm) | words are strings | Write "storm"
upos(1,1,nuon) | nuon is never the third argument | Did you mean noun?
upos(1,1,NOUN) | NOUN is a variable | Write noun
upos(3,1,noun) | 3 is never the first argument | It is one of 1, 2
_my_kind(X,pp) | no rule derives _my_kind/2 with pp | It is one of np, vp
word(1,1,W), _fund(W) | "Fund" matches no word | Write "fund"
"""
PROFILE = 'description = "Small"\nlanguage = "en"\n[answer]\nrules = ["labels"]\n'
PROFILE += 'weights = ["weights"]\n'
OTHER = """\
%@rule other: "o"
evidence(pair(X,Y),other,100) :- proposed(X,Y).
%@rule propose: "p"
proposed(X,Y) :- span(1,X), span(2,Y).
"""
WEIGHTS = "weight(like,align,12).\n"
MORE = "weight(lik,align,7).\nweight(like,boundary,7).\nweight(label(simi),score,9).\n"
TWICE = "weight(like,align,13).\ncorrection(like,align,1).\ncorrection(like,align,2).\n"
BOTH = "correction(like,(align;equi),12).\n"
ABSENT = '%@rule a: "a"\nforbidden_pair(X,Y) :- proposed(X,Y), not forbidden_pair(X,Y).\n'
FOLDERS = {
    "absent": {"labels/b.lp": ABSENT},
    "more": {"labels/a.lp": GOOD + OTHER, "weights/w.lp": WEIGHTS + MORE},
    "twice": {"weights/x.lp": TWICE},
    "both": {"weights/w.lp": BOTH},
    "unknown": {"weights/w.lp": BOTH, "weights/x.lp": "correction(lik,align,7).\n"},
    "mixed": {"weights/w.lp": WEIGHTS + GOOD},
    "unloaded": {"more/b.lp": "p(1).\n"},
}
SOURCE = (rules_dir().parent / "docs/pages/findings.md").read_text("utf-8")
SECTIONS = {
    code: [match.groups() for match in EXAMPLE.finditer(body)]
    for code, _, body in (part.partition("\n") for part in SOURCE.split("\n## ")[1:])
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The findings of each case: of one check of all, and of one where syntax errors hide names."""
    texts = {}
    for number, (name, (text, expected)) in enumerate(CASES.items()):
        folder = "syntax" if any(words.startswith("syntax") for words in expected) else "others"
        # Names that no other case has.
        own = re.sub(r"%@rule (\w|like)\b", rf"%@rule \g<1>{number}", text)
        texts[f"{folder}/{name}.lp"] = f"{own}\n"
    rules = '%@rule k: "k"\n_my_kind(X,(np;vp)) :- span(1,X).\n%@rule f: "f"\n_fund("Fund").\n'
    rules += '%@rule u: "u"\nproposed(X,X) :- _my_kind(X,np), _fund("x").\n'
    for number, (body, *_) in enumerate(rows(DOMAINS)):
        own = body.startswith("forbidden")
        head, more = (body, "") if own else ("forbidden_pair(X,Y)", f", {body}")
        rules += f'%@rule r{number}: "r"\n{head} :- proposed(X,Y){more}.\n'
    root = write(tmp_path_factory.mktemp("mine"), {**texts, "others/domains.lp": rules})
    by_file = defaultdict(list)
    for folder in ("syntax", "others"):
        for finding in check_rules([root / folder], ["baseline"], store=shared_store())[1]:
            if finding.kind != "unweighed":
                by_file[Path(finding.file).stem].append(finding)
    return by_file


def agree(findings, expected):
    for finding, row in zip(findings, expected, strict=True):
        kind, _, words = row.partition(" ")
        assert (finding.kind, words in str(finding)) == (kind, True)


@pytest.mark.parametrize("name", CASES)
def test_findings(found, name):
    agree(found[name], CASES[name][1])


def test_syntax_errors_have_an_excerpt_and_a_caret(found):
    finding, _ = found["all syntax errors"]
    rule = "evidence(pair(X,Y),a,100) :- proposed(X Y)."
    assert finding.excerpt == f"    {rule}\n" + " " * 44 + "^"


@pytest.mark.slow
@pytest.mark.parametrize(("body", "words", "hint"), rows(DOMAINS))
def test_constants_outside_their_domains(found, body, words, hint):
    matches = {
        finding.severity
        for finding in found["domains"]
        if finding.kind in ("domain", "word-form", "variable")
        and (words in finding.found, finding.hint) == (True, hint)
        and (finding.severity == "error") == (finding.kind == "domain")
    }
    assert len(matches) == 1, body


@cases("""
name | expected*
absent   | sums /labels/b.lp:2:1: error: which pairs are viable rests on forbidden_pair/2
more     | unweighed /labels/a.lp:4:1: note | evidence /weights/w.lp:2:1: error
    unmade /weights/w.lp:3:1: warning
twice    | weight-twice /weights/x.lp:1:1: error: weight(like,align,…) is also given at
    weight-twice /weights/x.lp:3:1: error
both
unknown  | evidence /weights/x.lp:1:1: error
mixed    | weights-file /weights/w.lp:3:1
unloaded | nameless /more/b.lp:1:1 | unloaded /more/b.lp:1:1
""")
def test_findings_of_folders(tmp_path, name, expected):
    whole = {"profiles/small.toml": PROFILE, "labels/a.lp": GOOD, "weights/w.lp": WEIGHTS}
    _, findings = check_rules([write(tmp_path, whole | FOLDERS[name])])
    agree([finding for finding in findings if finding.kind != "name-twice"], expected)


def test_a_faulty_profile_does_not_hide_the_others(tmp_path):
    profiles = {"small": PROFILE, "bad": PROFILE.replace("labels", "lables")}
    files = {f"profiles/{name}.toml": text for name, text in profiles.items()}
    files |= {"labels/a.lp": "p(X) :- q.\n", "weights/w.lp": WEIGHTS}
    _, findings = check_rules([write(tmp_path, files)])
    assert {"profile", "unsafe"} <= {finding.kind for finding in findings}
    # Nothing to check, and an unknown profile.
    refused(RuleError, "there is no such rule file or folder", check_rules, [tmp_path / "nowhere"])
    refused(UsageError, 'no profile "headline"', check_rules, [tmp_path], ["headline"])


@pytest.mark.slow
def test_word_tables_need_no_names_and_tell_each_faulty_line(tmp_path):
    file = write(tmp_path, {"words.tsv": "cat = cats\nbulb lamp\nx y z\n= three\n"}) / "words.tsv"
    for faulty in ([2, 3, 4], []):
        findings = [(finding.kind, finding.line) for finding in check_rules([file])[1]]
        assert findings == [("file", line) for line in faulty]
        if faulty:
            refused(RuleError, r"words\.tsv:2: ", load_program, "default", [file])
        file.write_text("power = electricity\nhawkish <> dovish\n")


@pytest.mark.slow
def test_files_of_the_name_of_shipped_ones(tmp_path):
    mine = write(tmp_path / "mine", {"baseline/links.lp": GOOD}) / "baseline" / "links.lp"
    (finding,) = (one for one in check_rules([mine], ["baseline"])[1] if one.kind == "replaces")
    assert finding.file.endswith("links.lp")
    assert "takes the place of lp_rules/baseline/links.lp" in finding.found


def test_names_of_shipped_rules_are_unique():
    for name in list_profiles():
        assert [one.name for one in load_program(name)[1].rules if "'" in one.name] == []


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
