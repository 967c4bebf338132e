// Facts: a number that was measured, the law beside it, and whether it holds, as a list of text.

import { number } from "../draw/text.js";

/** @typedef {{name: string, value: number, law: string, holds: boolean, unit: string}} Fact */

/** Print's own signs for what the API writes in ASCII. @param {string} law */
export const typeset = (law) =>
	law
		.replaceAll(" x ", " × ")
		.replaceAll(" - ", " − ")
		.replace(/\^2/g, "²")
		.replaceAll("<=", "≤")
		.replaceAll(" pi ", " π ")
		.replaceAll(" . ", " · ")
		.replaceAll("M_k", "Mₖ")
		.replaceAll("^T", "ᵀ");

/** 78 cells; a whole number stays whole. @param {Fact} fact */
export const measured = ({ value, unit }) =>
	`${Number.isInteger(value) ? value : number(value)}${unit ? ` ${unit}` : ""}`;

/** @param {HTMLElement} list @param {Fact[]} facts @param {Record<string, string>} names what each is called on the page */
export function showFacts(list, facts, names) {
	list.replaceChildren(
		...facts
			.filter(({ name }) => names[name])
			.flatMap((fact) => {
				const term = Object.assign(document.createElement("dt"), { textContent: names[fact.name] });
				const value = Object.assign(document.createElement("dd"), {
					className: "number",
					textContent: `${fact.holds ? "✓" : "✗"} ${measured(fact)}`,
				});
				const law = Object.assign(document.createElement("dd"), {
					className: "law small soft",
					textContent: typeset(fact.law),
				});
				value.dataset.holds = String(fact.holds);
				value.title = fact.holds ? "holds" : "does not hold";
				return [term, value, law];
			}),
	);
}
