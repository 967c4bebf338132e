// The same five views as Plotly figures: every part under the pointer, zoom, and a legend that switches writers off.

import { headColour, probability } from "../draw/colours.js";
import { heatMapTrace, layout, tokenAxis } from "../draw/plotly.js";
import { plotlyText, shorten, visible, weight } from "../draw/text.js";
import { ORDER, stack } from "./residual-contributions.js";
import { way } from "./residual-norm.js";
import { WRITERS, partTitle, stepTitle } from "./residual-stream.js";
import { partsOf, writeOf } from "./residual-writes.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("./residual-frame.js").State} State */
/** @typedef {import("../draw/colours.js").Palette} Palette */

/** @param {Palette} colours @param {string} writer */
const colourOf = (colours, writer) => colours[WRITERS[/** @type {keyof typeof WRITERS} */ (writer)].colour];

/** @type {Record<string, {title: string, traces: (stream: Stream, lens: Lens | null, state: State, colours: Palette) => any[]}>} */
const VIEWS = {
  contributions: {
    title: "part · x / |x|",
    traces(stream, _, { position }, colours) {
      const bars = stream.steps.flatMap((__, s) => stack(stream, s, position).map((bar) => ({ ...bar, step: s })));
      const kinds = ORDER.flatMap((kind) => {
        const own = bars.filter((bar) => bar.kind === kind);
        return own.length ? [{
          type: "bar", name: WRITERS[/** @type {keyof typeof WRITERS} */ (kind)].title,
          x: own.map((bar) => bar.step + (bar.value > 0 ? -0.1 : 0.3)), y: own.map((bar) => bar.value), base: own.map((bar) => bar.from), width: own.map((bar) => (bar.value > 0 ? 0.58 : 0.18)),
          marker: { color: colourOf(colours, kind), line: { color: colours.paper, width: 1 } },
          hovertemplate: "%{text}<br>%{y}<extra></extra>", text: own.map((bar) => plotlyText(partTitle(stream.parts[bar.part]))), textposition: "none",
        }] : [];
      });
      return [...kinds, across("|x|", stream.norm.map((row) => row[position]), colours)];
    },
  },
  norm: {
    title: "|x|",
    traces: (stream, _, { position }, colours) =>
      stream.tokens.map((token, p) => {
        const points = way(stream, p);
        return {
          type: "scatter", mode: p === position ? "lines+markers" : "lines", name: plotlyText(token),
          x: points.map((point) => point.step + point.shift), y: points.map((point) => point.value),
          line: { color: colours.stream, width: p === position ? 3 : 1 }, opacity: p === position ? 1 : 0.35,
          text: points.map((point) => `${plotlyText(token)}, ${stepTitle(stream.steps[point.step])}${point.before ? ", before the norm" : ""}`),
          hovertemplate: "%{text}<br>|x| = %{y}<extra></extra>",
        };
      }),
  },
  writes: {
    title: "|f|",
    traces(stream, _, { position }, colours) {
      const steps = stream.steps.map((__, s) => s).filter((s) => writeOf(stream, s));
      const whole = {
        type: "bar", name: "whole write", width: 0.34, x: steps.map((s) => s - 0.22), y: steps.map((s) => writeOf(stream, s)?.[position]),
        marker: { color: steps.map((s) => colourOf(colours, stream.steps[s].writer)) }, text: steps.map((s) => stepTitle(stream.steps[s])), textposition: "none", hovertemplate: "%{text}<br>|f| = %{y}<extra></extra>",
      };
      const parts = steps.flatMap((s) => partsOf(stream, s).map((part, i, all) => ({ part, x: s - 0.03 + (0.45 * (i + 0.5)) / all.length, width: 0.4 / all.length })));
      return [whole, {
        type: "bar", name: "its parts", x: parts.map(({ x }) => x), width: parts.map(({ width }) => width), y: parts.map(({ part }) => stream.partNorm[part][position]),
        marker: { color: parts.map(({ part }) => (stream.parts[part].head === null ? colourOf(colours, stream.parts[part].kind) : headColour(colours, Number(stream.parts[part].head)))) },
        text: parts.map(({ part }) => plotlyText(partTitle(stream.parts[part]))), textposition: "none", hovertemplate: "%{text}<br>%{y}<extra></extra>",
      }];
    },
  },
  dependency: {
    title: "Var f / Var(x + f)",
    traces(stream, _, __, colours) {
      const steps = stream.steps.map((___, s) => s).filter((s) => stream.dependency[s]);
      const tokens = stream.tokens.map((token, p) => ({
        type: "scatter", mode: "markers", name: plotlyText(token), x: steps, y: steps.map((s) => stream.dependency[s]?.[p]),
        text: steps.map((s) => `${plotlyText(token)}, ${stepTitle(stream.steps[s])}`), hovertemplate: "%{text}<br>%{y}<extra></extra>", marker: { size: 9, color: headColour(colours, p), symbol: p % 24 },
      }));
      const means = stream.steps.map((___, s) => stream.dependencyMean[s]);
      return [...tokens, across("mean", means, colours)];
    },
  },
  lens: {
    title: "after",
    traces(stream, lens, _, colours) {
      if (!lens) return [];
      const rows = stream.tokens.map((__, p) => lens.guesses.map((step) => step[p]));
      const hover = rows.map((row, p) => row.map((guesses, s) => `${visible(stream.tokens[p])}, ${stepTitle(stream.steps[s])}: ${guesses.slice(0, 5).map(({ token, probability: chance }) => `${visible(token)} ${weight(chance, 3)}`).join(", ")}`));
      const trace = heatMapTrace({ values: rows.map((row) => row.map((guesses) => guesses[0].probability)), scale: probability(colours), colours });
      return [{
        ...trace,
        text: rows.map((row) => row.map((guesses) => plotlyText(shorten(visible(guesses[0].token), 10)))), texttemplate: "%{text}", textfont: { family: colours.fonts.mono, size: colours.tick },
        hovertext: hover.map((row) => row.map(plotlyText)), hovertemplate: "%{hovertext}<extra></extra>",
        colorbar: { ...trace.colorbar, title: { text: "probability", side: "top" } },
      }];
    },
  },
};

