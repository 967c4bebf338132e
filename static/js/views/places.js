// Places in an input: which one a state names.

import { within } from "../common.js";

/**
 * The place that a state names: a number, kept within what there is, "blank", the first of them,
 * or "repeat", the last token that repeats an earlier one; 1 where there is none.
 * @param {string} value @param {string[]} labels
 */
export function placed(value, labels) {
	const found = (/** @type {number} */ at) => (at < 0 ? 1 : at);
	const place =
		value === "blank"
			? found(labels.indexOf("<mask>"))
			: value === "repeat"
				? found(labels.findLastIndex((label, i) => labels.indexOf(label) < i))
				: Math.trunc(Number(value)) || 0;
	return within(0, labels.length - 1, place);
}
