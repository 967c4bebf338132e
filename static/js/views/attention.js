// The attention page: all heads at a glance, one head as map and token lines, one number with its derivation.

import { input } from "../address.js";
import { card, start } from "../page.js";
import { drawHeads, drawLines, drawMap, mapStage, say, underPointer } from "./attention-figures.js";
import { allHeads, bestHead, place, question, resolve, shownValues, withHead } from "./attention-maps.js";

const REST = 300;
const KINDS = { attention: "self", cross_attention: "cross", row_attention: "rows" };

const layoutBox = document.querySelector(".figures");

/** The derivation panel and the way to it; their code comes when they are first asked for. */
let derivation;
const explaining = () => import("./explain.js");

async function derive(chosen, state, ask) {
  const explain = await explaining();
  derivation ??= explain.panel(document.getElementById("derivation"), { go: (trail) => show(trail) });
  return explain.derive(explain.rooted(state.explain, place(chosen)), ask, input(state));
}

/** Of an image the chosen row lies over it too. */
const over = document.getElementById("over") && (await import("./attention-over.js")).drawOver;

/** The page, once it has drawn; what it drew; and a choice that is on its way to the address. */
let page;
let view;
let peek = {};
let resting;

/** All heads come as small pictures need them, an opened one in full: its pattern, and the stage chosen. */
async function load(state, ask) {
  const rounded = await ask(...allHeads(state));
  const chosen = resolve(rounded, state);
  if (chosen.head === null) return { rounded, patterns: rounded, opened: rounded, staged: rounded, derived: null };
  const opened = await ask("attention", question(state, { ...chosen, stage: "pattern" }));
  const patterns = withHead(rounded, opened, chosen);
  const [staged, drawn, derived] = await Promise.all([
    chosen.stage === "pattern" ? opened : ask("attention", question(state, chosen)),
    ask("attention/figures/map", { ...question(state, chosen), encoding: "base64" }),
    state.explain ? derive(resolve(patterns, state), state, ask) : null,
  ]);
  return { rounded, patterns, opened, staged, drawn, derived };
}

function draw({ rounded, patterns, opened, staged, drawn, derived: steps }, state, here) {
  if (page && view && (state.query !== view.state.query || state.key !== view.state.key)) peek = {};
  page = here;
  const chosen = resolve(patterns, { ...state, ...peek });
  chosen.values = chosen.head === null ? null : shownValues(staged, chosen.map, chosen.stage);
  view = { rounded, patterns, opened, staged, drawn, derived: steps, state, chosen };
  layoutBox.dataset.mode = chosen.head === null ? "all" : steps ? "derivation" : "head";
  fillControls(view);
  drawHeads(view, openHead);
  if (chosen.head !== null) {
    drawMap(view, { choose, explain });
    drawLines(view, choose);
    if (over) over(view, choose);
  }
  if (steps) openPanel(steps);
  else derivation?.hide();
}

function fillControls({ chosen }) {
  page.options("layer", chosen.group.maps.map(({ layer }) => String(layer)), String(chosen.map.layer));
  page.options("head", [...chosen.map.heads.map((_, head) => String(head)), "all"], String(chosen.head ?? "all"));
  for (const button of document.querySelectorAll("[data-group]")) button.setAttribute("aria-pressed", String(button.dataset.group === chosen.group.id));
  for (const words of document.querySelectorAll("[data-for]")) words.hidden = words.dataset.for !== chosen.group.id;
  document.getElementById("example").textContent = page.example()?.look_for ?? "";
}

/** Draws a choice at once and writes it in the address when it has come to rest. An open derivation follows the keys, not the pointer. */
function choose(changes) {
  const { query, key } = view.chosen;
  if (view.derived && underPointer()) return say(view, Number(changes.query ?? query), Number(changes.key ?? key ?? 0));
  peek = { ...peek, ...changes };
  page.render();
  clearTimeout(resting);
  resting = setTimeout(() => page.set(peek, { push: false }), REST);
}

/** Shows a trail in the panel; an empty one closes it. */
async function show(trail, changes = {}) {
  const { write } = await explaining();
  clearTimeout(resting);
  const { query, key } = view.chosen;
  page.set({ query: String(query), key: key === null ? "" : String(key), ...changes, explain: write(trail) });
  wanted = trail.length;
  if (!trail.length) mapStage().focus();
}

/** The length of the trail that takes the focus when it arrives; 0 for none. */
let wanted = 0;

function openPanel(steps) {
  derivation.show(steps);
  if (wanted === steps.trail.length) {
    wanted = 0;
    derivation.focus();
  }
}

function up() {
  const trail = view.derived?.trail;
  if (trail) show(trail.slice(0, -1));
  else if (view.chosen.head !== null) page.set({ head: "all" });
}

function step(by) {
  const { query, values } = view.chosen;
  if (values) choose({ query: String(Math.min(Math.max(query + by, 0), values.length - 1)) });
}

const openHead = (map, head) => page.set({ kind: map.kind, stack: map.stack, layer: String(map.layer), head: String(head) });
const explain = (query, key) => show([place({ ...view.chosen, query, key })], { query: String(query), key: String(key) });
const open = () => (view.chosen.head === null ? page.set({ head: "0" }) : show([place(view.chosen)], { key: String(place(view.chosen).at[2]) }));

for (const button of document.querySelectorAll("[data-group]")) {
  const [stack, sublayer] = button.dataset.group.split(".");
  button.addEventListener("click", () => page.set({ stack, kind: KINDS[sublayer], explain: view.derived ? page.state.explain.split("*")[0] : "" }));
}

/** The opening head is the one that the model's card measured to do best what heads are measured by. */
function openOnTheBestHead() {
  const { config, quality } = card;
  const layers = config.n_decoder_layers || config.n_encoder_layers;
  const { layer, head } = bestHead(quality, layers);
  for (const [name, size, value] of [["layer", layers, layer], ["head", config.n_heads, head]]) {
    const choices = Array.from({ length: size }, (_, i) => new Option(String(i), String(i), i === value, i === value));
    document.querySelector(`select[name="${name}"]`).replaceChildren(...choices, ...(name === "head" ? [new Option("all", "all")] : []));
  }
}

openOnTheBestHead();
start({ load, draw, keys: { up, step, open } });
