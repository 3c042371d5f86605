import json
from functools import partial
from pathlib import Path

import pytest

from ists_asp.resources import data_dir

PAIR = ("12 killed in bus accident", "10 killed in road accident")
NUMBERS = "They differ in the number (“12 killed” against “10 killed”)."
SAMPLES = data_dir() / "samples" / "headlines"
FILES = ("--sent1", SAMPLES / "sent1.txt", "--sent2", SAMPLES / "sent2.txt")
GIVEN = (*FILES, "--answers", SAMPLES / "gold.wa", "--profile", "headlines")


@pytest.fixture
def run(run):
    return partial(run, "explain")


def test_two_sentences_give_one_text(run):
    done = run(*PAIR, "--profile", "headlines")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{NUMBERS} ")
    assert done.stdout.count("\n") == 1


@pytest.mark.slow
def test_json_traces_each_statement_and_texts_may_be_spanish(run):
    record = json.loads(run(*PAIR, "--profile", "headlines", "--json").stdout)
    assert record["sent1"] == PAIR[0]
    number = next(s for s in record["statements"] if s["kind"] == "number")
    assert (number["text"], number["tokens1"], number["tokens2"]) == (NUMBERS, [1], [1])
    assert number["alignments"][0]["text2"] == "10"
    rule = number["rule"]
    lines = (Path(__file__).parents[2] / rule["file"]).read_text("utf-8").splitlines()
    assert lines[rule["line"] - 2].startswith("%@rule say_number:")
    assert rule["name"] == "say_number"
    text = run(*PAIR, "--profile", "headlines", "--language", "es").stdout
    assert text.startswith("Difieren en el número («12 killed» frente a «10 killed»). Donde ")


@pytest.mark.slow
def test_a_statement_has_its_words_its_rule_and_what_is_said_without_it(run):
    done = run("The bell rings if the door opens.", "The bell rings.", "--why", "1")
    assert (done.exit_code, done.stderr) == (0, "")
    said, words, without, _, rule, *_ = done.stdout.splitlines()
    assert said == "1. Only the first sets a condition: “if the door opens”."
    assert words.startswith("Words: if the door opens ~ ")
    assert without == "Without the rule: Both say “the bell rings”."
    assert "[say_condition lp_rules/explanation/conditions.lp:" in rule
    done = run(*PAIR, "--why", "9")
    assert (done.exit_code, "expected a number from 1 to" in done.stderr) == (2, True)


@pytest.mark.slow
def test_files_give_a_line_a_pair_and_id_chooses(run, tmp_path):
    lines = run(*GIVEN, "-q").stdout.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [str(n) for n in range(1, 11)]
    assert run(*GIVEN, "--id", "3").stdout == lines[2].removeprefix("3: ") + "\n"
    assert len(list(map(json.loads, run(*GIVEN, "--json").stdout.splitlines()))) == 10
    done = run(*GIVEN, "--id", "1", "-o", "words.txt")
    assert (done.exit_code, done.stdout) == (0, "")
    assert (tmp_path / "words.txt").read_text("utf-8").endswith(".\n")


@pytest.mark.slow
def test_traces_and_templates_of_an_earlier_version_change_no_text(run, tmp_path):
    text = (data_dir() / "templates" / "en.toml").read_text("utf-8")
    (tmp_path / "old.toml").write_text(text.replace("[clauses]", 'common = "x"\n[clauses]'))
    done = run(*PAIR, "--trace", "traces.jsonl", "--templates", "old.toml")
    assert (done.exit_code, done.stdout) == (0, run(*PAIR).stdout)
    assert (tmp_path / "traces.jsonl").read_text("utf-8").startswith("{")
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: old.toml:")
    assert "statements.common: no shipped rule uses this text; expected" in line


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--language", "fr"), 2, "there are no templates for the language 'fr'"),
        (("--language", "es", "--templates", "x"), 2, "--language does not go with --templates"),
        (("--answers", "others.wa", "--trace", "t.jsonl"), 2, "--trace does not go with --answers"),
        (("--templates", "none.toml"), 1, "none.toml: there is no such file of templates"),
        (("--id", "9"), 1, "there is no pair with the id '9'"),
        (("--answers", "others.wa"), 1, "pair 1: there are no alignments for this pair in "),
    ],
)
def test_errors_are_one_line(run, tmp_path, args, code, message):
    gold = (data_dir() / "samples" / "headlines" / "gold.wa").read_text("utf-8")
    (tmp_path / "others.wa").write_text(gold[gold.index('<sentence id="2"') :], encoding="utf-8")
    done = run(*PAIR, *args)
    assert (done.exit_code, done.stdout) == (code, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {message}")
