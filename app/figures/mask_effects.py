"""Figures of /masks: the effect of a mask on a sentence that a model reads: leaks, weights and
their row sums, the loss, and the number of layers from each input to each output.

Of several heads, they show `head`, or the last if it is out of range.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.facts import to_rows
from app.captions.terms import explained_texts
from app.captions.text import counted, decimals, number, weight
from app.figures.marks import EVEN, Cells, Lines, Look, Scale
from app.figures.masks import ALWAYS, matrices, ways
from app.figures.meta import NoteLook
from app.figures.plot import six_digits
from app.figures.traces import note
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_ZEROS = 16  # maximum rows of a matrix for printing each exact zero
SAME = 1e-5  # nats, between two runs with the same mask
ROWS = {
    "row_sum_error": "Largest distance of a row sum from 1",
    "smallest_multiplied_row_sum": "Smallest row sum after multiplying",
}
LEAK_FACTS = {"leak_outside_reach": "Leak from unreachable tokens"}


LEAK = Cells(
    "leak",
    numbers=lambda answer, _: np.where((leak := changes(answer)) == 0, np.float32(np.nan), leak),
    x="key",
    y="query",
    columns="token replaced",
    rows=lambda answer, _: "prediction at" if of_logits(answer) else "vector at",
    unit=lambda answer, _: "logits" if of_logits(answer) else "",
    empty="hover",
    even=True,
    text=decimals,
    says=lambda answer, _: [[six_digits(value) for value in row] for row in changes(answer)],
    tabled=True,
    notes=lambda answer, _: zeros(answer),
    hover=lambda answer, _: (
        "replace %{x}: the prediction at %{y}<br>changes by at most <b>%{customdata:.3g}</b> logits"
        if of_logits(answer)
        else "replace %{x}: the vector at %{y}<br>changes by at most <b>%{customdata:.3g}</b>"
    ),
)
"""The change of each output when each token is replaced; exact zeros are hatched."""


def changes(answer: "Answer") -> np.ndarray:
    return answer.tensors["leak"].data.numpy()


def zeros(answer: "Answer") -> list[dict[str, Any]]:
    """Prints each exact zero, if there are few."""
    values, style = changes(answer), NoteLook(kind="cell", role="ink")
    found = np.argwhere(values == 0) if len(values) <= MAX_ZEROS else []
    return [note(style, int(k), int(q), "0", bold=True) for q, k in found]


def of_logits(answer: "Answer") -> bool:
    """Whether the outputs are predictions; an encoder's are stream vectors."""
    return answer.fields["unit"] == "logits"


def of_leak(answer: "Answer", _: Question) -> dict[str, Any]:
    predicts = of_logits(answer)
    return explained(
        answer,
        "How much each prediction changes, in logits, when each token is replaced."
        if predicts
        else "How much each output vector changes when each token is replaced.",
        LEAK_FACTS,
        caption=f"largest change in any {'logit' if predicts else 'channel'} when a token is"
        " replaced by each of four other tokens in turn",
        told=leaking(answer) if predicts else leaking(answer).replace("prediction", "vector"),
    )


def open_weights(answer: "Answer", question: Question) -> np.ndarray:
    """The weights of a head [query, key] that the mask allows, and remembered positions."""
    tensor = answer.tensors[pattern_of(answer)]
    weights, axis = tensor.data.numpy()[head_of(answer, question)], answer.axes[tensor.axes[-1]]
    first = (axis.parts or {}).get("memory", 0)
    may = np.ones(weights.shape, dtype=bool)
    may[:, first : first + len(weights)] = answer.tensors["allowed"].data.numpy().astype(bool)
    return np.where(may, weights, np.float32(np.nan))


WEIGHTS = Cells(
    "",
    numbers=open_weights,
    x=lambda answer, _: answer.tensors[pattern_of(answer)].axes[-1],
    y="query",
    columns="key",
    rows="query",
    ends=(0, 1),
    unit="weight",
    empty="hover",
    even=True,
    text=weight,
    sums=True,
    hover="%{y} attends to %{x}<br>weight <b>%{z:.3g}</b>",
)
"""The attention weights of one head under the mask, with the sum of each row."""


def of_weights(answer: "Answer", question: Question) -> dict[str, Any]:
    tensor = answer.tensors[pattern_of(answer)]
    return explained(
        answer,
        f"Attention weights of {which(answer, question)}, under the mask.",
        ROWS,
        caption=f"{which(answer, question)}, under this mask",
        formula=tensor.formula,
        axes=list(tensor.axes),
        shape=list(tensor.data.shape),
    )


def which(answer: "Answer", question: Question) -> str:
    return f"layer {answer.fields['layer']}, head {head_of(answer, question)}"


LOSS = Lines(
    "loss",
    x="predicted",
    by="mask",
    looks={
        "as trained": Look("as trained", "ink-soft", dash="5px,4px", end="trained"),
        "as chosen": Look("under this mask", "attention", end="now"),
    },
    x_scale=Scale("next token", kind="named", **EVEN),
    y=Scale("loss", "nats", low=0, space=1.05),
    hover="next token %{x}<br>{name}: <b>%{y:.3g}</b> nats",
)
"""The loss at each token, under the training mask and under this mask."""


