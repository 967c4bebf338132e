"""The masks' laws with numbers put in: how many cells one opens, in closed form, and how far it
reaches through several layers.

Each gives the arithmetic as text and what comes out. `count_…` takes the size and the mask's own
parameters, `span_…` the number of layers too; its unit is positions, from the earliest key reached
to the query farthest from it, both counted.
"""

import math


def count_full(n: int) -> tuple[str, int]:
    return f"{n}^2", n**2


def count_causal(n: int) -> tuple[str, int]:
    return f"{n} x {n + 1} / 2", n * (n + 1) // 2


def count_prefix(n: int, prefix: int) -> tuple[str, int]:
    terms = (
        " + ".join(str(i) for i in range(prefix + 1, n + 1))
        if n - prefix <= 8
        else f"{prefix + 1} + … + {n}"
    )
    return f"{prefix}^2 + ({terms or 0})", prefix**2 + (n * (n + 1) - prefix * (prefix + 1)) // 2


def count_window(n: int, window: int) -> tuple[str, int]:
    return f"{n} x {window} - {window} x {window - 1} / 2", n * window - window * (window - 1) // 2


def count_dilated(n: int, window: int, dilation: int) -> tuple[str, int]:
    m = min(window, math.ceil(n / dilation))
    return f"{n} x {m} - {dilation} x {m} x {m - 1} / 2", n * m - dilation * m * (m - 1) // 2


def count_block(n: int, block: int) -> tuple[str, int]:
    whole, rest = divmod(n, block)
    return f"{whole} x {block}^2 + {rest}^2", whole * block**2 + rest**2


def count_window_2d(n: int, columns: int, above: int, beside: int) -> tuple[str, int]:
    rows, c = n // columns, columns
    a, b = min(above, rows - 1), min(beside, columns - 1)
    own, over = (
        rows * (b + 1) * (2 * c - b) // 2,
        a * (2 * rows - a - 1) // 2 * (c + b * (2 * c - b - 1)),
    )
    numbers = (
        f"{rows} x {b + 1} x {2 * c - b} / 2 + {a} x {2 * rows - a - 1} / 2 x ({c} + {b} x"
        f" {2 * c - b - 1})"
    )
    return numbers, own + over


def count_padding(n: int, lengths: list[int]) -> tuple[str, int]:
    return (
        f"{n} x {lengths[0]}" if len(lengths) == 1 else f"{n} x ({' + '.join(map(str, lengths))})"
    ), n * sum(lengths)


def span_window(n: int, layers: int, window: int) -> tuple[str, int]:
    span = layers * (window - 1) + 1
    return f"L (w - 1) + 1 = {layers} x {window - 1} + 1 = {span}, at most n = {n}", min(n, span)


def span_dilated(n: int, layers: int, window: int, dilation: int) -> tuple[str, int]:
    steps = layers * (window - 1)
    law = f"L (w - 1) d + 1 = {layers} x {window - 1} x {dilation} + 1 = {steps * dilation + 1}"
    return (
        f"{law}, in steps of d = {dilation} within n = {n}",
        min(steps, (n - 1) // dilation) * dilation + 1,
    )


def span_block(n: int, layers: int, block: int) -> tuple[str, int]:
    return (f"b = {block}, however many layers", block) if layers else ("1, before any layer", 1)


def span_window_2d(n: int, layers: int, columns: int, above: int, beside: int) -> tuple[str, int]:
    up, aside = min(layers * above, n // columns - 1), min(layers * beside, columns - 1)
    span = columns * up + aside + 1
    return (
        (
            f"c L a + L b + 1 = {columns} x {up} + {aside} + 1 = {span}, L a and L b as far as the"
            " grid goes"
        ),
        span,
    )
