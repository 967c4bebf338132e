// The maps in an answer of /attention: which there are, what the state means for them, and what is said of a head and a cell.

import { input } from "../address.js";
import { number, visible } from "../draw/text.js";
import { placed } from "./places.js";

export const STAGES = ["scores", "masked_scores", "pattern"];

/** What each kind of attention is called, and which text asks (query) and which answers (key). */
export const GROUPS = [
  { id: "encoder.attention", stack: "encoder", kind: "self", title: "encoder self-attention", short: "encoder self" },
  { id: "decoder.attention", stack: "decoder", kind: "self", title: "decoder self-attention", short: "decoder self" },
  { id: "decoder.cross_attention", stack: "decoder", kind: "cross", title: "cross-attention", short: "cross" },
  { id: "encoder.row_attention", stack: "encoder", kind: "rows", title: "attention between rows", short: "rows" },
];

/**
 * @typedef {object} AttentionMap one attention of one layer, all its heads
 * @property {string} name decoder.2.cross_attention
 * @property {string} group decoder.cross_attention
 * @property {"self"|"cross"} kind
 * @property {string} stack
 * @property {number} layer
 * @property {string} stage
 * @property {string} query the axis of the rows
 * @property {string} key the axis of the columns
 * @property {(number|null)[][][]} heads [head][query][key]
 */

/**
 * Every map of the answer, layer by layer, encoder first.
 * @param {any} answer of /api/v1/attention
 * @returns {AttentionMap[]}
 */
export function maps(answer) {
  const found = Object.entries(answer.tensors).flatMap(([full, tensor]) => {
    const [stack, layer, sublayer, stage] = full.split(".");
    if (!STAGES.includes(stage)) return [];
    const group = `${stack}.${sublayer}`;
    const { kind } = GROUPS.find((known) => known.id === group);
    const [, query, key] = tensor.axes;
    return [{ name: `${stack}.${layer}.${sublayer}`, group, kind, stack, layer: Number(layer), stage, query, key, heads: tensor.data }];
  });
  const order = GROUPS.map((group) => group.id);
  return found.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group) || a.layer - b.layer);
}

/** The groups that the answer has, each with its maps. */
export function groups(answer) {
  const all = maps(answer);
  return GROUPS.map((group) => ({ ...group, maps: all.filter((map) => map.group === group.id) })).filter((group) => group.maps.length);
}

/** The mask of a map: 1 where a query may look. */
export const mask = (answer, map) => answer.tensors[`${map.group}.mask`].data;

/**
 * The head that the card measured to do best: to align words, or to look at what followed the same token before; else the last layer's first.
 * @param {any} quality of the card: `alignment.by_head`, by "layer.head", or `induction.by_layer`
 * @param {number} layers how many there are
 */
export function bestHead(quality, layers) {
  const byLayer = Object.entries(quality?.induction?.by_layer ?? {}).flatMap(([layer, heads]) => heads.map((score, head) => [`${layer}.${head}`, score]));
  const measured = [...Object.entries(quality?.alignment?.by_head ?? {}).filter(([name]) => /^\d+\.\d+$/.test(name)), ...byLayer];
  if (!measured.length) return { layer: layers - 1, head: 0 };
  const [name] = measured.reduce((best, other) => (other[1] > best[1] ? other : best));
  const [layer, head] = name.split(".").map(Number);
  return { layer, head };
}

/** What a row adds up to: 1 for a pattern, 0 for a query that may look nowhere. */
export const rowSum = (row) => row.reduce((sum, value) => sum + (value ?? 0), 0);

/**
 * What the state means for this answer: the map, the head (null: all of them), and places that exist in it.
 * @param {any} answer @param {Record<string, string>} state
 */
export function resolve(answer, state) {
  const all = groups(answer);
  const group = all.find((known) => known.kind === state.kind && known.stack === state.stack) ?? all.find((known) => known.kind === state.kind) ?? all.at(-1);
  const within = (text, size) => Math.min(Math.max(Math.trunc(Number(text)) || 0, 0), size - 1);
  const map = group.maps[within(state.layer, group.maps.length)];
  return {
    group,
    map,
    head: state.head === "all" ? null : within(state.head, map.heads.length),
    stage: STAGES.includes(state.stage) ? state.stage : "pattern",
    query: placed(state.query, answer.axes[map.query].labels),
    key: state.key === "" || state.key === undefined ? null : within(state.key, map.heads[0][0].length),
    threshold: Math.min(Math.max(Number(state.threshold) || 0, 0), 1),
  };
}

