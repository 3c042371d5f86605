from pathlib import Path

import pytest

from ists_asp import resources
from ists_asp.errors import ResourceError


@pytest.mark.parametrize(
    ("find", "name"),
    [(resources.asp_dir, "asp"), (resources.rules_dir, "lp_rules"), (resources.data_dir, "data")],
)
def test_the_checkouts_folder_or_an_installed_one_is_found(find, name, tmp_path, monkeypatch):
    assert find() == Path(__file__).parents[1] / name
    package = tmp_path / "site-packages" / "ists_asp"
    (package / "share" / name).mkdir(parents=True)
    (tmp_path / name).mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert find() == package / "share" / name
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "a" / "b" / "ists_asp")
    with pytest.raises(ResourceError) as caught:
        find()
    message = str(caught.value)
    assert "\n" not in message
    assert f"folder {name}/ of ists-asp is missing" in message
    assert "Reinstall" in message
