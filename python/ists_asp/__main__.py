"""``python -m ists_asp`` is the command ``ists-asp``."""

from ists_asp.cli import main

main(prog_name="ists-asp")
