"""Whatever is pinned may be used by anybody: its licence is on a list, or why it may be is."""

import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest

_HOME = Path(__file__).parents[1]

ALLOWED = re.compile(
    r"(0BSD|Apache([- ](Software )?License)?([- ]2\.0)?( License 2\.0)?"
    r"|BSD([- ][23]-Clause)?( License)?"
    r"|[23]-Clause BSD License|BSL-1\.0|CC0-1\.0|CNRI-Python|ISC|MIT(-0)?( License)?|MPL-2\.0"
    r"|Mozilla Public License 2\.0 \(MPL 2\.0\)|PSF-2\.0|Python Software Foundation License"
    r"|Public Domain|Unlicense|Zlib|Apache-2\.0 WITH LLVM-exception)"
)

EXCEPTIONS = {
    "docutils": "public domain and BSD; one file for editors is GPL, and is not imported",
    "udapi": "comes with Stanza, whose evaluation uses it; nothing of ours imports it",
    "udtools": "comes with Stanza, whose evaluation uses it; nothing of ours imports it",
}


def _name(text):
    return re.sub(r"[-_.]+", "-", text).lower()


PINNED = sorted(
    _name(line.partition("==")[0])
    for line in (_HOME / "constraints.txt").read_text("utf-8").splitlines()
    if "==" in line
)
INSTALLED = {_name(one.metadata["Name"]): one for one in distributions()}


def licences(metadata):
    """The licences of a distribution, as its metadata tell them; all have to be kept."""
    told = metadata.get("License-Expression")
    if not told:
        classified = [
            line.rpartition(" :: ")[2]
            for line in metadata.get_all("Classifier", [])
            if line.startswith("License :: ") and not line.endswith("OSI Approved")
        ]
        told = " AND ".join(classified) or (metadata.get("License") or "").split("\n")[0]
    # Of several to choose from one will do.
    return [part.split(" OR ") for part in re.sub(r"[()](?!MPL|$)", "", told).split(" AND ")]


@pytest.mark.parametrize("name", [name for name in PINNED if name in INSTALLED])
def test_a_licence_is_allowed(name):
    if name in EXCEPTIONS:
        assert not _imported(name), f"{name}: {EXCEPTIONS[name]}"
        return
    for choice in licences(INSTALLED[name].metadata):
        assert any(ALLOWED.fullmatch(one.strip()) for one in choice), f"{name}: {choice}"


def test_what_is_installed_for_tests_is_looked_at():
    # .ci/run looks again once the tools of style and documentation are installed as well.
    assert len([name for name in PINNED if name in INSTALLED]) > 0.6 * len(PINNED)
    assert EXCEPTIONS.keys() <= set(PINNED)


def test_the_page_says_what_each_dependency_is_for():
    project = tomllib.loads((_HOME / "pyproject.toml").read_text("utf-8"))["project"]
    page = (_HOME / "docs/explanation/dependencies.md").read_text("utf-8")
    named = re.findall(r"^\| ([a-z0-9]+) \|", page, re.MULTILINE)
    wanted = {re.match("[a-z0-9-]+", text)[0] for text in project["dependencies"]}
    assert wanted <= set(named)


def _imported(name):
    found = (_HOME / "python").rglob("*.py")
    pattern = re.compile(rf"^\s*(import|from) {name}\b", re.MULTILINE)
    return [path for path in found if pattern.search(path.read_text("utf-8"))]


def test_nothing_of_ours_reads_a_pickle():
    """Pickles run code; workers send them through pipes of their own, which nobody else can."""
    reads = re.compile(r"pickle\.loads?\(|torch\.load\(|allow_pickle\s*=\s*True|marshal\.load")
    found = [
        f"{path.relative_to(_HOME)}: {line.strip()}"
        for path in (_HOME / "python").rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        # With weights only, torch takes nothing but tensors.
        if reads.search(line) and "weights_only=True" not in line
    ]
    assert found == []
