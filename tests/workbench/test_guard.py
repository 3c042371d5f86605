"""Who may talk to the server, and what it makes of what it gets; over HTTP, as anybody could."""

import http.client
import json
import socket

import pytest

pytestmark = pytest.mark.browser

PAIR = {"sent1": "The power is off.", "sent2": "The electricity is off."}


@pytest.fixture(scope="session")
def call(served):
    """Send a request; the status, the headers, and the body as text."""
    host, port = served.address.removeprefix("http://").split(":")

    def send(path, body=None, method=None, **headers):
        connection = http.client.HTTPConnection(host, int(port), timeout=90)
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        named = {name.replace("_", "-"): value for name, value in headers.items() if value}
        if "authorization" not in headers:
            named["authorization"] = f"Bearer {served.token}"
        if isinstance(body, dict):
            named["content-type"] = "application/json"
        connection.request(method or ("POST" if body is not None else "GET"), path, data, named)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read().decode()
        connection.close()
        return found

    return send


@pytest.mark.always
def test_a_token_opens_and_is_gone_from_the_address(call, served):
    status, headers, _ = call(f"/try?1=a+b&token={served.token}", authorization="")
    assert (status, headers["location"]) == (303, "/try?1=a+b")
    elsewhere = call(f"//elsewhere.test/?token={served.token}", authorization="")[1]
    assert elsewhere["location"] == "/elsewhere.test/"
    cookie, *more = headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= {*more}
    assert call("/try", authorization="", cookie=cookie)[0] == 200
    assert call("/try", authorization="", cookie=cookie[:-1])[0] == 403


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/try", {"authorization": ""}),
        ("/try?token=wrong", {"authorization": ""}),
        ("/try", {"authorization": "Bearer wrong"}),
        ("/static/app.css", {"authorization": ""}),
        ("/openapi.json", {"authorization": ""}),
        ("/try", {"host": "example.org"}),
        ("/try", {"host": "127.0.0.1:1"}),
        ("/try", {"origin": "https://example.org"}),
        ("/try", {"origin": "null"}),
        ("/try", {"sec_fetch_site": "cross-site"}),
    ],
)
def test_others_are_refused_in_one_line(call, path, headers):
    status, _, body = call(path, **headers)
    assert status == 403
    assert body.count("\n") == 1


def test_a_foreign_site_cannot_post(call):
    assert call("/api/solve", PAIR, origin="https://example.org")[0] == 403


def test_pages_allow_no_inline_code(call):
    _, headers, body = call("/try")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "onclick" not in body
    assert body.count("<script") == body.count('<script type="module" src=')


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/%2e%2e/%2e%2e/pyproject.toml", "/shared/../../x"]
)
def test_no_path_leads_out(call, path):
    assert call(path)[0] in (400, 404)


def test_bodies_are_bounded_whatever_their_head_says(call, served):
    assert call("/api/solve", b"x" * ((8 << 20) + 1))[0] == 413
    host, port = served.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as raw:
        head = f"POST /api/solve HTTP/1.1\r\nHost: {host}:{port}\r\n"
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


@pytest.mark.parametrize(
    ("body", "status"),
    [
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
    ],
)
def test_what_is_malformed_gets_one_line(call, body, status):
    found, _, text = call("/api/solve", body)
    assert (found, [*json.loads(text)]) == (status, ["error"]), text
    assert "\n" not in json.loads(text)["error"]
    assert "Traceback" not in text


@pytest.mark.always
def test_the_api_answers_for_all_it_does(call):
    solved = json.loads(call("/api/solve", PAIR)[2])
    assert [line["label"] for line in solved["alignments"]].count("EQUI") >= 1
    assert solved["picture"].startswith("<svg")
    # As `solve --format jsonl` says it.
    assert {"lexicon", "vectors"} <= set(solved["knowledge"])
    assert solved["system"]["profile"] == "headlines"
    told = json.loads(call("/api/explain", PAIR)[2])
    assert told["text"]
    rating = json.loads(call("/api/rate", PAIR)[2])["rating"]
    assert 0 <= rating["value"] <= 5
    why = json.loads(call("/api/why", {**PAIR, "decision": ["power", "electricity"]})[2])
    assert why["decisions"][0]["sentence"]
    not_ = json.loads(call("/api/why-not", {**PAIR, "decision": ["power", "off"]})[2])
    assert not_["verdict"]
    assert "<svg" in json.loads(call("/api/picture", PAIR)[2])["svg"]


