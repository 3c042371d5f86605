"""What is told keeps the ledger of words; a text that would be too long is chosen, in time."""

import pytest

from ists_asp.resources import rules_dir
from tests.sharing import load_shared

LONG = (
    "Syrian forces kill 12 rebels in northern Aleppo on Monday as talks on a new ceasefire begin "
    "in Geneva with envoys of Russia and Turkey",
    "Syrian army shells two villages in southern Idlib on Tuesday as the talks on a truce end in "
    "Vienna without envoys of the United States or Iran",
)


@pytest.fixture
def integrity(tmp_path):
    """Writes the rules of integrity with more behind them, to be put over the shipped ones."""

    def write(more):
        shipped = (rules_dir() / "explanation" / "integrity.lp").read_text("utf-8")
        path = tmp_path / "integrity.lp"
        path.write_text(f"{shipped}\n{more}\n", "utf-8")
        return path

    return write


def test_what_a_long_text_leaves_out_is_counted(system):
    headlines = system("headlines")
    found = headlines.explain(headlines.solve(*LONG))
    left_out = [one for one in found.statements if not one.sentence]
    assert left_out
    assert found.text.endswith(("smaller difference.", "smaller differences."))


def test_without_time_to_choose_the_verdict_is_told(system, integrity):
    headlines = system("headlines")
    usual = headlines.explain(headlines.solve(*LONG))
    # Pigeons that have no hole, and cannot all be told of in time.
    endless = integrity(
        '%@rule holes: "each pigeon is in a hole"\n'
        "1 { in_hole(P,1..12) } 1 :- to_choose, P = 1..30.\n"
        '%@rule crowded: "pigeons share a hole"\n'
        "#minimize { (P*7+Q*5+H) \\ 11 + 1@9,P,Q,H : in_hole(P,H), in_hole(Q,H), P < Q }.\n"
    )
    with load_shared("headlines", rules=[endless], time_limit=1.0) as hurried:
        hasty = hurried.explain(hurried.solve(*LONG))
    assert hasty.text.startswith(usual.text.partition(". ")[0])
    assert [bool(one.sentence) for one in hasty.statements].count(True) == 2
    assert len(hasty.statements) == len(usual.statements)
