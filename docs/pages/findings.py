"""The page of what rules check finds, made from findings.md beside this file."""

from __future__ import annotations

import re
from pathlib import Path

from ists_asp.rules.check.model import SEVERITIES

EXAMPLE = re.compile(r"```(?:prolog|text) (\S+)\n(.*?)```", re.DOTALL)
"""A file: its name, and what it says."""

_HEAD = re.compile(r"^## (\S+)$", re.MULTILINE)


def findings() -> str:
    """The page as Markdown: each code with its severity, what it means, and examples."""
    text = Path(__file__).with_suffix(".md").read_text("utf-8")
    told = _HEAD.findall(text)
    assert told == sorted(SEVERITIES), set(SEVERITIES).symmetric_difference(told)
    text = _HEAD.sub(lambda match: f"## `{match[1]}`\n\n*{SEVERITIES[match[1]]}*", text)
    return EXAMPLE.sub(lambda match: f"`{match[1]}`:\n\n```prolog\n{match[2]}```", text)
