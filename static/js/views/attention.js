// The attention page: all heads at a glance, one head as map and token lines, one number with its derivation.

import { presenting } from "../appearance.js";
import { largest, palette, probability, signed } from "../draw/colours.js";
import { matrixTable } from "../draw/table.js";
import { number, visible, weight } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { cards, start } from "../page.js";
import { cellAt, cellBox, frame, picture } from "./attention-heatmap.js";
import * as tokenLines from "./attention-lines.js";
import { bestHead, groups, resolve, shownValues, strongest } from "./attention-maps.js";
import * as heads from "./attention-mosaic.js";
import { swap } from "./attention-plotly.js";
import { derive, panel } from "./explain.js";
import { read, same, upTo, write } from "./explain-trail.js";

const REST = 300;
const LEAST = 10;
const UNITS = { pattern: "weight", masked_scores: "score", scores: "score" };

const [mosaicFigure, mapFigure, linesFigure] = ["heads", "map", "lines"].map(figure);
const layoutBox = document.querySelector(".figures");
const derivation = panel(document.getElementById("derivation"), { go: (trail) => show(trail) });

/** The page, once it has drawn; what it drew; and a choice that is on its way to the address. */
let page;
let view;
let peek = {};
let resting;

const input = ({ model, source, target, text }) => ({ model, source, target, text });
const question = (state, { group, map, stage }) => ({ ...input(state), kind: group.kind, stack: group.stack, layer: map.layer, stage });

async function load(state, ask) {
  const patterns = await ask("attention", input(state));
  const chosen = resolve(patterns, state);
  const [staged, derived] = await Promise.all([
    chosen.stage === "pattern" ? patterns : ask("attention", question(state, chosen)),
    state.explain && chosen.head !== null ? derive(rooted(read(state.explain), chosen), ask, input(state)) : null,
  ]);
  return { patterns, staged, derived };
}

/** The trail as it is, when it starts at the chosen cell; else a new one from there: the derivation follows the head and the query. */
function rooted(trail, chosen) {
  const root = place(chosen);
  return trail.length && same(trail[0], root) ? trail : [root];
}

const place = ({ map, stage, head, query, key, values }) => ({ name: `${map.name}.${stage}`, at: [head, query, key ?? strongest(values?.[query] ?? map.heads[head][query])] });

function draw({ patterns, staged, derived }, state, here) {
  if (page && view && (state.query !== view.state.query || state.key !== view.state.key)) peek = {};
  page = here;
  const chosen = resolve(patterns, { ...state, ...peek });
  chosen.values = chosen.head === null ? null : shownValues(staged, chosen.map, chosen.head, chosen.stage);
  view = { patterns, staged, derived, state, chosen };
  layoutBox.dataset.mode = chosen.head === null ? "all" : derived ? "derivation" : "head";
  fillControls(view);
  drawMosaic(view);
  if (chosen.head !== null) {
    drawMap(view);
    drawLines(view);
  }
  if (derived) openPanel(derived);
  else derivation.hide();
}

function fillControls({ patterns, chosen }) {
  const all = groups(patterns);
  page.options("layer", chosen.group.maps.map(({ layer }) => String(layer)));
  page.options("head", [...chosen.map.heads.map((_, head) => String(head)), "all"]);
  for (const button of document.querySelectorAll("[data-group]")) {
    button.hidden = !all.some((group) => group.id === button.dataset.group);
    button.setAttribute("aria-pressed", String(button.dataset.group === chosen.group.id));
  }
  for (const words of document.querySelectorAll("[data-for]")) words.hidden = words.dataset.for !== chosen.group.id;
  const example = page.card?.examples?.find(({ input: of }) => Object.entries(of).every(([name, value]) => page.state[name] === value));
  document.getElementById("example").textContent = example?.look_for ?? "";
}

function drawMosaic({ patterns, state, chosen }) {
  const { width, height } = mosaicFigure.size();
  if (!width) return;
  const colours = palette();
  const layout = heads.arrange(groups(patterns), width, height - colours.tick * 2, colours.tick);
  const open = chosen.head === null ? null : { name: chosen.map.name, head: chosen.head };
  const all = groups(patterns).flatMap((group) => group.maps);
  const count = Math.max(...all.map((map) => map.heads.length));
  const rows = all.flatMap((map) => map.heads.map((_, head) => heads.headRow(patterns, map, head)));
  mosaicFigure.show({
    scene: heads.mosaic(patterns, layout, { width, height, palette: colours, scale: probability(colours), open }),
    table: { caption: "Every head: mean over its queries", head: ["head", "entropy in nats", "at most", "distance in positions"], rows: rows.map((row) => [`${row.name} ${row.head}`, row.entropy, row.limit, row.distance === null ? "two texts" : row.distance]) },
    call: ["attention", input(state)],
    answer: patterns,
  });
  const tile = (row, column) => layout.tiles.find((each) => each.name === all[row]?.name && each.head === column) ?? layout.tiles[0];
  walkable(mosaicFigure.canvas(), {
    rows: all.length,
    columns: count,
    box: tile,
    at: (x, y) => {
      const found = heads.tileAt(layout, x, y);
      return found && { row: all.findIndex((map) => map.name === found.name), column: found.head };
    },
    say: ({ row, column }) => headWords(patterns, all[row], column),
    onPeek: (cell) => readout("heads", cell ? entropyWords(patterns, all[cell.row], cell.column) : ""),
    onPick: ({ row, column }) => page.set({ kind: all[row].kind, stack: all[row].stack, layer: String(all[row].layer), head: String(column) }),
  });
}

