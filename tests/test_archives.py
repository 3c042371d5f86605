"""The organisers' archives: which sets are found in them, and what is refused."""

import gzip
import io
import re
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from benchmarks import accuracy
from benchmarks.sets import SAMPLES, read_archives, read_set
from ists_asp import load
from ists_asp.errors import DataError
from ists_asp.evaluate.files import evaluate_files
from ists_asp.io.wa import write_answer
from ists_asp.model import Scheme

TRAIN = Path(__file__).parents[2] / "shared" / "data" / "ists-2016-train"
PARTS = ("sent1.txt", "sent2.txt", "sent1.chunk.txt", "sent2.chunk.txt")

PILOT = """<sentence id="1" status="">
// A dog runs
// A cat and a dog run
<source>
1 A :
2 dog :
3 runs :
</source>
<translation>
1 A :
2 cat :
3 and :
4 a :
5 dog :
6 run :
</translation>
<alignment>
1 2 <==> 4 5 // EQUI // 5 // A dog <==> a dog
3 <==> 6 // EQUI // 5 // runs <==> run
0 <==> 1 2 // ALIC // NIL // -not aligned- <==> A cat
0 <==> 3 // NOALI // NIL // -not aligned- <==> and
</alignment>
</sentence>
"""


def named(name, folder=None, kind="testinput", gold="gs"):
    """The files of a set as the organisers call them."""
    folder = folder or SAMPLES / name
    files = {f"STSint.{kind}.{name}.{part}": (folder / part).read_bytes() for part in PARTS}
    return {**files, f"STSint.{gold}.{name}.wa": (folder / "gold.wa").read_bytes()}


def inside(folder, files):
    return {f"{folder}/{name}": content for name, content in files.items()}


@pytest.fixture
def pack(tmp_path):
    """Write an archive of these files; its name says which kind it is."""

    def write(name, files):
        path = tmp_path / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w") as archive:
                for file, content in files.items():
                    archive.writestr(file, content)
        else:
            with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
                for file, content in files.items():
                    member = tarfile.TarInfo(file)
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        return path

    return write


@pytest.mark.parametrize("name", ["test.zip", "test.tar", "test.tar.gz", "test.tgz"])
@pytest.mark.parametrize("folder", [".", "a/task 2/headlines"])
def test_sets_are_found_by_the_names_of_their_files(pack, capsys, name, folder):
    junk = {"__MACOSX/._STSint.gs.headlines.wa": b"x", f"{folder}/.STSint.gs.images.wa": b"x"}
    junk |= {"evalsamples/gs.wa": b"x", "STSint.output.headlines.wa": b"x", "00-README.txt": b"x"}
    path = pack(name, junk | inside(folder, named("headlines")))
    assert list(read_archives([path])) == [read_set(SAMPLES / "headlines")]
    assert list(read_archives([path], 3)) == [read_set(SAMPLES / "headlines", 3)]
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0].endswith("wa: headlines, 10 pairs, gold chunks")
    assert printed.err == ""


def test_train_archives_call_gold_an_input(pack):
    files = named("images", kind="input", gold="input")
    assert list(read_archives([pack("train.zip", files)])) == [read_set(SAMPLES / "images")]


def test_folders_and_archives_complete_one_another(pack):
    files = named("images")
    gold = {"gs/STSint.gs.images.wa": files.pop("STSint.gs.images.wa")}
    expected = [read_set(SAMPLES / "images")]
    assert list(read_archives([pack("one.zip", gold | inside("input", files))])) == expected
    assert list(read_archives([pack("in.zip", files), pack("gold.tgz", gold)])) == expected


def test_a_set_that_is_there_twice_is_measured_twice(pack):
    files = named("headlines")
    other = {name: content.replace(b"raises", b"lifts") for name, content in files.items()}
    both = inside("train", files) | inside("test", other)
    first, second = read_archives([pack("both.zip", both)])
    assert first == read_set(SAMPLES / "headlines")
    assert first.name == second.name
    assert first.plain != second.plain


def test_what_is_incomplete_is_told_in_a_line(pack, capsys):
    files = named("headlines")
    del files["STSint.gs.headlines.wa"], files["STSint.testinput.headlines.sent2.txt"]
    plain = {name: content for name, content in named("images").items() if "chunk" not in name}
    path = pack("test.zip", files | plain)
    (found,) = read_archives([path])
    assert (found.name, found.chunked) == ("images", ())
    printed = capsys.readouterr()
    assert printed.out.endswith("images, 10 pairs, no gold chunks\n")
    assert printed.err.count("\n") == 1
    assert printed.err.endswith("headlines is left out, as it has no wa, sent2.txt\n")


def test_gold_of_other_pairs_is_refused(pack):
    files = named("headlines") | {"STSint.gs.headlines.wa": named("images")["STSint.gs.images.wa"]}
    path = pack("test.zip", files)
    with pytest.raises(DataError, match="10 pairs, 0 of which are among the 10 of the sentences"):
        list(read_archives([path]))


def test_a_faulty_file_is_named_with_its_archive(pack):
    files = named("headlines")
    files["STSint.gs.headlines.wa"] = files["STSint.gs.headlines.wa"].replace(b"EQUI", b"SAME", 1)
    path = pack("test.zip", inside("x", files))
    with pytest.raises(DataError, match=r"test.zip: x/STSint.gs.headlines.wa:\d+: 'SAME'"):
        list(read_archives([path]))


