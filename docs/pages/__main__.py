"""``python -m docs.pages`` writes the generated pages of ``docs/`` again."""

from docs.pages import ROOT, write

write(ROOT / "docs")
