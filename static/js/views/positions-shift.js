// One map shifts every position: pairs of channels as clocks, and how far the map is off at each offset.

import { lines } from "../draw/chart.js";
import { headColour } from "../draw/colours.js";
import { dot, line, move, path, scene, text } from "../draw/scene.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {import("./positions-field.js").Asked} Asked */
/** @typedef {import("./positions-field.js").View} View */

const names = (/** @type {number} */ n, from = 0) => Array.from({ length: n }, (_, i) => String(i + from));

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

const FACTS = { shift_error: "Largest error, float64", shift_error_float32: "The same, float32", shift_crookedness: "Mₖᵀ Mₖ misses 1 by", shortest_wavelength: "Shortest wave", longest_wavelength: "Longest wave" };

/** Clocks above, the error of the one map below. @param {Asked} asked @returns {View} */
export function view({ answer, channels, position, offset, size: { width, height }, colours }) {
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
    facts: FACTS,
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
