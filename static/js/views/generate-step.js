// One step of writing: where the model looked, what it could have said, what it took.

import { ticks } from "../draw/axes.js";
import { colourOf, css, inkOn, probability } from "../draw/colours.js";
import { hatch, line, rect, scene, text } from "../draw/scene.js";
import { scaleBar } from "../draw/scalebar.js";
import { count, fit, monoWidth, number, share, shorten, visible, weight } from "../draw/text.js";

/** @typedef {import("./generate-question.js").Step} Step */
/** @typedef {import("../draw/palette.js").Palette} Palette */

/**
 * @param {object} options
 * @param {Step[]} options.steps @param {number} options.index the step on show @param {string[]} options.memory what was looked at @param {number[]} options.weights
 * @param {string} options.prompt what was read first @param {string} options.looking whose weights they are @param {Palette} options.colours
 * @param {number} options.width @param {number} options.height
 */
export function stepPicture({ steps, index, memory, weights, prompt, looking, colours, width, height }) {
  const size = colours.tick;
  const step = steps[index];
  const scale = probability(colours, "weight");
  const right = size * 5;
  const words = size * 1.2;
  const read = [prompt, ...steps.slice(0, index).map(({ token }) => token.text)];
  const top = strip(memory, { y: size * 2, height: words * 3, width: width - right, size: words });
  const second = strip([...read, step.token.text], { y: top.bottom + size * 3.2, height: words * 1.8, width: width - right, size: words });
  const last = second.places[read.length - 1];
  const next = second.places[read.length];
  const soft = { fill: colours.inkSoft, size, font: /** @type {"serif"} */ ("serif"), italic: true };
  const bars = candidateBars(step, { y: second.bottom + size * 2.6, width, height: height - second.bottom - size * 2.6, colours, scale });
  const from = (/** @type {Place} */ place) => place.x + place.width / 2;
  return {
    ...bars,
    scene: scene(width, height, `Step ${index + 1}: after ${read.map(visible).join(" ")} the model writes ${visible(step.token.text)}, probability ${number(step.probability)}`, [
      text(0, size * 0.8, fit(looking, width - right, size), soft),
      ...memory.map((_, i) => line(from(top.places[i]), top.bottom, from(last), second.y, { stroke: colours.cross, line: 0.5 + 7 * weights[i], opacity: 0.12 + 0.88 * Math.min(1, weights[i]) })),
      ...top.places.flatMap((place, i) => painted(place, top, memory[i], weights[i], scale, colours)),
      ...scaleBar({ scale, colours, x: width - right + size, y: top.y, height: Math.max(top.height, second.y - top.y) }),
      ...second.places.slice(0, -1).map((place, i) => box(place, second, read[i], { fill: i === read.length - 1 ? colours.select : colours.sunken, colours })).flat(),
      ...arrow(last.x + last.width + 2, next.x - 2, second.y + second.height / 2, colours),
      ...box(next, second, step.token.text, { stroke: colours.ink, bold: true, colours }),
      ...bars.shapes,
    ]),
  };
}

/** @typedef {{x: number, width: number, chars: number}} Place */

/** Tokens side by side, as wide as they need or as there is room. @param {string[]} labels @param {{y: number, height: number, width: number, size: number}} room */
function strip(labels, { y, height, width, size }) {
  const gap = Math.min(size * 0.9, width / labels.length / 4);
  const wanted = labels.map((label) => Math.max(monoWidth(visible(label), size) + size, size * 2.6));
  const total = wanted.reduce((sum, one) => sum + one, 0) + gap * (labels.length - 1);
  const squeeze = Math.min(1, (width - gap * (labels.length - 1)) / (total - gap * (labels.length - 1)));
  let x = 0;
  const places = wanted.map((one) => {
    const place = { x, width: Math.max(4, one * squeeze), chars: Math.max(1, Math.floor((one * squeeze - 4) / (size * 0.61))) };
    x += place.width + gap;
    return place;
  });
  return { places, y, height, size, bottom: y + height };
}

/** A token painted with its weight, which is printed under its name. @param {Place} place @param {{y: number, height: number, size: number}} row @param {string} label @param {number} value @param {import("../draw/colours.js").Scale} scale @param {Palette} colours */
function painted({ x, width, chars }, { y, height, size }, label, value, scale, colours) {
  const fill = inkOn(colourOf(scale, value));
  return [
    rect(x, y, width, height, { fill: css(scale, value), stroke: colours.ruleStrong }),
    text(x + width / 2, y + height * 0.32, shorten(visible(label), chars), { fill, size, font: "mono", anchor: "middle" }),
    ...(width > size * 2 ? [text(x + width / 2, y + height * 0.74, weight(value), { fill, size: colours.tick, font: "mono", anchor: "middle" })] : []),
  ];
}

