"""Commands in Markdown pages: found, run as written, and compared with what the page shows.

``python -m tests.tours PAGE...`` runs the commands of pages and writes what they print into them;
with ``--only WORD`` those alone that have the word, such as ``"ists-asp explain"``.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LINKED = ("asp", "benchmarks", "data", "lp_rules")
# clingo's exit codes for an answer set, for all of them, and for both.
_CLINGO = (10, 20, 30)
_BLOCK = re.compile(r"(?:^<!-- (\w+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SESSION = """
import contextlib, io, json
names, printed = {}, []
for text in json.load(open("blocks.json")):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        exec(text, names)
    printed.append(told.getvalue())
json.dump(printed, open("printed.json", "w"))
"""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the comment above it and the block below it."""

    line: int
    mark: str
    language: str
    text: str
    output: str | None


def blocks(page):
    found = list(_BLOCK.finditer(page))
    for match, after in zip_longest(found, found[1:]):
        follows = after is not None and not page[match.end() : after.start()].strip()
        output = after[3] if follows and after[2] == "text" else None
        line = page.count("\n", 0, match.start()) + 1
        yield Block(line, match[1] or "", match[2], match[3], output)


def shown(pages):
    """The commands of pages, by name, that print what the pages say."""
    for name, text in pages.items():
        for block in blocks(text):
            if block.language in ("sh", "python") and not block.mark:
                yield name, block


def make_place(folder):
    """Make of an empty folder one with links to the checkout's, and commands in ``.bin``."""
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    scripts = folder / ".bin"
    scripts.mkdir()
    for name, arguments in (("python", ""), ("ists-asp", "-m ists_asp ")):
        script = scripts / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments}"$@"\n')
        script.chmod(0o755)
    return folder


def do(place, block):
    text = block.text
    if block.language == "python":
        (place / "tour.py").write_text(text, encoding="utf-8")
        text = "python tour.py"
    return run(place, text, accepted=(0, *_CLINGO) if "python -m " in text else (0,))


def session(place, some):
    """Do what blocks say, all in Python and in one session; what each prints."""
    (place / "blocks.json").write_text(json.dumps([block.text for block in some]))
    (place / "tour.py").write_text(_SESSION)
    run(place, "python tour.py")
    return json.loads((place / "printed.json").read_text())


def refresh(page, only=""):
    """Write what the commands of a page print into it, one after the other."""
    text = page.read_text("utf-8")
    with TemporaryDirectory() as folder:
        place = make_place(Path(folder))
        found = [block for _, block in shown({page.name: text}) if only in block.text]
        together = session(place, found) if page.name == "python.md" else []
        for place_of, block in enumerate(found):
            printed = together[place_of] if together else do(place, block)
            if block.output not in (None, printed):
                before = f"```{block.language}\n{block.text}```\n\n```text\n"
                text = text.replace(f"{before}{block.output}```", f"{before}{printed}```")
        page.write_text(text, encoding="utf-8")


def run(place, text, *, accepted=(0,)):
    environment = {
        **os.environ,
        "PATH": f"{place / '.bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "OMP_NUM_THREADS": "1",
    }
    command, streams = ["bash", "-euo", "pipefail", "-c", text], {"capture_output": True}
    done = subprocess.run(
        command, cwd=place, env=environment, encoding="utf-8", check=False, **streams
    )
    assert done.returncode in accepted, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="a word of the commands to run")
    given = parser.parse_args()
    for page in given.pages:
        refresh(page, given.only)
