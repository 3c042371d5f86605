"""Project folders of strangers: nothing outside changes, nothing hangs, each fault is one line.

A server is started on each, or it is opened in this process, without workers. Beside each folder
lies another one, into which all links lead. ``python -m tests.fuzz folders`` tries them.
"""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
import traceback
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, quote, urlsplit

from ists_asp.errors import IstsError
from ists_asp.io.wa import given_answer
from ists_asp.workbench.corrections import Action, Corrections, act
from ists_asp.workbench.feedback import Mark, Marks
from ists_asp.workbench.project import Project
from tests.serving import Server, start_server

SECONDS = 60
"""That a start or a request may take on a busy machine."""

VIEWS = ("try", "words", "rules", "effects", "correct", "learn", "report", "feedback")
PLACES = (
    *("workbench.toml", "rules", "corpora", "corrections", ".history", "feedback.jsonl"),
    *("rules/words.tsv", "rules/x.lp", "rules/a", "corpora/images", "corpora/t.csv"),
    *("corpora/t.gold.wa", "corpora/images/gold.wa", "corpora/images/sent1.chunk.txt"),
    *(".history/log.jsonl", ".history/lock", ".history/lesson", "corrections/.log.jsonl"),
    *("corrections/images.wa", "corrections/images.jsonl", "corpora/y.wa", "corpora/z.jsonl"),
)
LOGS = (".history/log.jsonl", "feedback.jsonl", "corrections/.log.jsonl")
NAMES = (
    *("a**b", "[x]", "a?b", "a\nb", "..x", "-rf", " ", "\u202egnp", "x" * 240, "{0}", "%2e%2e"),
    *("'", "\\..\\x", os.fsdecode(b"\xff"), "CON", "a.gold.wa", "\x1b]0;x\x07", "<img src=x>"),
)
PATHS = ("{outside}/made.py", "../../outside/made.py", "/etc/made", "a/../../../made", "", "a\n.lp")
JUNK = (
    *(b"", b"\0" * 999, b"\xff\xfe", b"[" * 100_000, b"{" * 99, b"1e999\n", b'"\\ud800"\n'),
    b"\n" * 999,
)


def record(random, log, outside):
    """A line of a log that nobody should write."""
    odd = (None, -1, 1e308, 10**30, "x", [], {}, [[1]], True, "\u202e", "x" * 10_000)
    path = random.choice(PATHS).format(outside=outside)
    if log == LOGS[0]:
        whole = {"when": 1.0, "edit": "an edit", "files": {"x.lp": "0" * 16}}
        name = random.choice((path, f"{path}.lp", "x.lp/y.lp", "x.lp"))
        changes = [{"files": {name: random.choice(("0" * 16, path, odd[3]))}}]
    elif log == LOGS[1]:
        whole = {"answer": "a", "references": ["b"], "verdict": "correct", "question": ""}
        changes = [{"references": random.choice(([], [path] * 21))}, {"verdict": path}]
    else:
        whole = {
            **{"when": 1, "corpus": "images", "action": "accept", "id": "1"},
            **{"sent1": "a dog", "sent2": "a cat", "chunks1": [[1, 2]], "chunks2": [[1, 2]]},
            **{"tokens1": ["a", "dog"], "tokens2": ["a", "cat"]},
        }
        line = {"tokens1": [1, 2], "tokens2": [1, 2], "label": "SIMI", "score": 3, "tags": []}
        wrong = random.choice((*odd, [9], [0, 1], [2, 1], 9, 4.99999999, "EQUI", "NOALI", "undo"))
        line |= {random.choice([*line]): wrong}
        whole["alignments"] = [line] * random.choice((1, 1, 2))
        wrong = random.choice((*odd, [[1, 1]], [[1, 1], [1, 2]], ["a b", "c"], path))
        names = ("chunks1", "tokens1", "sent1", "cost", "boundaries1")
        changes = [{"corpus": path}, {"id": path}, {"pair": ["", "", 1]}]
        changes += [{name: wrong} for name in names]
    changes += [{random.choice([*whole]): random.choice(odd)}, {}]
    text = json.dumps(whole | random.choice(changes)).encode()
    return text[: random.randrange(len(text))] if random.random() < 0.2 else text


def put(random, path, outside):
    """Put something in the place of a file or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    match random.randrange(10):
        case 0 | 1:
            path.symlink_to(outside / random.choice(("mine.txt", "folder", "new", ".")))
        case 2:
            os.mkfifo(path)
        case 3:
            with socket.socket(socket.AF_UNIX) as made, suppress(OSError):
                made.bind(str(path))
        case 4:
            device = random.choice((os.makedev(1, 5), os.makedev(1, 7), os.makedev(1, 8)))
            with suppress(PermissionError):
                os.mknod(path, stat.S_IFCHR | 0o666, device)
        case 5:
            path.mkdir()
        case 6:
            path.touch()
            os.truncate(path, 1 << 40)  # it takes no room
        case 7:
            os.link(outside / "mine.txt", path)
        case _:
            path.write_bytes(random.choice(JUNK))


def make_hostile(number, project, outside):
    """Make a good project folder the hostile one with a number."""
    random = Random(f"folder {number}")
    (project / "corpora" / "t.csv").write_text("sentence1,sentence2\na dog,a cat\n", "utf-8")
    (project / "rules" / "x.lp").write_text("% nothing\n", "utf-8")
    for _ in range(random.choice((1, 1, 2, 4))):
        place = project / random.choice(PLACES)
        with suppress(OSError):
            match random.randrange(4):
                case 0:
                    log = random.choice(LOGS)
                    lines = [record(random, log, outside) for _ in range(9)]
                    with (project / log).open("ab") as stream:
                        stream.write(b"\n".join(lines) + random.choice((b"\n", b"")))
                case 1:
                    folder = random.choice(("rules", "corpora", "corrections", ".history"))
                    ending = random.choice((".lp", ".tsv", ".csv", ".wa", ".jsonl", "", "/a.lp"))
                    path = project / folder / f"{random.choice(NAMES)}{ending}"
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(random.choice((b"a = b\n", b"id,sent1,sent2\n1,a,b\n", *JUNK)))
                case _:
                    put(random, place, outside)


def snapshot(folder):
    """What is in a folder: names, links, hashes, times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        text = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path)] = status.st_mode, status.st_mtime_ns, sha256(text).hexdigest()
    return found