def of_loss(answer: "Answer", _: Question) -> dict[str, Any]:
    means = answer.fields["loss"]
    return explained(
        answer,
        f"Loss at each token: mean {number(means['trained'])} nats as trained,"
        f" {number(means['chosen'])} under this mask.",
        caption="loss for each next token",
        told=helped(answer),
    )


SUMS = Lines(
    "row_sum",
    x="query",
    by="order",
    at={"head": "{head}"},
    looks=lambda order, question: (
        Look(str(order), f"head:{question.get('head') or 0}", end="multiplied")
        if order == "multiplied after the softmax"
        else Look(str(order), "ink-soft", dash="5px,4px", end="added")
    ),
    x_scale=Scale("query", kind="named", **EVEN),
    y=Scale("row sum of weights", low=0, high=1.05),
    hover="query %{x}, mask {name}: row sum <b>%{y:.3g}</b>",
)
"""The row sums of one head: 1 if the mask is added before the softmax, less if it is multiplied
after it.
"""


def of_sums(answer: "Answer", question: Question) -> dict[str, Any]:
    description = (
        f"Row sums of {which(answer, question)}: 1 when the mask is added before the softmax, less"
        " when it is multiplied afterward."
    )
    return explained(answer, description, ROWS, caption=f"row sums of {which(answer, question)}")


DEPTH = Cells(
    "layers_needed",
    numbers=lambda *of: matrices(*of)[1],
    x="query",
    y="query",
    columns="input",
    rows="output",
    ends=lambda *of: (0, 4 * max(1, math.ceil(float(np.nanmax(matrices(*of)[1], initial=0)) / 4))),
    unit="layers",
    empty="hover",
    even=True,
    text="{:.0f}".format,
    says=lambda *of: [[way or label("never") for way in row] for row in ways(matrices(*of)[1])],
    tabled=True,
    hover="%{x} reaches %{y}<br>layers: <b>%{customdata}</b>",
)
"""The smallest number of layers from each input to each output; hatched if there is no path."""


def of_depth(answer: "Answer", _: Question) -> dict[str, Any]:
    description = "The fewest layers from each input to each output."
    return explained(answer, description, caption="from input to output; hatched: never")


NONE: dict[str, str] = {}


def explained(
    answer: "Answer", description: str, facts: dict[str, str] = NONE, **more: Any
) -> dict[str, Any]:
    """The additional text of a figure: the cost of the mask, and facts."""
    if "told" in more:
        (more["explained"],) = explained_texts(label(more["told"]))
    rows = to_rows(answer, ALWAYS | facts)
    return {"description": description, "summary": outcome(answer), "facts": rows, **more}


def head_of(answer: "Answer", question: Question) -> int:
    return min(question.get("head") or 0, answer.axes["head"].size - 1)


def pattern_of(answer: "Answer") -> str:
    return f"{answer.fields['stack']}.{answer.fields['layer']}.attention.pattern"


def leaking(answer: "Answer") -> str:
    """What to notice in the leak, for this mask."""
    values, opened = answer.tensors["leak"].data.numpy(), answer.fields["opened"]
    zeros, future = int((values == 0).sum()), float(np.triu(values, 1).max(initial=0))
    if not zeros:
        return "With this mask, every token influences every prediction."
    hidden = answer.tensors["allowed"].data.numpy() == 0
    if not future and (reached := int((values[hidden] > 0).sum())):
        return (
            f"The mask hides {counted(int(hidden.sum()), 'cell')}, but in {reached} of them the"
            " token still changes the prediction, through several layers. Only in hatched cells is"
            " the change exactly 0."
        )
    if not future:
        return (
            "In a hatched cell on the right, the change is exactly 0: the token in its column"
            " cannot influence the prediction in its row. Press “Unmask one cell” to open one"
            " future cell, and see which rows change."
        )
    if opened == 1 and answer.fields["pattern"] == "causal":
        return (
            "One open future cell is enough: the prediction in its row now depends on a later"
            " token, and so do the rows that attend to this row."
        )
    return (
        f"In {zeros} of {values.size} cells on the right, the change is exactly 0: there the mask"
        " blocks every path through the model. Colored cells above the diagonal are leaks from"
        " later tokens."
    )


def helped(answer: "Answer") -> str:
    """What to notice in the loss, for this mask."""
    means = answer.fields["loss"]
    trained, chosen = means["trained"], means["chosen"]
    if abs(trained - chosen) < SAME:
        return (
            "Both lines are the same: this is the training mask. Choose the full mask to see them"
            " differ."
        )
    more = "higher" if chosen > trained else "lower"
    return (
        f"The mean loss is {more} with this mask than with the training mask. Notice at which"
        " tokens the lines differ."
    )


def outcome(answer: "Answer") -> str:
    """The cost of the mask, in a sentence."""
    means = answer.fields.get("loss")
    return (
        f"Mean loss with this mask: {number(means['chosen'])} nats (with the training mask:"
        f" {number(means['trained'])} nats)."
        if means
        else ""
    )
