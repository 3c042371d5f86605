"""What weights are of, and what they may be: names of evidence, classes, senses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Key: TypeAlias = tuple[str, str]
"""A name of evidence and a class of decision."""

Sense: TypeAlias = tuple[bool, bool]
"""Whether a name may argue for, and whether it may argue against."""

Senses: TypeAlias = Mapping[Key, Sense]
"""The senses of names, or of what the names of a family begin with."""
