// The length of the stream at every step: in Post-LN the sum with what was written, then what the norm makes of it.

import { dot, line, path, text } from "../draw/scene.js";
import { place, yAxis } from "../draw/axes.js";
import { chart } from "./residual-chart.js";
import { legend, middle } from "./residual-frame.js";
import { WRITERS } from "./residual-stream.js";

/** @typedef {import("./residual-frame.js").Frame} Frame */
/** @typedef {import("./residual-stream.js").Stream} Stream */

/** The points of one token's way: before a norm (`before`) and at the step itself. @param {Stream} stream @param {number} position */
export const way = (stream, position) =>
  stream.steps.flatMap((step, s) => {
    const at = { step: s, shift: step.norm && step.wrote ? 0.22 : 0, value: stream.norm[s][position], before: false };
    return step.norm && step.wrote ? [{ step: s, shift: -0.22, value: /** @type {number[]} */ (stream.sum[s])[position], before: true }, at] : [at];
  });

/** @param {Frame} f @param {Stream} stream @param {import("./residual-frame.js").State} state @param {import("../draw/colours.js").Palette} colours */
function draw(f, stream, state, colours) {
  const ways = stream.tokens.map((_, p) => way(stream, p));
  const high = 1.08 * Math.max(Math.sqrt(stream.width), ...ways.flat().map((point) => point.value));
  const range = { low: 0, high, title: "|x|, length of the stream" };
  const y = place(range, f.y + f.height, f.y);
  const spot = (/** @type {ReturnType<typeof way>[0]} */ point) => /** @type {[number, number]} */ ([middle(f, point.step) + point.shift * f.slot, y(point.value)]);
  const root = y(Math.sqrt(stream.width));
  const own = ways[state.position];
  const colourAt = (/** @type {number} */ step) => colours[WRITERS[/** @type {keyof typeof WRITERS} */ (stream.steps[step].writer)].colour];
  const numbers = own.filter((point) => point.step === state.step || f.slot > 5 * f.size);
  return [
    ...yAxis(f, range, colours),
    line(f.x, root, f.x + f.width, root, { stroke: colours.ink, dash: [2, 4] }),
    ...ways.filter((_, p) => p !== state.position).map((points) => path(points.map(spot), { stroke: colours.stream, opacity: 0.22 })),
    path(own.map(spot), { stroke: colours.stream, line: 2.5 }),
    ...own.map((point) => {
      const [x, top] = spot(point);
      return point.before ? dot(x, top, 5, { fill: colours.paper, stroke: colourAt(point.step), line: 2.5 }) : dot(x, top, 5, { fill: colours.stream });
    }),
    ...numbers.map((point) => {
      const [x, top] = spot(point);
      return text(x, top + (point.before || point.step === 0 ? -f.size : f.size * 1.1), point.value.toFixed(1), { fill: colours.ink, size: f.size, font: "mono", anchor: "middle" });
    }),
    ...legend(f, [
      ...(own.some((point) => point.before) ? [{ colour: colours.attention, label: "x + f(x)", mark: /** @type {const} */ ("ring") }] : []),
      { colour: colours.stream, label: own.some((point) => point.before) ? "LN(x + f(x))" : "x", mark: "dot" },
      { colour: colours.ruleStrong, label: "other tokens", mark: "line" },
      { colour: colours.ink, label: `√d_model ${Math.sqrt(stream.width).toFixed(1)}`, mark: "dash" },
    ], colours),
  ];
}

export const picture = chart(draw);
