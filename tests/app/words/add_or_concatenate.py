"""What is so where /add-or-concatenate says it."""

from tests.app.words.answered import measured
from tests.app.words.facts import Facts

FACTS: Facts = {
    "query.description": {"": {"same": lambda answer, _: measured(answer, "identity") < 1e-5}}
}
RIGHT = ("token", "position"), lambda *two: sum(share >= 0.95 for share in two)
