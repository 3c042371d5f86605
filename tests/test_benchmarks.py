"""The benchmarks run on the samples and report what they should; archives of others are read."""

import gzip
import io
import json
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from importlib import import_module
from itertools import islice
from pathlib import Path
from statistics import stdev

import pytest

from benchmarks import ROOT, accuracy, lengths, memory, reasons, scaling, sets, waits
from benchmarks import cases as folds
from benchmarks.sets import SAMPLES, read_archives, read_set
from benchmarks.synthetic import make_pair
from benchmarks.tables import replace_between
from ists_asp.errors import DataError, UsageError
from ists_asp.learn.fit import Weight
from ists_asp.model import Scheme
from tests.sharing import cases

PARTS = ("sent1.txt", "sent2.txt", "sent1.chunk.txt", "sent2.chunk.txt")
OTHER = (SAMPLES / "images" / "gold.wa").read_bytes()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The samples, laid out as the task's train data."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(SAMPLES, folder / "ists-2016-train")
    return folder


@cases("""
benchmark | options | code= | message
accuracy  | --data {} --write --limit 3     | 2 | five folds
accuracy  | --data /nowhere                 | 2 | --data DIR
accuracy  | --archive none.zip --write      | 2 | --write without
accuracy  | --archive none.zip              | 1 | none.zip: no
compare   | no-such-commit | 1 | there is no commit and no checkout 'no-such-commit'
""")
def test_usage_errors(data, capsys, benchmark, options, code, message):
    main = import_module(f"benchmarks.{benchmark}").main
    assert main(options.format(data).split()) == code
    assert message in capsys.readouterr().err


def test_a_table_replaces_the_old_one_in_its_place():
    page = "a\n<!-- x -->\n{}\n<!-- /x -->\nb\n"
    assert replace_between(page.format("old"), "x", "new\n") == page.format("new")
    begin, end = "<!-- x -->\n", "<!-- /x -->\n"
    both = begin + end
    for text in ("no marks", begin, end + begin, begin + both + begin, end + both + end):
        with pytest.raises(DataError, match="'x'"):
            replace_between(text, "x", "new\n")


@pytest.mark.parametrize("size", [1, 5, 40])
def test_made_up_pairs_have_the_chunks_or_the_length_asked_for(size):
    pair = make_pair(size, seed=7)
    assert len(pair.sent1.chunks) == len(pair.sent2.chunks) == size
    assert pair == make_pair(size, seed=7) != make_pair(size, seed=8)
    pairs = list(islice(lengths.of_length(36), 20))
    assert {len(one.tokens) for pair in pairs for one in (pair.sent1, pair.sent2)} == {36}


