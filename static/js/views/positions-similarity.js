// How alike positions are, or what is added to the score of a pair: a heat map, and under it the row of one position.

import { place, yAxis } from "../draw/axes.js";
import { largest, pixels, signed } from "../draw/colours.js";
import { cells, dot, line, path, rect, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";
import { field } from "./positions-field.js";

/** @typedef {import("./positions-field.js").Asked} Asked */
/** @typedef {import("./positions-field.js").View} View */
/** @typedef {import("../draw/colours.js").Palette} Palette */

const names = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => String(i));

/** What `similarity` is, by how a scheme tells: its title, and the number of a query and a key in writing. @type {Record<string, {title: string, rows: string, columns: string, of: (p: number | string, q: number | string) => string}>} */
const MEET = {
  "added to the token": { title: "Similarity", rows: "position p", columns: "position q", of: (p, q) => `PE(${p}) · PE(${q})` },
  "turns queries and keys": { title: "Turned, they meet", rows: "query p", columns: "key q", of: (p, q) => `R(${p})x · R(${q})x` },
  "added to the score": { title: "Added to the score", rows: "query p", columns: "key q", of: (p, q) => `bias(${p}, ${q})` },
};

const FACTS = { same_size_change: "Interpolated to its own size", squared_norm: "|PE|²", distinct: "Distinct identifiers", offset_spread: "Spread over p", score_spread: "Like tokens: over p", rises: "Offsets where it rises again" };

/** @param {Asked} asked @returns {View} */
export function view({ answer, head, position, size, colours }) {
  const values = answer.tensors.similarity.data;
  const n = values.length;
  const limit = largest(values) || 1;
  const { title, rows, columns, of } = MEET[answer.how] ?? MEET["added to the token"];
  const map = field({ values, rowTitle: rows, columnTitle: columns, scale: signed(colours, limit) }, size, colours);
  const { area } = map;
  const row = values[position];
  const below = answer.grid ? onGrid(row, position, answer.grid, map.frame, signed(colours, limit), of(position, "q"), colours) : asCurve(row, position, map, of(position, "q"), colours);
  const picture = scene(size.width, size.height, `${of("p", "q")} for ${n} positions; below, p = ${position}`, [
    ...map.shapes,
    rect(area.x, map.box(position, 0).y, area.width, Math.max(2, map.box(position, 0).height), { stroke: colours.ink, line: 1.5 }),
    ...below,
  ]);
  const ofHead = answer.heads ? ` of head ${head}` : "";
  return {
    facts: FACTS,
    title, caption: `${of("p", "q")}${ofHead}; below, the row of one position`, scene: picture, tensor: "similarity",
    table: matrixTable(`${of("p", "q")}${ofHead}`, "p \\ q", names(n), names(n), values), rows: n, columns: n, box: map.box, at: map.at,
    say: ({ row: p, column: q }) => `${of(p, q)} = ${number(values[p][q])} at offset ${q - p}`,
    pick: ({ row: p, column: q }) => ({ position: String(p), ...(q > p ? { offset: String(q - p) } : {}) }),
  };
}

/** The row over its offsets. @param {number[]} row @param {number} position @param {{frame: import("./positions-field.js").Area, x: (column: number) => number}} map @param {string} title @param {Palette} colours */
function asCurve(row, position, { frame, x }, title, colours) {
  const low = Math.min(0, ...row);
  const high = Math.max(0, ...row) || (low ? 0 : 1);
  const y = place({ low, high, title: "" }, frame.y + frame.height, frame.y);
  const bottom = frame.y + frame.height;
  return [
    ...yAxis(frame, { low, high, title }, colours),
    line(frame.x, bottom, frame.x + frame.width, bottom, { stroke: colours.ruleStrong }),
    ...offsets(row.length, position).map((k) => text(x(position + k), bottom + 6, k > 0 ? `+${k}` : String(k).replace("-", "−"), { fill: colours.inkSoft, size: colours.tick, font: "mono", anchor: "middle", baseline: "top" })),
    text(frame.x + frame.width, bottom + colours.tick * 2, "offset k = q − p", { fill: colours.inkSoft, size: colours.tick, font: "serif", italic: true, anchor: "end", baseline: "top" }),
    path(row.map((value, q) => /** @type {[number, number]} */ ([x(q), y(value)])), { stroke: colours.position, line: 2 }),
    dot(x(position), y(row[position]), 4, { fill: colours.ink }),
  ];
}

/** Of patches the row is laid out as they lie; [CLS], which comes before them, has no place there. @param {number[]} row @param {number} position @param {number} side @param {import("./positions-field.js").Area} frame @param {import("../draw/colours.js").Scale} scale @param {string} title @param {Palette} colours */
function onGrid(row, position, side, { x, y, height }, scale, title, colours) {
  const first = row.length - side * side;
  const patches = row.slice(first);
  const [own, cell] = [position - first, height / side];
  const rows = Array.from({ length: side }, (_, r) => patches.slice(r * side, (r + 1) * side));
  return [
    text(x, y - colours.tick * 0.7, `${title}, q as the patches lie`, { fill: colours.inkSoft, size: colours.tick, font: "serif", italic: true }),
    cells(x, y, height, height, side, side, pixels(rows, scale)),
    rect(x, y, height, height, { stroke: colours.rule }),
    ...(own < 0 ? [] : [rect(x + (own % side) * cell, y + Math.floor(own / side) * cell, cell, cell, { stroke: colours.ink, line: 1.5 })]),
  ];
}

/** A few round offsets to both sides. @param {number} n @param {number} p */
function offsets(n, p) {
  const step = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100].find((s) => n / s <= 9) ?? 128;
  return Array.from({ length: 2 * n + 1 }, (_, i) => i - n).filter((k) => k % step === 0 && p + k >= 0 && p + k < n);
}
