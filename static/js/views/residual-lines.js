// The lines of tokens around the figure: the text above it, of which one token is chosen, and under it what would be said.

import { visible, weight } from "../draw/text.js";

/** @typedef {import("./residual-stream.js").Guess} Guess */

/** The tokens of the text; a click chooses one. The same text keeps its buttons, and the focus with them. @param {HTMLElement} line @param {string[]} tokens @param {number} chosen @param {(position: number) => void} choose */
export function tokenLine(line, tokens, chosen, choose) {
	const same =
		line.children.length === tokens.length &&
		tokens.every((token, p) => line.children[p].textContent === visible(token));
	if (!same)
		line.replaceChildren(
			...tokens.map((token, p) => {
				const button = Object.assign(document.createElement("button"), {
					type: "button",
					textContent: visible(token),
					className: "token",
				});
				button.addEventListener("click", () => choose(p));
				return button;
			}),
		);
	[...line.children].forEach((button, p) =>
		button.setAttribute("aria-pressed", String(p === chosen)),
	);
	const pressed = /** @type {HTMLElement | null} */ (line.querySelector("[aria-pressed=true]"));
	if (pressed) line.scrollLeft = pressed.offsetLeft - line.offsetLeft - line.clientWidth / 2;
}

/** A token on the colour of its probability. @param {string} token @param {number} p */
export function probable(token, p) {
	const cell = Object.assign(document.createElement("span"), { className: "guess probability" });
	cell.style.setProperty("--p", String(p));
	for (const textContent of [visible(token), weight(p)])
		cell.append(Object.assign(document.createElement("span"), { textContent }));
	return cell;
}

/**
 * Guesses side by side, each on the colour of its probability.
 * @param {HTMLElement} line @param {string} name @param {{guess: Guess, title: string}[]} cells
 * @param {{left?: number, right?: number, after?: string}} [edges] the cells stand under what lies between these pixels
 */
export function guessLine(line, name, cells, { left, right, after = "" } = {}) {
	line.hidden = !cells.length;
	line.style.paddingInline = left === undefined ? "" : `${left}px ${right}px`;
	const label = Object.assign(document.createElement("span"), {
		className: "name",
		textContent: name,
	});
	const others = Object.assign(document.createElement("span"), {
		className: "number",
		textContent: after,
	});
	line.replaceChildren(
		label,
		...cells.map(({ guess: { token, probability: p }, title }) => {
			const cell = probable(token, p);
			cell.title = `${title}: ${visible(token)} ${weight(p, 3)}`;
			return cell;
		}),
		...(after ? [others] : []),
	);
}