@pytest.mark.long
@pytest.mark.slow
def test_accuracy_has_each_set_chunks_and_profile_and_is_cross_validated(data, tmp_path, capsys):
    options = ["--data", data, "--sets", "headlines", "images", "--folds", "2"]
    assert accuracy.main([*map(str, options), "--json", str(tmp_path / "figures.json")]) == 0
    printed = capsys.readouterr().out
    row = r"^\| headlines \| gold .*\| 0\.\d{3} \| 0\.\d{3} ± 0\.\d{3} \| \|$"
    assert re.search(row, printed, re.MULTILINE), printed
    for table in re.findall(r"(?:^\|.*\n)+", printed, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1
    found = json.loads((tmp_path / "figures.json").read_text("utf-8"))["cases"]
    assert [(case["set"], case["chunks"], case["profile"]) for case in found] == [
        (name, chunks, profile)
        for name in ("headlines", "images")
        for chunks in ("gold", "found")
        for profile in (name, "baseline")
    ]
    for case in found:
        f1s = {name: score["f1"] for name, score in case["scores"].items()}
        assert f1s.keys() == {"Ali", "Type", "Score", "Typ+Sco"}
        assert 0 <= f1s["Typ+Sco"] <= f1s["Ali"] <= 1
        assert (case["pairs"], case["faults"], case["lost_tokens"]) == (10, 0, 0)
        assert (case["chunking"] is None) == (case["chunks"] == "gold")
        seconds, decide = case["timing"]["seconds"], case["timing"]["decide_ms"]
        assert min(seconds["grounding"], seconds["solving"]) > 0
        assert 0 < decide["p50"] <= decide["p95"] <= decide["max"]
        if case["profile"] == "baseline":
            assert (case["folds"], case["spread"], case["left_out"]) == ([], None, None)
            continue
        assert set(case["spread"]) == {"alignment", "type", "score", "type_score"}
        folds = [fold["Typ+Sco"]["f1"] for fold in case["folds"]]
        assert case["spread"]["type_score"] == pytest.approx(stdev(folds), abs=1e-3)
        # All pairs scored together, which is nearly the mean.
        assert min(folds) - 0.01 <= f1s["Typ+Sco"] <= max(folds) + 0.01
        assert 0 <= case["left_out"]["Typ+Sco"]["f1"] <= case["left_out"]["Ali"]["f1"] <= 1


@pytest.mark.slow
def test_no_weight_has_seen_what_it_decides(monkeypatch):
    common, taught = [], []

    def ids(examples):
        return [example.gold.pair.id for example in examples]

    def learn(examples, _senses, _settings):
        common.append(ids(examples))
        return [Weight("nearest", "align", len(common), 1)]

    def rules(examples, _senses, settings):
        taught.append((ids(examples), dict(settings.base)))
        return ""

    def validate(_teacher, weighed, *_arguments, **_options):
        return [ids(test) for _, test in weighed]

    monkeypatch.setattr(folds, "COMMON_WEIGHTS", "weights/headlines")
    for name, stub in (("learn_weights", learn), ("learned_rules", rules), ("validate", validate)):
        monkeypatch.setattr(folds, name, stub)
    two = [read_set(SAMPLES / name, 3) for name in ("headlines", "images")]
    with folds.HoldOut(two, 2) as teaching:
        parts = teaching.cross_validate("headlines", "headlines")
        left_out = teaching.leave_out("headlines")
    news, images = ([f"{data.name} {pair.id}" for pair in data.chunked] for data in two)
    assert parts == [news[:1], news[1:]]
    assert common == [news[1:] + images[1:], news[:1] + images[:1]]
    base = {("nearest", "align"): 1}, {("nearest", "align"): 2}
    assert taught == [(news[1:], base[0]), (news[:1], base[1]), (images, {})]
    assert left_out == [news]


def test_data_is_looked_for_beside_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(sets, "_DEFAULT", tmp_path)
    with pytest.raises(UsageError, match="ists-2016-train"):
        sets.find_data(None)
    (tmp_path / "ists-2016-train").mkdir()
    assert sets.find_data(None) == tmp_path / "ists-2016-train"


@pytest.mark.slow
@pytest.mark.parametrize("kind", scaling.KINDS)
def test_a_long_pair_is_solved_to_its_optimum(kind):
    with scaling.load("headlines") as system:
        growth = scaling.grow(system, kind, 20, pairs=2)
    assert growth.proven == growth.pairs > 0
    assert growth.aligned > 1


@pytest.mark.slow
@pytest.mark.long
def test_memory_does_not_grow_with_the_pairs():
    options = ("--profile", "baseline", "--jobs", "2")
    few, many = (memory.measure(count, options, repeated=True) for count in (1_000, 3_000))
    assert (few.pairs, many.pairs) == (1_000, 3_000)
    assert many.peak - few.peak < 20


SCRIPTS = [file for file in (ROOT / "benchmarks").glob("*.py") if "def main" in file.read_text()]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in SCRIPTS))
def test_a_benchmark_starts_and_has_the_options_that_the_page_names(capsys, monkeypatch, name):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    module = "benchmarks" if name == "__main__" else f"benchmarks.{name}"
    with pytest.raises(SystemExit, match=r"^0$"):
        import_module(f"benchmarks.{name}").main()
    printed = capsys.readouterr().out
    assert f"python -m {module}" in printed
    page = (ROOT / "docs" / "explanation" / "accuracy.md").read_text("utf-8")
    for options in re.findall(rf"python -m {re.escape(module)}\b(?!\.)([^`\n]*)", page):
        assert all(option in printed for option in re.findall(r"--[a-z-]+", options))


