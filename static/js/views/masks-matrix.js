// The mask as a matrix to paint, and one of its rows on a grid: open cells full, hidden cells hatched, and in a hidden cell the number of layers in which it is reached after all.

import { ramp } from "../draw/colours.js";
import { heatMap } from "../draw/heatmap.js";
import { dot, path, rect, text } from "../draw/scene.js";

/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {{allowed: number[][], needed: (number | null)[][], layers: number, labels: string[], turned: Set<string>, selected?: {row?: number, column?: number}}} Mask */

/** @param {Mask} mask @param {{width: number, height: number}} size @param {Palette} colours */
export function matrix({ allowed, needed, layers, labels, turned, selected }, size, colours) {
  const label = `Mask of ${allowed.length} queries and keys: ${allowed.flat().filter(Boolean).length} cells open, ${reachedLater(allowed, needed, layers)} more reached through ${layers} layers.`;
  const picture = drawn({ allowed, needed, layers, turned }, { rows: labels, columns: labels, rowTitle: "query", columnTitle: "key", label, selected, ...size }, colours);
  const blind = allowed.flatMap((row, q) => (row.some(Boolean) ? [] : [blindRow(picture, q, colours)]));
  const { x, y, height } = picture.box(selected?.row ?? 0, 0);
  return over(picture, [...blind, ...(selected ? [framed({ x, y, width: picture.area.width, height }, colours)] : [])]);
}

/** The row of one query on the grid that its positions stand on. @param {{allowed: number[], needed: (number | null)[], layers: number, columns: number, query: number}} row @param {{width: number, height: number}} size @param {Palette} colours */
export function grid({ allowed, needed, layers, columns, query }, size, colours) {
  const [seen, way] = [fold(allowed, columns), fold(needed, columns)];
  const label = `Grid of ${seen.length} rows and ${columns} columns: query ${query} sees ${allowed.filter(Boolean).length} positions, ${reachedLater([allowed], [needed], layers)} more reached through ${layers} layers.`;
  const picture = drawn({ allowed: seen, needed: way, layers, turned: new Set() }, { rows: numbers(seen.length), columns: numbers(columns), rowTitle: "row", columnTitle: "column", label, ...size }, colours);
  return over(picture, [framed(picture.box(Math.floor(query / columns), query % columns), colours)]);
}

/** @template T @param {T[]} row @param {number} columns @returns {T[][]} */
export const fold = (row, columns) => Array.from({ length: row.length / columns }, (_, r) => row.slice(r * columns, (r + 1) * columns));

/** @param {number} n */
export const numbers = (n) => Array.from({ length: n }, (_, i) => String(i));

/** @param {Pick<Mask, "allowed" | "needed" | "layers" | "turned">} mask @param {any} map names, titles and size @param {Palette} colours */
function drawn({ allowed, needed, layers, turned }, map, colours) {
  const values = allowed.map((row) => row.map((cell) => (cell ? 1 : null)));
  const scale = { low: 0, high: 1, unit: "", ramp: ramp([colours.paper, colours.attention]), stops: [colours.paper, colours.attention] };
  const picture = heatMap({ values, scale, colours, bar: false, print: false, ...map });
  return over(picture, allowed.flatMap((row, q) => row.flatMap((open, k) => [
    ...gridLine(picture.box(q, k), colours),
    ...(open || !isReached(needed[q][k], layers) ? [] : later(picture.box(q, k), /** @type {number} */ (needed[q][k]), colours)),
    ...(turned.has(`${q}.${k}`) ? painted(picture.box(q, k), Boolean(open), colours) : []),
  ])));
}

/** @param {ReturnType<typeof heatMap>} picture @param {import("../draw/scene.js").Shape[]} shapes */
const over = (picture, shapes) => ({ ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, ...shapes] } });

/** The query that is looked at, in the queries' colour. @param {import("../draw/heatmap.js").Box} box @param {Palette} colours */
const framed = ({ x, y, width, height }, colours) => rect(x, y, width, height, { stroke: colours.query, line: 3 });

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