@pytest.mark.parametrize("folder", ["..", "/tmp", "a/../..", "..\\.."])
@pytest.mark.parametrize("name", ["test.zip", "test.tar"])
def test_paths_that_lead_outside_are_no_sets(pack, folder, name):
    with pytest.raises(DataError, match="no set"):
        list(read_archives([pack(name, inside(folder, named("headlines")))]))


def test_links_are_no_files(pack, tmp_path):
    files = named("headlines")
    del files["STSint.gs.headlines.wa"]
    gold = str(SAMPLES / "headlines" / "gold.wa")
    for path in (pack("test.tar", files), pack("test.zip", files)):
        if path.suffix == ".tar":
            with tarfile.open(path, "a") as archive:
                member = tarfile.TarInfo("STSint.gs.headlines.wa")
                member.type, member.linkname = tarfile.SYMTYPE, gold
                archive.addfile(member)
        else:
            with zipfile.ZipFile(path, "a") as archive:
                member = zipfile.ZipInfo("STSint.gs.headlines.wa")
                member.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(member, gold)
        assert list(read_archives([path])) == []


def test_what_swells_is_refused(tmp_path):
    swelling = b"\0" * (65 << 20)
    packed = tmp_path / "bomb.tar.gz"
    packed.write_bytes(gzip.compress(swelling))
    zipped = tmp_path / "bomb.zip"
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("STSint.gs.headlines.wa", swelling)
    for path in (packed, zipped):
        assert path.stat().st_size < 1 << 20
        with pytest.raises(DataError, match=f"{path.name}: .* more than 64 MB"):
            list(read_archives([path]))


@pytest.mark.parametrize("content", [b"", b"x", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06" * 9])
def test_what_is_no_archive_is_told_in_a_line(tmp_path, capsys, content):
    path = tmp_path / "no.zip"
    path.write_bytes(content)
    assert accuracy.main(["--archive", str(path)]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"benchmarks.accuracy: {path}: no ")
    assert printed.count("\n") == 1
    assert accuracy.main(["--archive", str(tmp_path / "none.zip")]) == 1


def test_archives_go_with_no_cross_validation(pack, capsys):
    path = str(pack("test.zip", named("headlines")))
    assert accuracy.main(["--archive", path, "--write"]) == 2
    with pytest.raises(SystemExit):
        accuracy.main(["--archive", path, "--pilot"])
    assert "not allowed with" in capsys.readouterr().err


def test_the_pilot_is_known_by_its_gold(pack):
    files = {
        "STSint.input.images.sent1.txt": b"A dog runs\n",
        "STSint.input.images.sent2.txt": b"A cat and a dog run\n",
        "STSint.input.images.sent1.chunk.txt": b"[ A dog ] [ runs ]\n",
        "STSint.input.images.sent2.chunk.txt": b"[ A cat ] [ and ] [ a dog ] [ run ]\n",
        "STSint.gs.images.wa": PILOT.encode(),
    }
    (found,) = read_archives([pack("pilot.zip", files)])
    assert (found.name, found.scheme) == ("pilot-2015-images", Scheme.Y2015)


@pytest.mark.slow
@pytest.mark.skipif(not TRAIN.is_dir(), reason="the task's train data is not beside us")
def test_the_train_sets_are_the_same_from_an_archive(pack):
    names = ("headlines", "images", "answers-students")
    files = {}
    for name in names:
        files |= inside(f"train_2016/{name}", named(name, TRAIN / name, "input", "input"))
    found = read_archives([pack("train.tar.gz", files)])
    assert [*found] == [read_set(TRAIN / name) for name in names]


@pytest.mark.slow
def test_archives_are_measured_as_solve_and_evaluate_do(pack, capsys, tmp_path):
    files = named("headlines")
    chunks = [name for name in files if "chunk" in name]
    without = {
        name.replace("headlines", "others"): content
        for name, content in files.items()
        if name not in chunks
    }
    path = pack("test.tar.gz", files | without)
    assert accuracy.main(["--archive", str(path), "--profiles", "own"]) == 0
    printed = capsys.readouterr().out
    assert "\nF1 by the official measures, as shipped\n" in printed
    row = re.compile(r"^\| (\S+) \| (\w+) \| `(\S+)` \| (.*) \| [\d.]*? ?\|$", re.MULTILINE)
    rows = row.findall(printed)
    rows = [row for row in rows if row[3].count("|") == 3]
    assert [row[:3] for row in rows] == [
        ("headlines", "gold", "headlines"),
        ("headlines", "found", "headlines"),
        ("others", "found", "default"),
    ]
    data = read_set(SAMPLES / "headlines")
    for profile, pairs, (*_, figures) in zip(
        ("headlines", "headlines", "default"),
        (data.chunked, data.plain, data.plain),
        rows,
        strict=True,
    ):
        with load(profile, cache=None) as system:
            answers = "".join(map(write_answer, system.solve_many(pairs, rated=False)))
        (tmp_path / "out.wa").write_text(answers, "utf-8")
        scores = evaluate_files(SAMPLES / "headlines" / "gold.wa", tmp_path / "out.wa").overall
        assert figures == " | ".join(f"{measure.f1:.3f}" for _, measure in scores.named())
