"""Perturbed files, measured and checked by us and by the task's own scripts.

``python -m tests.fuzz official`` compares all of them; the suite takes a sample.
"""
