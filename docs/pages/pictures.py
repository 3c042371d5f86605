"""The pictures of the site: an answer, a report in a browser, and how true percentages are."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import ists_asp
from docs.pages import ROOT
from ists_asp.report.picture import picture
from ists_asp.resources import data_dir

FOLDER = ROOT / "docs" / "pictures"
SENTENCES = ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan")
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" class="{}" {}><style>{}</style>{}</svg>\n'
_ROW = re.compile(r"^\| (\w[\w ]+) \| \d+ to \d+ \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
_AXES = """\
text{font:13px system-ui,sans-serif;fill:#5d6570}line{stroke:#8a94a3}circle{fill-opacity:.55}
@media (prefers-color-scheme:dark){text{fill:#a4adb9}}"""
_COLOURS = ("#1457b8", "#b3261e", "#176b35", "#8a4b00", "#7a2f9e")


def draw() -> list[Path]:
    """Draw all of them and return their files."""
    page = (ROOT / "docs" / "explanation" / "accuracy.md").read_text("utf-8")
    for name, text in (("alignment.svg", alignment()), ("reliability.svg", reliability(page))):
        (FOLDER / name).write_text(text, encoding="utf-8")
    _report(FOLDER / "report.png")
    _workbench(FOLDER)
    return sorted(FOLDER.iterdir())


def alignment() -> str:
    """The picture of the first page: the answer that its first command prints."""
    with ists_asp.load("headlines") as system:
        drawn = picture(system.solve(*SENTENCES))
    style = (data_dir() / "report" / "picture.css").read_text("utf-8")
    (size,) = re.findall(r'width="\d+" height="\d+" viewBox="[^"]*"', drawn.partition(">")[0])
    return _SVG.format("ists-asp", size, style, drawn)


def reliability(page: str) -> str:
    """What was said of decisions against how often they were right, from the table of a page.

    A circle is ten percent of a kind of decision; its area says how many decisions these are.
    """
    rows = [(kind, *map(int, numbers)) for kind, *numbers in _ROW.findall(page)]
    kinds = dict(zip(dict.fromkeys(row[0] for row in rows), _COLOURS, strict=True))
    parts = ['<line x1="50" y1="330" x2="350" y2="30" stroke-dasharray="4 4"/>']
    parts += ['<line x1="50" y1="330" x2="350" y2="330"/><line x1="50" y1="330" x2="50" y2="30"/>']
    for at in range(0, 101, 20):
        parts.append(f'<text x="{50 + 3 * at}" y="348" text-anchor="middle">{at}</text>')
        parts.append(f'<text x="42" y="{334 - 3 * at}" text-anchor="end">{at}</text>')
    parts.append('<text x="200" y="370" text-anchor="middle">said, percent</text>')
    parts.append('<text x="50" y="18" text-anchor="middle">right, percent</text>')
    for kind, count, said, right in rows:
        where = f'cx="{50 + 3 * said}" cy="{330 - 3 * right}" r="{2 + count**0.5 / 12:.1f}"'
        parts.append(f'<circle {where} fill="{kinds[kind]}"/>')
    for number, (kind, colour) in enumerate(kinds.items()):
        y = 60 + 22 * number
        parts.append(f'<circle cx="380" cy="{y - 4}" r="6" fill="{colour}"/>')
        parts.append(f'<text x="394" y="{y}">{kind}</text>')
    return _SVG.format("reliability", 'viewBox="0 0 500 380" width="500"', _AXES, "".join(parts))


def _report(file: Path) -> None:
    """The report that the first hour makes, in a Chromium of this machine."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    samples = data_dir() / "samples" / "headlines"
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "report.html")
        command = [sys.executable, "-m", "ists_asp", "report", "--profile", "headlines"]
        for option, name in (("sent1", "sent1.txt"), ("sent2", "sent2.txt"), ("gold", "gold.wa")):
            command += [f"--{option}", str(samples / name)]
        subprocess.run([*command, "-q", "-o", str(page_file)], check=True)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 720})
        page.goto(page_file.as_uri())
        page.locator("g.link[role=button]").nth(4).click()
        page.locator(".lead").wait_for()
        page.screenshot(path=str(file))
        browser.close()


def _workbench(folder: Path) -> None:
    """The views of the workbench as its tutorial goes through them."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        command = [sys.executable, "-m", "ists_asp", "serve", f"{place}/my-project", "-q"]
        with subprocess.Popen(
            [*command, "--no-browser"], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1100, "height": 700})
            page.set_default_timeout(120_000)
            page.goto(server.stdout.readline().strip())
            page.fill("#sent1", "A man in a red hat plays the guitar.")
            page.fill("#sent2", "A woman sings and plays an old piano.")
            page.wait_for_selector("#answer:not(.busy) #words:not(:empty)")
            page.locator("#picture .link rect").first.click()
            page.wait_for_selector("#why:not([hidden]) .sentence")
            page.screenshot(path=folder / "workbench-try.png")
            page.goto(page.url.partition("/try")[0] + "/words")
            for number, words in enumerate(("power = electricity", "destroys = gutted"), 1):
                left, sign, right = words.split()
                page.fill("tr.new input >> nth=0", left)
                page.select_option("tr.new select", sign)
                page.fill("tr.new input >> nth=1", right)
                page.click("tr.new button")
                page.wait_for_selector(f"table.words tbody tr:not(.new) >> nth={number - 1}")
            page.wait_for_selector("#progress", state="hidden")
            page.screenshot(path=folder / "workbench-words.png")
            for view, ready in (
                ("effects", "#busy:not(.on)"),
                ("rules", ".cm-content"),
                ("correct", "#picture svg"),
            ):
                page.goto(page.url.rpartition("/")[0] + f"/{view}")
                page.wait_for_selector(ready, state="attached")
                page.wait_for_load_state("networkidle")
                page.screenshot(path=folder / f"workbench-{view}.png")
            browser.close()
            server.terminate()
