"""Rules of the user: copied, added, faulty, listed, checked, with names that exist nowhere."""

import json
import re

import pytest

PAIR = ("a black cat sleeps", "a black cat sleeps")
HEADLINES = (*PAIR, "--profile", "headlines")
OPTIONS = (*HEADLINES, "--rules", "mine.lp")
LONG = ("default", "headlines")


@pytest.mark.slow
def test_copied_and_edited_rules_change_the_answer(good, run, tmp_path):
    options = ("solve", *HEADLINES)
    before = good(*options)
    assert "EQUI" in before
    result = run("rules", "copy", "my")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "run with --rules my" in result.stderr
    assert good(*options, "--rules", "my") == before
    edited = min((tmp_path / "my/labels").glob("*.lp"))
    with edited.open("a") as file:
        file.write("forbidden_label(X,Y,equi) :- viable(X,Y).\n")
    assert "EQUI" not in good(*options, "--rules", "my")
    assert good(*options) == before


@pytest.mark.slow
def test_added_file_and_folder(good, written, tmp_path):
    (tmp_path / "more").mkdir()
    for name in ("mine.lp", "more/mine.lp"):
        assert "EQUI" not in good("solve", *PAIR, "--rules", written(":- aligned(_,_).\n", name))


@pytest.mark.slow
def test_unsatisfiable_rules_name_the_pair(run, bad, written, sides, tmp_path):
    pairs = sides([("a cat", "a dog"), ("bad luck", "a dog"), ("a cat", "a cat")])
    command = ("solve", *pairs, "--rules", written(':- token(_,_,"bad").\n'), "-o", "out.wa")
    message = bad(1, *command, "--fail-fast")
    assert message.startswith("pair 2: the rules admit no answer set, for these cannot all hold: ")
    assert not (tmp_path / "out.wa").exists()
    found = run(*command, "-q")
    assert found.exit_code == 3
    assert found.stderr.splitlines() == [
        "warning: pair 2: the rules admit no answer set, for these cannot all hold: mine.lp:1",
        "warning: no answer for 1 of 3 pairs: 2",
    ]
    assert (tmp_path / "out.wa").read_text().count("<sentence ") == 3


@pytest.mark.slow
@pytest.mark.parametrize("text", ['in_chunk(1,"a",3).', 'proposed(1,"a").', 'token(1,99,"x").'])
def test_odd_facts_are_named_by_their_place(run, written, text):
    done = run("solve", *PAIR, "--rules", written(f"{text}\n"))
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].partition(" comes from ")[2].startswith("mine.lp:1")


@pytest.mark.slow
def test_warnings_of_clingo_are_shown_once_if_there_is_an_answer_or_none(
    run, written, sides, pairs
):
    name = written("helper(S) :- tokne(S,_,_).\n")
    result = run("solve", *sides(pairs), "--rules", name, "-q", "--lax")
    assert result.exit_code == 0
    (told,) = (line for line in result.stderr.splitlines() if "tokne" in line)
    assert told.startswith("warning: mine.lp:1:14: ")
    written("good :- tokne(_,_,_).\n:- not good.\n")
    result = run("solve", *PAIR, "--rules", name, "--lax")
    assert result.exit_code == 1
    assert result.stderr.startswith("warning: mine.lp:1:9: ")
    assert "\nerror: pair 1: the rules admit no answer set" in result.stderr


def heads(text):
    """The first line of each rule in a list, in words."""
    return [line.split() for line in text.splitlines() if not line.startswith("    ")]


@pytest.mark.slow
def test_rules_are_listed_with_place_use_and_sentence(good):
    text = good("rules", "list")
    assert re.search(
        r"^may_align +asp/align\.lp:\d+ +answer\n    \{X\} and \{Y\} may be aligned$", text, re.M
    )
    assert max(map(len, text.splitlines())) <= 100
    records = json.loads(good("rules", "list", "--json"))
    assert [[one["name"], f"{one['file']}:{one['line']}", one["use"]] for one in records] == (
        heads(text)
    )
    uses = {record["name"]: record["use"] for record in records}
    assert {*uses.values()} == {"answer", "explanation", "both", "rating"}
    assert (uses["token_in_chunk"], uses["one_label"]) == ("both", "answer")
    explaining = (one for one in records if one["file"].startswith("lp_rules/explanation/"))
    assert {record["use"] for record in explaining} == {"explanation"}


