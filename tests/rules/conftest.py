import pytest

from ists_asp.rules import catalogue, find_rules, load_rules, profiles, programs

PROFILE = """\
description = "Small"
language = "en"
constants = { max_span = 2, domain = "news" }
[answer]
rules = ["labels", "words.lp"]
weights = ["weights/small"]
"""
FILES = {
    "asp/decide.lp": "{ a }.\n",
    "lp_rules/labels/tags.lp": "label_tags.\n",
    "lp_rules/labels/types.lp": "types.\n",
    "lp_rules/chunking/tags.lp": "chunk_tags.\n",
    "lp_rules/words.lp": "words.\n",
    "lp_rules/weights/small.lp": "weight(a,1).\n",
    "lp_rules/profiles/small.toml": PROFILE,
    "lp_rules/profiles/wide.toml": PROFILE.replace('"labels"', '"labels", "chunking"'),
}


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A small asp/ and lp_rules/ that stand for the shipped ones."""
    root = write(tmp_path / "shipped", FILES)
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
