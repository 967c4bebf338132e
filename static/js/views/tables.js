// The page of tables: a row whose values can be changed, what its columns read of one another, and what the model says of it.

import { rooted, whole } from "../address.js";
import { palette } from "../draw/palette.js";
import { change, weight } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { card, start } from "../page.js";
import { chances, changes, map, reads, rows, written } from "./tables-figures.js";

/** @typedef {Record<string, string>} State */

const by = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const DRAWINGS = by("rows") ? { reads, map, rows } : { reads, map };
const frames = Object.fromEntries(Object.keys(DRAWINGS).map((id) => [id, figure(id)]));
const MUCH = 0.1;
const values = () => /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ ([...document.querySelectorAll("[data-column]")]);

/** @param {State} state @returns {[string, State]} */
const call = (state) => ["tables", { model: card.id, row: state.row }];

/** @type {import("../page.js").Page} */ let page;
/** @type {number} */ let tokens = 1;

start({
  load: (state, ask) => ask(...call(state)),
  draw(answer, state, here) {
    page = here;
    const { row, layer, head } = answer.axes;
    tokens = row.size;
    const place = { layer: whole(state.layer, 0, layer.size - 1), head: whole(state.head, 0, head.size - 1), query: whole(state.query, 0, tokens - 1) };
    for (const [id, draw] of Object.entries(DRAWINGS)) {
      const drawn = draw(answer, place, { ...frames[id].size(), colours: palette() });
      frames[id].show({ scene: drawn.scene, table: drawn.table, call: call(state), answer, shape: drawn.shape });
      walkable(frames[id].canvas(), { rows: drawn.rows, columns: drawn.columns, box: drawn.box, at: drawn.at, say: drawn.say, onPeek: (cell) => (by("readout").textContent = cell ? drawn.say(cell) : said(answer, place)), onPick: ({ row }) => page.set(id === "map" ? { query: String(row) } : { layer: String(Math.floor(row / drawn.heads)), head: String(row % drawn.heads) }) });
    }
    by("readout").textContent = said(answer, place);
    by("reads-title").textContent = `What ${row.labels[place.query]} reads, in every head`;
    by("map-title").textContent = `Layer ${place.layer}, head ${place.head}`;
    fill(answer.columns);
    tell(answer);
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = document.querySelectorAll("[data-about]");
    const shown = encodeURIComponent(answer.input.row);
    for (const link of links) link.href = rooted(`/tables?model=${link.dataset.about}&row=${shown}`);
  },
  keys: { step: (by) => page?.set({ query: String(whole(String(Number(page.state.query) + by), 0, tokens - 1)) }) },
});

/** @param {any} answer @param {{layer: number, head: number, query: number}} place */
const said = (answer, place) => reads(answer, place, { width: 300, height: 200, colours: palette() }).said;

/** What stands in the row, but where somebody is typing. @param {{name: string, value: string | number | null}[]} columns */
function fill(columns) {
  const row = Object.fromEntries(columns.map(({ name, value }) => [name, String(value ?? "")]));
  for (const field of values()) if (field !== document.activeElement || field.tagName === "SELECT") field.value = row[field.dataset.column ?? ""];
}

/** The answer, and beside each value what clearing it does to the answer. @param {any} answer */
function tell(answer) {
  const without = changes(answer);
  for (const field of values()) {
    const place = /** @type {HTMLElement} */ (field.closest("label")?.querySelector("output"));
    const by = without[field.dataset.column ?? ""];
    place.textContent = by === undefined ? "" : change(by);
    place.classList.toggle("much", Math.abs(by ?? 0) >= MUCH);
  }
  by("answer").textContent = answer.says.class;
  const rows = chances(answer).flatMap(({ name, value, most }) => {
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
  field.addEventListener("change", () => page?.set({ row: written(values().map((one) => [one.dataset.column ?? "", one.value])) }));
