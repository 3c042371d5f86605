"""What the server answers, over HTTP: who may talk to it, and what the views ask of it."""

import json
import os
import re
import shutil
import socket

import pytest

from ists_asp.evaluate.files import evaluate_files
from ists_asp.learn.examples import read_gold
from ists_asp.resources import data_dir
from tests.faults.scenarios import wait_for
from tests.serving import serving
from tests.sharing import cases

pytestmark = pytest.mark.slow

SAMPLES = data_dir() / "samples"
CORRECTIONS = "/project/corrections/images"
LEARNING = "/project/learning"
PAIR = {"sent1": "The power is off.", "sent2": "The electricity is off."}


def test_entries_touch_pairs_by_lemmas_and_phrases(served, written):
    written("rules/terms.tsv", "storm <> thousand\nnorthern spain = spain\nbase = ball\n")
    lines = served.send("/project/words/pairs?corpus=headlines")[2].splitlines()
    touched = [pair for line in lines for pair in json.loads(line)["touched"].items()]
    assert sorted((place, len(ids)) for place, ids in touched if place.startswith("terms")) == [
        ("terms.tsv:1", 1),
        ("terms.tsv:2", 1),
    ]


@pytest.mark.parametrize(("left", "right"), [("same", "Same"), ("a = b", "c"), ("x", "")])
def test_what_is_no_entry_is_refused_in_a_line_and_not_written(served, written, left, right):
    path = written("rules/terms.tsv", "big = large\n")
    tables = {one["name"]: one["digest"] for one in served.asked("/project/words")["tables"]}
    body = {"name": "terms.tsv", "before": tables["terms.tsv"], "left": left, "right": right}
    status, answered = served.ask("/project/words", body)
    assert (status, "entry" in answered["error"]) == (400, True)
    assert path.read_text("utf-8") == "big = large\n"


@cases(
    "line= | sign | says",
    (None, "<>", "terms.tsv:3: Large <> big: terms.tsv:1 says big = large."),
    (None, "=", "terms.tsv:3: Large = big: terms.tsv:1 says big = large."),
    (2, "<>", "terms.tsv:2: Large <> big: terms.tsv:1 says big = large."),
)
def test_what_other_entries_say_is_refused_with_both_places(served, written, line, sign, says):
    path = written("rules/terms.tsv", "big = large\nsmall = tiny\n")
    tables = {one["name"]: one["digest"] for one in served.asked("/project/words")["tables"]}
    body = {"name": "terms.tsv", "before": tables["terms.tsv"], "line": line, "sign": sign}
    status, answered = served.ask("/project/words", {**body, "left": "Large", "right": "big"})
    assert (status, answered["error"]) == (400, f"{says} Change that entry, or delete it")
    assert path.read_text("utf-8") == "big = large\nsmall = tiny\n"
    assert served.ask("/project/words", {**body, "left": "big", "right": "vast"})[0] == 200
    assert served.asked("/project/rules/undo", {})["edit"]


def test_a_faulty_line_is_told_with_its_place(served, written):
    written("rules/terms.tsv", "big = large\nnonsense\n")
    (own,) = (one for one in served.asked("/project/words")["tables"] if "terms" in one["name"])
    assert [(row["line"], "fault" in row) for row in own["rows"]] == [(1, False), (2, True)]
    assert "terms.tsv:2: 'nonsense' is not" in served.asked("/project/rules/loaded")["fault"]

    def faults():
        return [one["faults"] for one in served.asked("/project/effects")["corpora"]]

    wait_for(lambda: "terms.tsv:2: 'nonsense' is not" in str(faults()))


def test_hostile_rules_keep_nobody_waiting_for_ever(served, written):
    given = {"name": "hostile.lp", "text": f"p({'x' * 900_000}"}
    (found,) = served.asked("/project/rules/check", given)
    assert (found["kind"], len(found["text"]) < 1000) == ("syntax", True)
    given["text"] = '%@rule hostile: "{X}"\ncounted(X+1) :- counted(X).\ncounted(1).\n'
    assert served.ask("/project/rules/check", given)[0] == 200
    written("rules/hostile.lp", given["text"])
    assert "hostile.lp" in served.asked("/project/rules/loaded")["fault"]
    # The rules before go on.
    assert served.asked("/api/solve", {"sent1": "a dog", "sent2": "a cat"})["alignments"]


