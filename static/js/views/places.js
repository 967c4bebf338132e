// Places in an input: where its blanks are, and which one a state names.

const BLANK = "<mask>";

/** The places of the blanks in a text. @param {string[]} labels @returns {number[]} */
export const blanks = (labels) => labels.flatMap((label, i) => (label === BLANK ? [i] : []));

/**
 * The place that a state names: a number, kept within what there is, or "blank", the first of
 * them.
 * @param {string} value @param {string[]} labels @returns {number}
 */
export const placed = (value, labels) =>
	Math.min(
		Math.max(value === "blank" ? (blanks(labels)[0] ?? 1) : Math.trunc(Number(value)) || 0, 0),
		labels.length - 1,
	);
