// Reads the answers of /residual and /logits once: the steps of the stream with their writers, and every number by step and position.

/** What writes to the stream: its name in words, a short one for an axis, and its colour's name. */
export const WRITERS = Object.freeze({
  embedding: { title: "embedding", short: "embed", colour: "embedding" },
  token: { title: "token embedding", short: "token", colour: "embedding" },
  position: { title: "position", short: "pos", colour: "position" },
  attention: { title: "self-attention", short: "self", colour: "attention" },
  cross_attention: { title: "cross-attention", short: "cross", colour: "cross" },
  feed_forward: { title: "feed-forward", short: "ffn", colour: "feedForward" },
  row_attention: { title: "attention between rows", short: "rows", colour: "cross" },
  row_feed_forward: { title: "feed-forward after rows", short: "ffn", colour: "feedForward" },
  bias: { title: "biases", short: "bias", colour: "bias" },
  norm: { title: "final norm", short: "norm", colour: "stream" },
});

/** The tensors of /residual that each view is drawn from; `norm` brings the tokens along. Contributions need `projections` too, of one token. */
export const NEEDS = Object.freeze({
  contributions: "norm",
  norm: "norm,sum_norm",
  writes: "norm,update_norm,cosine,part_norm",
  dependency: "norm,dependency,dependency_mean",
  lens: "norm",
});

/** @typedef {{name: string, wrote: string | null, norm: string | null, formula: string, writer: string, layer: number | null}} Step */
/** @typedef {{name: string, kind: string, layer: number | null, head: number | null}} Part */
/**
 * @typedef {object} Stream numbers are indexed [step][position]; null where a step has none, or where they were not asked for
 * @property {string} stack @property {string} placement @property {number} width @property {Step[]} steps @property {Part[]} parts
 * @property {string[]} tokens @property {number[][]} norm @property {(number[] | null)[]} sum @property {(number[] | null)[]} update
 * @property {(number[] | null)[]} cosine @property {(number[] | null)[]} dependency @property {(number | null)[]} dependencyMean
 * @property {number[][]} partNorm [part][position] @property {(number | null)[][][]} projections [step][part][position], null where not asked for @property {number} difference
 */

/** decoder.1.cross_attention.out -> cross_attention; a step that writes nothing is the final norm. @param {string | null} wrote */
const writerOf = (wrote) => wrote?.split(".").at(-2) ?? "norm";

/** @param {string} name */
const layerOf = (name) => (/^\w+\.\d+\./.test(name) ? Number(name.split(".")[1]) : null);

/** By step, part and position: null for positions that were not asked for. @param {any} answer @param {number} tokens */
const spread = ({ tensors: { projections }, position }, tokens) =>
  projections?.data.map((/** @type {number[][]} */ parts) => parts.map((row) => (row.length === tokens ? row : Array.from({ length: tokens }, (_, p) => (p === position ? row[0] : null)))));

/** @param {any} answer of /residual @param {any} [parts] its answer about one position, where `projections` are told apart @returns {Stream} */
export function readStream(answer, parts = answer) {
  const { tensors, axes } = answer;
  const text = tensors.norm.axes[1];
  const row = answer.steps.map((/** @type {Step} */ step) => (axes.sub_layer?.labels ?? []).indexOf(step.wrote));
  const bySubLayer = (/** @type {string} */ name) => row.map((/** @type {number} */ r) => tensors[name]?.data[r] ?? null);
  return {
    stack: answer.stack,
    placement: answer.placement,
    width: answer.d_model,
    steps: answer.steps.map((/** @type {any} */ step, /** @type {number} */ i) => ({ ...step, writer: writerOf(step.wrote), layer: i ? layerOf(step.name) : null })),
    parts: answer.parts,
    tokens: axes[text].labels,
    norm: tensors.norm.data,
    sum: bySubLayer("sum_norm"),
    update: bySubLayer("update_norm"),
    cosine: bySubLayer("cosine"),
    dependency: bySubLayer("dependency"),
    dependencyMean: bySubLayer("dependency_mean"),
    partNorm: tensors.part_norm?.data ?? [],
    projections: spread(parts, axes[text].labels.length) ?? [],
    difference: answer.largest_difference.value,
  };
}

/** @typedef {{token: string, probability: number}} Guess */
/** @typedef {{guesses: Guess[][][], expected: string[], rank: number[][]}} Lens [step][position], guesses by rank */

/** The lens, one reading for each step: a final norm is read like the point before it, which the lens norms itself. @param {any} answer of /logits @param {Stream} stream @returns {Lens} */
export function readLens(answer, stream) {
  const places = stream.steps.map((step) => answer.points.findIndex((/** @type {any} */ point) => point.name === step.name));
  const last = answer.points.length - 1;
  const pick = (/** @type {string} */ name) => places.map((place) => answer.tensors[`lens.${name}`].data[place < 0 ? last : place]);
  const chances = pick("top_probability");
  const of = (/** @type {any[]} */ rows, /** @type {number} */ p) => rows[Math.min(p, rows.length - 1)]; // one answer of all positions is every position's
  const tokens = places.map((place) => answer.lens_tokens[place < 0 ? last : place]);
  return {
    guesses: tokens.map((rows, s) => (stream.tokens ?? rows).map((_, p) => of(rows, p).map((/** @type {string} */ token, /** @type {number} */ r) => ({ token, probability: of(chances[s], p)[r] })))),
    expected: after(answer, answer.expected, ""),
    rank: pick("expected_rank").map((ranks) => after(answer, ranks, 0)),
  };
}

/** By position: nothing is expected before the first that is asked. @template T @param {any} answer @param {T[]} told @param {T} none @returns {T[]} */
const after = ({ expected_from: from = 0 }, told, none) => [...Array(from).fill(none), ...told];

/** layer 1 cross-attention. @param {Step} step */
export const stepTitle = ({ writer, layer }) => `${layer === null ? "" : `layer ${layer} `}${WRITERS[/** @type {keyof typeof WRITERS} */ (writer)].title}`;

/** layer 1 cross-attention head 2, layer 0 feed-forward, decoder.0.norm1.bias. @param {Part} part */
export function partTitle({ name, kind, layer, head }) {
  if (kind === "bias") return name;
  const where = layer === null ? "" : `layer ${layer} `;
  return `${where}${WRITERS[/** @type {keyof typeof WRITERS} */ (kind)].title}${head === null ? "" : ` head ${head}`}`;
}
