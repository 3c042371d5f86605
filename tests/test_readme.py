"""README is short, its links lead somewhere, and its commands print what it says.

The tour runs as written, in a shell, in an empty folder with links to the checkout's. Of
the two set-up lines, which ``.ci/run`` runs in full, only the call of ``ists-asp`` runs here.
"""

import re

import pytest

from tests.tours import ROOT, blocks, follow, make_place, run, shown

README = (ROOT / "README.md").read_text("utf-8")
SET_UP = re.compile(r"python3 -m venv \.venv && \.venv/bin/pip install -q -c constraints\.txt -e ")
BLOCKS = list(blocks(README))
TOUR = [block for _, block in shown({"README.md": README})]


def marked(name):
    (block,) = (block for block in BLOCKS if block.mark == name)
    assert block.language == "sh"
    (line,) = block.text.splitlines()
    return line


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An empty folder with links to the checkout's, which all blocks of the tour share."""
    return make_place(tmp_path_factory.mktemp("readme"))


def test_it_is_short():
    assert len(README.encode()) <= 8_000


def test_each_output_belongs_to_a_command():
    outputs = [block for block in BLOCKS if block.language == "text"]
    assert len(outputs) == sum(block.output is not None for block in TOUR) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("block", TOUR, ids=lambda block: f"line {block.line}")
def test_the_tour_prints_what_it_says(place, block):
    follow(place, block)


def test_the_line_that_sets_up_and_runs():
    line = marked("run")
    assert SET_UP.match(line)
    assert " -e . && .venv/bin/ists-asp " in line


@pytest.mark.slow
def test_the_line_that_runs_solves_the_samples(place):
    printed = run(place, "ists-asp " + marked("run").partition("/ists-asp ")[2])
    sentences = (ROOT / "data" / "samples" / "headlines" / "sent1.txt").read_text("utf-8")
    assert printed.count("Pair ") == len(sentences.splitlines())


def test_the_line_that_sets_up_and_tests():
    line = marked("test")
    assert SET_UP.match(line)
    assert line.endswith(" -e '.[test]' && .venv/bin/python -m pytest")


def test_links_lead_to_files():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
