// The claims: what is so instead of each, and what was measured for this answer.

import { rooted } from "../address.js";
import { bandWords, told } from "../clinic-words.js";
import { find } from "../notes.js";
import { start } from "../page.js";

export default function visit() {
	const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById("claim"));

	/** @param {any} claim */
	function entry({ verdict, notes, instead, source, page, findings }) {
		const box = /** @type {Element} */ (content.firstElementChild?.cloneNode(true));
		const [badge, q, p, list, from, link] = box.querySelectorAll("[data-of]");
		const texts = [
			[badge, verdict],
			[q, notes],
			[p, instead],
			[from, `${source}. `],
		];
		for (const [element, text] of texts) element.textContent = text;
		link.setAttribute("href", rooted(page));
		for (const finding of findings) {
			const row = /** @type {HTMLElement} */ (list.appendChild(document.createElement("li")));
			const [number, band] = [document.createElement("span"), bandWords(finding.band)];
			row.dataset.holds = finding.holds;
			number.className = "number";
			number.textContent = `${finding.holds ? "✓" : "✗"} ${told(finding)}`;
			row.append(number, ` ${finding.law}${band && ` [${band}]`}`);
		}
		return box;
	}

	start({
		load: (_, ask) => ask("claims"),
		draw({ claims }, { find: words }) {
			document.getElementById("entries")?.replaceChildren(...claims.map(entry));
			find(words ?? "");
		},
	});
}
