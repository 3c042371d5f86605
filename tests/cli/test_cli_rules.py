import json

import pytest

PAIR = ("a black cat sleeps", "a black cat sleeps")


@pytest.fixture
def rule(tmp_path):
    def write(text, name="mine.lp"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


@pytest.mark.slow
def test_copied_and_edited_rules_change_the_answer(good, run, tmp_path):
    options = ("solve", *PAIR, "--profile", "headlines")
    before = good(*options)
    assert "EQUI" in before
    result = run("rules", "copy", "my")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "run with --rules my" in result.stderr
    assert good(*options, "--rules", "my") == before
    edited = min((tmp_path / "my/labels").glob("*.lp"))
    with edited.open("a") as file:
        file.write("forbidden_label(X,Y,equi) :- viable(X,Y).\n")
    after = good(*options, "--rules", "my")
    assert "EQUI" not in after
    assert good(*options) == before


@pytest.mark.slow
def test_added_file_and_folder(good, rule, tmp_path):
    name = rule(":- aligned(_,_).\n")
    assert "EQUI" not in good("solve", *PAIR, "--rules", name)
    (tmp_path / "more").mkdir()
    (tmp_path / name).rename(tmp_path / "more" / name)
    assert "EQUI" not in good("solve", *PAIR, "--rules", "more")


def test_syntax_error_shows_the_place(run, rule, tmp_path):
    result = run("solve", *PAIR, "--rules", rule("a(1).\nb(X) :- a(X)), X > 0.\n"), "-o", "x.wa")
    assert result.exit_code == 1
    first, *excerpt = result.stderr.splitlines()
    assert first.startswith("error: mine.lp:2:13: syntax error at")
    assert excerpt == ["    b(X) :- a(X)), X > 0.", " " * 16 + "^"]
    assert not (tmp_path / "x.wa").exists()


def test_missing_and_unsafe_rules_are_one_line(bad, rule):
    assert bad(1, "solve", *PAIR, "--rules", "no.lp").startswith("no.lp: there is no such rule")
    assert bad(1, "rules", "list", "--rules", "no").startswith("no: there is no such rule")
    message = bad(1, "solve", *PAIR, "--rules", rule("b(X) :- not token(1,1,_).\n"))
    assert "mine.lp" in message
    assert "unsafe" in message


@pytest.mark.slow
def test_rules_shown_by_the_evidence_that_they_find_or_guessed(good, bad):
    text = good("rules", "show", "adds_modifier", "same_kind", "--profile", "headlines")
    assert '%@rule modifier_added: "side {S} adds a modifier"\n' in text
    assert text.count("%@rule ") == 2
    message = bad(2, "rules", "show", "may_aling")
    assert message == "profile default: there is no rule 'may_aling'. Did you mean 'may_align'?"
    assert bad(2, "rules", "show", "xxxxxxxx").endswith("See ists-asp rules list")


@pytest.mark.slow
def test_check_tells_errors_and_exits_with_1(run, bad, rule, tmp_path):
    command = ("rules", "check", rule(FAULTY), "--profile", "baseline")
    result = run(*command)
    assert result.exit_code == 1
    assert "mine.lp:2:32: error: no rule and no fact derives wrod/3. Did you mean word/3?" in (
        result.stdout
    )
    assert result.stdout.splitlines()[-1] == "mine.lp: 1 error, 0 warnings, 0 notes"
    (one,) = json.loads(run(*command, "--json").stdout)
    found = (one["severity"], one["kind"], one["line"], one["subject"])
    assert found == ("error", "undefined", 2, "wrod/3")
    message = bad(1, *command, "--sample", tmp_path)
    assert "expected sent1.txt and sent2.txt" in message


@pytest.mark.slow
def test_check_writes_nothing_that_a_terminal_would_obey(run, rule):
    found = run("rules", "check", rule(":- foo(\x1b[41m)."), "--no-sample")
    assert (found.exit_code, "\x1b" in found.stdout) == (1, False)
    assert 'error: syntax error at "\\u001b"' in found.stdout


@pytest.mark.slow
def test_unsatisfiable_rules_name_the_pair(run, bad, rule, files, tmp_path):
    first, second = files([("a cat", "a dog"), ("bad luck", "a dog"), ("a cat", "a cat")])
    name = rule(':- token(_,_,"bad").\n')
    command = ("solve", "--sent1", first, "--sent2", second, "--rules", name, "-o", "out.wa")
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
def test_odd_facts_are_named_by_their_place(run, rule, text):
    done = run("solve", *PAIR, "--rules", rule(f"{text}\n"))
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].partition(" comes from ")[2].startswith("mine.lp:1")


