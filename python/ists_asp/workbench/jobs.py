"""Commands of ``ists-asp`` run as children: one after the other, with progress, until cancelled."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ists_asp.errors import UsageError
from ists_asp.resources import Closing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PATIENCE = 3.0
"""Seconds that a child has to end before it is killed."""

_PERCENT = re.compile(rb"(\d+)%")
_STYLED = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]*\r(?!\n)|\r")
"""What a terminal does not show as text, and what was overwritten there."""


class Job(Closing):
    """A job that may run: some commands, of which each begins if the one before went well."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self.state: dict[str, Any] = {"running": False}

    def start(self, steps: Mapping[str, list[str]], done: Callable[[list[str]], None]) -> None:
        """Begin: what each step is called, and its command; ``done`` gets what they printed.

        Raises:
            UsageError: a job is running.
        """
        with self._lock:
            if self.state["running"]:
                raise UsageError("a job is running", hint="Wait until it has ended, or cancel it")
            self._ended, self.state = False, {"running": True, "percent": 0, "fault": None}
            threading.Thread(target=self._run, args=(steps, done), daemon=True).start()

    def cancel(self) -> None:
        """End the job and all processes that it has begun."""
        with self._lock:
            self._ended, process = True, self._process
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process is not None and process.poll() is None:
                with suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    os.killpg(process.pid, number)
                    process.wait(_PATIENCE)

    close = cancel

    def _run(self, steps: Mapping[str, list[str]], done: Callable[[list[str]], None]) -> None:
        said: list[str] = []
        try:
            for number, (name, command) in enumerate(steps.items(), 1):
                self.state |= {"step": f"{number} of {len(steps)}: {name}", "percent": 0}
                code, text = self._command(command)
                if code or self._ended:
                    # The last line says why.
                    last = (text.split("\n")[-2:] or [""])[0]
                    self.state["fault"] = "cancelled" if self._ended else last or f"code {code}"
                    return
                said.append(text)
            done(said)
        # There is nobody else to tell.
        except Exception as error:
            self.state["fault"] = str(error)
        finally:
            self.state["running"] = False

    def _command(self, arguments: list[str]) -> tuple[int, str]:
        """Run a command of ists-asp: its exit code, and what it printed."""
        # It shows how far it is where people look: on a terminal.
        ours, theirs = pty.openpty()
        text = b""
        with open(ours, "rb", buffering=0) as stream:  # noqa: PTH123 (a file that is open)
            with self._lock, open(theirs, "wb") as terminal:  # noqa: PTH123
                if self._ended:
                    return 1, ""
                self._process = process = subprocess.Popen(
                    [sys.executable, "-m", "ists_asp", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=terminal,
                    stderr=terminal,
                    start_new_session=True,
                    env={**os.environ, "TERM": "xterm", "COLUMNS": "200", "NO_COLOR": "1"},
                )
            with suppress(OSError):
                while some := stream.read(1 << 16):
                    text += some
                    if found := _PERCENT.findall(some):
                        self.state["percent"] = int(found[-1])
        return process.wait(), _STYLED.sub("", text.decode(errors="replace"))
