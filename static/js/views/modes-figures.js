// One mode of reading as a picture: who may look where, where they do look, and under it what is said at every position asked.

import { pixels, probability } from "../draw/colours.js";
import { rgb } from "../draw/palette.js";
import { cells, hatch, line, rect, scene, text } from "../draw/scene.js";
import { scaleStrip } from "../draw/scalebar.js";
import { monoWidth, number, shorten, visible, weight } from "../draw/text.js";

/** @typedef {{mode: string, model: string | null, kind: string, why: string | null, layer: number, head: number, layers: number, heads: number, target_from: number | null, visible: import("./facts.js").Fact, top_tokens: string[][], expected: string[], says: string | null, sees: string}} Mode */
/** @typedef {{row: number, column: number}} Cell */
/** @typedef {{token: string, probability: number}} Guess */

const LONGEST = 8;
const MOST_CELL = 34;
const MOST_LISTED = 9;

/** What is drawn of a mode: numbers by cell, null where the mask hides; names of what is read; and by row what is said there. @param {any} answer @param {Mode} mode */
export function square(answer, mode) {
  const tensor = (/** @type {string} */ name) => answer.tensors[`${mode.mode}.${name}`]?.data;
  const names = /** @type {string[]} */ (answer.axes[`${mode.mode}.read`].labels ?? []);
  const mask = /** @type {number[][]} */ (tensor("mask"));
  const first = names.length - mode.top_tokens.length;
  const said = names.map((_, row) => (row < first ? null : mode.top_tokens[row - first].map((token, i) => ({ token, probability: /** @type {number} */ (tensor("top_probability")[row - first][i]) }))));
  return { names, mask, pattern: /** @type {(number | null)[][] | undefined} */ (tensor("pattern")), said };
}

/**
 * The square, and under it what is said at each position that is asked.
 * @param {any} answer @param {Mode} mode
 * @param {{show: string, width: number, height: number, colours: import("../draw/palette.js").Palette}} space `show` is mask or map
 */
export function drawn(answer, mode, { show, width, height, colours }) {
  const { names, mask, pattern, said } = square(answer, mode);
  const size = colours.tick;
  const n = names.length;
  const short = names.map((name) => shorten(visible(name), LONGEST));
  const longest = Math.max(16, ...short.map((name) => monoWidth(name, size)));
  const [left, top] = [longest + 8, longest * 0.75 + size * 1.2];
  const right = longest * 0.6 + 4; // for the last column's name, which leans out
  const asked = said.flatMap((guesses, row) => (guesses ? [{ row, guesses }] : []));
  const step = size * 1.3;
  const values = show === "mask" || !pattern ? null : pattern;
  const foot = values ? size * 2.2 : size * 0.8;
  const list = asked.length ? Math.min(asked.length, MOST_LISTED) * step + size : 0;
  const cell = Math.max(1, Math.min((width - left - right) / Math.max(n, 1), (height - top - foot - Math.min(list, height / 2.4)) / Math.max(n, 1), MOST_CELL));
  const side = cell * n;
  const box = (/** @type {number} */ row, /** @type {number} */ column) => ({ x: left + column * cell, y: top + row * cell, width: cell, height: cell });
  const at = (/** @type {number} */ x, /** @type {number} */ y) => {
    const found = { row: Math.floor((y - top) / cell), column: Math.floor((x - left) / cell) };
    return found.row >= 0 && found.row < n && found.column >= 0 && found.column < n ? found : null;
  };
  const every = Math.max(1, Math.ceil((size * 1.1) / cell));
  const words = { size, font: /** @type {"mono"} */ ("mono"), fill: colours.ink };
  const below = top + side + foot;
  const room = Math.max(0, Math.floor((height - below - step / 2) / step));
  const told = asked.length <= room ? asked : asked.slice(0, Math.max(0, room - 1));
  const shapes = n === 0 ? [] : [
    cells(left, top, side, side, n, n, values ? pixels(values, probability(colours, "weight")) : open(mask, colours.attention)),
    ...mask.flatMap((row, q) => row.flatMap((may, k) => (may ? [] : [hatch(left + k * cell, top + q * cell, cell, cell, { stroke: colours.hatch, gap: 5 })]))),
    rect(left, top, side, side, { stroke: colours.rule }),
    ...parted(mode.target_from, n, box, side, colours),
    ...short.flatMap((name, i) => (i % every ? [] : [text(left - 6, top + (i + 0.5) * cell, name, { ...words, anchor: "end" }), text(left + (i + 0.5) * cell, top - 6, name, { ...words, turn: -48 })])),
    ...(values ? scaleStrip({ scale: probability(colours, "weight"), colours, x: Math.max(left + size, size * 5.2), y: top + side + size * 0.6, width: Math.min(80, width / 4) }) : []),
    ...told.flatMap(({ row, guesses }, i) => listed(short[row], guesses, { x: left, y: below + (i + 0.5) * step, width }, words, colours)),
    ...(told.length < asked.length && room ? [text(left, below + (told.length + 0.5) * step, `${asked.length - told.length} more in the table`, { ...words, font: "sans", fill: colours.inkSoft })] : []),
  ];
  const label = `${mode.mode}: ${values ? `attention of ${mode.model}` : "the mask"} over ${n} tokens; hatched is hidden`;
  return { scene: scene(width, height, label, shapes), box, at, rows: n, columns: n, table: table(answer, mode), say: (/** @type {Cell} */ one) => sayCell(answer, mode, one) };
}

