"""What /warmup says of networks that learn with a warm-up and without one."""

from tests.app.said.answered import found, marked, measured, not_asked, with_finding
from tests.app.said.sayings import Fields, Pages, Says, When, always, only, results
from tests.app.words.amplification import TITLES


def learns(least: float, most: float) -> When:
    """Whether the placement without warm-up has a share of guessing left that lies between."""
    return lambda a, q: least <= measured(a, f"left.{q['placement']}") <= most


def told(kind: str) -> When:
    def so(_, q) -> bool:
        if not q["warmup_steps"]:
            return kind == "none"
        if q.get("stop") is not None:
            return kind == "stopped"
        return kind == q["schedule"]

    return so


APART = "translators.post_less_pre"


def higher(answer, _) -> bool:
    """Whether the translators with Post-LN end with the higher loss."""
    return measured(answer, APART) > 0


def so(answer, _) -> int:
    """In how many trainings they do what their mean does."""
    mean = measured(answer, APART)
    return sum(one * mean > 0 for one in found(answer, APART).values)


FIELDS: Fields = {
    "placement": lambda _, q: TITLES[q["placement"]],
    "stop": lambda _, q: q["stop"],
    "left": lambda a, q: measured(a, f"left.{q['placement']}"),
    "apart": lambda a, _: abs(measured(a, APART)),
    "so": so,
    "trainings": lambda a, _: a.axes["training"].size,
    "left.warmup": lambda a, q: measured(a, f"left.{q['placement']}_warmup"),
}
SAYS: list[Says] = [
    *only(lambda _, q: q["placement"] == "post", "Warm-up lets Post-LN learn"),
    *only(not_asked(placement="post"), "{placement} with and without warm-up"),
    *always(
        "its loss is {left:%} of that of guessing",
        "With warm-up it is {left.warmup:%}",
        "Held-out loss of translators under Post-LN and Pre-LN, with and without warm-up",
    ),
    *only(
        higher,
        "Those of 6 + 6 layers end {apart:2} nats higher with Post-LN than with Pre-LN,"
        " in {so} of {trainings} trainings",
    ),
    *only(
        lambda a, q: not higher(a, q),
        "Those of 6 + 6 layers end {apart:2} nats lower with Post-LN than with Pre-LN,"
        " in {so} of {trainings} trainings",
    ),
    *results(
        learns(0.5, 9),
        "Without warm-up, {placement} has hardly learned",
    ),
    *results(
        learns(0.2, 0.5),
        "Without warm-up, {placement} has learned in part",
    ),
    *results(learns(-9, 0.2), "Without warm-up, {placement} has learned"),
    *only(
        told("inverse_root"),
        "The full and the dashed line of one colour are the same network, with the same first"
        " weights and the same data",
        "differ only in the learning rate of the first steps",
    ),
    *only(
        told("none"),
        "The warm-up has no steps, so the dashed line lies on the full one: both networks are"
        " trained in the same way",
        "Choose a warm-up of 20 steps",
    ),
    *only(
        told("stopped"),
        "The warm-up of the dashed line is broken off after step {stop}, and its rate jumps to"
        " that of the others",
        "Compare its loss with a warm-up that runs to its end",
    ),
    *only(
        told("constant"),
        "The rate stays at its peak after the warm-up",
        "Follow the dashed line to the last step: its network may fail later than the one of the"
        " full line, or learn",
    ),
]
NAMES = TITLES.values()
DESCRIBED = ("translators",)
CLAIMS = {
    "Warm-up lets": ("left.post_warmup", "gain"),
    "with and without warm-up": (),
}
QUESTIONS = (
    {"placement": "pre"},
    {"warmup_steps": 0},
    {"stop": 2},
    {"schedule": "constant"},
)


def forced(pages: Pages) -> Pages:
    """A network that has learned, one that has in part and one that has hardly; and translators of
    which those with Post-LN end better.
    """
    for question, answer in pages:
        for left in (0.1, 0.3, 0.7):
            name = f"left.{question['placement']}"
            yield question, with_finding(marked(answer), name, mean=left)
        yield question, with_finding(marked(answer), APART, mean=-0.34)
