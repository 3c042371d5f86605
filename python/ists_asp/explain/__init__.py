"""An answer in words: what both sentences say, and how they differ.

Rules decide what is said and in which order (``lp_rules/explanation/``); templates hold the
wording (``data/templates/``). Nothing is decided here.
"""

from ists_asp.explain.explanation import Explanation, Statement
from ists_asp.explain.templates import Templates, load_templates

__all__ = ["Explanation", "Statement", "Templates", "load_templates"]