@pytest.mark.slow
def test_what_is_measured_is_this_checkout(monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    command = [sys.executable, "-c", "import benchmarks, ists_asp; print(ists_asp.__file__)"]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert Path(printed.stdout.strip()).is_relative_to(ROOT / "python")


@pytest.mark.slow
def test_reasons_are_counted_and_told(data, capsys):
    code = reasons.main(["--data", str(data), "--pairs", "3", "--read", "1", "--sets", "headlines"])
    printed = capsys.readouterr().out
    (row,) = re.findall(r"^\| headlines \| (.*) \|$", printed, re.MULTILINE)
    labels, chosen, median, most, share, twice = map(float, row.split(" | "))
    assert labels >= chosen > 0 == twice
    assert 1 <= median <= most
    assert 0 < share <= 1
    assert (code in (0, 1), " is labelled " in printed) == (True, True)


def named(name, kind="testinput", gold="gs"):
    """The files of a set as the organisers call them."""
    folder = SAMPLES / name
    files = {f"STSint.{kind}.{name}.{part}": (folder / part).read_bytes() for part in PARTS}
    return {**files, f"STSint.{gold}.{name}.wa": (folder / "gold.wa").read_bytes()}


def inside(folder, files):
    return {f"{folder}/{name}": content for name, content in files.items()}


@pytest.fixture
def pack(tmp_path):
    """Write an archive of these files, links to others among them; its name says which kind."""

    def zipped(path, files):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file, content in files.items():
                member = zipfile.ZipInfo(file)
                member.compress_type = zipfile.ZIP_DEFLATED
                if isinstance(content, Path):
                    member.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(member, str(content) if isinstance(content, Path) else content)

    def tarred(path, files):
        with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
            for file, content in files.items():
                member = tarfile.TarInfo(file)
                if isinstance(content, Path):
                    member.type, member.linkname, content = tarfile.SYMTYPE, str(content), b""
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))

    def write(name, files):
        path = tmp_path / name
        (zipped if path.suffix == ".zip" else tarred)(path, files)
        return path

    return write


@cases("""
name        | folder
test.zip    | .
test.tar    | a/task 2/headlines
test.tar.gz | .
test.tgz    | a/task 2/headlines
""")
def test_sets_are_found_by_the_names_of_their_files(pack, capsys, name, folder):
    junk = {"__MACOSX/._STSint.gs.headlines.wa": b"x", f"{folder}/.STSint.gs.images.wa": b"x"}
    junk |= {"evalsamples/gs.wa": b"x", "STSint.output.headlines.wa": b"x", "00-README.txt": b"x"}
    junk["STSint.gs.images.wa"] = SAMPLES / "images" / "gold.wa"
    path = pack(name, junk | inside(folder, named("headlines")))
    assert list(read_archives([path])) == [read_set(SAMPLES / "headlines")]
    assert list(read_archives([path], 3)) == [read_set(SAMPLES / "headlines", 3)]
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0].endswith("wa: headlines, 10 pairs, gold chunks")


def test_paths_that_lead_outside_are_no_sets(pack):
    for folder in ("..", "/tmp", "a/../..", "..\\.."):
        for name in ("test.zip", "test.tar"):
            with pytest.raises(DataError, match="no set"):
                list(read_archives([pack(name, inside(folder, named("headlines")))]))


def test_folders_and_archives_complete_one_another_and_twice_is_two_sets(pack):
    files = named("images")
    expected = [read_set(SAMPLES / "images")]
    train = named("images", kind="input", gold="input")
    assert list(read_archives([pack("train.zip", train)])) == expected
    gold = {"gs/STSint.gs.images.wa": files.pop("STSint.gs.images.wa")}
    assert list(read_archives([pack("one.zip", gold | inside("input", files))])) == expected
    assert list(read_archives([pack("in.zip", files), pack("gold.tgz", gold)])) == expected
    files = named("headlines")
    other = {name: content.replace(b"raises", b"lifts") for name, content in files.items()}
    first, second = read_archives([pack("a.zip", inside("train", files) | inside("test", other))])
    assert first == read_set(SAMPLES / "headlines")
    assert first.plain != second.plain


