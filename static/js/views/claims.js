// The claims: what is so instead of each, and what was measured for this answer.

import { rooted } from "../address.js";
import { number as digits } from "../draw/text.js";
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
			number.textContent = `${SIGNS[finding.verdict]} ${told(finding)}`;
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

/** @type {Record<string, string>} */
const SIGNS = { holds: "✓", fails: "✗", undecided: "?", "not applicable": "·" };

/** "1.11 (0.86 to 1.30, 4 seeds)", "2.2e−16". @param {Finding} finding */
function told({ kind, value, mean, interval, seeds, unit }) {
	const of = unit ? ` ${unit}` : "";
	if (kind !== "statistical") return `${short(value)}${of}`;
	const ends = interval ? `${short(interval[0])} to ${short(interval[1])}, ` : "";
	return `${short(mean)}${of} (${ends}${seeds} seeds)`;
}

/** Three digits are enough to read aloud. @param {number | undefined} value */
const short = (value = 0) =>
	Number.isInteger(value) && Math.abs(value) < 1e5
		? String(value)
		: Math.abs(value) >= 10
			? digits(value, 1)
			: Math.abs(value) >= 1
				? digits(value, 2)
				: digits(value);

/** "0.9 to 1.25", "below 2". @param {[number | null, number | null]} band */
function bandWords([low, high]) {
	if (low === null && high === null) return "";
	if (low === null) return `at most ${short(high ?? 0)}`;
	return high === null
		? `at least ${short(low)}`
		: low === high
			? `${short(low)}`
			: `${short(low)} to ${short(high)}`;
}
