"""What /warmup says of networks that learn with a warm-up and without one."""

from tests.app.said.amplification import TITLES
from tests.app.said.answered import measured, not_asked
from tests.app.said.sayings import Fields, Says, When, always, only


def arms(answer) -> list[str]:
    return answer.axes["arm"].labels


def others(answer, question) -> str:
    """What all networks without a warm-up, but the chosen one, have left."""
    return ", ".join(
        f"{100 * measured(answer, f'left.{arm}'):.0f} % for {TITLES[arm]}"
        for arm in arms(answer)
        if arm != question["placement"] and not arm.endswith("_warmup")
    )


def told(kind: str) -> When:
    def so(_, q) -> bool:
        if not q["warmup_steps"]:
            return kind == "none"
        if q.get("stop") is not None:
            return kind == "stopped"
        return kind == q["schedule"]

    return so


FIELDS: Fields = {
    "placement": lambda _, q: TITLES[q["placement"]],
    "steps": lambda a, _: a.axes["step"].size,
    "stop": lambda _, q: q["stop"],
    "left": lambda a, q: measured(a, f"left.{q['placement']}"),
    "left.warmup": lambda a, q: measured(a, f"left.{q['placement']}_warmup"),
    "others": others,
}
SAYS: list[Says] = [
    *only(lambda _, q: q["placement"] == "post", "Warm-up lets Post-LN learn"),
    *only(not_asked(placement="post"), "{placement} with and without warm-up"),
    *always(
        "After {steps} steps, the loss of {placement} is {left:%} of that of guessing without"
        " warm-up, and {left.warmup:%} with it",
        "Without warm-up it is {others}",
    ),
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
