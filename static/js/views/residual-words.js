// The residual page in words: a sentence for a token and a step, and each view's numbers as a table.

import { matrixTable } from "../draw/table.js";
import { number, visible, weight } from "../draw/text.js";
import { partTitle, stepTitle } from "./residual-stream.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("./residual-frame.js").State} State */

/** The parts that carry one token's stream furthest at a step. @param {Stream} stream @param {number} step @param {number} position @param {number} count */
export const largestParts = (stream, step, position, count) =>
  stream.parts
    .map((part, i) => ({ title: partTitle(part), value: stream.projections[step][i][position] }))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, count);

/** @type {Record<string, (stream: Stream, lens: Lens | null, step: number, position: number) => string>} */
const SAY = {
  norm: (stream, _, s, p) => {
    const sum = stream.sum[s]?.[p];
    return sum !== undefined && stream.steps[s].norm ? `|x + f| = ${number(sum)}, after LN |x| = ${number(stream.norm[s][p])}` : `|x| = ${number(stream.norm[s][p])}`;
  },
  writes: (stream, _, s, p) => (stream.update[s] ? `writes |f| = ${number(stream.update[s][p])}, cosine with the stream ${number(stream.cosine[s]?.[p] ?? 0)}` : `|x| = ${number(stream.norm[s][p])}`),
  dependency: (stream, _, s, p) => (stream.dependency[s] ? `Var f / Var(x + f) = ${number(stream.dependency[s][p])}, mean over tokens ${number(stream.dependencyMean[s])}` : "nothing was there before"),
  contributions: (stream, _, s, p) => {
    const parts = stream.parts.filter((__, i) => stream.projections[s][i][p] !== 0).length;
    const largest = largestParts(stream, s, p, 2).map(({ title, value }) => `${title} ${number(value, 2)}`);
    return `${parts} parts sum to ${number(stream.norm[s][p], 2)} (to ${stream.difference.toExponential(0)}); ${largest.join(", ")} …`;
  },
  lens: (_, lens, s, p) => (lens ? `${lens.guesses[s][p].slice(0, 4).map(({ token, probability }) => `${visible(token)} ${weight(probability)}`).join(", ")}${lens.expected[p] ? `; really next: ${visible(lens.expected[p])}, rank ${lens.rank[s][p] ?? "–"}` : ""}` : "not read out"),
};

/** je, layer 1 cross-attention: … @param {Stream} stream @param {Lens | null} lens @param {State} state */
export const say = (stream, lens, { view, step, position }) =>
  `${visible(stream.tokens[position])}, ${stepTitle(stream.steps[step])}: ${SAY[view](stream, lens, step, position)}`;

/** @type {Record<string, (stream: Stream, lens: Lens | null, state: State) => import("../draw/table.js").Table>} */
const TABLES = {
  norm: (stream) => {
    const rows = stream.steps.flatMap((step, s) => [
      ...(step.norm && stream.sum[s] ? [{ title: `${stepTitle(step)}, before the norm`, values: stream.sum[s] }] : []),
      { title: stepTitle(step), values: stream.norm[s] },
    ]);
    return matrixTable("Length of the stream, |x|", "step \\ token", rows.map((row) => row.title), stream.tokens, rows.map((row) => row.values));
  },
  writes: (stream) => {
    const written = stream.steps.flatMap((step, s) => (stream.update[s] ? [{ title: `${stepTitle(step)}, |f|`, values: stream.update[s] }, { title: `${stepTitle(step)}, cosine with x`, values: stream.cosine[s] ?? [] }] : []));
    const parts = stream.parts.map((part, i) => ({ title: partTitle(part), values: stream.partNorm[i] }));
    const rows = [...written, ...parts];
    return matrixTable("Length of every write, and of its parts as they were written", "write \\ token", rows.map((row) => row.title), stream.tokens, rows.map((row) => row.values));
  },
  dependency: (stream) => {
    const steps = stream.steps.map((_, s) => s).filter((s) => stream.dependency[s]);
    const values = steps.map((s) => [stream.dependencyMean[s], ...(stream.dependency[s] ?? [])]);
    return matrixTable("Var f / Var(x + f)", "sub-layer \\ token", steps.map((s) => stepTitle(stream.steps[s])), ["mean", ...stream.tokens], values);
  },
  contributions: (stream, _, { position }) => {
    const values = stream.parts.map((__, i) => stream.projections.map((step) => step[i][position]));
    const sums = stream.steps.map((__, s) => values.reduce((sum, row) => sum + row[s], 0));
    const token = visible(stream.tokens[position]);
    return matrixTable(`Parts of the stream of ${token}, along its own direction`, "part \\ step", [...stream.parts.map(partTitle), "sum", "|x|"], stream.steps.map(stepTitle), [...values, sums, stream.norm.map((row) => row[position])]);
  },
  lens: (stream, lens) => ({
    caption: "First guess and its probability, by token and step",
    head: ["after \\ step", ...stream.steps.map(stepTitle), "really next"],
    rows: lens ? stream.tokens.map((token, p) => [token, ...lens.guesses.map((rows) => `${visible(rows[p][0].token)} ${weight(rows[p][0].probability, 3)}`), lens.expected[p] ?? ""]) : [],
  }),
};

/** @param {Stream} stream @param {Lens | null} lens @param {State} state */
export const tableOf = (stream, lens, state) => TABLES[state.view](stream, lens, state);
