"""Interpretable semantic textual similarity, decided by answer set programming rules."""

__version__ = "0.1.0"
