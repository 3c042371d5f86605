"""Weights learned from gold: features are read out of the ground program, so every rule counts.

``learn`` grounds the feature rules on gold pairs (:mod:`~ists_asp.learn.examples`), fits
regularised linear models to the four decisions and writes their weights as facts
(:mod:`~ists_asp.learn.fit`), and chooses how readily to align (:mod:`~ists_asp.learn.cross`).
"""

from ists_asp.learn.confidence import fit_table
from ists_asp.learn.cross import CrossValidation, cross_validate, learn_weights
from ists_asp.learn.examples import Example, ExampleBuilder, read_gold, read_weights
from ists_asp.learn.fit import Settings, Weight
from ists_asp.learn.rendering import render_table, render_weights

__all__ = [
    "CrossValidation",
    "Example",
    "ExampleBuilder",
    "Settings",
    "Weight",
    "cross_validate",
    "fit_table",
    "learn_weights",
    "read_gold",
    "read_weights",
    "render_table",
    "render_weights",
]