/** @param {Place} place @param {{y: number, height: number, size: number}} row @param {string} label @param {{fill?: string, stroke?: string, bold?: boolean, colours: Palette}} style */
const box = ({ x, width, chars }, { y, height, size }, label, { fill, stroke, bold, colours }) => [
  rect(x, y, width, height, { fill, stroke, line: 2 }),
  text(x + width / 2, y + height / 2, shorten(visible(label), chars), { fill: colours.ink, size, font: "mono", anchor: "middle", weight: bold ? 700 : 400 }),
];

/** @param {number} x1 @param {number} x2 @param {number} y @param {Palette} colours */
const arrow = (x1, x2, y, colours) => [
  line(x1, y, x2, y, { stroke: colours.ink }),
  line(x2 - 4, y - 4, x2, y, { stroke: colours.ink }),
  line(x2 - 4, y + 4, x2, y, { stroke: colours.ink }),
];

/** @param {Step} step @param {{y: number, width: number, height: number, colours: Palette, scale: import("../draw/colours.js").Scale}} room */
function candidateBars(step, { y, width, height, colours, scale }) {
  const size = colours.tick;
  const filtered = step.drawn !== null;
  const foot = size * (filtered ? 5.6 : 3);
  const most = Math.max(2, Math.floor((height - foot) / (size * 1.25)) - 1);
  const chosen = step.candidates.findIndex((one) => one.chosen);
  const listed = step.candidates.slice(0, chosen < most ? most : most - 1).concat(chosen < most ? [] : [step.candidates[chosen]]);
  const hidden = step.candidates.filter((one) => !listed.includes(one));
  const add = (/** @type {"probability" | "after"} */ part) => hidden.reduce((sum, one) => sum + (one[part] ?? 0), step.rest[part] ?? 0);
  const rest = { text: `${count(step.rest.tokens + hidden.length)} others`, probability: add("probability"), after: step.rest.after === null ? null : add("after"), chosen: false };
  const rows = step.rest.tokens + hidden.length ? [...listed, rest] : listed;
  const row = Math.min(size * 2, (height - foot) / rows.length);
  const left = Math.min(width * 0.35, Math.max(...rows.map((one) => monoWidth(named(one), size))) + size * 2.4);
  const right = size * (filtered && width > size * 45 ? 9.5 : 6);
  const area = { x: left, y, width: Math.max(60, width - left - right), height: row * rows.length };
  const x = (/** @type {number} */ p) => area.x + p * area.width;
  const soft = { fill: colours.inkSoft, size, font: /** @type {"serif"} */ ("serif"), italic: true };
  const bottom = area.y + area.height;
  return {
    rows: rows.length,
    columns: 1,
    listed: rows,
    box: (/** @type {number} */ r) => ({ x: 0, y: y + r * row, width, height: row }),
    at: (/** @type {number} */ _, /** @type {number} */ down) => (down >= y && down < bottom ? { row: Math.floor((down - y) / row), column: 0 } : null),
    shapes: [
      text(0, y - size, fit(filtered ? "candidates: what the model said (colour), what the filters left (ink)" : "candidates for the next token", width, size), soft),
      ...ticks(0, 1, area.width > size * 20 ? 5 : 2).flatMap((p) => [
        line(x(p), y, x(p), bottom + 4, { stroke: p === 0 ? colours.ruleStrong : colours.rule }),
        text(x(p), bottom + 6, weight(p, 1), { fill: colours.inkSoft, size, font: "mono", anchor: "middle", baseline: "top" }),
      ]),
      text(width, bottom + 6, "probability", { ...soft, anchor: "end", baseline: "top" }),
      ...rows.flatMap((one, r) => candidateRow(one, r, { y: y + r * row, row, left, x, width, filtered, colours, scale })),
      ...(filtered ? drawnStrip(step, { y: bottom + size * 2.4, height: size * 1.6, x, width, colours }) : []),
    ],
  };
}

