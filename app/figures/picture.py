"""A picture in few colours, as a map of numbers can show it: a number for each pixel, and the
colours that they stand for.
"""

import numpy as np

FINE = 8  # pixels to a side of a patch at most
COLOURS = 255  # at most; one more number stands for a pixel that is not drawn
STOPS = 257  # of the scale, whose steps are whole parts of its length


def sampled(picture: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """The picture [row, column, colour] with as many pixels to a patch as it has, if they are few
    and no patch has a part of one; else FINE x FINE, each the one in its middle.
    """
    chosen = picture
    for axis, (size, patches) in enumerate(zip(picture.shape[:2], grid, strict=True)):
        own, rest = divmod(size, patches)
        count = patches * (FINE if rest or own > FINE else own)
        chosen = chosen.take(((np.arange(count) + 0.5) * size / count).astype(int), axis)
    return chosen


def in_few_colours(picture: np.ndarray) -> tuple[np.ndarray, list[list]]:
    """For each pixel the number of its colour, and the scale of these numbers as Plotly takes it.
    More than COLOURS different ones are drawn together by median cut (Heckbert 1982): the group
    that is widest in one colour is cut in two halves, until there are as many groups, and each is
    drawn in its mean.
    """
    every, which = np.unique(picture.reshape(-1, 3), axis=0, return_inverse=True)
    groups = [np.arange(len(every))]
    while len(groups) < min(len(every), COLOURS):
        widths = [np.ptp(every[group].astype(int), axis=0) for group in groups]
        widest = int(np.argmax([width.max() for width in widths]))
        group = groups.pop(widest)
        order = group[np.argsort(every[group, widths[widest].argmax()], kind="stable")]
        groups += [order[: len(order) // 2], order[len(order) // 2 :]]
    number = np.empty(len(every), int)
    for i, group in enumerate(groups):
        number[group] = i
    means = [every[group].mean(0).round().astype(int).tolist() for group in groups]
    colours = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in means]
    colours += colours[-1:] * (STOPS - len(colours))
    scale = [[i / (STOPS - 1), colour] for i, colour in enumerate(colours)]
    return number[which.ravel()].reshape(picture.shape[:2]), scale
