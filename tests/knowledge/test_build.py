"""The build on a few synsets of the installed WordNet, and on made-up ones."""

import importlib.util
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests import tables

pytestmark = pytest.mark.slow
WORDNET = Path("/usr/share/wordnet")

TINY = Path(__file__).with_name("wordnet")  # synsets that are made up


@pytest.fixture(scope="module")
def build(lexicon_folder):
    spec = importlib.util.spec_from_file_location("build_lexicon", lexicon_folder / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def rows(path, query):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


TABLES = """
lemma FROM word ORDER BY id                   | animal, animate being, dog, entity, huge, large
pos, rank, synset FROM sense WHERE word = 3   | n 0 3, n 1 4, v 0 5
* FROM hypernym                               | 2 1, 3 2, 4 1
* FROM similar                                | 7 6
synset, word, target, target_word FROM link   | 3 3 5 3, 5 3 3 3
* FROM NAMED WHERE name = 'animal' | animal n animal, animate being n animal, dog n animal
* FROM NAMED WHERE name != 'animal'           | huge a size, large a size
"""
NAMED = """
(SELECT lemma, pos, name FROM class JOIN word ON word.id = class.word
JOIN class_name ON class_name.id = class.class ORDER BY lemma, pos, name)
"""


def test_tables_are_the_same_each_time(build, tmp_path):
    contents = set()
    for name in ("first.sqlite", "second.sqlite", "first.sqlite"):
        build.build(TINY, tmp_path / name, TINY / "classes.tsv")
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == 1
    for query, expected in tables.rows(TABLES):
        found = rows(tmp_path / name, f"SELECT {query.replace('NAMED', NAMED)}")
        assert ", ".join(" ".join(map(str, row)) for row in found) == expected


def test_a_faulty_table_of_classes_and_a_missing_wordnet(build, lexicon_folder, tmp_path):
    faulty, output = tmp_path / "classes.tsv", tmp_path / "out.sqlite"
    for line in ("animal\tunicorn\tn\t1", "animal\tdog\tn\t3", "animal dog n 1"):
        faulty.write_text(f"# classes\n{line}\n")
        with pytest.raises(build.BuildError, match=r"classes\.tsv:2: .*does not name a sense"):
            build.build(TINY, output, faulty)
        assert not output.exists()
    command = [sys.executable, lexicon_folder / "build.py", "--wordnet", tmp_path, "-o"]
    done = subprocess.run([*command, output], capture_output=True, text=True, check=False)
    assert (done.returncode, output.exists()) == (1, False)
    assert "install Debian's wordnet-base" in done.stderr


@pytest.mark.long
@pytest.mark.skipif(
    not (WORDNET / "data.noun").is_file(),
    reason="WordNet's files are not here: install Debian's wordnet-base to compare with them",
)
def test_the_shipped_file_is_what_the_script_builds(build, lexicon_folder, tmp_path):
    output = tmp_path / "wordnet.sqlite"
    build.build(WORDNET, output)
    shipped = lexicon_folder / "wordnet.sqlite"
    schema = rows(shipped, "SELECT name, sql FROM sqlite_master ORDER BY name")
    assert rows(output, "SELECT name, sql FROM sqlite_master ORDER BY name") == schema
    for name, _ in schema:
        query = f"SELECT * FROM {name}"
        assert rows(output, query) == rows(shipped, query), name


def test_the_shipped_file_is_small_and_its_card_counts_the_rows(lexicon_folder):
    card = (lexicon_folder / "README.md").read_text(encoding="utf-8")
    shipped = lexicon_folder / "wordnet.sqlite"
    assert shipped.stat().st_size <= 12 * 1024**2
    names = rows(shipped, "SELECT name FROM sqlite_master WHERE type = 'table'")
    assert len(names) > 5
    for (name,) in names:
        [(count,)] = rows(shipped, f"SELECT count(*) FROM {name}")
        written = f"{count:,}".replace(",", " ")
        assert f"| `{name}` | {written} |" in card
