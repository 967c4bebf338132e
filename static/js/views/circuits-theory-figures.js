// The pictures of circuits: 25 paths in a square, and the composition of every pair of heads against that of random pairs.

import { largest, signed } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */

/** @type {Record<string, string>} */
export const BY = { q: "queries", k: "keys", v: "values" };

/** What has been read up to the chosen position of the repetition, and the letter that is right. @param {any} answer @param {number} position */
export function context({ letters }, position) {
  const end = letters.length - 9 + position;
  return { read: letters.slice(end - 1, end + 1), next: letters[end + 1] };
}

/** @param {number[][]} values */
export const total = (values) => values.flat().reduce((sum, value) => sum + value, 0);

/** @param {any} answer @param {string} tensor @param {Space} space @param {{rowTitle: string, columnTitle: string, title: string, way: (row: string, column: string) => string}} words @returns {Drawn} */
function square(answer, tensor, { width, height, colours, state }, { rowTitle, columnTitle, title, way }) {
  const { data, axes } = answer.tensors[tensor];
  const values = data[Number(state.position)];
  const [rows, columns] = [answer.axes[axes[1]].labels, answer.axes[axes[2]].labels];
  const whole = number(total(values), 2);
  const hundredths = values.map((/** @type {number[]} */ row) => row.map((value) => Math.round(100 * value) / 100));
  const picture = heatMap({ values: hundredths, rows, columns, rowTitle, columnTitle, label: `${title}, by path; together ${whole}`, scale: signed(colours, 2 ** Math.ceil(Math.log2(largest(data)))), colours, width, height, sums: true });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => `${way(rows[row], columns[column])}: ${number(values[row][column])} of ${whole}`;
  return { ...picture, tensor, rows: rows.length, columns: columns.length, say, table: matrixTable(title, `${rowTitle} \\ ${columnTitle}`, rows, columns, values) };
}

const PAST = "past";

/** @param {any} answer @param {Space} space */
export const logit = (answer, space) =>
  square(answer, "logit_paths", space, {
    rowTitle: "by layer 2", columnTitle: "by layer 1", title: "logit of the right next token less the mean of all",
    way: (second, first) => (first === PAST && second === PAST ? "past both layers" : `through ${[first, second].filter((head) => head !== PAST).join(", then ")}`),
  });

/** @param {string} way */
const passed = (way) => (way === PAST ? "past layer 1" : `through ${way}`);

/** @param {any} answer @param {Space} space */
export const score = (answer, space) =>
  square(answer, "score_paths", space, {
    rowTitle: "query by layer 1", columnTitle: "key by layer 1", title: "score of head 2.0 for the right key less the mean of the keys it sees",
    way: (query, key) => `query ${passed(query)}, key ${passed(key)}`,
  });

/** The scale goes from nothing to twice what random pairs are expected to have, where it has no colour. @param {any} answer @param {Space} space @returns {Drawn} */
export function pairs(answer, { width, height, colours, state }) {
  const { values, mean, spread, by } = chosen(answer, state);
  const [rows, columns] = [answer.axes.second.labels, answer.axes.first.labels];
  const scale = { ...signed(colours, 1), low: 0, high: 2 * answer.expected };
  const random = `random pairs ${number(mean)} ± ${number(spread)}`;
  const picture = heatMap({ values, rows, columns, rowTitle: "reads, layer 2", columnTitle: "writes, layer 1", label: `Composition by ${by}; ${random}`, scale, colours, width, height });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => `${rows[row]} reads ${columns[column]} by ${by}: ${number(values[row][column])}; ${random}`;
  return { ...picture, tensor: "composition", rows: rows.length, columns: columns.length, say, table: matrixTable(`Composition by ${by}; ${random}`, "layer 2 \\ layer 1", rows, columns, values) };
}

/** @param {any} answer @param {import("../clinic.js").State} state */
export function chosen(answer, { composition }) {
  const i = answer.axes.composition.labels.indexOf(composition);
  const [mean, spread] = answer.tensors.baseline.data[i];
  return { values: answer.tensors.composition.data[i], mean, spread, by: BY[composition] };
}
