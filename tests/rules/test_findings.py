"""The page of findings: each file there has the finding of its section and no other."""

import pytest

from docs.pages.findings import EXAMPLE, findings
from ists_asp.io.store import Store
from ists_asp.resources import rules_dir
from ists_asp.rules.check import check_rules
from ists_asp.rules.check.model import SEVERITIES

from .conftest import write

SOURCE = (rules_dir().parent / "docs/pages/findings.md").read_text("utf-8")
SECTIONS = {
    code: [match.groups() for match in EXAMPLE.finditer(body)]
    for code, _, body in (part.partition("\n") for part in SOURCE.split("\n## ")[1:])
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("cache"))


def codes(path, store):
    _, found = check_rules([path], ["baseline"], store=store)
    return {one.kind for one in found}


@pytest.mark.parametrize("code", [code for code, files in SECTIONS.items() if files])
def test_each_example_has_its_finding_and_the_mended_one_none(tmp_path, store, code):
    (name, text), *mended = SECTIONS[code]
    write(tmp_path, {name: text})
    assert codes(tmp_path / name, store) == {code}
    for _, good in mended:
        write(tmp_path, {name: good})
        assert codes(tmp_path / name, store) == set()


def test_the_page_tells_all_codes():
    page = findings()
    for code, severity in SEVERITIES.items():
        assert f"## `{code}`\n\n*{severity}*" in page
