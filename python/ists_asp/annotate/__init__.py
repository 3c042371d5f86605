"""Stanza behind a typed adapter: tokens in, tokens with tagged words out.

Importing this package is cheap; Stanza and torch are imported, and models are read, when an
:class:`Annotator` is first asked for something that its cache does not know.
"""

from ists_asp.annotate.annotator import Annotator

__all__ = ["Annotator"]
