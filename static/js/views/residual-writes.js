// The size of every write for one token: what a sub-layer adds, and what each of its heads alone would.

import { dot, rect, text } from "../draw/scene.js";
import { place, yAxis } from "../draw/axes.js";
import { headColour } from "../draw/colours.js";
import { chart } from "./residual-chart.js";
import { legend, middle, narrow } from "./residual-frame.js";
import { WRITERS } from "./residual-stream.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */

/** The parts that one step wrote: their places in `stream.parts`. @param {Stream} stream @param {number} step */
export function partsOf(stream, step) {
  const scope = stream.steps[step].wrote?.replace(/\.(out|sum)$/, "");
  return stream.parts.map((part, i) => (scope && (part.name === scope || part.name.startsWith(`${scope}.`)) ? i : -1)).filter((i) => i >= 0);
}

/** |f| of a step; the embedding's is the stream's own. @param {Stream} stream @param {number} step @returns {number[] | null} */
export const writeOf = (stream, step) => (stream.steps[step].writer === "embedding" ? stream.norm[step] : stream.update[step]);

/** @param {import("./residual-frame.js").Frame} f @param {Stream} stream @param {import("./residual-frame.js").State} state @param {import("../draw/colours.js").Palette} colours */
function draw(f, stream, state, colours) {
  const p = state.position;
  const all = stream.steps.flatMap((_, s) => writeOf(stream, s) ?? []);
  const high = 1.16 * Math.max(...all, ...stream.partNorm.map((row) => row[p]));
  const range = { low: 0, high, title: "|f|, length of what is written" };
  const y = place(range, f.y + f.height, f.y);
  const base = f.y + f.height;
  const columns = stream.steps.flatMap((step, s) => {
    const sizes = writeOf(stream, s);
    if (!sizes) return [];
    const colour = colours[WRITERS[/** @type {keyof typeof WRITERS} */ (step.writer)].colour];
    const [x, bar] = [middle(f, s) - f.slot * 0.37, f.slot * 0.3];
    const parts = partsOf(stream, s);
    const thin = (f.slot * 0.46) / parts.length;
    return [
      rect(x, y(sizes[p]), bar, base - y(sizes[p]), { fill: colour }),
      ...sizes.filter((_, other) => other !== p).map((value) => dot(x - f.slot * 0.06, y(value), 2.5, { stroke: colours.ink, opacity: 0.75 })),
      ...parts.map((part, i) => {
        const top = y(stream.partNorm[part][p]);
        return rect(x + bar + f.slot * 0.03 + i * thin, top, Math.max(1, thin - 1), base - top, { fill: partColour(stream, part, colours) });
      }),
      ...(f.slot > 3.6 * f.size || s === state.step
        ? [text(x + bar / 2, y(sizes[p]) - f.size * 0.7, sizes[p].toFixed(1), { fill: colours.ink, size: f.size, font: "mono", anchor: "middle" })]
        : []),
    ];
  });
  const heads = [...new Set(stream.parts.filter((part) => part.head !== null).map((part) => Number(part.head)))];
  return [
    ...yAxis(f, range, colours),
    ...columns,
    ...legend(f, [
      { colour: colours.inkSoft, label: "other tokens", mark: "ring" },
      ...heads.map((head) => ({ colour: headColour(colours, head), label: narrow(f.total) ? `${head}` : `head ${head}` })),
      { colour: colours.bias, label: "bias" },
    ], colours),
  ];
}

/** A head keeps its own colour, everything else its writer's. @param {Stream} stream @param {number} part @param {import("../draw/colours.js").Palette} colours */
function partColour(stream, part, colours) {
  const { kind, head } = stream.parts[part];
  return head === null ? colours[WRITERS[/** @type {keyof typeof WRITERS} */ (kind)].colour] : headColour(colours, head);
}

export const picture = chart(draw);
