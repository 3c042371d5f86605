"""Learning from corrections: refused, cancelled, measured, adopted."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def corrected(page, served):
    """All headlines are accepted as they are; that is taken back afterwards."""
    address = "/project/corrections/headlines"
    for name in page.request.get(address).json()["ids"]:
        assert page.request.post(address, data={"id": name, "do": "accept"}).ok
    yield page
    while page.request.post(f"{address}/undo", data={}).ok:
        pass


@pytest.mark.always
def test_too_few_corrections_are_refused_in_one_line(page, served):
    page.goto("/learn")
    page.locator("#corpora label").first.wait_for()
    page.expected.append(400)
    page.get_by_role("button", name="Learn", exact=True).click()
    told = page.locator("#message", has_text="0 corrected pairs are too few")
    told.wait_for()
    assert "expected 10 or more" in told.inner_text()


def test_a_lesson_is_cancelled_with_all_its_processes(corrected):
    corrected.goto("/learn")
    corrected.locator("#corpora input:checked").first.wait_for()
    corrected.get_by_role("button", name="Learn", exact=True).click()
    corrected.locator("#doing", has_text="Step 1 of 2").wait_for()
    corrected.get_by_role("button", name="Cancel").click()
    corrected.locator("#fault", has_text="cancelled").wait_for()
    assert corrected.locator("#found").is_hidden()


@pytest.mark.long
def test_what_is_learned_is_measured_first_and_adopted_as_a_new_state(corrected, served):
    corrected.goto("/learn")
    corrected.locator("#corpora input:checked").first.wait_for()
    corrected.get_by_role("button", name="Learn", exact=True).click()
    corrected.locator("#found").wait_for(timeout=300_000)
    assert corrected.locator("#gains tbody tr").count() == 8
    assert not list((served.folder / "rules").glob("learned-*"))
    corrected.locator("#adopt").click()
    corrected.locator("#message", has_text="Adopted as learned-1.lp").wait_for()
    text = (served.folder / "rules" / "learned-1.lp").read_text()
    assert text.startswith("% Corrections: profile headlines")
    corrected.goto("/effects")
    corrected.locator("#heading", has_text="learned from 10 corrected pairs").wait_for()
    corrected.locator("#measures td.number b").first.wait_for()
