"""The names that columns of tables usually have, in English and Spanish."""

from __future__ import annotations

import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAMES = {
    "numbered": "sentence sent sen s text t str string headline caption question input phrase "
    "oracion frase texto enunciado pregunta",
    "answer": "answer studentanswer response candidate respuesta respuestaalumno",
    "reference": "reference referenceanswer modelanswer model referencia respuestamodelo modelo",
    "id": "id idx index pairid pairindex pairidx sentenceid itemid answerid identificador",
    "student": "student studentid name code nr alumno alumna estudiante nombre codigo",
    "gold": "gold score goldscore similarity similarityscore rating label puntuacion similitud",
    "question": "question questionid pregunta idpregunta",
    "marks": "points marks mark puntos nota",
}
USUAL = {role: names.split() for role, names in _NAMES.items()}
"""Names by what a column holds, as :func:`folded` gives them, the likeliest first."""

_NUMBERED = [(f"{one}{a}", f"{one}{b}") for one in USUAL["numbered"] for a, b in ("12", "ab", "01")]
_COUPLES = (
    *_NUMBERED,
    *(("premise", "hypothesis"), ("premisa", "hipotesis"), ("text", "hypothesis")),
    *(("source", "target"), ("original", "paraphrase"), ("original", "parafrasis")),
    *((one, two) for one in USUAL["answer"] for two in USUAL["reference"]),
)
_KNOWN = {*chain(*_COUPLES), *chain(*USUAL.values())} - {"s", "t"}


def folded(title: object) -> str:
    """A title without capitals, accents, blanks and signs: ``Oración 1`` is ``oracion1``."""
    letters = unicodedata.normalize("NFD", str(title).casefold())
    return "".join(char for char in letters if char.isalnum())


def is_numbered(title: str) -> bool:
    """Whether a title names one of two sentences, as ``sentence1`` and ``text_a`` do."""
    return folded(title) in chain(*_NUMBERED)


def names_columns(cells: Sequence[object]) -> bool:
    """Whether a first row names columns: some names are known, or it is an id and two more."""
    titles = [folded(cell) for cell in cells]
    known = sum(1 for title in titles if title in _KNOWN)
    return known > 1 or (len(titles) == 3 and titles[0] in USUAL["id"])


def couple(columns: Sequence[str]) -> tuple[int, int] | None:
    """The two columns that hold sentences by their names, by number from 0."""
    titles = [folded(title) for title in columns]
    for one, two in _COUPLES:
        if one in titles and two in titles:
            return titles.index(one), titles.index(two)
    return None


def usual(columns: Sequence[str], names: Iterable[str]) -> int | None:
    """The first column that has one of these names, the first name that there is."""
    titles = [folded(title) for title in columns]
    return next((titles.index(name) for name in names if name in titles), None)
