// Two maps on one scale: side by side where there is room, else one above the other.

import { largest, pixels, sequential, signed } from "../draw/colours.js";
import { scaleBar } from "../draw/scalebar.js";
import { cells, rect, scene, text } from "../draw/scene.js";
import { number } from "../draw/text.js";

/** @typedef {import("../draw/heatmap.js").Box} Box */

const NAMES = ["exact", "FAVOR+"];

/** Where the two squares stand. @param {number} width @param {number} height @param {number} size @returns {{side: number, corners: [number, number][]}} */
export function squares(width, height, size) {
  const [top, bar, gap] = [size * 2, size * 6, size];
  const beside = Math.min((width - bar - gap) / 2, height - top);
  const above = Math.min(width - bar, (height - 2 * top) / 2);
  return beside >= above ? { side: beside, corners: [[0, top], [beside + gap, top]] } : { side: above, corners: [[0, top], [0, 2 * top + above]] };
}

/** Weights as multiples of the uniform one: 1 everywhere would be a map that looks everywhere alike. @param {any} answer @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn} */
export function maps({ tensors }, { width, height, colours }) {
  const two = [tensors.exact.data, tensors.approximate.data];
  const n = two[0].length;
  const size = colours.tick;
  const { side, corners } = squares(width, height, size);
  const values = two.map((map) => map.map((/** @type {number[]} */ row) => row.map((weight) => weight * n)));
  const negative = values.flat(2).some((value) => value < 0);
  const scale = (negative ? signed : sequential)(colours, largest(values), "weight × n");
  const cell = side / n;
  const box = (/** @type {number} */ r, /** @type {number} */ c) => {
    const [x, y] = corners[c < n ? 0 : 1];
    return { x: x + (c % n) * cell, y: y + r * cell, width: cell, height: cell };
  };
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const which = corners.findIndex(([left, top]) => x >= left && x < left + side && y >= top && y < top + side);
    return which < 0 ? null : { row: Math.floor((y - corners[which][1]) / cell), column: which * n + Math.floor((x - corners[which][0]) / cell) };
  };
  const right = Math.max(...corners.map(([x]) => x)) + side;
  return {
    scene: scene(width, height, `Attention of ${n} queries over ${n} keys: exact, and by random features`, [
      ...corners.flatMap(([x, y], i) => [
        text(x, y - size * 0.8, NAMES[i], { fill: colours.ink, size, font: "serif", italic: true }),
        cells(x, y, side, side, n, n, pixels(values[i], scale)),
        rect(x, y, side, side, { stroke: colours.rule }),
      ]),
      ...scaleBar({ scale, colours, x: right + size * 1.2, y: corners[0][1], height: Math.min(side, 240) }),
    ]),
    tensor: "approximate", rows: n, columns: 2 * n, box, at,
    say: ({ row, column }) => `query ${row}, key ${column % n}: exact ${number(two[0][row][column % n], 4)}, FAVOR+ ${number(two[1][row][column % n], 4)}`,
    table: { caption: "Exact and estimated weights", head: ["query", "key", ...NAMES], rows: two[0].flatMap((/** @type {number[]} */ row, /** @type {number} */ q) => row.map((weight, k) => [String(q), String(k), weight, two[1][q][k]])) },
  };
}