/** The numbers of an answer about one head at a stage, null where the mask hides a cell; before the mask nothing is hidden. */
export function shownValues(staged, map, stage) {
  const [rows] = staged.tensors[`${map.name}.${stage}`].data;
  if (stage === "scores") return rows;
  const allowed = mask(staged, map);
  return rows.map((row, q) => row.map((value, k) => (allowed[q][k] ? value : null)));
}

/** The key that a query looks at most. */
export const strongest = (row) => row.reduce((best, value, k) => ((value ?? -Infinity) > (row[best] ?? -Infinity) ? k : best), 0);

/**
 * The fewest keys that together hold at least `threshold` of a row, heaviest first.
 * @param {number[]} row of a pattern @param {number} threshold 0 to 1
 */
export function heaviest(row, threshold) {
  const order = row.map((_, key) => key).sort((a, b) => row[b] - row[a] || a - b);
  const kept = [];
  let mass = 0;
  for (const key of order) {
    if (mass >= threshold || row[key] <= 0) break;
    kept.push(key);
    mass += row[key];
  }
  return kept;
}

/** Why keys are not so many positions away, by the kind of their axis: where they are positions, they are another text's. @type {Record<string, string>} */
const NO_DISTANCE = { position: "two texts", patch: "patches lie in a plane", slot: "queries have no order", column: "columns have no order", row: "rows have no order" };

/** @param {{kind: string, parts?: Record<string, number>}} keys text and slots together are an axis of slots */
const noDistance = ({ kind, parts }) => (parts?.slot ? "slots have no place" : NO_DISTANCE[kind]);

/** The numbers of one head, for the table beside the picture; or in a word why it has none. */
export const headRow = (answer, map, head) => ({
  name: map.name,
  layer: map.layer,
  head,
  entropy: answer.entropy[map.name][head],
  limit: answer.entropy_limit[map.name],
  distance: answer.distance[map.name]?.[head] ?? noDistance(answer.axes[map.key]),
});

export const UNITS = { pattern: "weight", masked_scores: "score", scores: "score" };

/** The call for every head at once: two digits are as many as a small picture shows. */
export const allHeads = (state) => ["attention", { ...input(state), decimals: 2 }];

/** The question about one head at a stage. */
export const question = (state, { group, map, head, stage }) => ({ ...input(state), kind: group.kind, stack: group.stack, layer: map.layer, head, stage });

/** All heads, and among them the opened one with all its digits. @param {any} rounded @param {any} opened its own answer, of one head */
export function withHead(rounded, opened, { map, head }) {
  const name = `${map.name}.pattern`;
  const { [name]: whole } = rounded.tensors;
  const data = whole.data.map((rows, each) => (each === head ? opened.tensors[name].data[0] : rows));
  return { ...rounded, tensors: { ...rounded.tensors, [name]: { ...whole, data } } };
}

/** The number that a choice points at: the chosen key's, or the largest of the row. */
export const place = ({ map, stage, head, query, key, values }) => ({ name: `${map.name}.${stage}`, at: [head, query, key ?? strongest(values?.[query] ?? map.heads[head][query])] });

export const headWords = (answer, map, head) => `${groups(answer).find((group) => group.id === map.group).title}, layer ${map.layer}, head ${head}: ${entropyWords(answer, map, head)}`;

export function entropyWords(answer, map, head) {
  const { entropy, limit } = headRow(answer, map, head);
  return `entropy ${number(entropy, 2)} of ${number(limit, 2)} nats`;
}

/** The tokens of both axes, and what each query's position predicts; nobody knows what comes after the end of a text. */
export function tokens({ patterns, chosen }) {
  const { query, key } = chosen.map;
  const asked = query === "target" || (query === "text" && chosen.map.stack === "decoder");
  const expected = asked ? [...Array(patterns.expected_from ?? 0).fill(""), ...patterns.expected] : null;
  return { queries: patterns.axes[query].labels, keys: patterns.axes[key].labels, expected };
}

/** Where the parts of an axis end that is put together from several: what is remembered, the text, persistent slots. @param {{parts?: Record<string, number>}} axis */
export function edges({ parts = {} }) {
  let end = 0;
  return Object.values(parts).slice(0, -1).map((size) => (end += size)).filter(Boolean);
}

export function cellWords(now, query, key) {
  const { queries, keys, expected } = tokens(now);
  const { stage, values } = now.chosen;
  const value = values[query][key];
  const next = expected?.[query] ? ` (next: ${visible(expected[query])})` : "";
  const amount = value === null ? "masked" : `${stage === "pattern" ? "weight" : "score"} ${number(value)}`;
  return `${visible(queries[query])}${next} → ${visible(keys[key])}: ${amount}`;
}