@pytest.mark.slow
def test_rules_are_listed_with_their_weights(good):
    call = ("rules", "list", "--profile", "headlines")
    records = {record["name"]: record for record in json.loads(good(*call, "--json"))}
    assert records["may_align"]["weights"] is None
    weights = records["heads_near"]["weights"]
    assert {weight["evidence"] for weight in weights} == {"heads_near"}
    told = [(weight["decision"], f"{weight['weight']:+}") for weight in weights]
    assert told == sorted(told, key=lambda one: -abs(int(one[1])))
    displayed = re.search(r"^heads_near .*\n.*\n +(.*?)(?: … .*)?$", good(*call), re.M)[1]
    assert ", ".join(map(" ".join, told)).startswith(displayed)
    text = good("rules", "show", "heads_near", "--profile", "headlines")
    rows = [line.split() for line in text.splitlines() if line.startswith("%  ")]
    assert rows == [["%", size, decision, "heads_near"] for decision, size in told]


def test_rules_of_a_user_are_listed(good, written):
    text = '%@rule mine: "token {I} is mine"\nmine(I) :- token(1,I,_).\n'
    own = ("--profile", "baseline", "--rules", written(text))
    assert ["mine", "mine.lp:2", "both"] in heads(good("rules", "list", *own))
    shown = good("rules", "show", "mine", *own)
    assert shown == f"% mine.lp:2 (answer and explanation)\n{text}"
    (record,) = json.loads(good("rules", "show", "mine", *own, "--json"))
    assert record == {
        **{"name": "mine", "sentence": "token {I} is mine", "file": "mine.lp", "line": 2},
        **{"use": "both", "text": "mine(I) :- token(1,I,_).", "weights": None, "examples": []},
    }


@pytest.mark.slow
def test_a_feature_of_a_user_has_the_weight_that_the_user_gives(good, written):
    name = written(
        '%@rule mine: "mine"\nevidence(pair(X,Y),mine,100) :- proposed(X,Y).\n'
        "weight(mine,align,7). weight(mine,equi,9).\n"
    )
    listed = good("rules", "list", "--rules", name)
    assert re.search(r"^mine .*\n.*\n    equi \+9, align \+7$", listed, re.M)
    text = good("rules", "show", "mine", "--rules", name)
    assert text.startswith('% mine.lp:2 (answer)\n%@rule mine: "mine"\nevidence(pair(X,Y),mine,')
    assert text.endswith("\n% 2 weights:\n%    +9  equi   mine\n%    +7  align  mine\n")


@pytest.mark.slow
def test_profiles(good, tmp_path):
    names = [line.split()[0] for line in good("profiles").splitlines()]
    assert {"default", "headlines", "images", "answers-students", "baseline"} <= set(names)
    assert [profile["name"] for profile in json.loads(good("profiles", "--json"))] == names
    good("rules", "copy", "my")
    (tmp_path / "my/profiles/default.toml").rename(tmp_path / "my/profiles/own.toml")
    assert "own" in good("profiles", "--rules", "my")
    assert "EQUI" in good("solve", *PAIR, "--profile", "own", "--rules", "my")


@pytest.mark.slow
@pytest.mark.parametrize(
    "profile", ["baseline", *(pytest.param(one, marks=pytest.mark.long) for one in LONG)]
)
def test_check_has_nothing_to_say_about_an_unedited_copy(good, profile):
    good("rules", "copy", "my")
    options = ("rules", "check", "my", "--no-sample", "--profile", profile)
    assert json.loads(good(*options, "--json")) == []
    assert good(*options) == "my: 0 errors, 0 warnings, 0 notes\n"
    assert good(*options, "-q") == ""
    assert good(*options, "--all-notes").endswith((" note\n", " notes\n"))


