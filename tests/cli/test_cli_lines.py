"""Command lines, and words of what they say: of the only line of error, or of the output.

A row of ``lines.txt`` is a command line, the exit code, and words with | between them; those below
the blank line are slow. Lines that begin with a blank belong to the row above. Behind <<< stands
standard input, behind NAME<<< the content of a file. Words after 1> and 2> are those of one of the
streams. ^ begins the text, / a regular expression, and ! goes before words that are not there.
A faulty command writes no file.
"""

import re
import shlex
from pathlib import Path
from string import Template

import pytest

from ists_asp.resources import data_dir
from tests.cli.test_cli_evaluate import pair
from tests.faults.place import FEW, pairs

WA = (pair("1") + pair("2")).replace("\n", r"\n")
SAME = '"a black cat sleeps" "a black cat sleeps"'
NAMES = {
    "gold": data_dir() / "samples" / "headlines" / "gold.wa",
    "bus": '"12 killed in bus accident" "10 killed in road accident" --profile headlines',
    "long": '"12 killed in bus accident in Pakistan" "10 killed in road accident in NW Pakistan" '
    "--profile headlines --reader none",
    "chunked": '{"sent1": "a", "sent2": "b", "chunks1": [[1, 1]], "chunks2": [[1, 1]]}',
    "alic": '--profile pilot-2015-images --chunked "[ A black dog ] [ and ] [ a white dog ] '
    '[ run ] [ . ]" "[ Two dogs ] [ run ] [ . ]"',
    "wa": WA,
    "same_wa": WA.replace("// EQUI //", "// SAME //", 1),
    "three_wa": WA.replace("// SIMI // 3", "// SIMI // three", 1),
    "seven_wa": WA.replace("// EQUI // 5 //", "// EQUI // 7 //", 1),
    "plus_wa": WA.replace("// EQUI // 5 //", "// EQUI // +5 //", 1),
    "many_wa": WA * 8,
    "same": SAME,
    "own": f"{SAME} --profile headlines --rules mine.lp",
    "cats": '--chunked "[ a cat ] [ sleeps ]" "[ a cat ] [ sleeps ]" --json',
    "link": r'%@rule buses: "side 1 has a bus"\n'
    r'evidence(link(X,Y),buses,100) :- link(X,Y), span_token(1,X,I), word(1,I,"bus").\n'
    r"weight(buses,equi,100).\n",
    "undefined": "no rule and no fact derives link/2. Did you mean viable/2?",
    "feature": r'%@rule mine: "mine"\nevidence(pair(X,Y),mine,100) :- proposed(X,Y).\n'
    r"weight(mine,align,7). weight(mine,equi,9).\n",
    "sample": r'mine.lp<<< %@rule power: "p"\n'
    r'alike(I,J,synonym,95) :- word(1,I,"power"), word(2,J,"light").\n'
    r'%@rule dogs: "d"\nalike(I,J,synonym,95) :- word(1,I,"cat"), word(2,J,"dog").\n'
    r'%@rule split: "s"\nmust_split(S,I) :- word(S,I,"cat").\n'
    r'%@rule join: "j"\nmust_join(S,I) :- lemma(S,I,"cat").\n'
    r" sent1.txt<<< a cat sleeps\n sent2.txt<<< a dog sleeps\n",
}


def rows():
    text = Path(__file__).with_name("lines.txt").read_text("utf-8").replace("\n ", " ")
    fast, slow = Template(text).substitute(NAMES).split("\n\n")
    for table, marks in ((fast, ()), (slow, pytest.mark.slow)):
        for row in table.splitlines():
            line, told = row.replace("\\n", "\n").replace("\\t", "\t").split(" | ", 1)
            command, *given = re.split(r" (\S*)<<< ", line)
            files = dict(zip(given[::2], given[1::2], strict=True))
            yield pytest.param(command, files, int(told[0]), told[2:], marks=marks, id=command)


@pytest.mark.parametrize(("command", "files", "code", "told"), list(rows()))
def test_what_is_said(run, tmp_path, command, files, code, told):
    call, stdin = shlex.split(command), files.get("")
    files = {"pairs.tsv": pairs(FEW), "mine.lp": "mine.\n", **files}
    files["pairs.csv"] = "Answer,Reference\na cat,a dog\n"
    for name in filter(None, files):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(files[name])
    before = set(tmp_path.iterdir())
    result = run(*call, stdin=stdin)
    assert result.exit_code == code, result.output
    texts = {"1>": result.stdout, "2>": result.stderr, "": result.stdout}
    if code and "1>" not in told:
        errors = re.findall(r"^error: (.*)", result.stderr, re.MULTILINE)
        # Of rule files all faults are told, of all else the first.
        assert len(errors) == 1 or re.match(r"(mine\.lp|pairs\.tsv):", errors[1])
        assert (result.stdout, set(tmp_path.iterdir())) == ("", before)
        texts[""] = errors[0]
    elif "-o" in call:
        assert result.stdout == ""
        texts[""] = Path(call[call.index("-o") + 1]).read_text("utf-8")
    for words in told.split(" | "):
        stream, sign, words = re.fullmatch(r"([12]>)?([\^/!])?(.*)", words, re.DOTALL).groups("")
        text = texts[stream]
        found = re.search(words, text, re.MULTILINE) if sign == "/" else words in text
        assert text.startswith(words) if sign == "^" else bool(found) == (sign != "!"), text
