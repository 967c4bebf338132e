// What the page asks, and which step of the answer it shows.

import { input } from "../address.js";

/** @typedef {Record<string, string>} State */
/** @typedef {[string, Record<string, string>]} Call a word, and a question */
/**
 * @typedef {object} Step
 * @property {number} index @property {{text: string, id: number}} token
 * @property {number} sum of the log probabilities so far @property {string} text
 */

const USES = Object.freeze({
	greedy: [],
	sample: ["temperature", "top_k", "top_p", "min_p", "seed"],
	beam: ["beams"],
});

/**
 * Only what the strategy uses, so that the same text has the same address.
 * @param {State} state @returns {Call}
 */
export function call(state) {
	const { strategy, max_new_tokens } = state;
	const names = USES[/** @type {keyof typeof USES} */ (strategy)] ?? [];
	const used = Object.fromEntries(names.map((name) => [name, state[name]]));
	return ["generate", { ...input(state), strategy, ...used, max_new_tokens }];
}

/** The same input written greedily, for comparison. @param {State} state @returns {Call} */
export const greedyCall = (state) => call({ ...state, strategy: "greedy" });

/**
 * The place of a step: the state counts from 1, and "end" is the last.
 * @param {string} step @param {number} count
 */
export const stepIndex = (step, count) =>
	(step === "end" ? count : Math.min(Math.max(Math.round(Number(step)) || 1, 1), count)) - 1;

/** @param {number} index from 0 @param {number} count */
export const stepValue = (index, count) =>
	index >= count - 1 ? "end" : String(Math.max(index, 0) + 1);

/**
 * How many steps there are: a search may go on after its best text has ended.
 * @param {any} answer @param {string} show
 */
export const stepCount = (answer, show) =>
	show === "tree" ? answer.tree.kept.length : answer.steps.length;

/**
 * What there is to show: a tree needs beams, a comparison needs a reference.
 * @param {any} answer @param {string} wanted
 */
export function shown(answer, wanted) {
	const { tree, teacher_forcing: forcing } = answer;
	return { text: true, tree, forcing }[wanted] ? wanted : "step";
}

/** How many layers looked. @param {any} answer */
export const layers = (answer) =>
	Object.keys(answer.tensors).filter((name) => name.endsWith(".mean")).length;

/**
 * What was looked at when the last token before a step was read, by which layer and heads: the
 * source, or in a model of one stack the text so far.
 * @param {any} answer @param {number} index @param {State} state
 */
export function look(answer, index, state) {
	const axis = answer.axes.source ? "source" : "text";
	const layer = Math.min(Number(state.layer), layers(answer) - 1);
	const name = `decoder.${layer}.${axis === "source" ? "cross_attention" : "attention"}.pattern`;
	const head = Math.min(Number(state.head), answer.axes.head.size - 1);
	const of = answer.tensors;
	const mean = state.head === "mean";
	const weights = mean ? of[`${name}.mean`].data[index] : of[name].data[head][index];
	/** @type {string[]} */
	const labels = answer.axes[axis].labels;
	const later = axis === "text" ? answer.steps.length - 1 - index : 0;
	const memory = labels.slice(0, labels.length - later);
	const who = `layer ${layer}, ${mean ? "mean of the heads" : `head ${head}`}`;
	return { memory, weights, looking: `${axis}: what ${who}, looks at when the last token is read` };
}
