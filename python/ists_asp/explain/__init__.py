"""An answer in words: rules decide what is said, and in which order; templates hold the wording."""

from ists_asp.explain.explanation import Explanation, Statement
from ists_asp.explain.templates import Templates, load_templates

__all__ = ["Explanation", "Statement", "Templates", "load_templates"]
