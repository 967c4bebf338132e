// The positions page: what a scheme tells, and beside it one of five views.

import { input, reads, whole } from "../address.js";
import { palette } from "../draw/colours.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { showFacts } from "./facts.js";
import * as shift from "./positions-shift.js";
import { parseChannels, tablePicture, withChannel } from "./positions-table.js";

/** @typedef {Record<string, string>} State */

const table = figure("table");
const view = figure("view");

/** The parameters that are a scheme's own. @type {Record<string, string[]>} */
const OWN = { sine: ["period"], sinusoidal: ["base"], learned: ["seed"], shaw: ["most"], t5: ["heads", "most"], rope: ["base"], alibi: ["heads"] };

/** The views, each in a module of its own that comes when it is asked for, and the tensors it draws, no more: they are large. @type {Record<string, string[]>} */
const NAMES = { shift: ["wavelength", "shift_error"], similarity: ["similarity"], norms: [], twice: ["identifier_norm", "profile"], board: ["identifier_norm"] };

/** @param {State} state */
const addsNumbers = ({ scheme }) => ["t5", "alibi"].includes(scheme);

/** A table with a vector for each position can be drawn out or pressed together. @param {State} state */
const isBetween = ({ scheme, interpolated }) => interpolated !== "" && !["shaw", "t5", "rope", "alibi"].includes(scheme);

/** One map shifts every position where there are waves. @param {State} state */
const waves = ({ scheme }) => scheme === "sinusoidal" || (scheme === "own" && card.config.positions === "sinusoidal");

/** @param {State} state */
function viewOf(state) {
  const { show, scheme } = state;
  const alone = isBetween(state) && !["similarity", "norms"].includes(show);
  const missing = alone || (show === "shift" && !waves(state)) || (scheme === "own" && ["twice", "board"].includes(show));
  return show in NAMES && !missing ? show : "similarity";
}

/** @param {State} state */
const question = (state) => ({ ...askedFor(state), names: [addsNumbers(state) ? "bias" : "encoding", ...NAMES[viewOf(state)]].join(",") });

/** @param {State} state */
function askedFor(state) {
  const { scheme, length, d_model } = state;
  const interpolated = isBetween(state) ? state.interpolated : "";
  if (scheme === "own") return { ...input(state), length: reads(card) === "image" ? "" : length, interpolated }; // patches are as many as they are
  const own = Object.fromEntries((OWN[scheme] ?? []).map((name) => [name, state[name]]));
  const head = addsNumbers(state) ? { head: String(whole(state.head, 0, whole(state.heads, 1, 64) - 1)) } : {};
  return { scheme, length, d_model, ...own, ...head, interpolated, board: viewOf(state) === "board" ? "true" : "" };
}

/** @param {State} state */
const lengths = (state) => ({ ...input(state), names: ["position_norm", ...(card.family === "prefix" ? ["text"] : reads(card) === "source" ? ["source", "target"] : [reads(card)]).map((name) => `token_norm.${name}`)].join(",") });

/** The table asked for; for the norms also the model's own. @param {State} state @param {import("../page.js").Ask} ask */
async function load(state, ask) {
  const name = viewOf(state);
  const [answer, own, drawn] = await Promise.all([ask("positions", question(state)), name === "norms" ? ask("positions", lengths(state)) : null, name === "shift" ? shift : import(`./positions-${name}.js`)]);
  return { answer, own, picture: drawn.view };
}

/** @param {any} loaded @param {State} state @param {import("../page.js").Page} page */
function draw({ answer, own, picture }, state, page) {
  const colours = palette();
  const { length } = answer;
  const channels = parseChannels(state.channels, answer.tensors.encoding?.shape[1] ?? 0);
  const position = whole(state.position, 0, length - 1);
  const offset = whole(state.offset, 1, Math.max(1, length - 1 - position));
  const head = whole(state.head, 0, (answer.heads ?? 1) - 1);
  const name = viewOf(state);
  showControls(state, name, length, position);
  document.querySelector('[name="most"]')?.setAttribute("placeholder", answer.most ?? "");
  document.querySelector(".pair")?.toggleAttribute("data-one", name === "board");
  if (name !== "board") drawTable({ answer, state, page, colours, channels, position, head });
  const shown = picture({ answer, own, head, channels, position, offset, size: view.size(), colours });
  Object.assign(/** @type {HTMLElement} */ (view.element.querySelector("h2")), { textContent: shown.title });
  Object.assign(/** @type {HTMLElement} */ (view.element.querySelector(".figure-head span")), { textContent: shown.caption });
  const from = name === "norms" ? own : answer;
  const { shape } = from.tensors[shown.tensor];
  view.show({ scene: shown.scene, table: shown.table, call: ["positions", name === "norms" ? lengths(state) : question(state)], answer: from, kind: from.kinds?.[shown.tensor] ?? from.kind, shape: shown.shape ?? `[${shape.join(", ")}]` });
  const { pick } = shown;
  walkable(view.canvas(), {
    rows: shown.rows, columns: shown.columns, box: shown.box, at: shown.at, say: shown.say,
    onPeek: (cell) => say("#view-at", cell ? shown.say(cell) : ""), onPick: pick && ((cell) => page.set(pick(cell))),
  });
  showFacts(/** @type {HTMLElement} */ (document.getElementById("facts")), from.facts, shown.facts);
  showProse(name, from.relative ? "relative" : from.scheme);
  /** @type {HTMLElement} */ (document.getElementById("between")).hidden = from.interpolated === undefined;
}

