"""English."""

from ists_asp.lang import Language

LANGUAGE = Language(
    code="en", lexicon="wordnet.sqlite", has_vectors=True, samples=("headlines", "images")
)