def test_sentences_in_another_language_are_told(served):
    spanish = {"sent1": "El perro duerme en la cama", "sent2": "El gato duerme en la casa"}
    assert "looks like Spanish" in served.asked("/api/solve", spanish)["note"]
    assert not served.asked("/api/solve", spanish | {"profile": "es"})["note"]


def test_a_spanish_project_says_in_spanish_what_it_refuses(tmp_path):
    entry = {"name": "terms.tsv", "before": None, "left": "grande", "right": "amplio", "sign": "<>"}
    long = {"sent1": "y " * 900, "sent2": "El perro duerme"}
    english = {"sent1": "He was at the house with them", "sent2": "She is not in the house"}
    draft = {"name": "mine.lp", "text": "_odd(X,Y) :- word(1,X,_), not word(2,Y,_)."}
    sheet, corpus = (f"/project/{at}?name=one.csv" for at in ("feedback/table", "effects/corpus"))
    with serving(tmp_path / "project", "--profile", "es") as server:
        (server.folder / "rules" / "other.tsv").write_text("grande = amplio\n")
        for path, body, says in (
            ("/project/words", entry, "other.tsv:1 dice grande = amplio. Cambia esa entrada"),
            ("/project/words", {**entry, "right": ""}, "; lo esperado: dos palabras o expresiones"),
            ("/project/rules/redo", {}, "no hay nada que rehacer"),
            ("/api/solve", {**english, "profile": "no"}, "no hay ningún perfil «no»; lo esperado:"),
            ("/api/solve", long, "par 1, frase 1: una frase de 900 palabras; lo esperado: como"),
            (sheet, b"\n", "one.csv: la tabla no tiene respuestas; lo esperado: una fila"),
            (
                corpus,
                b"a,b,c\n1,2\n",
                "csv:2: 2 celdas; lo esperado: 3, como antes. Corrige esas filas",
            ),
        ):
            kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
            status, _, answered = server.send(path, body, content_type=kind)
            assert (status, says in json.loads(answered).get("error", "")) == (400, True), answered
        assert server.asked("/api/solve", english)["note"].startswith("parece inglés; lo esperado:")
        found = [finding["text"] for finding in server.asked("/project/rules/check", draft)]
        assert [text for text in found if "la variable no es segura: Y. Úsala en un" in text], found


def test_where_a_rule_fires_is_told_with_its_words(served):
    text = served.send("/project/rules/where?rule=same_by_table&corpus=images")[2].decode()
    assert "means the same as" in text
    assert "fired for" in json.loads(text.splitlines()[-1])["verdict"]
    found = served.ask("/project/rules/where?rule=no_such_rule&corpus=images")[1]
    assert "no rule that decides answers is called" in found["error"]


def test_reasons_are_those_of_the_rules_that_decided(served, written):
    served.ask("/project/report/decide?corpus=images")
    why = "/project/report/why?corpus=images&pair=0&line=0"
    assert served.asked(why)["decisions"]
    written("rules/report_view.lp", "% nothing yet\n")
    status, answered = served.ask(why)
    assert (status, "rules have changed" in answered["error"]) == (400, True)


@pytest.mark.long
def test_rules_without_an_end_are_told_and_the_server_stays_usable(tmp_path):
    # It has an end, but none that anybody lives to see.
    endless = "_endless(0). _endless(N+1) :- _endless(N), N < 2000000000, word(_,_,_).\n"
    with serving(tmp_path / "project", "--profile", "headlines") as server:
        (server.folder / "rules" / "endless.lp").write_text(endless)
        wait_for(lambda: server.asked("/project/effects")["after"] == 2)
        wait_for(lambda: "no answer within 10 s" in str(server.asked("/project/effects")), 600)
        (server.folder / "rules" / "endless.lp").unlink()
        wait_for(lambda: server.asked("/project/effects")["after"] == 3)
        assert server.asked("/project/rules/loaded") == {"fault": None}
        assert server.asked("/api/solve", {"sent1": "a dog", "sent2": "a cat"})["picture"]


