"""A toy language."""

from ists_asp.lang import Language

LANGUAGE = Language(code="toy", stanza="en", plain=lambda word: word.replace("oo", "u"))
