from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ists_asp.knowledge.words import decimal, measure, numeral
from ists_asp.lang.spanish import digits

VALUES = (
    "1,000=1000 1,234,567.80=1234567.8 1.50=1.5 .5=0.5 2.0=2 50%=50 $3.2=3.2 -$3.2=-3.2 3€=3"
    " -5=-5 −5=-5 +5=5 -0=0 007=7 2012=2012"
)
SPANISH = (
    "1.500=1500 1.234.567=1234567 2,5=2.5 1.234,56=1234.56 0,125=0.125 3,500=3500 3.5=3.5 50%=50"
    " €2,50=2.5 2014=2014"
)
NONE = "- $ % . five 10m $356M 1990s 5-4 10:30 1/2 10-year 2,5 1,00 1,0000 1.000.000 5. 3rd th ٣ ²"


@pytest.mark.parametrize(
    ("form", "value"),
    [
        *(row.split("=") for row in VALUES.split()),
        *((form, None) for form in ("", "5\n", *NONE.split())),
    ],
)
def test_value(form, value):
    assert numeral(form) == value


@pytest.mark.parametrize(
    ("form", "value"), [*(row.split("=") for row in SPANISH.split()), ("1\u00a0000", "1000")]
)
def test_values_of_spanish_numbers(form, value):
    assert numeral(digits(form)) == value


@pytest.mark.parametrize(
    ("form", "found"),
    [
        *(("250-M", ("250", "m")), ("$356M", ("356", "m")), ("25bn", ("25", "bn"))),
        *(("6.3-magnitude", ("6.3", "magnitude")), ("1,500-mile", ("1500", "mile"))),
        *(("10-year-old", ("10", "year-old")), ("1990s", ("1990", "s"))),
        *((form, None) for form in ("", *["250", "$5", "5-4", "m5", "ten-year", "5-", "5-m2"])),
        *((form, ("3", "rd")) for form in ("3rd", "3RD")),
        *((digits(form), ("3", "th")) for form in ("3.er", "3º", "3ª")),
        (digits("1.500km"), ("1500", "km")),
        (digits("2,5kg"), ("2.5", "kg")),
    ],
)
def test_measure(form, found):
    assert measure(form) == found


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=3))
def test_the_value_is_kept(number):
    for form in (f"{number:f}", f"{number:,f}"):
        value = numeral(form)
        assert value is not None
        assert Decimal(value) == number


@given(
    st.from_regex(r"[-+]?[$€]?[0-9]{1,3}(,[0-9]{3}|[0-9]){0,3}(\.[0-9]{1,3})?%?", fullmatch=True)
)
def test_the_value_is_canonical(form):
    value = numeral(form)
    assume(value is not None)
    assert numeral(value) == value


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        *(("389000000", (389, 6)), ("1500000", (15, 5)), ("1234.5", (12345, -1))),
        *(("-2000", (-2, 3)), ("100", (1, 2)), ("0.25", (25, -2)), ("0", (0, 0))),
    ],
)
def test_decimal(value, parts):
    assert decimal(value) == parts


@given(st.decimals(min_value=-(10**15), max_value=10**15, places=3))
def test_a_decimal_has_the_same_value(number):
    value = numeral(f"{number:f}")
    assert value is not None
    rest, zeros = decimal(value)
    assert Decimal(rest).scaleb(zeros) == number
    assert rest % 10 or rest == zeros == 0


@given(st.text(max_size=12))
def test_any_text_can_be_asked_for_its_number(form):
    value = numeral(digits(form))
    assert value is None or numeral(value) == value
