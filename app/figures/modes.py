"""Figures of /modes: one sentence in four ways of reading it. Each is a square, in which rows are
tokens that look and columns are tokens that are looked at, and under it what each position says.

`map` shows where the tokens look, `mask` where they may. A mode that no model shows has only a
mask.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, number, shortened, visible, weight
from app.figures import theme
from app.figures.annotations import note
from app.figures.axis_scales import AxisScale, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot
from app.figures.traces import heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

TITLES = {
    "encoder-only": "Encoder alone",
    "decoder-only": "Decoder alone",
    "encoder-decoder": "Encoder and decoder",
    "prefix": "Prefix",
}
GUESSES = 2  # guesses that are written for each position; pointed at, all are told
MAX_WRITTEN = 12  # tokens of a square whose weights are written in its cells
LONGEST = 8  # letters of a guess
OPEN = ("paper", "attention")

LINE, HEAD, SQUARE = 18, 32, 380
"""Pixels of a row of guesses, of the titles over them, and of the usual figure."""


def square(answer: "Answer", question: Question, mode: str, show: str) -> Plot:
    """The square of a mode, and what its positions say."""
    told = next(one for one in answer.fields["modes"] if one["mode"] == mode)
    mask = answer.tensors[f"{mode}.mask"]
    may = mask.data.numpy().astype(bool)
    tokens = answer.axes[f"{mode}.read"].labels or []
    pattern = answer.tensors.get(f"{mode}.pattern") if show == "map" else None
    panels = [
        seen(tokens, may, pattern.data.numpy() if pattern else None, told["target_from"])
        if tokens
        else nothing()
    ]
    rows: tuple[Row, ...] = ()
    if told["top_tokens"]:
        panels.append(guesses(answer, mode, told["top_tokens"]))
        share = min(0.36, max(0.2, (LINE * len(told["top_tokens"]) + HEAD) / SQUARE))
        rows = (Row(1, 1 - share), Row(1, share))
    of = f"attention of {told['model']}" if pattern else "the mask"
    drawn = figure(
        *panels, description=f"{TITLES[mode]}: {of} over {len(tokens)} tokens.", rows=rows
    )
    shown = pattern or mask
    drawn["layout"]["meta"] |= {
        "kind": told["kind"],
        "names": ",".join(name for name in answer.tensors if name.startswith(f"{mode}.")),
        "said": summary(told, len(tokens)),
        "formula": shown.formula,
        "axes": list(shown.axes),
        "shape": list(shown.data.shape),
    }
    return drawn


def seen(
    tokens: list[str], may: np.ndarray, pattern: np.ndarray | None, target_from: int | None
) -> Panel:
    """The weights of every token, or the cells that the mask opens; hidden cells are hatched.
    Lines part the source from the target.
    """
    values = np.where(may, np.float32(1) if pattern is None else pattern, np.float32(np.nan))
    trace = heat_map(
        values,
        "%{y} looks at %{x}<br>weight <b>%{z:.3g}</b>",
        ends=(0, 1),
        hatched=True,
        says_gaps=True,
        showscale=False,
    )
    if pattern is None:
        trace["meta"] |= {"scale": list(OPEN)}
        trace["colorscale"] = [[i, theme.colour(role)] for i, role in enumerate(OPEN)]
        trace["customdata"] = [["open" if cell else "hidden" for cell in row] for row in may]
        trace["hovertemplate"] = "%{y} looks at %{x}<br><b>%{customdata}</b><extra></extra>"
    elif len(tokens) <= MAX_WRITTEN:
        trace["text"] = [["" if np.isnan(z) else weight(z) for z in row] for row in values]
    down = "token" if pattern is None else "token; dark: weight 0, bright: 1"
    cut = target_from if target_from is not None and target_from < len(tokens) else None
    return Panel(
        named("looks at", tokens, side="top"),
        named(down, tokens, down=True),
        [trace],
        shapes=[] if cut is None else parted(cut - 0.5, len(tokens) - 0.5),
        even=True,
    )


def nothing() -> Panel:
    """In the place of a square of more words than are drawn without a model."""
    across, down = (
        AxisScale(title, (0, 1), [], [], side="top", frameless=True)
        for title in ("looks at", "token")
    )
    look = NoteLook(kind="title", role="ink-soft")
    return Panel(across, down, [], [note(look, 0.5, 0.5, "too long to draw")])


def guesses(answer: "Answer", mode: str, top: list[list[str]]) -> Panel:
    """The likeliest tokens at each position that predicts, on the colour of their probability."""
    told = answer.tensors[f"{mode}.top_probability"]
    chances = told.data.numpy()
    asked = answer.axes[told.axes[0]].labels or []
    shown = chances[:, :GUESSES]
    all_of_them = [
        ", ".join(f"{visible(token)} {number(p)}" for token, p in zip(row, of, strict=True))
        for row, of in zip(top, chances, strict=True)
    ]
    trace = heat_map(
        shown,
        "%{y} %{customdata[0]}<br><b>%{z:.3g}</b> probability<br>%{customdata[1]}",
        ends=(0, 1),
        showscale=False,
        customdata=[
            [[label(token), label(said)] for token in row[:GUESSES]]
            for row, said in zip(top, all_of_them, strict=True)
        ],
        text=[
            [
                f"{label(shortened(token, LONGEST))} {weight(p)}"
                for token, p in zip(row, of, strict=False)
            ]
            for row, of in zip(top, shown, strict=True)
        ],
    )
    trace["meta"] |= {"worded": True}
    ranks = AxisScale(
        "guess and its probability",
        (-0.5, shown.shape[1] - 0.5),
        [],
        [],
        side="top",
        frameless=True,
    )
    return Panel(ranks, named("says", [f"{token} →" for token in asked], down=True), [trace])


def parted(cut: float, end: float) -> list[dict[str, Any]]:
    """The lines between the source and the target."""
    style = {
        "type": "line",
        "line": {"color": theme.colour("ink"), "width": 2},
        "layer": "above",
        "name": "line ink",
    }
    return [
        {**style, "x0": -0.5, "x1": end, "y0": cut, "y1": cut},
        {**style, "x0": cut, "x1": cut, "y0": -0.5, "y1": end},
    ]


def summary(told: dict[str, Any], size: int) -> str:
    """Whose numbers these are, or why there are none; how many cells the mask opens; what is said
    in the end.
    """
    model, visible_cells = told["model"], told["visible"]
    whose = f"{model}, layer {told['layer']}, head {told['head']}:" if model else told["why"]
    wrong = "" if visible_cells.holds else "✗ "
    says = f". It says “{visible(told['says'])}”." if told["says"] else ""
    return f"{whose} {wrong}{visible_cells.value:.0f} of {size * size} cells are open{says}"
