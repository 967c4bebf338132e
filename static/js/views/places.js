// Places in an input: which one a state names.

import { within } from "../common.js";

/**
 * The place that a state names: a number, kept within what there is, "blank", the first of them,
 * or "repeat", the last token that repeats an earlier one; 1 where there is none.
 * @param {string} value @param {string[]} labels
 */
export function placed(value, labels) {
	/** @type {Record<string, number>} */
	const named = {
		blank: labels.indexOf("<mask>"),
		repeat: labels.findLastIndex((label, i) => labels.indexOf(label) < i),
	};
	const place = named[value] ?? (Math.trunc(Number(value)) || 0);
	return within(0, labels.length - 1, place < 0 && value in named ? 1 : place);
}
