// The steps of a stream with their writers, and what would be said next at each, read once from the answers of /residual and /logits.

/** What writes to the stream: its name in words, a short one for an axis, and its colour's name. */
export const WRITERS = Object.freeze({
	embedding: { title: "embedding", short: "embed", colour: "embedding" },
	token: { title: "token embedding", short: "token", colour: "embedding" },
	position: { title: "position", short: "pos", colour: "position" },
	attention: { title: "self-attention", short: "self", colour: "attention" },
	cross_attention: { title: "cross-attention", short: "cross", colour: "cross" },
	feed_forward: { title: "feed-forward", short: "ffn", colour: "feedForward" },
	row_attention: { title: "attention between rows", short: "rows", colour: "cross" },
	row_feed_forward: { title: "feed-forward after rows", short: "ffn", colour: "feedForward" },
	bias: { title: "biases", short: "bias", colour: "bias" },
	norm: { title: "final norm", short: "norm", colour: "stream" },
});

/** @typedef {{name: string, writer: string, layer: number | null}} Step */
/** @typedef {{placement: string, steps: Step[], tokens: string[]}} Stream */
/** @typedef {{token: string, probability: number}} Guess */
/** @typedef {{guesses: Guess[][][], rest: number[][]}} Lens [step][position], guesses by rank; `rest` is what all others have together */

/** decoder.1.cross_attention.out -> cross_attention; a step that writes nothing is the final norm. @param {string | null} wrote */
const writerOf = (wrote) => wrote?.split(".").at(-2) ?? "norm";

/** @param {string} name */
const layerOf = (name) => (/^\w+\.\d+\./.test(name) ? Number(name.split(".")[1]) : null);

/** @param {any} answer of /residual, with `norm` @returns {string[]} */
export const tokensOf = ({ axes, tensors: { norm } }) => axes[norm.axes[1]].labels;

/** @param {any} answer of /residual, or its figures @param {string[]} tokens @returns {Stream} */
export const readStream = ({ placement, steps }, tokens) => ({
	placement,
	steps: steps.map((/** @type {any} */ { name, wrote }, /** @type {number} */ i) => ({
		name,
		writer: writerOf(wrote),
		layer: i ? layerOf(name) : null,
	})),
	tokens,
});

/** One reading for each step: a final norm is read like the point before it, which the lens norms itself. @param {any} answer of /logits @param {Stream} stream @returns {Lens} */
export function readLens({ points, lens_tokens: words, tensors }, { steps, tokens }) {
	const [chances, rest] = [tensors["lens.top_probability"].data, tensors["lens.rest"].data];
	const places = steps
		.map(({ name }) => points.findIndex((/** @type {any} */ point) => point.name === name))
		.map((place) => (place < 0 ? points.length - 1 : place));
	const of = (/** @type {any[]} */ rows, /** @type {number} */ p) =>
		rows[Math.min(p, rows.length - 1)]; // one answer of all positions is every position's
	return {
		guesses: places.map((place) =>
			tokens.map((_, p) =>
				of(words[place], p).map((/** @type {string} */ token, /** @type {number} */ r) => ({
					token,
					probability: of(chances[place], p)[r],
				})),
			),
		),
		rest: places.map((place) => tokens.map((_, p) => of(rest[place], p))),
	};
}

/** layer 1 cross-attention. @param {Step} step */
export const stepTitle = ({ writer, layer }) =>
	`${layer === null ? "" : `layer ${layer} `}${WRITERS[/** @type {keyof typeof WRITERS} */ (writer)].title}`;
