// A page of notes: entries that can be searched; what does not hold the words is hidden.

import { all, by } from "./common.js";
import { count } from "./draw/text.js";
import { start } from "./page.js";

/** Where the entries stand in the page, only looking for words is left to do. */
export default () =>
	start({ load: async () => ({}), draw: (_, { find: words }) => find(words ?? "") });

/** Hides entries without the words looked for, and says how many are left. @param {string} words */
export function find(words) {
	const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
	const entries = all("#entries .entry");
	for (const entry of entries) {
		const text = entry.textContent?.toLowerCase() ?? "";
		entry.hidden = !wanted.every((word) => text.includes(word));
	}
	const left = entries.filter((entry) => !entry.hidden).length;
	by("found").textContent = wanted.length
		? `${count(left)} of ${count(entries.length)}`
		: `${count(entries.length)} entries`;
}
