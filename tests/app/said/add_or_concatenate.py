"""What /add-or-concatenate says of a query of a sum and of what is read from the sum."""

from tests.app.said.answered import measured, number
from tests.app.said.sayings import Fields, Says, always, results

FIELDS: Fields = {name: number(name) for name in ("token", "position")}
SAYS: list[Says] = results(
    lambda a, _: measured(a, "identity") < 1e-5,
    "whose halves share one matrix, and they lie on that line",
)
SAYS += always(
    "Adding is the same as concatenating with shared weights",
    "On the left, the solid line is a query computed from the sum of token and position",
    "The points are the query of a concatenation",
    "On the right, a linear map reads the token and the position",
    "reads the token from the sum in {token:%} of the examples that it was not fitted to",
    "and the position in {position:%}",
)
CLAIMS = {"Adding is the same": ("identity", "token", "position")}
