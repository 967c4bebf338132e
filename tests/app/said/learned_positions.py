"""What /learned-positions says of two translators."""

from tests.app.said.answered import cut, found, number
from tests.app.said.sayings import Fields, Says, always, results

FIELDS: Fields = {
    "learned": number("perplexity.learned"),
    "sinusoidal": number("perplexity.sinusoidal"),
    "lowest": lambda a, _: found(a, "learned_over_sinusoidal").band[0],
    "highest": lambda a, _: found(a, "learned_over_sinusoidal").band[1],
}


def fall(answer, _) -> bool:
    loss = cut(answer, "loss")
    return bool((loss[:, -1] < loss[:, 0]).all())


SAYS: list[Says] = results(fall, "On the left, the losses of two translators fall together")
SAYS += always(
    "Learned positions translate about as well as sinusoidal ones",
    "On the right, the perplexity with learned positions is divided by the one with sinusoidal"
    " positions",
    "The law allows this line to end between {lowest:limit} and {highest:limit}",
    "One head in place of eight costs the paper’s translator as much",
    "the perplexity is {learned:2} with learned positions and {sinusoidal:2} with sinusoidal ones",
)
NAMES = ("learned", "sinusoidal")
CLAIMS = {"about as well as": ("learned_over_sinusoidal",)}
