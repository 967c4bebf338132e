// Where everything of a figure stands, in pixels. The still picture and Plotly are given the same
// arrangement, so nothing moves when Plotly takes over.

import { decoded } from "./decode.js";
import { colourOf, restyled } from "./roles.js";

/** @typedef {import("../draw/colours.js").Palette} Palette */
/** @typedef {{data: any[], layout: Record<string, any>}} Figure as the API serves it */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/**
 * @typedef {object} Panel one pair of axes
 * @property {string} x the key of the level axis in the layout, for instance "xaxis2" @property {string} y
 * @property {Box} box the area between the axes @property {number} besideRows the width of what stands beside its rows
 */
/** @typedef {Figure & {panels: Panel[], size: {width: number, height: number}}} Arranged */
/** @typedef {(content: string, family: string, size: number) => number} Measure the width of a text */
/** @typedef {{size: {width: number, height: number}, colours: Palette, measure: Measure}} Space */

const EDGE = 8;
const TICK = 4; // length of a tick
const BAR = 12; // thickness of a colour bar
const MOST_LABEL = 0.3; // of the figure's width may be names beside a matrix

/** Labels as they are seen, without Plotly's escapes. @param {unknown} label */
export const plain = (label) =>
  String(label).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** @param {Figure} figure @param {Space} space @returns {Arranged} */
export function arrange(figure, { size, colours, measure }) {
  const { layout } = figure;
  const { panels: count = 1, across = false, legend: told } = layout.meta ?? {};
  const data = restyled(figure.data.map(decoded), colours);
  const names = data.filter((trace) => trace.showlegend).map((trace) => trace.name);
  const groups = layout.meta?.layers ?? [];
  const legend = (told ?? layout.showlegend) ? legendHeight(names, size.width, colours, measure) : 0;
  const top = legend;
  const share = across
    ? { width: size.width / count, height: size.height - top }
    : { width: size.width, height: (size.height - top) / count };
  const notes = /** @type {any[]} */ ([]);
  const axes = /** @type {Record<string, any>} */ ({});
  const panels = Array.from({ length: count }, (_, i) => {
    const place = i ? String(i + 1) : "";
    const outer = {
      x: across ? i * share.width : 0,
      y: top + (across ? 0 : i * share.height),
      ...share,
    };
    const mine = data.filter((trace) => (trace.xaxis ?? "x") === `x${place}`);
    const own = (layout.annotations ?? []).filter((/** @type {any} */ note) => note.xref === `x${place}`);
    const panel = arrangePanel(layout, place, outer, mine, own, groups, { colours, measure });
    const paper = toPaper(size, top);
    const { box } = panel;
    axes[panel.x] = { ...panel.xaxis, domain: [box.x / size.width, (box.x + box.width) / size.width] };
    const [low, high] = [paper.y(box.y + box.height), paper.y(box.y)];
    axes[panel.y] = { ...panel.yaxis, domain: [clip(low), clip(high)] };
    notes.push(...panel.notes.map((note) => placed(note, paper)), ...panel.own);
    return { x: panel.x, y: panel.y, box, besideRows: panel.besideRows };
  });
  return {
    size,
    panels,
    data: data.map((trace) => withText(withBar(spread(trace, panels, layout), panels, size, top, colours), panels, layout, colours, measure)),
    layout: {
      ...base(colours),
      hovermode: data.some((trace) => trace.z || trace.mode === "markers") ? "closest" : "x",
      images: data.flatMap((trace) => hatching(trace, colours)),
      ...axes,
      width: size.width,
      height: size.height,
      margin: { l: 0, r: 0, b: 0, t: top, pad: 0, autoexpand: false },
      showlegend: legend > 0,
      legend: legendLayout(colours),
      annotations: notes,
      shapes: (layout.shapes ?? []).map((/** @type {any} */ shape) => lined(shape, colours)),
      meta: layout.meta,
      barmode: layout.barmode ?? "overlay",
      bargap: layout.bargap ?? 0.2,
    },
  };
}

/** @param {number} value */
const clip = (value) => Math.max(0, Math.min(1, value));

