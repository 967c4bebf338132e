// What the table can do: similarity of positions, one map that shifts them all, and its length beside that of the embeddings.

import { nameAxis, nameSpace, place, yAxis } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { headColour, largest, signed } from "../draw/colours.js";
import { dot, line, move, path, rect, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { monoWidth, number, visible } from "../draw/text.js";
import { field } from "./positions-field.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{answer: any, own: any, channels: number[], position: number, offset: number, size: Size, colours: Palette}} Asked */
/** @typedef {{title: string, caption: string, scene: any, table: import("../draw/table.js").Table, tensor: string, rows: number, columns: number, box: any, at: any, say: (cell: {row: number, column: number}) => string, pick?: (cell: {row: number, column: number}) => Record<string, string>}} View */

const names = (/** @type {number} */ n, from = 0) => Array.from({ length: n }, (_, i) => String(i + from));

/** @param {Asked} asked @returns {View} */
function similarity({ answer, position, size, colours }) {
  const values = answer.tensors.similarity.data;
  const n = values.length;
  const limit = largest(values) || 1;
  const map = field({ values, rowTitle: "position p", columnTitle: "position q", scale: signed(colours, limit) }, size, colours);
  const { frame, area, x } = map;
  const row = values[position];
  const low = Math.min(0, ...row);
  const y = place({ low, high: limit, title: "" }, frame.y + frame.height, frame.y);
  const bottom = frame.y + frame.height;
  const picture = scene(size.width, size.height, `PE(p) · PE(q) for ${n} positions; below, p = ${position}`, [
    ...map.shapes,
    rect(area.x, map.box(position, 0).y, area.width, Math.max(2, map.box(position, 0).height), { stroke: colours.ink, line: 1.5 }),
    ...yAxis(frame, { low, high: limit, title: `PE(${position}) · PE(q)` }, colours),
    line(frame.x, bottom, frame.x + frame.width, bottom, { stroke: colours.ruleStrong }),
    ...offsets(n, position).map((k) => text(x(position + k), bottom + 6, k > 0 ? `+${k}` : String(k).replace("-", "−"), { fill: colours.inkSoft, size: colours.tick, font: "mono", anchor: "middle", baseline: "top" })),
    text(frame.x + frame.width, bottom + colours.tick * 2, "offset k = q − p", { fill: colours.inkSoft, size: colours.tick, font: "serif", italic: true, anchor: "end", baseline: "top" }),
    path(row.map((/** @type {number} */ value, /** @type {number} */ q) => /** @type {[number, number]} */ ([x(q), y(value)])), { stroke: colours.position, line: 2 }),
    dot(x(position), y(row[position]), 4, { fill: colours.ink }),
  ]);
  return {
    title: "Similarity", caption: "PE(p) · PE(q); below, the row of one position", scene: picture, tensor: "similarity",
    table: matrixTable("PE(p) · PE(q)", "p \\ q", names(n), names(n), values), rows: n, columns: n, box: map.box, at: map.at,
    say: ({ row: p, column: q }) => `PE(${p}) · PE(${q}) = ${number(values[p][q])} at offset ${q - p}`,
    pick: ({ row: p, column: q }) => ({ position: String(p), ...(q > p ? { offset: String(q - p) } : {}) }),
  };
}

/** A few round offsets to both sides. @param {number} n @param {number} p */
function offsets(n, p) {
  const step = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100].find((s) => n / s <= 9) ?? 128;
  return Array.from({ length: 2 * n + 1 }, (_, i) => i - n).filter((k) => k % step === 0 && p + k >= 0 && p + k < n);
}

/** As large as they can be in this room. @param {number} count @param {Size} room @param {number} tick */
function dials(count, { width, height }, tick) {
  const options = Array.from({ length: Math.max(1, count) }, (_, i) => i + 1).map((across) => {
    const each = { width: width / across, height: height / Math.ceil(Math.max(1, count) / across) };
    return { across, each, radius: radiusIn(each, tick) };
  });
  const { across, each, radius } = options.reduce((best, option) => (option.radius > best.radius ? option : best));
  const tall = 2 * radius + tick * 3.8;
  return { across, each: { width: each.width, height: tall }, height: tall * Math.ceil(count / across) };
}

/** @param {Size} each @param {number} tick */
const radiusIn = ({ width, height }, tick) => Math.max(8, Math.min(width * 0.4, (height - tick * 3.6) / 2));