/** The lines between source and target. @param {number | null} cut @param {number} n @param {(row: number, column: number) => import("../draw/heatmap.js").Box} box @param {number} side @param {import("../draw/palette.js").Palette} colours */
function parted(cut, n, box, side, colours) {
  if (cut === null || cut >= n) return [];
  const [{ x, y }, corner] = [box(0, 0), box(cut, cut)];
  const style = { stroke: colours.ink, line: 1.5 };
  return [line(x - 4, corner.y, x + side, corner.y, style), line(corner.x, y - 4, corner.x, y + side, style)];
}

/** am  → cold .45  hot .20 …, as many guesses as there is room for. @param {string} name @param {Guess[]} guesses @param {{x: number, y: number, width: number}} place @param {any} words @param {import("../draw/palette.js").Palette} colours */
function listed(name, guesses, { x, y, width }, words, colours) {
  const one = monoWidth("x", words.size);
  const wide = one * (LONGEST + 5);
  const fits = Math.max(1, Math.floor((width - x - one * 2) / wide));
  return [
    text(x - 6, y, name, { ...words, anchor: "end" }),
    text(x, y, "→", words),
    ...guesses.slice(0, fits).map(({ token, probability: p }, i) => text(x + one * 2 + i * wide, y, `${shorten(visible(token), LONGEST)} ${weight(p)}`, { ...words, fill: i ? colours.inkSoft : colours.ink })),
  ];
}

/** The open cells in one colour. @param {number[][]} mask @param {string} colour */
function open(mask, colour) {
  const [r, g, b] = rgb(colour);
  return new Uint8ClampedArray(mask.flatMap((row) => row.flatMap((may) => (may ? [r, g, b, 255] : [0, 0, 0, 0]))));
}

/** The numbers of a mode, and what is said at the end of each row. @param {any} answer @param {Mode} mode @returns {import("../draw/table.js").Table} */
export function table(answer, mode) {
  const { names, mask, pattern, said } = square(answer, mode);
  const first = (/** @type {number} */ row) => said[row]?.[0];
  const rows = names.map((name, q) => [name, ...(pattern ?? mask)[q], first(q)?.token ?? "", first(q) ? weight(/** @type {any} */ (first(q)).probability, 3) : ""]);
  return { caption: `${mode.mode}: ${pattern ? `weights of ${mode.model}, layer ${mode.layer}, head ${mode.head}` : "1 where a word may look"}`, head: ["token \\ looks at", ...names, "says", "probability"], rows };
}

/** What one cell is, and what is said at its row. @param {any} answer @param {Mode} mode @param {Cell} cell */
export function sayCell(answer, mode, { row, column }) {
  const { names, mask, pattern, said } = square(answer, mode);
  const looks = `${visible(names[row])} → ${visible(names[column])}: `;
  const value = !mask[row][column] ? "hidden" : pattern ? `weight ${weight(pattern[row][column] ?? 0, 3)}` : "open";
  const guesses = said[row];
  return `${looks}${value}${guesses ? `; says ${guesses.map(({ token, probability: p }) => `${visible(token)} ${weight(p)}`).join(", ")}` : ""}`;
}

/** What stands under a mode that nobody points at: whose numbers they are, or why there are none; and how many cells the mask opens. @param {Mode} mode @param {number} size of the square */
export function summary({ model, why, layer, layers, head, visible: { value, holds }, says }, size) {
  const whose = model ? `${model}, layer ${layer} of 0 to ${layers - 1}, head ${head}` : why;
  const open = `${holds ? "" : "✗ "}${number(value, 0)} of ${size * size} cells open`;
  return `${whose}${model ? "; " : " "}${open}${says ? `; says ${visible(says)}` : ""}`;
}
