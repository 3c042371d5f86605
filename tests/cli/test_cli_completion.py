"""Shell completion offers commands, options, profiles, rules, languages and files."""

import json

import pytest
from click.testing import CliRunner

from ists_asp.cli import main
from tests.terminal import acts


@pytest.fixture
def complete(monkeypatch):
    """What bash is offered, one ``type,value`` a line, for words of which the last is begun."""

    def offered(*words):
        monkeypatch.setenv("_ISTS_ASP_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["ists-asp", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        result = CliRunner().invoke(main, prog_name="ists-asp", catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        return [line for line in result.stdout.splitlines() if line]

    return offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(monkeypatch, shell):
    monkeypatch.setenv("_ISTS_ASP_COMPLETE", f"{shell}_source")
    result = CliRunner().invoke(main, prog_name="ists-asp")
    assert result.exit_code == 0
    assert "_ISTS_ASP_COMPLETE" in result.stdout


@pytest.mark.parametrize(
    ("words", "offer"),
    [
        (("so",), "plain,solve"),
        (("solve", "--fail"), "plain,--fail-fast"),
        (("solve", "--format", "js"), "plain,jsonl"),
        (("solve", "--profile", "headl"), "plain,headlines"),
        (("learn", "--profile", "pilot-2015-i"), "plain,pilot-2015-images"),
        (("rules", "check", "--profile", "headl"), "plain,headlines"),
        (("rules", "show", "may_al"), "plain,may_align"),
        (("rules", "show", "may_align", "what_topi"), "plain,what_topic"),
        (("rules", "ablate", "--only", "preposition_on_o"), "plain,preposition_on_one_side"),
        (("explain", "--language", "en"), "plain,en"),
        (("evaluate", "--scheme", "2015"), "plain,2015"),
        (("solve", "--sent1", "data/x"), "file,data/x"),
    ],
)
def test_what_is_offered(complete, words, offer):
    assert complete(*words) == [offer]


def test_profiles_are_those_of_the_rules_named(complete, tmp_path):
    folder = tmp_path / "mine"
    (folder / "profiles").mkdir(parents=True)
    (folder / "profiles" / "letters.toml").write_text(
        'description = "Letters"\nlanguage = "en"\n[answer]\nrules = ["words"]\n'
    )
    assert complete("solve", "--rules", str(folder), "--profile", "") == ["plain,letters"]
    assert complete("rules", "check", str(folder), "--profile", "") == ["plain,letters"]
    assert complete("solve", "--rules", "nowhere", "--profile", "") == []


def test_rules_are_those_of_the_profile_and_the_rules_named(complete, tmp_path):
    (tmp_path / "mine.lp").write_text('%@rule may_also: "may"\np :- faulty')
    options = ("--profile", "baseline", "--rules", str(tmp_path / "mine.lp"))
    assert complete("rules", "show", *options, "may_al") == ["plain,may_align", "plain,may_also"]
    assert complete("rules", "show", "--profile", "nowhere", "may_al") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_terminal_would_obey_is_not_offered(tmp_path, monkeypatch, shell):
    text = "\x1b[41m\u202e\x9b\nFAKED"
    for name in ("odd", f"odd{text}"):
        path = tmp_path / "rules" / "profiles" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'description = {json.dumps(text)}\nlanguage = "en"\n[answer]\nrules = ["own"]\n'
        )
    monkeypatch.setenv("_ISTS_ASP_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", f"ists-asp solve --rules {tmp_path / 'rules'} --profile odd")
    monkeypatch.setenv("COMP_CWORD", "odd" if shell == "fish" else "5")
    result = CliRunner().invoke(main, prog_name="ists-asp", catch_exceptions=False)
    assert "odd" in result.stdout
    assert "FAKED" not in result.stdout.splitlines()
    assert not any(map(acts, result.stdout.replace("\n", "").replace("\t", "")))
