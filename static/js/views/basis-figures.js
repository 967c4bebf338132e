// The pictures of a basis: every coordinate and every logit, after the rotation against before.

import { scatter } from "../draw/scatter.js";
import { number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */

/**
 * @param {{before: number[][], after: number[][], tensor: string, what: (row: number, column: number) => string, title: string, one: string, column: string, colour: string}} of
 * @param {Space} space @returns {Drawn}
 */
function compared({ before, after, tensor, what, title, one, column: columns, colour }, { width, height, colours }) {
  const moved = Math.max(...before.flatMap((row, r) => row.map((value, c) => Math.abs(after[r][c] - value))));
  const picture = scatter({ x: before, y: after, xTitle: `${one}, before`, yTitle: `${one}, after`, colour, label: `${title} after against before; the farthest from the diagonal by ${number(moved)}`, colours, width, height });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => `${what(row, column)}: ${number(before[row][column])} before, ${number(after[row][column])} after`;
  const rows = before.flatMap((row, r) => row.map((value, c) => [`position ${r + 1}, ${columns} ${c}`, value, after[r][c]]));
  return { ...picture, tensor, rows: before.length, columns: before[0].length, say, table: { caption: title, head: [`position, ${columns}`, "before", "after"], rows } };
}

/** @param {any} answer @param {Space} space */
export function stream(answer, space) {
  const [before, after] = answer.tensors.stream.data;
  return compared({ before, after, tensor: "stream", what: (row, column) => `position ${row + 1}, channel ${column}`, title: "channels of the stream", one: "channel", column: "channel", colour: space.colours.stream }, space);
}

/** @param {any} answer @param {Space} space */
export function logits(answer, space) {
  const [before, after] = answer.tensors.logits.data;
  return compared({ before, after, tensor: "logits", what: logit, title: "logits", one: "logit", column: "token", colour: space.colours.attention }, space);
}

/** @param {any} answer @param {Space} space */
export function hidden(answer, space) {
  const [before] = answer.tensors.logits.data;
  return compared({ before, after: answer.tensors.hidden_logits.data, tensor: "hidden_logits", what: logit, title: "logits", one: "logit", column: "token", colour: space.colours.feedForward }, space);
}

/** @param {number} row @param {number} column */
const logit = (row, column) => `position ${row + 1}, logit of token ${column}`;
