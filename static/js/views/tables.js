// The page of tables: a row whose values can be changed, what its columns read of one another, and what the model says of it.

import { palette } from "../draw/colours.js";
import { weight } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { start } from "../page.js";
import { chances, map, read, reads, rows, written } from "./tables-figures.js";
import { whole } from "./whole.js";

/** @typedef {Record<string, string>} State */

const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const shown = JSON.parse(by("shown").textContent ?? "");
const FIELD = shown.own ? "row" : "penguin"; // a row of one's own, where the bar is about a model of something else
const DRAWINGS = by("rows") ? { reads, map, rows } : { reads, map };
const frames = Object.fromEntries(Object.keys(DRAWINGS).map((id) => [id, figure(id)]));
const values = () => /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ ([...document.querySelectorAll("[data-column]")]);

/** @param {State} state */
const question = (state) => ({ model: shown.id, row: state[FIELD] });

/** @type {import("../page.js").Page} */ let page;
/** @type {number} */ let tokens = 1;

start({
  load: async (state, ask) => {
    const [attention, logits] = await Promise.all([ask("attention", question(state)), ask("logits", question(state))]);
    return { attention, logits };
  },
  draw({ attention, logits }, state, here) {
    page = here;
    tokens = attention.axes.row.size;
    const layers = Object.keys(attention.tensors).filter((name) => name.endsWith(".attention.pattern")).length;
    const place = { layer: whole(state.layer, 0, layers - 1), head: whole(state.head, 0, attention.axes.head.size - 1), query: whole(state.query, 0, tokens - 1) };
    const labels = attention.axes.row.labels;
    for (const [id, draw] of Object.entries(DRAWINGS)) {
      const drawn = draw(attention, place, { ...frames[id].size(), colours: palette() });
      frames[id].show({ scene: drawn.scene, table: drawn.table, call: ["attention", question(state)], answer: attention });
      walkable(frames[id].canvas(), { rows: drawn.rows, columns: drawn.columns, box: drawn.box, at: drawn.at, say: drawn.say, onPeek: (cell) => (by("readout").textContent = cell ? drawn.say(cell) : said(attention, place)), onPick: ({ row }) => page.set(id === "map" ? { query: String(row) } : { layer: String(Math.floor(row / drawn.heads)), head: String(row % drawn.heads) }) });
    }
    by("readout").textContent = said(attention, place);
    by("reads-title").textContent = `What ${labels[place.query]} reads, in every head`;
    by("map-title").textContent = `Layer ${place.layer}, head ${place.head}: what columns read of one another`;
    fill(read(attention.input.row));
    tell(logits);
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-about]"))) link.href = `/tables?model=${link.dataset.about}&row=${encodeURIComponent(attention.input.row)}`;
  },
  keys: { step: (by) => page?.set({ query: String(whole(String(Number(page.state.query) + by), 0, tokens - 1)) }) },
});

/** @param {any} attention @param {{layer: number, head: number, query: number}} place */
const said = (attention, place) => reads(attention, place, { width: 300, height: 200, colours: palette() }).said;

/** What stands in the row, but where somebody is typing. @param {State} row */
function fill(row) {
  for (const field of values()) if (field !== document.activeElement || field.tagName === "SELECT") field.value = row[field.dataset.column ?? ""] ?? "";
}

/** @param {any} logits */
function tell(logits) {
  const rows = chances(logits).flatMap((/** @type {{name: string, value: number, most: boolean}} */ { name, value, most }) => {
    const [term, told, bar] = [document.createElement("dt"), document.createElement("dd"), document.createElement("span")];
    term.textContent = name;
    term.classList.toggle("most", most);
    bar.style.width = `${value * 100}%`;
    told.append(bar, Object.assign(document.createElement("strong"), { textContent: weight(value, 3) }));
    return [term, told];
  });
  by("chances").replaceChildren(...rows);
}

for (const field of values())
  field.addEventListener("change", () => page?.set({ [FIELD]: written(values().map((one) => [one.dataset.column ?? "", one.value])) }));