/** What all figures share. @param {Palette} colours */
const base = (colours) => ({
  paper_bgcolor: "rgba(0,0,0,0)",
  plot_bgcolor: "rgba(0,0,0,0)",
  font: { family: colours.fonts.sans, size: colours.tick, color: colours.ink },
  dragmode: "zoom",
  modebar: {
    bgcolor: "rgba(0,0,0,0)",
    color: colours.ruleStrong,
    activecolor: colours.ink,
    orientation: "h",
  },
});

/** @param {Palette} colours */
const legendLayout = (colours) => ({
  orientation: "h",
  x: 0,
  y: 1,
  xref: "container",
  yref: "container",
  xanchor: "left",
  yanchor: "top",
  bgcolor: "rgba(0,0,0,0)",
  font: { family: colours.fonts.mono, size: colours.tick, color: colours.ink },
  tracegroupgap: 0,
  itemclick: "toggle",
  itemdoubleclick: "toggleothers",
});

/** The rows that a legend of these names needs, in pixels. @param {string[]} names @param {number} width @param {Palette} colours @param {Measure} measure */
function legendHeight(names, width, colours, measure) {
  const widths = [...new Set(names)].map((name) => measure(plain(name), colours.fonts.mono, colours.tick) + 50);
  let rows = 1;
  let used = 0;
  for (const wide of widths) {
    if (used && used + wide > width) [rows, used] = [rows + 1, 0];
    used += wide;
  }
  return widths.length > 1 ? rows * colours.tick * 1.5 + 6 : 0;
}

/** Pixels of the figure as Plotly's shares of the paper. @param {{width: number, height: number}} size @param {number} top */
const toPaper = ({ width, height }, top) => ({
  x: (/** @type {number} */ x) => x / width,
  y: (/** @type {number} */ y) => 1 - (y - top) / (height - top),
});

/** A note that was placed in pixels. @param {any} note @param {ReturnType<typeof toPaper>} paper */
const placed = ({ px, ...note }, paper) => ({
  showarrow: false,
  borderpad: 0,
  ...note,
  xref: "paper",
  yref: "paper",
  x: paper.x(px[0]),
  y: paper.y(px[1]),
});

/**
 * @param {Record<string, any>} layout @param {string} place @param {Box} outer @param {any[]} traces
 * @param {any[]} own notes within the panel @param {{name: string, short: string, from: number, to: number}[]} groups of names on the level axis @param {Omit<Space, "size">} space
 */