def test_what_is_incomplete_is_told_in_a_line(pack, capsys):
    files = named("headlines")
    del files["STSint.gs.headlines.wa"], files["STSint.testinput.headlines.sent2.txt"]
    plain = {name: content for name, content in named("images").items() if "chunk" not in name}
    (found,) = read_archives([pack("test.zip", files | plain)])
    assert (found.name, found.chunked) == ("images", ())
    printed = capsys.readouterr()
    assert printed.out.endswith("images, 10 pairs, no gold chunks\n")
    assert printed.err.count("\n") == 1
    assert printed.err.endswith("headlines is left out, as it has no wa, sent2.txt\n")


def test_gold_that_cannot_be_used_is_refused(pack):
    files, name = named("headlines"), "STSint.gs.headlines.wa"
    for content, message in (
        (OTHER, "10 pairs, 0 of which are among the 10 of the sentences"),
        (files[name].replace(b"EQUI", b"SAME", 1), rf"test.zip: {name}:\d+: wrong .* 'SAME'"),
        (b"\0" * (65 << 20), "test.zip: .* more than 64 MB"),
    ):
        with pytest.raises(DataError, match=message):
            list(read_archives([pack("test.zip", files | {name: content})]))


def test_what_is_no_archive_is_told_in_a_line(tmp_path, capsys):
    path = tmp_path / "no.zip"
    for content in (b"", b"x", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06" * 9):
        path.write_bytes(content)
        assert accuracy.main(["--archive", str(path)]) == 1
        printed = capsys.readouterr().err
        assert printed.startswith(f"benchmarks.accuracy: {path}: no ")
        assert printed.count("\n") == 1
    path.write_bytes(gzip.compress(b"\0" * (65 << 20), 1))
    assert accuracy.main(["--archive", str(path.rename(tmp_path / "bomb.tar.gz"))]) == 1
    assert "more than 64 MB" in capsys.readouterr().err


def test_the_pilot_is_known_by_its_gold(pack):
    files = named("images", kind="input")
    files["STSint.gs.images.wa"] = OTHER.replace(b"// NOALI // NIL", b"// ALIC // NIL", 1)
    (found,) = read_archives([pack("pilot.zip", files)])
    assert (found.name, found.scheme) == ("pilot-2015-images", Scheme.Y2015)


@pytest.mark.slow
def test_archives_are_measured_with_the_profiles_that_suit_them(pack, capsys):
    files = named("headlines")
    plain = {name: content for name, content in files.items() if "chunk" not in name}
    others = {name.replace("headlines", "others"): content for name, content in plain.items()}
    path = pack("test.tar.gz", files | others)
    assert accuracy.main(["--archive", str(path), "--profiles", "own"]) == 0
    printed = capsys.readouterr().out
    assert "\nF1 by the official measures, as shipped\n" in printed
    row = re.compile(r"^\| (\S+) \| (\w+) \| `(\S+)` \|(?: 0\.\d{3} \|){4}", re.MULTILINE)
    assert [" ".join(cells) for cells in row.findall(printed)[:3]] == [
        *("headlines gold headlines", "headlines found headlines", "others found default")
    ]


@pytest.mark.slow
def test_waits_are_measured_in_the_workbench_and_of_commands(tmp_path, capsys):
    file = tmp_path / "waits.json"
    options = ["--short", "--only", "picture", "new pair", "--old", str(ROOT), "--json", str(file)]
    code = waits.main(options)
    rows = json.loads(file.read_text("utf-8"))
    assert [row["wait"] for row in rows] == ["key to picture", "solve of a new pair"]
    for row in rows:
        assert min(row["now"], row["old"]) >= 0.01
        assert row["kept"] == ("yes" if row["now"] <= row["asked"] else "no")
    assert rows[0]["now"] < rows[1]["now"]  # what is warm costs less than a process
    assert code == any(row["kept"] == "no" for row in rows)
    assert capsys.readouterr().out.count(" | yes |") == sum(row["kept"] == "yes" for row in rows)
