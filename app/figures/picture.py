"""A picture in few colors, as a map of numbers: one for each pixel, and their colors."""

import numpy as np

FINE = 8  # maximum pixels per patch side
COLOURS = 255  # maximum; one more number stands for a transparent pixel
STOPS = 257  # of the scale, whose steps are fractions of its length


def sampled(picture: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """The picture [row, column, colour] at full resolution, if it has few pixels and a whole number
    per patch; otherwise FINE x FINE pixels per patch, sampled at their centers.
    """
    chosen = picture
    for axis, (size, patches) in enumerate(zip(picture.shape[:2], grid, strict=True)):
        pixels, rest = divmod(size, patches)
        count = patches * (FINE if rest or pixels > FINE else pixels)
        chosen = chosen.take(((np.arange(count) + 0.5) * size / count).astype(int), axis)
    return chosen


def in_few_colours(picture: np.ndarray) -> tuple[np.ndarray, list[list]]:
    """For each pixel the number of its color, and the scale of these numbers in Plotly's format.
    More than COLOURS colors are reduced by median cut (Heckbert 1982): the group with the largest
    range in one channel is split in half until there are enough groups, and each is drawn in its
    mean.
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
