// The logit lens: for every token and every step, what would be said next if the stream ended there.

import { probability } from "../draw/colours.js";
import { rect, scene, text } from "../draw/scene.js";
import { shorten, visible, weight } from "../draw/text.js";
import { chart, label as described } from "./residual-chart.js";
import { frame, guessCell, narrow, probabilityBar, stepAt, stepAxis, stripBox } from "./residual-frame.js";

/** @typedef {import("./residual-frame.js").Frame} Frame */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("./residual-stream.js").Stream} Stream */

/** The frame with no more height than its rows want. @param {Frame} f @param {Stream} stream @returns {Frame} */
const fitted = (f, stream) => ({ ...f, height: Math.min(f.height, stream.tokens.length * f.size * 4.5) });

/** @param {Frame} f @param {Stream} stream */
const rowHeight = (f, stream) => f.height / stream.tokens.length;

/**
 * Every token's own row: the token on the left, what really comes next on the right; a frame marks where that is already the first guess.
 * @param {Frame} f @param {Stream} stream @param {Lens} lens @param {import("./residual-frame.js").State} state @param {import("../draw/colours.js").Palette} colours
 */
function rows(f, stream, lens, state, colours) {
  const scale = probability(colours);
  const height = rowHeight(f, stream);
  const end = f.x + f.width;
  const label = (/** @type {string} */ token, /** @type {number} */ room) => shorten(visible(token), Math.floor(room / (f.size * 0.61)));
  return [
    text(f.x - f.size / 2, f.y - f.size, "after", { fill: colours.inkSoft, size: f.size, anchor: "end" }),
    ...probabilityBar(end - f.size * 9, f.y - f.size * 1.5, f.size * 9, scale, colours),
    ...(narrow(f.total) ? [] : [text(end - f.size * 9.5, f.y - f.size, "probability of the first guess", { fill: colours.inkSoft, size: f.size, anchor: "end" })]),
    ...(lens.expected.length ? [text(end + f.size / 2, f.y - f.size, "next is", { fill: colours.inkSoft, size: f.size })] : []),
    ...stream.tokens.flatMap((token, p) => {
      const y = f.y + p * height;
      const words = { size: Math.min(f.size, height), font: /** @type {const} */ ("mono"), fill: colours.ink, weight: p === state.position ? 700 : 400 };
      return [
        ...(p === state.position ? [rect(0, y, f.total.width, height - 1, { fill: colours.select })] : []),
        text(f.x - f.size / 2, y + height / 2, label(token, f.x - f.size / 2), { ...words, anchor: "end" }),
        ...stream.steps.flatMap((_, s) => guessCell(lens.guesses[s][p][0], { x: f.x + s * f.slot, y, width: f.slot - 1, height: height - 1 }, height > 3.6 * f.size ? colours.text : f.size, scale)),
        ...stream.steps.flatMap((_, s) => (lens.rank[s]?.[p] === 1 ? outline(f.x + s * f.slot, y, f.slot - 1, height - 1, colours) : [])),
        text(end + f.size / 2, y + height / 2, label(lens.expected[p] ?? "", f.total.width - end - f.size / 2), words),
      ];
    }),
  ];
}

/** Ink within paper, seen on the dark and the light end of the scale. @param {number} x @param {number} y @param {number} width @param {number} height @param {import("../draw/colours.js").Palette} colours */
const outline = (x, y, width, height, colours) => [
  rect(x + 1, y + 1, width - 2, height - 2, { stroke: colours.paper, line: 2 }),
  rect(x + 2.5, y + 2.5, width - 5, height - 5, { stroke: colours.ink, line: 1 }),
];

/** The best guesses of the selected cell in a row, and what all others add up to. @param {Frame} f @param {Lens} lens @param {import("./residual-frame.js").State} state @param {import("../draw/colours.js").Palette} colours */
function guessRow(f, lens, state, colours) {
  const scale = probability(colours);
  const { y, height } = stripBox(f);
  const guesses = lens.guesses[state.step][state.position].slice(0, Math.max(2, Math.floor(f.width / (f.size * 6))));
  const others = 1 - guesses.reduce((sum, guess) => sum + guess.probability, 0);
  const width = (f.total.width - f.x - f.size * 7) / guesses.length;
  return [
    text(0, y + height / 2, "guesses", { fill: colours.inkSoft, size: f.size }),
    ...guesses.flatMap((guess, i) => guessCell(guess, { x: f.x + i * width, y, width: width - 2, height }, f.size, scale)),
    text(f.total.width, y + height / 2, `others ${weight(Math.max(0, others), 3)}`, { fill: colours.inkSoft, size: f.size, font: "mono", anchor: "end" }),
  ];
}

/** Said where there is nothing to read. */
const nothing = chart((f, stream, _, colours) => [
  text(f.x + f.width / 2, f.y + f.height / 2, `No words are read from the ${stream.stack}’s stream.`, { fill: colours.ink, size: colours.text, font: "serif", anchor: "middle" }),
]);

/** @type {import("./residual-chart.js").View} */
export function picture(stream, lens, state, total, colours) {
  if (!lens) return nothing(stream, lens, state, total, colours);
  const margin = narrow(total) ? 4.5 : 7;
  const f = fitted(frame(stream, total, colours, { strip: true, top: 2.2, left: margin, right: margin }), stream);
  const high = rowHeight(f, stream);
  const shapes = [...stepAxis(f, stream, state, colours), ...rows(f, stream, lens, state, colours), ...guessRow(f, lens, state, colours)];
  return {
    scene: scene(total.width, total.height, described(stream, state), shapes),
    box: (row, column) => ({ x: f.x + column * f.slot, y: f.y + row * high, width: f.slot, height: high }),
    at(x, y) {
      const [row, column] = [Math.floor((y - f.y) / high), stepAt(f, stream, x)];
      return row >= 0 && row < stream.tokens.length && column !== null ? { row, column } : null;
    },
  };
}
