"""The reader: what a small fine-tuned encoder holds about a pair of sentences.

It reads both sentences at once and says, in numbers, where chunks begin, which of the spans
that may become chunks are counterparts, what their label and their score would be. Those numbers
are opinions: rules weigh them against everything else (``lp_rules/reader``).

A model is a folder with ``encoder.onnx`` (int8), ``heads.npz`` and ``tokenizer.json``, made by
``data/reader/train``. ONNX Runtime and tokenizers are imported when the first pair is read.
Every pair is read by itself, so that what others are read with it changes nothing.
"""

from ists_asp.knowledge.reader.model import FILES
from ists_asp.knowledge.reader.opinions import (
    BOUND,
    LABELS,
    STEP,
    BoundaryOpinion,
    LinkOpinion,
    Opinion,
    Opinions,
    Span,
)
from ists_asp.knowledge.reader.reading import (
    SHIPPED,
    Reader,
    find_reader,
    reader_digest,
    shipped_reader,
)
from ists_asp.knowledge.reader.universal import USE, UniversalReader

__all__ = [
    "BOUND",
    "FILES",
    "LABELS",
    "SHIPPED",
    "STEP",
    "USE",
    "BoundaryOpinion",
    "LinkOpinion",
    "Opinion",
    "Opinions",
    "Reader",
    "Span",
    "UniversalReader",
    "find_reader",
    "reader_digest",
    "shipped_reader",
]
