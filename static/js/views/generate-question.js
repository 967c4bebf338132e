// What the page asks, and which step of the answer it shows.

import { input } from "../address.js";

/** @typedef {Record<string, string>} State */
/** @typedef {{text: string, id: number, probability: number, after: number | null, chosen: boolean}} Candidate */
/**
 * @typedef {object} Step
 * @property {number} index @property {{text: string, id: number}} token @property {number} probability @property {number} log_probability
 * @property {number} sum @property {number} rank @property {number | null} drawn @property {number | null} kept
 * @property {Candidate[]} candidates @property {{tokens: number, probability: number, after: number | null}} rest @property {string} text
 * @property {number[][][]} [attention] in an event stream: by layer, head and place
 */

const USES = Object.freeze({ greedy: [], sample: ["temperature", "top_k", "top_p", "min_p", "seed"], beam: ["beams"] });

/** Only what the strategy uses, so that the same text has the same address. @param {State} state @returns {[string, Record<string, string>]} */
export function call(state) {
  const { strategy, max_new_tokens } = state;
  const used = USES[/** @type {keyof typeof USES} */ (strategy)] ?? [];
  return ["generate", { ...input(state), strategy, ...Object.fromEntries(used.map((name) => [name, state[name]])), max_new_tokens }];
}

/** The same input written greedily, for comparison. @param {State} state @returns {[string, Record<string, string>]} */
export const greedyCall = (state) => call({ ...state, strategy: "greedy" });

/** The state counts steps from 1; "end" is the last. @param {string} step @param {number} count @returns {number} from 0 */
export const stepIndex = (step, count) => (step === "end" ? count : Math.min(Math.max(Math.round(Number(step)) || 1, 1), count)) - 1;

/** @param {number} index from 0 @param {number} count */
export const stepValue = (index, count) => (index >= count - 1 ? "end" : String(Math.max(index, 0) + 1));

/** How many steps there are to walk: a search may go on after its best text has ended. @param {any} answer @param {string} show */
export const stepCount = (answer, show) => (show === "tree" ? answer.tree.kept.length : answer.steps.length);

/** The pictures there are: a tree needs beams, a comparison needs a reference. @param {any} answer @param {string} wanted */
export function shown(answer, wanted) {
  const there = { step: true, tree: Boolean(answer.tree), forcing: Boolean(answer.teacher_forcing) };
  return there[/** @type {keyof typeof there} */ (wanted)] ? wanted : "step";
}

/** What each step looked at: the source, or in a model of one stack the text so far. @param {any} answer */
export const memoryAxis = (answer) => (answer.axes.source ? "source" : "text");

/** The name of the tensor on show. @param {any} answer @param {string} layer @param {string} head */
export function lookName(answer, layer, head) {
  const attention = answer.axes.source ? "cross_attention" : "attention";
  return `decoder.${layer}.${attention}.pattern${head === "mean" ? ".mean" : ""}`;
}

/** How many layers looked. @param {any} answer */
export const layers = (answer) => Object.keys(answer.tensors).filter((name) => name.endsWith(".mean")).length;

/** The weights of one step over the memory. @param {any} answer @param {Step} step @param {string} layer @param {string} head @returns {number[]} */
export function look(answer, step, layer, head) {
  if (step.attention) return ofHead(step.attention[Number(layer)], head);
  const { data } = answer.tensors[lookName(answer, layer, head)];
  return head === "mean" ? data[step.index] : data[Number(head)][step.index];
}

/** @param {number[][]} heads @param {string} head */
const ofHead = (heads, head) => (head === "mean" ? heads[0].map((_, i) => heads.reduce((sum, row) => sum + row[i], 0) / heads.length) : heads[Number(head)]);
