"""Damaged inputs, read in process: ``python -m tests.fuzz inputs`` tries them.

Each is a good file that was cut, repeated, shuffled, mixed with another or sprinkled with odd
characters, and then read as its kind is. Whatever it holds, reading ends within its time, with
what was read or one line that says what is wrong; and what was read is all that there is.
"""

import json
import signal
import tempfile
import time
import tomllib
import traceback
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from random import Random

import clingo.ast
import msgspec

from ists_asp.annotate import cut_text
from ists_asp.errors import IstsError
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.formats import answer_record, read_record
from ists_asp.io.pairs import find_places, read_pairs, table_pairs
from ists_asp.io.tables import Table
from ists_asp.io.text import TomlError, parse_toml
from ists_asp.io.wa import given_answer, read_wa
from ists_asp.lang import languages
from ists_asp.resources import data_dir, rules_dir
from ists_asp.rules import find_rules, load_rules
from ists_asp.terminal import visible
from ists_asp.workbench.project import Project
from tests.fuzz.rules import in_child
from tests.serving import serving

SECONDS = 10
"""Seconds of processor time that nothing takes: most take a thousandth."""

TOGETHER = 250
"""Inputs that a child tries: one that dies takes no others with it."""

ODD = [
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b"\x1b[2J", b"\x85"),
    *("\u202e", "\u2028", "\ufeff", "\U0001f469\u200d\U0001f52c", "e\u0301", "\ud800", "\u0130"),
    *('"', "'", "\\", "`", "[", "]", "{", "}", "<", ">", "%*", "*%", "%@rule", "#include", "@f(1)"),
    *("//", "<==>", "=", "<>", ";", "\t", ",", "|", "-1", "0", "1e999", "NaN", "null", "true"),
    *("</sentence>", '<sentence id="1" status="">', "</alignment>", "#script(python)", "#const"),
]
"""What is sprinkled over inputs."""
SERVERS = []
"""The workbench that gets requests, once it is there; read-only, so that nothing is changed."""
ROUTES = (
    *("/api/solve", "/api/explain", "/api/rate", "/api/why", "/api/why-not", "/api/picture"),
    *("/api/batch", "/project/corrections/headlines", "/project/learning", "/project/words"),
)


@cache
def seeds(kind):
    """Good inputs of a kind."""
    samples = data_dir() / "samples"
    folder, ending = {
        **{"rules": (rules_dir(), ".lp"), "toml": (rules_dir(), ".toml")},
        **{"wa": (samples, "gold.wa"), "chunks": (samples, ".chunk.txt")},
    }.get(kind, (samples, ".txt"))
    paths = sorted(sorted(folder.rglob(f"*{ending}")), key=lambda path: path.stat().st_size)
    texts = [path.read_bytes() for path in paths[:60]]
    lines = [text.decode().splitlines() for text in texts[:1] + texts[-1:]]
    sides = list(zip(*lines, strict=False))[:12] if ending == ".txt" else []
    pair = {"sent1": "a dog sleeps", "sent2": "a cat sleeps"}
    match kind:
        case "words":
            return [b"power = electricity\nsold <> bought # a comment\n\nbig dog = large dog\n"]
        case "csv":
            rows = "".join(f'{number},"{one}","{two}"\n' for number, (one, two) in enumerate(sides))
            return [f"id,sent1,sent2\n{rows}".encode()]
        case "tsv":
            return ["".join(f"{n}\t{one}\t{two}\n" for n, (one, two) in enumerate(sides)).encode()]
        case "jsonl":
            rows = (json.dumps({"id": n, "sent1": a, "sent2": b}) for n, (a, b) in enumerate(sides))
            return ["\n".join(rows).encode()]
        case "http":
            bodies = [
                *(pair, pair | {"decision": ["1 2 <==> 1 2"]}, pair | {"id": "x", "profile": "es"}),
                {"tokens1": ["a", "dog"], "chunks1": [[1, 2]], "tokens2": ["a", "cat"]},
                {"id": "1", "do": "label", "tokens1": [1], "tokens2": [1], "label": "SIMI"},
                {"corpora": ["headlines"], "folds": 5},
            ]
            lines = b"\n".join([json.dumps(pair).encode()] * 2)
            return [*(json.dumps(body).encode() for body in bodies), lines]
        case "answers":
            gold = read_wa(min(samples.rglob("gold.wa")))
            answers = (given_answer(one.pair("1"), one.to_alignments()) for one in gold)
            return [msgspec.json.encode(answer_record(answer)) for answer in answers][:30]
    return texts


