"""README's commands work and print what it says.

The tour runs as written, in a shell, in an empty folder with links to the checkout's. Of
the two set-up lines, which ``.ci/run`` runs in full, only the call of ``ists-asp`` runs here.
"""

import re

import pytest

from benchmarks.readme import replace_between
from tests.tours import ROOT, blocks, make_place, run

README = (ROOT / "README.md").read_text("utf-8")
SET_UP = re.compile(r"python3 -m venv \.venv && \.venv/bin/pip install -q -c constraints\.txt -e ")
# clingo's exit codes for an answer set, for all of them, and for both.
CLINGO = (10, 20, 30)

BLOCKS = list(blocks(README))
TOUR = [block for block in BLOCKS if block.language in ("sh", "python") and not block.mark]


def marked(name):
    (block,) = (block for block in BLOCKS if block.mark == name)
    assert block.language == "sh"
    (line,) = block.text.splitlines()
    return line


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An empty folder with links to the checkout's, which all blocks of the tour share."""
    return make_place(tmp_path_factory.mktemp("readme"))


def test_each_output_belongs_to_a_command():
    outputs = [block for block in BLOCKS if block.language == "text"]
    assert len(outputs) == sum(block.output is not None for block in TOUR)


@pytest.mark.parametrize("block", TOUR, ids=lambda block: f"line {block.line}")
def test_the_tour_prints_what_it_says(place, block):
    if block.language == "python":
        (place / "tour.py").write_text(block.text, encoding="utf-8")
        text = "python tour.py"
    else:
        text = block.text
    accepted = (0, *CLINGO) if "python -m $(" in text else (0,)
    printed = run(place, text, accepted=accepted)
    if block.output is not None:
        assert printed == block.output


def test_the_line_that_sets_up_and_runs():
    line = marked("run")
    assert SET_UP.match(line)
    assert " -e . && .venv/bin/ists-asp " in line


def test_the_line_that_runs_solves_the_samples(place):
    printed = run(place, "ists-asp " + marked("run").partition("/ists-asp ")[2])
    sentences = (ROOT / "data" / "samples" / "headlines" / "sent1.txt").read_text("utf-8")
    assert printed.count("Pair ") == len(sentences.splitlines())


def test_the_line_that_sets_up_and_tests():
    line = marked("test")
    assert SET_UP.match(line)
    assert line.endswith(" -e '.[test]' && .venv/bin/python -m pytest")


def test_every_command_and_profile_exists_and_is_mentioned():
    commands = {
        name
        for block in (*TOUR, *(block for block in BLOCKS if block.mark))
        for name in re.findall(r"ists-asp (\w+)", block.text)
    }
    assert {
        "solve",
        "explain",
        "report",
        "facts",
        "evaluate",
        "check",
        "rules",
        "profiles",
        "learn",
    } <= commands
    profiles = {file.stem for file in (ROOT / "lp_rules" / "profiles").glob("*.toml")}
    assert {name for name in profiles if f"`{name}`" not in README} == set()


def test_learning_changes_the_answer():
    """The same command stands before and after learning, with different outputs."""
    learn = next(number for number, block in enumerate(TOUR) if "ists-asp learn" in block.text)
    before, after = TOUR[learn - 1], TOUR[learn + 1]
    assert before.text.splitlines()[-1] == after.text.strip()
    assert before.output != after.output
    assert "same_medicine" in TOUR[learn].output


def test_links_lead_to_files():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("name", ["accuracy", "speed"])
def test_there_is_a_place_for_each_table(name):
    table = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", README, re.DOTALL)[1]
    assert len(table.splitlines()) > 2
    assert replace_between(README, name, table) == README
