"""The documentation as pages of the workbench, without a network."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ists_asp.resources import docs_dir

_ORDER = """
Tutorials: tutorials/ workbench first-hour feedback rules tables
How to: howto/ small-edits learn ratings spanish many-pairs python programs
Reference: reference/ commands formats vocabulary evidence kinds findings
Explanation: explanation/ design traces accuracy limits scaling reader
"""
PARTS = {
    part: [folder + name for name in names]
    for part, _, rest in (line.partition(": ") for line in _ORDER.strip().splitlines())
    for folder, *names in [rest.split()]
}
"""The names of the pages of each part, in the order of reading; a release alone has some."""
PARTS["Reference"].append("glossary")
_TERM = re.compile(r"^(\S.*)\n((?:[ ]+\S.*\n?)+)", re.MULTILINE)


class Page(NamedTuple):
    """A page: the name in its address, its title, and its text as HTML."""

    name: str
    title: str
    html: str


@cache
def pages() -> dict[str, Page]:
    """The pages that are there by their names, such as ``tutorials/rules``."""
    files = {name: docs_dir() / f"{name}.md" for names in PARTS.values() for name in names}
    existing = {name: file for name, file in files.items() if file.is_file()}
    return {name: _page(name, file.read_text("utf-8"), existing) for name, file in existing.items()}


def _page(name: str, text: str, existing: Iterable[str]) -> Page:
    # HTML is shown, not obeyed; these are marks between which tables are written.
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    glossary = re.search(r"```\{glossary\}\n(.*?)```", text, re.DOTALL)
    if glossary:
        # Terms, each above its text.
        terms = _TERM.sub(lambda at: f"**{at[1]}** – {' '.join(at[2].split())}\n\n", glossary[1])
        text = text.replace(glossary[0], terms)
    tokens = parser.parse(text)
    _relink(tokens, name, set(existing))
    title = next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    return Page(name, title.partition(":")[0], parser.renderer.render(tokens, parser.options, {}))


def _relink(tokens: Sequence[Token], name: str, existing: set[str]) -> None:
    """Let links lead to pages here; headings have the anchors that links to them have."""
    for number, token in enumerate(tokens):
        # Alignment of cells, which the policy for styles forbids.
        token.attrs.pop("style", None)
        if token.type == "heading_open":
            words = re.sub(r"[^\w -]", "", tokens[number + 1].content.lower())
            token.attrs["id"] = words.strip().replace(" ", "-")
        _relink(token.children or (), name, existing)
        for key in token.attrs.keys() & {"href", "src"}:
            address = str(token.attrs[key])
            target, mark, anchor = address.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if path.removesuffix(".md") in existing and target:
                token.attrs[key] = f"/help/{path.removesuffix('.md')}{mark}{anchor}"
            elif path.startswith("pictures/"):
                token.attrs[key] = f"/help/{path}"
            elif target and not target.startswith(("http:", "https:")):
                # A file of the repository, which a wheel does not have.
                del token.attrs[key]
