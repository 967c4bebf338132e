// The page of detection: shapes are moved about, and every query says what is where; one query's boxes by layer, and where it looks.

import { whole } from "../address.js";
import { palette } from "../draw/palette.js";
import { weight } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { MOST, moved, readScene, shapeAt, withOne, writeScene } from "../scenes.js";
import { board, found, heads, queryAt, said } from "./detection-figures.js";

/** @typedef {Record<string, string>} State */

const FAR = 4; // pixels: nearer, it is a click
const OFTEN = 80; // milliseconds between two questions while a shape is on its way

const frames = { found: figure("found"), heads: figure("heads"), board: figure("board") };
const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** What is drawn, for those who point at it. @type {{answer: any, place: any, area: any, page: import("../page.js").Page} | undefined} */
let now;
/** @type {{index: number, x: number, y: number, dx: number, dy: number, moves: boolean, asked: number} | undefined} */
let held;

/** @param {State} state @returns {[string, Record<string, string>]} */
const call = (state) => ["detection", { model: card.id, image: state.image, query: state.query }];

start({
  load: (state, ask) => ask(...call(state)),
  draw(answer, state, page) {
    const { data } = answer.tensors.weights;
    const place = { query: answer.query, layer: whole(state.layer, 0, data.length - 1), head: whole(state.head, 0, data[0].length - 1) };
    const space = (/** @type {keyof typeof frames} */ id) => ({ ...frames[id].size(), colours: palette() });
    const of = { found: found(answer, place, space("found")), heads: heads(answer, place, space("heads")), board: board(answer, place, space("board")) };
    now = { answer, place, area: of.found.area, page };
    show("found", of.found, state, answer, "boxes");
    show("heads", of.heads, state, answer, "weights");
    show("board", of.board, state, answer, "chances");
    walk("found", of.found, ({ row, column }) => pick(queryAt(answer, place, (column + 0.5) / of.found.columns, (row + 0.5) / of.found.rows)));
    walk("heads", of.heads, ({ row, column }) => page.set({ layer: String(row), head: String(column) }));
    walk("board", of.board, ({ row }) => pick(row));
    by("found-title").textContent = `After layer ${place.layer}`;
    by("heads-title").textContent = `Where query ${place.query} looks`;
    by("readout").textContent = sentence(answer, place);
    by("mean").textContent = weight(answer.mean_iou);
    const shapes = answer.axes.object.size;
    by("count").textContent = `${answer.found.filter((/** @type {any} */ one) => one.object !== null && one.class === answer.axes.object.labels[one.object]).length} of ${shapes}`;
    /** @type {HTMLSelectElement} */ (by("add")).disabled = shapes >= MOST;
    /** @type {HTMLButtonElement} */ (by("less")).disabled = shapes <= 1;
  },
});

/** @param {any} answer @param {any} place */
function sentence(answer, { query, layer }) {
  const { class: kind, probability } = said(answer, layer)[query];
  const { object, iou } = answer.found[query];
  return `query ${query}: ${kind} ${weight(probability)}; matched with ${object === null ? "no shape" : `the ${answer.axes.object.labels[object]}, IoU ${weight(iou)}`}`;
}

/** @param {number} query */
const pick = (query) => now?.page.set({ query: String(query) });

/** @param {keyof typeof frames} id @param {any} drawn @param {State} state @param {any} answer @param {string} tensor */
function show(id, { scene, table }, state, answer, tensor) {
  frames[id].show({ scene, table, call: call(state), answer, shape: `[${answer.tensors[tensor].shape.join(", ")}]` });
}

/** @param {keyof typeof frames} id @param {any} drawn @param {(cell: {row: number, column: number}) => void} choose */
function walk(id, { rows, columns, box, at, say }, choose) {
  const tell = (/** @type {any} */ cell) => (by("readout").textContent = cell ? say(cell) : now ? sentence(now.answer, now.place) : "");
  walkable(frames[id].canvas(), { rows, columns, box, at, say, onPeek: tell, onPick: (cell) => held?.moves || choose(cell) });
}

const canvas = frames.found.canvas();
canvas.addEventListener("pointerdown", grasp);
canvas.addEventListener("pointermove", carry);
canvas.addEventListener("pointerup", drop);
canvas.addEventListener("pointercancel", drop);

/** Where a pointer is, as shares of the picture. @param {PointerEvent} event */
const share = ({ offsetX, offsetY }) => ({ x: (offsetX - now?.area.x) / now?.area.side, y: (offsetY - now?.area.y) / now?.area.side });

/** @param {PointerEvent} event */
function grasp(event) {
  held = undefined;
  if (!now) return;
  const shapes = readScene(now.answer.input.image);
  const { x, y } = share(event);
  const index = shapeAt(shapes, x, y);
  if (index < 0) return;
  held = { index, x: event.offsetX, y: event.offsetY, dx: shapes[index].x - x, dy: shapes[index].y - y, moves: false, asked: 0 };
  canvas.setPointerCapture(event.pointerId);
}

/** @param {PointerEvent} event */
function carry(event) {
  if (!held || !event.buttons) return;
  held.moves ||= Math.hypot(event.offsetX - held.x, event.offsetY - held.y) >= FAR;
  if (!held.moves || event.timeStamp - held.asked < OFTEN) return;
  held.asked = event.timeStamp;
  put(event, false);
}

/** @param {PointerEvent} event */
function drop(event) {
  if (held?.moves) put(event, true);
  setTimeout(() => (held = undefined)); // after the click that follows
}

/** The shape that is held, to where the pointer is. @param {PointerEvent} event @param {boolean} push */
function put(event, push) {
  if (!now || !held) return;
  const { x, y } = share(event);
  now.page.set({ image: writeScene(moved(readScene(now.answer.input.image), held.index, x + held.dx, y + held.dy)) }, { push });
}

by("add").addEventListener("change", (event) => {
  const select = /** @type {HTMLSelectElement} */ (event.target);
  const [colour, kind] = select.value.split(" ");
  select.value = "";
  if (now && kind) now.page.set({ image: writeScene(withOne(readScene(now.answer.input.image), colour, kind)) });
});

by("less").addEventListener("click", () => now?.page.set({ image: writeScene(readScene(now.answer.input.image).slice(0, -1)) }));
