"""Answers as a page for people: pictures, words, and the rules behind each link."""

from ists_asp.report.evidence import evidence
from ists_asp.report.gold import Comparison, Verdict, compare
from ists_asp.report.page import Entry, page
from ists_asp.report.picture import picture

__all__ = [
    "Comparison",
    "Entry",
    "Verdict",
    "compare",
    "evidence",
    "page",
    "picture",
]
