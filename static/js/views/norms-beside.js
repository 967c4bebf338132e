// Beside the stream: what the shortcuts alone let through, the Jacobian of one norm, and what leaks into a token.

import { decades } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { sequential } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space @typedef {import("../clinic.js").Drawn} Drawn */

/** @param {any} answer @param {Space} space @returns {Drawn} */
function path(answer, { width, height, colours, state }) {
  const scales = /** @type {string[]} */ (answer.axes.scale.labels);
  const depths = /** @type {string[]} */ (answer.axes.sublayer.labels);
  const values = /** @type {number[][]} */ (answer.tensors.path.data);
  const picture = lines({
    series: scales.map((scale, i) => ({ name: `λ = ${scale}`, colour: Number(scale) === Number(state.shortcut) ? colours.stream : colours.heads[i % colours.heads.length], values: values[i].map(Math.log10), dots: Number(scale) === Number(state.shortcut) })),
    xs: depths.map(Number), x: "sub-layer n", y: decades(values.flat(), "what the shortcuts let through"), label: `Length after n shortcuts, as a share of the input's: lambda ${scales.join(", ")}`, width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `after ${depths[column]} shortcuts: ${scales.map((scale, i) => `${scale} leaves ${number(values[i][column])}`).join(", ")}`;
  return { ...picture, tensor: "path", rows: 1, columns: depths.length, say, table: matrixTable("What the shortcuts let through", "λ \\ sub-layer", scales, depths, values) };
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
function singular(answer, { width, height, colours }) {
  const names = /** @type {string[]} */ (answer.axes.channel.labels);
  const values = /** @type {number[]} */ (answer.tensors.singular.data);
  const picture = lines({
    series: [{ name: "", colour: colours.stream, values, dots: true }], xs: names.map(Number), x: "direction", y: { title: "singular value of dy/dx, times σ", low: 0, high: 1.1 },
    label: `Singular values of the norm's Jacobian times sigma: ${values.filter((value) => value > 0.5).length} are 1, the others 0`, width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `direction ${names[column]}: ${number(values[column])}`;
  return { ...picture, tensor: "singular", rows: 1, columns: names.length, say, table: matrixTable("Singular values times sigma", "", ["singular value × σ"], names, [values]) };
}

/** @type {Record<string, string>} */
const NORM = { layer: "LayerNorm", batch: "BatchNorm", instance: "InstanceNorm" };

/** @param {any} answer @param {Space} space @returns {Drawn} */
function leak(answer, { width, height, colours }) {
  const rows = /** @type {string[]} */ (answer.axes.averages.labels).map((name) => NORM[name]);
  const columns = /** @type {string[]} */ (answer.axes.source.labels);
  const values = /** @type {number[][]} */ (answer.tensors.leak.data);
  const picture = heatMap({
    values, rows, columns, rowTitle: "norm", columnTitle: "drawn anew", label: "How much a token changes when elsewhere changes", scale: sequential(colours, Math.max(...values.flat()), "change"), colours, width, height, stretch: true,
  });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => `${rows[row]}: ${columns[column]} moves a token by ${number(values[row][column])} at most`;
  return { ...picture, tensor: "leak", rows: rows.length, columns: columns.length, say, table: matrixTable("Largest change of a token", "norm \\ drawn anew", rows, columns, values) };
}

/** @type {Record<string, (answer: any, space: Space) => Drawn>} */
const VIEWS = { path, singular, leak };

/** @param {any} answer @param {Space} space */
export const beside = (answer, space) => (VIEWS[space.state.beside] ?? path)(answer, space);
