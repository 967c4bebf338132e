// The same map as a Plotly figure, in the same place to the pixel; loaded when Plotly is.

import { number, plotlyText } from "../draw/text.js";
import { barWidth, GAP, printed, written } from "./attention-heatmap.js";
import { rowSum } from "./attention-maps.js";

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
  const next = (q) => (frame.next?.[q] ? ` <span style="fill:${palette.inkSoft}">→ ${plotlyText(frame.next[q])}</span>` : "");
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
    shapes: (map.edges ?? []).map((k) => ({ type: "line", x0: k - 0.5, x1: k - 0.5, y0: -0.5, y1: rows.length - 0.5, line: { color: palette.paper, width: 2 } })),
    images: image ? [{ source: image, xref: "x", yref: "y", x: -0.5, y: -0.5, sizex: columns.length, sizey: rows.length, sizing: "stretch", layer: "below" }] : [],
  };
  return { data: [trace], layout };
}
