import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest
from clingo import parse_term

from ists_asp.answers import read_answer
from ists_asp.io.formats import write_jsonl
from ists_asp.io.pairs import read_jsonl
from ists_asp.syntax.ground import texts


def plain_clingo(program, stdin=None):
    """Run the command that the program's comment gives; return shown atoms and cost."""
    (line,) = (line for line in program.splitlines() if line.startswith("% clingo "))
    arguments = shlex.split(line)[2:]
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "--outf=2", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
    )
    result = json.loads(done.stdout)
    # Lower bounds are listed among the answer sets.
    best = [found for found in result["Call"][-1]["Witnesses"] if "Value" in found][-1]
    # Without any candidate there is nothing to optimise.
    expected = "OPTIMUM FOUND" if "Costs" in best else "SATISFIABLE"
    assert result["Result"] == expected, done.stderr
    return [parse_term(atom) for atom in best["Value"]], tuple(best.get("Costs", ()))


def assert_same(program, jsonl, tmp_path, stdin=None):
    """Plain clingo's optimum is the answer, atom by atom."""
    symbols, cost = plain_clingo(program, stdin)
    (tmp_path / "pair.jsonl").write_text(jsonl)
    (pair,) = read_jsonl(tmp_path / "pair.jsonl")
    bare = replace(
        pair, sent1=replace(pair.sent1, chunks=None), sent2=replace(pair.sent2, chunks=None)
    )
    record = json.loads(jsonl)
    # The rating is decided about the answer, by another program; how sure it is, is looked up.
    for name in ("rating", "boundaries1", "boundaries2"):
        record.pop(name, None)
    for line in record["alignments"]:
        line.pop("confidence", None)
    knowledge, system = record["knowledge"], record["system"]
    assert f"% words are compared by: {', '.join(knowledge)}\n" in program
    answer = read_answer(bare, texts(symbols), cost, True)
    assert (
        write_jsonl(answer, knowledge=knowledge, system=system)
        == json.dumps(record, ensure_ascii=False) + "\n"
    )


@pytest.mark.parametrize(
    "profile", ["default", pytest.param("answers-students", marks=pytest.mark.slow)]
)
def test_plain_clingo_finds_the_same_optimum(good, files, pairs, tmp_path, profile):
    first, second = files(pairs)
    options = ("--sent1", first, "--sent2", second, "--profile", profile)
    good("facts", *options, "-o", "out")
    lines = good("solve", *options, "--format", "jsonl").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        assert_same((tmp_path / f"out/{number}.lp").read_text(), line, tmp_path)


def test_plain_clingo_sees_given_chunks_constants_and_rules(good, chunked, tmp_path):
    (tmp_path / "my rules.lp").write_text(
        "#const most = 9.\n:- #count{X,Y : aligned(X,Y)} > most.\n"
    )
    options = ("--chunked", "--rules", "my rules.lp", "-c", "most=1", *chunked[0])
    program = good("facts", *options)
    assert "'my rules.lp'" in program
    assert_same(program, good("solve", "--format", "jsonl", *options), tmp_path, stdin=program)


def test_plain_clingo_finds_the_same_optimum_with_corrections(good, pairs, tmp_path):
    """They are added to weights, or to nothing."""
    (tmp_path / "mine.lp").write_text(
        "correction(any_pair,align,-40).\ncorrection(any_link,(equi;rel),90).\n"
        "correction(same_word,simi,70).\ncorrection(label(spe),score,-70).\n"
    )
    for pair in pairs:
        options = ("--rules", "mine.lp", *pair)
        program = good("facts", *options)
        assert_same(program, good("solve", "--format", "jsonl", *options), tmp_path, stdin=program)


def test_plain_clingo_runs_copied_rules(good, pairs, tmp_path):
    good("rules", "copy", "my")
    options = ("--rules", "my", "--profile", "baseline", *pairs[0])
    program = good("facts", *options)
    assert " my/english/" in program
    assert_same(program, good("solve", "--format", "jsonl", *options), tmp_path, stdin=program)


def test_one_pair_of_several_goes_to_a_file(good, files, pairs, tmp_path):
    first, second = files(pairs)
    options = ("--sent1", first, "--sent2", second)
    assert good("facts", *options, "--id", "2", "-o", "two.lp") == ""
    program = (tmp_path / "two.lp").read_text()
    assert program.startswith(f"% pair 2\n% 1: {pairs[1][0]}\n% 2: {pairs[1][1]}\n% ists-asp ")
    assert re.search(r"^% clingo .* two\.lp$", program, re.MULTILINE)
    jsonl = good("solve", *options, "--format", "jsonl").splitlines(keepends=True)[1]
    assert_same(program, jsonl, tmp_path)


def test_several_pairs_go_to_a_folder(good, files, pairs, tmp_path):
    first, second = files(pairs)
    options = ("facts", "--sent1", first, "--sent2", second)
    good(*options, "-o", "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"{number}.lp" for number in range(1, len(pairs) + 1)]
    program = (tmp_path / "out/2.lp").read_text()
    alone = good(*options, "--id", "2")
    assert program == alone.replace(".lp -\n", ".lp out/2.lp\n")


def test_odd_and_long_ids_have_safe_file_names_of_their_own(good, tmp_path):
    ids = ["../x", "a b", "i" * 300, "i" * 301, "é" * 90]
    good("facts", "--tsv", "-", "-o", "out", stdin="".join(f"{one}\ta\tb\n" for one in ids))
    files = list((tmp_path / "out").iterdir())
    assert {"..%2Fx.lp", "a b.lp"} < {path.name for path in files}
    programs = [path.read_text() for path in files]
    assert {program.partition("\n")[0] for program in programs} == {f"% pair {one}" for one in ids}


def test_several_pairs_need_a_choice(bad, files, pairs):
    first, second = files(pairs)
    options = ("facts", "--sent1", first, "--sent2", second)
    assert bad(2, *options).startswith(f"{len(pairs)} pairs. Choose one with --id ID")
    message = bad(1, *options, "--id", "99")
    assert message == "there is no pair with the id '99'; expected 1, 2, 3, 4, 5, 6"
    assert bad(2, *options, "-o", "no/such").startswith("-o no/such: there is no folder 'no'")
