"""Who may talk to the server, and what it makes of what it gets; over HTTP, as anybody could."""

import json
import re
import socket

import pytest

from tests.sharing import cases

pytestmark = pytest.mark.slow

PAIR = {"sent1": "The power is off.", "sent2": "The electricity is off."}


@pytest.mark.always
def test_a_token_opens_and_is_gone_from_the_address(served):
    status, headers, _ = served.send(f"/try?1=a+b&token={served.token}", authorization="")
    assert (status, headers["location"]) == (303, "/try?1=a+b")
    elsewhere = served.send(f"//elsewhere.test/?token={served.token}", authorization="")[1]
    assert elsewhere["location"] == "/elsewhere.test/"
    cookie, *more = headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= {*more}
    assert served.send("/try", authorization="", cookie=cookie)[0] == 200
    assert served.send("/try", authorization="", cookie=cookie[:-1])[0] == 403


@cases(
    "path | headers | words",
    ("/try", {"authorization": ""}, "with its token"),
    ("/try?token=wrong", {"authorization": ""}, "token is wrong"),
    ("/try", {"authorization": "Bearer wrong"}, "with its token"),
    ("/static/app.css", {"authorization": ""}, "with its token"),
    ("/openapi.json", {"authorization": ""}, "with its token"),
    ("/try", {"host": "example.org"}, "name"),
    ("/try", {"host": "127.0.0.1:1"}, "name"),
    ("/try", {"origin": "https://example.org"}, "other sites"),
    ("/try", {"origin": "null"}, "other sites"),
    ("/try", {"sec_fetch_site": "cross-site"}, "other sites"),
    ("/api/solve", {"origin": "https://example.org"}, "other sites"),
)
def test_others_are_refused_in_one_line(served, path, headers, words):
    status, answered, body = served.send(path, PAIR if "api" in path else None, **headers)
    assert (status, body.count(b"\n"), "set-cookie" in answered) == (403, 1, False)
    assert words in body.decode()


def test_pages_allow_no_inline_code(served):
    _, headers, body = served.send("/try")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert b"onclick" not in body
    assert not re.search(rb'<script (?!type="(?:module" src=|application/json" ))', body)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/%2e%2e/%2e%2e/pyproject.toml", "/shared/../../x"]
)
def test_no_path_leads_out(served, path):
    assert served.send(path)[0] in (400, 404)


def test_bodies_are_bounded_whatever_their_head_says(served):
    assert served.send("/api/solve", b"x" * ((8 << 20) + 1))[0] == 413
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as raw:
        head = f"POST /api/solve HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        head += f"Authorization: Bearer {served.token}\r\nTransfer-Encoding: chunked\r\n\r\n"
        raw.sendall(head.encode())
        piece = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
        try:
            for _ in range(12):
                raw.sendall(piece)
            raw.sendall(b"0\r\n\r\n")
        except OSError:
            return  # The server has hung up, which is as good.
        assert raw.recv(100).split()[1] in (b"413", b"400")


@cases(
    "body | status",
    (b"{", 422),
    (b"[]", 422),
    ({"sent1": "a"}, 400),
    ({"sent1": 3, "sent2": "b"}, 422),
    ({"sent1": "a " * 2000, "sent2": "b"}, 422),
    ({"sent1": "a\u0000b", "sent2": "\ud83d"}, 422),
    ({**PAIR, "profile": "none such"}, 400),
    ({**PAIR, "profile": "../../x"}, 400),
    ({**PAIR, "chunks1": [[1, 9]]}, 400),
    ({"tokens1": ["a"], "chunks1": [[1, 9]], "sent2": "b"}, 400),
    ({**PAIR, "unknown": 1}, 422),
    ({**PAIR, "claim": "EQUI", "tokens1": [-9], "tokens2": [1]}, 422),
)
def test_what_is_malformed_gets_one_line(served, body, status):
    found, answered = served.ask("/project/fix" if "-9" in str(body) else "/api/solve", body)
    assert (found, [*answered]) == (status, ["error"]), answered
    assert "\n" not in answered["error"]
    assert answered["error"].endswith("See /docs") or status == 400


@pytest.mark.always
def test_the_api_answers_for_all_it_does(served):
    solved = served.asked("/api/solve", PAIR)
    assert [line["label"] for line in solved["alignments"]].count("EQUI") >= 1
    assert solved["picture"].startswith("<svg")
    # As `solve --format jsonl` says it.
    assert {"lexicon", "vectors"} <= set(solved["knowledge"])
    assert solved["system"]["profile"] == "headlines"
    assert served.asked("/api/explain", PAIR)["text"]
    assert 0 <= served.asked("/api/rate", PAIR)["rating"]["value"] <= 5
    why = served.asked("/api/why", {**PAIR, "decision": ["power", "electricity"]})
    assert why["decisions"][0]["sentence"]
    assert served.asked("/api/why-not", {**PAIR, "decision": ["power", "off"]})["verdict"]
    assert "<svg" in served.asked("/api/picture", PAIR)["svg"]


