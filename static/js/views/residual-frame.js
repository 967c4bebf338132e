// What all views of the residual page share: one column a step of the stream, tokens on top, layers below, and what could be read out there.

import { css, inkOn, colourOf, probability } from "../draw/colours.js";
import { cells, line, rect, text } from "../draw/scene.js";
import { monoWidth, shorten, visible, weight } from "../draw/text.js";
import { WRITERS } from "./residual-stream.js";

/** @typedef {import("../draw/scene.js").Shape} Shape */
/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {{view: string, position: number, step: number}} State */
/** @typedef {{x: number, y: number, width: number, height: number, slot: number, size: number, turned: boolean, axis: number, total: {width: number, height: number}}} Frame */

/**
 * The room for the plot when tokens, legend, axis and what is read out have theirs; `top`, `left`, `right` count letters.
 * @param {Stream} stream @param {{width: number, height: number}} total @param {Palette} colours
 * @param {{strip: boolean, top?: number, left?: number, right?: number}} options
 * @returns {Frame}
 */
export function frame(stream, total, colours, { strip, top, left = 4.4, right = 0.5 }) {
  const size = colours.tick;
  const slot = (total.width - size * (left + right)) / stream.steps.length;
  const turned = slot < monoWidth("embed", size);
  const axis = size * (turned ? 5.3 : 3.5);
  const y = size * (top ?? (narrow(total) ? 5.8 : 4.2));
  return { x: size * left, y, width: slot * stream.steps.length, height: total.height - y - axis - (strip ? 2.6 * size : 0), slot, size, turned, axis, total };
}

/** @param {{width: number}} total */
export const narrow = ({ width }) => width < 640;

/** The step at a place, if there is one. @param {Frame} f @param {Stream} stream @param {number} x */
export function stepAt(f, stream, x) {
  const step = Math.floor((x - f.x) / f.slot);
  return step >= 0 && step < stream.steps.length ? step : null;
}

/** The middle of a step's column. @param {Frame} f @param {number} step */
export const middle = (f, step) => f.x + (step + 0.5) * f.slot;

/** Writers under their columns, layers under their writers; the selected column is marked. @param {Frame} f @param {Stream} stream @param {State} state @param {Palette} colours @returns {Shape[]} */
export function stepAxis(f, stream, state, colours) {
  const base = f.y + f.height;
  const words = stream.steps.map(({ writer }, i) => {
    const { short, colour } = WRITERS[/** @type {keyof typeof WRITERS} */ (writer)];
    const style = { fill: colours[colour], size: f.size, weight: i === state.step ? 700 : 400 };
    return f.turned
      ? text(middle(f, i), base + f.size * 0.4, short, { ...style, anchor: "end", turn: -90 })
      : text(middle(f, i), base + f.size, short, { ...style, anchor: "middle" });
  });
  return [
    rect(f.x + state.step * f.slot, f.y, f.slot, f.height, { fill: colours.select, opacity: 0.6 }),
    ...words,
    ...layers(stream).flatMap(({ layer, from, to }) => {
      const [x1, x2, y] = [f.x + from * f.slot + 3, f.x + (to + 1) * f.slot - 3, base + f.axis - 1.7 * f.size];
      const label = shorten(f.slot * (to - from + 1) < f.size * 5 ? String(layer) : `layer ${layer}`, 12);
      return [line(x1, y, x2, y, { stroke: colours.ruleStrong }), text((x1 + x2) / 2, y + f.size * 0.9, label, { fill: colours.inkSoft, size: f.size, anchor: "middle" })];
    }),
  ];
}

/** From which step to which a layer goes. @param {Stream} stream */
export function layers(stream) {
  const numbers = [...new Set(stream.steps.map((step) => step.layer).filter((layer) => layer !== null))];
  return numbers.map((layer) => {
    const of = stream.steps.map((step, i) => (step.layer === layer ? i : -1)).filter((i) => i >= 0);
    return { layer, from: of[0], to: of[of.length - 1] };
  });
}

/** The tokens of the text as a row, the selected one on ink. @param {Frame} f @param {Stream} stream @param {State} state @param {Palette} colours @returns {{shapes: Shape[], boxes: {x: number, y: number, width: number, height: number}[]}} */
export function tokenRow(f, stream, state, colours) {
  const gap = Math.min(f.size / 2, (0.2 * f.total.width) / stream.tokens.length);
  const wanted = stream.tokens.map((token) => monoWidth(visible(token), f.size) + f.size);
  const room = (f.total.width - gap * (wanted.length - 1)) / wanted.reduce((sum, w) => sum + w, 0);
  const height = f.size * 1.7;
  let x = 0;
  const boxes = wanted.map((w) => {
    const box = { x, y: 0, width: w * Math.min(1, room), height };
    x += box.width + gap;
    return box;
  });
  const shapes = boxes.flatMap((box, p) => {
    const chosen = p === state.position;
    const label = box.width < f.size ? "" : shorten(visible(stream.tokens[p]), Math.floor((box.width - 2) / (f.size * 0.61)));
    return [
      rect(box.x, box.y, box.width, box.height, { fill: chosen ? colours.ink : colours.sunken }),
      text(box.x + box.width / 2, box.y + box.height / 2, label, { fill: chosen ? colours.paper : colours.ink, size: f.size, font: "mono", anchor: "middle" }),
    ];
  });
  return { shapes, boxes };
}

