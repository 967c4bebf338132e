"""What is so where /training says it, and its own fields once more."""

from tests.app.words.facts import Facts


def step(answer, question) -> int:
    """The kept step nearest to the one that is asked for."""
    steps = answer.axes["step"].values
    wanted = answer.fields["formed"]["step"] if question["at"] is None else question["at"]
    return min(steps, key=lambda value: abs(value - wanted))


def head_name(answer, question) -> str:
    """Layers are those of the model of two and, last, the one of the model of one."""
    if question["head"] is None:
        return ""
    layer, head = question["head"].split(".")
    return f"one layer, H{head}" if layer == "2" else f"L{layer}H{head}"


ORACLES = {
    "maps": lambda answer, _: answer.axes["layer"].size * answer.axes["head"].size,
    "step": step,
    "head_name": head_name,
}
QUESTIONS = ({}, {"at": 210, "head": "0.1"}, {"head": "2.3"})
FACTS: Facts = {"one_head": {"no": {"more": lambda *_: True}}}
