"""Rule files of strangers: they read nothing else, run nothing, and end somewhere."""

import json
import os

import pytest
from clingo import Control

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import find_rules, load_profile, load_rules, loader, source
from ists_asp.rules.loader import rule_files
from ists_asp.solver.search import constant_arguments
from tests.sharing import processor_seconds

from .conftest import PROFILE, write


def refused(path, words):
    for read in (load_rules, rule_files):
        with pytest.raises(RuleError, match=words) as caught:
            read(find_rules(path))
        assert max(map(len, str(caught.value).splitlines())) < 300


def test_links_stay_in_their_folder(tmp_path):
    write(tmp_path, {"secret": "password.", "out/b.lp": "b.", "r/a.lp": "a."})
    (tmp_path / "r/c.lp").symlink_to("a.lp")
    (tmp_path / "r/sub").symlink_to(tmp_path / "out")
    assert [found.path.name for found in find_rules(tmp_path / "r")] == ["a.lp", "c.lp"]
    assert len(load_rules(find_rules(tmp_path / "r")).files) == 1
    (tmp_path / "r/b.lp").symlink_to(tmp_path / "secret")
    refused(tmp_path / "r", r"b\.lp: this link leads out of the rule folder")


def test_pipes_and_devices_are_no_rule_files(tmp_path):
    os.mkfifo(tmp_path / "b.lp")
    with pytest.raises(RuleError, match="no such rule file"):
        find_rules(tmp_path / "b.lp")
    with pytest.raises(RuleError, match="this is not a plain file"):
        source.read_plain(tmp_path / "b.lp", "b.lp", 10)


def test_files_are_not_read_without_end_and_neither_are_many(tmp_path, monkeypatch):
    write(tmp_path / "many", {f"{number}.lp": "a.\n" for number in range(10)})
    monkeypatch.setattr(loader, "MOST_FILES", 5)
    refused(tmp_path / "many", "or 5 files of rules")
    monkeypatch.setattr(loader, "MOST_FILES", 1000)
    monkeypatch.setattr(loader, "MOST", 20)
    refused(tmp_path / "many", "more than 0 MB")
    monkeypatch.setattr(source, "LARGEST", 100)
    refused(write(tmp_path, {"a.lp": "a.\n" * 100}) / "a.lp", "the file has more than")


def test_a_path_that_is_no_utf_8_is_refused(tmp_path):
    write(tmp_path, {"r\udcff/a.lp": "a."})
    refused(tmp_path / "r\udcff", r"a\.lp: the path of this file is not UTF-8")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        *((path, "lies outside the rule folder") for path in ("/dev/zero", "/etc/passwd")),
        *((path, "lies outside the rule folder") for path in ("../../../etc/passwd", "../o.lp")),
        # The working directory has no say.
        *((name, 'there is no file "') for name in ("b.lp", "pipe", "a.lp/b.lp", "round.lp")),
        *((name, 'there is no file "') for name in ("a" * 5000, "a/" * 2000 + "a.lp")),
    ],
)
def test_includes_of_other_places_are_refused(tmp_path, monkeypatch, target, words):
    write(tmp_path, {"o.lp": "a.", "here/b.lp": "wrong.", "r/a.lp": f'#include "{target}".'})
    os.mkfifo(tmp_path / "r/pipe")
    monkeypatch.chdir(tmp_path / "here")
    refused(tmp_path / "r", rf"a\.lp:1:1: .*{words}")
    (tmp_path / "r/round.lp").symlink_to("round.lp")
    refused(tmp_path / "r/a.lp", rf"a\.lp:1:1: .*{words}")


def test_includes_have_an_end_and_take_no_time(tmp_path):
    write(tmp_path, {f"{number}.lp": f'#include "{number + 1}.lp".' for number in range(200)})
    refused(tmp_path / "0.lp", "files include one another 50 deep")
    write(tmp_path, {"a.lp": '#include "b.lp".\n' * 50_000, "b.lp": "b."})
    assert len(load_rules(find_rules(tmp_path / "a.lp")).files) == 2
    many = "".join(f'#include "{number * "./"}b.lp".\n' for number in range(1002))
    write(tmp_path, {"a.lp": many})
    refused(tmp_path / "a.lp", r"a\.lp:1001:1: the file includes more than 1000 others")


@pytest.mark.parametrize(
    "value",
    [
        *("-2147483648/-1", "2**31", "1+1", "1..9", "f(@g)", "2147483648", "X", "f(X)", "a;b"),
        *("f(1,)", "f(1", "\x1b[31m", '"a\\tb"', "not", "1 2", "", "f(" * 90 + "1" + ")" * 90),
    ],
)
def test_clingo_evaluates_no_value_of_a_constant(shipped, tmp_path, value):
    with pytest.raises(UsageError, match=r"^-c n: found "):
        constant_arguments({"n": value})
    with pytest.raises(UsageError, match="is not a name of a constant"):
        constant_arguments({f"{value}=": "1"})
    write(tmp_path, {"profiles/a.toml": PROFILE.replace('"news"', json.dumps(value))})
    with pytest.raises(RuleError, match=r"a\.toml: constants\.domain: found "):
        load_profile("a", tmp_path)


@pytest.mark.parametrize(
    "value", ["4", "-2147483648", "news", 'f( a , (1,"é (") )', "-a", "#inf", "()", "_b'(1)"]
)
def test_terms_are_values_of_constants(value):
    control = Control(constant_arguments({"n": value}), logger=lambda *text: pytest.fail(str(text)))
    control.add("base", [], f"#const n = 0. p(n). :- not p({value}).")
    control.ground()
    assert len(control.symbolic_atoms) == 1


@pytest.mark.parametrize("length", [1000, 10_000_000])
def test_sentences_of_rules_are_sentences(tmp_path, length):
    write(tmp_path, {"a.lp": f'%@rule long: "{"y" * length}"\na.'})

    def refuse():
        with pytest.raises(RuleError, match=r"a\.lp:1:1: this directive has \d+ cha") as caught:
            load_rules(find_rules(tmp_path / "a.lp"))
        assert len(str(caught.value)) < 300

    assert processor_seconds(refuse) < 2


def test_many_rules_on_a_line_take_no_time():
    text = source.SourceText("a.lp", "é. " * 200_000)

    def look_up():
        for number in range(20_000):
            assert text.character(1, 4 * number + 1) == 3 * number + 1
            assert text.span((1, 4 * number + 1), (1, 4 * number + 4)) == "é."

    assert processor_seconds(look_up) < 2


def test_excerpts_of_long_lines_are_short(load):
    with pytest.raises(RuleError) as caught:
        load("a :- " + "b, " * 5000 + "é, " + "b, " * 5000 + "b.")
    line, caret = str(caught.value.excerpt).splitlines()
    assert line[caret.index("^")] == "é"
    assert len(line) < 90
