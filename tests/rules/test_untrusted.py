"""Rule files of strangers: they read nothing else, run nothing, and end somewhere."""

import os

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.rules import find_rules, load_profile, load_rules, reading, rule_files, source

from .conftest import PROFILE, write


def refused(path, words, **options):
    for read in (load_rules, rule_files):
        with pytest.raises(RuleError, match=words):
            read(find_rules(path), **options)


def test_a_link_in_a_folder_may_not_leave_it(tmp_path):
    write(tmp_path, {"secret": "password.", "r/a.lp": "a."})
    (tmp_path / "r/b.lp").symlink_to(tmp_path / "secret")
    refused(tmp_path / "r", r"b\.lp: this link leads out of the rule folder")


def test_a_link_that_stays_inside_is_followed(tmp_path):
    write(tmp_path, {"r/a.lp": "a."})
    (tmp_path / "r/b.lp").symlink_to("a.lp")
    assert len(load_rules(find_rules(tmp_path / "r")).files) == 1


def test_a_folder_that_is_a_link_is_not_entered(tmp_path):
    write(tmp_path, {"out/b.lp": "b.", "r/a.lp": "a."})
    (tmp_path / "r/sub").symlink_to(tmp_path / "out")
    assert [found.path.name for found in find_rules(tmp_path / "r")] == ["a.lp"]


def test_pipes_and_devices_are_no_rule_files(tmp_path):
    write(tmp_path, {"r/a.lp": '#include "pipe".'})
    os.mkfifo(tmp_path / "r/pipe")
    refused(tmp_path / "r", 'there is no file "pipe"')
    os.mkfifo(tmp_path / "r/b.lp")
    with pytest.raises(RuleError, match="no such rule file"):
        find_rules(tmp_path / "r/b.lp")
    with pytest.raises(RuleError, match="this is no plain file"):
        source.read_plain(tmp_path / "r/b.lp", "b.lp", 10)


@pytest.mark.parametrize(
    "target", ["/dev/zero", "/etc/passwd", "../../../../etc/passwd", "../o.lp"]
)
def test_includes_of_other_places_are_refused(tmp_path, target):
    write(tmp_path, {"o.lp": "a.", "r/a.lp": f'#include "{target}".'})
    refused(tmp_path / "r", "lies outside the rule folder")


def test_the_working_directory_has_no_say(tmp_path, monkeypatch):
    write(tmp_path, {"r/a.lp": '#include "b.lp".', "here/b.lp": "wrong."})
    monkeypatch.chdir(tmp_path / "here")
    refused(tmp_path / "r", 'there is no file "b.lp"')


def test_files_are_not_read_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "LARGEST", 100)
    write(tmp_path, {"a.lp": "a.\n" * 100})
    refused(tmp_path / "a.lp", "the file has more than")


def test_neither_are_many(tmp_path, monkeypatch):
    write(tmp_path, {f"{number}.lp": "a.\n" for number in range(10)})
    monkeypatch.setattr(reading, "MOST_FILES", 5)
    refused(tmp_path, "or 5 files of rules")
    monkeypatch.setattr(reading, "MOST_FILES", 1000)
    monkeypatch.setattr(reading, "MOST", 20)
    refused(tmp_path, "more than 0 MB")


def test_a_chain_of_includes_has_an_end(tmp_path):
    write(tmp_path, {f"{number}.lp": f'#include "{number + 1}.lp".' for number in range(200)})
    refused(tmp_path / "0.lp", "files include one another 50 deep")


def test_many_includes_take_no_time(tmp_path):
    write(tmp_path, {"a.lp": '#include "b.lp".\n' * 50_000, "b.lp": "b."})
    assert len(load_rules(find_rules(tmp_path / "a.lp")).files) == 2


def test_scripts_run_only_where_they_are_allowed(tmp_path):
    write(tmp_path, {"a.lp": "#script (python)\ndef f(x): return x\n#end.\np(@f(1)). %é"})
    refused(tmp_path / "a.lp", "#script is refused.* --allow-scripts")
    rules = load_rules(find_rules(tmp_path / "a.lp"), scripts=True)
    assert [str(statement) for statement in rules.statements][-1] == "p(@f(1))."


def test_a_script_without_an_end(tmp_path):
    write(tmp_path, {"a.lp": "#script (python) x"})
    refused(tmp_path / "a.lp", "this script has no end", scripts=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PROFILE.replace("words.lp", "../../o.lp"), 'there is no "../../o.lp"'),
        (PROFILE + f"extra = {'[' * 3000}", "nested too deeply|no TOML"),
        (PROFILE.replace('"news"', f'"{"f(" * 5000}1{")" * 5000}"'), "an ASP term as text"),
        (PROFILE + "#" * 70_000, "more than 64 kB"),
    ],
)
def test_profiles_lead_nowhere_else(shipped, tmp_path, text, words):
    write(tmp_path, {"o.lp": "a."})
    base = write(tmp_path / "mine", {"words.lp": "w.", "labels.lp": "l.", "weights/small.lp": "x."})
    write(base, {"profiles/small.toml": text})
    from ists_asp.rules import profile_sources

    with pytest.raises(RuleError, match=words):
        profile_sources(load_profile("small", base), base)


def test_a_profile_is_no_link_and_no_pipe(shipped, tmp_path):
    base = write(tmp_path / "mine", {"profiles/a.toml": PROFILE})
    write(tmp_path, {"out.toml": PROFILE})
    (base / "profiles/b.toml").symlink_to(tmp_path / "out.toml")
    os.mkfifo(base / "profiles/c.toml")
    assert load_profile("a", base).name == "a"
    with pytest.raises(RuleError, match="this link leads out of the rule folder"):
        load_profile("b", base)
    with pytest.raises(RuleError, match="this is no plain file"):
        load_profile("c", base)
    with pytest.raises(UsageError, match="there is no profile"):
        load_profile("../a", base)
