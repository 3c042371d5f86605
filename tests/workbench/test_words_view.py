"""The view of words in Chromium: entries are added, changed, taken away, and what they touch."""

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def table(served):
    """A table with a text, which nobody else uses."""
    path = served.folder / "rules" / "terms.tsv"

    def write(text):
        path.write_text(text, "utf-8")
        return path

    yield write
    path.unlink(missing_ok=True)


def add(page, left, sign, right):
    row = page.locator("[data-table='terms.tsv'] .new")
    row.locator("input").first.fill(left)
    row.locator("select").select_option(sign)
    row.locator("input").last.fill(right)
    row.locator("input").last.press("Enter")


@pytest.mark.always
def test_an_entry_is_added_and_shows_the_pairs_that_it_touches(page, table, expect):
    path = table("# My terms\n\ncar = automobile # kept\n")
    page.goto("/words")
    add(page, "Power", "=", "electricity")
    count = page.locator("[data-place='terms.tsv:4']")
    expect(count).to_have_text("1")
    assert path.read_text("utf-8") == "# My terms\n\ncar = automobile # kept\nPower = electricity\n"
    expect(page.locator("[data-place='terms.tsv:3']")).to_have_text("0")
    count.click()
    expect(page.locator(".below")).to_contain_text("Storm leaves thousands without power")
    expect(page.locator(".new input").first).to_be_visible()


@pytest.mark.long
def test_a_lemma_and_a_phrase_touch_as_the_rules_match_them(page, table, expect):
    table("storm <> thousand\nnorthern spain = spain\nbase = ball\n")
    page.goto("/words")
    expect(page.locator("[data-place='terms.tsv:1']")).to_have_text("1")
    expect(page.locator("[data-place='terms.tsv:2']")).to_have_text("1")
    expect(page.locator("[data-place='terms.tsv:3']")).to_have_text("0")


def test_a_row_is_changed_and_what_stands_behind_it_stays(page, table, expect):
    path = table("# one\ncar = automobile # kept\nbig = large\n")
    page.goto("/words")
    row = page.locator("[data-table='terms.tsv'] tbody tr").first
    row.locator("select").select_option("<>")
    expect(page.locator("[data-place='terms.tsv:2']")).to_be_visible()
    expect(row.locator("select")).to_have_value("<>")
    row.locator("input").last.fill("bicycle")
    row.locator("input").last.press("Tab")
    expect(page.locator("[data-table='terms.tsv'] tbody tr input").nth(1)).to_have_value("bicycle")
    page.wait_for_timeout(300)
    assert path.read_text("utf-8") == "# one\ncar <> bicycle # kept\nbig = large\n"


def test_a_row_is_taken_away_and_nothing_else(page, table, expect):
    path = table("# one\ncar = automobile\n\nbig = large # b\n")
    page.goto("/words")
    page.locator("[data-table='terms.tsv']").get_by_label("Delete line 2").click()
    expect(page.locator("[data-place='terms.tsv:3']")).to_be_visible()
    assert path.read_text("utf-8") == "# one\n\nbig = large # b\n"


@pytest.mark.parametrize(("left", "right"), [("same", "Same"), ("a = b", "c"), ("x", "")])
def test_what_is_no_entry_is_refused_in_a_line_and_not_written(page, table, expect, left, right):
    path = table("big = large\n")
    page.expected.append(400)
    page.goto("/words")
    add(page, left, "=", right)
    expect(page.locator("#message")).to_contain_text("entry")
    assert path.read_text("utf-8") == "big = large\n"


def test_a_faulty_line_is_shown_where_it_stands(page, table, expect):
    table("big = large\nnonsense\n")
    page.expected.append(400)
    page.goto("/words")
    expect(page.locator("td.error")).to_contain_text("'nonsense' is not an entry")


def test_a_table_that_was_changed_meanwhile_is_not_written_over(page, table, expect):
    path = table("big = large\n")
    page.expected.append(409)
    page.goto("/words")
    expect(page.locator("[data-place='terms.tsv:1']")).to_be_visible()
    path.write_text("small = tiny\n", "utf-8")
    add(page, "car", "=", "automobile")
    expect(page.locator("[data-table='terms.tsv'] input").first).to_have_value("small")
    assert path.read_text("utf-8") == "small = tiny\n"


def test_each_edit_is_a_state_of_its_own(page, served, table, expect):
    table("")
    page.goto("/words")
    add(page, "tea", "=", "cuppa")
    expect(page.locator("[data-table='terms.tsv'] tbody tr")).to_have_count(2)
    assert '"edit": "tea = cuppa"' in (served.folder / ".history" / "log.jsonl").read_text("utf-8")
