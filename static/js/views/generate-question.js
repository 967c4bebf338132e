// What the page asks, and which step of the answer it shows.

import { input, whole } from "../address.js";

const USES = {
	greedy: [],
	sample: ["temperature", "top_k", "top_p", "min_p", "seed"],
	beam: ["beams"],
};

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
export const stepIndex = (step, count) => (step === "end" ? count : whole(step, 1, count)) - 1;

/** The place as the API takes it, without it the last. @param {string} step @param {number} most */
export const stepAsked = (step, most) => (step === "end" ? "" : stepIndex(step, most) + 1);

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

/**
 * The layer and the head whose looking is shown; no head is the mean of all.
 * @param {State} state @param {any} config
 */
export const whose = ({ layer, head }, { n_decoder_layers, n_heads }) => ({
	layer: whole(layer, 0, n_decoder_layers - 1),
	head: head === "mean" ? "" : whole(head, 0, n_heads - 1),
});
