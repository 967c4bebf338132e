// What four of the views share: tokens on top, steps below, what is read out under them. The cells to be walked are [token, step].

import { scene } from "../draw/scene.js";
import { frame, lensRow, stepAt, stepAxis, tokenRow } from "./residual-frame.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("./residual-frame.js").State} State */
/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{row: number, column: number}} Cell a token and a step */
/** @typedef {{scene: import("../draw/scene.js").Scene, box: (row: number, column: number) => Box, at: (x: number, y: number) => Cell | null}} Picture */
/** @typedef {(stream: Stream, lens: Lens | null, state: State, total: {width: number, height: number}, colours: Palette) => Picture} View lens is null for a stack that nothing is read from */

/** For ears and exports. @param {Stream} stream @param {State} state */
export const label = (stream, state) => `${state.view}: ${stream.steps.length} steps of the ${stream.stack}’s stream for ${stream.tokens.length} tokens`;

/**
 * A view from what it draws inside the frame.
 * @param {(f: import("./residual-frame.js").Frame, stream: Stream, state: State, colours: Palette) => import("../draw/scene.js").Shape[]} draw
 * @returns {View}
 */
export const chart = (draw) => (stream, lens, state, total, colours) => {
  const f = frame(stream, total, colours, { strip: lens !== null });
  const tokens = tokenRow(f, stream, state, colours);
  const shapes = [...stepAxis(f, stream, state, colours), ...draw(f, stream, state, colours), ...lensRow(f, stream, lens, state, colours), ...tokens.shapes];
  return {
    scene: scene(total.width, total.height, label(stream, state), shapes),
    box: (_, column) => ({ x: f.x + column * f.slot, y: f.y, width: f.slot, height: f.height }),
    at(x, y) {
      const token = tokens.boxes.findIndex((box) => y < box.height && x >= box.x && x < box.x + box.width);
      if (token >= 0) return { row: token, column: state.step };
      const column = stepAt(f, stream, x);
      return y >= f.y && column !== null ? { row: state.position, column } : null;
    },
  };
};
