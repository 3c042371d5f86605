import shutil

import pytest

from ists_asp.errors import UsageError
from ists_asp.rules import load_program
from ists_asp.rules.catalogue import copy_rules


def test_a_copy_is_a_rule_folder(shipped, tmp_path):
    target = tmp_path / "new" / "rules"
    files = copy_rules(target)
    assert files == sorted(path for path in target.rglob("*") if path.is_file())
    assert target / "labels" / "tags.lp" in files
    _, rules = load_program("small", [target])
    assert rules.files[1].name == f"{target}/labels/tags.lp"


def test_an_empty_folder_will_do_and_can_be_edited(shipped, tmp_path, monkeypatch):
    (shipped / "lp_rules" / "words.lp").chmod(0o444)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    copy_rules(tmp_path / "empty")
    assert (tmp_path / "empty" / "profiles" / "small.toml").is_file()
    assert (tmp_path / "empty" / "words.lp").stat().st_mode & 0o200


def test_full_folders_and_files_are_left_alone(shipped, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.lp").write_text("a.")
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