function arrangePanel(layout, place, outer, traces, own, groups, { colours, measure }) {
  const size = colours.tick;
  const { mono, serif } = colours.fonts;
  const [x, y] = [`xaxis${place}`, `yaxis${place}`];
  const [level, upright] = [layout[x], layout[y]];
  const wide = (/** @type {string} */ name) => measure(plain(name), mono, size);
  const names = (/** @type {any} */ axis) => /** @type {string[]} */ (axis.ticktext ?? []);
  const above = level.side === "top";
  const bar = traces.find((trace) => trace.type === "heatmap" && trace.showscale !== false);
  const ends = own.filter((note) => note.name?.startsWith("end "));
  const left = Math.min(outer.width * MOST_LABEL, Math.max(0, ...names(upright).map(wide))) + TICK + 8;
  const endWidth = Math.max(0, ...ends.map((note) => wide(note.text)));
  const besideRows = Math.max(0, ...own.filter((note) => note.name?.startsWith("sum ")).map((note) => wide(note.text) + 14));
  const right = bar ? besideRows + barWidth(bar, wide) : endWidth ? endWidth + 14 : besideRows || EDGE * 2;
  const width = Math.max(40, outer.width - left - right);
  const step = width / Math.max(1, Math.abs(level.range[1] - level.range[0]));
  const isNamed = level.type !== "log" && spaced(level.tickvals ?? []);
  const widest = Math.max(0, ...names(level).map(wide));
  const turned = isNamed && widest > step - 4 && step > size * 1.2;
  const room = !level.tickvals?.length ? 0 : turned ? Math.min(widest, outer.height * MOST_LABEL) * 0.72 + size : size * 1.4;
  const titleLine = size * 1.6;
  const over = titleLine + (bar && !above ? size / 2 : 0) + (above ? room + (room ? titleLine : 4) : 0);
  const under = above ? EDGE : (turned ? room : size * 1.5) + TICK + titleLine;
  const height = Math.max(40, outer.height - over - under);
  const box = { x: outer.x + left, y: outer.y + over, width, height };
  const title = { family: serif, size, color: colours.inkSoft };
  const notes = [
    ...noteOf(upright, {
      px: [outer.x, outer.y + titleLine / 2], xanchor: "left", yanchor: "middle", font: title,
    }),
    ...noteOf(level, above
      ? { px: room ? [box.x, outer.y + titleLine * 1.5] : [outer.x + wide(upright.title?.text ?? "") + size, outer.y + titleLine / 2], xanchor: "left", yanchor: "middle", font: title }
      : groups.length
      ? { px: [outer.x, outer.y + outer.height - titleLine / 2], xanchor: "left", yanchor: "middle", font: title }
      : { px: [box.x + width, outer.y + outer.height - titleLine / 2], xanchor: "right", yanchor: "middle", font: title }),
    ...groups.map(({ name, short: few, from, to }) => ({
      text: wide(name) < (to - from + 1) * step ? name : few,
      px: [box.x + ((from + to) / 2 - level.range[0]) * step, outer.y + outer.height - titleLine / 2],
      xanchor: "center", yanchor: "middle", font: { family: mono, size, color: colours.inkSoft },
    })),
    ...(bar?.colorbar?.title?.text
      ? [{ text: bar.colorbar.title.text, px: [outer.x + outer.width - 2, outer.y + titleLine / 2], xanchor: "right", yanchor: "middle", font: title }]
      : []),
  ];
  const font = { family: mono, size, color: above ? colours.ink : colours.inkSoft };
  return {
    x, y, box, notes,
    besideRows,
    own: thinnedRows(apart(own, upright, box, size), height, size).map((note) => restyledNote(note, colours)),
    xaxis: axis(level, width, { font, colours, size: turned ? size * 1.2 : widest + 8, turned }),
    yaxis: axis(upright, height, { font, colours, size: size * 1.25 }),
  };
}

/** @param {any} bar @param {(text: string) => number} wide */
const barWidth = (bar, wide) => BAR + 12 + Math.max(...barTicks(bar).map(([, name]) => wide(name))) + EDGE;

/** The ends and the middle of a colour scale. @param {any} trace @returns {[number, string][]} */
export const barTicks = ({ zmin, zmax }) => [zmin, (zmin + zmax) / 2, zmax].map((value) => [value, short(value)]);

/** @param {number} value */
const short = (value) => (Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : String(Number(value.toPrecision(2)))).replace("-", "−");

/** The colour bar stands at the right of its panel. @param {any} trace @param {Panel[]} panels @param {{width: number, height: number}} size @param {number} top @param {Palette} colours */
function withBar(trace, panels, size, top, colours) {
  if (trace.type !== "heatmap" || trace.showscale === false) return trace;
  const { box, besideRows } = panelOf(trace, panels);
  const ticks = barTicks(trace);
  return {
    ...trace,
    colorbar: {
      thickness: BAR, thicknessmode: "pixels", lenmode: "pixels", len: box.height, xpad: 0, ypad: 0,
      x: (box.x + box.width + besideRows + 10) / size.width, xanchor: "left",
      y: toPaper(size, top).y(box.y), yanchor: "top", outlinecolor: colours.ruleStrong, outlinewidth: 1,
      tickvals: ticks.map(([value]) => value), ticktext: ticks.map(([, name]) => name), ticks: "",
      tickfont: { family: colours.fonts.mono, size: colours.tick, color: colours.inkSoft },
    },
  };
}

