// Token lines: queries on the left, keys on the right, one line for each weight that counts, in its head's colour.

import { headColour } from "./colours.js";
import { link, rect, scene, text } from "./scene.js";
import { monoWidth, shorten, visible } from "./text.js";

/** The fewest keys whose weights add up to `mass`, the heaviest first. @param {(number | null)[]} row @param {number} mass @returns {number[]} */
export function heaviest(row, mass) {
  const order = row.map((_, i) => i).filter((i) => (row[i] ?? 0) > 0).sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0));
  let sum = 0;
  const enough = order.findIndex((i) => (sum += row[i] ?? 0) >= mass - 1e-9);
  return enough < 0 ? order : order.slice(0, enough + 1);
}

/**
 * @param {object} options
 * @param {string[]} options.queries @param {string[]} options.keys @param {{head: number, values: (number | null)[][]}[]} options.patterns one for each head shown
 * @param {number} options.mass how much of each row's weight the lines account for @param {number | null} [options.query] the query in focus; the others fade
 * @param {string} options.label @param {import("./colours.js").Palette} options.colours @param {number} options.width @param {number} options.height
 * @param {string} [options.queryTitle] @param {string} [options.keyTitle]
 */
export function tokenLines({ queries, keys, patterns, mass, query = null, label, colours, width, height, queryTitle = "query", keyTitle = "key" }) {
  const size = Math.max(colours.tick, Math.min(colours.text, (height - 40) / Math.max(queries.length, keys.length) - 4));
  const names = [queries, keys].map((list) => list.map((name) => shorten(visible(name), 16)));
  const [left, right] = names.map((list) => Math.max(...list.map((name) => monoWidth(name, size))) + 12);
  const top = colours.tick * 2;
  const row = Math.min(40, (height - top - 4) / Math.max(queries.length, keys.length));
  const middle = (/** @type {number} */ i) => top + (i + 0.5) * row;
  const inFocus = (/** @type {number} */ q) => query === null || query === q;
  const lines = patterns.flatMap(({ head, values }, h) =>
    values.flatMap((weights, q) =>
      (inFocus(q) ? heaviest(weights, mass) : []).map((k) => {
        const shift = (h - (patterns.length - 1) / 2) * 2;
        return link(left, middle(q) + shift, width - right, middle(k) + shift, { stroke: headColour(colours, head), line: 1 + 5 * (weights[k] ?? 0), opacity: 0.25 + 0.75 * (weights[k] ?? 0) });
      })));
  const box = (/** @type {number} */ r, /** @type {number} */ c) => ({ x: c ? width - right : 0, y: top + r * row, width: c ? right : left, height: row });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const r = Math.floor((y - top) / row);
    const c = x < width / 2 ? 0 : 1;
    return r >= 0 && r < (c ? keys : queries).length ? { row: r, column: c } : null;
  };
  const heading = { fill: colours.inkSoft, size: colours.tick, font: /** @type {"serif"} */ ("serif"), italic: true };
  return {
    scene: scene(width, height, label, [
      text(left - 8, colours.tick, queryTitle, { ...heading, anchor: "end" }),
      text(width - right + 8, colours.tick, keyTitle, heading),
      ...(query === null ? [] : [rect(0, top + query * row + 1, left, row - 2, { fill: colours.select })]),
      ...lines,
      ...names[0].map((name, i) => text(left - 8, middle(i), name, { fill: inFocus(i) ? colours.ink : colours.inkSoft, size, font: "mono", anchor: "end" })),
      ...names[1].map((name, i) => text(width - right + 8, middle(i), name, { fill: colours.ink, size, font: "mono" })),
    ]),
    box,
    at,
  };
}
