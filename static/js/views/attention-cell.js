// A cell of the map is set to a number that is typed: a weight as it is, a score before the mask
// and the softmax.

import { make } from "../common.js";
import { withCell } from "../edit-list.js";
import { cellBox } from "../figures/show.js";
import { say } from "../words.js";

/**
 * A field at the cell, until a number is typed or the reader goes elsewhere.
 * @param {any} button @param {string} typed what has been typed of it
 * @param {Entry} place @param {Page} page
 * @param {State} peek choices that are not in the address yet
 */
export function askNumber(button, typed, { name, at: [head, query, key] }, page, peek) {
	const where = { head: [head], query: [query], key: [key] };
	const field = make("input", {
		type: "text",
		inputMode: "decimal",
		className: "set-cell",
		value: typed,
		ariaLabel: say("New value of this cell"),
	});
	const { parentElement: stage } = button;
	const { x, y } = cellBox(stage, query, key);
	field.style.inset = `${y}px auto auto min(${x}px, 100% - var(--field))`;
	const close = () => {
		field.onblur = null;
		field.remove();
		button.hidden = false;
	};
	field.onkeydown = (/** @type {KeyboardEvent} */ event) => {
		const value = Number(field.value.replace(",", ".").replace("−", "-"));
		if (event.key !== "Enter" && event.key !== "Escape") return;
		event.preventDefault();
		if (event.key === "Enter") {
			field.ariaInvalid = String(!field.value.trim() || !Number.isFinite(value));
			if (field.ariaInvalid === "true") return;
			const edits = withCell(page.state.edits, { op: "set", at: name, where, value });
			page.set({ ...peek, edits });
		}
		close();
		stage.focus({ preventScroll: true });
	};
	field.onblur = close;
	button.hidden = true;
	button.before(field);
	field.focus();
}
