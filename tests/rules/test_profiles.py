"""Profiles: what they may say, the files that they name, and copies of them all."""

import os
import shutil

import pytest

from ists_asp.annotate.stanza import find
from ists_asp.engine.answer import provenance
from ists_asp.engine.preparation import sums
from ists_asp.errors import RuleError, UsageError
from ists_asp.resources import rules_dir
from ists_asp.rules import list_profiles, load_profile, load_program, read_profile_rules
from ists_asp.rules.catalogue import copy_rules
from ists_asp.rules.programs import program_sources

from .conftest import PROFILE, write

SMALL = "lp_rules/profiles/small.toml"


def test_a_profile_as_written(shipped):
    profile = load_profile("small")
    assert list_profiles() == ("small", "wide")
    assert (profile.name, profile.file) == ("small", SMALL)
    assert (profile.description, profile.language) == ("Small", "en")
    assert profile.answer.rules == ("labels", "words.lp")
    assert profile.constants == {"max_span": "2", "domain": "news"}
    text = 'description = "Few"\nlanguage = "en"\n[answer]\nrules = ["labels"]\n'
    write(shipped, {"lp_rules/profiles/few.toml": text})
    few = load_profile("few")
    assert (few.answer.weights, few.constants, few.attached_punctuation) == ((), {}, False)
    assert (few.rating, few.explanation) == (None, None)


def test_its_files_in_order_each_once(shipped):
    profile, rules = load_program("small")
    assert (profile.name, len(rules.files)) == ("small", 5)
    write(shipped, {SMALL: PROFILE.replace("labels", "labels/types")})
    assert [source.name for source in program_sources(load_profile("small"))] == [
        *("asp/decide.lp", "lp_rules/labels/types.lp", "lp_rules/words.lp"),
        "lp_rules/weights/small.lp",
    ]


@pytest.mark.parametrize("name", ["smal", "../profiles/small", "", "small.toml"])
def test_an_unknown_profile_lists_the_known_ones(shipped, name):
    with pytest.raises(UsageError) as caught:
        load_profile(name)
    words = f'lp_rules/profiles: there is no profile "{name}"; expected small, wide'
    assert str(caught.value).startswith(words)
    assert ('Did you mean "small"?' in str(caught.value)) == (name in ("smal", "small.toml"))


LANGUAGE = 'language = "en"'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"Small"', "Small", "small.toml:1: the profile cannot be read: no TOML"),
        ('"Small"', "3", "small.toml: description: found 3; expected a text"),
        (f"{LANGUAGE}\n", "", 'small.toml: the key "language" is missing'),
        ("rules =", "rule =", 'unknown key "rule"; expected'),
        ("rules =", "rule =", 'Did you mean "rules"?'),
        ('["weights/small"]', '"small"', "answer.weights: found 'small'; expected a list"),
        ('["weights/small"]', "[3]", "answer.weights: found [3]; expected a list of file names"),
        ('["weights/small"]', '[""]', "answer.weights: found ['']; expected a list of file names"),
        ('["weights/small"]', str(["a"] * 201), "201 entries; expected 200 at most"),
        ('["labels", "words.lp"]', "[]", "answer.rules: the list is empty"),
        ('rules = ["labels", "words.lp"]\n', "", 'answer: the key "rules" is missing'),
        ("[answer]", "[answers]", 'unknown key "answers"; expected'),
        ("[answer]", "[rating]", 'small.toml: the key "answer" is missing'),
        (LANGUAGE, f"{LANGUAGE}\nrating = 3", "rating: found 3; expected a table"),
        (LANGUAGE, f'{LANGUAGE}\nscheme = "2014"', "scheme: found '2014'; expected"),
        (LANGUAGE, f'{LANGUAGE}\nname = "x"', 'unknown key "name"'),
        (LANGUAGE, 'language = "fr"', 'language: found \'fr\'; expected "en" or "es"'),
        (LANGUAGE, f"{LANGUAGE}\nattached_punctuation = 1", "attached_punctuation: found 1"),
        ("max_span = 2", "max_span = 0.5", "constants.max_span: found 0.5"),
        ("max_span = 2", "max_span = 3000000000", "expected an integer of 32 bits"),
        ("max_span = 2", "max_span = true", "found True"),
        ("max_span = 2", 'max_span = "a b"', "found 'a b'"),
        ("max_span = 2", "Max = 2", '"Max" is not a name of a constant'),
        ('{ max_span = 2, domain = "news" }', "2", "constants: found 2"),
        # What no person writes.
        ("[answer]", f"extra = {'[' * 3000}\n[answer]", "brackets within brackets"),
        ("[answer]", f"{'a.' * 8000}a = 1\n[answer]", "a key of more than 4 parts"),
        ("[answer]", f"{'k' * 5000} = 1\n[answer]", f'unknown key "{"k" * 60}'),
        ('"news"', f'"{"f(" * 2000}1{")" * 2000}"', "a name in lower case"),
        ("[answer]", f"#{'#' * 70_000}\n[answer]", "more than 16 kB"),
        # Files that it cannot have.
        ("labels", "nowhere", 'small.toml: answer.rules: there is no "nowhere" in lp_rules'),
        ("labels", "../asp/choose", 'there is no "../asp/choose" in lp_rules'),
        ("labels", "w" * 5000, "there is no "),
        ("labels", "double", '"double" is both a folder and a file'),
        ("labels", "profiles", "lp_rules/profiles: the folder has no rule files"),
    ],
)
def test_faulty_profiles_name_file_and_key(shipped, old, new, words):
    assert old in PROFILE
    write(shipped, {f"lp_rules/{name}": "d." for name in ("double.lp", "double/d.lp")})
    write(shipped, {SMALL: PROFILE.replace(old, new)})
    with pytest.raises(RuleError) as caught:
        program_sources(load_profile("small"))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_profile_is_no_link_and_no_pipe_and_leads_nowhere_else(shipped, tmp_path):
    base = write(tmp_path / "mine", {"profiles/a.toml": PROFILE, "labels.lp": "l."})
    write(base, {"profiles/d.toml": PROFILE.replace("words.lp", "../../o.lp")})
    write(tmp_path, {"out.toml": PROFILE, "o.lp": "a."})
    (base / "profiles/b.toml").symlink_to(tmp_path / "out.toml")
    os.mkfifo(base / "profiles/c.toml")
    assert load_profile("a", base).name == "a"
    with pytest.raises(RuleError, match="this link leads out of the rule folder"):
        load_profile("b", base)
    with pytest.raises(RuleError, match="this is not a plain file"):
        load_profile("c", base)
    with pytest.raises(RuleError, match=r'there is no "\.\./\.\./o\.lp"'):
        program_sources(load_profile("d", base), rules=base)
    with pytest.raises(UsageError, match="there is no profile"):
        load_profile("../a", base)


