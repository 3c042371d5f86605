"""Many pairs, unattended: answers in order, and runs that can be resumed."""

from ists_asp.run.stream import run

__all__ = ["run"]
