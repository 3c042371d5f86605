"""Links of a site that are looked up in it alone: nothing is asked of the net.

``python -m tests.links FOLDER`` tells every link and picture of the HTML files in the folder that
leads to no file, or to no place of its file; links to other hosts are passed over.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page links to, and the places that can be linked to."""

    def __init__(self, file):
        super().__init__()
        self.links, self.places = set(), {"", "top"}
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[key] for key in ("id", "name") if given.get(key)}
        self.links |= {given[key] for key in ("href", "src") if given.get(key)}


def broken(folder):
    """The faulty links of a site: the page, and the link as it is written."""
    pages = {file.resolve(): _Page(file) for file in sorted(folder.rglob("*.html"))}
    assert pages, f"{folder} has no pages"
    for file, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            lost = target in pages and unquote(parts.fragment) not in pages[target].places
            if not (parts.scheme or parts.netloc) and (lost or not target.is_file()):
                yield f"{file.relative_to(folder.resolve())}: {link}"


if __name__ == "__main__":
    found = list(broken(Path(sys.argv[1])))
    print("\n".join(found) or "all links lead somewhere")
    sys.exit(bool(found))
