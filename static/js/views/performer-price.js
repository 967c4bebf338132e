// What the estimate costs: its error against the number of features, or its operations or time against the length.

import { decades } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { matrixTable } from "../draw/table.js";
import { count, number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */
/** @typedef {{name: string, colour: string, values: number[], dash?: number[], dots?: boolean}} Curve */

const METHODS = ["attention", "FAVOR+"];
/** @type {Record<string, {title: string, said: (value: number) => string}>} */
const COSTS = {
  operations: { title: "multiplications", said: count },
  time: { title: "seconds, measured on this machine", said: (value) => `${number(1000 * value, 1)} ms` },
};

/** @param {any} answer @param {Space} space @returns {Drawn} */
export const price = (answer, space) => (space.state.shown in COSTS ? costs(answer, space) : errors(answer, space));

/** The chosen norm stands out; dashed, what a map misses that looks everywhere alike. @param {any} answer @param {Space} space @returns {Drawn} */
function errors({ axes, tensors, findings }, space) {
  const { colours, state } = space;
  const norms = /** @type {string[]} */ (axes.norm.labels);
  const missed = findings.find((/** @type {import("../clinic.js").Finding} */ { name }) => name === "uniform_error").mean;
  const chosen = String(Number(state.norm));
  const curves = norms.map((norm, i) => ({ name: `norm ${norm}`, colour: norm === chosen ? colours.stream : colours.inkSoft, values: tensors.error.data[i], dots: norm === chosen }));
  const alike = { name: "all alike", colour: colours.stream, values: axes.features.labels.map(() => missed), dash: [4, 4] };
  return drawn("error", [...curves, alike], axes.features.labels, { x: "features m", y: "relative error of the map", place: "m", said: (value) => `${number(100 * value, 1)} %` }, space);
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
function costs({ axes, tensors }, space) {
  const { colours, state: { shown } } = space;
  const curves = METHODS.map((name, i) => ({ name, colour: [colours.inkSoft, colours.stream][i], values: tensors[shown].data[i], dots: true }));
  return drawn(shown, curves, axes.length.labels, { x: "length n", y: COSTS[shown].title, place: "n", said: COSTS[shown].said }, space);
}

/** @param {string} tensor @param {Curve[]} curves @param {string[]} names @param {{x: string, y: string, place: string, said: (value: number) => string}} words @param {Space} space @returns {Drawn} */
function drawn(tensor, curves, names, { x, y, place, said }, { width, height, colours }) {
  const xs = names.map((name) => Math.log2(Number(name)));
  const picture = lines({
    series: curves.map((curve) => ({ ...curve, values: curve.values.map(Math.log10) })), xs, marks: xs.map((at, i) => [at, names[i]]), x,
    y: decades(curves.flatMap(({ values }) => values), y), label: `${y} against ${x}: ${curves.map(({ name }) => name).join(", ")}`, width, height, colours,
  });
  return {
    ...picture, tensor, rows: 1, columns: names.length,
    say: ({ column }) => `${place} = ${names[column]}: ${curves.map(({ name, values }) => `${name} ${said(values[column])}`).join(", ")}`,
    table: matrixTable(y, x, curves.map(({ name }) => name), names, curves.map(({ values }) => values)),
  };
}