@pytest.mark.slow
def test_check_tells_notes_about_lines_that_were_changed(good, tmp_path):
    good("rules", "copy", "my")
    changed = tmp_path / "my" / "labels" / "heads.lp"
    mine = '%@rule mine: "m"\nevidence(link(X,Y),mine,100) :- viable(X,Y).\n'
    changed.write_text(changed.read_text() + mine)
    (found,) = json.loads(good("rules", "check", "my", "--no-sample", "--json"))
    assert (found["kind"], found["subject"]) == ("unweighed", "mine")


@pytest.mark.slow
def test_check_says_what_never_fires_for_sample_pairs_or_disagrees(good, written):
    written(
        '%@rule power: "p"\nalike(I,J,synonym,95) :- word(1,I,"power"), word(2,J,"light").\n'
        '%@rule dogs: "d"\nalike(I,J,synonym,95) :- word(1,I,"cat"), word(2,J,"dog").\n'
        '%@rule split: "s"\nmust_split(S,I) :- word(S,I,"cat").\n'
        '%@rule join: "j"\nmust_join(S,I) :- lemma(S,I,"cat").\n'
    )
    written("a cat sleeps\n", "sent1.txt")
    written("a dog sleeps\n", "sent2.txt")
    options = ("rules", "check", "mine.lp", "--profile", "headlines")
    text = good(*options, "--sample", ".")
    assert "note: this rule never fires for the 1 sample pairs" in text
    assert "    mine.lp:2  power" in text
    assert "dogs" not in text
    assert 'at "cat" in pair 1 this rule and split (mine.lp:6)' in text
    assert "must_split wins" in text
    assert "never" not in good(*options, "--no-sample")


LINK = """\
%@rule buses: "side 1 has a bus"
evidence(link(X,Y),buses,100) :- link(X,Y), span_token(1,X,I), word(1,I,"bus").
weight(buses,equi,100).
"""
UNDEFINED = "no rule and no fact derives link/2. Did you mean viable/2?"


@pytest.mark.slow
@pytest.mark.parametrize("words", [["solve"], ["sts"], ["explain"], ["why", "1 2 3 <==> 1 2 3"]])
def test_a_run_stops_and_names_what_fits_there(run, written, words):
    written(LINK)
    done = run(words[0], *OPTIONS, *words[1:])
    first, _, mark = done.stderr.splitlines()
    assert (done.exit_code, done.stdout, mark) == (2, "", " " * 37 + "^")
    assert first == f"error: mine.lp:2:34: {UNDEFINED} --lax goes on"


@pytest.mark.slow
def test_lax_goes_on_and_warns(run, written):
    written(LINK)
    done = run("solve", *OPTIONS, "--lax")
    assert (done.exit_code, "EQUI" in done.stdout) == (0, True)
    assert done.stderr.startswith(f"warning: mine.lp:2:34: {UNDEFINED}")


@pytest.mark.slow
def test_a_run_tells_what_has_no_effect(run, written):
    written(":~ aligned(X,Y). [-9@4]\n:- aligned(X,Y), label(X,Y,L), L = equi, L = spe1.\n")
    done = run("solve", *OPTIONS)
    assert (done.exit_code, "EQUI" in done.stdout) == (0, True)
    first, second = done.stderr.splitlines()
    assert first.startswith("warning: mine.lp:1:1: all cases together count once: -9@4 has none")
    assert second.startswith("warning: mine.lp:2:1: this rule never fires: L = equi, L = spe1 ")


ALL = """\
forbidden_label(X,Y,opo) :- viable(X,Y), class("x",persn).
forbiden_pair(X,Y) :- proposed(X,Y).
evidence(pair(X,Y),mine,100) :- proposed(X,Y), contrast(polarity,_,_), evidence(_,same_haed,_).
weight(mien,align,1).
alike(I,J,mine,9) :- alike(I,J,synonim,_).
proposed(X,Y) :- aligned(X,Y), linked(X,Y).
"""


