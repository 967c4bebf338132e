// The three figures of the attention page: all heads, one head's map, and its token lines with the chosen query's row.

import { ask } from "../api.js";
import { probability } from "../draw/colours.js";
import { palette } from "../draw/palette.js";
import { visible, weight } from "../draw/text.js";
import { walkable } from "../draw/walk.js";
import { figure } from "../figure.js";
import { showFigure } from "../figures/figure.js";
import { cellBox } from "../figures/show.js";
import { presenting } from "../page.js";
import * as tokenLines from "./attention-lines.js";
import { allHeads, cellWords, entropyWords, groups, headRow, headWords, question, strongest, tokens } from "./attention-maps.js";
import * as heads from "./attention-mosaic.js";

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

export const mapStage = () => mapFigure.stage;
export const underPointer = () => [mapFigure, linesFigure].some(({ stage }) => stage.matches(":hover"));

/** Says what a cell holds, under the map. */
export const say = (view, query, key) => (document.getElementById("map-readout").textContent = cellWords(view, query, key));

/** @param {any} view @param {{choose: (changes: {query: string, key?: string}) => void, explain: (query: number, key: number) => void}} actions */
export function drawMap(view, { choose, explain }) {
  const { staged, drawn, state, chosen } = view;
  if (!mapFigure.size().width) return;
  const { map, head, stage, values, group } = chosen;
  showFigure(mapFigure.element, drawn, {
    call: ["attention", question(state, chosen)],
    drawn: ["attention/figures/map", question(state, chosen)],
    answer: staged,
    below: palette().tick * 2,
    point: ({ row, at }) => choose({ query: String(row), key: String(at) }),
    enter: ({ row, at }) => explain(row, at),
  });
  document.getElementById("map-title").textContent = `${group.title}, layer ${map.layer}, head ${head}`;
  showFormula(stage);
  mark(chosen);
  say(view, chosen.query, chosen.key ?? strongest(values[chosen.query]));
}

/** A frame round the chosen row and cell. */
function mark({ query, key }) {
  const position = (name, { x, y, width, height }) => Object.assign(document.getElementById(name).style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  const { y, height, box } = cellBox(mapFigure.stage, query, 0);
  position("mark-row", { x: 0, y, width: box.x + box.width, height });
  document.getElementById("mark-row").hidden = false;
  document.getElementById("mark-cell").hidden = key === null;
  if (key !== null) position("mark-cell", cellBox(mapFigure.stage, query, key));
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
