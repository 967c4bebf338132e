// The words of a clinic: the curtain over its figures, and the table of its findings.

import { number } from "./draw/text.js";

/** @param {boolean} down @param {HTMLElement} button */
export function cover(down, button) {
	button.setAttribute("aria-expanded", String(down));
	/** @type {HTMLElement} */ (document.getElementById("curtain")).hidden = !down;
	/** @type {HTMLElement} */ (document.getElementById("measured")).inert = down;
	document.body.toggleAttribute("data-curtain", down);
}

/** "1.11 (0.86 to 1.30 over 4 seeds)", "2.2e−16". @param {Finding} finding */
export function told({ kind, value, mean, min, max, seeds, unit }) {
	const of = unit ? ` ${unit}` : "";
	if (kind !== "statistical") return `${short(value)}${of}`;
	return `${short(mean)}${of} (${short(min)} to ${short(max)}, ${seeds} seeds)`;
}

/** Three digits are enough to read aloud. @param {number | undefined} value */
const short = (value = 0) =>
	Number.isInteger(value) && Math.abs(value) < 1e5
		? String(value)
		: Math.abs(value) >= 10
			? number(value, 1)
			: Math.abs(value) >= 1
				? number(value, 2)
				: number(value);

/** "0.9 to 1.25", "below 2". @param {[number | null, number | null]} band */
export function bandWords([low, high]) {
	if (low === null && high === null) return "";
	if (low === null) return `at most ${short(high ?? 0)}`;
	return high === null
		? `at least ${short(low)}`
		: low === high
			? `${short(low)}`
			: `${short(low)} to ${short(high)}`;
}

/**
 * What was found as a table, and in a word how much of it holds.
 * @param {HTMLElement} element @param {Finding[]} findings @param {State} names
 */
export function list(element, findings, names) {
	const table = document.createElement("table");
	const head = table.createTHead().insertRow();
	for (const name of ["finding", "measured", "band", "law"])
		head.append(Object.assign(document.createElement("th"), { scope: "col", textContent: name }));
	const body = table.createTBody();
	for (const finding of findings) {
		const row = body.insertRow();
		row.dataset.holds = String(finding.holds);
		row.append(
			Object.assign(document.createElement("th"), {
				scope: "row",
				textContent: names[finding.name] ?? finding.name,
			}),
		);
		for (const content of [
			`${finding.holds ? "✓" : "✗"} ${told(finding)}`,
			bandWords(finding.band),
			finding.law,
		])
			row.insertCell().textContent = content;
	}
	const kept = findings.filter(({ holds }) => holds).length;
	/** @type {HTMLElement} */ (element.querySelector("summary")).textContent =
		`${kept} of ${findings.length} findings hold`;
	element.querySelector("div")?.replaceChildren(table);
}
