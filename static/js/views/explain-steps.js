// An answer of /explain as what is drawn: strips of bars for what is a vector, equations for what is a number, in order of computation.

import { visible } from "../draw/text.js";
import { member } from "./explain-trail.js";

const step = (name) => ({ step: name });
const operand = (n) => ({ operand: n });
const [mean, scale, gain, bias] = [-4, -3, -2, -1].map(operand);
const normal = ["(", step("x"), "−", mean, ") ÷", scale, "=", step("normal")];
const gained = [step("normal"), "×", gain, "+", bias, "=", step("value")];

/** Step by step, each with its formula: for the rules that no blackboard has a short form for. */
const inSteps = ({ intermediates }) => intermediates.filter(({ values }) => !Array.isArray(values)).map(({ name, formula }) => [`${written(formula)} =`, step(name)]);

/** How the number follows, as it is written: strings as they are, steps by name, operands by number (negative: from the end). */
const EQUATIONS = {
  zero: () => [["0"]],
  copy: () => [[operand(0), "=", step("value")]],
  embed: () => [[operand(0), "×", step("factor"), "=", step("value")]],
  sinusoid: ({ intermediates }) => [["angle", step("angle")], [intermediates.at(-1).formula, "=", step("value")]],
  linear: () => [["Σ", step("sum"), "+", operand(2), "=", step("value")]],
  product: () => [["Σ", step("value")]],
  dot: () => [["Σ", step("value")]],
  scaled_dot: () => [["Σ", step("sum"), "÷", step("divisor"), "=", step("value")]],
  sum: ({ operands }) => [[...operands.flatMap((_, n) => (n ? ["+", operand(n)] : [operand(n)])), "=", step("value")]],
  sum_all: ({ operands }) => [operands.length > 1 ? ["Σ", step("sum"), "+", operand(1), "=", step("value")] : ["Σ", step("value")]],
  softmax: ({ intermediates }) =>
    intermediates.length === 1
      ? [["0"]]
      : [
          ["exp(", { ...operand(0), own: true }, "−", step("largest"), ") =", step("own")],
          [step("own"), "÷", step("sum"), "=", step("value")],
        ],
  relu: () => [["max(0,", operand(0), ") =", step("value")]],
  gelu: () => [[operand(0), "×", step("share"), "=", step("value")]],
  mean: () => [["Σ / n =", step("value")]],
  scale: () => [["√(", step("variance"), "+", step("epsilon"), ") =", step("value")]],
  normalise: (answer) =>
    ({ 5: [["(", operand(0), ...normal.slice(2)], gained], 6: [[operand(0), "+", operand(1), "=", step("x")], normal, gained] })[answer.operands.length] ?? inSteps(answer),
};

/** The rules of model/activations/ that have a short form. */
export const RULES = Object.keys(EQUATIONS);

const QUANTITIES = [
  [/\.q$|\.query\./, "query"],
  [/\.k$|\.key\./, "key"],
  [/\.(v|z)$|\.value\./, "value"],
  [/\.embedding\.position$/, "position"],
  [/embedding\./, "embedding"],
  [/\.cross_attention\.(out|head_out)$/, "cross"],
  [/\.attention\.(out|head_out)$/, "attention"],
  [/\.feed_forward\./, "feed-forward"],
  [/\.residual\.|\.norm/, "stream"],
];

/** The colour that a name's numbers have on every page, as the name of its token in tokens.css; null: blue-orange by sign. */
export const quantity = (name) => QUANTITIES.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** The last two words of a name, or what a weight is called in the formulas. */
export function shortName(name) {
  const [, part, kind] = name.match(/\.(query|key|value|output|hidden)\.(weight|bias)$/) ?? [];
  if (!part) return name.endsWith(".mask") ? "mask" : name.split(".").slice(-2).join(".").replace(/^(cross_)?attention\.(?!out$)/, "");
  const subscript = { query: "Q", key: "K", value: "V", output: name.includes("feed_forward") ? "2" : "O", hidden: "1" }[part];
  return `${kind === "weight" ? "W" : "b"}_${subscript}`;
}

/** The name of the answer's axis along which an operand's whole axis lies: a text or heads; null for channels. */
export function axisOf(name, axes) {
  const own = ["text", "image", "row"].find((one) => one in axes) ?? (name.startsWith("encoder") ? "source" : "target");
  if (/\.(scores|masked_scores|pattern)$/.test(name)) return name.includes(".cross_attention.") ? "source" : own;
  if (/\.v$/.test(name)) return name.includes(".cross_attention.") ? "source" : own;
  return null;
}

/** k^T and sqrt(d_head) as they are on a blackboard. */
const written = (formula) => formula.replaceAll("^T", "ᵀ").replaceAll(/sqrt\((\w+)\)/g, "√$1").replaceAll("sqrt(", "√(");

/** The token that an operand's vector belongs to. */
function tokenOf({ name, kind }, { query, key, position }) {
  if (kind !== "activation") return null;
  const token = /\.[kv]$/.test(name) ? (key ?? null) : (query ?? position ?? null);
  return token === null ? null : visible(token);
}

const known = (values) => values.filter((value) => value !== null);

