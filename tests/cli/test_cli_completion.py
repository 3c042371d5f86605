"""Shell completion offers commands, options, their choices, and files."""

import pytest
from click.testing import CliRunner

from ists_asp.cli.app import main


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
        (("evaluate", "--scheme", "2015"), "plain,2015"),
        (("solve", "--sent1", "data/x"), "file,data/x"),
    ],
)
def test_what_is_offered(complete, words, offer):
    assert complete(*words) == [offer]
