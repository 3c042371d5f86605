"""An answer in words: what both sentences say, and how they differ.

Rules decide what is said and in which order (``lp_rules/explanation/``); templates hold the
wording (``data/templates/``). Nothing is decided here.
"""

from ists_asp.explain.explainer import Explainer, Explanation, Statement
from ists_asp.explain.templates import Templates, load_templates

__all__ = ["Explainer", "Explanation", "Statement", "Templates", "load_templates"]
