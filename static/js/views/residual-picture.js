// The picture of the residual page: one of five views on the same steps. Its cells, to be walked, are [token, step].

import { scene, text } from "../draw/scene.js";
import { drawContributions } from "./residual-contributions.js";
import { drawDependency } from "./residual-dependency.js";
import { frame, lensRow, narrow, stepAxis, tokenRow } from "./residual-frame.js";
import { drawLens, fitted, guessRow, rowHeight } from "./residual-lens.js";
import { drawNorm } from "./residual-norm.js";
import { drawWrites } from "./residual-writes.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("./residual-frame.js").Frame} Frame */
/** @typedef {import("./residual-frame.js").State} State */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{row: number, column: number}} Cell a token and a step */
/** @typedef {{scene: import("../draw/scene.js").Scene, box: (row: number, column: number) => Box, at: (x: number, y: number) => Cell | null}} Picture */

/** @type {Record<string, (f: Frame, stream: Stream, state: State, colours: import("../draw/colours.js").Palette) => import("../draw/scene.js").Shape[]>} */
const DRAW = { norm: drawNorm, writes: drawWrites, dependency: drawDependency, contributions: drawContributions, lens: drawNothing };

/** @param {Frame} f @param {Stream} stream @param {State} _ @param {import("../draw/colours.js").Palette} colours */
function drawNothing(f, stream, _, colours) {
  const words = `No words are read from the ${stream.stack}’s stream.`;
  return [text(f.x + f.width / 2, f.y + f.height / 2, words, { fill: colours.ink, size: colours.text, font: "serif", anchor: "middle" })];
}

/**
 * @param {Stream} stream @param {Lens | null} lens null for a stack that nothing is read from @param {State} state
 * @param {{width: number, height: number}} total @param {import("../draw/colours.js").Palette} colours
 * @returns {Picture}
 */
export function picture(stream, lens, state, total, colours) {
  const label = `${state.view}: ${stream.steps.length} steps of the ${stream.stack}’s stream for ${stream.tokens.length} tokens`;
  return state.view === "lens" && lens ? lensPicture(stream, lens, state, total, colours, label) : chartPicture(stream, lens, state, total, colours, label);
}

/** @param {Stream} stream @param {Lens} lens @param {State} state @param {{width: number, height: number}} total @param {import("../draw/colours.js").Palette} colours @param {string} label @returns {Picture} */
function lensPicture(stream, lens, state, total, colours, label) {
  const margin = narrow(total) ? 4.5 : 7;
  const f = fitted(frame(stream, total, colours, { strip: true, top: 2.2, left: margin, right: margin }), stream);
  const high = rowHeight(f, stream);
  const shapes = [...stepAxis(f, stream, state, colours), ...drawLens(f, stream, lens, state, colours), ...guessRow(f, lens, state, colours)];
  return {
    scene: scene(total.width, total.height, label, shapes),
    box: (row, column) => ({ x: f.x + column * f.slot, y: f.y + row * high, width: f.slot, height: high }),
    at(x, y) {
      const [row, column] = [Math.floor((y - f.y) / high), stepAt(f, stream, x)];
      return row >= 0 && row < stream.tokens.length && column !== null ? { row, column } : null;
    },
  };
}

/** @param {Stream} stream @param {Lens | null} lens @param {State} state @param {{width: number, height: number}} total @param {import("../draw/colours.js").Palette} colours @param {string} label @returns {Picture} */
function chartPicture(stream, lens, state, total, colours, label) {
  const f = frame(stream, total, colours, { strip: lens !== null });
  const tokens = tokenRow(f, stream, state, colours);
  const shapes = [
    ...stepAxis(f, stream, state, colours),
    ...DRAW[state.view](f, stream, state, colours),
    ...lensRow(f, stream, lens, state, colours),
    ...tokens.shapes,
  ];
  return {
    scene: scene(total.width, total.height, label, shapes),
    box: (_, column) => ({ x: f.x + column * f.slot, y: f.y, width: f.slot, height: f.height }),
    at(x, y) {
      const token = tokens.boxes.findIndex((box) => y < box.height && x >= box.x && x < box.x + box.width);
      if (token >= 0) return { row: token, column: state.step };
      const column = stepAt(f, stream, x);
      return y >= f.y && column !== null ? { row: state.position, column } : null;
    },
  };
}

/** @param {Frame} f @param {Stream} stream @param {number} x */
function stepAt(f, stream, x) {
  const step = Math.floor((x - f.x) / f.slot);
  return step >= 0 && step < stream.steps.length ? step : null;
}
