"""How Sphinx makes the site: ``nox -s docs``."""

from ists_asp import __version__

project = "ists-asp"
copyright = "the ists-asp authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"ists-asp {release}"
html_show_sphinx = False
exclude_patterns = ["pages"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
# Only names of ists-asp itself are looked for: nothing is asked of the net.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!ists_asp\.).*"),
    ("py:mod", r".*"),
    ("py:class", r"ists_asp\.(trace\.\w+|syntax\.ground|rules\.\w+|engine\.preparation)\..*"),
]
