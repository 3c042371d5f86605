"""What all routes share: the project, the desks, and whether anything may be changed."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from ists_asp.workbench.desk import Desks
    from ists_asp.workbench.project import Project


class ReadOnlyError(UsageError):
    """Something was to be changed where nothing may be."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A project at work; what is ``closing`` ends with the server."""

    project: Project
    desks: Desks
    read_only: bool = False
    closing: ExitStack = field(default_factory=ExitStack)

    def check_writable(self) -> None:
        """Refuse changes to what is shown only.

        Raises:
            ReadOnlyError: the server was begun with ``--read-only``.
        """
        if self.read_only:
            raise ReadOnlyError(
                "nothing can be changed here", hint="The server was started with --read-only"
            )