def damaged(kind, number):
    """The input with a number: a good one, damaged once or more."""
    random = Random(f"{kind} {number}")
    data = bytearray(random.choice(seeds(kind)))
    if len(data) > 6000 and random.random() < 0.8:
        begin = random.randrange(len(data) - 3000)
        data = data[begin : begin + random.randrange(3000)]
    for _ in range(random.choice((0, 1, 1, 2, 3, 8))):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + int(random.expovariate(1 / 40)))
        odd = random.choice(ODD)
        odd = odd if isinstance(odd, bytes) else odd.encode("utf-8", "surrogatepass")
        match random.randrange(7):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = data[at:end] * random.choice((1, 2, 50))
            case 2:
                data[at:at] = odd
            case 3:
                data[at:end] = odd * random.choice((1, 3, 400))
            case 4:
                del data[at:]
            case 5 if data:
                data[at - 1] ^= 1 << random.randrange(8)
            case _:
                other = random.choice(seeds(random.choice([*KINDS])))
                begin = random.randrange(len(other) + 1)
                data[at:at] = other[begin : begin + random.randrange(200)]
    return bytes(data[: 1 << 19])


def try_rules(path):
    """Read a rule file; clingo alone finds as many statements in it."""
    found = load_rules(find_rules(path))
    kinds, alone = (clingo.ast.ASTType.Comment, clingo.ast.ASTType.Program), []
    clingo.ast.parse_files([str(path)], alone.append)
    own, all_ = (
        sum(node.ast_type not in kinds for node in each) for each in (found.statements, alone)
    )
    assert own == all_, f"{own} statements of {all_}"


def try_words(path):
    """Read a table of words; each line with anything but a comment is one fact."""
    found = load_rules(find_rules(path))
    text = path.read_bytes().decode().replace("\ufeff", "")
    wanted = [line for line in text.split("\n") if line.partition("#")[0].strip()]
    facts = [rule for rule in found.rules if "(" in rule.text]
    assert len(facts) == len(wanted), f"{len(facts)} facts of {len(wanted)} lines"


def try_wa(path):
    """Read answers; each sentence is there, or something was said."""
    said = []
    found = list(read_wa(path, warn=said.append))
    check_file(path)
    opened = sum(line.lstrip().startswith(b"<sentence") for line in path.read_bytes().split(b"\n"))
    assert said or len(found) == opened, f"{len(found)} sentences of {opened}"


def try_chunks(path):
    """Read chunks of both sentences; there are as many pairs as lines."""
    said = []
    found = list(read_pairs(path, path, chunked=True, warn=said.append))
    data = path.read_bytes().replace(b"\r\n", b"\n")
    lines = data.rstrip(b"\n").count(b"\n") + 1 if data.strip(b"\n") else 0
    assert said or len(found) == lines, f"{len(found)} pairs of {lines} lines"


def try_table(path):
    """Read pairs; each row is a pair or an error."""
    table = Table(path)
    rows = sum(1 for _ in Table(path).rows())
    found = [pair for _, pair in table_pairs(table, find_places(table))]
    assert len(found) == rows, f"{len(found)} of {rows} rows"


def try_answers(path):
    """Read an answer; what was read is written and read alike."""
    try:
        record = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return
    answer = read_record(record)
    assert read_record(answer_record(answer)) == answer, "it comes back changed"