/** Where what is read out stands: under the layers. @param {Frame} f */
export const stripBox = (f) => ({ x: f.x, y: f.y + f.height + f.axis + f.size * 0.4, width: f.width, height: f.size * 2.2 });

/** What the selected token's stream would say at every step, were it read out there. @param {Frame} f @param {Stream} stream @param {Lens | null} lens @param {State} state @param {Palette} colours @returns {Shape[]} */
export function lensRow(f, stream, lens, state, colours) {
  if (!lens) return [];
  const scale = probability(colours);
  const { y, height } = stripBox(f);
  return [
    text(0, y + height * 0.28, "says", { fill: colours.inkSoft, size: f.size }),
    ...probabilityBar(0, y + height * 0.55, f.x - f.size * 0.6, scale, colours),
    ...stream.steps.flatMap((_, s) => guessCell(lens.guesses[s][state.position][0], { x: f.x + s * f.slot + 1, y, width: f.slot - 2, height }, f.size, scale)),
  ];
}

/** A level bar with its ends: 0 ▬ 1. @param {number} x @param {number} y @param {number} width @param {import("../draw/colours.js").Scale} scale @param {Palette} colours @returns {Shape[]} */
export function probabilityBar(x, y, width, scale, colours) {
  const size = colours.tick;
  const bytes = new Uint8ClampedArray(256 * 4).map((_, i) => (i % 4 === 3 ? 255 : scale.ramp[3 * Math.floor(i / 4) + (i % 4)]));
  const words = { fill: colours.inkSoft, size, font: /** @type {const} */ ("mono"), baseline: /** @type {const} */ ("middle") };
  return [
    text(x, y + size / 2, "0", words),
    cells(x + size * 0.8, y + size * 0.15, width - size * 1.6, size * 0.7, 1, 256, bytes),
    text(x + width, y + size / 2, "1", { ...words, anchor: "end" }),
  ];
}

/** One guess: its token on the colour of its probability. @param {import("./residual-stream.js").Guess} guess @param {{x: number, y: number, width: number, height: number}} box @param {number} size @param {import("../draw/colours.js").Scale} scale @returns {Shape[]} */
export function guessCell({ token, probability: p }, { x, y, width, height }, size, scale) {
  const fill = inkOn(colourOf(scale, p));
  const room = Math.floor((width - 4) / (size * 0.61));
  const legible = height >= size * 0.9;
  const withNumber = height >= size * 2.1 && room >= 3;
  const content = shorten(visible(token), Math.max(1, room));
  return [
    rect(x, y, width, height, { fill: css(scale, p) }),
    ...(legible ? [text(x + width / 2, y + height * (withNumber ? 0.32 : 0.5), content, { fill, size, font: "mono", anchor: "middle" })] : []),
    ...(withNumber ? [text(x + width / 2, y + height * 0.74, weight(p), { fill, size: size * 0.85, font: "mono", anchor: "middle" })] : []),
  ];
}

/** Colours and what they mean, in one row under the tokens. @param {Frame} f @param {{colour: string, label: string, mark?: "dot" | "ring" | "line" | "dash" | "box"}[]} items @param {Palette} colours @returns {Shape[]} */
export function legend(f, items, colours) {
  const size = f.size;
  const y = f.y - size * (narrow(f.total) ? 2.7 : 1);
  const widths = items.map(({ label }) => size * 1.7 + label.length * size * 0.5);
  const whole = widths.reduce((sum, width) => sum + width, 0);
  let x = narrow(f.total) ? 0 : f.total.width - whole;
  const squeeze = Math.min(1, f.total.width / whole);
  return items.flatMap(({ colour, label, mark = "box" }, i) => {
    const shapes = [MARKS[mark](x + size * 0.5, y, size * 0.35, colour), text(x + size * 1.1, y, label, { fill: colours.inkSoft, size })];
    x += widths[i] * squeeze;
    return shapes;
  });
}

/** @type {Record<string, (x: number, y: number, r: number, colour: string) => Shape>} */
const MARKS = {
  box: (x, y, r, colour) => rect(x - r, y - r, 2 * r, 2 * r, { fill: colour }),
  dot: (x, y, r, colour) => ({ shape: "dot", x, y, radius: r, fill: colour }),
  ring: (x, y, r, colour) => ({ shape: "dot", x, y, radius: r, stroke: colour, line: 2 }),
  line: (x, y, r, colour) => line(x - 1.4 * r, y, x + 1.2 * r, y, { stroke: colour, line: 2 }),
  dash: (x, y, r, colour) => line(x - 1.4 * r, y, x + 1.2 * r, y, { stroke: colour, line: 2, dash: [2, 2] }),
};
