"""What /fine-tuning says of three encoders that learn from few labels."""

from tests.app.said.answered import cut
from tests.app.said.sayings import Field, Fields, Says, always, results


def right(member: str) -> Field:
    return lambda a, _: cut(a, "accuracy", member=member)[-1].item()


def more_labels_help(answer, _) -> bool:
    """Whether the tuned encoder improves most, then the frozen one, and scratch least."""
    gains = {
        name: cut(answer, "accuracy", member=name)[-1] - cut(answer, "accuracy", member=name)[0]
        for name in ("tuned", "frozen", "scratch")
    }
    return gains["tuned"] > gains["frozen"] > gains["scratch"]


FIELDS: Fields = {
    "labels": lambda a, _: int(a.axes["labelled"].values[-1]),
    **{name: right(name) for name in ("tuned", "frozen", "scratch")},
}
SAYS: list[Says] = [
    *always(
        "A pre-trained encoder learns from labels too few for an untrained one",
        "On the left, all three lines begin near the dotted line, where a coin would be",
        "On the right is the tuned encoder less the one from scratch",
        "With {labels:1 000} labels the tuned encoder judges {tuned:%} of the sentences rightly,"
        " and the one from scratch {scratch:%}",
    ),
    *results(
        more_labels_help,
        "With more labels the tuned encoder improves most, the frozen one a little, and the one"
        " from scratch stays near the coin",
    ),
]
NAMES = ("tuned", "frozen", "scratch")
CLAIMS = {"A pre-trained encoder": ("tuned.over_scratch",)}
