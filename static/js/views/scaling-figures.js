// The pictures of scaling: one query's weights, and entropy, gradient and products of many; everywhere unscaled above or beside scaled.

import { decades } from "../draw/axes.js";
import { bars, lines } from "../draw/chart.js";
import { binned, histogram } from "../draw/histogram.js";
import { move, scene, text } from "../draw/scene.js";
import { scoreColour } from "../draw/scores.js";
import { matrixTable } from "../draw/table.js";
import { number, weight } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */
/** @typedef {{scene: import("../draw/scene.js").Scene, box: (row: number, column: number) => import("../draw/heatmap.js").Box, at: (x: number, y: number) => {row: number, column: number} | null}} Picture */

const SCORES = ["dot", "scaled_dot"];
const NAMES = ["unscaled", "scaled"];

const HEADROOM = 1.15; // over a weight of 1 stands its number

/** Two pictures of one size, one above the other, as rows 0 and 1 of one. @param {Picture[]} pictures @param {string} label @param {Space} space @returns {Picture} */
function stacked(pictures, label, { width, height }) {
  const half = height / 2;
  return {
    scene: scene(width, height, label, pictures.flatMap((picture, row) => move(0, row * half, picture.scene.shapes))),
    box: (row, column) => ({ ...pictures[row].box(0, column), y: pictures[row].box(0, column).y + row * half }),
    at: (x, y) => {
      const row = y < half ? 0 : 1;
      const found = pictures[row].at(x, y - row * half);
      return found && { row, column: found.column };
    },
  };
}

/** The weights of one query as bars; the largest says its number. @param {any} answer @param {Space} space @returns {Drawn} */
export function weights(answer, space) {
  const { width, height, colours } = space;
  const values = /** @type {number[][]} */ (answer.tensors.pattern.data);
  const keys = values[0].map((_, i) => String(i + 1));
  const label = `weights of one query: the largest is ${values.map((row, i) => `${weight(Math.max(...row))} ${NAMES[i]}`).join(", ")}`;
  const pictures = values.map((row, i) => {
    const picture = bars({ series: [{ name: NAMES[i], colour: scoreColour(colours, SCORES[i]), values: row }], names: keys.map(() => ""), x: `keys 1 to ${keys.length}`, y: { title: `weight, ${NAMES[i]}`, low: 0, high: HEADROOM }, label, width, height: height / 2, colours });
    const highest = row.indexOf(Math.max(...row));
    const { x, y, width: wide, height: high } = picture.box(0, highest);
    const said = text(x + wide / 2, y + high * (1 - row[highest] / HEADROOM) - 4, weight(row[highest]), { fill: colours.ink, size: colours.tick, font: "mono", anchor: "middle", baseline: "bottom" });
    return { ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, said] } };
  });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => `key ${keys[column]}, ${NAMES[row]}: ${number(values[row][column])}`;
  return { ...stacked(pictures, label, space), tensor: "pattern", rows: 2, columns: keys.length, say, table: matrixTable("Weights of one query", "score \\ key", NAMES, keys, values) };
}