/** A short stroke across every column. @param {string} name @param {(number | null)[]} values @param {Palette} colours */
const across = (name, values, colours) => ({
  type: "scatter", mode: "markers", name, x: values.map((_, s) => s), y: values,
  marker: { symbol: "line-ew-open", size: 44, color: colours.ink, line: { width: 3, color: colours.ink } }, hovertemplate: `${name} = %{y}<extra></extra>`,
});

/** @param {Stream} stream @param {Lens | null} lens @param {State} state @param {Palette} colours @returns {{traces: any[], arrangement: any}} */
export function explorable(stream, lens, state, colours) {
  const { title, traces } = VIEWS[state.view];
  const names = stream.steps.map(({ writer, layer }) => `${layer === null ? "" : `${layer} `}${WRITERS[/** @type {keyof typeof WRITERS} */ (writer)].short}`);
  const axisFont = { family: colours.fonts.serif, size: colours.tick, color: colours.inkSoft };
  const tokens = { ...tokenAxis(stream.tokens, "", colours, { autorange: "reversed" }), title: { text: title, font: axisFont } };
  const values = { title: { text: plotlyText(title), font: axisFont }, gridcolor: colours.rule, zerolinecolor: colours.ruleStrong, rangemode: "tozero" };
  return {
    traces: traces(stream, lens, state, colours),
    arrangement: layout(colours, {
      margin: { l: 72, r: 16, t: 48, b: 56 },
      barmode: "overlay",
      showlegend: !["lens", "writes"].includes(state.view),
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 1, xanchor: "right", font: { size: colours.tick } },
      xaxis: { ...tokenAxis(names, "", colours), ticktext: names, title: { text: "step of the stream: layer and writer", font: axisFont } },
      yaxis: state.view === "lens" ? tokens : values,
    }),
  };
}
