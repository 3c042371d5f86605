"""``python -m ists_asp`` is the command ``ists-asp``."""

from ists_asp.cli import run

run()
