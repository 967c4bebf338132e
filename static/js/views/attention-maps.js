// The maps in an answer of /attention: which there are, in the order a reader meets them, and one row or head of them.

export const STAGES = ["scores", "masked_scores", "pattern"];

/** What each kind of attention is called, and which text asks (query) and which answers (key). */
export const GROUPS = [
  { id: "encoder.attention", stack: "encoder", kind: "self", title: "encoder self-attention", short: "encoder self" },
  { id: "decoder.attention", stack: "decoder", kind: "self", title: "decoder self-attention", short: "decoder self" },
  { id: "decoder.cross_attention", stack: "decoder", kind: "cross", title: "cross-attention", short: "cross" },
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
 * The head where cross-attention agrees most with a word alignment, as the model's card measured it; without one, the last layer's first.
 * @param {Record<string, number>|undefined} agreement by "layer.head", as in the card
 * @param {number} layers how many there are
 */
export function bestHead(agreement, layers) {
  const measured = Object.entries(agreement ?? {}).filter(([name]) => /^\d+\.\d+$/.test(name));
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
  const rows = map.heads[0];
  return {
    group,
    map,
    head: state.head === "all" ? null : within(state.head, map.heads.length),
    stage: STAGES.includes(state.stage) ? state.stage : "pattern",
    query: within(state.query, rows.length),
    key: state.key === "" || state.key === undefined ? null : within(state.key, rows[0].length),
    threshold: Math.min(Math.max(Number(state.threshold) || 0, 0), 1),
  };
}

/** One head's numbers at a stage, null where the mask hides a cell; before the mask nothing is hidden. */
export function shownValues(staged, map, head, stage) {
  const rows = staged.tensors[`${map.name}.${stage}`].data[head];
  if (stage === "scores") return rows;
  const allowed = mask(staged, map);
  return rows.map((row, q) => row.map((value, k) => (allowed[q][k] ? value : null)));
}

/** The key that a query looks at most. */
export const strongest = (row) => row.reduce((best, value, k) => ((value ?? -Infinity) > (row[best] ?? -Infinity) ? k : best), 0);
