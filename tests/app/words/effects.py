"""What is so where /effects says it, and its own fields once more."""

import numpy as np

from app.schema.model_sizes import sizes_of
from tests.app.questions import DIGITS, INPUT, SHAPES, WORDS, question_of
from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.facts import Facts
from tests.rounding import SHIPPED, SINGLE, is_same

NOTHING = dict.fromkeys(INPUT)
PARTS = {
    "attention": "self-attention",
    "cross_attention": "cross-attention",
    "feed_forward": "feed-forward",
    "row_attention": "attention between rows",
    "row_feed_forward": "feed-forward after rows",
}
ROUNDING = 1e-6


def long(answer, unit: dict) -> str:
    """A unit as a sentence names it."""
    whose, first = f"the {unit['stack']}", (unit["indices"] or [None])[0]
    if unit["token"] is not None:
        return f"position {first} of {whose}, “{unit['token']}”"
    part, layer = f"{whose}’s {PARTS[unit['part']]}", f"layer {unit['layer']}"
    return {
        "head": f"head {first} in {layer} of {part}",
        "sublayer": f"{part} in {layer}",
        "neurons": f"neurons {first} to {(unit['indices'] or [0])[-1]} in {layer} of {part}",
    }[answer.fields["unit"]]


def lowest(answer, _) -> int:
    """The unit without which the answer loses most; of those alike, the first in the order."""
    change = cut(answer, "change")
    alike = np.flatnonzero(change == change.min())
    return next(i for i in answer.fields["order"] if i in alike)


def here(answer, question) -> int:
    names = [unit["name"] for unit in answer.fields["units"]]
    named = question["chosen"]
    return names.index(named) if named in names else lowest(answer, question)


def of_unit(name, at):
    return lambda *of: name(of[0], of[0].fields["units"][at(*of)])


def quoted(answer, tokens: list[str]) -> str:
    has_spaces = answer.fields["reply"]["kind"] in ("target", "next token")
    return f"“{(' ' if has_spaces else ', ').join(tokens)}”"


def by(answer, question) -> float:
    return float(cut(answer, "change")[here(answer, question)])


def tokens(answer, question) -> np.ndarray:
    return cut(answer, "by_token")[here(answer, question)]


def differ(answer, question) -> int:
    says = answer.fields["units"][here(answer, question)]["says"]
    return sum(map(str.__ne__, says, answer.fields["unedited"]["says"]))


def sizes(answer, _) -> np.ndarray:
    return np.abs(cut(answer, "change"))


def seconds(answer, question) -> float:
    """What the question costs of all layers, which a model of few layers has in one window."""
    assert answer.fields["window"]["of_layers"] == sizes_of(question["model"]).depth
    return question_of(WORDS["effects"], question).estimated_seconds()


ORACLES = {
    "reply": lambda answer, _: quoted(answer, answer.fields["reply"]["tokens"]),
    "worst_name": of_unit(long, lowest),
    "worst_by": lambda answer, _: -float(cut(answer, "change").min()),
    "chosen_name": of_unit(long, here),
    "shown": lambda *_: 20,
    "chosen_by": lambda *of: abs(by(*of)),
    "chosen_left": lambda answer, question: (
        sum(answer.fields["unedited"]["by_token"]) + by(answer, question)
    ),
    "chosen_loss": lambda *of: float(cut(of[0], "loss")[here(*of)]),
    "says": of_unit(lambda answer, unit: quoted(answer, unit["says"]), here),
    "differ": differ,
    "reply_length": lambda answer, _: len(answer.fields["unedited"]["says"]),
    "worst_token": lambda *of: of[0].fields["reply"]["tokens"][int(np.argmin(tokens(*of)))],
    "worst_token_by": lambda *of: -min(tokens(*of).tolist()),
    "falling": lambda answer, _: int((cut(answer, "change") < -ROUNDING).sum()),
    "rising": lambda answer, _: int((cut(answer, "change") > ROUNDING).sum()),
    "larger": lambda *of: int((sizes(*of) > (of[0].fields["usual_change"] or np.inf)).sum()),
    "clear": lambda *of: int((sizes(*of) > 2 * cut(of[0], "spread")).sum()),
    "sum": lambda answer, _: float(cut(answer, "change").sum()),
    "window_last": lambda answer, _: [*range(answer.fields["window"]["of_layers"])][-1],
    "seconds": seconds,
}
DIGIT = NOTHING | DIGITS | {"unit": "neurons", "groups": 2, "ablation": "resample"}
BLANK = NOTHING | {"model": "fill-in", "text": "i ___ cold", "unit": "position"}
QUESTIONS = (
    {"chosen": "decoder.1.cross_attention.z[head 2]"},
    {"unit": "sublayer", "ablation": "mean", "draws": 0},
    BLANK | {"ablation": "resample", "draws": 3},
    DIGIT,
    NOTHING | SHAPES | {"draws": 0},
    NOTHING | {"model": "shakespeare", "text": "to be", "unit": "sublayer", "chosen": "nobody"},
    {"unit": "head"},
)


