"""Answers as a page for people: pictures, words, and the rules behind each link."""

from ists_asp.report.page import Comparison, Entry, Report, Verdict, compare, evidence, page
from ists_asp.report.picture import picture

__all__ = ["Comparison", "Entry", "Report", "Verdict", "compare", "evidence", "page", "picture"]
