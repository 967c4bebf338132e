// The three figures of the attention page: all heads, one head's map, and its token lines with the chosen query's row.

import { ask } from "../api.js";
import { largest, palette, probability, signed } from "../draw/colours.js";
import { matrixTable } from "../draw/table.js";
import { visible, weight } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { presenting } from "../page.js";
import { cellAt, cellBox, frame, picture } from "./attention-heatmap.js";
import * as tokenLines from "./attention-lines.js";
import { allHeads, cellWords, edges, entropyWords, groups, headRow, headWords, question, strongest, tokens, UNITS } from "./attention-maps.js";
import * as heads from "./attention-mosaic.js";
import { swap } from "./attention-plotly.js";

const LEAST = 10;

const [mosaicFigure, mapFigure, linesFigure] = ["heads", "map", "lines"].map(figure);

/** @param {any} view what was asked and answered @param {(map: any, head: number) => void} open */
export function drawHeads({ rounded, patterns, state, chosen }, open) {
  const { width, height } = mosaicFigure.size();
  if (!width) return;
  const colours = palette();
  const layout = heads.arrange(groups(patterns), width, height - colours.tick * 2, colours.tick);
  const opened = chosen.head === null ? null : { name: chosen.map.name, head: chosen.head };
  const all = groups(patterns).flatMap((group) => group.maps);
  const count = Math.max(...all.map((map) => map.heads.length));
  const rows = all.flatMap((map) => map.heads.map((_, head) => headRow(patterns, map, head)));
  mosaicFigure.show({
    scene: heads.mosaic(patterns, layout, { width, height, palette: colours, scale: probability(colours), open: opened }),
    table: { caption: "Every head: mean over its queries", head: ["head", "entropy in nats", "at most", "distance in positions"], rows: rows.map((row) => [`${row.name} ${row.head}`, row.entropy, row.limit, row.distance]) },
    call: allHeads(state),
    answer: rounded,
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
    onPeek: (cell) => (document.getElementById("heads-readout").textContent = cell ? entropyWords(patterns, all[cell.row], cell.column) : ""),
    onPick: ({ row, column }) => open(all[row], column),
  });
}

export const mapCanvas = () => mapFigure.canvas();
export const underPointer = () => [mapFigure, linesFigure].some(({ stage }) => stage.matches(":hover"));

/** Says what a cell holds, under the map. */
export const say = (view, query, key) => (document.getElementById("map-readout").textContent = cellWords(view, query, key));

/** @param {any} view @param {{choose: (changes: {query: string, key?: string}) => void, explain: (query: number, key: number) => void}} actions */
export function drawMap(view, { choose, explain }) {
  const { patterns, staged, state, chosen } = view;
  const { width, height } = mapFigure.size();
  if (!width) return;
  const { map, head, stage, values, group } = chosen;
  const colours = palette();
  const texts = tokens(view);
  const reserve = colours.tick * 2;
  const box = frame(texts, width, height - reserve, colours.tick);
  const scale = stage === "pattern" ? probability(colours) : signed(colours, largest(staged.tensors[`${map.name}.${stage}`].data[0]));
  const content = { values, stage, unit: UNITS[stage], edges: edges(patterns.axes[map.key]), query: texts.expected ? `${map.query} token read, → the next one` : `${map.query} token`, key: `${map.key} token` };
  const title = `${group.title}, layer ${map.layer}, head ${head}`;
  document.getElementById("map-title").textContent = title;
  showFormula(stage);
  const shown = {
    scene: picture(content, box, { palette: colours, scale }),
    table: matrixTable(`${title}: ${UNITS[stage]}`, "query \\ key", texts.queries, texts.keys, values),
    call: ["attention", question(state, chosen)],
    answer: staged,
    shape: `[${texts.queries.length}, ${texts.keys.length}]`,
  };
  swap(mapFigure, shown, content, { ...box, height }, { palette: colours, scale });
  mark(box, chosen);
  say(view, chosen.query, chosen.key ?? strongest(values[chosen.query]));
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
    onPick: ({ row, column }) => explain(row, column),
  });
}

/** A frame round the chosen row and cell, over the canvas and over Plotly alike. */
function mark(box, { query, key }) {
  const row = cellBox(box, query, 0);
  const position = (name, x, y, width, height) => Object.assign(document.getElementById(name).style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  position("mark-row", box.size * 1.5, row.y, box.left + box.inner.width - box.size * 1.5, row.height);
  document.getElementById("mark-row").hidden = false;
  document.getElementById("mark-cell").hidden = key === null;
  if (key !== null) position("mark-cell", cellBox(box, query, key).x, row.y, row.width, row.height);
}

function showFormula(stage) {
  const [from, to] = [document.querySelector(`[data-formula="${stage}"]`), mapFigure.element.querySelector(".formula")];
  if (to.dataset.stage !== stage) to.replaceChildren(from.firstElementChild.cloneNode(true));
  to.dataset.stage = stage;
}

/** @param {any} view @param {(changes: {query?: string, key?: string}) => void} choose */
export function drawLines(view, choose) {
  const { opened, state, chosen } = view;
  const { width, height } = linesFigure.size();
  if (!width) return;
  const { map, head, query, key, threshold, stage, values } = chosen;
  const texts = tokens(view);
  const colours = palette();
  const layout = tokenLines.arrange({ ...texts, heads: map.heads.length }, width, height, colours.tick, presenting() ? colours.tick : LEAST);
  const row = { heads: map.heads, head, row: values[query], stage, query, key, threshold };
  document.getElementById("lines-title").textContent = `Query “${visible(texts.queries[query])}”`;
  linesFigure.show({
    scene: { ...tokenLines.lines(row, layout, { width, palette: colours }), height: Math.max(height, layout.height) },
    table: async () => {
      const { tensors } = await ask("attention", { ...question(state, { ...chosen, stage: "pattern" }), head: undefined });
      const heads = tensors[`${map.name}.pattern`].data;
      return {
        caption: `Row of query ${texts.queries[query]} in every head: ${weight(threshold)} of the weight is drawn as lines`,
        head: ["key", ...heads.map((_, each) => `head ${each}`)],
        rows: texts.keys.map((token, k) => [token, ...heads.map((rows) => rows[query][k])]),
      };
    },
    call: ["attention", question(state, { ...chosen, stage: "pattern" })],
    answer: opened,
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