def changed(answer, by_token, layers: int, says: str) -> object:
    """The answer with other changes, of a window of so many of the last layers."""
    by = by_token(answer.tensors["by_token"].data)
    edited = with_tensor(with_tensor(answer, "by_token", by), "change", by.sum(1).round(decimals=5))
    window = {"first_layer": 3 - layers, "layers": layers, "of_layers": 3, "of_units": 36}
    units = [
        unit | {"says": [says, *answer.fields["unedited"]["says"][1:]]}
        for unit in answer.fields["units"]
    ]
    order = edited.tensors["change"].data.argsort(stable=True).tolist()
    return with_fields(edited, window=window, units=units, order=order)


MADE_UP = (
    lambda answer: changed(answer, abs, 1, "où"),
    lambda answer: changed(answer, lambda data: data - data.mean(1, keepdim=True), 2, "je"),
)


def falls(answer, question) -> bool:
    """Whether the answer is less likely without the worst part, and with no other more so."""
    change = cut(answer, "change")
    return change[lowest(answer, question)] == change.min() < -ROUNDING


def falls_in_no_case(answer, _) -> bool:
    return bool((cut(answer, "change") >= -ROUNDING).all())


def is_sum(answer, _) -> bool:
    """Whether the whole run says so of the whole answer."""
    unedited = answer.fields["unedited"]
    return is_same(
        sum(unedited["by_token"]), unedited["log_probability"], SINGLE, n=SHIPPED, scale=1
    )


def by_removal(answer, _) -> bool:
    """Whether the changes of an answer are those of its tokens, summed."""
    return is_same(
        cut(answer, "by_token").sum(1), cut(answer, "change"), SINGLE, n=SHIPPED, scale=1
    )


def has(*tensors: str):
    return lambda answer, _: all(name in answer.tensors for name in tensors)


def without(tensor: str):
    return lambda answer, _: tensor not in answer.tensors


FACTS: Facts = {
    **{f"{name}.description": {"": {"all": is_sum}} for name in ("map", "tokens")},
    "unedited": {"": {"all": is_sum}},
    "sorted.description": {"": {"all": is_sum}},
    "ablation": {"mean": {"all": lambda answer, _: bool(answer.fields["examples"])}},
    "loses": {
        "yes": {"most": falls, "less": falls},
        "no": dict.fromkeys(("none", "less"), falls_in_no_case),
    },
    "compared": {
        "nothing": {"none": without("resampled")},
        "usual": {"more": has("resampled")},
        "one_example": {"none": without("spread")},
        "spread": {"more": has("spread")},
    },
    "goes": {
        "stays": {"none": lambda *of: abs(by(*of)) < ROUNDING},
        "falls": {"less": lambda *of: by(*of) < 0},
        "rises": {"more": lambda *of: by(*of) > 0},
    },
    "other": {"no": {"same": lambda *of: differ(*of) == 0}},
    "sorted.more": {"": {"all": by_removal}},
    "token_loses": {
        "yes": dict.fromkeys(("most", "less"), lambda *of: min(tokens(*of)) < 0),
        "no": dict.fromkeys(("none", "less"), lambda *of: min(tokens(*of)) >= -ROUNDING),
    },
    "windowed": {
        "one": {"all": lambda answer, _: answer.fields["window"]["layers"] == 1},
        "several": {"all": lambda answer, _: answer.fields["window"]["layers"] > 1},
    },
}
