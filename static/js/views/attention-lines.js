// The token lines of one head: queries on the left, keys on the right, a line for every weight that counts, and the chosen query's row as bars.

import { headColour, largest } from "../draw/colours.js";
import { hatch, line, link, rect, scene, text } from "../draw/scene.js";
import { monoWidth, number, shorten, visible, weight } from "../draw/text.js";
import { heaviest } from "./attention-maps.js";

const GAP = 8;
const STRIP = 10;
const ROW = 56;

/**
 * Where everything stands: rows of both texts, the columns of labels, strips and bars.
 * @param {{queries: string[], keys: string[], heads: number}} content
 * @param {number} width @param {number} height @param {number} tick size of the letters @param {number} [least] how small they may become for a long text
 */
export function arrange({ queries, keys, heads }, width, height, tick, least = tick) {
  const top = tick * 2;
  const rows = Math.max(queries.length, keys.length);
  const row = Math.min(ROW, Math.max(least * 1.15, (height - top - GAP) / rows));
  const size = Math.min(tick, row / 1.15);
  const letters = Math.max(4, Math.floor((width * 0.2) / monoWidth("m", size)));
  const labels = (tokens) => tokens.map((token) => shorten(visible(token), letters));
  const widest = (tokens) => Math.max(...labels(tokens).map((token) => monoWidth(token, size)), monoWidth("query", tick));
  const from = widest(queries) + GAP;
  const strips = width >= 360 && heads > 1 ? heads * STRIP + 2 * GAP : 0;
  const digits = monoWidth("−00.000", size) + 4;
  const bars = Math.max(24, Math.min(160, width * 0.18));
  const keysEnd = width - strips - bars - digits - GAP;
  const to = keysEnd - widest(keys) - GAP;
  return { top, row, from, to, strips: keysEnd + GAP, bars: keysEnd + strips + GAP, barWidth: bars, queries: labels(queries), keys: labels(keys), height: top + rows * row, size };
}

const middle = (layout, i) => layout.top + (i + 0.5) * layout.row;

/**
 * @param {{heads: number[][][], head: number, row: (number|null)[], stage: string, query: number, key: number|null, threshold: number, expected: string|null}} shown
 *   `heads` are patterns [head][query][key]; `row` the chosen query's numbers at the stage
 * @param {ReturnType<typeof arrange>} layout
 * @param {{width: number, palette: any}} options
 */
export function lines(shown, layout, { width, palette }) {
  const { heads, head, query, key, threshold } = shown;
  const colour = headColour(palette, head);
  const kept = heads[head].map((row) => heaviest(row, threshold));
  const shapes = [...titles(layout, shown, palette)];
  kept.forEach((keys, q) => {
    if (q !== query) shapes.push(...keys.map((k) => strand(layout, q, k, heads[head][q][k], colour, 0.35)));
  });
  shapes.push(...kept[query].map((k) => strand(layout, query, k, heads[head][query][k], colour, 1)));
  shapes.push(...layout.queries.map((token, q) => label(layout.from - GAP, middle(layout, q), token, "end", { ...palette, tick: layout.size }, q === query)));
  shapes.push(...layout.keys.map((token, k) => label(layout.to + GAP, middle(layout, k), token, "start", { ...palette, tick: layout.size }, k === key, kept[query].includes(k))));
  if (layout.bars > layout.strips) heads.forEach((rows, h) => shapes.push(...strip(layout, rows[query], h, h === head, palette)));
  shapes.push(...bars(shown, layout, colour, palette));
  const label_ = `Lines from each query to the keys that together hold ${weight(threshold)} of its weight; the bars are the row of query ${layout.queries[query]}.`;
  return scene(width, layout.height, label_, shapes);
}

function titles(layout, { stage }, palette) {
  const style = { size: palette.tick, fill: palette.inkSoft };
  const y = layout.top - palette.tick;
  const unit = stage === "pattern" ? "weight, 0 to 1" : "score";
  return [
    text(layout.from - GAP, y, "query", { ...style, anchor: "end" }),
    text(layout.to + GAP, y, "key", style),
    ...(layout.bars > layout.strips ? [text(layout.strips, y, "heads", style)] : []),
    text(layout.bars, y, unit, style),
  ];
}

const strand = (layout, q, k, value, stroke, strength) =>
  link(layout.from, middle(layout, q), layout.to, middle(layout, k), { stroke, line: 0.75 + 5 * value, opacity: strength * (0.3 + 0.7 * value) });

const label = (x, y, token, anchor, palette, chosen, strong = true) =>
  text(x, y, token, { anchor, font: "mono", size: palette.tick, fill: strong ? palette.ink : palette.inkSoft, weight: chosen ? 700 : 400 });

/** How much one head gives to every key for the chosen query: a column of small boxes, so that heads can be compared. */
function strip(layout, row, head, open, palette) {
  const size = Math.min(STRIP - 2, layout.row - 2);
  const x = layout.strips + head * STRIP;
  return row.flatMap((value, k) => {
    const y = middle(layout, k) - size / 2;
    const fill = headColour(palette, head);
    return [rect(x, y, size, size, { stroke: open ? fill : palette.rule, line: 1 }), rect(x, y, size, size, { fill, opacity: value })];
  });
}

function bars({ row, stage }, layout, colour, palette) {
  const signed = stage !== "pattern";
  const reach = signed ? largest(row) || 1 : 1;
  const zero = layout.bars + (signed ? layout.barWidth / 2 : 0);
  const height = Math.min(layout.row - 3, layout.size * 1.1);
  const shapes = row.flatMap((value, k) => {
    const y = middle(layout, k);
    const digits = { font: "mono", size: layout.size, fill: value === null ? palette.inkSoft : palette.ink };
    const written = text(layout.bars + layout.barWidth + 4, y, said(value, signed), digits);
    if (value === null) return [hatch(layout.bars, y - height / 2, layout.barWidth, height, { stroke: palette.hatch, gap: 5, line: 0.75 }), written];
    const length = (value / reach) * (signed ? layout.barWidth / 2 : layout.barWidth);
    const fill = signed ? palette.signed.at(value < 0 ? 1 : -2) : colour;
    return [rect(Math.min(zero, zero + length), y - height / 2, Math.abs(length), height, { fill }), written];
  });
  const end = layout.top + row.length * layout.row;
  return [...shapes, line(zero, layout.top, zero, end, { stroke: palette.ruleStrong, line: 1 })];
}

/** A score as it is; of a weight three digits, and a trace of one is said to be less. */
const said = (value, signed) => (value === null ? "masked" : signed || value === 0 ? number(value) : value < 0.0005 ? "<0.001" : value.toFixed(3));

/** Which token is at a point: of the queries on the left half, of the keys on the right. */
export function tokenAt(layout, x, y) {
  const i = Math.floor((y - layout.top) / layout.row);
  const side = x < (layout.from + layout.to) / 2 ? "query" : "key";
  const count = side === "query" ? layout.queries.length : layout.keys.length;
  return i >= 0 && i < count ? { side, index: i } : null;
}