@pytest.mark.slow
def test_warnings_of_clingo_are_shown_once(run, rule, files, pairs):
    first, second = files(pairs)
    name = rule("helper(S) :- tokne(S,_,_).\n")
    result = run("solve", "--sent1", first, "--sent2", second, "--rules", name, "-q", "--lax")
    assert result.exit_code == 0
    (told,) = (line for line in result.stderr.splitlines() if "tokne" in line)
    assert told.startswith("warning: mine.lp:1:14: ")


@pytest.mark.slow
def test_warnings_are_shown_when_there_is_no_answer(run, rule):
    name = rule("good :- tokne(_,_,_).\n:- not good.\n")
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
    lines = text.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("may_align "))
    _, place, use = lines[at].split()
    assert place.startswith("asp/align.lp:")
    assert use == "answer"
    assert lines[at + 1] == "    {X} and {Y} may be aligned"
    assert max(map(len, lines)) <= 100
    records = json.loads(good("rules", "list", "--json"))
    assert [[one["name"], f"{one['file']}:{one['line']}", one["use"]] for one in records] == (
        heads(text)
    )
    assert any(record["file"].startswith("lp_rules/") for record in records)


@pytest.mark.slow
def test_rules_are_listed_with_their_weights(good):
    ask = ("rules", "list", "--profile", "headlines")
    lines = good(*ask).splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("heads_near "))
    shown = lines[at + 2].split(" … ")[0].strip().split(", ")
    records = {
        one["name"]: one
        for one in json.loads(good("rules", "list", "--profile", "headlines", "--json"))
    }
    weights = records["heads_near"]["weights"]
    assert {one["evidence"] for one in weights} == {"heads_near"}
    assert shown == [f"{one['decision']} {one['weight']:+}" for one in weights[: len(shown)]]
    assert [abs(one["weight"]) for one in weights] == sorted(
        (abs(one["weight"]) for one in weights), reverse=True
    )
    assert records["may_align"]["weights"] is None
    assert {one["evidence"].split("(")[0] for one in records["heads_near"]["weights"]} == {
        "heads_near"
    }
    text = good("rules", "show", "heads_near", "--profile", "headlines")
    told = [line.split() for line in text.splitlines() if line.startswith("%  ")]
    assert told == [
        ["%", f"{one['weight']:+}", one["decision"], one["evidence"]]
        for one in records["heads_near"]["weights"]
    ]


def test_rules_of_the_explanation_are_listed_and_shown(good):
    records = {one["name"]: one for one in json.loads(good("rules", "list", "--json"))}
    assert {one["use"] for one in records.values()} == {"answer", "explanation", "both", "rating"}
    own = [one for one in records.values() if one["file"].startswith("lp_rules/explanation/")]
    assert own
    assert {one["use"] for one in own} == {"explanation"}
    assert records["token_in_chunk"]["use"] == "both"
    assert records["one_label"]["use"] == "answer"
    assert good("rules", "show", "say_opposed").startswith("% lp_rules/explanation/contrasts.lp:")


def test_rules_of_a_user_are_listed(good, rule):
    name = rule('%@rule mine: "token {I} is mine"\nmine(I) :- token(1,I,_).\n')
    assert ["mine", "mine.lp:2", "both"] in heads(good("rules", "list", "--rules", name))
    assert good("rules", "show", "mine", "--rules", name) == (
        '% mine.lp:2 (answer and explanation)\n%@rule mine: "token {I} is mine"\n'
        "mine(I) :- token(1,I,_).\n"
    )
    (record,) = json.loads(good("rules", "show", "mine", "--rules", name, "--json"))
    assert record == {
        "name": "mine",
        "sentence": "token {I} is mine",
        "file": "mine.lp",
        "line": 2,
        "use": "both",
        "text": "mine(I) :- token(1,I,_).",
        "weights": None,
        "examples": [],
    }


