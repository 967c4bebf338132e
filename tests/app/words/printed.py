"""Numbers as a sentence prints them, written a second time with decimal arithmetic."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

from model.words import LANGUAGE

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


def percent(value: float) -> str:
    """A share of a whole: two digits, one decimal between 99 and 100%, none above and in whole
    numbers; what is nearly nothing or nearly all is said to be so.
    """
    size, french = abs(100 * Decimal(value)), LANGUAGE.get() == "fr"
    sign = "\N{NO-BREAK SPACE}%" if french else "%"
    nearest = size.to_integral_value()
    if 0 < size < Decimal("0.01"):
        return f"{'moins de' if french else 'less than'} 0.01{sign}"
    if Decimal("99.95") < size < 100:
        return f"{'plus de' if french else 'more than'} 99.9{sign}"
    if abs(size - nearest) < Decimal("1e-6") or size > 100:
        places = 0
    elif size >= 99:
        places = 1
    else:
        places = max(0, 1 - Decimal(f"{size:.1e}").adjusted())
    return f"{rounded(math.copysign(float(size), value), places)}{sign}"