@pytest.mark.long
def test_pairs_of_another_language_are_told_in_it(served):
    pair = {"sent1": "Un hombre toca la guitarra.", "sent2": "Una mujer toca la guitarra."}
    assert "dice" in served.asked("/api/explain", {**pair, "profile": "es"})["text"]


@pytest.mark.long
def test_answers_of_students_get_feedback(served):
    whole = {"answer": "It stops the bulb from lighting up.", "question": "Why a gap?"}
    whole["references"] = ["There is a gap in the circuit.", "The gap stops the bulb"]
    found = served.asked("/api/feedback", whole)
    assert found["id"] == "1"
    assert found["verdict"] in ("correct", "incomplete")
    assert found["best_reference"] == "The gap stops the bulb"
    assert "bulb" in found["right"]
    assert found["feedback"]
    blank, long = {"id": "b", "answer": "", "references": ["x"]}, {"id": "c", "answer": "a " * 900}
    items = [{**whole, "id": "a"}, blank, {**long, "references": ["a"]}]
    same, none, failed = served.asked("/api/feedback?language=es", items)
    assert (same["id"], same["verdict"]) == ("a", found["verdict"])
    assert same["feedback"] != found["feedback"]
    assert none["verdict"] == "no_answer"
    assert [*failed] == ["id", "error"]
    for query, given, status in (
        ("?profile=headlines", whole, 400),
        ("?language=xx", whole, 400),
        ("", {**whole, "references": []}, 422),
    ):
        assert served.ask(f"/api/feedback{query}", given)[0] == status


def test_a_batch_is_a_stream_in_which_each_line_stands_for_itself(served):
    lines = [json.dumps({**PAIR, "id": "x"}), "{", json.dumps({"sent1": "a", "sent2": ""}), ""]
    lines += ["[]", json.dumps({"id": "y", "sent1": 5}), json.dumps({**PAIR, "id": "z", "x": 1})]
    status, headers, body = served.send("/api/batch", "\n".join(lines).encode())
    records = [json.loads(line) for line in body.splitlines()]
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    assert [one["id"] for one in records] == ["x", "2", "3", "5", "y", "z"]
    faults = [one.get("error", "").split(": ")[:2] for one in records]
    assert [words[0] for words in faults] == ["", *(f"line {number}" for number in (2, 3, 5, 6, 7))]
    assert [words[1] for words in faults[-2:]] == ["sent1", "x"]
    assert "rating" in records[0]


def test_the_api_is_described(served):
    names = ("solve", "explain", "why", "why-not", "rate", "feedback", "batch")
    assert {f"/api/{name}" for name in names} <= {*served.asked("/openapi.json")["paths"]}
    assert served.send("/docs")[0] == 200


@pytest.mark.always
@pytest.mark.browser
def test_a_foreign_page_can_neither_read_nor_write(page, served):
    names = sorted(one.name for one in (served.folder / "rules").iterdir())
    # It has the cookie; the browser logs what it refuses, and nobody listens.
    foreign = page.context.new_page()
    foreign.route(
        "http://elsewhere.test/**",
        lambda route: route.fulfill(content_type="text/html", body="<p>elsewhere</p>"),
    )
    foreign.goto("http://elsewhere.test/")
    said = foreign.evaluate(
        """async (address) => {
          const tried = [];
          for (const [path, method] of [["/project/rules", "GET"], ["/api/solve", "POST"]]) {
            for (const mode of ["cors", "no-cors"]) {
              const given = { method, mode, credentials: "include" };
              try { tried.push((await fetch(address + path, given)).type); }
              catch { tried.push("refused"); }
            }
          }
          return tried;
        }""",
        served.address,
    )
    assert set(said) <= {"refused", "opaque"}
    assert sorted(one.name for one in (served.folder / "rules").iterdir()) == names


@pytest.mark.parametrize("name", ["../out.lp", "/etc/x.lp", ".hidden.lp", "x.py", "a/../../b.lp"])
def test_no_file_outside_the_folder_is_read_or_written(served, name):
    body = {"name": name, "text": "p."}
    assert served.ask("/project/rules/file", {**body, "before": None}, "PUT")[0] == 400
    assert served.ask("/project/rules/check", body)[0] == 400
    assert served.ask(f"/project/rules/file?name={name}")[0] == 400
    assert "error" in served.ask(f"/project/report/decide?corpus={name}")[1]