@pytest.mark.slow
def test_a_feature_of_a_user_has_the_weight_that_the_user_gives(good, rule):
    name = rule(
        '%@rule mine: "mine"\nevidence(pair(X,Y),mine,100) :- proposed(X,Y).\n'
        "weight(mine,align,7). weight(mine,equi,9).\n"
    )
    lines = good("rules", "list", "--rules", name).splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("mine "))
    assert lines[at + 2] == "    equi +9, align +7"
    text = (
        '% mine.lp:2 (answer)\n%@rule mine: "mine"\n'
        "evidence(pair(X,Y),mine,100) :- proposed(X,Y).\n"
        "% 2 weights:\n%    +9  equi   mine\n%    +7  align  mine\n"
    )
    assert good("rules", "show", "mine", "--rules", name) == text


@pytest.mark.slow
def test_profiles(good, tmp_path):
    names = [line.split()[0] for line in good("profiles").splitlines()]
    assert {"default", "headlines", "images", "answers-students", "baseline"} <= set(names)
    assert [profile["name"] for profile in json.loads(good("profiles", "--json"))] == names
    good("rules", "copy", "my")
    (tmp_path / "my/profiles/default.toml").rename(tmp_path / "my/profiles/own.toml")
    assert "own" in good("profiles", "--rules", "my")
    assert "EQUI" in good("solve", *PAIR, "--profile", "own", "--rules", "my")


FAULTY = '%@rule mine: "mine"\nproposed(run(I,I),run(J,J)) :- wrod(1,I,"p"), word(2,J,"q").\n'


@pytest.mark.slow
@pytest.mark.parametrize(
    "profile",
    [
        pytest.param((), marks=pytest.mark.long),
        pytest.param(("--profile", "headlines"), marks=pytest.mark.long),
        ("--profile", "baseline"),
    ],
)
def test_check_has_nothing_to_say_about_an_unedited_copy(good, profile):
    good("rules", "copy", "my")
    options = ("rules", "check", "my", "--no-sample", *profile)
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
def test_check_says_which_rules_never_fire_for_sample_pairs(good, tmp_path):
    (tmp_path / "mine.lp").write_text(
        '%@rule power: "p"\nalike(I,J,synonym,95) :- word(1,I,"power"), word(2,J,"light").\n'
        '%@rule dogs: "d"\nalike(I,J,synonym,95) :- word(1,I,"dog"), word(2,J,"hound").\n'
    )
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs/sent1.txt").write_text("the dog barks\n")
    (tmp_path / "pairs/sent2.txt").write_text("the hound barks\n")
    told = good("rules", "check", "mine.lp", "--sample", "pairs")
    assert "note: this rule never fires for the 1 sample pairs" in told
    assert "    mine.lp:2  power" in told
    assert "dogs" not in told
    assert "never" not in good("rules", "check", "mine.lp", "--no-sample")


@pytest.mark.slow
def test_check_tells_rules_that_disagree_about_a_boundary(good, tmp_path):
    rules = '%@rule split: "s"\nmust_split(S,I) :- word(S,I,"cat").\n'
    rules += '%@rule join: "j"\nmust_join(S,I) :- lemma(S,I,"cat").\n'
    (tmp_path / "mine.lp").write_text(rules)
    (tmp_path / "sent1.txt").write_text("a cat sleeps\n")
    (tmp_path / "sent2.txt").write_text("a dog sleeps\n")
    given = ("mine.lp", "--profile", "headlines", "--sample", tmp_path)
    text = good("rules", "check", *given, "-q")
    assert 'at "cat" in pair 1 this rule and split (mine.lp:2)' in text
    assert "must_split wins" in text
