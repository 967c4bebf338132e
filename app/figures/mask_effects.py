"""Figures of /masks: what a mask does to a sentence that a model reads: what leaks, the weights and
the sums of their rows, the loss, and how many layers it takes from each input to each output.

Of several heads they show `head`; what is beyond the last is the last.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.facts import to_rows
from app.captions.terms import explained_texts
from app.captions.text import counted, decimals, number, weight
from app.figures.annotations import note
from app.figures.marks import EVEN, Cells, Lines, Look, Scale
from app.figures.masks import ALWAYS, matrices, ways
from app.figures.meta import NoteLook
from app.figures.plot import six_digits

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_ZEROS = 16  # rows of a matrix in which each exact zero is printed
SAME = 1e-5  # nats, between two runs of the same mask
ROWS = {
    "row_sum_error": "Largest distance of a row sum from 1",
    "smallest_multiplied_row_sum": "Smallest row sum after multiplying",
}
LEAK_FACTS = {"leak_outside_reach": "Leak beyond the reach"}


LEAK = Cells(
    "leak",
    numbers=lambda answer, _: np.where((leak := changes(answer)) == 0, np.float32(np.nan), leak),
    x="key",
    y="query",
    columns="token replaced",
    rows="answer at",
    unit=lambda answer, _: answer.fields["unit"],
    empty="hover",
    even=True,
    text=decimals,
    says=lambda answer, _: [[six_digits(value) for value in row] for row in changes(answer)],
    tabled=True,
    notes=lambda answer, _: zeros(answer),
    hover="replace %{x}: the answer at %{y}<br>changes by <b>%{customdata:.3g}</b> {unit} at most",
)
"""How much each answer changes when each token is replaced; exact zeros are hatched."""


def changes(answer: "Answer") -> np.ndarray:
    return answer.tensors["leak"].data.numpy()


def zeros(answer: "Answer") -> list[dict[str, Any]]:
    """Each exact zero is printed, where they are few."""
    values, look = changes(answer), NoteLook(kind="cell", role="ink")
    found = np.argwhere(values == 0) if len(values) <= MAX_ZEROS else []
    return [note(look, int(k), int(q), "0", bold=True) for q, k in found]


def of_leak(answer: "Answer", _: Question) -> dict[str, Any]:
    unit = answer.fields["unit"]
    return explained(
        answer,
        f"How much each answer changes, in {unit}, when each token is replaced.",
        LEAK_FACTS,
        caption=f"change of the {unit} when a token is replaced",
        told=leaking(answer),
    )


def open_weights(answer: "Answer", question: Question) -> np.ndarray:
    """The weights of one head [query, key] that the mask opens; what is before the text is open."""
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
    hover="%{y} looks at %{x}<br>weight <b>%{z:.3g}</b>",
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
    x_scale=Scale("token to predict", kind="named", **EVEN),
    y=Scale("loss", "nats", low=0, space=1.05),
    hover="token to predict %{x}<br>{name}: <b>%{y:.3g}</b> nats",
)
"""The loss at each token, as trained and under this mask."""


def of_loss(answer: "Answer", _: Question) -> dict[str, Any]:
    means = answer.fields["loss"]
    return explained(
        answer,
        f"Loss at each token: mean {number(means['trained'])} nats as trained,"
        f" {number(means['chosen'])} under this mask.",
        caption="surprise at the token that comes next",
        told=helped(answer),
    )


SUMS = Lines(
    "row_sum",
    x="query",
    by="order",
    at={"head": "{head}"},
    looks=lambda order, question: (
        Look(str(order), f"head:{question.get('head') or 0}", end="multiplied")
        if order == "multiplied after it"
        else Look(str(order), "ink-soft", dash="5px,4px", end="added")
    ),
    x_scale=Scale("query", kind="named", **EVEN),
    y=Scale("sum of the row’s weights", low=0, high=1.05),
    hover="query %{x}<br>{name}: <b>%{y:.3g}</b>",
)
"""The sums of the rows of one head: 1 where the mask is added before the softmax, less where it is
multiplied after it.
"""


def of_sums(answer: "Answer", question: Question) -> dict[str, Any]:
    description = (
        f"Row sums of {which(answer, question)}: 1 when the mask is added before the softmax, less"
        " when it is multiplied after."
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
    says=lambda *of: [[way or "never" for way in row] for row in ways(matrices(*of)[1])],
    tabled=True,
    hover="%{x} reaches %{y}<br>layers: <b>%{customdata}</b>",
)
"""The fewest layers from each input to each output; hatched where there is no way."""


def of_depth(answer: "Answer", _: Question) -> dict[str, Any]:
    description = "The fewest layers from each input to each output."
    return explained(answer, description, caption="from input to output; hatched: never")


NONE: dict[str, str] = {}


def explained(
    answer: "Answer", description: str, facts: dict[str, str] = NONE, **more: Any
) -> dict[str, Any]:
    """What a figure says of itself besides: what the mask costs, and facts."""
    if "told" in more:
        (more["explained"],) = explained_texts(more["told"])
    rows = to_rows(answer, ALWAYS | facts)
    return {"description": description, "summary": outcome(answer), "facts": rows, **more}


def head_of(answer: "Answer", question: Question) -> int:
    return min(question.get("head") or 0, answer.axes["head"].size - 1)


def pattern_of(answer: "Answer") -> str:
    return f"{answer.fields['stack']}.{answer.fields['layer']}.attention.pattern"


def leaking(answer: "Answer") -> str:
    """What to look for in the leak, for the mask that is drawn."""
    values, opened = answer.tensors["leak"].data.numpy(), answer.fields["opened"]
    zeros, future = int((values == 0).sum()), float(np.triu(values, 1).max(initial=0))
    if not zeros:
        return "No cell is 0: under this mask every answer changes with every token."
    hidden = answer.tensors["allowed"].data.numpy() == 0
    if not future and (reached := int((values[hidden] > 0).sum())):
        return (
            f"The mask hides {counted(int(hidden.sum()), 'cell')}, and of these {reached}"
            f" {'changes' if reached == 1 else 'change'} an answer all the same: what such a cell"
            " holds comes through several layers. Only a hatched cell is exactly 0."
        )
    if not future:
        return (
            "A hatched cell is exactly 0: its token does not reach this answer, so replacing it"
            " changes nothing, bit for bit. Press “Let a cell leak” to open one cell of the"
            " future, and see which rows change."
        )
    if opened == 1 and answer.fields["pattern"] == "causal":
        return (
            "One open cell of the future is enough: the answer in its row changes with a token that"
            " it has to predict, and so do the rows that look at this row."
        )
    return (
        f"{zeros} of {values.size} cells are exactly 0: there the mask lets nothing through all"
        " layers of the model. Coloured cells above the diagonal look ahead."
    )


def helped(answer: "Answer") -> str:
    """What to look for in the loss, for the mask that is drawn."""
    means = answer.fields["loss"]
    trained, chosen = means["trained"], means["chosen"]
    if abs(trained - chosen) < SAME:
        return (
            "Both lines are the same: this is the mask of the training. Choose the full mask, and"
            " compare them again."
        )
    more = "more" if chosen > trained else "less"
    return (
        f"Under this mask the mean loss is {number(chosen)} nats, {more} than the"
        f" {number(trained)} nats under the mask of the training. See at which tokens"
        " the lines part."
    )


def outcome(answer: "Answer") -> str:
    """What the mask costs, in a sentence."""
    means = answer.fields.get("loss")
    return (
        f"Mean loss {number(means['chosen'])} nats; under the mask of the training"
        f" {number(means['trained'])} nats."
        if means
        else ""
    )
