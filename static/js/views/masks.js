// The masks page: a mask that can be painted, and what it does to the sentence.

import { input, whole } from "../address.js";
import { palette } from "../draw/palette.js";
import { number } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { showFacts, typeset } from "./facts.js";
import { EFFECTS, matrixOf } from "./masks-effect.js";
import { isReached, matrix, numbers, reachedLater } from "./masks-matrix.js";
import { paintable } from "./masks-paint.js";
import { NONE, parseStrokes, withCell, writeStrokes } from "./masks-strokes.js";

/** @typedef {Record<string, string>} State */
/** @typedef {{row: number, column: number}} Cell */

const ALWAYS = { visible: "Open cells", widest_reach: "Widest reach" };
const ROWS = { row_sum_error: "Row sums miss 1 by", smallest_multiplied_row_sum: "Multiplied: smallest sum" };
const FACTS = { leak: { ...ALWAYS, leak_outside_reach: "Leak beyond the reach" }, weights: { ...ALWAYS, ...ROWS }, sums: { ...ALWAYS, ...ROWS }, loss: ALWAYS, depth: ALWAYS, grid: ALWAYS };
/** @type {Record<string, string[]>} */
const PARAMETERS = { prefix: ["prefix"], window: ["window"], dilated: ["window", "dilation"], block: ["block"], window_2d: ["columns", "above", "beside"], padding: ["lengths"] };
const FITTED = new Set(["flip", ...Object.values(PARAMETERS).flat()]);
const GRID = { alone: "1", length: "24" }; // a sentence stands on no grid

const mask = figure("mask");
const effect = figure("effect");
/** @type {Set<string> | null} cells turned over by a stroke that is not finished */
let stroke = null;
/** @type {Cell | null} where the keyboard is */
let pointed = null;
/** @type {number | null} the query that was pointed at last, which a grid shows */
let looked = null;
/** @type {import("../page.js").Page} */
let page;

/** @param {State} state */
function question({ pattern, flip, layers, stack, layer, alone, length, ...rest }) {
  const own = pattern.split(" ").flatMap((name) => PARAMETERS[name] ?? []).map((name) => [name, rest[name]]);
  const of = layersOf(stack) ? stack : (card.config.n_encoder_layers ? "encoder" : "decoder"); // the address may speak of another model's
  const about = alone ? { length } : { ...input(rest), stack: of, layer: whole(layer, 0, layersOf(of) - 1) };
  return { pattern, ...Object.fromEntries(own), flip: flip === NONE ? "" : flip, layers, ...about };
}

/** Each effect by its name; those that are lines come when one is asked for. @type {Record<string, (asked: import("./masks-effect.js").Asked) => import("./masks-effect.js").Effect>} */
let effects = EFFECTS;
const LINES = ["loss", "sums"];

/** A sentence may be too short for what was painted or chosen: then those are left out, and it is said. @param {State} state @param {import("../page.js").Ask} ask @param {string[]} [left] @returns {Promise<any>} */
async function load(state, ask, left = []) {
  try {
    const [answer, more] = await Promise.all([ask("masks", question(state)), LINES.includes(state.show) ? import("./masks-lines.js") : null]);
    if (more) effects = { ...EFFECTS, ...more.LINES };
    return left.length ? { ...answer, left } : answer;
  } catch (error) {
    const misfits = [...FITTED].filter((name) => state[name] && /** @type {any} */ (error).fields?.includes(name));
    if (!misfits.length) throw error;
    return load({ ...state, ...Object.fromEntries(misfits.map((name) => [name, ""])) }, ask, [...left, ...misfits]);
  }
}

/** @param {any} answer @param {State} state @param {import("../page.js").Page} now */
function draw(answer, state, now) {
  page = now;
  showControls(answer, state);
  const colours = palette();
  const { layers } = answer;
  const sequence = whole(state.sequence, 0, (answer.axes.sequence?.size ?? 1) - 1);
  const labels = answer.axes.query.labels ?? numbers(answer.axes.query.size);
  const committed = parseStrokes(answer.left?.includes("flip") ? "" : state.flip);
  const query = Math.min(looked ?? labels.length - Math.ceil((answer.columns ?? 1) / 2), labels.length - 1);
  drawMask({ answer, state, colours, layers, sequence, labels, committed, query });
  drawEffect({ answer, state, colours, sequence, labels, query });
  showFacts(/** @type {HTMLElement} */ (document.getElementById("facts")), answer.facts, FACTS[shownEffect(answer, state)]);
  for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".beside [data-view]"))) section.hidden = section.dataset.view !== shownEffect(answer, state);
  const said = answer.left ? `Left out, as it does not fit ${labels.length} positions: ${answer.left.map((/** @type {string} */ name) => (name === "flip" ? "painted cells" : name)).join(", ")}.` : "";
  say("#count", said || counted(answer));
}

