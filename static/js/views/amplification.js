// Amplification: how far the output moves, and the same divided by the sum of its dependencies.

import { clinic, measured } from "../clinic.js";
import { decades } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { PLACEMENT, placementColour } from "../draw/placements.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @param {any} answer */
const axesOf = (answer) => ({ depths: /** @type {string[]} */ (answer.axes.depth.labels), placements: /** @type {string[]} */ (answer.axes.placement.labels) });

/** @type {Record<string, string>} */
const TITLES = { change: "mean square per channel", constant: "C" };

/** Both figures have scales of the same ratio, so that a span looks as large as it is. @param {any} answer @param {string} tensor @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn} */
function curves(answer, tensor, { width, height, colours }) {
  const { depths, placements } = axesOf(answer);
  const values = answer.tensors[tensor].data;
  const xs = depths.map((/** @type {string} */ depth) => Math.log2(Number(depth)));
  const spans = Object.keys(TITLES).map((name) => decades(answer.tensors[name].data.flat(), ""));
  const widest = Math.max(...spans.map(({ low, high }) => high - low));
  const lowest = 10 ** decades(values.flat(), "").low;
  const picture = lines({
    series: placements.map((placement, i) => ({ name: PLACEMENT[placement], colour: placementColour(colours, placement), values: values[i].map(Math.log10), dots: true })),
    xs, marks: xs.map((/** @type {number} */ x, /** @type {number} */ i) => [x, depths[i]]), x: "sub-layers N", y: decades([lowest, lowest * 10 ** widest], TITLES[tensor]),
    label: `${TITLES[tensor]} against depth: ${placements.map((placement) => PLACEMENT[placement]).join(", ")}`, width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `N = ${depths[column]}: ${placements.map((placement, i) => `${PLACEMENT[placement]} ${number(values[i][column])}`).join(", ")}`;
  return { ...picture, tensor, rows: 1, columns: depths.length, say, table: matrixTable(TITLES[tensor], "placement \\ N", placements.map((placement) => PLACEMENT[placement]), depths, values) };
}

clinic({
  word: "amplification",
  parameters: ["noise", "d_model"],
  figures: {
    change: (answer, space) => curves(answer, "change", space),
    constant: (answer, space) => curves(answer, "constant", space),
  },
  reading: (_, finding) => `The sum of dependencies spans ${measured(finding("sum_spread")).toFixed(0)}-fold; C stays within ${measured(finding("constant_spread")).toFixed(1)}-fold.`,
  findings: {
    constant_spread: "C, largest over smallest", sum_spread: "Sum, largest over smallest",
    "slope.post": "Slope, Post-LN", "slope.pre": "Slope, Pre-LN", "slope.admin": "Slope, Admin", post_over_pre: "Post over Pre",
  },
});
