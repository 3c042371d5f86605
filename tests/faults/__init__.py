"""Faults injected into the command, one after the other."""