def try_toml(path):
    """Read TOML; what is taken is what the standard library finds."""
    data = path.read_bytes()
    with suppress(TomlError):
        text, found = parse_toml(data)
        assert found == tomllib.loads(text), "other values"


def try_text(path):
    """Cut a text; nothing but blanks goes, and a terminal obeys nothing in it."""
    text = path.read_bytes().decode("utf-8", "replace")
    for language in languages().values():
        tokens = list(cut_text(text, text.split(), language.words))
        assert "".join(tokens) == "".join(text.split()), "the tokens are not the text"
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in visible(text)), "control"


def try_http(path):
    """Send a body to a route; what comes back is an answer or one line, and no fault of ours."""
    body = path.read_bytes()
    route = ROUTES[len(body) % len(ROUTES)]
    if b'"decision"' in body and len(body) % 2:
        route = "/api/why"
    status, _, told = SERVERS[-1].send(route, body)
    assert status < 500, f"{route}: {status} {told[:300]!r}"
    if status >= 400:
        error = json.loads(told)["error"]
        assert error, f"{route}: {told!r}"
        assert "\n" not in error, f"{route}: {error!r}"
    elif route == "/api/batch":
        lines = list(filter(None, body.splitlines()))
        assert len(list(map(json.loads, told.splitlines()))) == len(lines), "lines are lost"


@contextmanager
def served(kind):
    """A workbench for those that need one."""
    if kind != "http":
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        Project(Path(folder, "project"), "baseline")
        with serving(f"{folder}/project", "--read-only") as server:
            SERVERS.append(server)
            yield
            assert server.process.poll() is None, "the server has ended"


KINDS = {
    **{"rules": (try_rules, ".lp"), "words": (try_words, ".tsv"), "wa": (try_wa, ".wa")},
    **{"chunks": (try_chunks, ".chunk.txt"), "answers": (try_answers, ".json")},
    **{kind: (try_table, f".{kind}") for kind in ("csv", "tsv", "jsonl")},
    **{"toml": (try_toml, ".toml"), "text": (try_text, ".txt"), "http": (try_http, ".json")},
}


def tried(kind, number, folder):
    """What is wrong with how an input is read; empty if nothing is."""
    work, ending = KINDS[kind]
    path = Path(folder) / f"input{ending}"
    path.write_bytes(damaged(kind, number))
    began = time.process_time()
    try:
        work(path)
    except IstsError as error:
        told = visible(str(error))
        first = told.split("\n")[0]
        if not first or len(first) > 5000:
            return f"an error of {len(first)} characters"
    except Exception:
        return traceback.format_exc()
    took = time.process_time() - began
    return f"{took:.1f} s" if took > SECONDS else ""


def faults_of(numbers):
    """Each number, with what is wrong with how the input with it is read: kinds take turns."""
    for place, kind in enumerate(KINDS):
        own = range(*(-(-(end - place) // len(KINDS)) for end in (numbers.start, numbers.stop)))
        with served(kind):
            for begin in range(0, len(own), TOGETHER):
                for number, fault in _faults_of(kind, own[begin : begin + TOGETHER]):
                    yield number * len(KINDS) + place, fault and f"{kind} {number}: {fault}"


def _faults_of(kind, numbers):
    """Number and fault of each input of a kind, of what ends the child that tries them as well."""

    def work():
        with tempfile.TemporaryDirectory() as folder:
            for number in numbers:
                signal.setitimer(signal.ITIMER_VIRTUAL, 3 * SECONDS)
                yield number, tried(kind, number, folder)

    told, code = in_child(work, 6 << 30)
    yield from told
    if code:
        last, rest = numbers[len(told) : len(told) + 1] or numbers[-1:], numbers[len(told) + 1 :]
        yield last[0], f"the process ended with {code}"
        if rest:
            yield from _faults_of(kind, rest)
