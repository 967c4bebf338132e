"""What is so where /learned-positions says it, and its own terms once more."""

from tests.app.words.answered import cut, found
from tests.app.words.facts import Facts, between


def end_of_band(place: int):
    return lambda answer, _: f"{found(answer, 'learned_over_sinusoidal').band[place]:.3g}"


def fall(answer, _) -> bool:
    loss = cut(answer, "loss")
    return bool((loss[:, -1] < loss[:, 0]).all())


ORACLES = {
    "-lowest": end_of_band(0),
    "-highest": end_of_band(1),
    "-raised": lambda answer, _: f"{found(answer, 'learned_over_sinusoidal').band[1] - 1:.0%}",
}
FACTS: Facts = {"look_for": {"": {"less": fall}}}
RIGHT = ("learned_over_sinusoidal",), between(0.9, 1.1)
