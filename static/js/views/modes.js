// The modes page: one sentence, four ways to read it, side by side.

import { palette } from "../draw/palette.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { drawn, summary } from "./modes-figures.js";

/** @typedef {Record<string, string>} State */

const MODES = ["encoder-only", "decoder-only", "encoder-decoder", "prefix"];
const frames = Object.fromEntries(MODES.map((mode) => [mode, figure(mode)]));

/** The model of the bar stands for its own mode. @param {State} state @returns {[string, State]} */
const call = ({ sentence, source, text, target, layer, head, own }) =>
  ["modes", { text: sentence ?? (source || text), target: sentence ? "" : target, ...(own ? { [card.family.replaceAll("-", "_")]: own } : {}), layer, head }];

start({
  load: (state, ask) => ask(...call(state)),
  draw(answer, state, page) {
    const colours = palette();
    const deepest = Math.max(...answer.modes.map((/** @type {any} */ { layers }) => layers ?? 0));
    const widest = Math.max(...answer.modes.map((/** @type {any} */ { heads }) => heads ?? 0));
    const upTo = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => String(i));
    page.options("layer", [{ value: "", label: "last" }, ...upTo(deepest)]);
    page.options("head", upTo(widest));
    for (const mode of answer.modes) one(mode, answer, state, colours);
  },
});

/** @param {any} mode @param {any} answer @param {State} state @param {import("../draw/palette.js").Palette} colours */
function one(mode, answer, state, colours) {
  const frame = frames[mode.mode];
  const readout = /** @type {HTMLElement} */ (frame.stage.querySelector(".readout"));
  const { width, height } = frame.size();
  const picture = drawn(answer, mode, { show: state.show, width, height: height - readout.offsetHeight, colours });
  const rest = summary(mode, picture.rows);
  readout.textContent = rest;
  const [word, question] = call(state);
  const names = Object.keys(answer.tensors).filter((name) => name.startsWith(`${mode.mode}.`));
  frame.show({ scene: picture.scene, table: picture.table, call: [word, { ...question, names: names.join(",") }], answer, kind: mode.kind, shape: `[${picture.rows}, ${picture.rows}]` });
  walkable(frame.canvas(), { ...picture, onPeek: (cell) => (readout.textContent = cell ? picture.say(cell) : rest) });
}
