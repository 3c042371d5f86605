from pathlib import Path

import pytest

from ists_asp import resources
from ists_asp.errors import ResourceError

FINDERS = [
    (resources.asp_dir, "asp"),
    (resources.rules_dir, "lp_rules"),
    (resources.data_dir, "data"),
]


@pytest.mark.parametrize(("find", "name"), FINDERS)
def test_the_checkouts_folders_are_found(find, name):
    assert find() == Path(__file__).parents[1] / name


@pytest.mark.parametrize(("find", "name"), FINDERS)
def test_an_installed_share_folder_wins(find, name, tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "ists_asp"
    (package / "share" / name).mkdir(parents=True)
    (tmp_path / name).mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert find() == package / "share" / name


@pytest.mark.parametrize(("find", "name"), FINDERS)
def test_a_missing_folder_is_one_clear_line(find, name, tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "a" / "b" / "ists_asp")
    with pytest.raises(ResourceError) as caught:
        find()
    message = str(caught.value)
    assert "\n" not in message
    assert f"folder {name}/ of ists-asp is missing" in message
    assert "Reinstall" in message
