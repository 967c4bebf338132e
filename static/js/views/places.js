// Places in an input: where its blanks are, and which one a state names.

const BLANK = "<mask>";

/** The places of the blanks in a text. @param {string[]} labels @returns {number[]} */
export const blanks = (labels) => labels.flatMap((label, i) => (label === BLANK ? [i] : []));

/** The last token that stood in the text before; 1 if none did. @param {string[]} labels */
const repeated = (labels) =>
	Math.max(
		1,
		labels.findLastIndex((label, i) => labels.indexOf(label) < i),
	);

/**
 * The place that a state names: a number, kept within what there is, "blank", the first of them,
 * or "repeat", the last token that repeats an earlier one.
 * @param {string} value @param {string[]} labels @returns {number}
 */
export const placed = (value, labels) =>
	Math.min(
		Math.max(
			value === "repeat"
				? repeated(labels)
				: value === "blank"
					? (blanks(labels)[0] ?? 1)
					: Math.trunc(Number(value)) || 0,
			0,
		),
		labels.length - 1,
	);
