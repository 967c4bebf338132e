// Typed arrays in base64, the form in which figures come, as arrays of numbers.

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

/** What was decoded once is not decoded again; nobody changes it. @type {WeakMap<object, any>} */
const known = new WeakMap();

/** @param {{dtype: string, bdata: string, shape?: string}} typed @returns {any} */
function numbers({ dtype, bdata, shape }) {
	const binary = atob(bdata);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i);
	const flat = new TYPES[dtype](bytes.buffer);
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
