// Painted cells as in the address: "2.5,3.4-9" turns over query 2 key 5, query 3 keys 4 to 9.

/** No strokes: an empty parameter would not stand in the address, and the page opens painted. */
export const NONE = "none";

/**
 * @param {string} flip @returns {Set<string>} each "query.key"; a cell named twice is not turned
 */
export function parseStrokes(flip) {
	const cells = new Set();
	for (const [, query, first, last = first] of flip.matchAll(/(\d+)\.(\d+)(?:-(\d+))?/g)) {
		for (let key = Number(first); key <= Number(last); key += 1) turn(cells, `${+query}.${key}`);
	}
	return cells;
}

/** @param {Set<string>} cells @param {string} cell */
export const turn = (cells, cell) => void (cells.delete(cell) || cells.add(cell));

/** Neighbours in a row become one span. @param {Set<string>} cells */
export function writeStrokes(cells) {
	/** @type {number[][]} query, first and last key */ const spans = [];
	const places = [...cells].map((cell) => cell.split(".").map(Number));
	for (const [query, key] of places.sort(([q1, k1], [q2, k2]) => q1 - q2 || k1 - k2)) {
		const open = spans.at(-1);
		if (open?.[0] === query && open[2] === key - 1) open[2] = key;
		else spans.push([query, key, key]);
	}
	const written = spans.map(([query, a, b]) => `${query}.${a}${b > a ? `-${b}` : ""}`);
	return written.join(",") || NONE;
}
