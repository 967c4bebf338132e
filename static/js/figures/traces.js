// What the traces of a figure hold: typed arrays in base64 as numbers, the cells of a heat map and of
// its small maps, axes.

/** @type {Open} */
const TYPES = {
	f4: Float32Array,
	f8: Float64Array,
	i1: Int8Array,
	i2: Int16Array,
	i4: Int32Array,
	u1: Uint8Array,
	u2: Uint16Array,
	u4: Uint32Array,
};

/** Each is decoded once; nobody changes it. @type {WeakMap<object, any>} */
const known = new WeakMap();

/** @param {Open} typed @returns {any} */
function numbers({ dtype, bdata, shape, levels }) {
	const binary = atob(bdata);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i);
	const [read, of] = [new TYPES[dtype](bytes.buffer), decoded(levels)];
	const flat = of ? Float32Array.from(read, (i) => of[i]) : read;
	if (!shape) return flat;
	return nested(flat, shape.split(",").map(Number));
}

/** @param {any} flat @param {number[]} sizes @returns {any} */
function nested(flat, [size, ...inner]) {
	if (!inner.length) return flat;
	const step = flat.length / size;
	return Array.from({ length: size }, (_, i) =>
		nested(flat.subarray(i * step, (i + 1) * step), inner),
	);
}

/**
 * A value with every typed array in it decoded; all else as it is.
 * @param {any} value @returns {any}
 */
export function decoded(value) {
	if (Array.isArray(value) || value === null || typeof value !== "object") return value;
	if (typeof value.bdata === "string") {
		if (!known.has(value)) known.set(value, numbers(value));
		return known.get(value);
	}
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decoded(inner)]));
}

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

/** Left, right, top and bottom of a map, and of each of its small maps. @param {Trace} trace */
export function areasOf({ x, y, z, meta }) {
	const [rows, columns] = [z.length, z[0]?.length ?? 0];
	const [xs, ys] = [edges(x, columns), edges(y, rows)];
	const area = (top = 0, left = 0, [high, wide] = [rows, columns]) => [
		xs[left],
		xs[left + wide],
		ys[top],
		ys[top + high],
	];
	const whole = area();
	return {
		whole,
		areas: meta?.tiles?.map(([, top, left]) => area(top, left, meta.size)) ?? [whole],
	};
}

/** The small map that a cell lies in. @param {TraceMeta | undefined} meta
 * @param {number} row @param {number} at */
export function tileAt(meta, row, at) {
	const [high, wide] = meta?.size ?? [0, 0];
	const within = (place = 0, size = 0) => place >= 0 && place < size;
	const tiles = /** @type {Tile[]} */ (meta?.tiles ?? []);
	return tiles.find(([, top, left]) => within(row - top, high) && within(at - left, wide));
}

/**
 * What a cell of a small map is, where the trace names rows and columns.
 * @param {TraceMeta | undefined} meta @param {number} row @param {number} at
 */
export function cellName(meta, row, at) {
	const { names } = meta ?? {};
	const tile = names && tileAt(meta, row, at);
	return tile && `${tile[0]}: ${names[0][row - tile[1]]} → ${names[1][at - tile[2]]}`;
}

/**
 * An axis of a trace, as a layout has it: "xaxis2".
 * @param {Trace} trace @param {"x" | "y"} which
 */
export const axisKey = (trace, which) => `${which}axis${(trace[`${which}axis`] ?? which).slice(1)}`;

/** One value for all points, or one for each. @param {any} of @param {number} i */
export const each = (of, i) =>
	Array.isArray(of) || ArrayBuffer.isView(of) ? /** @type {any} */ (of)[i] : of;
