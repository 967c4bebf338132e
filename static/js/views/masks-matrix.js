// The mask as a matrix to paint: open cells full, hidden cells hatched, and in a hidden cell the number of layers in which it is reached after all.

import { ramp } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { dot, path, rect, text } from "../draw/scene.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{allowed: number[][], needed: (number | null)[][], layers: number, labels: string[], turned: Set<string>, selected?: {row?: number, column?: number}}} Mask */

/** @param {Mask} mask @param {{width: number, height: number}} size @param {Palette} colours */
export function matrix({ allowed, needed, layers, labels, turned, selected }, size, colours) {
  const values = allowed.map((row) => row.map((cell) => (cell ? 1 : null)));
  const scale = { low: 0, high: 1, unit: "", ramp: ramp([colours.paper, colours.attention]), stops: [colours.paper, colours.attention] };
  const label = `Mask of ${allowed.length} queries and keys: ${allowed.flat().filter(Boolean).length} cells open, ${reachedLater(allowed, needed, layers)} more reached through ${layers} layers.`;
  const picture = heatMap({ values, rows: labels, columns: labels, rowTitle: "query", columnTitle: "key", label, scale, colours, ...size, bar: false, print: false, selected });
  const marks = allowed.flatMap((row, q) => row.flatMap((open, k) => [
    ...gridLine(picture.box(q, k), colours),
    ...(open || !isReached(needed[q][k], layers) ? [] : later(picture.box(q, k), /** @type {number} */ (needed[q][k]), colours)),
    ...(turned.has(`${q}.${k}`) ? painted(picture.box(q, k), Boolean(open), colours) : []),
  ]));
  const blind = allowed.flatMap((row, q) => (row.some(Boolean) ? [] : [blindRow(picture, q, colours)]));
  return { ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, ...marks, ...blind] } };
}

/** @param {number | null} needed @param {number} layers */
export const isReached = (needed, layers) => needed !== null && needed <= layers;

/** @param {number[][]} allowed @param {(number | null)[][]} needed @param {number} layers */
export const reachedLater = (allowed, needed, layers) => allowed.flatMap((row, q) => row.filter((open, k) => !open && isReached(needed[q][k], layers))).length;

/** @param {import("../draw/heatmap.js").Box} box @param {Palette} colours */
const gridLine = ({ x, y, width, height }, colours) => (width < 6 ? [] : [rect(x, y, width, height, { stroke: colours.paper, line: 1 })]);

/** A number on a disc: reached in so many layers. @param {import("../draw/heatmap.js").Box} box @param {number} needed @param {Palette} colours */
function later({ x, y, width, height }, needed, colours) {
  const size = colours.tick;
  const radius = Math.min(width, height) * 0.34;
  const disc = dot(x + width / 2, y + height / 2, Math.min(radius, size), { fill: colours.paper, stroke: colours.attention, line: 2 });
  return radius < size * 0.65 ? [dot(x + width / 2, y + height / 2, Math.max(1.5, radius), { fill: colours.attention })] : [disc, text(x + width / 2, y + height / 2, String(needed), { fill: colours.ink, size, font: "mono", anchor: "middle" })];
}

/** A folded corner: somebody turned this cell over. @param {import("../draw/heatmap.js").Box} box @param {boolean} open @param {Palette} colours */
function painted({ x, y, width, height }, open, colours) {
  const corner = Math.max(4, Math.min(width, height) * 0.3);
  return [
    rect(x + 1, y + 1, width - 2, height - 2, { stroke: colours.ink, line: 2 }),
    path([[x + width - corner, y], [x + width, y], [x + width, y + corner]], { fill: open ? colours.paper : colours.ink, stroke: colours.ink, closed: true }),
  ];
}

/** @param {ReturnType<typeof heatMap>} picture @param {number} q @param {Palette} colours */
function blindRow(picture, q, colours) {
  const { x, y, width, height } = picture.box(q, 0);
  return text(x + width / 2, y + height / 2, "sees nothing", { fill: colours.error, size: colours.tick, font: "sans", weight: 600 });
}