def test_all_pairs_are_accepted_as_they_are_and_make_gold(served, correct):
    names = served.asked(CORRECTIONS)["ids"]
    for name in names:
        correct("accept", name)
    assert served.asked(CORRECTIONS)["mended"] == names
    wa = served.folder / "corrections" / "images.wa"
    gold = served.folder / "corpora" / "images" / "gold.wa"
    assert evaluate_files(gold, wa).overall.alignment.f1 > 0.5
    assert len(read_gold(wa)) == 10
    assert served.send(f"{CORRECTIONS}/export")[2] == wa.read_bytes()


def test_a_lesson_is_cancelled_and_not_begun_with_too_few_corrections(served, correct):
    lesson = {"corpora": ["images"], "folds": 2}
    status, answered = served.ask(LEARNING, lesson)
    assert (status, "0 corrected pairs are too few" in answered["error"]) == (400, True)
    assert "expected 10 or more" in answered["error"]
    for name in served.asked(CORRECTIONS)["ids"]:
        correct("accept", name)
    assert served.asked(LEARNING, lesson)["running"]
    served.asked(f"{LEARNING}/cancel", {})
    wait_for(lambda: not served.asked(LEARNING)["job"]["running"])
    ended = served.asked(LEARNING)
    assert (ended["job"]["fault"], ended["found"]) == ("cancelled", None)


@pytest.mark.parametrize("name", [os.fsdecode(b"\xff\xfe"), "\u202e\u2066gnp.exe", "a\nb"])
def test_a_name_that_cannot_be_shown_is_no_part_of_the_project(served, written, name):
    written(f"rules/{name}.lp", "not even a rule\n")
    corpus = served.folder / "corpora" / name
    shutil.copytree(served.folder / "corpora" / "images", corpus)
    try:
        for view in ("rules", "words", "effects", "correct", "learn", "report"):
            assert served.send(f"/{view}")[0] == 200
        assert list(served.asked("/project/rules")["files"]) == ["words.tsv"]
        corpora = served.asked("/project/effects")["corpora"]
        assert [one["name"] for one in corpora] == ["headlines", "images"]
    finally:
        shutil.rmtree(corpus)


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


def test_pairs_of_all_samples_are_answered_as_solve_and_explain_answer_them(served, good):
    """In one run and one by one; the project has a word table besides, which is empty."""
    golds = [list(read_gold(SAMPLES / name))[:4] for name in ("headlines", "images", "medicine")]
    sides = [(gold.pair.sent1.text, gold.pair.sent2.text) for some in golds for gold in some]
    pairs = [{"id": str(n), "sent1": one, "sent2": two} for n, (one, two) in enumerate(sides)]
    body = "".join(f"{json.dumps(pair)}\n" for pair in pairs)
    call = ("--jsonl", "-", "--profile", "headlines", "--format", "jsonl", "-q")
    batch = served.send("/api/batch", body.encode())[2].splitlines()
    for ours, theirs in zip(good("solve", *call, stdin=body).splitlines(), batch, strict=True):
        ours, theirs = json.loads(ours), json.loads(theirs)
        assert {"id", "alignments", "knowledge", "system"} <= theirs.keys()
        theirs["system"]["rules"] = ours["system"]["rules"]
        assert {key: theirs[key] for key in ours if key in theirs} == (
            {key: ours[key] for key in ours if key in theirs}
        )
    for pair, ours in zip(pairs, good("explain", *call, stdin=body).splitlines(), strict=True):
        theirs, ours = served.asked("/api/explain", pair), json.loads(ours)
        assert (theirs["text"], theirs["statements"]) == (ours["text"], ours["statements"])
        assert f"{theirs['text']}\n" == good("explain", *call[2:4], pair["sent1"], pair["sent2"])


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
