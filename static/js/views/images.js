// The page of images: a digit is drawn or chosen; one head's row lies over it, every head beside it, and what [CLS] says on its way.

import { whole } from "../address.js";
import { palette } from "../draw/palette.js";
import { count, number } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { heads, painted, says } from "./images-figures.js";

/** @typedef {Record<string, string>} State */

const frames = { painted: figure("painted"), heads: figure("heads"), says: figure("says") };
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

const own = card.config.image_side / card.config.patch_side;

/** A finer grid has tokens that a coarser one has not. @param {State} state */
const query = ({ query: token, grid }) => String(whole(token, 0, (Number(grid) || own) ** 2));

/** @param {State} state @returns {[string, Record<string, string>]} */
const call = (state) => ["images", { model: card.id, image: state.image, query: query(state), grid: state.grid }];

start({
  load: (state, ask) => ask(...call(state)),
  draw(answer, state, page) {
    const { data } = answer.tensors.weights;
    const place = { layer: whole(state.layer, 0, data.length - 1), head: whole(state.head, 0, data[0].length - 1), query: answer.query };
    const space = (/** @type {keyof typeof frames} */ id) => ({ ...frames[id].size(), colours: palette() });
    const of = { painted: painted(answer, place, space("painted")), heads: heads(answer, place, space("heads")), says: says(answer, space("says")) };
    const asked = call(state);
    show("painted", of.painted, asked, answer, "weights");
    show("heads", of.heads, asked, answer, "weights");
    show("says", of.says, asked, answer, "says");
    walk("painted", of.painted, of.painted.said, (cell) => page.set({ query: String(of.painted.token(cell)) }));
    walk("heads", of.heads, of.painted.said, ({ row, column }) => page.set({ layer: String(row), head: String(column) }));
    walk("says", of.says, of.painted.said);
    by("readout").textContent = of.painted.said;
    by("painted-title").textContent = `Where ${answer.axes.image.labels[place.query]} looks: layer ${place.layer}, head ${place.head}`;
    tell(answer);
  },
});

/** @param {keyof typeof frames} id @param {any} drawn @param {[string, any]} asked @param {any} answer @param {string} tensor */
function show(id, { scene, table }, asked, answer, tensor) {
  frames[id].show({ scene, table, call: asked, answer, shape: `[${answer.tensors[tensor].shape.join(", ")}]` });
}

/** @param {keyof typeof frames} id @param {any} drawn @param {string} said @param {(cell: {row: number, column: number}) => void} [onPick] */
function walk(id, { rows, columns, box, at, say }, said, onPick) {
  walkable(frames[id].canvas(), { rows, columns, box, at, say, onPick, onPeek: (cell) => (by("readout").textContent = cell ? say(cell) : said) });
}

/** The answer, and what attention costs by the side of a patch. @param {any} answer */
function tell({ says: { class: said, probability }, axes: { image }, tensors, query: token, cost }) {
  by("class").textContent = said;
  by("chance").textContent = `with probability ${number(probability, 3)}`;
  by("looker").textContent = image.labels[token];
  const side = tensors.pixels.shape[0] / image.grid[0];
  const [pixels, patches] = [cost[0], cost.find((/** @type {any} */ row) => row.patch_side === side)];
  const facts = { pixels: pixels.tokens, "pixel-pairs": pixels.pairs, patches: patches.tokens, "patch-pairs": patches.pairs, ratio: pixels.pairs / patches.pairs };
  for (const [name, value] of Object.entries({ ...facts, side })) {
    const place = /** @type {HTMLElement} */ (document.querySelector(`[data-fact="${name}"]`));
    place.textContent = name === "side" ? `${value} × ${value}` : count(value);
  }
}
