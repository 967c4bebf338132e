// How much of the stream's variance a sub-layer has just brought: Var f / Var(x + f), for every token and on the mean.

import { dot, line, rect, text } from "../draw/scene.js";
import { place, yAxis } from "../draw/axes.js";
import { weight } from "../draw/text.js";
import { chart } from "./residual-chart.js";
import { legend, middle } from "./residual-frame.js";
import { WRITERS } from "./residual-stream.js";

/** @param {import("./residual-frame.js").Frame} f @param {import("./residual-stream.js").Stream} stream @param {import("./residual-frame.js").State} state @param {import("../draw/colours.js").Palette} colours */
function draw(f, stream, state, colours) {
  const high = Math.max(1, 1.05 * Math.max(...stream.dependency.flatMap((row) => row ?? [])));
  const range = { low: 0, high, title: "Var f / Var(x + f), share of variance" };
  const y = place(range, f.y + f.height, f.y);
  const base = f.y + f.height;
  const columns = stream.dependency.flatMap((row, s) => {
    if (!row) return [];
    const x = middle(f, s);
    const own = row[state.position];
    const mean = Number(stream.dependencyMean[s]);
    const colour = colours[WRITERS[/** @type {keyof typeof WRITERS} */ (stream.steps[s].writer)].colour];
    return [
      rect(x - f.slot * 0.36, y(own), f.slot * 0.48, base - y(own), { fill: colour }),
      ...row.filter((_, p) => p !== state.position).map((value) => dot(x + f.slot * 0.26, y(value), 3, { fill: colours.paper, stroke: colours.ink, opacity: 0.75 })),
      line(x - f.slot * 0.4, y(mean), x + f.slot * 0.4, y(mean), { stroke: colours.ink, line: 3 }),
      ...(f.slot > 2.6 * f.size || s === state.step
        ? [text(x - f.slot * 0.12, y(Math.max(own, own < mean ? mean : 0)) - f.size * 0.9, weight(own), { fill: colours.ink, size: f.size, font: "mono", anchor: "middle", weight: 700 })]
        : []),
    ];
  });
  return [
    ...yAxis(f, range, colours),
    ...columns,
    ...legend(f, [
      { colour: colours.attention, label: "this token" },
      { colour: colours.ink, label: "others", mark: "ring" },
      { colour: colours.ink, label: "mean", mark: "line" },
    ], colours),
  ];
}

export const picture = chart(draw);