/** The count as a formula with its numbers: n (n + 1) / 2 = 4 × 5 / 2 = 10, + 1 painted open = 11 open cells. @param {any} answer */
function counted({ formula, visible, opened, closed, blind_rows: blind }) {
  const painted = [opened && `+ ${opened} painted open`, closed && `− ${closed} painted shut`].filter(Boolean);
  const total = painted.length ? `, ${painted.join(" ")} = ${visible}` : "";
  const warning = blind.length ? `. ${blind.length === 1 ? "One row sees" : `${blind.length} rows see`} nothing: all weights 0.` : "";
  return `${typeset(formula)}${total} open cells${warning}`;
}

/** @param {any} about */
function drawMask({ answer, state, colours, layers, sequence, labels, committed, query }) {
  const shown = matrixOf(answer, "allowed", sequence);
  const pending = stroke ?? committed;
  const allowed = shown.map((/** @type {number[]} */ row, /** @type {number} */ q) => row.map((open, k) => (pending.has(`${q}.${k}`) === committed.has(`${q}.${k}`) ? open : 1 - open)));
  const needed = stroke ? allowed.map((/** @type {number[]} */ row) => row.map(() => null)) : matrixOf(answer, "layers_needed", sequence);
  const picture = matrix({ allowed, needed, layers, labels, turned: pending, selected: shownEffect(answer, state) === "grid" ? { row: query } : undefined }, mask.size(), colours);
  mask.show({
    scene: picture.scene, call: ["masks", question(state)], answer, kind: "analytic", shape: `[${labels.length}, ${labels.length}]`,
    table: { caption: "1 where a query may look", head: ["query \\ key", ...labels], rows: allowed.map((/** @type {number[]} */ row, /** @type {number} */ q) => [labels[q], ...row.map(String)]) },
  });
  const state01 = (/** @type {Cell} */ { row, column }) => {
    if (allowed[row][column]) return "open";
    return isReached(needed[row][column], layers) ? `hidden, but reached through ${needed[row][column]} layers` : "hidden";
  };
  const sentence = (/** @type {Cell} */ cell) => `query ${labels[cell.row]}, key ${labels[cell.column]}: ${state01(cell)}`;
  const canvas = mask.canvas();
  walkable(canvas, {
    rows: labels.length, columns: labels.length, box: picture.box, at: picture.at, say: (cell) => `${sentence(cell)}. Space paints.`,
    onPeek: (cell) => { pointed = cell; say("#at", cell ? sentence(cell) : summary(allowed, needed, layers)); look(answer, cell?.row); },
  });
  if (!pointed) say("#at", summary(allowed, needed, layers));
  if (answer.axes.sequence) return;
  const after = (/** @type {Cell[]} */ cells, /** @type {boolean} */ open) => cells.reduce((next, { row, column }) => {
    const pattern = committed.has(`${row}.${column}`) ? !shown[row][column] : Boolean(shown[row][column]);
    return withCell(next, `${row}.${column}`, pattern !== open);
  }, committed);
  const commit = (/** @type {Set<string>} */ next) => { stroke = null; page.set({ flip: writeStrokes(next) }); };
  paintable(canvas, {
    at: picture.at, isOpen: ({ row, column }) => Boolean(allowed[row][column]),
    onStroke: (cells, open) => { stroke = after(cells, open); page.render(); },
    onDone: (cells, open) => commit(after(cells, open)),
    onCancel: () => { stroke = null; page.render(); },
  });
  paintPointed = () => {
    if (!pointed) return;
    const open = !allowed[pointed.row][pointed.column];
    commit(after([pointed], open));
    page.announce(`query ${labels[pointed.row]}, key ${labels[pointed.column]}: ${open ? "opened" : "hidden"}`);
  };
}

let paintPointed = () => {};

/** On a grid the query under the pointer is looked at. @param {any} answer @param {number} [query] */
function look(answer, query) {
  if (query === undefined || query === looked) return;
  looked = query;
  if (answer.columns) page.render();
}