@pytest.mark.long
def test_answers_of_students_get_feedback(call):
    whole = {"answer": "It stops the bulb from lighting up.", "question": "Why a gap?"}
    whole["references"] = ["There is a gap in the circuit.", "The gap stops the bulb"]
    found = json.loads(call("/api/feedback", whole)[2])
    assert found["id"] == "1"
    assert found["verdict"] in ("correct", "incomplete")
    assert found["best_reference"] == "The gap stops the bulb"
    assert "bulb" in found["right"]
    assert found["feedback"]
    blank, long = {"id": "b", "answer": "", "references": ["x"]}, {"id": "c", "answer": "a " * 900}
    items = json.dumps([{**whole, "id": "a"}, blank, {**long, "references": ["a"]}]).encode()
    header = {"content_type": "application/json"}
    same, none, failed = json.loads(call("/api/feedback?language=es", items, **header)[2])
    assert same["id"] == "a"
    assert same["verdict"] == found["verdict"]
    assert same["feedback"] != found["feedback"]
    assert none["verdict"] == "no_answer"
    assert [*failed] == ["id", "error"]
    assert call("/api/feedback?profile=headlines", whole)[0] == 400
    assert call("/api/feedback?language=xx", whole)[0] == 422
    assert call("/api/feedback", {**whole, "references": []})[0] == 422


def test_a_batch_is_a_stream_in_which_each_line_stands_for_itself(call):
    lines = [json.dumps({**PAIR, "id": "x"}), "{", json.dumps({"sent1": "a", "sent2": ""})]
    status, headers, body = call("/api/batch", "\n".join(lines).encode())
    records = [json.loads(line) for line in body.splitlines()]
    assert (status, headers["content-type"]) == (200, "application/x-ndjson")
    assert [one["id"] for one in records] == ["x", "2", "3"]
    assert ["error" in one for one in records] == [False, True, True]
    assert "rating" in records[0]


def test_the_api_is_described(call):
    described = json.loads(call("/openapi.json")[2])
    assert {
        "/api/solve",
        "/api/explain",
        "/api/why",
        "/api/why-not",
        "/api/rate",
        "/api/feedback",
        "/api/batch",
    } <= {*described["paths"]}
    assert call("/docs")[0] == 200


def test_a_wrong_token_opens_nothing_and_takes_nothing_away(browser, page, served):
    stranger = browser.new_context(base_url=served.address)
    view = stranger.new_page()
    for path, told in (
        ("/try", "Open the address that ists-asp serve printed"),
        ("/try?token=wrong", "This token is wrong"),
    ):
        assert view.goto(path).status == 403
        assert told in view.inner_text("body")
    assert stranger.cookies() == []
    stranger.close()
    # Chromium looks for an icon where a page names none.
    page.expected += [403, 404]
    assert page.goto("/try?token=wrong").status == 403
    assert page.goto("/try").status == 200
    port = served.address.rpartition(":")[2]
    assert page.goto(f"http://evil.localhost:{port}/try?token={served.token}").status == 403
    assert "This name does not lead here" in page.inner_text("body")


@pytest.mark.always
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


def test_a_save_of_something_old_is_refused_with_the_text_that_is_there(call, served):
    path = served.folder / "rules" / "old.lp"
    path.write_text("% new\n", "utf-8")
    body = {"name": "old.lp", "text": "% mine\n", "before": "0" * 16}
    status, _, told = call("/project/rules/file", body, "PUT")
    path.unlink()
    assert (status, json.loads(told)["text"]) == (409, "% new\n")


@pytest.mark.parametrize("name", ["../out.lp", "/etc/x.lp", ".hidden.lp", "x.py", "a/../../b.lp"])
def test_no_file_outside_the_folder_is_read_or_written(call, name):
    body = {"name": name, "text": "p."}
    assert call("/project/rules/file", {**body, "before": None}, "PUT")[0] == 400
    assert call("/project/rules/check", body)[0] == 400
    assert call(f"/project/rules/file?name={name}")[0] == 400
    assert "error" in json.loads(call(f"/project/report/decide?corpus={name}")[2])
