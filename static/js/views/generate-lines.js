// The lines of tokens over a step: what was looked at, painted with its weights, and the text so
// far, with a link from each token to the one that looked.

import { byId, drawnPart } from "../common.js";
import { visible, weight } from "../draw/text.js";
import { guessed, tokenLine } from "./residual-lines.js";

/**
 * @param {Reading} look
 * @param {string[]} text what was read, and at its end what is written next
 * @param {(token: number) => void} go told of the step of a token that is clicked
 */
export function showLines(look, text, go) {
	const [memory, read] = ["memory", "read"].map(byId);
	const linked = look.weights.slice(0, look.memory.length);
	byId("looking").textContent = look.looking;
	memory.replaceChildren(
		...look.memory.map((token, i) =>
			guessed(token, linked[i], `${visible(token)}: ${weight(linked[i], 3)}`),
		),
	);
	tokenLine(read, text, text.length - 1, (place) => go(place - 1));
	const most = memory.children[linked.indexOf(Math.max(...linked))];
	memory.scrollLeft = most.offsetLeft - memory.offsetLeft - memory.clientWidth / 2;
	for (const line of [memory, read]) line.onscroll = () => link(linked);
	link(linked);
}

/**
 * From the middle of each token that is in sight to the middle of the one that looked.
 * @param {number[]} linked the weights that the links show
 */
function link(linked) {
	const [memory, links, read] = ["memory", "links", "read"].map(byId);
	const { left, right } = memory.getBoundingClientRect();
	const middle = (/** @type {Element} */ token) => {
		const box = token.getBoundingClientRect();
		return box.left + box.width / 2 - left;
	};
	const to = middle(read.children[read.children.length - 2]);
	links.replaceChildren(
		...linked.flatMap((value, i) => {
			const from = middle(memory.children[i]);
			if (from < 0 || from > right - left) return [];
			const ends = { x1: from, y1: "0%", x2: to, y2: "100%" };
			const look = { "stroke-width": 0.5 + 7 * value, opacity: 0.12 + 0.88 * value };
			return drawnPart("line", { ...ends, ...look });
		}),
	);
}