/** Clocks above, the error of the one map below. @param {Asked} asked @returns {View} */
function shift({ answer, channels, position, offset, size: { width, height }, colours }) {
  const errors = answer.tensors.shift_error.data;
  const wavelength = answer.tensors.wavelength.data;
  const pairs = [...new Set(channels.map((c) => Math.floor(c / 2)))];
  const { across, each, height: upper } = dials(pairs.length, { width, height: Math.round(height * 0.57) }, colours.tick);
  const clocks = pairs.flatMap((pair, i) => move((i % across) * each.width, Math.floor(i / across) * each.height, clock({ encoding: answer.tensors.encoding.data, pair, position, offset, wavelength: wavelength[pair], colour: headColour(colours, channels.findIndex((c) => Math.floor(c / 2) === pair)) }, each, colours)));
  const logs = errors.map((/** @type {number[]} */ row) => row.map((error) => (error > 0 ? Math.log10(error) : null)));
  const chart = lines({
    series: [{ name: "float32", colour: colours.feedForward, values: logs[1] }, { name: "float64", colour: colours.attention, values: logs[0] }],
    xs: errors[0].map((/** @type {number} */ _, /** @type {number} */ i) => i + 1), x: "offset k", y: { title: "log₁₀ of the largest |PE(p + k) − Mₖ PE(p)|", low: -17, high: -5 }, label: "", colours, width, height: height - upper, selected: errors[0].length > 1 ? offset - 1 : null,
  });
  const label = `Clocks of channel pairs ${pairs.join(", ")}: from position ${position} to ${position + offset} each turns by its own angle, the same from every position. Largest error at this offset ${number(errors[0][offset - 1])} in float64, ${number(errors[1][offset - 1])} in float32.`;
  return {
    title: "One map shifts every position", caption: `pair i turns by k · 360° / wave`, tensor: "shift_error",
    scene: scene(width, height, label, [...clocks, ...move(0, upper, chart.scene.shapes)]),
    table: matrixTable("Largest |PE(p + k) − Mₖ PE(p)| over p and channel", "precision \\ k", ["float64", "float32"], names(errors[0].length, 1), errors), rows: 1, columns: errors[0].length,
    box: (/** @type {number} */ r, /** @type {number} */ c) => ({ ...chart.box(r, c), y: chart.box(r, c).y + upper }), at: (/** @type {number} */ x, /** @type {number} */ y) => chart.at(x, y - upper),
    say: ({ column }) => `Offset ${column + 1}: largest error ${number(errors[0][column])} in float64, ${number(errors[1][column])} in float32.`,
    pick: ({ column }) => ({ offset: String(column + 1) }),
  };
}

/**
 * One pair of channels as a clock: cosine to the right, sine upward; hollow hand at p, full hand at p + k, all other positions as dots.
 * @param {{encoding: number[][], pair: number, position: number, offset: number, wavelength: number, colour: string}} what @param {Size} size @param {Palette} colours
 */
export function clock({ encoding, pair, position, offset, wavelength, colour }, { width, height }, colours) {
  const tick = colours.tick;
  const radius = radiusIn({ width, height }, tick);
  const [cx, cy] = [width / 2, radius + 6];
  const place = (/** @type {number} */ p) => /** @type {[number, number]} */ ([cx + radius * encoding[p][2 * pair + 1], cy - radius * encoding[p][2 * pair]]);
  const end = position + offset;
  const turn = (360 * offset) / wavelength;
  return [
    dot(cx, cy, radius, { stroke: colours.rule }),
    ...encoding.map((_, p) => dot(...place(p), 1.5, { fill: colours.ruleStrong })),
    ...(end < encoding.length ? [path([...arc(cx, cy, radius * 0.45, encoding[position].slice(2 * pair, 2 * pair + 2), turn)], { stroke: colour, line: 2 }), line(cx, cy, ...place(end), { stroke: colour, line: 3 }), dot(...place(end), 4, { fill: colour })] : []),
    line(cx, cy, ...place(position), { stroke: colours.ink, line: 2 }),
    dot(...place(position), 4, { fill: colours.paper, stroke: colours.ink, line: 2 }),
    text(cx, cy + radius + tick * 1.1, `pair ${pair}: ${degrees(turn)}`, { fill: colour, size: tick, font: "mono", anchor: "middle" }),
    text(cx, cy + radius + tick * 2.3, `wave ${number(wavelength, wavelength < 100 ? 2 : 0)}`, { fill: colours.inkSoft, size: tick, font: "mono", anchor: "middle" }),
  ];
}

/** @param {number} turn */
const degrees = (turn) => (turn >= 720 ? `${(turn / 360).toFixed(1)} turns` : turn < 0.1 ? `${turn.toExponential(1).replace("e-", "e−")}°` : `${turn.toFixed(turn < 10 ? 1 : 0)}°`);

