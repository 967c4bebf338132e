// Plotly, loaded from our own server after the first picture, and the few choices that make its figures ours.

import { plotlyText, weight } from "./text.js";

/** @type {Promise<any> | undefined} */
let script;

/** Plotly's module, fetched when first asked for; its address comes from the template. @returns {Promise<any>} */
export function plotly() {
  script ??= new Promise((done, stop) => {
    const element = document.createElement("script");
    element.src = document.body.dataset.plotly ?? "";
    element.addEventListener("load", () => done(/** @type {any} */ (globalThis).Plotly));
    element.addEventListener("error", () => ((script = undefined), stop(new Error("Plotly’s script did not arrive."))));
    document.head.append(element);
  });
  return script;
}

/** Waits for a quiet moment after the first picture. */
export const whenIdle = () => new Promise((done) => ("requestIdleCallback" in globalThis ? requestIdleCallback(() => done(undefined), { timeout: 1500 }) : setTimeout(done, 300)));

const CONFIG = Object.freeze({ displayModeBar: false, responsive: false, displaylogo: false });

/** @param {import("./colours.js").Palette} colours @param {Record<string, any>} [more] */
export const layout = (colours, more = {}) => ({
  paper_bgcolor: "rgba(0,0,0,0)",
  plot_bgcolor: "rgba(0,0,0,0)",
  font: { family: colours.fonts.sans, size: colours.tick, color: colours.ink },
  hoverlabel: { font: { family: colours.fonts.mono, size: colours.tick, color: colours.ink }, bgcolor: colours.paper, bordercolor: colours.ruleStrong },
  margin: { l: 96, r: 24, t: 72, b: 24 },
  showlegend: false,
  ...more,
});

/** A level or upright axis that names tokens. @param {string[]} labels @param {string} title @param {import("./colours.js").Palette} colours @param {Record<string, any>} [more] */
export const tokenAxis = (labels, title, colours, more = {}) => ({
  tickmode: "array",
  tickvals: labels.map((_, i) => i),
  ticktext: labels.map(plotlyText),
  tickfont: { family: colours.fonts.mono, size: colours.tick },
  title: { text: plotlyText(title), font: { family: colours.fonts.serif, size: colours.tick, color: colours.inkSoft } },
  showgrid: false,
  zeroline: false,
  ticks: "",
  ...more,
});

/** @param {string[]} stops */
export const colorscale = (stops) => stops.map((colour, i) => [i / (stops.length - 1), colour]);

/**
 * A heat map whose cells lie at whole numbers; masked cells (null) stay empty, for the hatching under it.
 * @param {{values: (number | null)[][] | Float32Array[], scale: import("./colours.js").Scale, colours: import("./colours.js").Palette, print?: boolean, hover?: string[][]}} options
 */
export const heatMapTrace = ({ values, scale, colours, print = false, hover }) => ({
  type: "heatmap",
  z: values,
  zmin: scale.low,
  zmax: scale.high,
  colorscale: colorscale(scale.stops),
  xgap: 0,
  ygap: 0,
  hoverongaps: false,
  hovertemplate: hover ? "%{text}<extra></extra>" : "%{z}<extra></extra>",
  ...(hover ? { text: hover.map((row) => row.map(plotlyText)) } : {}),
  ...(print ? { texttemplate: "%{customdata}", customdata: [...values].map((row) => [...row].map((value) => (value === null ? "" : weight(value)))), textfont: { family: colours.fonts.mono, size: colours.tick } } : {}),
  colorbar: { thickness: colours.tick, outlinewidth: 1, outlinecolor: colours.ruleStrong, ticks: "outside", title: { text: plotlyText(scale.unit), side: "top" }, len: 1 },
});

/**
 * Draws into a stage of its own beside the canvas, and answers with the ways to export it.
 * @param {HTMLElement} stage @param {any[]} traces @param {any} arrangement
 * @returns {Promise<{element: any, picture: import("../foot.js").Picture}>}
 */
export async function plot(stage, traces, arrangement) {
  const Plotly = await plotly();
  let element = /** @type {HTMLElement | null} */ (stage.querySelector(":scope > .plot"));
  if (!element) {
    element = Object.assign(document.createElement("div"), { className: "plot" });
    stage.append(element);
  }
  const size = { width: stage.clientWidth, height: stage.clientHeight };
  await Plotly.react(element, traces, { ...arrangement, ...size }, CONFIG);
  const image = (/** @type {string} */ format, /** @type {number} */ scale) => Plotly.toImage(element, { format, ...size, scale });
  const picture = {
    svg: async () => decodeURIComponent((await image("svg", 1)).replace(/^data:image\/svg\+xml,/, "")),
    png: async () => bytes(await image("png", 2)),
  };
  return { element, picture };
}

/** A data address as a file; `fetch` may not, under our policy. @param {string} address */
function bytes(address) {
  const binary = atob(address.slice(address.indexOf(",") + 1));
  return new Blob([Uint8Array.from(binary, (c) => c.charCodeAt(0))], { type: "image/png" });
}
