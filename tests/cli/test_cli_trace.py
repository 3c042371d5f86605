import json

import pytest

PAIR = ("12 killed in bus accident", "10 killed in road accident", "--profile", "headlines")


@pytest.mark.slow
def test_trace_shows_decisions_with_rules(good):
    text = good("trace", *PAIR, "--only", "label:1:1", "--depth", "1")
    assert text.startswith("Pair 1\n  1: 12 killed in bus accident\n")
    assert "[label:1:1]" in text
    assert "SIMI, not " in text
    assert "for it" in text
    assert "best_label asp/label.lp:" in good("trace", *PAIR, "--only", "label:1:1", "--all")


@pytest.mark.slow
def test_trace_as_json_in_a_file(good, tmp_path):
    assert good("trace", *PAIR, "--json", "-o", "out.json") == ""
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["version"] == 1


@pytest.mark.slow
def test_why_and_why_not(good, bad):
    assert "is labelled SIMI" in good("why", *PAIR[:2], "1 <==> 1", *PAIR[2:])
    assert "the answer is better" in good("why-not", *PAIR[:2], "1 <==> 1 // REL", *PAIR[2:])
    assert "Ask ists-asp why-not" in bad(2, "why", *PAIR[:2], "1 <==> 1 // EQUI", *PAIR[2:])
    assert "Ask ists-asp why" in bad(2, "why-not", *PAIR[:2], "1 <==> 1", *PAIR[2:])


@pytest.mark.slow
@pytest.mark.usefixtures("_stopped_early")
@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("trace", ("--only", "label", "--depth", "0")),
        ("why", ("2 <==> 2",)),
        ("why-not", ("1 <==> 2",)),
        ("report", ("-o", "page.html")),
    ],
)
def test_an_answer_not_proved_the_best_is_named(run, command, more):
    result = run(command, *PAIR[:2], *more, *PAIR[2:], "--timeout", "2.5")
    assert result.exit_code == 0
    assert result.stderr.startswith(
        "warning: pair 1: within 2.5 s the answer was not proved the best; "
    )


@pytest.mark.slow
def test_one_pair_of_a_file_is_asked_about(good, bad, files, pairs):
    first, second = files(pairs)
    given = ("--sent1", first, "--sent2", second)
    assert "Choose one with --id" in bad(2, "trace", *given)
    assert "there is no pair with the id" in bad(1, "trace", *given, "--id", "99")
    assert "Pair 2" in good("trace", *given, "--id", "2", "--only", "boundary", "--depth", "0")
    assert "chunk of sentence 1" in good("why", *given, "--id", "6", "1: 1")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["why", "why-not"])
def test_questions_need_a_decision_and_two_sentences(bad, command):
    assert "there is no decision" in bad(2, command)
    assert "one sentence" in bad(2, command, "a", "1 <==> 1")
    assert "is no list of tokens" in bad(2, command, "a", "b", "x <==> 1")


@pytest.mark.slow
def test_solve_writes_traces(good, bad, files, pairs, tmp_path):
    first, second = files(pairs[:2])
    given = ("solve", "--sent1", first, "--sent2", second)
    assert good(*given, "--trace", "t.jsonl") == good(*given)
    traces = (tmp_path / "t.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["pair"]["id"] for line in traces] == ["1", "2"]
    assert "-n 2 does not go with --trace" in bad(2, *given, "-n", "2", "--trace", "u.jsonl")
    assert "the same file" in bad(2, *given, "-o", "x.jsonl", "--trace", "x.jsonl")
