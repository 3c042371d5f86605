"""Hostile HTTP exchanges with a server: ``python -m tests.fuzz exchanges`` tries them.

Each is a good request that is cut, slow, huge, mixed up or one of many at once. Whatever is sent,
the server says something in HTTP or hangs up, and pages answer all the time.
"""

import socket
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

from tests.serving import serving

PATIENCE = 2.0
"""Seconds within which a page answers, whatever else goes on."""

_PATHS = ["/try", "/api/solve", "/api/batch", "/project/corrections/images"]
_PATHS += ["/project/feedback/marks"]
_PAIR = b'{"sent1": "a dog sleeps", "sent2": "a cat sleeps"}'
_ODD = [b"\x00", b"\r\n\r\n", b"\xff\xfe", b"Host: evil\r\n", b"\n", b"%00", b"GET / HTTP/1.1\r\n"]
_KINDS = ["cut", "mixed", "headers", "long", "length", "chunks", "pipelined", "slow", "many"]


def request(server, path, body=b"", *more):
    """The bytes of a good request with the token."""
    lines = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}"]
    lines += [f"Authorization: Bearer {server.token}", "Content-Type: application/json", *more]
    lines += [f"Content-Length: {len(body)}"] * bool(body and not more)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def exchange(server, number):
    """What a client sends in one connection or more: pieces, with a pause behind each."""
    dice = Random(number)
    good = request(server, dice.choice(_PATHS), dice.choice([b"", _PAIR, _PAIR * 50]))
    kind = _KINDS[number % len(_KINDS)]
    match kind:
        case "cut":
            pieces = [good[: dice.randrange(len(good))]]
        case "mixed":
            at = sorted(dice.randrange(len(good)) for _ in range(4))
            pieces = [good[: at[0]]]
            pieces += [dice.choice(_ODD) + good[at[i] : at[i + 1]] for i in range(3)]
        case "headers":
            many = [f"X-{n}: {'x' * dice.randrange(90)}" for n in range(dice.choice([100, 5000]))]
            pieces = [request(server, "/try", b"", *many)]
        case "long":
            pieces = [request(server, "/" + "x" * dice.choice([5000, 500_000]))]
        case "length":
            said = dice.choice(["-1", "1e3", "99999999999", "0", "5, 6", "x"])
            pieces = [request(server, "/api/solve", _PAIR, f"Content-Length: {said}")]
        case "chunks":
            size = dice.choice([b"zz", b"-1", b"ffffffffffff", b"5", b""])
            body = size + b"\r\nx\r\n"
            pieces = [request(server, "/api/solve", body, "Transfer-Encoding: chunked")]
        case "pipelined":
            pieces = [request(server, "/try") * dice.choice([3, 300])]
        case "slow":
            pieces = [good[at : at + 1] for at in range(30)]
        case _:
            pieces = [b""]
    return kind, pieces, 0.02 if kind == "slow" else 0.0, 60 if kind == "many" else 1


def send(server, pieces, pause, connections):
    """Send pieces in so many connections at once; what came back in the first."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            for _ in range(connections)
        ]
        with suppress(OSError):
            for piece in pieces:
                opened[0].sendall(piece)
                time.sleep(pause)
            opened[0].shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            return opened[0].recv(1 << 16)
    return b""


def tried(server, number):
    """The fault of an exchange, if there is one."""
    kind, pieces, pause, connections = exchange(server, number)
    reply = send(server, pieces, pause, connections)
    if reply and not reply.startswith(b"HTTP/1."):
        return f"{kind}: {reply[:60]!r}"
    began = time.monotonic()
    status, _, text = server.send("/try")
    if status != 200 or b"</html>" not in text:
        return f"{kind}: the page has status {status}"
    took = time.monotonic() - began
    return f"{kind}: the page took {took:.1f} s" if took > PATIENCE else None


def faults_of(numbers):
    """Each number, with what is wrong with its exchange; last what the server should not print."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        with serving(Path(folder) / "project", stderr=errors) as server:
            yield from ((number, tried(server, number)) for number in numbers)
        errors.seek(0)
        printed = [line for line in errors if not line.startswith("error: ")]
        yield "the server", "".join(printed)
