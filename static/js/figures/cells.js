// The cells of a heat map: where they begin and end, which of them are masked, and in which small
// map of several they lie.

/**
 * @typedef {[string, number, number, string?, Record<string, any>?]} Tile title, row, column,
 * words, pick
 */

/**
 * Where cells begin and end: stated, or half a step on either side of their middles.
 * @param {ArrayLike<number> | undefined} at @param {number} count @returns {number[]}
 */
export function edges(at, count) {
	if (at?.length === count + 1) return Array.from(at);
	const middles = at ? Array.from(at) : Array.from({ length: count }, (_, i) => i);
	const half = count > 1 ? (middles[1] - middles[0]) / 2 : 0.5;
	return [middles[0] - half, ...middles.map((middle) => middle + half)];
}

/**
 * The masked cells, as runs in a row: row, first column, column after the last.
 * What lies between small maps is no cell.
 * @param {any} trace @returns {[number, number, number][]}
 */
export function masked({ z, meta }) {
	const whole = [["", 0, 0]];
	const [high, wide] = meta?.tiles ? meta.size : [z.length, z[0]?.length ?? 0];
	const found = /** @type {[number, number, number][]} */ ([]);
	for (const [, top, left] of meta?.tiles ?? whole) {
		for (let row = top; row < top + high; row += 1) {
			let start = -1;
			for (let at = left; at <= left + wide; at += 1) {
				const empty = at < left + wide && (z[row][at] === null || !Number.isFinite(z[row][at]));
				if (empty && start < 0) start = at;
				if (!empty && start >= 0) {
					found.push([row, start, at]);
					start = -1;
				}
			}
		}
	}
	return found;
}

/** The small map that a cell lies in. @param {any} meta @param {number} row @param {number} at */
export function tileAt(meta, row, at) {
	const [high, wide] = meta?.size ?? [0, 0];
	const within = (/** @type {number} */ place, /** @type {number} */ size) =>
		place >= 0 && place < size;
	return /** @type {Tile[]} */ (meta?.tiles ?? []).find(
		([, top, left]) => within(row - top, high) && within(at - left, wide),
	);
}

/**
 * What a cell of a small map is, where the trace names rows and columns.
 * @param {any} meta @param {number} row @param {number} at
 */
export function cellName(meta, row, at) {
	const tile = meta?.names && tileAt(meta, row, at);
	return tile && `${tile[0]}: ${meta.names[0][row - tile[1]]} → ${meta.names[1][at - tile[2]]}`;
}
