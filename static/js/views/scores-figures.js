// The pictures of scores: six maps over the same queries and keys, how far each moves with the keys, and hard against soft.

import { decades, powerOfTen } from "../draw/axes.js";
import { bars, lines } from "../draw/chart.js";
import { probability } from "../draw/colours.js";
import { panels } from "../draw/panels.js";
import { text } from "../draw/scene.js";
import { SCORE, scoreColour } from "../draw/scores.js";
import { matrixTable } from "../draw/table.js";
import { number } from "../draw/text.js";

/** @typedef {import("../clinic.js").Space} Space */
/** @typedef {import("../clinic.js").Drawn} Drawn */

/** @type {Record<string, string>} */
const FORMULA = { dot: "qkᵀ", scaled_dot: "qkᵀ / √d", general: "qWkᵀ", additive: "tanh(qW + kU)v", cosine: "qkᵀ / |q| |k|", location: "qW" };

const ABREAST = 3;

/** @param {number} n */
const places = (n) => Array.from({ length: n }, (_, i) => String(i + 1));

/** @param {any} answer @param {Space} space @returns {Drawn} */
export function patterns(answer, { width, height, colours }) {
  const functions = /** @type {string[]} */ (answer.axes.function.labels);
  const n = answer.axes.key.size;
  const maps = functions.map((name) => ({ title: SCORE[name], note: FORMULA[name], colour: scoreColour(colours, name), values: /** @type {number[][]} */ (answer.tensors[name].data) }));
  const label = `weights of ${functions.map((name) => SCORE[name]).join(", ")}: rows are queries, columns keys`;
  const picture = panels({ panels: maps, across: ABREAST, scale: probability(colours, "weight"), label, colours, width, height });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => {
    const { title, values } = maps[Math.floor(row / n) * ABREAST + Math.floor(column / n)];
    return `${title}: query ${(row % n) + 1} gives key ${(column % n) + 1} ${number(values[row % n][column % n])}`;
  };
  const rows = maps.flatMap(({ title }) => places(n).map((query) => `${title}, query ${query}`));
  return { ...picture, tensor: functions[0], say, table: matrixTable("Weights", "function, query \\ key", rows, places(n), maps.flatMap(({ values }) => values)) };
}

/** Bars with their numbers, each function in its colour. @param {any} answer @param {Space} space @returns {Drawn} */
export function reach(answer, { width, height, colours }) {
  const functions = /** @type {string[]} */ (answer.axes.function.labels);
  const values = /** @type {number[]} */ (answer.tensors.reach.data);
  const names = functions.map((name) => SCORE[name]);
  const title = "|∂ weights / ∂ keys|";
  const high = (Math.max(...values) || 1) * 1.1;
  const series = functions.map((name, i) => ({ name: names[i], colour: scoreColour(colours, name), values: values.map((value, j) => (i === j ? value : 0)) }));
  const picture = bars({ series, names: names.map((name) => name.replace(" ", "-")), x: "", y: { title, low: 0, high }, label: `${title}: ${names.map((name, i) => `${name} ${number(values[i])}`).join(", ")}`, width, height, colours });
  const said = values.map((value, i) => {
    const { x, y, width: wide, height: tall } = picture.box(0, i);
    return text(x + wide / 2, y + tall * (1 - value / high) - 4, number(value, 2), { fill: colours.ink, size: colours.tick, font: "mono", anchor: "middle", baseline: "bottom" });
  });
  const say = (/** @type {{column: number}} */ { column }) => `${names[column]}: ${title} is ${number(values[column])}`;
  return { ...picture, scene: { ...picture.scene, shapes: [...picture.scene.shapes, ...said] }, tensor: "reach", rows: 1, columns: names.length, say, table: { caption: title, head: ["function", "norm"], rows: names.map((name, i) => [name, values[i]]) } };
}

/** Two choices that have nothing to do with each other: soft or hard, global or local. @param {any} answer @param {Space} space @returns {Drawn} */
export function choices(answer, { width, height, colours }) {
  const n = answer.axes.key.size;
  const [choice, span] = /** @type {string[][]} */ ([answer.axes.choice.labels, answer.axes.span.labels]);
  const weights = /** @type {number[][][][]} */ (answer.tensors.choices.data);
  const reached = /** @type {number[][]} */ (answer.tensors.choice_reach.data);
  const allowed = /** @type {number[][][]} */ (answer.tensors.allowed.data);
  const maps = choice.flatMap((kind, i) => span.map((reach, j) => ({
    title: `${kind}, ${reach}`, note: `gradient ${number(reached[i][j], 2)}`, colour: colours.ink,
    values: weights[i][j].map((row, q) => row.map((value, k) => (allowed[j][q][k] ? value : null))),
  })));
  const label = `weights ${maps.map(({ title, note }) => `${title}: ${note}`).join("; ")}`;
  const picture = panels({ panels: maps, across: span.length, scale: probability(colours, "weight"), label, colours, width, height });
  const say = (/** @type {{row: number, column: number}} */ { row, column }) => {
    const { title, values } = maps[Math.floor(row / n) * span.length + Math.floor(column / n)];
    const value = values[row % n][column % n];
    return `${title}: query ${(row % n) + 1} ${value === null ? "may not see" : "gives"} key ${(column % n) + 1}${value === null ? "" : ` ${number(value)}`}`;
  };
  const rows = maps.flatMap(({ title }) => places(n).map((query) => `${title}, query ${query}`));
  return { ...picture, tensor: "choices", say, table: matrixTable("Weights", "choice, query \\ key", rows, places(n), maps.flatMap(({ values }) => values)) };
}

/** How the mean of hard draws nears the soft weights. @param {any} answer @param {Space} space @returns {Drawn} */
export function draws(answer, { width, height, colours }) {
  const counts = /** @type {string[]} */ (answer.axes.draws.labels);
  const values = /** @type {number[]} */ (answer.tensors.sampling_error.data);
  const xs = counts.map((count) => Math.log10(Number(count)));
  const title = "mean of hard draws − soft";
  const picture = lines({
    series: [{ name: title, colour: scoreColour(colours, "scaled_dot"), values: values.map(Math.log10), dots: true }],
    xs, marks: xs.map((x) => [x, powerOfTen(x)]), x: "draws", y: decades(values, `rms of (${title})`), label: `${title} against the number of draws`, width, height, colours,
  });
  const say = (/** @type {{column: number}} */ { column }) => `${counts[column]} draws: off by ${number(values[column])}`;
  return { ...picture, tensor: "sampling_error", rows: 1, columns: counts.length, say, table: { caption: title, head: ["draws", "root mean square"], rows: counts.map((count, i) => [count, values[i]]) } };
}
