// What is said at the end of the stream: what really comes next, or the answer, which stands where the model was asked.

import { blanks } from "./places.js";

/** The places of the answer: each object query, each blank of a text, of an image and of a row the first, [CLS]. @param {{axes: Record<string, {size: number, labels: string[]}>}} output @returns {number[]} */
function places({ axes: { queries, text } }) {
	if (queries) return queries.labels.map((_, i) => i);
	return text ? blanks(text.labels) : [0];
}

/** Tokens with their probabilities. @param {any} output of /logits @returns {{token: string, chance: number}[]} */
export function said(output) {
	const { expected, tensors, top_tokens: top } = output;
	if (expected.length)
		return expected.map((/** @type {string} */ token, /** @type {number} */ i) => ({
			token,
			chance: tensors.expected_probability.data[i],
		}));
	return places(output).map((i) => ({
		token: top[i][0],
		chance: tensors.top_probability.data[i][0],
	}));
}