/** The words of this view and this scheme. @param {string} name @param {string} scheme */
function showProse(name, scheme) {
  for (const words of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".beside :is([data-view], [data-scheme])"))) {
    const { view: of = name, scheme: schemes = scheme } = words.dataset;
    words.hidden = !of.split(" ").includes(name) || !schemes.split(" ").includes(scheme);
  }
}

/** @param {any} about */
function drawTable({ answer, state, page, colours, channels, position, head }) {
  const told = toldBy(answer, channels, position, head);
  const { title, row, column, first, encoding } = told;
  const { shape } = answer.tensors[told.tensor];
  const picture = tablePicture(told, table.size(), colours);
  const names = (/** @type {number} */ n, from = 0) => Array.from({ length: n }, (_, i) => String(i + from));
  Object.assign(/** @type {HTMLElement} */ (table.element.querySelector("h2")), { textContent: title });
  Object.assign(/** @type {HTMLElement} */ (table.element.querySelector(".figure-head span")), { textContent: `below, single ${row}s as curves` });
  Object.assign(/** @type {HTMLElement} */ (table.element.querySelector(".formula")), { hidden: answer.scheme !== "sinusoidal" });
  table.show({ scene: picture.scene, call: ["positions", question(state)], answer, kind: answer.kinds?.encoding ?? answer.kind, shape: `[${shape.join(", ")}]`, table: matrixTable(title, `${column} \\ ${row}`, names(encoding.length, first), names(encoding[0].length), encoding) });
  const sentence = (/** @type {{row: number, column: number}} */ { row: r, column: c }) => `${column} ${c + first}, ${row} ${r}: ${number(encoding[c][r])}`;
  const choose = row === "head" ? "choose a row: its head is laid out beside" : "choose a row: its channel becomes a curve";
  const picked = (/** @type {{row: number, column: number}} */ { row: r, column: c }) => (row === "head" ? { head: String(r) } : { channels: withChannel(channels, r).join(",") || "none", ...(column === "position" ? { position: String(c) } : {}) });
  walkable(table.canvas(), {
    rows: encoding[0].length, columns: encoding.length, box: picture.box, at: picture.at, say: (cell) => `${sentence(cell)}. Enter chooses the ${row}.`,
    onPeek: (cell) => say("#table-at", cell ? sentence(cell) : choose),
    onPick: (cell) => page.set(picked(cell)),
  });
  say("#table-at", choose);
}

/** What is drawn on the left: vectors of positions, vectors of offsets, or the heads' numbers for offsets. @param {any} answer @param {number[]} channels @param {number} position @param {number} head */
function toldBy(answer, channels, position, head) {
  const { bias, encoding } = answer.tensors;
  const first = 1 - answer.length;
  if (bias) {
    const heads = bias.data.length;
    const byOffset = bias.data[0].map((/** @type {number} */ _, /** @type {number} */ k) => bias.data.map((/** @type {number[]} */ row) => row[k]));
    return { tensor: "bias", title: "A number for every offset", encoding: byOffset, channels: heads > 8 ? [head] : bias.data.map((/** @type {any} */ _, /** @type {number} */ h) => h), position: answer.length - 1, row: "head", column: "offset", quantity: "bias", first };
  }
  if (encoding.axes[0] === "offset") return { tensor: "encoding", title: "A vector for every offset", encoding: encoding.data, channels, position: answer.length - 1, row: "channel", column: "offset", quantity: "a", first };
  const turns = answer.how === "turns queries and keys";
  return { tensor: "encoding", title: turns ? "Angles for every position" : "A vector for every position", encoding: encoding.data, channels, position, row: "channel", column: "position", quantity: turns ? "cos, sin" : "PE", first: 0 };
}

/** Only the controls that mean something now, within what there is, and the choice that is drawn. @param {State} state @param {string} name @param {number} length @param {number} position */
function showControls(state, name, length, position) {
  const now = [state.scheme, `show-${name}`, ...(waves(state) ? ["waves"] : [])];
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls [data-for]"))) field.hidden = !(field.dataset.for ?? "").split(" ").some((word) => now.includes(word));
  const choice = /** @type {HTMLInputElement | null} */ (document.querySelector(`[name="show"][value="${name}"]`));
  if (choice) choice.checked = true;
  document.querySelector('[name="position"]')?.setAttribute("max", String(length - 1));
  document.querySelector('[name="offset"]')?.setAttribute("max", String(Math.max(1, length - 1 - position)));
}

/** @param {string} selector @param {string} sentence */
const say = (selector, sentence) => Object.assign(/** @type {HTMLElement} */ (document.querySelector(selector)), { textContent: sentence });

start({ load, draw });