def weights(profile, *, reader):
    sources = program_sources(load_profile(profile), reader=reader)
    return [source.path.name for source in sources if source.path.parent.name == "weights"]


def test_reader_weights_take_the_place_of_weights(shipped, tmp_path):
    assert weights("small", reader=True) == ["small.lp"]
    text = PROFILE + 'reader_weights = ["weights/reader-small"]\n'
    write(shipped, {"lp_rules/weights/reader-small.lp": "weight(b,2).\n", SMALL: text})
    assert weights("small", reader=False) == ["small.lp"]
    assert weights("small", reader=True) == ["reader-small.lp"]
    mine = tmp_path / "mine"
    copy_rules(mine)
    other = write(tmp_path / "other", {"reader-small.lp": "weight(b,3).\n"}) / "reader-small.lp"
    for rules, name in (
        ([], "lp_rules/weights/reader-small.lp"),
        ([mine], f"{mine}/weights/reader-small.lp"),
        ([mine, other], str(other)),
    ):
        _, loaded = load_program("small", rules, reader="shipped")
        assert loaded.files[-1].name == name


def test_a_copy_is_a_rule_folder_that_can_be_edited(shipped, tmp_path, monkeypatch):
    (shipped / "lp_rules" / "words.lp").chmod(0o444)
    # An empty folder will do as well.
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for target in (tmp_path / "new" / "rules", tmp_path / "empty"):
        files = copy_rules(target)
        assert files == sorted(path for path in target.rglob("*") if path.is_file())
        assert {target / "labels" / "tags.lp", target / "profiles" / "small.toml"} < set(files)
        assert (target / "words.lp").stat().st_mode & 0o200
        _, rules = load_program("small", [target])
        assert rules.files[1].path == target / "labels" / "tags.lp"


def test_full_folders_and_files_are_left_alone(shipped, tmp_path):
    write(tmp_path / "full", {"mine.lp": "a."})
    with pytest.raises(UsageError, match="full: this folder is not empty"):
        copy_rules(tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.lp"]
    with pytest.raises(UsageError, match=r"mine\.lp: this is a file"):
        copy_rules(tmp_path / "full" / "mine.lp")


@pytest.mark.parametrize("existed", [True, False])
def test_a_failed_copy_leaves_nothing_behind(shipped, tmp_path, monkeypatch, existed):
    target = tmp_path / "copy"
    if existed:
        target.mkdir()
    copyfile = shutil.copyfile

    def fail_on_words(source, copy):
        if source.name == "words.lp":
            raise OSError(28, "No space left on device")
        return copyfile(source, copy)

    monkeypatch.setattr(shutil, "copyfile", fail_on_words)
    with pytest.raises(UsageError, match="No space left on device"):
        copy_rules(target)
    assert target.exists() == existed
    assert list(tmp_path.glob("copy*/*")) == []


@pytest.mark.parametrize(
    ("place", "field"), [("weights/reader-sts-en.lp", "weights"), ("sts/coverage.lp", "rules")]
)
def test_the_provenance_has_the_hashes_of_what_rates_pairs(tmp_path, place, field):
    shipped = rules_dir() / place
    edited = write(tmp_path, {place: shipped.read_text("utf-8") + "% edited\n"}) / place
    old, new = read_profile_rules("sts-en"), read_profile_rules("sts-en", [edited])
    before, after = (provenance(files.profile, files.every, find("en")) for files in (old, new))
    assert getattr(before, field) != getattr(after, field)
    assert sums(old.rating) != sums(new.rating)
    assert read_profile_rules("baseline").rating == ()


def test_files_that_decide_and_rate_count_once():
    files = read_profile_rules("sts-en")
    both = {file.path for file in files.deciding} & {file.path for file in files.rating}
    assert both
    once = tuple({file.path: file for file in files.every}.values())
    assert len(once) == len(files.every) - len(both)
    models = find("en")
    assert provenance(files.profile, files.every, models) == (
        provenance(files.profile, once, models)
    )
