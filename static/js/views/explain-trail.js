// The trail of a derivation: from the number asked about, number by number, down to weights; kept
// in the address as text.

const NAME = /^[a-z_]+\d?(\.[a-z0-9_]+)*$/;

/**
 * decoder.0.attention.q-1-3-5*encoder.embedding.sum-3-17: names hold no hyphen and no star, so
 * nothing needs escaping in an address.
 * @param {Entry[]} trail
 */
export const write = (trail) => trail.map(({ name, at }) => [name, ...at].join("-")).join("*");

/**
 * The trail in an address; what is not one is left out from there on.
 * @param {string | null | undefined} text
 */
export function read(text) {
	/** @type {Entry[]} */ const trail = [];
	for (const part of (text ?? "").split("*")) {
		const [name, ...index] = part.split("-");
		if (!NAME.test(name) || !index.length || !index.every((i) => /^\d{1,6}$/.test(i))) break;
		trail.push({ name, at: index.map(Number) });
	}
	return trail;
}

/**
 * The trail up to and with its `n`-th number; one level up is `upTo(trail, trail.length - 2)`.
 * @param {Entry[]} trail @param {number} n
 */
export const upTo = (trail, n) => trail.slice(0, Math.max(0, n + 1));

/**
 * The place of one member of an operand: `index` has null for a whole axis and [first, end] for a
 * part of one.
 * @param {Operand} operand @param {number} i
 * @returns {Entry}
 */
export const member = ({ name, index }, i) => ({
	name,
	at: index.map((own) => (own === null ? i : Array.isArray(own) ? own[0] + i : own)),
});

/** @param {Entry} a @param {Entry} b */
export const same = (a, b) => write([a]) === write([b]);
