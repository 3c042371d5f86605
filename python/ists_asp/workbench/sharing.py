"""Work in one file, to be sent: a pair, and the rule files and word tables that decide it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import msgspec

from ists_asp.errors import DataError
from ists_asp.rules.source import LARGEST, read_plain

_Sentence = Annotated[str, msgspec.Meta(max_length=2000)]


class Shared(msgspec.Struct, forbid_unknown_fields=True):
    """The pair of the Try page, its kind of text, and the rule files of a project by name."""

    profile: str
    project: str  # the profile of the project that it comes from
    sent1: _Sentence
    sent2: _Sentence
    rules: dict[str, str]

    @property
    def page(self) -> str:
        """The address of the pair below that of a server."""
        query = {"1": self.sent1, "2": self.sent2, "profile": self.profile}
        return f"/try?{urlencode(query, errors='replace')}"


def read_shared(path: Path) -> Shared:
    """Read a file that the Try page has saved; a DataError if it is none, or too large."""
    try:
        return msgspec.json.decode(read_plain(path, str(path), LARGEST, "file"), type=Shared)
    except msgspec.MsgspecError as error:
        expected = "a file that Share on the page Try has saved"
        raise DataError(str(error), where=str(path), expected=expected) from None
