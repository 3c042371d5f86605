"""Commands in pseudo-terminals: run in forks of a process that has imported everything.

As a module it makes terminals; as a program it is that process, which reads commands from
standard input and says on standard output what they wrote on their terminal.
"""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import unicodedata
from typing import NamedTuple

SECONDS = 120.0  # that a terminal may be silent before what holds it is killed


def acts(character):
    """Whether a terminal, or who reads from it, obeys a character rather than shows it."""
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character)
        in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        or character in "\u061c\u200e\u200f"
    )


class Screen(NamedTuple):
    code: int
    output: bytes


class Terminal:
    def __init__(self):
        self._forks = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, *arguments, folder):
        """Run ``ists-asp`` with arguments in a folder, as people do."""
        return self._ask(folder, [arguments], watched=True)[0]

    def run_all(self, commands, folder):
        """Run commands one after the other in one process; none may need to be watched over."""
        return self._ask(folder, commands, watched=False)

    def _ask(self, folder, commands, *, watched):
        print(json.dumps([str(folder), commands, watched]), file=self._forks.stdin, flush=True)
        screens = json.loads(self._forks.stdout.readline())
        return [Screen(code, output.encode("latin-1")) for code, output in screens]

    def close(self):
        self._forks.communicate()


def _serve():
    # Imported once, for all that are forked.
    import ists_asp.cli.driver
    import ists_asp.compare.comparison
    import ists_asp.engine
    import ists_asp.explain
    import ists_asp.learn
    import ists_asp.report.page
    import ists_asp.rules.check.names
    import ists_asp.trace.rendering  # noqa: F401

    for line in sys.stdin:
        print(json.dumps(_run(*json.loads(line))), flush=True)


def _run(folder, commands, watched):
    ours, theirs = os.openpty()
    # No line end becomes another on the way.
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            # Make the terminal the one of this process.
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
            for number in range(3):
                os.dup2(theirs, number)
            os.chdir(folder)
            if watched:
                # Be the command from its beginning to its end.
                from ists_asp.__main__ import run

                _begin()
                sys.argv = ["ists-asp", *commands[0]]
                run()
            for command in commands:
                os.write(writing, b"%d\n" % _call(command))
                # Nothing that is cleaned can look like it.
                os.write(1, b"\0")
        finally:
            os._exit(70)
    os.close(theirs)
    os.close(writing)
    output = b""
    while True:
        if not select.select([ours], [], [], SECONDS)[0]:
            os.killpg(child, signal.SIGKILL)
        try:
            output += os.read(ours, 1 << 16)
        except OSError:
            # Nobody holds the terminal any more.
            break
    os.close(ours)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(reading) as stream:
        codes = [ended] if watched else [int(line) for line in stream]
    return list(zip(codes, output.decode("latin-1").split("\0"), strict=False))


def _call(arguments):
    """The exit code of the command, in this process, which goes on."""
    from ists_asp.cli.app import main

    _begin()
    code = 0
    try:
        main(arguments, prog_name="ists-asp")
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 1


def _begin():
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False, buffering=1)


if __name__ == "__main__":
    _serve()
