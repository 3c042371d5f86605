from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.knowledge.numbers import numeral


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("1,000", "1000"),
        ("1,234,567.80", "1234567.8"),
        ("1.50", "1.5"),
        (".5", "0.5"),
        ("2.0", "2"),
        ("50%", "50"),
        ("$3.2", "3.2"),
        ("-$3.2", "-3.2"),
        ("3€", "3"),
        ("3rd", "3"),
        ("20th", "20"),
        ("1ST", "1"),
        ("-5", "-5"),
        ("−5", "-5"),
        ("+5", "5"),
        ("-0", "0"),
        ("007", "7"),
        ("2012", "2012"),
    ],
)
def test_value(form: str, value: str) -> None:
    assert numeral(form) == value


@pytest.mark.parametrize(
    "form",
    [
        *(
            "",
            "-",
            "$",
            "%",
            ".",
            "five",
            "10m",
            "$356M",
            "1990s",
            "5-4",
            "10:30",
            "1/2",
            "10-year",
        ),
        *("2,5", "1,00", "1,0000", "1.000.000", "5.", "3.5th", "th", "٣", "²", "5\n"),
    ],
)
def test_no_single_value(form: str) -> None:
    assert numeral(form) is None


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=3))
def test_the_value_is_kept(number: Decimal) -> None:
    for form in (f"{number:f}", f"{number:,f}"):
        value = numeral(form)
        assert value is not None
        assert Decimal(value) == number


@given(st.text(alphabet="0123456789,.-+$%thrdsn", max_size=8))
def test_the_value_is_canonical(form: str) -> None:
    value = numeral(form)
    if value is not None:
        assert numeral(value) == value
