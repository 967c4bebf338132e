"""Numbers as a sentence prints them, written a second time with decimal arithmetic."""

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal

RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))


def rounded(value: float, places: int) -> str:
    """With so many decimals, and the sign of a minus."""
    unit = Decimal(1).scaleb(-places)
    return str(Decimal(value).quantize(unit, ROUND_HALF_EVEN)).replace("-", "−")


def number(value: float) -> str:
    """Three significant digits; powers of ten from 10⁵ on and below 10⁻³."""
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e5 and value == int(value):
        return str(int(value)).replace("-", "−")
    power = math.floor(math.log10(size))
    if 1e-3 <= size < 1e5:
        return rounded(value, max(0, 2 - power))
    mantissa = rounded(float(Decimal(value).scaleb(-power)), 2)
    if mantissa.lstrip("−") == "10.00":
        mantissa, power = mantissa.replace("10.00", "1.00"), power + 1
    return f"{mantissa} × 10{''.join(RAISED[sign] for sign in str(power))}"


def short(value: float) -> str:
    """A number that was first rounded to three significant digits."""
    return number(float(f"{value:.2e}"))


def two_digits(value: float) -> str:
    """A number that was first rounded to two significant digits."""
    return number(float(f"{value:.1e}"))


def limit(value: float) -> str:
    """The end of a band: three significant digits without zeros at the end."""
    said = short(value)
    return said if "×" in said or "." not in said else said.rstrip("0").rstrip(".")


def decimals(places: int) -> Callable[[float], str]:
    """With so many decimals; what rounds to 0 is 0."""

    def printed(value: float) -> str:
        said = rounded(value, places)
        return said if said.strip("−0.") else "0"

    return printed


def weight(places: int) -> Callable[[float], str]:
    """A probability: .37, 1, 0."""

    def printed(value: float) -> str:
        said = rounded(value, places)
        if not said.strip("−0."):
            return "0"
        if float(said.replace("−", "-")) == 1:
            return "1"
        return said.replace("0.", ".", 1)

    return printed


def percent(value: float) -> str:
    """A share of a whole: two digits, one decimal between 99 and 100 %, none above and in whole
    numbers; what is nearly nothing or nearly all is said to be so.
    """
    size = abs(100 * Decimal(value))
    nearest = size.to_integral_value()
    if 0 < size < Decimal("0.01"):
        return "less than 0.01 %"
    if Decimal("99.95") < size < 100:
        return "more than 99.9 %"
    if abs(size - nearest) < Decimal("1e-6") or size > 100:
        places = 0
    elif size >= 99:
        places = 1
    else:
        places = max(0, 1 - Decimal(f"{size:.1e}").adjusted())
    return f"{rounded(math.copysign(float(size), value), places)} %"


SHARE = re.compile(r"(?:\d{2,}|99\.\d|\d(?:\.\d)?|0\.0*[1-9]\d?) %")
"""Every share in a sentence, whoever wrote it."""


def misprinted(sentence: str) -> list[str]:
    """The shares of a sentence in another form, and the numbers with a hyphen for a minus."""
    shares = re.findall(r"\d[\d.]* ?%", sentence)
    return [one for one in shares if not SHARE.fullmatch(one)] + re.findall(
        r"(?<![\w.⁻-])-\d[\d.]*", sentence
    )


FORMS: dict[str, Callable[..., str]] = {
    "": str,
    "number": number,
    "short": short,
    "limit": limit,
    "two digits": two_digits,
    "0": lambda value: rounded(value, 0),
    **{str(n): decimals(n) for n in (1, 2, 3)},
    "0.00": lambda value: rounded(value, 2),
    "weight": weight(2),
    "weight 3": weight(3),
    "%": percent,
    "1,000": lambda value: f"{value:,}",
    "1 000": lambda value: f"{value:,}".replace(",", "\u202f"),
    "g": lambda value: f"{value:g}",
}
"""How a field is printed, by what stands after its name: {share:%}."""


def forms(value: object, form: str) -> set[str]:
    """How the value may be printed: sums in another order may differ in their last bits, and then a
    digit may be another one.
    """
    if not isinstance(value, float) or not math.isfinite(value):
        return {FORMS[form](value)}
    return {FORMS[form](value * (1 + off)) for off in (0.0, 3e-7, -3e-7)}
