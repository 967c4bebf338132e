// The positions page: the table a scheme gives out, its channels as curves, and what the table can do.

import { palette } from "../draw/colours.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { start } from "../page.js";
import { showFacts } from "./facts.js";
import { parseChannels, tablePicture, withChannel } from "./positions-table.js";
import { VIEWS } from "./positions-views.js";
import { whole } from "./whole.js";

/** @typedef {Record<string, string>} State */

const FACTS = {
  similarity: { squared_norm: "|PE|²", offset_spread: "Spread over p", oddness: "Forward less back", rises: "Offsets where it rises again" },
  shift: { shift_error: "Largest error, float64", shift_error_float32: "The same, float32", shift_crookedness: "Mₖᵀ Mₖ misses 1 by", shortest_wavelength: "Shortest wave", longest_wavelength: "Longest wave" },
  norms: { squared_norm: "|PE|²", largest_value: "Largest number", change_with_length: "Change with length", nearest_distance: "Nearest two positions" },
};

const table = figure("table");
const view = figure("view");

/** @param {State} state */
const aboutModel = ({ model, source, target, text }) => ({ model, source, target, text });

/** What the chosen view draws, and no more: the tables are large. @type {Record<string, string>} */
const NAMES = { shift: "encoding,wavelength,shift_error", similarity: "encoding,similarity", norms: "encoding" };

/** @param {State} state */
const viewOf = ({ show, scheme }) => (show === "shift" && scheme === "none" ? "similarity" : show in NAMES ? show : "similarity");

/** @param {State} state */
const question = (state) => ({ ...askedFor(state), names: NAMES[viewOf(state)] });

/** @param {State} state */
const askedFor = (state) => (state.scheme === "own" ? { ...aboutModel(state), length: state.length } : { scheme: state.scheme, length: state.length, d_model: state.d_model, base: state.scheme === "sinusoidal" ? state.base : "" });

/** @param {State} state */
const lengths = (state) => ({ ...aboutModel(state), names: ["position_norm", ...(state.text ? ["token_norm.text"] : ["token_norm.source", "token_norm.target"])].join(",") });

/** The table asked for; for the norms also the model's own. @param {State} state @param {import("../page.js").Ask} ask */
async function load(state, ask) {
  const [answer, own] = await Promise.all([ask("positions", question(state)), viewOf(state) === "norms" ? ask("positions", lengths(state)) : null]);
  return { answer, own };
}

/** @param {any} loaded @param {State} state @param {import("../page.js").Page} page */
function draw({ answer, own }, state, page) {
  const colours = palette();
  const [length, width] = answer.tensors.encoding.shape;
  const channels = parseChannels(state.channels, width);
  const position = whole(state.position, 0, length - 1);
  const offset = whole(state.offset, 1, Math.max(1, length - 1 - position));
  showControls(state, length, position);
  drawTable({ answer, state, page, colours, channels, position });
  const name = /** @type {keyof typeof VIEWS} */ (viewOf(state));
  const shown = VIEWS[name]({ answer, own, channels, position, offset, size: view.size(), colours });
  Object.assign(/** @type {HTMLElement} */ (view.element.querySelector("h2")), { textContent: shown.title });
  Object.assign(/** @type {HTMLElement} */ (view.element.querySelector(".figure-head span")), { textContent: shown.caption });
  const from = name === "norms" ? own : answer;
  const { shape } = from.tensors[shown.tensor];
  view.show({ scene: shown.scene, table: shown.table, call: ["positions", name === "norms" ? lengths(state) : question(state)], answer: from, kind: from.kinds?.[shown.tensor] ?? from.kind, shape: `[${shape.join(", ")}]` });
  const { pick } = shown;
  walkable(view.canvas(), {
    rows: shown.rows, columns: shown.columns, box: shown.box, at: shown.at, say: shown.say,
    onPeek: (cell) => say("#view-at", cell ? shown.say(cell) : ""), onPick: pick && ((cell) => page.set(pick(cell))),
  });
  showFacts(/** @type {HTMLElement} */ (document.getElementById("facts")), from.facts, FACTS[name]);
  for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".beside [data-view]"))) section.hidden = section.dataset.view !== name;
}

/** @param {any} about */
function drawTable({ answer, state, page, colours, channels, position }) {
  const encoding = answer.tensors.encoding.data;
  const [length, width] = answer.tensors.encoding.shape;
  const picture = tablePicture({ encoding, channels, position }, table.size(), colours);
  const names = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => String(i));
  table.show({ scene: picture.scene, call: ["positions", question(state)], answer, kind: answer.kinds?.encoding ?? answer.kind, shape: `[${length}, ${width}]`, table: matrixTable("Encoding", "position \\ channel", names(length), names(width), encoding) });
  const sentence = (/** @type {{row: number, column: number}} */ { row, column }) => `position ${column}, channel ${row}: ${number(encoding[column][row])}`;
  walkable(table.canvas(), {
    rows: width, columns: length, box: picture.box, at: picture.at, say: (cell) => `${sentence(cell)}. Enter draws the channel.`,
    onPeek: (cell) => say("#table-at", cell ? sentence(cell) : CHOOSE),
    onPick: ({ row, column }) => page.set({ channels: withChannel(channels, row).join(",") || "none", position: String(column) }),
  });
  say("#table-at", CHOOSE);
}

const CHOOSE = "choose a row: its channel becomes a curve";

/** Only the controls that mean something now, within what there is. @param {State} state @param {number} length @param {number} position */
function showControls(state, length, position) {
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls [data-for]"))) field.hidden = !(field.dataset.for ?? "").split(" ").includes(state.scheme);
  document.querySelector('[name="position"]')?.setAttribute("max", String(length - 1));
  document.querySelector('[name="offset"]')?.setAttribute("max", String(Math.max(1, length - 1 - position)));
}

/** @param {string} selector @param {string} sentence */
const say = (selector, sentence) => Object.assign(/** @type {HTMLElement} */ (document.querySelector(selector)), { textContent: sentence });

start({ load, draw });
