// What the stream of one token is made of at every step: what carries it forward stacks up, what holds it back hangs down, and the end is |x|.

import { line, rect, text } from "../draw/scene.js";
import { place, yAxis } from "../draw/axes.js";
import { chart } from "./residual-chart.js";
import { legend, middle } from "./residual-frame.js";
import { WRITERS } from "./residual-stream.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */

export const ORDER = Object.freeze(["token", "position", "attention", "cross_attention", "feed_forward", "row_attention", "row_feed_forward", "bias"]);

/**
 * The bars of one step: every part that carries the stream forward from where the last one ended, then every part that takes off, back down.
 * @param {Stream} stream @param {number} step @param {number} position
 * @returns {{part: number, kind: string, value: number, from: number, to: number}[]} the last `to` is the sum of all
 */
export function stack(stream, step, position) {
  const values = stream.parts.map(({ kind }, part) => ({ part, kind, value: stream.projections[step][part][position] }));
  const ordered = ORDER.flatMap((kind) => values.filter((bar) => bar.kind === kind && bar.value !== 0));
  let end = 0;
  return [...ordered.filter((bar) => bar.value > 0), ...ordered.filter((bar) => bar.value < 0)].map((bar) => {
    const from = end;
    end += bar.value;
    return { ...bar, from, to: end };
  });
}

/** @param {import("./residual-frame.js").Frame} f @param {Stream} stream @param {import("./residual-frame.js").State} state @param {import("../draw/colours.js").Palette} colours */
function draw(f, stream, state, colours) {
  const stacks = stream.steps.map((_, s) => stack(stream, s, state.position));
  const high = 1.1 * Math.max(...stacks.flat().map((bar) => bar.to));
  const low = 1.05 * Math.min(0, ...stacks.flat().map((bar) => bar.to));
  const range = { low, high, title: "part · x / |x|, length along the stream" };
  const y = place(range, f.y + f.height, f.y);
  const colourOf = (/** @type {string} */ kind) => colours[WRITERS[/** @type {keyof typeof WRITERS} */ (kind)].colour];
  const columns = stacks.flatMap((bars, s) => {
    const [x, wide, total] = [middle(f, s) - f.slot * 0.4, f.slot * 0.8, stream.norm[s][state.position]];
    const [up, down] = bars.some((bar) => bar.value < 0) ? [wide * 0.72, wide * 0.22] : [wide, 0];
    return [
      ...bars.map(({ kind, value, from, to }) => {
        const [top, height] = [Math.min(y(from), y(to)), Math.abs(y(from) - y(to))];
        const gap = height > 3 ? 1 : 0;
        if (value > 0) return rect(x, top, up, height - gap, { fill: colourOf(kind) });
        return rect(x + wide - down + 0.75, top + 0.75, down - 1.5, Math.max(0.5, height - gap - 1.5), { stroke: colourOf(kind), line: 1.5, fill: colours.paper });
      }),
      line(x - 2, y(total), x + wide + 2, y(total), { stroke: colours.ink, line: 3 }),
      ...(f.slot > 3.6 * f.size || s === state.step
        ? [text(x + wide / 2, y(Math.max(...bars.map((bar) => bar.to))) - f.size * 0.8, total.toFixed(1), { fill: colours.ink, size: f.size, font: "mono", anchor: "middle", weight: 700 })]
        : []),
    ];
  });
  const kinds = ORDER.filter((kind) => stream.parts.some((part) => part.kind === kind));
  return [
    ...yAxis(f, range, colours),
    ...columns,
    ...legend(f, [
      ...kinds.map((kind) => ({ colour: colourOf(kind), label: WRITERS[/** @type {keyof typeof WRITERS} */ (kind)][f.total.width < 70 * f.size ? "short" : "title"] })),
      { colour: colours.ink, label: "sum = |x|", mark: /** @type {const} */ ("line") },
    ], colours),
  ];
}

export const picture = chart(draw);