def attempt(faults, work, *given, **named):
    """Do something that may be refused in a line."""
    try:
        return work(*given, **named)
    except IstsError as error:
        lines = getattr(error, "messages", [str(error)])  # of several faulty lines one each
        if not all(lines) or any("\n" in line for line in lines):
            faults.append(f"{work} {given}: {error!r}")
    except Exception:
        faults.append(f"{work} {given}: {traceback.format_exc()[-1500:]}")
    return None


def accepted(now, pair):
    """The answer to a pair as it is, or with nothing aligned."""
    return act(now or given_answer(pair, []), Action(id=pair.id, do="accept"))


def look(folder, read_only=False):
    """Open a project here, read all that it has, and write; what is wrong with that."""
    faults, told = [], []
    project = attempt(faults, Project, folder, None, told.append, read_only=read_only)
    if project is not None:
        attempt(faults, project.lock)
        corrections = Corrections(project)
        for name in attempt(faults, project.corpora) or ():
            corpus = attempt(faults, project.corpus, name)
            attempt(faults, corrections.mended, name)
            attempt(faults, project.stamps, name)
            if corpus and corpus.pairs:
                pair = corpus.pairs[0]
                made = partial(accepted, pair=pair)
                attempt(faults, corrections.change, name, pair.id, made, "accept")
                attempt(faults, partial(corrections.step, back=True), name)
        attempt(faults, project.save, "new.lp", "% new\n", None, "an edit")
        for state in project.states:
            attempt(faults, project.go_to, state.number)
        mark = Mark(question="", answer="a", references=["b"], verdict="correct")
        attempt(faults, Marks(project).put, mark)
        attempt(faults, Marks(project).read)
    return faults + [line for line in told if "\n" in line]


def serve(folder):
    """Start a server on a folder, open each page, and write; what is wrong with that."""
    faults = []
    with start_server(folder, "--quiet", stderr=subprocess.PIPE, errors="replace") as process:
        try:
            signal.alarm(3 * SECONDS)
            address = urlsplit(process.stdout.readline().strip())
            if address.netloc:
                token = parse_qs(address.query)["token"][0]
                faults += asked(Server(folder, process, address.port, token))
            else:
                process.wait(SECONDS)
                if process.returncode not in (1, 2):
                    faults.append(f"it ended with {process.returncode}")
        except Exception:
            faults.append(traceback.format_exc()[-1500:])
        finally:
            signal.alarm(0)
            process.terminate()
            errors = process.communicate(timeout=SECONDS)[1]
        if "Traceback" in errors or errors.count("\n") > 110:
            faults.append(errors[-1500:])
    return faults


def asked(server):
    """What is wrong with the answers to requests."""
    faults = []

    def send(path, body=None, method=None):
        began = time.monotonic()
        status, _, told = server.send(path, body, method)
        if status >= 500 or time.monotonic() - began > SECONDS:
            faults.append(f"{path}: {status} in {time.monotonic() - began:.0f} s: {told[:300]}")
        return json.loads(told) if status == 200 and told.startswith((b"{", b"[")) else {}

    for view in VIEWS:
        send(f"/{view}")
    for path in ("rules", "words", "learning", "effects", "feedback/marks"):
        send(f"/project/{path}")
    for name in (quote(corpus) for corpus in [*send("/project/learning").get("counts", ())][:5]):
        send(f"/project/corrections/{name}")
        send(f"/project/corrections/{name}/export")
        send(f"/project/corrections/{name}/undo", {})
    send("/project/corrections/t.csv", {"id": "2", "do": "accept"})
    send("/project/rules/file", {"name": "new.lp", "text": "% new\n", "before": None}, "PUT")
    mark = {"answer": "a", "references": ["b"], "verdict": "correct"}
    send("/project/feedback/marks", mark, "PUT")
    return faults


def tried(number, work, template=None):
    """What is wrong with how the hostile folder with a number is opened."""
    with tempfile.TemporaryDirectory() as made:
        project, outside = Path(made, "project"), Path(made, "outside")
        (outside / "folder").mkdir(parents=True)
        (outside / "mine.txt").write_text("mine\n")
        if template is None:
            Project(project, "baseline")
        else:
            shutil.copytree(template, project)
        make_hostile(number, project, outside)
        before = snapshot(outside)
        faults = work(project)
        changed = {*before.items()} ^ {*snapshot(outside).items()}
        faults += [f"outside: {path} {found}" for path, found in sorted(changed)]
        faults += [f"a draft is left: {path}" for path in project.rglob("*.part")]
        faults += ["/etc/made was made"] * Path("/etc/made").exists()
        return "\n".join(faults)


def faults_of(numbers, light=False):
    """Each number, with what is wrong with how the hostile folder with it is opened."""
    with tempfile.TemporaryDirectory() as made:
        good = Path(made, "good")
        Project(good, "baseline")
        # Servers decide all pairs: two of a corpus are enough.
        for path in good.glob("corpora/*/*.txt"):
            path.write_text("".join(path.read_text("utf-8").splitlines(True)[:2]), "utf-8")
        for number in numbers:
            yield number, tried(number, look if light else serve, good)
