"""What a browser gets that was not let in, and what pages of others can do: nothing."""

from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def stranger(browser, served):
    """A page of a browser that nobody has given the token."""
    context = browser.new_context(base_url=served.address)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", ["/try", "/docs", "/static/app.css", "/project/rules"])
def test_who_has_no_token_is_told_where_to_find_it(stranger, path):
    assert stranger.goto(path).status == 403
    assert "Open the address that ists-asp serve printed" in stranger.inner_text("body")


def test_a_wrong_token_opens_nothing_and_takes_nothing_away(stranger, page, served):
    assert stranger.goto("/try?token=wrong").status == 403
    assert "This token is wrong" in stranger.inner_text("body")
    assert stranger.context.cookies() == []
    # Chromium looks for an icon where a page names none.
    page.expected += [403, 404]
    assert page.goto("/try?token=wrong").status == 403
    assert page.goto("/try").status == 200


def test_a_foreign_name_does_not_lead_here(page, served):
    port = urlsplit(served.address).port
    page.expected.append(403)
    answer = page.goto(f"http://evil.localhost:{port}/try?token={served.token}")
    assert answer.status == 403
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


@pytest.mark.parametrize("name", ["../../workbench.toml", "..%2F..%2Fx.lp", "/etc/passwd"])
def test_no_path_in_the_address_leads_out(page, served, expect, name):
    page.expected.append(400)
    ours = sorted(path.name for path in (served.folder / "rules").glob("*.*"))
    page.goto(f"/rules?file={name}")
    expect(page.locator("#message")).to_contain_text("there is no such file")
    expect(page.locator("#name")).to_have_text(ours[0])
    for path in ("/static/..%2f..%2fbase.html", "/static/%2e%2e/base.html", "/shared/..%2f..%2fx"):
        assert page.request.get(path).status in (400, 404)
