"""Many pairs, unattended: answers in order, whatever happens to those that decide them."""

from ists_asp.run.stream import run

__all__ = ["run"]