@pytest.mark.slow
def test_all_names_of_a_file_are_told_at_once(run, written):
    written(ALL)
    told = run("solve", *OPTIONS).stderr
    for words in (
        "mine.lp:1:1: opo is never the third argument of forbidden_label/3. Did you mean oppo?",
        "mine.lp:1:42: error: persn is never the second argument of class/2. Did you mean person?",
        "mine.lp:2:1: error: nothing uses forbiden_pair/2. Did you mean forbidden_pair/2?",
        "contrast/3: it holds in explanations and ratings only. No rule of answers can ask for it",
        "no rule derives evidence called same_haed. Did you mean same_head?",
        "mine.lp:4:1: error: no rule derives evidence called mien. Did you mean mine?",
        "no rule derives alike/4 with synonim as its third argument. Did you mean synonym?",
        "mine.lp:6:32: error: no rule and no fact derives linked/2.",
    ):
        assert words in told


@pytest.mark.slow
def test_what_is_meant_is_allowed_and_what_is_shipped_is_not_asked_about(good, run, written):
    written("%@allow undefined: other rules may derive it\nnothing :- elsewhere(_).\n")
    good("solve", *OPTIONS)
    run("rules", "copy", "my")
    # A weight is left behind where a rule was removed.
    written("% nothing\n", "my/labels/names.lp")
    assert "EQUI" in good("solve", *HEADLINES, "--rules", "my")


@pytest.mark.slow
def test_check_exits_with_1_and_tells_findings_as_text_json_and_annotations(run, written):
    written(LINK)
    command = ("rules", "check", "mine.lp", "--profile", "headlines")
    text, record = run(*command), run(*command, "--json")
    assert text.exit_code == record.exit_code == 1
    assert f"mine.lp:2:34: error: {UNDEFINED}" in text.stdout
    assert text.stdout.splitlines()[-1] == "mine.lp: 1 error, 1 warning, 0 notes"
    (*_, finding) = json.loads(record.stdout)
    names = ("severity", "kind", "line", "subject")
    assert [finding[name] for name in names] == ["error", "undefined", 2, "link/2"]
    github = run(*command, "--format", "github").stdout.splitlines()[-1]
    assert github == f"::error file=mine.lp,line=2,col=34,title=undefined::{UNDEFINED}"
    assert record.stdout == run(*command, "--format", "json").stdout


HERE = "weight(least_covered,this_spe,5)"
TWICE = {
    "beside the profile's": f"{HERE}.",
    "in a pool": "weight(least_covered,(equi;this_spe),5).",
    "with a condition": f"{HERE} :- chunked.",
    "by choice": f"{{ {HERE} }}.",
    "by a variable": "weight(least_covered,C,5) :- C = this_spe.",
    "by a constant": "#const c = this_spe.\nweight(least_covered,c,5).",
    "a correction": "correction(adds_words,other_spe,1).",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", TWICE.values(), ids=TWICE)
def test_two_weights_for_one_name_are_refused_however_they_come(run, written, text):
    written(f"{text}\n")
    done = run("solve", *OPTIONS, "--lax")
    assert done.exit_code == 1
    assert re.search(r"mine\.lp.* given ", done.stderr)


@pytest.mark.slow
def test_constants_of_explanations_are_told_as_well(run, written):
    written(
        "contrast(oposite,I,J) :- means(I,J), role(1,_,agnet,I), role(2,_,agent,J).\n"
        "_harmless(1).\nnone.\n"
    )
    result = run("explain", *OPTIONS)
    assert result.exit_code == 2
    for words in (
        "oposite is nowhere else the first argument of contrast/3. Did you mean opposite?",
        "agnet is nowhere else the third argument of role/4. Did you mean agent?",
    ):
        assert words in result.stderr
    assert "harmless" not in result.stderr
    assert "none/0" not in result.stderr