/** Strokes as long as their share of a step. Plotly draws this sign 1.4 times its size. @param {any} trace @param {Panel[]} panels @param {Record<string, any>} layout */
function spread(trace, panels, layout) {
  if (!trace.meta?.across) return trace;
  const { box, x } = panelOf(trace, panels);
  const [low, high] = layout[x].range;
  return { ...trace, marker: { ...trace.marker, size: (trace.meta.across * box.width) / (high - low) / 1.4 } };
}

/** The numbers of the cells, where there is room for them. @param {any} trace @param {Panel[]} panels @param {Record<string, any>} layout @param {Palette} colours @param {Measure} measure */
function withText(trace, panels, layout, colours, measure) {
  if (!trace.z || !trace.text) return trace;
  const { box, x, y } = panelOf(trace, panels);
  const { mono: family } = colours.fonts;
  const step = (/** @type {any} */ axis, /** @type {number} */ pixels) => pixels / Math.abs(axis.range[1] - axis.range[0]);
  const words = trace.text.some((/** @type {string[]} */ row) => row.some((said) => said?.includes("<br>")));
  const [room, high] = [step(layout[x], box.width) - 4, step(layout[y], box.height)];
  const inSize = (/** @type {number} */ size) => {
    const rows = Math.floor(high / (size * 1.2));
    const lines = trace.text.map((/** @type {string[]} */ row) => row.map((said) => (said ?? "").split("<br>").slice(0, Math.max(1, rows))));
    const widest = Math.max(...lines.flat(2).map((/** @type {string} */ said) => measure(plain(said), family, size)));
    return { size, rows, lines, fits: rows > 0 && widest <= room };
  };
  const large = words && high > 3.6 * colours.tick ? inSize(colours.text) : null;
  const { size, rows, lines, fits } = large?.fits ? large : inSize(colours.tick);
  const most = Math.floor(room / measure("0", family, size));
  if (!fits && !(words && rows && most >= 2)) return { ...trace, texttemplate: "" };
  const whole = lines.every((/** @type {string[][]} */ row) => row.every(([, ...more]) => more.every((line) => plain(line).length <= most)));
  const text = lines.map((/** @type {string[][]} */ row) => row.map((said) => (whole ? said : said.slice(0, 1)).map((line) => clipped(line, most)).join("<br>")));
  return { ...trace, text, texttemplate: "%{text}", textfont: { family, size } };
}