/** From the hand at p onward as the angle grows, at most one turn. @param {number} cx @param {number} cy @param {number} radius @param {number[]} start sine and cosine @param {number} turn in degrees @returns {[number, number][]} */
function arc(cx, cy, radius, [sine, cosine], turn) {
  const from = Math.atan2(sine, cosine);
  const by = (Math.min(turn, 360) * Math.PI) / 180;
  return Array.from({ length: 33 }, (_, i) => [cx + radius * Math.cos(from + (by * i) / 32), cy - radius * Math.sin(from + (by * i) / 32)]);
}

/** @param {Asked} asked @returns {View} */
function norms({ own, size: { width, height }, colours }) {
  const texts = Object.keys(own.tensors).filter((name) => name.startsWith("token_norm.")).map((name) => name.slice("token_norm.".length));
  const tokens = texts.flatMap((name) => own.axes[name].labels);
  const token = texts.flatMap((name) => own.tensors[`token_norm.${name}`].data);
  const position = texts.flatMap((name) => own.tensors.position_norm.data.slice(0, own.axes[name].size));
  const quantile = (/** @type {number} */ q) => own.vocabulary_norm.find((/** @type {any} */ row) => row.quantile === q)?.value ?? 0;
  const high = Math.max(...token, ...position, quantile(0.95)) * 1.08;
  const tick = colours.tick;
  const turned = Math.max(...tokens.map((name) => monoWidth(visible(name), tick))) > (width - tick * 5) / tokens.length - 4;
  const area = { x: tick * 4, y: tick * 4.4, width: width - tick * 5, height: height - tick * 4.4 - nameSpace(tokens, turned, tick) };
  const y = place({ low: 0, high, title: "" }, area.y + area.height, area.y);
  const step = area.width / tokens.length;
  const bar = (/** @type {number} */ i, /** @type {number} */ side, /** @type {number} */ value, /** @type {string} */ fill) => rect(area.x + (i + 0.5 + side * 0.18) * step - step * 0.16, y(value), step * 0.32, y(0) - y(value), { fill });
  const shapes = [
    rect(area.x, y(quantile(0.95)), area.width, y(quantile(0.05)) - y(quantile(0.95)), { fill: colours.select }),
    ...yAxis(area, { low: 0, high, title: "norm, in units of the residual stream" }, colours),
    ...tokens.flatMap((_, i) => [bar(i, -1, token[i], colours.embedding), bar(i, 1, position[i], colours.position)]),
    line(area.x, y(quantile(0.5)), area.x + area.width, y(quantile(0.5)), { stroke: colours.ink, dash: [6, 4] }),
    ...nameAxis(area, tokens, texts.join(", then "), colours),
    ...legend([["token", colours.embedding], ["position", colours.position], [`vocabulary 5 to 95 %, median ${number(quantile(0.5), 1)}`, colours.select]], area.x, tick * 1, colours),
  ];
  const label = `Norms of the token embeddings, ${number(Math.min(...token))} to ${number(Math.max(...token))}, beside those of the positions, ${number(position[0])}`;
  const say = (/** @type {number} */ i) => `${tokens[i]}: embedding ${number(token[i])}, position ${number(position[i])}`;
  return {
    title: "Embedding beside position", caption: `${own.model}’s own: |W_E[id] √d| and |PE(p)|`, scene: scene(width, height, label, shapes), tensor: `token_norm.${texts[0]}`,
    table: matrixTable("Norms", "norm \\ token", ["token", "position"], tokens, [token, position]), rows: 1, columns: tokens.length,
    box: (/** @type {number} */ _, /** @type {number} */ c) => ({ x: area.x + c * step, y: area.y, width: step, height: area.height }),
    at: (/** @type {number} */ px, /** @type {number} */ py) => (px >= area.x && px < area.x + area.width && py >= area.y && py <= area.y + area.height ? { row: 0, column: Math.floor((px - area.x) / step) } : null),
    say: ({ column }) => say(column),
  };
}

/** Names beside squares of their colour. @param {[string, string][]} entries @param {number} x @param {number} y @param {Palette} colours */
function legend(entries, x, y, colours) {
  const tick = colours.tick;
  const starts = entries.reduce((places, [name]) => [...places, places[places.length - 1] + tick * 2.4 + name.length * tick * 0.52], [x]);
  return entries.flatMap(([name, fill], i) => [rect(starts[i], y - tick * 0.5, tick, tick, { fill, stroke: colours.ruleStrong }), text(starts[i] + tick * 1.4, y, name, { fill: colours.ink, size: tick, font: "sans" })]);
}

export const VIEWS = Object.freeze({ similarity, shift, norms });
