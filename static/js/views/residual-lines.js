// The lines of tokens around a figure: the text above it, of which one token is chosen, and under
// it what would be said.

import { make } from "../common.js";
import { visible, weight } from "../draw/text.js";

/**
 * One reading for each step: a final norm is read like the point before it, which the lens norms
 * itself; one answer of all positions is every position's.
 * @param {any} answer of /logits @param {StreamNames} stream
 * @returns {Lens}
 */
export function readLens({ lens_tokens: words, tensors }, { titles, tokens }) {
	const [chances, others] = [tensors["lens.top_probability"].data, tensors["lens.rest"].data];
	const last = (/** @type {any[]} */ rows, /** @type {number} */ i) =>
		rows[Math.min(i, rows.length - 1)];
	const each = (/** @type {(step: number, position: number) => any} */ read) =>
		titles.map((_, step) => tokens.map((__, position) => read(step, position)));
	return {
		guesses: each((step, p) =>
			last(last(words, step), p).map((/** @type {string} */ token, /** @type {number} */ rank) => ({
				token,
				probability: last(last(chances, step), p)[rank],
			})),
		),
		rest: each((step, p) => last(last(others, step), p)),
	};
}

/**
 * The tokens of the text; a click chooses one. The same text keeps its buttons, and the focus
 * with them.
 * @param {HTMLElement} line @param {string[]} tokens @param {number} chosen
 * @param {(position: number) => void} choose
 */
export function tokenLine(line, tokens, chosen, choose) {
	const known = [...line.children].map(({ textContent }) => textContent);
	if (known.join("\n") !== tokens.map(visible).join("\n"))
		line.replaceChildren(
			...tokens.map((token, p) => {
				const look = { type: "button", textContent: visible(token), className: "token" };
				return make("button", { ...look, onclick: () => choose(p) });
			}),
		);
	[...line.children].forEach((button, p) => (button.ariaPressed = String(p === chosen)));
	const pressed = /** @type {HTMLElement | null} */ (line.children[chosen]);
	if (pressed) line.scrollLeft = pressed.offsetLeft - line.offsetLeft - line.clientWidth / 2;
}

/** @param {string} token @param {number} p @param {string} title */
export function guessed(token, p, title) {
	const words = [visible(token), weight(p)].map((word) => make("span", {}, word));
	const cell = make("span", { className: "guess probability", title }, ...words);
	cell.style.setProperty("--p", p);
	return cell;
}

/**
 * @param {HTMLElement} line @param {string} name @param {GuessCell[]} cells
 * @param {GuessEdges} [edges]
 */
export function guessLine(line, name, cells, { left, right, after } = {}) {
	line.hidden = !cells.length;
	line.style.paddingInline = left === undefined ? "" : `${left}px ${right}px`;
	line.replaceChildren(
		make("span", { className: "name" }, name),
		...cells.map(({ guess: { token, probability: p }, title }) =>
			guessed(token, p, `${title}: ${visible(token)} ${weight(p, 3)}`),
		),
		...(after ? [make("span", { className: "number" }, after)] : []),
	);
}
