import shutil
from pathlib import Path

import pytest

from ists_asp.rules import catalogue, find_rules, load_rules, profiles, programs

SHIPPED = Path(__file__).with_name("shipped")
PROFILE = (SHIPPED / "lp_rules" / "profiles" / "small.toml").read_text("utf-8")


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A small asp/ and lp_rules/ that stand for the shipped ones."""
    root = Path(shutil.copytree(SHIPPED, tmp_path / "shipped"))
    monkeypatch.setattr(programs, "asp_dir", lambda: root / "asp")
    for module in (catalogue, programs, profiles):
        monkeypatch.setattr(module, "rules_dir", lambda: root / "lp_rules")
    return root


@pytest.fixture
def load(tmp_path):
    def load_text(text):
        path = tmp_path / "x.lp"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_rules(find_rules(path, "x.lp"))

    return load_text