/** Places of the widths on a scale of their logarithms, and which of them the clinic was asked about. @param {any} answer @param {Space} space */
function widthAxis(answer, { state }) {
  const widths = /** @type {string[]} */ (answer.axes.d_head.labels);
  const xs = widths.map((width) => Math.log2(Number(width)));
  return { widths, selected: widths.indexOf(state.d_head), xs, marks: xs.map((x, i) => /** @type {[number, string]} */ ([x, widths[i]])), x: "d_k" };
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function entropy(answer, space) {
  const { width, height, colours } = space;
  const { widths, selected, ...level } = widthAxis(answer, space);
  const values = /** @type {number[][]} */ (answer.tensors.entropy.data);
  const title = `entropy / ln ${answer.axes.key.size}`;
  const series = NAMES.map((name, i) => ({ name, colour: scoreColour(colours, SCORES[i]), values: values[i], dots: true }));
  const picture = lines({ series, ...level, selected: selected < 0 ? null : selected, y: { title, low: 0, high: 1 }, label: `${title} against d_k: ${NAMES.join(", ")}`, width, height, colours });
  const say = (/** @type {{column: number}} */ { column }) => `d_k = ${widths[column]}: ${NAMES.map((name, i) => `${name} ${number(values[i][column])}`).join(", ")}`;
  return { ...picture, tensor: "entropy", rows: 1, columns: widths.length, say, table: matrixTable(title, "score \\ d_k", NAMES, widths, values) };
}

/** On scales of logarithms, over the law (dashed): the variance of q·k grows like d_k, that of the scaled score stays. @param {any} answer @param {Space} space @returns {Drawn} */
export function variance(answer, space) {
  const { width, height, colours, state } = space;
  const { widths, selected, ...level } = widthAxis(answer, space);
  const values = /** @type {number[][]} */ (answer.tensors.variance.data);
  const own = 1 + Number(state.correlation || 0) ** 2;
  const laws = [widths.map((d) => own * Number(d)), widths.map(() => own)];
  const log = (/** @type {number[]} */ row) => row.map((value) => Math.log10(value));
  const series = NAMES.flatMap((name, i) => [
    { name, colour: scoreColour(colours, SCORES[i]), values: log(values[i]), dots: true },
    { name: "law", colour: colours.inkSoft, values: log(laws[i]), dash: [2, 4] },
  ]);
  const picture = lines({ series, ...level, selected: selected < 0 ? null : selected, y: decades([...values.flat(), ...laws.flat()], "variance"), label: `variance of the scores against d_k: ${NAMES.join(", ")}; dashed, the law`, width, height, colours });
  const say = (/** @type {{column: number}} */ { column }) => `d_k = ${widths[column]}: variance ${number(values[0][column])} unscaled, ${number(values[1][column])} scaled`;
  return { ...picture, tensor: "variance", rows: 1, columns: widths.length, say, table: matrixTable("Variance of the scores", "score \\ d_k", NAMES, widths, values) };
}

const LEAST = 1e-30;

/** Medians, and the mean that hides one of them; what is nearly 0 has no place on a scale of logarithms, but stands in the table. @param {any} answer @param {Space} space @returns {Drawn} */
export function gradient(answer, space) {
  const { width, height, colours } = space;
  const { widths, selected, ...level } = widthAxis(answer, space);
  const statistics = /** @type {string[]} */ (answer.axes.statistic.labels);
  const [unscaled, scaled] = /** @type {number[][][]} */ (answer.tensors.jacobian.data);
  const [median, mean] = [statistics.indexOf("median"), statistics.indexOf("mean")];
  const drawn = [
    { name: "scaled", colour: scoreColour(colours, SCORES[1]), values: scaled[median], dots: true },
    { name: "mean", colour: scoreColour(colours, SCORES[0]), values: unscaled[mean], dash: [2, 4] },
    { name: "unscaled", colour: scoreColour(colours, SCORES[0]), values: unscaled[median], dots: true },
  ];
  const seen = (/** @type {number} */ value) => value > LEAST;
  const logs = drawn.map((one) => ({ ...one, values: one.values.map((value) => (seen(value) ? Math.log10(value) : null)) }));
  const title = "median |diag(p) − p pᵀ|";
  const picture = lines({ series: logs, ...level, selected: selected < 0 ? null : selected, y: decades(drawn.flatMap(({ values }) => values.filter(seen)), title), label: `${title} against d_k: scaled, unscaled, and the unscaled mean`, width, height, colours });
  const say = (/** @type {{column: number}} */ { column }) => `d_k = ${widths[column]}: median ${number(unscaled[median][column])} unscaled, ${number(scaled[median][column])} scaled; mean ${number(unscaled[mean][column])} unscaled`;
  const rows = NAMES.flatMap((name) => statistics.map((statistic) => `${name}, ${statistic}`));
  return { ...picture, tensor: "jacobian", rows: 1, columns: widths.length, say, table: matrixTable("Norm of the softmax's Jacobian", "statistic \\ d_k", rows, widths, [...unscaled, ...scaled]) };
}

const STEPS = 4; // bins in one standard deviation

/** What came, over what the law expects: a normal curve of variance d_k, and of variance 1. @param {any} answer @param {Space} space @returns {Drawn} */
export function products(answer, space) {
  const { width, height, colours, state } = space;
  const root = Math.sqrt(Number(state.d_head));
  const dots = /** @type {number[]} */ (answer.tensors.products.data.flat());
  const most = Math.max(4 * root, ...reach(dots));
  const bins = binned(dots, root / STEPS);
  const both = [
    { spread: root, bins, title: "q·k" },
    { spread: 1, bins: bins.map(({ from, to, share }) => ({ from: from / root, to: to / root, share })), title: "q·k / √d_k" },
  ];
  const label = `how many pairs have which product, of ${dots.length}: unscaled and scaled`;
  const drawn = both.map(({ spread, bins, title }, i) => {
    const expected = (/** @type {number} */ x) => Math.exp(-((x / spread) ** 2) / 2) / Math.sqrt(2 * Math.PI) / STEPS;
    return histogram({ bins, expected, colour: scoreColour(colours, SCORES[i]), x: { title, low: Math.min(-4 * root, -reach(dots)[1]), high: most }, y: { title: `share of pairs, ${NAMES[i]}` }, label, colours, width, height: height / 2 });
  });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => {
    const { from, to, share } = both[row].bins[column];
    return `${NAMES[row]}, ${number(from, 1)} to ${number(to, 1)}: ${number(share)} of the pairs`;
  };
  const rows = bins.map(({ from, to, share }) => [`${number(from, 1)} to ${number(to, 1)}`, from / root, share]);
  return { ...stacked(drawn, label, space), tensor: "products", rows: 2, columns: bins.length, say, table: { caption: "Products of pairs", head: ["q·k", "from, scaled", "share of pairs"], rows } };
}

/** The largest, and the size of the smallest below zero. @param {number[]} values */
const reach = (values) => values.reduce(([high, low], value) => [Math.max(high, value), Math.max(low, -value)], [0, 0]);
