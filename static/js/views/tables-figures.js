// What is drawn of a row of a table: which columns a token reads in every head, one head's map, and which rows the row reads.

import { probability } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { matrixTable } from "../draw/table.js";
import { weight } from "../draw/text.js";

/** @typedef {{width: number, height: number, colours: import("../draw/colours.js").Palette}} Space */
/** @typedef {{layer: number, head: number, query: number}} Place */
/** @typedef {{row: number, column: number}} Cell */

/** bill_length_mm is measured in mm, as its label says elsewhere. @param {string} label */
export const columnName = (label) => label.replace(/_(mm|g)$/, "");

/** @param {any} answer of /attention @param {string} sublayer @returns {number[][][][]} [layer][head][query][key] */
export const patterns = ({ tensors }, sublayer) =>
  Object.keys(tensors).filter((name) => name.endsWith(`.${sublayer}.pattern`)).map((name) => tensors[name].data);

/** The row of a layer's head among all, and back. @param {Place} place @param {number} heads */
export const lineOf = ({ layer, head }, heads) => layer * heads + head;

/**
 * One query's weights in every head of every layer: a row each.
 * @param {number[][][][]} data @param {number} query @param {string[]} keys @param {string} asking @param {Place} place @param {Space} space @param {string} columnTitle
 */
function everyHead(data, query, keys, asking, place, space, columnTitle) {
  const heads = data[0].length;
  const values = data.flatMap((layer) => layer.map((head) => head[query]));
  const names = values.map((_, i) => `${Math.floor(i / heads)}.${i % heads}`);
  const most = (/** @type {number[]} */ row) => row.indexOf(Math.max(...row));
  const own = values[lineOf(place, heads)];
  const say = (/** @type {Cell} */ { row, column }) => `layer ${Math.floor(row / heads)}, head ${row % heads}: ${asking} reads ${keys[column]}: ${weight(values[row][column])}`;
  const said = `layer ${place.layer}, head ${place.head}: ${asking} reads most from ${keys[most(own)]}: ${weight(own[most(own)])}`;
  const columns = keys.map((key) => key.replace(/^.*-(?!1$)/, "")); // Adelie-1, 2, 3 …
  const drawn = heatMap({ values, rows: names, columns, rowTitle: "layer.head", columnTitle, label: `What ${asking} reads in ${values.length} heads; ${said}.`, scale: probability(space.colours, "weight"), selected: { row: lineOf(place, heads) }, stretch: true, ...space });
  return { ...drawn, rows: values.length, columns: keys.length, say, said, heads, table: matrixTable(`What ${asking} reads`, "layer.head \\ key", names, keys, values) };
}

/** @param {any} answer @param {Place} place @param {Space} space */
export function reads(answer, place, space) {
  const labels = answer.axes.row.labels.map(columnName);
  return everyHead(patterns(answer, "attention"), place.query, labels, labels[place.query], place, space, "column read");
}

/** @param {any} answer @param {Place} place @param {Space} space */
export function rows(answer, place, space) {
  return everyHead(patterns(answer, "row_attention"), 0, answer.axes.table.labels, "the row", place, space, "row read");
}

/** One head's map of columns. @param {any} answer @param {Place} place @param {Space} space */
export function map(answer, place, space) {
  const labels = answer.axes.row.labels.map(columnName);
  const values = patterns(answer, "attention")[place.layer][place.head];
  const drawn = heatMap({ values, rows: labels, columns: labels, rowTitle: "query", columnTitle: "key", label: `Attention between columns: layer ${place.layer}, head ${place.head}.`, scale: probability(space.colours, "weight"), selected: { row: place.query }, stretch: true, ...space });
  const say = (/** @type {Cell} */ { row, column }) => `${labels[row]} reads ${labels[column]}: ${weight(values[row][column])}`;
  return { ...drawn, rows: labels.length, columns: labels.length, say, table: matrixTable(`Layer ${place.layer}, head ${place.head}`, "query \\ key", labels, labels, values) };
}

/** The classes in their own order, each with its probability. @param {any} answer of /logits */
export function chances({ tensors, top_tokens: [names] }) {
  const [ids, values] = [tensors.top_id.data[0], tensors.top_probability.data[0]];
  return ids.map((/** @type {number} */ id, /** @type {number} */ i) => ({ id, name: names[i], value: values[i], most: i === 0 })).sort((/** @type {{id: number}} */ a, /** @type {{id: number}} */ b) => a.id - b.id);
}

/** A row as it is written, by column; and written again without what is missing. @param {string} row */
export const read = (row) => Object.fromEntries(row.split(",").map((part) => part.split("=")));

/** @param {[string, string][]} pairs */
export const written = (pairs) => pairs.filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`).join(",");
