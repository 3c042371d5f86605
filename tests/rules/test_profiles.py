"""Profiles: what they may say, their files and copies of them, and rules of a user over them."""

import os
import re
import shutil
from pathlib import Path

import pytest

from ists_asp.annotate.stanza import find
from ists_asp.engine.answer import provenance
from ists_asp.engine.preparation import sums
from ists_asp.errors import RuleError, UsageError
from ists_asp.resources import rules_dir
from ists_asp.rules import (
    Purpose,
    list_profiles,
    load_profile,
    load_program,
    read_overlay,
    read_profile_rules,
)
from ists_asp.rules.catalogue import copy_rules
from ists_asp.rules.programs import given_warnings, program_sources
from tests.sharing import cases, refused

from .conftest import PROFILE, write

SMALL = "lp_rules/profiles/small.toml"
NAMES_OF_SMALL = "asp/decide.lp labels/tags.lp labels/types.lp words.lp weights/small.lp"
WHOLE = "weight(any_pair,align,-3). weight(a,align,1)."
MINE = {
    **dict.fromkeys(("words.lp", "new.lp", "choose.lp", "tags.lp", "labels/tags.lp"), "mine."),
    **{"notes.txt": "", "words/extra.lp": "extra."},
    **dict.fromkeys(("copy/labels.lp", "copy/words.lp"), "w."),
    **{"copy/weights/small.lp": "x.", "copy/profiles/small.toml": PROFILE},
    # Weights.
    **dict.fromkeys(("old.lp", "all.lp", "folder/old.lp"), WHOLE),
    **{"folder/rule.lp": "r(1).", "few.lp": "correction(c,align,2)."},
    **{"more.lp": "correction(b,equi,1; c,align,2; a,align,7).", "two.lp": "correction(b,equi,1)."},
    **{"three.lp": "r(1).\nweight(a,align,4).", "odd.lp": "weight(any_pair,align,"},
}


def test_a_profile_as_written_and_its_files_in_order_each_once(shipped):
    profile = load_profile("small")
    assert list_profiles() == ("small", "wide")
    assert (profile.name, profile.file, profile.description) == ("small", SMALL, "Small")
    assert (profile.language, profile.answer.rules) == ("en", ("labels", "words.lp"))
    assert profile.constants == {"max_span": "2", "domain": "news"}
    text = 'description = "Few"\nlanguage = "en"\n[answer]\nrules = ["labels"]\n'
    write(shipped, {"lp_rules/profiles/few.toml": text})
    few = load_profile("few")
    assert (few.answer.weights, few.constants, few.attached_punctuation) == ((), {}, False)
    assert (few.rating, few.explanation) == (None, None)
    profile, rules = load_program("small")
    assert (profile.name, len(rules.files)) == ("small", 5)
    write(shipped, {SMALL: PROFILE.replace("labels", "labels/types")})
    assert [source.name for source in program_sources(load_profile("small"))] == [
        *("asp/decide.lp", "lp_rules/labels/types.lp", "lp_rules/words.lp"),
        "lp_rules/weights/small.lp",
    ]


def test_an_unknown_profile_lists_the_known_ones(shipped):
    for name in ("smal", "../profiles/small", "", "small.toml"):
        with pytest.raises(UsageError) as caught:
            load_profile(name)
        words = f'lp_rules/profiles: there is no profile "{name}"; expected small, wide'
        assert str(caught.value).startswith(words)
        assert ('Did you mean "small"?' in str(caught.value)) == (name in ("smal", "small.toml"))


