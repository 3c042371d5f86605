"""Perturbed files, measured and checked by us and by the task's own scripts.

``python -m tests.official`` compares all of them and prints a table; the suite takes a sample.
"""
