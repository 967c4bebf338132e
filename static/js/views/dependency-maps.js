// Three triangles side by side: how much of the stream at depth i is writer j's, one map a placement, one scale.

import { colourOf, inkOn, pixels, sequential } from "../draw/colours.js";
import { PLACEMENT, placementColour } from "../draw/placements.js";
import { cells, line, rect, scene, text } from "../draw/scene.js";
import { scaleBar } from "../draw/scalebar.js";
import { matrixTable } from "../draw/table.js";
import { weight } from "../draw/text.js";

/** "sub-layer 3, attention of layer 2". @param {number} i counted from 0 */
export const subLayer = (i) => `sub-layer ${i + 1}, ${i % 2 ? "feed-forward" : "attention"} of layer ${Math.floor(i / 2) + 1}`;

/** On a narrow screen only the map that was asked for. @param {any} answer @param {import("../clinic.js").Space} space @returns {import("../clinic.js").Drawn} */
export function maps(answer, { width, height, colours, state }) {
  const size = colours.tick;
  const all = /** @type {string[]} */ (answer.axes.placement.labels);
  const shown = width > size * 34 ? all : [state.placement];
  const names = /** @type {string[]} */ (answer.axes.sublayer.labels);
  const n = names.length;
  const values = /** @type {number[][][]} */ (answer.tensors["beta_squared.all"].data);
  const scale = sequential(colours, Math.max(...values.flat(2)), "share");
  const [left, top, gap, right] = [size * 3.4, size * 4, size * 2.4, size * 5];
  const cell = { width: Math.min((width - left - right - gap * (shown.length - 1)) / shown.length / n, size * 3), height: 0 };
  cell.height = Math.min((height - top - size * 0.5) / n, cell.width * 1.8);
  const start = (/** @type {number} */ map) => left + map * (cell.width * n + gap);
  const area = { y: top, width: cell.width * n, height: cell.height * n };
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: start(Math.floor(column / n)) + (column % n) * cell.width, y: top + row * cell.height, width: cell.width, height: cell.height });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const map = shown.findIndex((_, i) => x >= start(i) && x < start(i) + area.width);
    const row = Math.floor((y - top) / cell.height);
    return map < 0 || row < 0 || row >= n ? null : { row, column: map * n + Math.floor((x - start(map)) / cell.width) };
  };
  const of = (/** @type {{row: number, column: number}} */ { row, column }) => ({ placement: shown[Math.floor(column / n)], row, writer: column % n });
  const value = (/** @type {string} */ placement, /** @type {number} */ row, /** @type {number} */ writer) => values[all.indexOf(placement)][row][writer];
  const every = (/** @type {number} */ room) => Math.max(1, Math.ceil((size * 1.7) / room));
  const draw = (/** @type {string} */ placement, /** @type {number} */ map) => {
    const x = start(map);
    const chosen = placement === state.placement;
    const written = values[all.indexOf(placement)].map((row, i) => row.map((share, j) => (j > i ? null : share)));
    return [
      text(x, size * 0.8, PLACEMENT[placement], { fill: placementColour(colours, placement), size: colours.text, weight: chosen ? 700 : 400 }),
      ...(chosen && shown.length > 1 ? [line(x, size * 1.7, x + area.width, size * 1.7, { stroke: placementColour(colours, placement), line: 2 })] : []),
      cells(x, top, area.width, area.height, n, n, pixels(written, scale)),
      rect(x, top, area.width, area.height, { stroke: colours.rule }),
      ...names.flatMap((name, j) => (j % every(cell.width) ? [] : [text(x + (j + 0.5) * cell.width, top - 5, name, { fill: colours.inkSoft, size, font: "mono", anchor: "middle", baseline: "bottom" })])),
      ...(cell.width > size * 2.6 && cell.height > size * 1.2 ? written.flatMap((row, i) => row.flatMap((share, j) => (share === null ? [] : [text(x + (j + 0.5) * cell.width, top + (i + 0.5) * cell.height, weight(share), { fill: inkOn(colourOf(scale, share)), size, font: "mono", anchor: "middle" })]))) : []),
      text(x + area.width - 4, top + 4, "writer j", { fill: colours.inkSoft, size, font: "serif", italic: true, anchor: "end", baseline: "top" }),
    ];
  };
  const shapes = [
    text(size * 0.8, top, "depth i", { fill: colours.inkSoft, size, font: "serif", italic: true, anchor: "end", turn: -90 }),
    ...names.flatMap((name, i) => (i % every(cell.height) ? [] : [text(left - 6, top + (i + 0.5) * cell.height, name, { fill: colours.inkSoft, size, font: "mono", anchor: "end" })])),
    ...shown.flatMap(draw),
    ...scaleBar({ scale, colours, x: start(shown.length - 1) + area.width + size * 1.2, y: top, height: area.height }),
  ];
  const say = (/** @type {{row: number, column: number}} */ place) => {
    const { placement, row, writer } = of(place);
    if (writer > row) return `${PLACEMENT[placement]}: after ${subLayer(row)}, sub-layer ${writer + 1} has not written yet`;
    return `${PLACEMENT[placement]}: after ${subLayer(row)}, a share of ${weight(value(placement, row, writer), 3)} was written by ${subLayer(writer)}`;
  };
  const rows = all.flatMap((placement) => names.map((name) => `${PLACEMENT[placement]} ${name}`));
  const label = `Share of the stream that each sub-layer wrote, after each of ${n} sub-layers: ${shown.map((placement) => PLACEMENT[placement]).join(", ")}`;
  return {
    scene: scene(width, height, label, shapes), table: matrixTable("Share of the stream", "depth \\ writer", rows, names, values.flat()), tensor: "beta_squared.all",
    rows: n, columns: shown.length * n, box, at, say, pick: (place) => ({ placement: of(place).placement }),
  };
}