/** @param {{text: string, probability: number, after: number | null, chosen: boolean, id?: number}} one @param {number} r @param {any} room */
function candidateRow(one, r, { y, row, left, x, width, filtered, colours, scale }) {
  const size = colours.tick;
  const removed = filtered && one.after === 0;
  const [height, below] = filtered ? [row * 0.42, row * 0.26] : [row * 0.7, 0];
  const name = shorten(named(one), Math.max(3, Math.floor((left - size * 2) / (size * 0.61))));
  const token = one.id !== undefined;
  const end = x(filtered ? Math.max(one.probability, one.after ?? 0) : one.probability) + 6;
  const said = `${share(one.probability)}${filtered ? (removed ? " removed" : ` → ${share(one.after ?? 0)}`) : ""}`;
  return [
    ...(one.chosen ? [rect(0, y, width, row, { fill: colours.select })] : []),
    text(left - 8, y + row / 2, `${one.chosen ? "▸ " : ""}${name}`, { fill: token && !removed ? colours.ink : colours.inkSoft, size, font: token ? "mono" : "serif", italic: !token, anchor: "end", weight: one.chosen ? 700 : 400 }),
    rect(x(0), y + row * 0.13, x(one.probability) - x(0), height, { fill: css(scale, one.probability), stroke: colours.ruleStrong }),
    ...(removed ? [hatch(x(0), y + row * 0.13, Math.max(2, x(one.probability) - x(0)), height, { stroke: colours.paper, gap: 5, line: 2 })] : []),
    ...(filtered && one.after ? [rect(x(0), y + row * 0.16 + height, x(one.after) - x(0), below, { fill: colours.ink })] : []),
    text(end, y + row / 2, said, { fill: removed ? colours.inkSoft : colours.ink, size, font: "mono", weight: one.chosen ? 700 : 400 }),
  ];
}

/** The shares of [0, 1) side by side, the largest first, and the number that fell into one of them. @param {Step} step @param {any} room */
function drawnStrip(step, { y, height, x, width, colours }) {
  const size = colours.tick;
  const u = step.drawn ?? 0;
  let sum = 0;
  const shares = step.candidates.filter((one) => one.after && !isTail(one, step)).map((one) => ({ ...one, from: sum, to: (sum += one.after ?? 0) }));
  const tail = { text: `${count((step.kept ?? 0) - shares.length)} others`, from: sum, to: 1 };
  const fits = (/** @type {any} */ share) => Math.floor((x(share.to) - x(share.from) - 6) / (size * 0.61));
  return [
    rect(x(0), y, x(1) - x(0), height, { fill: colours.sunken, stroke: colours.ruleStrong }),
    ...shares.flatMap((share) => [
      rect(x(share.from), y, x(share.to) - x(share.from), height, { fill: share.chosen ? colours.select : undefined, stroke: colours.ruleStrong }),
      ...(fits(share) > 1 ? [text((x(share.from) + x(share.to)) / 2, y + height / 2, shorten(visible(share.text), fits(share)), { fill: colours.ink, size, font: "mono", anchor: "middle", weight: share.chosen ? 700 : 400 })] : []),
    ]),
    ...(fits(tail) > 8 ? [text((x(sum) + x(1)) / 2, y + height / 2, tail.text, { fill: colours.inkSoft, size, font: "serif", italic: true, anchor: "middle" })] : []),
    line(x(u), y - 5, x(u), y + height + 5, { stroke: colours.error, line: 3 }),
    text(Math.min(x(u) + 6, width - size * 8), y + height + size * 0.9, `drawn ${number(u)}`, { fill: colours.ink, size, font: "mono" }),
  ];
}

/** A token that was drawn from beyond the most probable ones has no place beside them. @param {{id: number}} one @param {Step} step */
const isTail = (one, step) => step.rank > step.candidates.length && step.candidates[step.candidates.length - 1].id === one.id;

/** A token as it must be seen; all the others together have a name of ours. @param {{text: string, id?: number}} one */
const named = (one) => (one.id === undefined ? one.text : visible(one.text));

/** One sentence about a candidate. @param {{text: string, id?: number, probability: number, after: number | null, chosen: boolean}} one */
export const sayCandidate = (one) =>
  `${named(one)}: probability ${number(one.probability)}${one.after === null ? "" : one.after === 0 ? ", removed by the filters" : `, after the filters ${number(one.after)}`}${one.chosen ? ", chosen" : ""}`;

/** Every candidate of every step as text. @param {Step[]} steps @returns {import("../draw/table.js").Table} */
export const stepsTable = (steps) => ({
  caption: "Every step’s candidates; the rest of the vocabulary is one row",
  head: ["step", "token", "probability", "after the filters", "chosen"],
  rows: steps.flatMap((step) => [
    ...step.candidates.map((one) => [String(step.index + 1), one.text, one.probability, one.after === null ? "" : one.after, one.chosen ? "chosen" : ""]),
    [String(step.index + 1), `${step.rest.tokens} others`, step.rest.probability, step.rest.after === null ? "" : step.rest.after, ""],
  ]),
});