const headWords = (answer, map, head) => `${groups(answer).find((group) => group.id === map.group).title}, layer ${map.layer}, head ${head}: ${entropyWords(answer, map, head)}`;

function entropyWords(answer, map, head) {
  const { entropy, limit } = heads.headRow(answer, map, head);
  return `entropy ${number(entropy, 2)} of ${number(limit, 2)} nats`;
}

/** The tokens of both axes, and what each query's position predicts. */
function tokens({ patterns, chosen }) {
  const { query, key } = chosen.map;
  const last = Object.keys(patterns.axes).filter((name) => patterns.axes[name].labels).at(-1);
  const expected = query === "target" || (query === "text" && chosen.map.stack === "decoder") ? patterns.expected : null;
  return { queries: patterns.axes[query].labels, keys: patterns.axes[key].labels, expected: last ? expected : null };
}

function drawMap(now) {
  const { staged, state, chosen } = now;
  const { width, height } = mapFigure.size();
  if (!width) return;
  const { map, head, stage, values, group } = chosen;
  const colours = palette();
  const texts = tokens(now);
  const reserve = colours.tick * 2;
  const box = frame(texts, width, height - reserve, colours.tick);
  const scale = stage === "pattern" ? probability(colours) : signed(colours, largest(staged.tensors[`${map.name}.${stage}`].data[head]));
  const content = { values, stage, unit: UNITS[stage], query: texts.expected ? `${map.query} token read, → the next one` : `${map.query} token`, key: `${map.key} token` };
  const title = `${group.title}, layer ${map.layer}, head ${head}`;
  const tensor = staged.tensors[`${map.name}.${stage}`];
  document.getElementById("map-title").textContent = title;
  showFormula(stage);
  const shown = {
    scene: picture(content, box, { palette: colours, scale }),
    table: matrixTable(`${title}: ${UNITS[stage]}`, "query \\ key", texts.queries, texts.keys, values),
    call: ["attention", { ...question(state, chosen), head }],
    answer: { ...staged, tensors: { [`${map.name}.${stage}`]: { ...tensor, shape: [1, ...tensor.shape.slice(1)], data: [tensor.data[head]] } } },
    shape: `[${texts.queries.length}, ${texts.keys.length}]`,
  };
  swap(mapFigure, shown, content, { ...box, height }, { palette: colours, scale });
  mark(box, chosen);
  readout("map", cellWords(now, chosen.query, chosen.key ?? strongest(values[chosen.query])));
  walkable(mapFigure.canvas(), {
    rows: texts.queries.length,
    columns: texts.keys.length,
    box: (row, column) => cellBox(box, row, column),
    at: (x, y) => {
      const cell = cellAt(box, x, y);
      return cell && { row: cell.query, column: cell.key };
    },
    say: ({ row, column }) => cellWords(view, row, column),
    onPeek: (cell) => cell && choose({ query: String(cell.row), key: String(cell.column) }),
    onPick: ({ row, column }) => show([place({ ...view.chosen, query: row, key: column })], { query: String(row), key: String(column) }),
  });
}

function cellWords(now, query, key) {
  const { queries, keys, expected } = tokens(now);
  const { stage, values } = now.chosen;
  const value = values[query][key];
  const next = expected ? ` (next: ${visible(expected[query])})` : "";
  const amount = value === null ? "masked" : `${stage === "pattern" ? "weight" : "score"} ${number(value)}`;
  return `${visible(queries[query])}${next} → ${visible(keys[key])}: ${amount}`;
}