@cases(
    Path(__file__).with_name("profiles.txt"),
    # What no person writes.
    ('["weights/small"]', str(["a"] * 201), "201 entries; expected 200 at most"),
    ("[answer]", f"extra = {'[' * 3000}\n[answer]", "brackets within brackets"),
    ("[answer]", f"{'a.' * 8000}a = 1\n[answer]", "a key of more than 4 parts"),
    ("[answer]", f"{'k' * 5000} = 1\n[answer]", f'unknown key "{"k" * 60}'),
    ('"news"', f'"{"f(" * 2000}1{")" * 2000}"', "a name in lower case"),
    ("[answer]", f"#{'#' * 70_000}\n[answer]", "more than 16 kB"),
    ("labels", "w" * 5000, "there is no "),
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
    refused(RuleError, "this link leads out of the rule folder", load_profile, "b", base)
    refused(RuleError, "this is not a plain file", load_profile, "c", base)
    with pytest.raises(RuleError, match=r'there is no "\.\./\.\./o\.lp"'):
        program_sources(load_profile("d", base), rules=base)
    refused(UsageError, "there is no profile", load_profile, "../a", base)


def test_reader_weights_take_the_place_of_weights(shipped, tmp_path):
    def weights(profile, *, reader):
        return program_sources(load_profile(profile), reader=reader)[-1].path.name

    assert weights("small", reader=True) == "small.lp"
    text = PROFILE + 'reader_weights = ["weights/reader-small"]\n'
    write(shipped, {"lp_rules/weights/reader-small.lp": "weight(b,2).\n", SMALL: text})
    assert weights("small", reader=False) == "small.lp"
    assert weights("small", reader=True) == "reader-small.lp"
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
    # Full folders and files are left alone.
    write(tmp_path / "full", {"mine.lp": "a."})
    refused(UsageError, "full: this folder is not empty", copy_rules, tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.lp"]
    refused(UsageError, r"mine\.lp: this is a file", copy_rules, tmp_path / "full" / "mine.lp")


@pytest.mark.parametrize("existed", [True, False])
def test_a_failed_copy_leaves_nothing_behind(shipped, tmp_path, monkeypatch, existed):
    target, copyfile = tmp_path / "copy", shutil.copyfile
    if existed:
        target.mkdir()

    def fail_on_words(source, copy):
        if source.name == "words.lp":
            raise OSError(28, "No space left on device")
        return copyfile(source, copy)

    monkeypatch.setattr(shutil, "copyfile", fail_on_words)
    refused(UsageError, "No space left on device", copy_rules, target)
    assert target.exists() == existed
    assert list(tmp_path.glob("copy*/*")) == []


@pytest.mark.parametrize(
    ("place", "field"), [("weights/reader-sts-en.lp", "weights"), ("sts/coverage.lp", "rules")]
)
def test_the_provenance_has_the_hashes_of_what_rates_pairs(tmp_path, place, field):
    shipped = rules_dir() / place
    edited = write(tmp_path, {place: shipped.read_text("utf-8") + "% edited\n"}) / place
    old, new = read_profile_rules("sts-en"), read_profile_rules("sts-en", [edited])
    before, after = (provenance(files.profile, files.all_files, find("en")) for files in (old, new))
    assert getattr(before, field) != getattr(after, field)
    assert sums(old.rating) != sums(new.rating)
    assert read_profile_rules("baseline").rating == ()


@pytest.mark.parametrize("purpose", [Purpose.ANSWER, Purpose.EXPLANATION, Purpose.RATING])
@pytest.mark.parametrize("profile", list_profiles())
def test_no_two_files_of_a_shipped_program_have_a_private_predicate_of_one_name(profile, purpose):
    # A command of plain clingo names the files, and would take the two for one.
    if purpose is not Purpose.RATING or load_profile(profile).rating:
        _, program = load_program(profile, purpose=purpose)
        assert [
            rule.name for rule in program.rules if re.search(r"(?<![\w'])_\w+'", rule.text)
        ] == []


def test_files_that_decide_and_rate_count_once():
    files = read_profile_rules("sts-en")
    both = {file.path for file in files.deciding} & {file.path for file in files.rating}
    once = tuple({file.path: file for file in files.all_files}.values())
    assert len(files.all_files) - len(once) == len(both) > 0
    whole, single = (
        provenance(files.profile, some, find("en")) for some in (files.all_files, once)
    )
    assert whole == single


@pytest.fixture
def mine(shipped, tmp_path, monkeypatch):
    """Files of a user, and a profile with weights and corrections of its own."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "mine", MINE)
    weights = '"weights/all", "weights/own", "weights/sure"'
    files = {
        "weights/all.lp": WHOLE + " weight(b,equi,2).",
        "weights/own.lp": "correction(a,align,2; b,equi,3).",
        "weights/sure.lp": "confidence(1).",
        "profiles/own.toml": PROFILE.replace('"weights/small"', weights),
    }
    write(shipped / "lp_rules", files)
    return tmp_path / "mine"


# Profiles, files over them, and the files that are loaded: a file takes the place of the one of
# its name, which its folder's name may tell apart; a rule folder that of all; others are added.
@cases(f"""
profile | given | names*
small | words.lp | {NAMES_OF_SMALL.replace("words.lp", "mine/words.lp")}
small | new.lp choose.lp | {NAMES_OF_SMALL} mine/new.lp mine/choose.lp
small | words | {NAMES_OF_SMALL} mine/words/extra.lp
wide | labels/tags.lp | asp/decide.lp mine/labels/tags.lp labels/types.lp chunking/tags.lp words.lp
    weights/small.lp
small | new.lp copy | asp/decide.lp mine/copy/labels.lp mine/copy/words.lp
    mine/copy/weights/small.lp mine/new.lp
""")
def test_files_take_the_place_of_those_of_their_name(mine, profile, given, names):
    overlay = read_overlay([mine / name for name in given.split()])
    sources = program_sources(load_profile(profile, overlay.base), rules=overlay.base)
    sources = overlay.over(sources, Purpose.ANSWER)
    found = [source.name.removeprefix("lp_rules/") for source in sources]
    assert [name.replace(f"{mine}/", "mine/") for name in found] == " ".join(names).split()


def test_files_that_cannot_take_a_place_are_refused(mine, shipped):
    overlay = read_overlay([mine / "tags.lp"])
    with pytest.raises(UsageError, match=r"expected .*labels/tags\.lp or .*chunking/tags\.lp"):
        overlay.over(program_sources(load_profile("wide")), Purpose.ANSWER)
    with pytest.raises(UsageError, match="two rule folders"):
        read_overlay([shipped / "lp_rules", shipped / "lp_rules"])
    with pytest.raises(UsageError, match=r"--rules .*mine/notes\.txt: this is not a rule file"):
        read_overlay([mine / "notes.txt"])
    with pytest.raises(RuleError, match=r"mine/none\.lp: there is no such rule file"):
        read_overlay([mine / "none.lp"])


@cases("""
given   | used             | replaced=
old.lp  | old sure         | "all.lp and lp_rules/weights/own.lp, as it weighs what they do"
all.lp  | all sure         | "all.lp and lp_rules/weights/own.lp, as it weighs what they do"
folder  | old sure rule    | "all.lp and lp_rules/weights/own.lp, as it weighs"
more.lp | all more sure    | "own.lp, as it weighs what they do"
few.lp  | all own sure few | None
""")
def test_weights_take_the_place_of_those_that_they_are_meant_for(mine, given, used, replaced):
    profile, rules = load_program("own", [mine / given])
    assert [file.path.stem for file in rules.files][-len(used.split()) :] == used.split()
    warnings = [str(warning) for warning in given_warnings(rules, profile, [mine / given])]
    assert len(warnings) == (replaced is not None)
    words = f"this file takes the place of lp_rules/weights/{replaced}"
    assert all(words in warning for warning in warnings)


@cases(r"""
given    | message
three.lp | three\.lp:2:1: weight\(a,align,…\) is also given at .*/all\.lp:1\. Write cor
odd.lp   | odd\.lp:1:\d+: the file ends in the middle of a rule
""")
def test_weights_that_are_few_are_no_others(mine, given, message):
    refused(RuleError, message, load_program, "own", [mine / given])
    _, rules = load_program("own", [mine / "two.lp"])
    corrections = [rule.text for rule in rules.rules if rule.text.startswith("correction")]
    assert corrections == ["correction(a,align,2).", "correction(b,equi,1)."]