/** @param {number[][]} allowed @param {(number | null)[][]} needed @param {number} layers */
function summary(allowed, needed, layers) {
  const later = reachedLater(allowed, needed, layers);
  return later ? `${later} hidden ${later === 1 ? "cell is" : "cells are"} reached through ${layers} layers all the same` : `through ${layers} layers nothing else is reached`;
}

/** Without a sentence there is only the depth, and on a grid it is drawn there. @param {any} answer @param {State} state @returns {keyof typeof FACTS} */
function shownEffect(answer, { alone, show }) {
  const depth = alone || (show === "loss" && !answer.loss) || !(show in effects) || ["depth", "grid"].includes(show);
  return depth ? (answer.columns ? "grid" : "depth") : /** @type {keyof typeof FACTS} */ (show);
}

/** @param {any} about */
function drawEffect({ answer, state, colours, sequence, labels, query }) {
  const name = shownEffect(answer, state);
  const asked = { answer, labels, head: whole(state.head, 0, (answer.axes.head?.size ?? 1) - 1), layer: answer.layer, sequence, query, size: effect.size(), colours };
  const shown = effects[name](asked);
  const idle = name === "grid" ? shown.say({ row: Math.floor(query / answer.columns), column: query % answer.columns }) : outcome(answer);
  const { shape } = answer.tensors[shown.tensor];
  Object.assign(/** @type {HTMLElement} */ (effect.element.querySelector("h2")), { textContent: shown.title });
  Object.assign(/** @type {HTMLElement} */ (effect.element.querySelector(".figure-head span")), { textContent: shown.caption });
  effect.show({ scene: shown.picture.scene, table: shown.table, call: ["masks", question(state)], answer, kind: ["depth", "grid"].includes(name) ? "analytic" : answer.kind, shape: `[${shape.join(", ")}]` });
  walkable(effect.canvas(), {
    rows: shown.rows, columns: shown.columns, box: shown.picture.box, at: shown.picture.at, say: shown.say,
    onPeek: (cell) => { say("#effect-at", cell ? shown.say(cell) : idle); if (cell && name === "grid") look(answer, cell.row * answer.columns + cell.column); },
  });
  say("#effect-at", idle);
}

/** @param {any} answer */
const outcome = ({ loss }) => (loss ? `loss: trained mask ${number(loss.trained)}, this mask ${number(loss.chosen)} nats` : "");

/** Only the controls that mean something now. @param {any} answer @param {State} state */
function showControls(answer, state) {
  const [first, join = "", second = ""] = answer.pattern.split(" ");
  for (const [id, value] of Object.entries({ first, join, second: second || select("second").value })) select(id).value = value;
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls [data-for]"))) {
    field.hidden = !(field.dataset.for ?? "").split(" ").some((when) => [...answer.pattern.split(" "), state.alone ? "alone" : "run", answer.axes.sequence && "batch", !state.alone && `show-${state.show}`].includes(when));
  }
  if (answer.axes.sequence) page.options("sequence", Array.from({ length: answer.axes.sequence.size }, (_, i) => String(i)));
  if (answer.axes.head) page.options("head", Array.from({ length: answer.axes.head.size }, (_, i) => String(i)));
  if (answer.model) page.options("layer", Array.from({ length: layersOf(answer.stack) }, (_, i) => String(i)), String(answer.layer));
  for (const name of ["prefix", "window", "dilation", "block"]) document.querySelector(`[name="${name}"]`)?.setAttribute("max", String(answer.length));
  document.querySelector('[name="columns"]')?.setAttribute("placeholder", String(answer.columns));
}

/** @param {string} stack @returns {number} */
const layersOf = (stack) => card.config[`n_${stack}_layers`];

/** @param {string} selector @param {string} sentence */
const say = (selector, sentence) => Object.assign(/** @type {HTMLElement} */ (document.querySelector(selector)), { textContent: sentence });

/** @param {string} id */
const select = (id) => /** @type {HTMLSelectElement} */ (document.getElementById(id));

/** What the three lists say together, "causal and block"; another mask starts unpainted. */
function choose() {
  const [first, join, second] = ["first", "join", "second"].map((id) => select(id).value);
  const pattern = join ? `${first} ${join} ${second}` : first;
  const onGrid = pattern.includes("window_2d") && !page?.state.alone;
  page?.set({ pattern, flip: NONE, ...(onGrid ? GRID : {}) });
}

for (const id of ["first", "join", "second"]) select(id).addEventListener("change", choose);
document.getElementById("wipe")?.addEventListener("click", () => page?.set({ flip: NONE }));

start({ load: (state, ask) => load(state, ask), draw, keys: { play: () => paintPointed() } });