/**
 * @typedef {object} Strip a vector as bars
 * @property {string} label what it is called in the formula
 * @property {string|null} token whose vector it is
 * @property {string} name its full name, or the formula of the step
 * @property {(number|null)[]} values
 * @property {string[]|null} labels a label for every bar: tokens, or null for channels counted from 0
 * @property {string|null} quantity its colour token, null for blue-orange by sign
 * @property {boolean} positive starts at 0 and only grows
 * @property {number|null} own the member that this derivation is about
 * @property {(import("./explain-trail.js").Place)[]|null} places one step further back, for every bar
 * @property {"activation"|"weight"|"mask"|"input"|"step"} kind
 */

/**
 * Everything that one answer of /explain draws.
 * @param {any} answer
 * @returns {{place: import("./explain-trail.js").Place, value: number|null, formula: string, sentence: string, strips: Strip[], equations: any[][]}}
 */
export function derivation(answer) {
  const own = ["softmax", "share"].includes(answer.rule) ? answer.at.at(-1) : null;
  const vectors = answer.operands.filter((o) => Array.isArray(o.values) && !Array.isArray(o.values[0]));
  const labelsOf = (name) => answer.axes?.[axisOf(name, answer.axes)]?.labels ?? null;
  const strips = vectors.map((o) => ({
    label: shortName(o.name),
    token: tokenOf(o, answer.labels),
    name: o.name,
    values: o.values,
    labels: labelsOf(o.name),
    quantity: quantity(o.name),
    own,
    places: o.values.map((_, i) => member(o, i)),
    kind: o.kind,
  }));
  const steps = answer.intermediates
    .filter((s) => Array.isArray(s.values))
    .map((s) => ({ label: s.name, token: null, name: s.formula, values: s.values, labels: strips[0]?.labels ?? null, quantity: null, own, places: null, kind: "step" }));
  const all = [...strips, ...steps].map((strip) => ({ ...strip, positive: known(strip.values).every((value) => value >= 0) }));
  const equations = (EQUATIONS[answer.rule] ?? inSteps)(answer).map((equation) => equation.map((part) => term(part, answer, own)));
  const place = { name: answer.name, at: answer.at };
  return { place, value: answer.value, formula: written(answer.formula), sentence: answer.sentence, strips: all, equations };
}

/** One part of an equation: a sign, or a number with its name and, where there is one, its place a step further back. */
function term(part, answer, own) {
  if (typeof part === "string") return { sign: part };
  if ("step" in part) {
    const found = answer.intermediates.find((s) => s.name === part.step);
    const last = found === answer.intermediates.at(-1);
    return { label: last ? shortName(answer.name) : found.name, name: found.formula, value: last ? answer.value : found.values, place: null, result: last };
  }
  const found = answer.operands.at(part.operand);
  const value = part.own ? found.values[own] : found.values;
  return { label: shortName(found.name), name: found.name, value, place: member(found, own ?? 0), result: false, kind: found.kind };
}

/**
 * The value of a weight or a mask's cell, which has no derivation of its own, read from the answer that used it.
 * @param {any} answer of the place before it
 * @param {import("./explain-trail.js").Place} place
 */
export function leaf(answer, place) {
  for (const o of answer.operands) {
    if (o.name !== place.name) continue;
    const axis = o.index.findIndex((i) => i === null || Array.isArray(i));
    const i = axis < 0 ? null : place.at[axis] - (o.index[axis]?.[0] ?? 0);
    const here = member(o, i ?? 0).at;
    if (here.every((n, k) => n === place.at[k])) return { kind: o.kind, value: i === null ? o.values : o.values[i] };
  }
  return null;
}

/** A number in words, for the trail: which token or tokens it belongs to, what it is, and its index where no token tells it. */
export function crumb(place, answer) {
  const { query, key, position } = answer?.labels ?? {};
  const short = shortName(place.name);
  if (key !== undefined) return `${visible(query)} → ${visible(key)} ${short}`;
  const token = position ?? query;
  const index = token === undefined ? place.at : place.at.filter((_, i) => !["position", "query"].includes(Object.keys(answer.roles)[i]));
  return `${short}${index.length ? `[${index.join(", ")}]` : ""}${token === undefined ? "" : ` of ${visible(token)}`}`;
}

/** The member the eye should go to first: this cell's own, else the one that weighs most in the last strip. */
export function telling({ strips }) {
  if (!strips.length) return 0;
  const { own, values } = strips.at(-1);
  return own ?? values.reduce((best, value, i) => (Math.abs(value ?? 0) > Math.abs(values[best] ?? 0) ? i : best), 0);
}

/** All numbers of a derivation as a table: a row for every member, then what was computed from them. */
export function derivationTable({ strips, equations, place }) {
  const long = Math.max(0, ...strips.map((strip) => strip.values.length));
  const rows = Array.from({ length: long }, (_, i) => [strips[0].labels?.[i] ?? String(i), ...strips.map((strip) => strip.values[i] ?? null)]);
  const terms = equations.flat().filter((part) => "value" in part);
  const singles = [...new Map(terms.map((part) => [part.label, part.value]))].map(([label, value]) => [label, value, ...strips.slice(1).map(() => "")]);
  const head = ["", ...(strips.length ? strips.map((strip) => strip.label) : ["value"])];
  return { caption: `${place.name}[${place.at.join(", ")}]`, head, rows: [...rows, ...singles] };
}
