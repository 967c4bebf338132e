// One head's map: the room its labels need, the picture that is there at once, and the Plotly figure that takes its place.

import { colourOf, inkOn, pixels } from "../draw/colours.js";
import { cells, hatch, rect, scene, text } from "../draw/scene.js";
import { monoWidth, number, plotlyText, shorten, visible, weight } from "../draw/text.js";
import { levelBar } from "./attention-bar.js";
import { rowSum } from "./attention-maps.js";

const GAP = 8;
const PRINTED = 10;

const barWidth = (inner) => Math.min(inner.width, 240);

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

const printed = (frame, stage) =>
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
  shapes.push(rect(left, top, inner.width, inner.height, { stroke: palette.ruleStrong, line: 1 }));
  rows.forEach((token, q) => {
    if (q % frame.everyRow) return;
    const y = top + (q + 0.5) * cell.height;
    shapes.push(text(left - GAP - frame.nextWidth, y, token, { ...mono, anchor: "end" }));
    if (frame.next) shapes.push(text(left - GAP, y, `→ ${frame.next[q]}`, { ...soft, font: "mono", anchor: "end" }));
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

/** The scale as Plotly wants it. */
const colorscale = (stops) => stops.map((colour, i) => [i / (stops.length - 1), colour]);

/** Hatching as an image, which Plotly lays under the gaps of the masked cells. */
export function hatching(values, { cell, inner }, stroke) {
  const masked = values.flatMap((row, q) => row.flatMap((value, k) => (value === null ? [`M${k * cell.width} ${q * cell.height}h${cell.width}v${cell.height}h${-cell.width}z`] : [])));
  if (!masked.length) return null;
  const lines = `<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6" stroke="${stroke}" stroke-width="1.5"/></pattern>`;
  const markup = `<svg xmlns="http://www.w3.org/2000/svg" width="${inner.width}" height="${inner.height}"><defs>${lines}</defs><path d="${masked.join("")}" fill="url(#h)"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(markup)}`;
}

/**
 * The same map as a Plotly figure, in the same place to the pixel.
 * @param {{values: (number|null)[][], stage: string, query: string, key: string, unit: string}} map
 * @param {ReturnType<typeof frame>} frame
 * @param {{palette: any, scale: any}} options
 */
export function figure(map, frame, { palette, scale }) {
  const { left, top, inner, rows, columns, size } = frame;
  const margin = { l: left, t: top, r: frame.width - left - inner.width, b: frame.height - top - inner.height, pad: 0, autoexpand: false };
  const font = { family: palette.fonts.mono, size, color: palette.ink };
  const soft = { family: palette.fonts.sans, size, color: palette.inkSoft };
  const ticks = (list, every) => {
    const indices = list.map((_, i) => i).filter((i) => i % every === 0);
    return { tickvals: indices, ticktext: indices.map((i) => list[i]) };
  };
  const trace = {
    type: "heatmap",
    z: map.values,
    zmin: scale.low,
    zmax: scale.high,
    colorscale: colorscale(scale.stops),
    xgap: 0,
    ygap: 0,
    hoverinfo: "none",
    text: map.values.map((row) => row.map((value) => written(value, map.stage))),
    texttemplate: printed(frame, map.stage) ? "%{text}" : "",
    textfont: { family: palette.fonts.mono, size },
    colorbar: {
      orientation: "h", thickness: 10, thicknessmode: "pixels", lenmode: "pixels", len: barWidth(inner), x: 0, xanchor: "left", xpad: 0, ypad: 0,
      yref: "paper", y: -GAP / inner.height, yanchor: "top", outlinecolor: palette.ruleStrong, outlinewidth: 1,
      tickvals: [scale.low, (scale.low + scale.high) / 2, scale.high], ticktext: [scale.low, (scale.low + scale.high) / 2, scale.high].map((v) => number(v, 2)),
      tickfont: { ...soft, family: palette.fonts.mono }, ticklen: 0,
    },
  };
  const axis = { showgrid: false, zeroline: false, fixedrange: true, ticks: "", tickfont: font, linecolor: palette.ruleStrong, mirror: true, showline: true };
  const note = (x, y, content, extra) => ({ xref: "paper", yref: "paper", x, y, text: content, showarrow: false, font: soft, ...extra });
  const sums = map.stage === "pattern" ? map.values.flatMap((row, q) => (q % frame.everyRow ? [] : [note(1, q, rowSum(row).toFixed(3), { yref: "y", xanchor: "left", xshift: GAP - 2, font: { ...soft, family: palette.fonts.mono } })])) : [];
  const next = (q) => (frame.next ? ` <span style="fill:${palette.inkSoft}">→ ${plotlyText(frame.next[q])}</span>` : "");
  const image = hatching(map.values, frame, palette.hatch);
  const layout = {
    width: frame.width,
    height: frame.height,
    margin,
    paper_bgcolor: palette.paper,
    plot_bgcolor: palette.paper,
    dragmode: false,
    xaxis: { ...axis, side: "top", range: [-0.5, columns.length - 0.5], ...ticks(columns.map(plotlyText), frame.everyColumn), tickangle: frame.flat ? 0 : -45 },
    yaxis: { ...axis, range: [rows.length - 0.5, -0.5], ...ticks(rows.map((token, q) => plotlyText(token) + next(q)), frame.everyRow) },
    annotations: [
      ...sums,
      ...(sums.length ? [note(1, 1, "Σ row", { xanchor: "left", xshift: GAP - 2, yanchor: "middle", yshift: top - size * 0.7 })] : []),
      note(0.5, 1, `key: ${map.key}`, { yanchor: "middle", yshift: top - size * 0.7 }),
      note(0, 0.5, `query: ${map.query}`, { textangle: -90, xanchor: "center", xshift: -left + size * 0.7 }),
      note(0, 0, map.unit, { xanchor: "left", yanchor: "top", xshift: barWidth(inner) + GAP, yshift: -GAP + 4 }),
    ],
    images: image ? [{ source: image, xref: "x", yref: "y", x: -0.5, y: -0.5, sizex: columns.length, sizey: rows.length, sizing: "stretch", layer: "below" }] : [],
  };
  return { data: [trace], layout };
}
