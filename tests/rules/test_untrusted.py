"""Rule files of strangers: they read nothing else, run nothing, and end somewhere."""

import json
import os
import time

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import find_rules, load_profile, load_rules, loader, source
from ists_asp.rules.loader import rule_files

from .conftest import PROFILE, write


def refused(path, words, **options):
    for read in (load_rules, rule_files):
        with pytest.raises(RuleError, match=words):
            read(find_rules(path), **options)


def test_links_stay_in_their_folder(tmp_path):
    write(tmp_path, {"secret": "password.", "out/b.lp": "b.", "r/a.lp": "a."})
    (tmp_path / "r/c.lp").symlink_to("a.lp")
    (tmp_path / "r/sub").symlink_to(tmp_path / "out")
    assert [found.path.name for found in find_rules(tmp_path / "r")] == ["a.lp", "c.lp"]
    assert len(load_rules(find_rules(tmp_path / "r")).files) == 1
    (tmp_path / "r/b.lp").symlink_to(tmp_path / "secret")
    refused(tmp_path / "r", r"b\.lp: this link leads out of the rule folder")


def test_the_working_directory_has_no_say(tmp_path, monkeypatch):
    write(tmp_path, {"r/a.lp": '#include "b.lp".', "here/b.lp": "wrong."})
    monkeypatch.chdir(tmp_path / "here")
    refused(tmp_path / "r", 'there is no file "b.lp"')


def test_files_are_not_read_without_end_and_neither_are_many(tmp_path, monkeypatch):
    write(tmp_path / "many", {f"{number}.lp": "a.\n" for number in range(10)})
    monkeypatch.setattr(loader, "MOST_FILES", 5)
    refused(tmp_path / "many", "or 5 files of rules")
    monkeypatch.setattr(loader, "MOST_FILES", 1000)
    monkeypatch.setattr(loader, "MOST", 20)
    refused(tmp_path / "many", "more than 0 MB")
    monkeypatch.setattr(source, "LARGEST", 100)
    write(tmp_path, {"a.lp": "a.\n" * 100})
    refused(tmp_path / "a.lp", "the file has more than")


def test_includes_have_an_end_and_take_no_time(tmp_path):
    write(tmp_path, {f"{number}.lp": f'#include "{number + 1}.lp".' for number in range(200)})
    refused(tmp_path / "0.lp", "files include one another 50 deep")
    write(tmp_path, {"a.lp": '#include "b.lp".\n' * 50_000, "b.lp": "b."})
    assert len(load_rules(find_rules(tmp_path / "a.lp")).files) == 2
    many = "".join(f'#include "{number * "./"}b.lp".\n' for number in range(1002))
    write(tmp_path, {"a.lp": many})
    refused(tmp_path / "a.lp", r"a\.lp:1001:1: the file includes more than 1000 others")


def test_a_path_that_is_no_utf_8_is_refused(tmp_path):
    write(tmp_path, {"r\udcff/a.lp": "a."})
    refused(tmp_path / "r\udcff", r"a\.lp: the path of this file is not UTF-8")


def test_pipes_and_devices_are_no_rule_files(tmp_path):
    write(tmp_path, {"r/a.lp": '#include "pipe".'})
    os.mkfifo(tmp_path / "r/pipe")
    refused(tmp_path / "r", 'there is no file "pipe"')
    os.mkfifo(tmp_path / "r/b.lp")
    with pytest.raises(RuleError, match="no such rule file"):
        find_rules(tmp_path / "r/b.lp")
    with pytest.raises(RuleError, match="this is not a plain file"):
        source.read_plain(tmp_path / "r/b.lp", "b.lp", 10)


@pytest.mark.parametrize(
    "target", ["/dev/zero", "/etc/passwd", "../../../../etc/passwd", "../o.lp"]
)
def test_includes_of_other_places_are_refused(tmp_path, target):
    write(tmp_path, {"o.lp": "a.", "r/a.lp": f'#include "{target}".'})
    refused(tmp_path / "r", "lies outside the rule folder")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PROFILE.replace("words.lp", "../../o.lp"), 'there is no "../../o.lp"'),
        (PROFILE + f"extra = {'[' * 3000}", r"small\.toml:7: .* brackets within brackets"),
        (PROFILE + f"{'a.' * 8000}a = 1", r"small\.toml:7: .* a key of more than 4 parts"),
        (PROFILE.replace('"news"', f'"{"f(" * 2000}1{")" * 2000}"'), "a name in lower case"),
        (PROFILE + "#" * 70_000, "more than 16 kB"),
        (
            PROFILE + "[rating]\nrules = [" + "'a', " * 1000 + "]",
            "rating.rules: 1000 entries; expected 200 at most",
        ),
        (PROFILE.replace("words.lp", "w" * 5000), "there is no "),
        (PROFILE + f"{'k' * 5000} = 1", 'unknown key "k+…"'),
    ],
)
def test_profiles_lead_nowhere_else(shipped, tmp_path, text, words):
    write(tmp_path, {"o.lp": "a."})
    base = write(tmp_path / "mine", {"words.lp": "w.", "labels.lp": "l.", "weights/small.lp": "x."})
    write(base, {"profiles/small.toml": text})
    from ists_asp.rules.programs import program_sources

    with pytest.raises(RuleError, match=words):
        program_sources(load_profile("small", base), rules=base)