/** A frame round the chosen row and cell, over the canvas and over Plotly alike. */
function mark(box, { query, key }) {
  const row = cellBox(box, query, 0);
  const position = (name, x, y, width, height) => Object.assign(document.getElementById(name).style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  position("mark-row", box.size * 1.5, row.y, box.left + box.inner.width - box.size * 1.5, row.height);
  document.getElementById("mark-cell").hidden = key === null;
  if (key !== null) position("mark-cell", cellBox(box, query, key).x, row.y, row.width, row.height);
}

function showFormula(stage) {
  const [from, to] = [document.querySelector(`[data-formula="${stage}"]`), mapFigure.element.querySelector(".formula")];
  if (to.dataset.stage !== stage) to.replaceChildren(from.firstElementChild.cloneNode(true));
  to.dataset.stage = stage;
}

function drawLines(now) {
  const { patterns, state, chosen } = now;
  const { width, height } = linesFigure.size();
  if (!width) return;
  const { map, head, query, key, threshold, stage, values } = chosen;
  const texts = tokens(now);
  const colours = palette();
  const layout = tokenLines.arrange({ ...texts, heads: map.heads.length }, width, height, colours.tick, presenting() ? colours.tick : LEAST);
  const row = { heads: map.heads, head, row: values[query], stage, query, key, threshold };
  document.getElementById("lines-title").textContent = `Query “${visible(texts.queries[query])}”`;
  linesFigure.show({
    scene: { ...tokenLines.lines(row, layout, { width, palette: colours }), height: Math.max(height, layout.height) },
    table: {
      caption: `Row of query ${texts.queries[query]} in every head: ${weight(threshold)} of the weight is drawn as lines`,
      head: ["key", ...map.heads.map((_, each) => `head ${each}`)],
      rows: texts.keys.map((token, k) => [token, ...map.heads.map((rows) => rows[query][k])]),
    },
    call: ["attention", question(state, { ...chosen, stage: "pattern" })],
    answer: patterns,
    shape: `[${texts.keys.length}]`,
  });
  walkable(linesFigure.canvas(), {
    rows: Math.max(texts.queries.length, texts.keys.length),
    columns: 2,
    box: (i, side) => ({ x: side ? layout.to : 0, y: layout.top + i * layout.row, width: side ? width - layout.to : layout.from, height: layout.row }),
    at: (x, y) => {
      const found = tokenLines.tokenAt(layout, x, y);
      return found && { row: found.index, column: found.side === "query" ? 0 : 1 };
    },
    say: ({ row: i, column }) => (column ? cellWords(view, view.chosen.query, Math.min(i, texts.keys.length - 1)) : `query ${visible(texts.queries[Math.min(i, texts.queries.length - 1)])}`),
    onPeek: (cell) => cell && choose(cell.column ? { key: String(cell.row) } : { query: String(cell.row) }),
    onPick: ({ row: i, column }) => choose(column ? { key: String(i) } : { query: String(i) }),
  });
}

const readout = (name, words) => (document.getElementById(`${name}-readout`).textContent = words);

/** Draws a choice at once and writes it in the address when it has come to rest. An open derivation follows the keys, not the pointer. */
function choose(changes) {
  const pointer = mapFigure.stage.matches(":hover") || linesFigure.stage.matches(":hover");
  if (derivation.isOpen() && pointer) return readout("map", cellWords(view, Number(changes.query ?? view.chosen.query), Number(changes.key ?? view.chosen.key ?? 0)));
  peek = { ...peek, ...changes };
  page.render();
  clearTimeout(resting);
  resting = setTimeout(() => page.set(peek, { push: false }), REST);
}

/** Shows a trail in the panel; an empty one closes it. */
function show(trail, changes = {}) {
  clearTimeout(resting);
  const opened = trail.length > 0 && !derivation.isOpen();
  const { query, key } = view.chosen;
  page.set({ query: String(query), key: key === null ? "" : String(key), ...changes, explain: write(trail) });
  wanted = opened || trail.length > 0;
  if (!trail.length) mapFigure.canvas().focus();
}

/** Whether the next derivation that arrives takes the focus. */
let wanted = false;

function openPanel(derived) {
  derivation.show(derived);
  if (wanted && write(derived.trail) === view.state.explain) {
    wanted = false;
    derivation.focus();
  }
}

function up() {
  const trail = read(view.state.explain);
  if (view.derived) show(upTo(trail, trail.length - 2));
  else if (view.chosen.head !== null) page.set({ head: "all" });
}

function step(by) {
  const { query, values } = view.chosen;
  if (values) choose({ query: String(Math.min(Math.max(query + by, 0), values.length - 1)) });
}

const open = () => (view.chosen.head === null ? page.set({ head: "0" }) : show([place(view.chosen)], { key: String(place(view.chosen).at[2]) }));

for (const button of document.querySelectorAll("[data-group]")) {
  const [stack, sublayer] = button.dataset.group.split(".");
  button.addEventListener("click", () => page.set({ stack, kind: sublayer === "attention" ? "self" : "cross", explain: view.derived ? write([view.derived.trail[0]]) : "" }));
}

/** The opening head is the one that the model's card measured to align words best. */
function openOnTheBestHead() {
  const { config, quality } = cards[0];
  const { layer, head } = bestHead(quality?.alignment?.by_head, config.n_decoder_layers || config.n_encoder_layers);
  for (const [name, size, value] of [["layer", config.n_decoder_layers || config.n_encoder_layers, layer], ["head", config.n_heads, head]]) {
    const choices = Array.from({ length: size }, (_, i) => new Option(String(i), String(i), i === value, i === value));
    document.querySelector(`select[name="${name}"]`).replaceChildren(...choices, ...(name === "head" ? [new Option("all", "all")] : []));
  }
}

openOnTheBestHead();
start({ load, draw, keys: { up, step, open } });
