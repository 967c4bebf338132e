// One head's map: the room its labels need, the picture that is there at once, and the Plotly figure that takes its place.

import { colourOf, inkOn, pixels } from "../draw/colours.js";
import { cells, hatch, line, rect, scene, text } from "../draw/scene.js";
import { monoWidth, number, shorten, visible, weight } from "../draw/text.js";
import { rowSum } from "./attention-maps.js";

export const GAP = 8;
const PRINTED = 10;
const STEPS = 64;
export const THICK = 10;

export const barWidth = (inner) => Math.min(inner.width, 240);

/**
 * Where the cells lie in a box of this size. Labels get what they need, never more than a third of the box.
 * @param {{queries: string[], keys: string[], expected: string[]|null}} tokens
 * @param {number} width @param {number} height @param {number} size of the letters
 */
export function frame({ queries, keys, expected }, width, height, size) {
  const letter = monoWidth("m", size);
  const most = Math.max(3, Math.floor((width * (expected && width >= 480 ? 0.2 : 0.28)) / letter));
  const short = (tokens) => tokens.map((token) => shorten(visible(token), most));
  const widest = (tokens) => Math.max(...tokens.map((token) => monoWidth(token, size)));
  const [rows, columns] = [short(queries), short(keys)];
  const next = expected && width >= 480 ? short(expected) : null;
  const nextWidth = next ? widest(next) + 2 * letter + GAP : 0;
  const left = size * 1.5 + widest(rows) + nextWidth + GAP;
  const right = monoWidth("1.000", size) + 2 * GAP;
  const bottom = size * 2 + 2 * GAP;
  const flat = (width - left - right) / columns.length >= widest(columns) + 4;
  const top = size * 1.6 + (flat ? size * 1.4 : Math.min(widest(columns) * 0.72 + size, height * 0.3)) + GAP / 2;
  const [wide, high] = [(width - left - right) / columns.length, (height - top - bottom) / rows.length];
  const cell = { width: Math.min(wide, high * 1.6), height: Math.min(high, Math.max(wide * 1.5, size * 2)) };
  const every = (step, space) => Math.max(1, Math.ceil(space / step));
  const inner = { width: cell.width * columns.length, height: cell.height * rows.length };
  return { width, height, left, top, cell, inner, rows, columns, next, nextWidth, flat, size, everyRow: every(cell.height, size * 1.05), everyColumn: flat ? 1 : every(cell.width, size * 1.45) };
}

/** The cell at a point, or null. */
export function cellAt(frame, x, y) {
  const key = Math.floor((x - frame.left) / frame.cell.width);
  const query = Math.floor((y - frame.top) / frame.cell.height);
  return key >= 0 && key < frame.columns.length && query >= 0 && query < frame.rows.length ? { query, key } : null;
}

/** The box of one cell in the picture. */
export const cellBox = ({ left, top, cell }, query, key) => ({ x: left + key * cell.width, y: top + query * cell.height, ...cell });

export const printed = (frame, stage) =>
  frame.rows.length <= PRINTED && frame.columns.length <= PRINTED && frame.cell.width >= monoWidth(stage === "pattern" ? ".00" : "−0.00", frame.size) + 2 && frame.cell.height >= frame.size * 1.1;

/** What a cell says: a probability as .37, a score as −1.24. */
export const written = (value, stage) => (value === null ? "" : stage === "pattern" ? weight(value) : number(value, 2));

/**
 * The first picture, without any library: cells, hatching, values, tokens, row sums and the scale.
 * @param {{values: (number|null)[][], stage: string, query: string, key: string, unit: string}} map
 * @param {ReturnType<typeof frame>} frame
 * @param {{palette: any, scale: any}} options
 */
export function picture(map, frame, { palette, scale }) {
  const { left, top, inner, cell, rows, columns } = frame;
  const mono = { font: "mono", size: frame.size, fill: palette.ink };
  const soft = { size: frame.size, fill: palette.inkSoft };
  const shapes = [cells(left, top, inner.width, inner.height, rows.length, columns.length, pixels(map.values, scale))];
  map.values.forEach((row, q) =>
    row.forEach((value, k) => {
      const box = cellBox(frame, q, k);
      if (value === null) shapes.push(hatch(box.x, box.y, box.width, box.height, { stroke: palette.hatch }));
      else if (printed(frame, map.stage)) shapes.push(text(box.x + cell.width / 2, box.y + cell.height / 2, written(value, map.stage), { ...mono, anchor: "middle", fill: inkOn(colourOf(scale, value)) }));
    }),
  );
  for (const k of map.edges ?? []) shapes.push(line(left + k * cell.width, top, left + k * cell.width, top + inner.height, { stroke: palette.paper, line: 2 }));
  shapes.push(rect(left, top, inner.width, inner.height, { stroke: palette.ruleStrong, line: 1 }));
  rows.forEach((token, q) => {
    if (q % frame.everyRow) return;
    const y = top + (q + 0.5) * cell.height;
    shapes.push(text(left - GAP - frame.nextWidth, y, token, { ...mono, anchor: "end" }));
    if (frame.next?.[q]) shapes.push(text(left - GAP, y, `→ ${frame.next[q]}`, { ...soft, font: "mono", anchor: "end" }));
    if (map.stage === "pattern") shapes.push(text(left + inner.width + GAP, y, rowSum(map.values[q]).toFixed(3), { ...soft, font: "mono" }));
  });
  columns.forEach((token, k) => {
    if (k % frame.everyColumn) return;
    const x = left + (k + 0.5) * cell.width;
    shapes.push(text(x, top - GAP, token, { ...mono, ...(frame.flat ? { anchor: "middle", baseline: "bottom" } : { anchor: "start", turn: -45 }) }));
  });
  shapes.push(text(left + inner.width / 2, frame.size * 0.7, `key: ${map.key}`, { ...soft, anchor: "middle" }));
  shapes.push(text(frame.size * 0.7, top + inner.height / 2, `query: ${map.query}`, { ...soft, anchor: "middle", turn: -90 }));
  if (map.stage === "pattern") shapes.push(text(left + inner.width + GAP, frame.size * 0.7, "Σ row", soft));
  return scene(frame.width, frame.height, `${map.unit} of every query and key`, [...shapes, ...levelBar({ scale, unit: map.unit, palette, x: left, y: top + inner.height + GAP, width: barWidth(inner) })]);
}

/** The scale under a picture, lying: its colours, both ends, the middle and the unit. */
export function levelBar({ scale, unit, palette, x, y, width }) {
  const at = (share) => scale.low + share * (scale.high - scale.low);
  const strip = pixels([Array.from({ length: STEPS }, (_, i) => at((i + 0.5) / STEPS))], scale);
  const style = { size: palette.tick, fill: palette.inkSoft };
  const tick = (share, anchor) => text(x + share * width, y + THICK + palette.tick * 0.8, number(at(share), 2), { ...style, font: "mono", anchor });
  return [
    cells(x, y, width, THICK, 1, STEPS, strip),
    rect(x, y, width, THICK, { stroke: palette.ruleStrong, line: 1 }),
    ...[tick(0, "start"), tick(0.5, "middle"), tick(1, "end")],
    text(x + width + GAP, y + THICK / 2, unit, style),
  ];
}