def test_a_profile_is_no_link_and_no_pipe(shipped, tmp_path):
    base = write(tmp_path / "mine", {"profiles/a.toml": PROFILE})
    write(tmp_path, {"out.toml": PROFILE})
    (base / "profiles/b.toml").symlink_to(tmp_path / "out.toml")
    os.mkfifo(base / "profiles/c.toml")
    assert load_profile("a", base).name == "a"
    with pytest.raises(RuleError, match="this link leads out of the rule folder"):
        load_profile("b", base)
    with pytest.raises(RuleError, match="this is not a plain file"):
        load_profile("c", base)
    with pytest.raises(UsageError, match="there is no profile"):
        load_profile("../a", base)


@pytest.mark.parametrize(
    "value",
    [
        *("-2147483648/-1", "2**31", "1+1", "1..9", "f(@g)", "2147483648", "X", "f(X)", "a;b"),
        *("f(1,)", "f(1", "\x1b[31m", '"a\\tb"', "not"),
        "f(" * 90 + "1" + ")" * 90,
        "1 2",
        "",
    ],
)
def test_clingo_evaluates_no_value_of_a_constant(shipped, tmp_path, value):
    from ists_asp.solver.search import constant_arguments

    with pytest.raises(UsageError, match=r"^-c n: found "):
        constant_arguments({"n": value})
    with pytest.raises(UsageError, match="is not a name of a constant"):
        constant_arguments({f"{value}=": "1"})
    base = write(
        tmp_path / "mine", {"profiles/a.toml": PROFILE.replace('"news"', json.dumps(value))}
    )
    with pytest.raises(RuleError, match=r"a\.toml: constants\.domain: found "):
        load_profile("a", base)


@pytest.mark.parametrize(
    "value", ["4", "-2147483648", "news", 'f( a , (1,"é (") )', "-a", "#inf", "()", "_b'(1)"]
)
def test_terms_are_values_of_constants(value):
    from clingo import Control

    from ists_asp.solver.search import constant_arguments

    control = Control(
        constant_arguments({"n": value}), logger=lambda _code, text: pytest.fail(text)
    )
    control.add("base", [], f"#const n = 0. p(n). :- not p({value}).")
    control.ground()
    assert len(control.symbolic_atoms) == 1


@pytest.mark.parametrize("target", ["a" * 5000, "a/" * 2000 + "a.lp", "a.lp/b.lp", "round.lp"])
def test_includes_that_no_file_can_have(tmp_path, target):
    write(tmp_path, {"r/a.lp": f'#include "{target}".'})
    (tmp_path / "r/round.lp").symlink_to("round.lp")
    with pytest.raises(RuleError, match=r'a\.lp:1:1: there is no file "') as caught:
        load_rules(find_rules(tmp_path / "r/a.lp"))
    assert max(map(len, str(caught.value).splitlines())) < 250


@pytest.mark.parametrize("length", [1000, 10_000_000])
def test_sentences_of_rules_are_sentences(tmp_path, length):
    write(tmp_path, {"a.lp": f'%@rule long: "{"y" * length}"\na.'})
    began = time.process_time()
    with pytest.raises(RuleError, match=r"a\.lp:1:1: this directive has \d+ characters") as caught:
        load_rules(find_rules(tmp_path / "a.lp"))
    assert time.process_time() - began < 2
    assert len(str(caught.value)) < 300


def test_many_rules_on_a_line_take_no_time():
    text = source.SourceText("a.lp", "é. " * 200_000)
    began = time.process_time()
    for number in range(20_000):
        assert text.character(1, 4 * number + 1) == 3 * number + 1
        assert text.span((1, 4 * number + 1), (1, 4 * number + 4)) == "é."
    assert time.process_time() - began < 2


def test_excerpts_of_long_lines_are_short(tmp_path):
    write(tmp_path, {"a.lp": "a :- " + "b, " * 5000 + "é, " + "b, " * 5000 + "b."})
    with pytest.raises(RuleError) as caught:
        load_rules(find_rules(tmp_path / "a.lp"))
    line, caret = str(caught.value.excerpt).splitlines()
    assert line[caret.index("^")] == "é"
    assert len(line) < 90
