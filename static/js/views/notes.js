// A page of notes: the server finds the rows, and a row that is opened asks for the numbers that
// settle it.

import { state as parse } from "../address.js";
import { ask } from "../api.js";
import { $$, byId, make } from "../common.js";
import { start } from "../page.js";
import { set } from "../state.js";
import { busy, failed, quiet } from "../status.js";
import { say } from "../words.js";

/** @param {AbortSignal} signal */
export default function visit(signal) {
	const entries = byId("entries");
	const controls = $$("#controls [name]");
	const written = parse(location.search);
	/** What was typed or chosen before this script came. */
	const early = controls.filter(({ name, value }) => value && value !== written[name]);
	const changes = Object.fromEntries(early.map(({ name, value }) => [name, value]));
	// What the server wrote into it is in the address too.
	for (const control of controls) control.value = "";
	let [asked, shown] = [location.href, entries];

	start({
		async load() {
			if (location.href === asked) return shown;
			const text = await (await fetch((asked = location.href), { signal })).text();
			return new DOMParser().parseFromString(text, "text/html").getElementById("entries");
		},
		draw(found) {
			if (found !== shown) entries.replaceChildren(...found.childNodes);
			shown = found;
		},
	});
	if (early.length) set(changes, { push: false });

	/** @param {Element} among */
	async function measure(among) {
		const lists = $$("[data-measures]:empty:not([aria-busy])", among);
		for (const [i, list] of lists.entries()) {
			list.ariaBusy = "true";
			busy(say("Measuring {number} of {all} …", { number: i + 1, all: lists.length }));
			const question = { items: list.dataset.measures, measured: true };
			const { rows } = await ask("notes", question, { signal });
			for (const { sentences, supports } of rows[0].measured) {
				const row = make("li", {}, sentences);
				row.dataset.holds = supports;
				list.append(row);
			}
			list.ariaBusy = null;
			list.closest("details").open = true;
		}
		if (lists.length) quiet();
	}

	const settle = (/** @type {Element} */ among) =>
		measure(among).catch(({ message }) => failed(message));
	const opened = (/** @type {any} */ { target }) => target.open && settle(target);
	entries.addEventListener("toggle", opened, { capture: true, signal });
	byId("measure")?.addEventListener("click", () => settle(entries));
}
