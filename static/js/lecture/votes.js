// The votes of a class: a row for each choice, before the figure was seen and after it.

import { make } from "../common.js";

/**
 * @param {HTMLElement} list @param {string[]} choices @param {number[][] | null} votes
 * @param {string} [right]
 */
export function bars(list, choices, votes, right) {
	const most = Math.max(1, ...(votes ?? []).flat());
	const bar = (/** @type {number} */ count, /** @type {number} */ round) => {
		const one = make("span", {
			className: "bar",
			textContent: count,
			title: ["before", "after"][round],
		});
		one.style.setProperty("--share", `${count / most}`);
		return one;
	};
	const rows = choices.map((choice, i) => {
		const row = make("li", {}, make("b", { textContent: choice }));
		row.append(...(votes ?? []).map((round, n) => bar(round[i], n)));
		row.classList.toggle("right", choice === right);
		return row;
	});
	list.replaceChildren(...(votes ? rows : []));
}
