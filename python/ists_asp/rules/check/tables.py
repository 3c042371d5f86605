"""Entries of word tables that match nothing, or contradict one another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.entries import entries, faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.rules.check.source import Checked


def check_tables(checked: Checked) -> Iterator[Finding]:
    """Look through the word tables."""
    for fault in faults(entries(checked.rules), {str(path) for path in checked.own}):
        entry = fault.entry
        path = Path(entry.file)
        place = entry.line, checked.text(path).character(entry.line, entry.column)
        yield checked.finding(Severity.WARNING, "entry", path, place, fault.found, fault.hint)
