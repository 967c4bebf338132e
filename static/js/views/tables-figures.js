// What is drawn of a row of a table: which columns a token reads in every head, one head's map, and which rows the row reads.

import { probability } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { matrixTable } from "../draw/table.js";
import { weight } from "../draw/text.js";

/** @typedef {{width: number, height: number, colours: import("../draw/palette.js").Palette}} Space */
/** @typedef {{layer: number, head: number, query: number}} Place */
/** @typedef {{row: number, column: number}} Cell */

/** bill_length_mm is measured in mm, as its label says elsewhere. @param {string} label */
export const columnName = (label) => label.replace(/_(mm|g)$/, "");

/** Of rows numbered within their class, Adelie-1, Adelie-2, …, the middle one has its name, and the others none. @param {string[]} keys */
export function byClass(keys) {
  const classes = keys.map((key) => key.replace(/-\d+$/, ""));
  return classes.map((name, i) => (i === Math.floor((classes.indexOf(name) + classes.lastIndexOf(name)) / 2) ? name : ""));
}

/** The row of a layer's head among all, and back. @param {Place} place @param {number} heads */
export const lineOf = ({ layer, head }, heads) => layer * heads + head;

/**
 * One query's weights in every head of every layer: a row each.
 * @param {number[][][]} data [layer][head][key] @param {string[]} keys @param {string} asking @param {Place} place @param {Space} space @param {string} columnTitle
 */
function everyHead(data, keys, asking, place, space, columnTitle) {
  const heads = data[0].length;
  const values = data.flat();
  const names = values.map((_, i) => `${Math.floor(i / heads)}.${i % heads}`);
  const most = (/** @type {number[]} */ row) => row.indexOf(Math.max(...row));
  const own = values[lineOf(place, heads)];
  const say = (/** @type {Cell} */ { row, column }) => `layer ${Math.floor(row / heads)}, head ${row % heads}: ${asking} reads ${keys[column]}: ${weight(values[row][column])}`;
  const said = `layer ${place.layer}, head ${place.head}: ${asking} reads most from ${keys[most(own)]}: ${weight(own[most(own)])}`;
  const drawn = heatMap({ values, rows: names, columns: byClass(keys), everyName: true, rowTitle: "layer.head", columnTitle, label: `What ${asking} reads in ${values.length} heads; ${said}.`, scale: probability(space.colours, "weight"), selected: { row: lineOf(place, heads) }, stretch: true, ...space });
  return { ...drawn, rows: values.length, columns: keys.length, say, said, heads, shape: `[${data.length}, ${heads}, ${keys.length}]`, table: matrixTable(`What ${asking} reads`, "layer.head \\ key", names, keys, values) };
}

/** @param {any} answer of /tables @param {Place} place @param {Space} space */
export function reads(answer, place, space) {
  const labels = answer.axes.row.labels.map(columnName);
  const ofQuery = answer.tensors.weights.data.map((/** @type {number[][][]} */ layer) => layer.map((head) => head[place.query]));
  return everyHead(ofQuery, labels, labels[place.query], place, space, "column read");
}

/** @param {any} answer @param {Place} place @param {Space} space */
export function rows(answer, place, space) {
  return everyHead(answer.tensors.rows.data, answer.axes.table.labels, "the row", place, space, "row read");
}

/** One head's map of columns. @param {any} answer @param {Place} place @param {Space} space */
export function map(answer, place, space) {
  const labels = answer.axes.row.labels.map(columnName);
  const values = answer.tensors.weights.data[place.layer][place.head];
  const drawn = heatMap({ values, rows: labels, columns: labels, rowTitle: "query", columnTitle: "key", label: `Attention between columns: layer ${place.layer}, head ${place.head}.`, scale: probability(space.colours, "weight"), selected: { row: place.query }, stretch: true, ...space });
  const say = (/** @type {Cell} */ { row, column }) => `${labels[row]} reads ${labels[column]}: ${weight(values[row][column])}`;
  return { ...drawn, rows: labels.length, columns: labels.length, say, shape: `[${labels.length}, ${labels.length}]`, table: matrixTable(`Layer ${place.layer}, head ${place.head}`, "query \\ key", labels, labels, values) };
}

/** The classes in their own order, each with its probability. @param {any} answer @returns {{name: string, value: number, most: boolean}[]} */
export const chances = ({ tensors, axes, says }) =>
  axes.class.labels.map((/** @type {string} */ name, /** @type {number} */ i) => ({ name, value: tensors.chances.data[i], most: name === says.class }));

/** By how much the probability of what is said changes when a column is cleared, by column. @param {any} answer @returns {Record<string, number>} */
export function changes({ tensors, axes, says }) {
  const said = axes.class.labels.indexOf(says.class);
  return Object.fromEntries(axes.cleared.labels.map((/** @type {string} */ name, /** @type {number} */ i) => [name, tensors.without.data[i][said] - says.probability]));
}

/** A row as it is written: without what is missing. @param {[string, string][]} pairs */
export const written = (pairs) => pairs.filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`).join(",");
