"""Names that exist nowhere, in rules of the user's, stop whatever would decide with these."""

import pytest

PAIR = ("a black cat sleeps", "a black cat sleeps")
OPTIONS = (*PAIR, "--profile", "headlines", "--rules", "mine.lp")
LINK = """\
%@rule buses: "side 1 has a bus"
evidence(link(X,Y),buses,100) :- link(X,Y), span_token(1,X,I), word(1,I,"bus").
weight(buses,equi,100).
"""


@pytest.fixture
def mine(tmp_path):
    def write(text, name="mine.lp"):
        (tmp_path / name).write_text(text, encoding="utf-8")

    return write


@pytest.mark.slow
@pytest.mark.parametrize("command", ["solve", "sts", "explain"])
def test_a_run_stops_and_names_what_fits_there(run, mine, command):
    mine(LINK)
    done = run(command, *OPTIONS)
    assert (done.exit_code, done.stdout) == (2, "")
    first, *excerpt = done.stderr.splitlines()
    assert first == (
        "error: mine.lp:2:34: no rule and no fact derives link/2. Did you mean viable/2? "
        "--lax goes on"
    )
    assert excerpt[1] == " " * 37 + "^"


@pytest.mark.slow
def test_why_stops_as_well(run, mine):
    mine(LINK)
    done = run("why", *OPTIONS, "1 2 3 <==> 1 2 3")
    assert done.exit_code == 2
    assert "viable/2" in done.stderr


@pytest.mark.slow
def test_lax_goes_on_and_warns(run, mine):
    mine(LINK)
    done = run("solve", *OPTIONS, "--lax")
    assert done.exit_code == 0
    assert "EQUI" in done.stdout
    assert done.stderr.startswith("warning: mine.lp:2:34: no rule and no fact derives link/2.")


ALL = """\
forbidden_label(X,Y,opo) :- viable(X,Y), class("x",persn).
forbiden_pair(X,Y) :- proposed(X,Y).
evidence(pair(X,Y),mine,100) :- proposed(X,Y), contrast(polarity,_,_), evidence(_,same_haed,_).
weight(mien,align,1).
alike(I,J,mine,9) :- alike(I,J,synonim,_).
proposed(X,Y) :- aligned(X,Y), linked(X,Y).
"""


@pytest.mark.slow
def test_all_names_of_a_file_are_told_at_once(run, mine):
    mine(ALL)
    told = run("solve", *OPTIONS).stderr
    for words in (
        "mine.lp:1:1: opo is never the third argument of forbidden_label/3. Did you mean oppo?",
        "mine.lp:1:42: persn is never the second argument of class/2. Did you mean person?",
        "mine.lp:2:1: nothing uses forbiden_pair/2. Did you mean forbidden_pair/2?",
        "contrast/3: it holds in explanations and ratings only. No rule of answers can ask for it",
        "no rule derives evidence called same_haed. Did you mean same_head?",
        "mine.lp:4:1: no rule derives evidence called mien. Did you mean mine?",
        "no rule derives alike/4 with synonim as its third argument. Did you mean synonym?",
        "mine.lp:6:32: no rule and no fact derives linked/2.",
    ):
        assert words in told


@pytest.mark.slow
def test_what_is_meant_is_allowed_and_what_is_shipped_is_not_asked_about(good, run, mine, tmp_path):
    mine("%@allow undefined: other rules may derive it\nnothing :- elsewhere(_).\n")
    good("solve", *OPTIONS)
    run("rules", "copy", "my")
    # A weight is left behind where a rule was removed.
    (tmp_path / "my" / "labels" / "names.lp").write_text("% nothing\n")
    assert "EQUI" in good("solve", *PAIR, "--profile", "headlines", "--rules", "my")


@pytest.mark.slow
def test_findings_as_annotations(run, mine):
    mine(LINK)
    done = run("rules", "check", "mine.lp", "--format", "github")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == (
        "::error file=mine.lp,line=2,col=34,title=undefined::no rule and no fact derives link/2. "
        "Did you mean viable/2?"
    )
    assert run("rules", "check", "mine.lp", "--json").stdout == (
        run("rules", "check", "mine.lp", "--format", "json").stdout
    )


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
def test_two_weights_for_one_name_are_refused_however_they_come(run, mine, text):
    mine(f"{text}\n")
    done = run("solve", *OPTIONS, "--lax")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].lstrip(" ^") == "" or "is given as" in done.stderr
    assert "mine.lp" in done.stderr
    assert "given" in done.stderr


def test_two_weights_of_two_files_of_the_user_and_of_one(run, mine):
    rule = '%@rule mine: "m"\nevidence(pair(X,Y),mine,100) :- proposed(X,Y).\n'
    mine(f"{rule}weight(mine,align,1).\n")
    mine("weight(mine,align,2).\n", "other.lp")
    done = run("solve", *OPTIONS, "--rules", "other.lp")
    assert done.exit_code == 1
    assert "other.lp:1:1: weight(mine,align,…) is also given at mine.lp:3" in done.stderr
    mine(f"{rule}weight(mine,align,1).\nweight(mine,align,2).\n")
    assert run("solve", *OPTIONS).exit_code == 1


@pytest.mark.slow
def test_constants_of_explanations_are_told_as_well(run, mine):
    mine(
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
