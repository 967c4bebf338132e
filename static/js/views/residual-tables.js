// Each view of the residual page as a table; its code comes when a table is asked for.

import { matrixTable } from "../draw/table.js";
import { visible, weight } from "../draw/text.js";
import { partTitle, stepTitle } from "./residual-stream.js";

/** @typedef {import("./residual-stream.js").Stream} Stream */
/** @typedef {import("./residual-stream.js").Lens} Lens */
/** @typedef {import("./residual-frame.js").State} State */

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
    head: ["after \\ step", ...stream.steps.map(stepTitle), ...(lens?.expected.length ? ["really next"] : [])],
    rows: lens ? stream.tokens.map((token, p) => [token, ...lens.guesses.map((rows) => `${visible(rows[p][0].token)} ${weight(rows[p][0].probability, 3)}`), ...(lens.expected.length ? [lens.expected[p] ?? ""] : [])]) : [],
  }),
};

/** @param {Stream} stream @param {Lens | null} lens @param {State} state */
export const tableOf = (stream, lens, state) => TABLES[state.view](stream, lens, state);
