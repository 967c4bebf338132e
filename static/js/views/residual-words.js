// The residual page in words: a sentence for a token and a step.

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
    if (stream.projections[s][0][p] === null) return `|x| = ${number(stream.norm[s][p])}`;
    const parts = stream.parts.filter((__, i) => stream.projections[s][i][p] !== 0).length;
    const largest = largestParts(stream, s, p, 2).map(({ title, value }) => `${title} ${number(value, 2)}`);
    return `${parts} parts sum to ${number(stream.norm[s][p], 2)} (to ${stream.difference.toExponential(0)}); ${largest.join(", ")} …`;
  },
  lens: (_, lens, s, p) => (lens ? `${lens.guesses[s][p].slice(0, 4).map(({ token, probability }) => `${visible(token)} ${weight(probability)}`).join(", ")}${lens.expected[p] ? `; really next: ${visible(lens.expected[p])}, rank ${lens.rank[s][p] ?? "–"}` : ""}` : "not read out"),
};

/** je, layer 1 cross-attention: … @param {Stream} stream @param {Lens | null} lens @param {State} state */
export const say = (stream, lens, { view, step, position }) =>
  `${visible(stream.tokens[position])}, ${stepTitle(stream.steps[step])}: ${SAY[view](stream, lens, step, position)}`;