/** A word that is too long loses its end. @param {string} said as Plotly reads it @param {number} most letters */
function clipped(said, most) {
  const letters = [...plain(said)];
  if (letters.length <= most) return said;
  return `${letters.slice(0, most - 1).join("")}…`.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The panel that a trace lies in. @param {any} trace @param {Panel[]} panels */
const panelOf = (trace, panels) => panels.find(({ x }) => x === `xaxis${(trace.xaxis ?? "x").slice(1)}`) ?? panels[0];

/** Masked cells, hatched under the gaps that they leave. @param {any} trace @param {Palette} colours */
function hatching(trace, colours) {
  if (!trace.meta?.hatched) return [];
  const cells = Array.from(trace.z, (/** @type {any} */ row, r) => Array.from(row, (value, c) => (value === null || !Number.isFinite(value) ? `M${c * 12} ${r * 12}h12v12h-12z` : "")).join("")).join("");
  if (!cells) return [];
  const [rows, columns] = [trace.z.length, trace.z[0].length];
  const markup = `<svg xmlns="http://www.w3.org/2000/svg" width="${columns * 12}" height="${rows * 12}" preserveAspectRatio="none"><defs><pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6" stroke="${colours.hatch}" stroke-width="1"/></pattern></defs><path d="${cells}" fill="url(#h)"/></svg>`;
  return [{
    source: `data:image/svg+xml,${encodeURIComponent(markup)}`, xref: trace.xaxis ?? "x", yref: trace.yaxis ?? "y",
    x: -0.5, y: -0.5, sizex: columns, sizey: rows, xanchor: "left", yanchor: "top", sizing: "stretch", layer: "below",
  }];
}

/** The title of an axis, as a note. @param {any} axis @param {any} where */
const noteOf = (axis, where) => (axis.title?.text ? [{ text: axis.title.text, ...where }] : []);

/** Whether ticks are one apart, as names are. @param {number[]} ticks */
const spaced = (ticks) => ticks.length > 1 && ticks.every((tick, i) => !i || tick - ticks[i - 1] === 1);

/**
 * @param {any} served @param {number} pixels the length of the axis
 * @param {{font: any, colours: Palette, size: number, turned?: boolean}} how `size`: the room of one tick's name
 */
function axis(served, pixels, { font, colours, size, turned = false }) {
  const matrix = spaced(served.tickvals ?? []);
  return {
    type: served.type,
    range: [...served.range],
    side: served.side,
    anchor: served.anchor,
    tickmode: "array",
    ...thinned(served, served.range, pixels, size),
    tickangle: turned ? -45 : 0,
    tickfont: font,
    ticks: matrix ? "" : "outside",
    ticklen: TICK,
    tickcolor: colours.ruleStrong,
    showline: served.showline !== false,
    linecolor: colours.ruleStrong,
    mirror: matrix && served.side === "top",
    showgrid: !matrix && served.showgrid !== false,
    gridcolor: colours.rule,
    zeroline: !matrix && served.type !== "log" && served.showline !== false,
    zerolinecolor: colours.ruleStrong,
    automargin: false,
    title: { text: "" },
  };
}

/** The ticks within a range, as many as there is room for. @param {any} served @param {number[]} range @param {number} pixels @param {number} size */
export function thinned(served, range, pixels, size) {
  const [low, high] = [Math.min(...range), Math.max(...range)];
  const at = served.type === "log" ? Math.log10 : Number;
  const ticks = /** @type {number[]} */ (served.tickvals ?? []);
  const seen = ticks.map((_, i) => i).filter((i) => at(ticks[i]) >= low - 1e-9 && at(ticks[i]) <= high + 1e-9);
  const every = Math.max(1, Math.ceil((seen.length * size) / Math.max(1, pixels)));
  const kept = seen.filter((_, n) => n % every === 0);
  return { tickvals: kept.map((i) => ticks[i]), ticktext: kept.map((i) => served.ticktext?.[i] ?? "") };
}

/** Names at the ends of lines, pushed apart so that none covers another. @param {any[]} notes @param {any} upright @param {Box} box @param {number} size */
function apart(notes, upright, box, size) {
  const [low, high] = upright.range;
  const ends = notes.filter((note) => note.name?.startsWith("end "));
  const wanted = ends.map(({ y }) => box.height * (1 - (y - low) / (high - low)));
  const step = size * 1.15;
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const got = [...wanted];
  order.forEach((i, n) => (got[i] = Math.max(got[i], n ? got[order[n - 1]] + step : 0)));
  const over = Math.max(0, (got[order[order.length - 1]] ?? 0) - box.height);
  [...order].reverse().forEach((i, n, list) => (got[i] = Math.min(got[i], n ? got[list[n - 1]] - step : got[i] - over)));
  return notes.map((note) => {
    const i = ends.indexOf(note);
    return i < 0 ? note : { ...note, yshift: wanted[i] - got[i] };
  });
}

/** Notes beside the rows of a matrix, as many as there is room for. @param {any[]} notes @param {number} height @param {number} size */
function thinnedRows(notes, height, size) {
  const rows = notes.filter((note) => note.name?.startsWith("sum "));
  const every = Math.max(1, Math.ceil((rows.length * size * 1.25) / height));
  return notes.filter((note) => !rows.includes(note) || rows.indexOf(note) % every === 0);
}

/** @param {any} note @param {Palette} colours */
function restyledNote(note, colours) {
  const role = note.name?.replace(/^(end|sum|title) /, "");
  const color = role ? colourOf(colours, role) : colours.ink;
  return { showarrow: false, borderpad: 0, ...note, font: { family: colours.fonts.mono, size: colours.tick, color } };
}

/** @param {any} shape @param {Palette} colours */
const lined = (shape, colours) => ({ ...shape, line: { ...shape.line, color: shape.name?.startsWith("line ") ? colourOf(colours, shape.name.slice(5)) : colours.ruleStrong } });

