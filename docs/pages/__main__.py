"""``python -m docs.pages`` writes the pages that are made from the code to docs/reference/."""

from docs.pages import ROOT, write

for file in write():
    print(file.relative_to(ROOT))
