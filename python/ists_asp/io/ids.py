"""The ids of pairs that have been read, kept on disk: a million of them take no memory."""

from __future__ import annotations

import sqlite3

from ists_asp.closing import Closing
from ists_asp.errors import DataError, shortened


class Ids(Closing):
    """Ids with the numbers of their lines; a context manager.

    SQLite keeps them in a file without a name, in the system's folder for such files, as soon
    as there are more than a few thousand.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def close(self) -> None:
        """Forget the ids."""
        self._database.close()

    def add(self, identifier: str, line: int, file: str) -> None:
        """Take an id.

        Args:
            identifier: the id.
            line: where it stands.
            file: the file, for messages.

        Raises:
            DataError: it was taken, or there is no room on disk.
        """
        try:
            self._database.execute("INSERT INTO ids VALUES (?,?)", (identifier, line))
        except sqlite3.IntegrityError:
            found = self._database.execute("SELECT line FROM ids WHERE id = ?", (identifier,))
            ((first,),) = found
            raise DataError(
                f"the id '{shortened(identifier)}' again, first at {file}:{first}",
                where=f"{file}:{line}",
                expected="one line an id",
            ) from None
        except sqlite3.OperationalError as error:
            raise DataError(
                f"the ids of its pairs cannot be kept: {error}",
                where=file,
                hint="Make room in the folder for temporary files (TMPDIR)",
            ) from None
