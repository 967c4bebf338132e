// The two pictures of complexity: counts or times against the length, gradients against the distance.

import { decades } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { matrixTable } from "../draw/table.js";
import { count, number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */

/** @type {Record<string, {title: string, said: (value: number) => string}>} */
const COSTS = {
  operations: { title: "operations", said: count },
  sequential: { title: "steps that cannot run at once", said: count },
  path_length: { title: "steps from the first position to the last", said: count },
  time: { title: "seconds, measured on this machine", said: (value) => `${number(1000 * value)} ms` },
};

/** The dashed line stands where n = d, if that length is on the axis. @param {any} answer @param {Space} space @returns {Drawn & {kind: string}} */
export function costs({ axes, tensors }, { width, height, colours, state: { shown, d_model } }) {
  const { axes: [of], data } = tensors[shown];
  const [names, lengths] = [/** @type {string[]} */ (axes[of].labels), /** @type {string[]} */ (axes.length.labels)];
  const xs = lengths.map((n) => Math.log2(Number(n)));
  const tint = [colours.attention, colours.stream, colours.feedForward, colours.position];
  const { title, said } = COSTS[shown];
  const every = Math.ceil((lengths.length * colours.tick * 2.6) / (width * 0.6));
  const crossing = shown === "operations" ? lengths.indexOf(d_model) : -1;
  const picture = lines({
    series: names.map((name, i) => ({ name, colour: tint[i], values: data[i].map(Math.log10), dots: true, dash: name === "restricted" ? [5, 4] : undefined })),
    xs, marks: xs.map((at, i) => /** @type {[number, string]} */ ([at, lengths[i]])).filter((_, i) => i % every === 0), x: "length n", y: decades(data.flat(), title), selected: crossing < 0 ? null : crossing,
    label: `${title} against the length: ${names.join(", ")}`, width, height, colours,
  });
  return {
    ...picture, tensor: shown, kind: shown === "time" ? "random initialisation" : "analytic", rows: 1, columns: lengths.length,
    say: ({ column }) => `n = ${lengths[column]}: ${names.map((name, i) => `${name} ${said(data[i][column])}`).join(", ")}`,
    table: matrixTable(title, "layer \\ n", names, lengths, data),
  };
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function gradient({ axes, tensors }, { width, height, colours }) {
  const { data } = tensors.gradient_by_distance;
  const [paths, distances] = [/** @type {string[]} */ (axes.path.labels), /** @type {string[]} */ (axes.distance.labels)];
  const dashes = [[2, 3], [6, 4], undefined, undefined];
  const picture = lines({
    series: paths.map((name, i) => ({ name: name.replace(", gain", ""), colour: name === "attention" ? colours.attention : colours.stream, values: data[i].map(Math.log10), dash: dashes[i] })),
    xs: distances.map(Number), marks: distances.map((said) => /** @type {[number, string]} */ ([Number(said), said])).filter(([at]) => at === 1 || at % 16 === 0), x: "distance Δ", y: decades(data.flat(), "size of the gradient"), label: `size of the gradient against the distance: ${paths.join(", ")}`, width, height, colours,
  });
  return {
    ...picture, tensor: "gradient_by_distance", rows: 1, columns: distances.length,
    say: ({ column }) => `distance ${distances[column]}: ${paths.map((name, i) => `${name} ${number(data[i][column])}`).join("; ")}`,
    table: matrixTable("size of the gradient", "path \\ distance", paths, distances, data),
  };
}
