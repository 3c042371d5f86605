"""The build on a few synsets of the installed WordNet, and on made-up ones."""

import importlib.util
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


WORDNET = Path("/usr/share/wordnet")

HEADER = "  1 The licence is here, indented.\n"
FILES = {
    "data.noun": """\
00000001 03 n 01 entity 0 001 ~ 00000002 n 0000 | everything
00000002 03 n 02 Animal 0 animate_being 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | beast
00000003 03 n 01 dog 0 002 @ 00000002 n 0000 + 00000001 v 0101 | barks
00000004 03 n 01 dog 1 001 @i 00000001 n 0000 | a rare sense
""",
    "index.noun": """\
animal n 1 2 @ ~ 1 1 00000002 \x20
animate_being n 1 2 @ ~ 1 0 00000002 \x20
dog n 2 2 @ + 2 1 00000003 00000004 \x20
entity n 1 1 ~ 1 1 00000001 \x20
""",
    "data.verb": "00000001 30 v 01 dog 0 001 + 00000003 n 0101 01 + 01 00 | follow\n",
    "index.verb": "dog v 1 1 + 1 0 00000001  \n",
    "data.adj": """\
00000001 00 a 01 large(a) 0 001 & 00000002 a 0000 | big
00000002 00 s 01 huge 0 001 & 00000001 a 0000 | very big
""",
    "index.adj": "huge a 1 1 & 1 0 00000002  \nlarge a 1 1 & 1 0 00000001  \n",
    "data.adv": "",
    "index.adv": "",
    "cntlist.rev": "dog%1:03:00:: 1 40\ndog%1:03:01:: 2 2\n",
}


@pytest.fixture(scope="module")
def build(lexicon_folder):
    spec = importlib.util.spec_from_file_location("build_lexicon", lexicon_folder / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tiny(tmp_path):
    folder = tmp_path / "wordnet"
    folder.mkdir()
    for name, content in FILES.items():
        head = HEADER if name.endswith(".noun") else ""
        (folder / name).write_text(head + content, encoding="utf-8")
    return folder


@pytest.fixture
def classes(tmp_path):
    path = tmp_path / "classes.tsv"
    path.write_text("# so\n\nanimal\tanimal\tn\t1\nrare\tdog\tn\t2\nsize\tlarge\ta\t1\n")
    return path


def rows(path, query):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


def test_tables(build, tiny, classes, tmp_path):
    output = tmp_path / "tiny.sqlite"
    build.build(tiny, output, classes)
    assert rows(output, "SELECT lemma FROM word ORDER BY id") == [
        *(("animal",), ("animate being",), ("dog",), ("entity",), ("huge",), ("large",))
    ]
    senses = rows(output, "SELECT pos, rank, synset FROM sense WHERE word = 3")
    assert senses == [("n", 0, 3), ("n", 1, 4), ("v", 0, 5)]
    assert rows(output, "SELECT * FROM hypernym") == [(2, 1), (3, 2), (4, 1)]
    assert rows(output, "SELECT * FROM similar") == [(7, 6)]
    links = rows(output, "SELECT synset, word, target, target_word FROM link")
    assert links == [(3, 3, 5, 3), (5, 3, 3, 3)]
    named = "SELECT lemma, pos, name FROM class JOIN word ON word.id = class.word "
    named += "JOIN class_name ON class_name.id = class.class ORDER BY lemma, pos, name"
    assert rows(output, named) == [
        *(("animal", "n", "animal"), ("animate being", "n", "animal"), ("dog", "n", "animal")),
        *(("huge", "a", "size"), ("large", "a", "size")),
    ]


def test_rebuilding_gives_the_same_bytes(build, tiny, classes, tmp_path):
    contents = set()
    for name in ("first.sqlite", "second.sqlite", "first.sqlite"):
        build.build(tiny, tmp_path / name, classes)
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize("line", ["animal\tunicorn\tn\t1", "animal\tdog\tn\t3", "animal dog n 1"])
def test_faulty_class_table(build, tiny, tmp_path, line):
    faulty = tmp_path / "classes.tsv"
    faulty.write_text(f"# classes\n{line}\n", encoding="utf-8")
    output = tmp_path / "tiny.sqlite"
    with pytest.raises(build.BuildError, match=r"classes\.tsv:2: .*does not name a sense"):
        build.build(tiny, output, faulty)
    assert not output.exists()


def test_missing_wordnet(lexicon_folder, tmp_path):
    command = [sys.executable, lexicon_folder / "build.py", "--wordnet", tmp_path, "-o"]
    output = tmp_path / "out.sqlite"
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
    tables = rows(shipped, "SELECT name, sql FROM sqlite_master ORDER BY name")
    assert rows(output, "SELECT name, sql FROM sqlite_master ORDER BY name") == tables
    for name, _ in tables:
        query = f"SELECT * FROM {name}"
        assert rows(output, query) == rows(shipped, query), name


def test_the_shipped_file_is_small_and_its_card_counts_the_rows(lexicon_folder):
    card = (lexicon_folder / "README.md").read_text(encoding="utf-8")
    shipped = lexicon_folder / "wordnet.sqlite"
    assert shipped.stat().st_size <= 12 * 1024**2
    tables = rows(shipped, "SELECT name FROM sqlite_master WHERE type = 'table'")
    assert len(tables) > 5
    for (name,) in tables:
        [(count,)] = rows(shipped, f"SELECT count(*) FROM {name}")
        written = f"{count:,}".replace(",", " ")
        assert f"| `{name}` | {written} |" in card
