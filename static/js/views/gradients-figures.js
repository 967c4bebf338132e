// Gradients: at the last layer against depth, on the way down by layer, and how alike the tokens have become.

import { decades } from "../draw/axes.js";
import { lines } from "../draw/chart.js";
import { PLACEMENT, placementColour } from "../draw/placements.js";
import { matrixTable } from "../draw/table.js";
import { number, weight } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space @typedef {import("../clinic.js").Drawn} Drawn */

/** Values against depth, a line a placement; depth on a logarithmic scale. @param {any} answer @param {string} tensor @param {(values: number[][]) => import("../draw/axes.js").Range} range @param {(value: number) => number} place @param {Space} space */
function byDepth(answer, tensor, range, place, { width, height, colours }) {
  const depths = /** @type {string[]} */ (answer.axes.depth.labels);
  const placements = /** @type {string[]} */ (answer.axes.placement.labels);
  const values = /** @type {number[][]} */ (answer.tensors[tensor].data);
  const xs = depths.map((depth) => Math.log2(Number(depth)));
  const root = depths.map((depth) => values[1][0] * Math.sqrt(Number(depths[0]) / Number(depth)));
  const guide = tensor === "last" ? [{ name: "1/√L", colour: colours.inkSoft, values: root.map(place), dash: [2, 4] }] : [];
  const y = range(guide.length ? [...values, root] : values);
  const picture = lines({
    series: [...placements.map((placement, i) => ({ name: PLACEMENT[placement], colour: placementColour(colours, placement), values: values[i].map(place), dots: true })), ...guide],
    xs, marks: xs.map((x, i) => [x, depths[i]]), x: "layers L", y, label: `${y.title} against depth: ${placements.map((placement) => PLACEMENT[placement]).join(", ")}`, width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `${depths[column]} layers: ${placements.map((placement, i) => `${PLACEMENT[placement]} ${number(values[i][column])}`).join(", ")}`;
  const table = matrixTable(y.title, "placement \\ layers", placements.map((placement) => PLACEMENT[placement]), depths, values);
  return { ...picture, tensor, rows: 1, columns: depths.length, say, table };
}

/** @param {any} answer @param {Space} space @returns {Drawn} */
export const last = (answer, space) => byDepth(answer, "last", (values) => decades(values.flat(), "|∂L/∂W₂| of the last layer"), Math.log10, space);

/** @param {any} answer @param {Space} space @returns {Drawn} */
const cosine = (answer, space) => byDepth(answer, "token_cosine", () => ({ title: "mean cosine between two tokens", low: 0, high: 1 }), (value) => value, space);

/** @type {Record<string, string>} */
const TITLES = { parameter: "|∂L/∂W₂| of each layer", residual: "|∂L/∂x| after each layer" };

/** Both stacks; the one asked for has dots. @param {any} answer @param {Space} space @returns {Drawn} */
function down(answer, { width, height, colours, state }) {
  const kind = state.beside === "residual" ? "residual" : "parameter";
  const layers = /** @type {string[]} */ (answer.axes.layer.labels);
  const values = /** @type {number[][][]} */ (answer.tensors[kind].data);
  const series = /** @type {string[]} */ (answer.axes.stack.labels).flatMap((stack, s) =>
    /** @type {string[]} */ (answer.axes.placement.labels).map((placement, p) => ({ stack, name: `${PLACEMENT[placement]} ${stack}`, colour: placementColour(colours, placement), numbers: values[s][p] })),
  );
  const y = decades(values.flat(2), TITLES[kind]);
  const picture = lines({
    series: series.map(({ stack, name, colour, numbers }) => ({ name, colour, values: numbers.map(Math.log10), dots: stack === state.stack, dash: stack === "encoder" ? [6, 4] : undefined })),
    xs: layers.map(Number), marks: layers.map((layer) => /** @type {[number, string]} */ ([Number(layer), layer])).filter(([layer]) => layer === 1 || layer % 6 === 0), x: `layer; the loss reads the ${layers.length}th`, y, label: `${TITLES[kind]}: ${series.map(({ name }) => name).join(", ")}`, width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `layer ${layers[column]}: ${series.map(({ name, numbers }) => `${name} ${number(numbers[column])}`).join(", ")}`;
  const table = matrixTable(TITLES[kind], "stack \\ layer", series.map(({ name }) => name), layers, series.map(({ numbers }) => numbers));
  return { ...picture, tensor: kind, rows: 1, columns: layers.length, say, table };
}

/** @param {any} answer @param {Space} space */
export const beside = (answer, space) => (space.state.beside === "cosine" ? cosine : down)(answer, space);

/** What a student reads off. @param {string} stack @param {number} post @param {number} pre first over last */
export const reading = (stack, post, pre) => `First layer over last, in the ${stack}: ${post < 0.1 ? weight(post, 3) : post.toFixed(2)} under Post-LN, ${pre.toFixed(1)} under Pre-LN.`;
