// A heat map over two counted axes, and under it a frame on the same level axis: for tables too large for a label a row.

import { ticks } from "../draw/axes.js";
import { pixels } from "../draw/colours.js";
import { cells, line, rect, text } from "../draw/scene.js";
import { scaleBar } from "../draw/scalebar.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{x: number, y: number, width: number, height: number}} Area */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{answer: any, own: any, head: number, channels: number[], position: number, offset: number, size: Size, colours: Palette}} Asked */
/** @typedef {{facts: Record<string, string>, title: string, caption: string, scene: any, table: import("../draw/table.js").Table, tensor: string, shape?: string, rows: number, columns: number, box: any, at: any, say: (cell: {row: number, column: number}) => string, pick?: (cell: {row: number, column: number}) => Record<string, string>}} View */

/**
 * Row 0 is on top; columns are counted from `first`. `frame` is the room below for curves.
 * @param {{values: number[][], rowTitle: string, columnTitle: string, scale: import("../draw/colours.js").Scale, first?: number}} what @param {Size} size @param {Palette} colours
 */
export function field({ values, rowTitle, columnTitle, scale, first = 0 }, { width, height }, colours) {
  const tick = colours.tick;
  const [rows, columns] = [values.length, values[0]?.length ?? 0];
  const left = tick * 4.4;
  const upper = Math.round(height * 0.6);
  const area = { x: left, y: tick * 3.2, width: Math.max(40, width - left - tick * 5.8), height: upper - tick * 3.4 };
  const frame = { x: area.x, y: upper + tick * 2.6, width: area.width, height: Math.max(30, height - upper - tick * 6) };
  const cell = { width: area.width / columns, height: area.height / rows };
  const box = (/** @type {number} */ r, /** @type {number} */ c) => ({ x: area.x + c * cell.width, y: area.y + r * cell.height, width: cell.width, height: cell.height });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const place = { row: Math.floor((y - area.y) / cell.height), column: Math.floor((x - area.x) / cell.width) };
    return place.row >= 0 && place.row < rows && place.column >= 0 && place.column < columns ? place : null;
  };
  const soft = { fill: colours.inkSoft, size: tick, font: /** @type {"mono"} */ ("mono") };
  const title = { fill: colours.inkSoft, size: tick, font: /** @type {"serif"} */ ("serif"), italic: true };
  const x = (/** @type {number} */ c) => area.x + (c + 0.5) * cell.width;
  const shapes = [
    cells(area.x, area.y, area.width, area.height, rows, columns, pixels(values, scale)),
    rect(area.x, area.y, area.width, area.height, { stroke: colours.rule }),
    ...whole(rows, area.height / (tick * 2.4)).flatMap((r) => [line(area.x - 4, box(r, 0).y + cell.height / 2, area.x, box(r, 0).y + cell.height / 2, { stroke: colours.ruleStrong }), text(area.x - tick * 0.9, box(r, 0).y + cell.height / 2, String(r), { ...soft, anchor: "end" })]),
    ...whole(columns, area.width / (tick * 4), first).flatMap((c) => [line(x(c - first), area.y - 4, x(c - first), area.y, { stroke: colours.ruleStrong }), text(x(c - first), area.y - 7, printed(c), { ...soft, anchor: "middle", baseline: "bottom" })]),
    text(area.x, tick * 0.8, columnTitle, title),
    text(tick * 0.8, area.y, rowTitle, { ...title, turn: -90, anchor: "end" }),
    ...scaleBar({ scale, colours, x: area.x + area.width + tick * 1.2, y: area.y, height: area.height }),
  ];
  return { shapes, area, frame, box, at, x };
}

/** Round whole numbers, `count` of them from `first`. @param {number} count @param {number} wanted @param {number} [first] */
const whole = (count, wanted, first = 0) => ticks(first, first + count - 1, Math.max(1, wanted)).filter(Number.isInteger);

/** With the sign that print has. @param {number} value */
const printed = (value) => String(value).replace("-", "−");
